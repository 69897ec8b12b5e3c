"""The one place where an exception becomes a status, a code and a message without secrets.

Provider SDKs are recognised by duck type (status codes, class names), so none is imported.
"""

from __future__ import annotations

import errno
import re
import socket
from collections.abc import Callable, Iterator, Mapping
from typing import Any, NoReturn

from praxa_langgraph.bounds.limits import MAX_ERROR_CHARS
from praxa_langgraph.bounds.text import one_line
from praxa_langgraph.models import ErrorCode, SourceError, SourceStatus

_STATUS_OF_CODE: dict[ErrorCode, SourceStatus] = {
    "source_timed_out": "timed_out",
    "source_unavailable": "unavailable",
    "source_rate_limited": "unavailable",
    "source_saturated": "unavailable",
}
_CODE_OF_HTTP_STATUS: dict[int, ErrorCode] = {
    401: "source_unauthorized",
    403: "source_unauthorized",
    404: "source_not_found",
    408: "source_timed_out",
    429: "source_rate_limited",
    502: "source_unavailable",
    503: "source_unavailable",
    504: "source_timed_out",
}
_TIMEOUT_CLASSES = frozenset({"TimeoutException", "APITimeoutError", "Timeout", "QueryCanceled"})
_CONNECTION_CLASSES = frozenset(
    {
        "APIConnectionError",
        "TransportError",
        "NetworkError",
        "ConnectError",
        "ConnectionError",
        "ServiceUnavailable",
        "BusyLoadingError",
        "PoolClosed",
        "PoolTimeout",
        "ResponseHandlingException",
    }
)
_UNREADABLE_CLASSES = frozenset(
    {"JSONDecodeError", "ValidationError", "ParsingError", "APIResponseValidationError"}
)
_UNREACHABLE = frozenset({errno.ENETUNREACH, errno.EHOSTUNREACH, errno.ENETDOWN, errno.EHOSTDOWN})
_OTHER_LOOP = ("different event loop", "different loop", "Event loop is closed")
_USE_ASYNC_DOOR = (
    "the client is bound to another event loop; use the async door (arecall, ainvoke) on that loop"
)
_MAX_CHAIN = 8
_HTTP_STATUSES = range(200, 600)
_HTTP_SUCCESSES = range(200, 300)

_SECRETS = (
    re.compile(r"(?i)\bheaders?\b\W*[{\[(].*"),
    re.compile(r"(?i)\b(?:set-)?cookies?\b[\"']?\s*[:=].*"),
    re.compile(r"(?i)(?<=://)[^/\s@]+@"),
    re.compile(
        r"(?i)\b(?:proxy-)?authorization\b[\"']?\s*[:=]\s*[\"']?(?:(?:bearer|basic|token|api-key)\s+)?[^\s\"',;]+"
    ),
    re.compile(r"(?i)\b(?:bearer|basic)\s+[\w.~+/=-]{8,}"),
    re.compile(
        r"(?i)[\w-]*(?:api[-_]?key|token|secret|passw(?:or)?d|pwd|cookie|credential|signature)[\w-]*"
        r"[\"']?\s*[:=]\s*[\"']?[^\s\"',;&]+"
    ),
    re.compile(r"\b(?:sk|pk|rk|m0|z|gh[opsu]|xox[abp]|praxa_sk|lsv2)[-_][\w.-]{8,}"),
    re.compile(r"\beyJ[\w-]+\.[\w-]+\.?[\w-]*"),
    re.compile(r"\b(?=[A-Za-z0-9+/_-]*\d)[A-Za-z0-9+/_-]{40,}={0,2}"),
)


class SourceFailure(Exception):  # noqa: N818 # reads as what it is: a failure, not a bug
    """What a source raises to say exactly how it failed; anything else it raises is classified.

    Example:
        >>> failure = SourceFailure("source_rate_limited", "try later", retry_after_s=2.0)
        >>> failure.status
        'unavailable'
    """

    def __init__(
        self, code: ErrorCode, message: str, *, retry_after_s: float | None = None
    ) -> None:
        """Keep the code, the message, and the seconds after which a retry makes sense."""
        super().__init__(message)
        self.code = code
        self.retry_after_s = retry_after_s

    @property
    def status(self) -> SourceStatus:
        """The status that follows from the code."""
        return status_of(self.code)


def misconfigured(message: str) -> NoReturn:
    """Raise the failure of a source that its owner set up in a way that cannot be served."""
    raise SourceFailure("source_misconfigured", message)


def status_of(code: ErrorCode) -> SourceStatus:
    """Return the status a code belongs to."""
    return _STATUS_OF_CODE.get(code, "error")


def to_source_error(error: BaseException) -> SourceError:
    """Classify whatever a source raised.

    A provider's own words are only quoted where they cannot carry a response body or headers:
    of an HTTP failure the status is named and nothing else.

    Example:
        >>> to_source_error(TimeoutError()).code
        'source_timed_out'
    """
    if isinstance(error, SourceFailure):
        retry_after_s = error.retry_after_s
        return _source_error(error.code, str(error) or error.code, retry_after_s)
    for cause in _chain(error):
        if isinstance(cause, SourceFailure):
            return _source_error(cause.code, str(cause), cause.retry_after_s)
        if (status := _http_status(cause)) is not None:
            return _of_http_status(cause, status)
        if (code := _code_of_class(cause)) is not None:
            return _source_error(code, _described(cause, code))
    return _source_error("source_error", _described(error, "source_error"))


