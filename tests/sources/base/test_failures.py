"""Exceptions become a status, a code and a message that gives nothing away."""

import concurrent.futures
import errno
import json
import socket
import sqlite3
import time

import httpx
import httpx2
import letta_client
import openai
import pytest
from mem0 import exceptions as mem0
from pydantic import BaseModel, ValidationError
from zep_cloud.core.api_error import ApiError
from zep_cloud.core.parse_error import ParsingError

from praxa_langgraph import SourceFailure
from praxa_langgraph.sources.base import redact, status_of, to_source_error

REQUEST = httpx.Request("POST", "https://api.example.test/v1?api_key=abcdef0123456789")
HIDDEN = "sk-proj-abcdefghij0123456789"


def response(status, **headers):
    return httpx.Response(status, request=REQUEST, headers=headers, text=f"body {HIDDEN}")


def http_status_error(status):
    return httpx.HTTPStatusError(f"body {HIDDEN}", request=REQUEST, response=response(status))


def letta_error(status):
    return letta_client.APIStatusError(f"body {HIDDEN}", response=response(status), body=None)


def openai_error(kind, status):
    request = httpx2.Request("POST", "https://api.example.test/v1")
    answer = httpx2.Response(status, request=request)
    return kind(f"body {HIDDEN}", response=answer, body=None)


def validation_error():
    class Row(BaseModel):
        memory: str

    try:
        Row.model_validate({"memory": {"secret": HIDDEN}})
    except ValidationError as error:
        return error
    raise AssertionError("it validated")


def psycopg_error(name, *bases):
    return type(name, bases or (Exception,), {"__module__": "psycopg.errors"})(f"SQL {HIDDEN}")


def caused(outer, inner):
    outer.__cause__ = inner
    return outer


FAILURES = [
    # A time-out of ours, or of the client.
    (TimeoutError(), "source_timed_out"),
    (TimeoutError(), "source_timed_out"),
    (concurrent.futures.TimeoutError(), "source_timed_out"),
    (httpx.ReadTimeout("x"), "source_timed_out"),
    (httpx.PoolTimeout("x"), "source_timed_out"),
    (letta_client.APITimeoutError(request=REQUEST), "source_timed_out"),
    (mem0.NetworkError("x", "NET_TIMEOUT"), "source_timed_out"),
    (http_status_error(408), "source_timed_out"),
    (letta_error(504), "source_timed_out"),
    # Cannot be reached, or refuses service for now.
    (ConnectionRefusedError(), "source_unavailable"),
    (ConnectionResetError(), "source_unavailable"),
    (socket.gaierror(socket.EAI_NONAME, "no such host"), "source_unavailable"),
    (OSError(errno.ENETUNREACH, "unreachable"), "source_unavailable"),
    (httpx.ConnectError("x"), "source_unavailable"),
    (httpx.RemoteProtocolError("x"), "source_unavailable"),
    (letta_client.APIConnectionError(request=REQUEST), "source_unavailable"),
    (mem0.NetworkError("x", "NET_CONNECT"), "source_unavailable"),
    (mem0.NetworkError("x", "HTTP_503"), "source_unavailable"),
    (ApiError(status_code=502, body=HIDDEN), "source_unavailable"),
    (sqlite3.OperationalError("database is locked"), "source_unavailable"),
    (psycopg_error("OperationalError"), "source_unavailable"),
    (psycopg_error("PoolTimeout"), "source_unavailable"),
    (psycopg_error("PoolClosed"), "source_unavailable"),
    (http_status_error(429), "source_rate_limited"),
    (openai_error(openai.RateLimitError, 429), "source_rate_limited"),
    (mem0.RateLimitError("x", "HTTP_429"), "source_rate_limited"),
    # Everything else.
    (http_status_error(401), "source_unauthorized"),
    (letta_error(403), "source_unauthorized"),
    (openai_error(openai.AuthenticationError, 401), "source_unauthorized"),
    (letta_error(404), "source_not_found"),
    (ApiError(status_code=404, body=HIDDEN), "source_not_found"),
    (http_status_error(400), "source_error"),
    (letta_error(422), "source_error"),
    (ApiError(status_code=500, headers={"x": HIDDEN}, body=HIDDEN), "source_error"),
    (mem0.ValidationError("x", "HTTP_400"), "source_error"),
    (ApiError(status_code=200, body=f"<html>{HIDDEN}"), "source_invalid_response"),
    (json.JSONDecodeError("x", HIDDEN, 0), "source_invalid_response"),
    (validation_error(), "source_invalid_response"),
    (
        ParsingError(status_code=200, headers={}, body=HIDDEN, cause=validation_error()),
        "source_invalid_response",
    ),
    (NotImplementedError("no search"), "source_unsupported"),
    (RuntimeError("<Lock> is bound to a different event loop"), "source_misconfigured"),
    (RuntimeError("Event loop is closed"), "source_misconfigured"),
    (sqlite3.OperationalError("no such table: memories"), "source_error"),
    (KeyError("entities"), "source_error"),
    (AttributeError("x"), "source_error"),
    (Exception(), "source_error"),
    # Wrapped by a client.
    (caused(RuntimeError("search failed"), httpx.ConnectError("x")), "source_unavailable"),
    (caused(RuntimeError("search failed"), TimeoutError()), "source_timed_out"),
    (caused(ValueError("x"), SourceFailure("source_not_found", "none")), "source_not_found"),
]


