"""A federation: what it is made of, and what one recall reports about each source."""

import asyncio

import pytest

from praxa_langgraph import Capabilities, FunctionSource, MemoryFederation, MemoryRecord, Namespace
from praxa_langgraph.sources.base import SourceFailure, foreign
from praxa_langgraph.testing import ScriptedSource

ADA = Namespace(tenant_id="acme", subject_id="ada")


def fact(record_id, text="Prefers tea", **fields):
    return MemoryRecord(record_id=record_id, kind="fact", text=text, **fields)


def facts(count):
    return [fact(str(i), f"Fact {i}") for i in range(1, count + 1)]


def recall(*sources, federation=(), **options):
    return MemoryFederation(sources, **dict(federation)).recall("tea", namespace=ADA, **options)


def report_of(source, **options):
    [report] = recall(source, **options).sources
    return report


class TestSources:
    def test_they_are_kept_in_configured_order(self):
        sources = ScriptedSource(id="b"), ScriptedSource(id="a")

        assert MemoryFederation(sources).sources == sources

    def test_an_iterator_of_sources_is_taken(self):
        assert len(MemoryFederation(ScriptedSource(id=i) for i in "ab").sources) == 2

    def test_two_sources_of_one_provider_stand_side_by_side(self):
        sources = [ScriptedSource([fact("1")], id=i, provider="mem0") for i in ("eu", "us")]

        assert [report.source_id for report in recall(*sources).sources] == ["eu", "us"]

    @pytest.mark.parametrize(
        ("count", "message"),
        [
            (0, "a federation has 1 to 32 sources, not 0"),
            (33, "a federation has 1 to 32 sources, not 33"),
        ],
    )
    def test_there_are_1_to_32(self, count, message):
        with pytest.raises(ValueError, match=message):
            MemoryFederation([ScriptedSource(id=f"s{i}") for i in range(count)])

    def test_their_ids_are_unique(self):
        with pytest.raises(
            ValueError, match="two sources have the id 'crm'; give one of them another id"
        ):
            MemoryFederation([ScriptedSource(id="crm"), ScriptedSource(id="crm")])

    @pytest.mark.parametrize("given", [object(), "crm", None, dict])
    def test_anything_else_is_no_source(self, given):
        with pytest.raises(
            TypeError, match="is no memory source: it needs id, provider, capabilities and read"
        ):
            MemoryFederation([given])

    def test_a_source_must_be_readable(self):
        source = ScriptedSource()
        source.read = "memory"

        with pytest.raises(TypeError, match="ScriptedSource is no memory source"):
            MemoryFederation([source])

    @pytest.mark.parametrize(
        ("attribute", "value", "error", "message"),
        [
            ("id", "bad id", ValueError, r"source id 'bad id' does not match \[A-Za-z0-9\]"),
            ("id", 7, ValueError, "source id 7 does not match"),
            ("provider", "notion", ValueError, "provider 'notion' is not one of mem0, zep,"),
            (
                "capabilities",
                {"kinds": ["fact"]},
                TypeError,
                "capabilities of source 'scripted' must be Capabilities",
            ),
            (
                "timeout",
                "5",
                TypeError,
                "timeout of source 'scripted' must be a number of seconds, not str",
            ),
            ("timeout", 61, ValueError, "timeout of source 'scripted' is 61 seconds, not over 0"),
        ],
    )
    def test_what_a_source_declares_is_checked(self, attribute, value, error, message):
        source = ScriptedSource()
        setattr(source, attribute, value)

        with pytest.raises(error, match=message):
            MemoryFederation([source])

    def test_any_object_with_the_four_members_is_a_source(self):
        class Plain:
            id = "plain"
            provider = "custom"
            capabilities = Capabilities(modes=("exact",), kinds=("fact",))

            def read(self, request):
                return [fact("1")]

        assert recall(Plain()).status == "ok"


