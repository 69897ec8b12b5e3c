"""A request outside its bounds is refused with a message that names the argument and the rule."""

from datetime import UTC, datetime

import pytest

from praxa_langgraph import Namespace
from praxa_langgraph.bounds.requests import (
    check_concurrency,
    check_max_results,
    check_namespace,
    check_query,
    check_request,
    check_source_id,
    check_source_ids,
    check_timeout,
    check_weights,
)
from praxa_langgraph.models import RECORD_KINDS

ADA = Namespace(tenant_id="acme", subject_id="ada")


def refused(error, check, *arguments, **options):
    with pytest.raises(error) as caught:
        check(*arguments, **options)
    return str(caught.value)


class TestQuery:
    @pytest.mark.parametrize("query", ["x", "x" * 32_768, f"\ufeff{'x' * 32_768}\u2029"])
    def test_it_has_1_to_32_768_characters_after_trimming(self, query):
        assert check_query(query) == query.strip("\ufeff\u2029")

    def test_outside_it_is_refused(self):
        above = refused(ValueError, check_query, "x" * 32_769)
        assert above == "query has 32,769 characters, not 1 to 32,768"
        assert (
            refused(ValueError, check_query, " \u3000") == "query has 0 characters, not 1 to 32,768"
        )
        assert refused(TypeError, check_query, None) == "query must be a string, not NoneType"

    def test_a_lone_surrogate_becomes_the_replacement_character(self):
        assert check_query("tea\ud800") == "tea\ufffd"


class TestNamespace:
    def test_parts_are_trimmed_and_a_mapping_is_accepted(self):
        given = {"tenant_id": " acme ", "subject_id": "ada\ufeff", "scope": [" eu "]}

        assert check_namespace(given) == Namespace(
            tenant_id="acme", subject_id="ada", scope=("eu",)
        )

    def test_parts_have_1_to_256_characters_and_16_segments_at_most(self):
        whole = Namespace(tenant_id="t" * 256, subject_id="s", scope=("x" * 256,) * 16)

        assert check_namespace(whole) == whole

    @pytest.mark.parametrize(
        ("parts", "message"),
        [
            ({"tenant_id": ""}, "namespace.tenant_id has 0 characters, not 1 to 256"),
            ({"tenant_id": "t" * 257}, "namespace.tenant_id has 257 characters, not 1 to 256"),
            ({"subject_id": " "}, "namespace.subject_id has 0 characters, not 1 to 256"),
            (
                {"subject_id": "a\x00b"},
                "namespace.subject_id holds a control character or a lone surrogate",
            ),
            ({"subject_id": None}, "namespace.subject_id must be a string, not NoneType"),
            ({"subject_id": ["ada"]}, "namespace.subject_id must be a string, not list"),
            ({"scope": ["a"] * 17}, "namespace.scope has 17 segments, not at most 16"),
            ({"scope": ["a", ""]}, "namespace.scope[1] has 0 characters, not 1 to 256"),
            ({"scope": "eu"}, "namespace.scope must be a list of segments, not str"),
            (
                {"user_id": "x"},
                "namespace has no field 'user_id'; it has tenant_id, subject_id and scope",
            ),
        ],
    )
    def test_outside_it_is_refused(self, parts, message):
        given = {"tenant_id": "acme", "subject_id": "ada", **parts}

        assert refused(ValueError, check_namespace, given) == message

    def test_anything_else_is_a_type_error(self):
        assert (
            refused(TypeError, check_namespace, "ada") == "namespace must be a Namespace, not str"
        )