@pytest.mark.parametrize(
    ("error", "code"), FAILURES, ids=[f"{type(e).__name__}-{c}" for e, c in FAILURES]
)
def test_an_exception_has_its_code_and_its_message_gives_nothing_away(error, code):
    failure = to_source_error(error)

    assert failure.code == code
    assert len(failure.message) <= 300
    assert "\n" not in failure.message
    assert HIDDEN not in failure.message
    assert "abcdef0123456789" not in failure.message


@pytest.mark.parametrize(
    ("code", "status"),
    [
        ("source_timed_out", "timed_out"),
        ("source_unavailable", "unavailable"),
        ("source_rate_limited", "unavailable"),
        ("source_saturated", "unavailable"),
        ("source_unauthorized", "error"),
        ("source_not_found", "error"),
        ("source_unsupported", "error"),
        ("source_misconfigured", "error"),
        ("source_invalid_response", "error"),
        ("source_scope_violation", "error"),
        ("source_error", "error"),
    ],
)
def test_each_code_belongs_to_one_status(code, status):
    assert status_of(code) == status == SourceFailure(code, "x").status


class TestRetryAfter:
    @pytest.mark.parametrize(
        ("error", "seconds"),
        [
            (http_status_error(429), None),
            (
                httpx.HTTPStatusError(
                    "x", request=REQUEST, response=response(429, **{"Retry-After": "7"})
                ),
                7.0,
            ),
            (ApiError(status_code=429, headers={"retry-after": "1.5"}), 1.5),
            (
                ApiError(status_code=503, headers={"Retry-After": "Wed, 21 Oct 2026 07:28:00 GMT"}),
                None,
            ),
            (ApiError(status_code=503, headers={"Retry-After": "-1"}), None),
            (mem0.RateLimitError("x", "HTTP_429", debug_info={"retry_after": 7}), 7.0),
            (SourceFailure("source_rate_limited", "x", retry_after_s=2.0), 2.0),
        ],
    )
    def test_it_is_what_the_provider_said_in_seconds(self, error, seconds):
        assert to_source_error(error).retry_after_s == seconds


class TestAdversarial:
    def test_a_chain_that_bites_its_tail_ends(self):
        one, two = ValueError("one"), ValueError("two")
        one.__cause__, two.__cause__ = two, one

        assert to_source_error(one).code == "source_error"

    def test_an_exception_that_cannot_be_shown_is_named_by_its_class(self):
        class MuteError(Exception):
            def __str__(self):
                raise RuntimeError(HIDDEN)

        assert to_source_error(MuteError()).message == "MuteError"

    def test_an_exception_whose_attributes_fail_is_still_classified(self):
        class PricklyError(ConnectionError):
            @property
            def status_code(self):
                raise RuntimeError(HIDDEN)

        assert to_source_error(PricklyError("x")).code == "source_unavailable"

    def test_a_status_that_is_no_http_status_is_not_believed(self):
        class OddError(ConnectionError):
            status_code = 7

        assert to_source_error(OddError("x")).code == "source_unavailable"

    def test_a_huge_message_costs_little(self):
        started = time.monotonic()

        failure = to_source_error(RuntimeError("a1-" * 1_000_000))

        assert len(failure.message) <= 300
        assert time.monotonic() - started < 2


@pytest.mark.parametrize(
    "text",
    [
        "Authorization: Bearer abcdef0123456789",
        "authorization='Basic dXNlcjpwYXNzd29yZA=='",
        '{"Authorization": "Api-Key z_0123456789abcdef"}',
        "Bearer abcdef0123456789",
        "api_key=abcdef0123456789",
        "x-api-key: abcdef0123456789",
        "https://user:pass0123456789@example.test/v1",
        "GET /v1?token=abcdef0123456789&x=1",
        "Cookie: session=abcdef0123456789; id=abcdef0123456789",
        "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxIn0.abcdef0123456789",
        "sk-abcdef0123456789",
        "m0-abcdef0123456789",
        "ghp_abcdef0123456789abcdef0123456789",
        "AKIAABCDEF0123456789ABCDEF0123456789ABCDEF0123456789",
        "headers: {'x': 'abcdef0123456789', 'y': 'abcdef0123456789'}, status: 500",
        "password = 'abcdef0123456789'",
        "client_secret:abcdef0123456789",
    ],
)
def test_keys_tokens_passwords_cookies_and_headers_are_removed(text):
    shown = redact(f"login failed: {text}")

    assert "0123456789" not in shown
    assert "dXNlcjpwYXNzd29yZA" not in shown
    assert shown.startswith("login failed: ")


@pytest.mark.parametrize(
    "text", ["no such table: memories", "the token count is 7", "agent-00000000-0000 not found"]
)
def test_ordinary_words_stay(text):
    assert redact(text) == text
