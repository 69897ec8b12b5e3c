"""A mapping that would widen a read is refused before the call."""

import pytest

from praxa_langgraph import Namespace, SourceFailure
from praxa_langgraph.sources.base import (
    check_identity_part,
    check_identity_parts,
    check_path_part,
    foreign,
    map_identity,
)

ADA = Namespace(tenant_id="acme", subject_id="ada")


def refused(check, *arguments, **options):
    with pytest.raises(SourceFailure) as caught:
        check(*arguments, **options)
    assert caught.value.code == "source_misconfigured"
    return str(caught.value)


class TestMapper:
    def test_what_it_returns_is_the_identity(self):
        assert map_identity(lambda who: who.subject_id, ADA) == "ada"

    def test_one_that_fails_is_a_misconfiguration_without_its_words(self):
        def fail(_):
            raise KeyError("a-secret-name")

        assert refused(map_identity, fail, ADA) == "the identity mapper failed: KeyError"

    def test_its_own_failure_is_passed_on(self):
        def refuse(_):
            raise SourceFailure("source_not_found", "no such user")

        with pytest.raises(SourceFailure, match="no such user"):
            map_identity(refuse, ADA)

    def test_an_async_one_is_refused(self):
        async def mapper(_):
            return "ada"

        assert "must be a plain function" in refused(map_identity, mapper, ADA)


@pytest.mark.parametrize("part", ["ada", "acme:ada", "a*b", "x" * 512, "日本"])
def test_a_part_that_names_one_identity_is_kept(part):
    assert check_identity_part("user_id", part) == part


@pytest.mark.parametrize(
    ("part", "message"),
    [
        (None, "user_id is not a string but NoneType; that would widen the read"),
        (["ada"], "user_id is not a string but list; that would widen the read"),
        ({"in": ["ada"]}, "user_id is not a string but dict; that would widen the read"),
        (7, "user_id is not a string but int; that would widen the read"),
        ("", "user_id is empty or padded with white space; that would widen the read"),
        (" ada", "user_id is empty or padded with white space; that would widen the read"),
        ("\u3000", "user_id is empty or padded with white space; that would widen the read"),
        ("*", "user_id is a wildcard; that would widen the read"),
        ("**", "user_id is a wildcard; that would widen the read"),
        ("%", "user_id is a wildcard; that would widen the read"),
        ("a\x00b", "user_id holds a control character or a lone surrogate"),
        ("a\ud800", "user_id holds a control character or a lone surrogate"),
        ("x" * 513, "user_id has over 512 characters"),
    ],
)
def test_a_part_that_widens_is_refused(part, message):
    assert refused(check_identity_part, "user_id", part) == message


@pytest.mark.parametrize("part", ["..", ".", "a/b", "a\\b", "a?b", "a#b", "a%2Fb"])
def test_a_part_of_a_url_cannot_leave_its_place(part):
    assert refused(check_path_part, "agent_id", part) == "agent_id holds characters of a URL path"


class TestParts:
    def test_known_parts_are_kept(self):
        parts = {"user_id": "ada", "agent_id": "helper"}

        assert check_identity_parts(parts, ("user_id", "agent_id")) == parts

    @pytest.mark.parametrize("parts", [None, {}, [], "ada"])
    def test_at_least_one_is_needed(self, parts):
        message = refused(check_identity_parts, parts, ("user_id", "agent_id"))

        assert message == "the identity must map some of user_id, agent_id to strings"

    def test_an_unknown_one_is_refused(self):
        message = refused(check_identity_parts, {"AND": []}, ("user_id",))

        assert message == "the identity has an unknown part; it may have user_id"

    def test_a_required_one_may_not_be_missing(self):
        parts = {"agent_id": "helper"}
        allowed = ("user_id", "agent_id")

        message = refused(check_identity_parts, parts, allowed, required=("user_id",))
        assert message == "the identity lacks user_id"


def test_the_rejection_of_a_foreign_hit_does_not_name_the_other():
    rejection = foreign("m-1", "user_id")

    assert (rejection.record_id, rejection.code) == ("m-1", "foreign_scope")
    assert rejection.message == "user_id is not the one asked for"
