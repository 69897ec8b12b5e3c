"""One call of one source: what is called, until when, and how it ended."""

from __future__ import annotations

import inspect
import os
import threading
import time
import weakref
from collections.abc import Callable
from concurrent.futures import Future
from contextvars import Context, copy_context
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from praxa_langgraph.bounds.limits import MAX_STUCK_CALLS
from praxa_langgraph.sources.base import SourceFailure

T = TypeVar("T")


class Bulkhead:
    """Counts the calls of one source that outlived their deadline and still run.

    A client that hangs for good costs a few threads, not one more with every recall.
    """

    def __init__(self, *, limit: int = MAX_STUCK_CALLS) -> None:
        """Allow `limit` stuck calls."""
        self._limit = limit
        self._reset()
        _BULKHEADS.add(self)

    def _reset(self) -> None:
        self._lock = threading.Lock()
        self._left_behind: dict[object, float] = {}

    @property
    def saturated(self) -> bool:
        """Whether another call must be refused."""
        now = time.monotonic()
        with self._lock:
            stuck = sum(deadline <= now for deadline in self._left_behind.values())
        return stuck >= self._limit

    def leave_behind(self, deadline: float) -> Callable[[], None]:
        """Count a call that nobody waits for, from its deadline until the returned call.

        A cancelled recall leaves calls behind that are healthy until their deadline.
        """
        token = object()
        with self._lock:
            self._left_behind[token] = deadline

        def ended() -> None:
            with self._lock:
                self._left_behind.pop(token, None)

        return ended


_BULKHEADS: weakref.WeakSet[Bulkhead] = weakref.WeakSet()


def _forget_stuck_calls() -> None:
    """A forked child has none of its parent's threads."""
    for bulkhead in _BULKHEADS:
        bulkhead._reset()  # noqa: SLF001 # the module's own class


os.register_at_fork(after_in_child=_forget_stuck_calls)


@dataclass(frozen=True, slots=True, kw_only=True)
class Call(Generic[T]):
    """A read to be made before a deadline."""

    read: Callable[[], object]
    """Returns the answer or an awaitable of it."""
    finish: Callable[[object], T]
    """Pure work on the answer, done where the answer arrives."""
    timeout: float
    """Seconds, as the caller stated them; for the message."""
    deadline: float
    """On the monotonic clock."""
    bulkhead: Bulkhead
    is_coroutine: bool = False
    """Whether `read` is known to return at once with a coroutine."""
    context: Context = field(default_factory=copy_context)

    def remaining(self) -> float:
        """Seconds left; never below zero."""
        return max(0.0, self.deadline - time.monotonic())


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome(Generic[T]):
    """How a call ended: with a value, or with what it raised."""

    value: T | None = None
    error: BaseException | None = None
    duration_ms: float = 0.0


def refusal(call: Call[T]) -> SourceFailure | None:
    """Why a call is not even started, if so."""
    if call.bulkhead.saturated:
        msg = f"{MAX_STUCK_CALLS} earlier calls of this source still hang"
        return SourceFailure("source_saturated", msg)
    return None if call.remaining() else never_started(call)


def never_started(call: Call[T]) -> SourceFailure:
    """The failure of a call that waited for its turn until its deadline."""
    msg = f"its turn did not come within {call.timeout:g} s; raise max_concurrency or the timeout"
    return SourceFailure("source_timed_out", msg)


def timed_out(call: Call[T]) -> SourceFailure:
    """The failure of a call that gave no answer in time."""
    return SourceFailure("source_timed_out", f"no answer within {call.timeout:g} s")


def contained(error: BaseException) -> Exception:
    """Turn what must not leave a call (an exit, a self-made cancellation) into a failure."""
    if isinstance(error, SystemExit):
        return SourceFailure("source_error", "the client tried to exit the interpreter")
    if isinstance(error, Exception):
        return error
    return SourceFailure("source_error", f"the client raised {type(error).__name__}")


def abandon(future: Future[Any], call: Call[Any]) -> None:
    """Stop waiting for a thread, but count it until it really ends."""
    ended = call.bulkhead.leave_behind(call.deadline)

    def settle(late: Future[Any]) -> None:
        ended()
        if late.exception() is None:
            discard(late.result())

    future.add_done_callback(settle)


def discard(answer: object) -> None:
    """Close a coroutine that nobody will await."""
    if inspect.iscoroutine(answer):
        answer.close()


def elapsed_ms(started: float) -> float:
    """Milliseconds since an instant of the monotonic clock."""
    return (time.monotonic() - started) * 1000