class TestPropertiesThatChange:
    """A source is taken at its word when the federation is made; later it cannot break a recall."""

    class Fickle:
        capabilities = Capabilities(modes=("exact",), kinds=("fact",))

        def __init__(self, *, fail):
            self.asked = 0
            self.fail = fail
            self.ready = False

        def _answer(self, first, later):
            if self.ready and self.fail:
                msg = "the connection is gone"
                raise ConnectionError(msg)
            return later if self.ready else first

        @property
        def id(self):
            return self._answer("crm", "other")

        @property
        def provider(self):
            return self._answer("custom", "unheard-of")

        @property
        def timeout(self):
            return self._answer(5.0, -1)

        def read(self, request):
            return [fact("1")]

    @pytest.mark.parametrize("fail", [False, True])
    def test_reports_and_matches_keep_the_first_word(self, fail):
        source = self.Fickle(fail=fail)
        federation = MemoryFederation([source, ScriptedSource([fact("1")])])
        source.ready = True
        result = federation.recall("tea", namespace=ADA, source_ids=["crm"], kinds=["fact"])

        assert [(r.source_id, r.provider, r.status) for r in result.sources] == [
            ("crm", "custom", "ok")
        ]
        assert result.items[0].id == "crm:1"

    def test_a_property_that_fails_at_first_is_seen_at_once(self):
        source = self.Fickle(fail=True)
        source.ready = True

        with pytest.raises(ConnectionError):
            MemoryFederation([source])


class TestOptions:
    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"timeout": 0}, ValueError, "timeout is 0 seconds, not over 0 and at most 60"),
            ({"timeout": 61}, ValueError, "timeout is 61 seconds, not over 0 and at most 60"),
            ({"timeout": float("nan")}, ValueError, "timeout is nan seconds"),
            ({"timeout": True}, TypeError, "timeout must be a number of seconds, not bool"),
            ({"timeout": None}, TypeError, "timeout must be a number of seconds, not NoneType"),
            (
                {"max_results_per_source": 0},
                ValueError,
                "max_results_per_source is 0, not 1 to 100",
            ),
            ({"max_results_per_source": 101}, ValueError, "is 101, not 1 to 100"),
            ({"max_results_per_source": 1.0}, TypeError, "must be an integer, not float"),
            ({"max_concurrency": 0}, ValueError, "max_concurrency is 0, not 1 to 32"),
            ({"max_concurrency": 33}, ValueError, "max_concurrency is 33, not 1 to 32"),
            ({"max_concurrency": "all"}, TypeError, "max_concurrency must be an integer, not str"),
            ({"weights": {"other": 1}}, ValueError, "weights names 'other', which is none of"),
            ({"weights": {"crm": 0}}, ValueError, r"weights\['crm'\] is 0, not a positive finite"),
            ({"weights": {"crm": float("inf")}}, ValueError, r"weights\['crm'\] is inf, not"),
            ({"weights": {"crm": "2"}}, TypeError, r"weights\['crm'\] must be a number, not str"),
            ({"weights": [1]}, TypeError, "weights must map source ids to numbers, not be list"),
        ],
    )
    def test_one_outside_its_bounds_is_refused(self, options, error, message):
        with pytest.raises(error, match=message):
            MemoryFederation([ScriptedSource(id="crm")], **options)

    def test_a_weight_moves_its_source_up(self):
        sources = ScriptedSource([fact("1", "A")], id="a"), ScriptedSource([fact("1", "B")], id="b")

        assert [item.text for item in recall(*sources).items] == ["A", "B"]
        weighted = recall(*sources, federation={"weights": {"b": 2}})
        assert [item.text for item in weighted.items] == ["B", "A"]
        assert [item.ranking.score for item in weighted.items] == [2 / 61, 1 / 61]