class TestOptions:
    def check(self, **options):
        return check_request("tea", **{"namespace": ADA, "limit": 10, **options})

    def test_they_are_kept(self):
        noon = datetime(2026, 1, 1, 12, tzinfo=UTC)

        request = self.check(
            limit=500,
            kinds=["message", "fact"],
            mode="exact",
            source_ids=["b", "a"],
            filter={"topic": "tea"},
            timeout=60,
            as_of=noon,
            include_past=False,
        )

        assert request.kinds == ("message", "fact")
        assert request.source_ids == ("b", "a")
        assert (request.timeout, request.as_of, request.include_past) == (60.0, noon, False)

    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"limit": 0}, ValueError, "limit is 0, not 1 to 500"),
            ({"limit": 501}, ValueError, "limit is 501, not 1 to 500"),
            ({"limit": True}, TypeError, "limit must be an integer, not bool"),
            ({"limit": 1.0}, TypeError, "limit must be an integer, not float"),
            (
                {"kinds": ["checkpoint"]},
                ValueError,
                f"kinds 'checkpoint' is not one of {', '.join(RECORD_KINDS)}",
            ),
            ({"kinds": "fact"}, TypeError, "kinds must be a list of strings, not str"),
            (
                {"kinds": []},
                ValueError,
                "kinds is empty, so no source would be asked; leave it out to ask all",
            ),
            (
                {"mode": "lexical"},
                ValueError,
                "mode 'lexical' is not one of semantic, hybrid, graph, exact, recent",
            ),
            ({"source_ids": [1]}, TypeError, "source_ids must be a list of strings, not of int"),
            ({"filter": [1]}, ValueError, "filter: not an object but list"),
            ({"filter": {"a": "x" * 40_000}}, ValueError, "filter: over 32,768 characters"),
            ({"filter": {"a": float("nan")}}, ValueError, "filter: a number that is not finite"),
            ({"timeout": 0}, ValueError, "timeout is 0 seconds, not over 0 and at most 60"),
            ({"timeout": 61}, ValueError, "timeout is 61 seconds, not over 0 and at most 60"),
            ({"timeout": "5"}, TypeError, "timeout must be a number of seconds, not str"),
            ({"as_of": datetime(2026, 1, 1)}, ValueError, "as_of: no offset from UTC"),  # noqa: DTZ001
            ({"as_of": "2026-01-01T00:00:00Z"}, TypeError, "as_of must be a datetime, not str"),
            ({"include_past": 1}, TypeError, "include_past must be True or False, not int"),
        ],
    )
    def test_outside_its_bounds_an_option_is_refused(self, options, error, message):
        assert refused(error, self.check, **options) == message


class TestFederationOptions:
    @pytest.mark.parametrize("source_id", ["a", "A1", "a.b_c:d-e", "x" * 128])
    def test_a_source_id_of_the_pattern_is_kept(self, source_id):
        assert check_source_id(source_id) == source_id

    @pytest.mark.parametrize("source_id", ["", "-a", "a b", "a/b", "é", "x" * 129, None, 7])
    def test_another_is_refused(self, source_id):
        assert "does not match [A-Za-z0-9]" in refused(ValueError, check_source_id, source_id)

    def test_there_are_1_to_32_sources_each_with_an_id_of_its_own(self):
        assert len(check_source_ids(map(str, range(32)))) == 32
        none = refused(ValueError, check_source_ids, [])
        assert none == "a federation has 1 to 32 sources, not 0"
        many = refused(ValueError, check_source_ids, map(str, range(33)))
        assert many == "a federation has 1 to 32 sources, not 33"
        twice = refused(ValueError, check_source_ids, ["a", "b", "a"])
        assert twice == "two sources have the id 'a'; give one of them another id"

    def test_numbers_keep_to_their_ranges(self):
        assert (check_max_results(100), check_concurrency(32), check_concurrency(None)) == (
            *(100, 32),
            None,
        )
        assert check_timeout("timeout", 0.001) == 0.001
        assert refused(ValueError, check_max_results, 101) == (
            "max_results_per_source is 101, not 1 to 100"
        )
        assert refused(ValueError, check_concurrency, 33) == "max_concurrency is 33, not 1 to 32"

    def test_weights_are_positive_finite_and_of_known_sources(self):
        assert check_weights({"a": 2}, ("a", "b")) == {"a": 2.0, "b": 1.0}
        for weight in (0, -1, float("inf"), float("nan")):
            message = refused(ValueError, check_weights, {"a": weight}, ("a",))
            assert message.endswith("not a positive finite number")
        unknown = refused(ValueError, check_weights, {"c": 1}, ("a", "b"))
        assert unknown == "weights names 'c', which is none of 'a', 'b'"