def redact(text: str) -> str:
    """Return one line of at most 300 characters with keys, tokens, passwords and headers removed.

    Example:
        >>> redact("login failed: Authorization: Bearer abcdef123456")
        'login failed: [removed]'
    """
    line = one_line(text, limit=4 * MAX_ERROR_CHARS)
    for secret in _SECRETS:
        line = secret.sub("[removed]", line)
    return one_line(line, limit=MAX_ERROR_CHARS)


def _of_http_status(error: BaseException, status: int) -> SourceError:
    code = _CODE_OF_HTTP_STATUS.get(status, "source_error")
    message = f"the provider answered HTTP {status} ({type(error).__name__})"
    if status in _HTTP_SUCCESSES:
        code, message = "source_invalid_response", f"{message}, but nothing readable"
    return _source_error(code, message, _retry_after(error))


def _source_error(code: ErrorCode, message: str, retry_after_s: float | None = None) -> SourceError:
    return SourceError(code=code, message=redact(message), retry_after_s=retry_after_s)


def _chain(error: BaseException) -> Iterator[BaseException]:
    """The exception, then what it was raised from, as a traceback would show it."""
    seen: list[BaseException] = []
    current: BaseException | None = error
    while current is not None and current not in seen and len(seen) < _MAX_CHAIN:
        yield current
        seen.append(current)
        hidden = None if current.__suppress_context__ else current.__context__
        current = current.__cause__ or hidden


def _http_status(error: BaseException) -> int | None:
    response = _attribute(error, "response")
    details = _attribute(error, "debug_info")
    candidates = (
        _attribute(error, "status_code"),
        _attribute(error, "status"),
        _attribute(response, "status_code"),
        details.get("status_code") if isinstance(details, Mapping) else None,
        _http_error_code(_attribute(error, "error_code")),
    )
    return next((c for c in candidates if type(c) is int and c in _HTTP_STATUSES), None)


def _http_error_code(value: object) -> int | None:
    """Mem0's platform client writes the status as `HTTP_429`."""
    if isinstance(value, str) and value.startswith("HTTP_") and value[5:].isdigit():
        return int(value[5:])
    return None


def _retry_after(error: BaseException) -> float | None:
    response = _attribute(error, "response")
    details = _attribute(error, "debug_info")
    if isinstance(details, Mapping) and "retry_after" in details:
        return _seconds(details["retry_after"])
    for headers in (_attribute(error, "headers"), _attribute(response, "headers")):
        if isinstance(headers, Mapping):
            for name, value in headers.items():
                if str(name).lower() == "retry-after":
                    return _seconds(value)
    return None


def _seconds(value: Any) -> float | None:
    try:
        seconds = float(value)
    except (TypeError, ValueError):
        return None
    return seconds if 0 <= seconds < float("inf") else None


def _code_of_class(error: BaseException) -> ErrorCode | None:
    names = frozenset(cls.__name__ for cls in type(error).__mro__)
    return next((code for applies, code in _RULES if applies(error, names)), None)


def _is_timeout(error: BaseException, names: frozenset[str]) -> bool:
    if _is_psycopg(error) and "PoolTimeout" in names:
        return False
    by_name = isinstance(error, TimeoutError) or not names.isdisjoint(_TIMEOUT_CLASSES)
    return by_name or _attribute(error, "error_code") == "NET_TIMEOUT"


def _is_unreachable(error: BaseException, names: frozenset[str]) -> bool:
    if isinstance(error, ConnectionError | socket.gaierror):
        return True
    if isinstance(error, OSError) and error.errno in _UNREACHABLE:
        return True
    return not names.isdisjoint(_CONNECTION_CLASSES)


def _is_database_away(error: BaseException, names: frozenset[str]) -> bool:
    """Psycopg raises OperationalError when the server is gone, sqlite3 when a file is locked."""
    if "OperationalError" not in names and "InterfaceError" not in names:
        return False
    return _is_psycopg(error) or "locked" in _words(error)


def _is_psycopg(error: BaseException) -> bool:
    return type(error).__module__.startswith("psycopg")


def _is_of_other_loop(error: BaseException, _: frozenset[str]) -> bool:
    return isinstance(error, RuntimeError) and any(words in _words(error) for words in _OTHER_LOOP)


_RULES: tuple[tuple[Callable[[BaseException, frozenset[str]], bool], ErrorCode], ...] = (
    (_is_timeout, "source_timed_out"),
    (_is_unreachable, "source_unavailable"),
    (_is_database_away, "source_unavailable"),
    (_is_of_other_loop, "source_misconfigured"),
    (lambda error, _: isinstance(error, NotImplementedError), "source_unsupported"),
    (lambda _, names: not names.isdisjoint(_UNREADABLE_CLASSES), "source_invalid_response"),
)
"""What an exception says by its class, the most telling first."""


def _described(error: BaseException, code: ErrorCode) -> str:
    if code == "source_misconfigured":
        return _USE_ASYNC_DOOR
    name = type(error).__name__
    if code == "source_invalid_response":
        return f"{name}: the provider's answer could not be read"
    text = _words(error)
    return f"{name}: {text}" if text else name


def _attribute(error: object, name: str) -> Any:
    """An attribute of an exception of somebody else's making, which may fail itself."""
    try:
        return getattr(error, name, None)
    except Exception:  # noqa: BLE001 # as said
        return None


def _words(error: BaseException) -> str:
    try:
        return str(error)
    except Exception:  # noqa: BLE001 # as above
        return ""