class TestReports:
    def test_a_source_without_memory_is_ok(self):
        result = recall(ScriptedSource())

        assert (result.status, result.items, result.sources[0].item_count) == ("ok", (), 0)

    def test_a_failed_recall_never_looks_like_an_empty_one(self):
        result = recall(ScriptedSource(ConnectionError()))

        assert (result.status, result.items) == ("failed", ())

    def test_a_failed_source_among_good_ones_is_partial(self):
        sources = (
            ScriptedSource(LookupError("no such index"), id="bad"),
            ScriptedSource([fact("1")], id="crm"),
        )

        result = recall(*sources)

        assert (result.status, len(result.items)) == ("partial", 1)
        assert result.sources[0].error.message == "LookupError: no such index"

    def test_a_source_says_how_it_failed(self):
        failure = SourceFailure("source_rate_limited", "try later", retry_after_s=2.0)

        report = report_of(ScriptedSource(failure))

        assert (report.status, report.error.code) == ("unavailable", "source_rate_limited")
        assert report.error.retry_after_s == 2.0

    def test_records_beyond_the_bound_are_cut_and_said_to_be(self):
        report = report_of(ScriptedSource(facts(4)), federation={"max_results_per_source": 3})

        assert (report.item_count, report.truncated) == (3, True)

    def test_exactly_as_many_records_as_the_bound_are_not_cut(self):
        report = report_of(ScriptedSource(facts(3)), federation={"max_results_per_source": 3})

        assert (report.item_count, report.truncated) == (3, False)

    def test_an_endless_source_is_read_only_as_far_as_needed(self):
        def endless(request):
            number = 0
            while True:
                number += 1
                yield {"record_id": str(number), "kind": "fact", "text": f"Fact {number}"}

        report = report_of(FunctionSource(endless, id="crm", kinds=("fact",)))

        assert (report.item_count, report.truncated) == (50, True)

    def test_a_repeated_record_is_a_duplicate(self):
        report = report_of(ScriptedSource([fact("1"), fact("1", "Changed"), fact("2", "Other")]))

        assert (report.item_count, report.duplicate_count) == (2, 1)

    def test_a_bad_record_costs_that_record_and_leaves_its_rank_empty(self):
        result = recall(ScriptedSource([fact("1", ""), fact("2")]))
        [report] = result.sources

        assert (report.status, report.item_count, report.rejected_count) == ("ok", 1, 1)
        assert [(r.record_id, r.code) for r in report.rejections] == [("1", "invalid_record")]
        assert result.items[0].matches[0].source_rank == 2

    def test_the_first_sixteen_rejections_are_shown_and_all_are_counted(self):
        report = report_of(ScriptedSource([*(fact(str(i), "") for i in range(20)), fact("ok")]))

        assert (report.rejected_count, len(report.rejections)) == (20, 16)

    def test_a_source_of_bad_records_alone_has_failed(self):
        report = report_of(ScriptedSource([fact("1", ""), foreign("2", "user_id")]))

        assert (report.status, report.error.code) == ("error", "source_invalid_response")
        assert report.error.message == "all 2 records were refused; see rejections"

    def test_a_source_of_foreign_records_alone_has_broken_its_scope(self):
        report = report_of(ScriptedSource([foreign("1", "user_id"), foreign("2", "user_id")]))

        assert (report.status, report.error.code) == ("error", "source_scope_violation")
        assert report.error.message == "all 2 records belonged to another identity"

    def test_a_foreign_record_among_others_is_left_out_and_counted(self):
        result = recall(ScriptedSource([foreign("1", "user_id"), fact("2")]))

        assert (result.status, [item.id for item in result.items]) == ("ok", ["scripted:2"])
        assert result.sources[0].rejections[0].code == "foreign_scope"

    @pytest.mark.parametrize("answer", [None, "Prefers tea", {"text": "Prefers tea"}, 7])
    @pytest.mark.parametrize("asynchronous", [False, True])
    def test_an_answer_that_is_no_list_of_records_is_invalid(self, answer, asynchronous):
        async def aread(request):
            return answer

        read = aread if asynchronous else lambda request: answer
        federation = MemoryFederation([FunctionSource(read, id="crm", kinds=("fact",))])
        synchronous = federation.recall("tea", namespace=ADA).sources[0].error
        awaited = asyncio.run(federation.arecall("tea", namespace=ADA)).sources[0].error

        assert synchronous == awaited
        assert synchronous.code == "source_invalid_response"
        assert synchronous.message == (
            f"the source returned {type(answer).__name__}, not a list of records"
        )

    def test_an_answer_that_fails_while_it_is_read_is_a_failed_source(self):
        def read(request):
            yield fact("1")
            raise ConnectionError

        result = recall(FunctionSource(read, id="crm", kinds=("fact",)))

        assert (result.status, result.items) == ("failed", ())

    def test_reports_stand_in_configured_order_whoever_answers_first(self):
        slow, quick = ScriptedSource(ScriptedSource.HANG, id="slow"), ScriptedSource(id="quick")
        try:
            result = recall(slow, quick, federation={"timeout": 0.05})
        finally:
            slow.release()

        assert [report.source_id for report in result.sources] == ["slow", "quick"]
