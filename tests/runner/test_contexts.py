"""Context variables: a call runs in the context it was given, whatever runs it."""

import asyncio
import time
from contextvars import ContextVar, copy_context

import pytest

from praxa_langgraph.runner import Bulkhead, Call, arun, run

TENANT = ContextVar("TENANT", default="nobody")


def read():
    return [TENANT.get()]


async def aread():
    return [TENANT.get()]


def read_later():
    return aread()


async def read_lazily():
    return (TENANT.get() for _ in range(1))


def call(function, **options):
    return Call(
        read=function,
        finish=list,
        timeout=10,
        deadline=time.monotonic() + 10,
        bulkhead=Bulkhead(),
        is_coroutine=asyncio.iscoroutinefunction(function),
        **options,
    )


@pytest.fixture(params=[read, aread, read_later, read_lazily], ids=lambda f: f.__name__)
def function(request):
    return request.param


@pytest.fixture(params=["run", "arun"])
def door(request):
    return run if request.param == "run" else lambda calls: asyncio.run(arun(calls))


@pytest.fixture
def _acme():
    token = TENANT.set("acme")
    yield
    TENANT.reset(token)


@pytest.mark.usefixtures("_acme")
def test_a_call_sees_what_its_caller_had_set(door, function):
    [outcome] = door([call(function)])

    assert outcome.value == ["acme"]


def test_a_call_runs_in_the_context_it_was_given(door, function):
    given = copy_context()
    given.run(TENANT.set, "given")

    [outcome] = door([call(function, context=given)])

    assert outcome.value == ["given"]


def test_what_a_call_sets_is_seen_by_no_other(door):
    def set_then_read():
        before = TENANT.get()
        TENANT.set("changed")
        return [before]

    outcomes = door([call(set_then_read) for _ in range(3)])

    assert [outcome.value for outcome in outcomes] == [["nobody"]] * 3
    assert TENANT.get() == "nobody"
