"""A recall's request: checked whole before any source is asked, then passed on as declared."""

import asyncio
from datetime import UTC, datetime, timedelta, timezone

import pytest

from praxa_langgraph import MemoryFederation, MemoryRecord, Namespace, Validity
from praxa_langgraph.testing import ScriptedSource

ADA = Namespace(tenant_id="acme", subject_id="ada")
MARCH = datetime(2026, 3, 1, tzinfo=UTC)
MAY = datetime(2026, 5, 1, tzinfo=UTC)


def fact(record_id, text="Prefers tea", **fields):
    return MemoryRecord(record_id=record_id, kind="fact", text=text, **fields)


def summary(record_id, text="A tea drinker"):
    return MemoryRecord(record_id=record_id, kind="summary", text=text)


@pytest.fixture(params=["sync door", "async door"])
def ask(request):
    """Ask a federation, through either door."""

    def through_a_door(federation, query="tea", *, namespace=ADA, **options):
        if request.param == "sync door":
            return federation.recall(query, namespace=namespace, **options)
        return asyncio.run(federation.arecall(query, namespace=namespace, **options))

    return through_a_door


@pytest.fixture
def crm():
    return ScriptedSource([fact("1")], id="crm", kinds=("fact",), modes=("semantic", "exact"))


@pytest.fixture
def notes():
    return ScriptedSource([summary("1")], id="notes", kinds=("summary", "document"))


@pytest.fixture
def federation(crm, notes):
    return MemoryFederation([crm, notes])


class TestSelection:
    def test_all_sources_are_asked_unless_told_otherwise(self, ask, federation):
        assert [report.source_id for report in ask(federation).sources] == ["crm", "notes"]

    def test_only_named_sources_are_asked_and_reported(self, ask, federation, crm):
        result = ask(federation, source_ids=["notes"])

        assert [report.source_id for report in result.sources] == ["notes"]
        assert (crm.requests, result.status) == ([], "ok")

    def test_reports_stand_in_configured_order_however_sources_are_named(self, ask, federation):
        result = ask(federation, source_ids=["notes", "crm", "notes"])

        assert [report.source_id for report in result.sources] == ["crm", "notes"]

    def test_only_sources_that_offer_a_wanted_kind_are_asked(self, ask, federation, crm):
        result = ask(federation, kinds=["summary"])

        assert [report.source_id for report in result.sources] == ["notes"]
        assert crm.requests == []

    def test_records_of_other_kinds_are_left_out_counted_and_leave_their_rank_empty(self, ask):
        mixed = ScriptedSource([summary("1"), fact("2"), summary("3")])

        result = ask(MemoryFederation([mixed]), kinds=["fact"])

        assert [item.matches[0].source_rank for item in result.items] == [2]
        assert (result.sources[0].item_count, result.sources[0].filtered_count) == (1, 2)

    def test_a_source_of_which_every_record_is_filtered_is_ok(self, ask):
        result = ask(MemoryFederation([ScriptedSource([summary("1")])]), kinds=["fact"])

        assert (result.status, result.items) == ("ok", ())

    def test_named_sources_and_kinds_must_leave_a_source(self, ask, federation):
        with pytest.raises(ValueError, match=r"^no source selected offers the kinds summary$"):
            ask(federation, source_ids=["crm"], kinds=["summary"])

    def test_kinds_that_no_source_offers_are_refused(self, ask, federation):
        with pytest.raises(ValueError, match=r"^no source selected offers the kinds entity, edge$"):
            ask(federation, kinds=["edge", "entity"])

    def test_an_unknown_source_is_refused(self, ask, federation):
        with pytest.raises(
            ValueError, match=r"^source_ids names 'crn', which is none of 'crm', 'notes'$"
        ):
            ask(federation, source_ids=["crm", "crn"])


class TestWhatIsRefused:
    @pytest.mark.parametrize(
        ("options", "error", "message"),
        [
            ({"query": " \n"}, ValueError, "query has 0 characters, not 1 to 32,768"),
            ({"query": "a" * 32_769}, ValueError, "query has 32,769 characters, not 1 to 32,768"),
            ({"query": 7}, TypeError, "query must be a string, not int"),
            ({"namespace": "ada"}, TypeError, "namespace must be a Namespace, not str"),
            ({"namespace": None}, TypeError, "namespace must be a Namespace, not NoneType"),
            (
                {"namespace": {"tenant_id": "acme"}},
                ValueError,
                "namespace.subject_id must be a string, not NoneType",
            ),
            (
                {"namespace": {"tenant_id": "acme", "subject_id": "ada", "user": "ada"}},
                ValueError,
                "namespace has no field 'user'; it has tenant_id, subject_id and scope",
            ),
            (
                {"namespace": Namespace(tenant_id="acme", subject_id=" ")},
                ValueError,
                "namespace.subject_id has 0 characters, not 1 to 256",
            ),
            ({"limit": 0}, ValueError, "limit is 0, not 1 to 500"),
            ({"limit": 501}, ValueError, "limit is 501, not 1 to 500"),
            ({"limit": True}, TypeError, "limit must be an integer, not bool"),
            ({"limit": None}, TypeError, "limit must be an integer, not NoneType"),
            (
                {"kinds": []},
                ValueError,
                "kinds is empty, so no source would be asked; leave it out to ask all",
            ),
            ({"kinds": "fact"}, TypeError, "kinds must be a list of strings, not str"),
            ({"kinds": ["checkpoint"]}, ValueError, "kinds 'checkpoint' is not one of message,"),
            ({"mode": "telepathic"}, ValueError, "mode 'telepathic' is not one of semantic,"),
            ({"source_ids": []}, ValueError, "source_ids is empty, so no source would be asked;"),
            ({"source_ids": "crm"}, TypeError, "source_ids must be a list of strings, not str"),
            ({"source_ids": [1]}, TypeError, "source_ids must be a list of strings, not of int"),
            ({"filter": {"x": float("nan")}}, ValueError, "filter: a number that is not finite"),
            ({"timeout": 0}, ValueError, "timeout is 0 seconds, not over 0 and at most 60"),
            ({"timeout": "5"}, TypeError, "timeout must be a number of seconds, not str"),
            ({"as_of": "2026-03-01"}, TypeError, "as_of must be a datetime, not str"),
            ({"include_past": 1}, TypeError, "include_past must be True or False, not int"),
        ],
        ids=lambda value: str(value)[:40] if isinstance(value, dict) else "",
    )
    def test_no_source_is_asked(self, ask, federation, crm, notes, options, error, message):
        with pytest.raises(error) as refused:
            ask(federation, **options)

        assert str(refused.value).startswith(message)
        assert crm.requests == notes.requests == []

    def test_a_naive_as_of_is_refused(self, ask, federation):
        with pytest.raises(ValueError, match=r"^as_of: "):
            ask(federation, as_of=datetime(2026, 3, 1))  # noqa: DTZ001 # what is refused

    def test_an_unknown_option_is_refused(self, ask, federation):
        with pytest.raises(TypeError, match="top_k"):
            ask(federation, top_k=3)

    def test_the_namespace_cannot_be_left_out(self, federation):
        with pytest.raises(TypeError, match="namespace"):
            federation.recall("tea")


class TestWhatASourceIsAsked:
    def test_the_query_and_namespace_arrive_trimmed(self, ask, federation, crm):
        padded = Namespace(tenant_id=" acme ", subject_id="ada\n", scope=(" team ",))

        ask(federation, "  tea ", namespace=padded)

        [request] = crm.requests
        assert request.query == "tea"
        assert request.namespace == Namespace(tenant_id="acme", subject_id="ada", scope=("team",))

    def test_a_namespace_may_be_given_as_a_mapping(self, ask, federation, crm):
        ask(federation, namespace={"tenant_id": "acme", "subject_id": "ada"})

        assert crm.requests[0].namespace == ADA

    @pytest.mark.parametrize(("limit", "asked"), [(7, 7), (20, 20), (21, 20), (500, 20)])
    def test_no_more_records_than_are_taken_or_wanted(self, ask, crm, limit, asked):
        ask(MemoryFederation([crm], max_results_per_source=20), limit=limit)

        assert crm.requests[0].limit == asked

    def test_its_own_kinds_and_default_mode_unless_told_otherwise(self, ask, federation, crm):
        report = ask(federation).sources[0]

        [request] = crm.requests
        assert (request.kinds, request.mode, request.filter) == (("fact",), "semantic", None)
        assert report.retrieval_mode == "semantic"

    def test_the_mode_and_kinds_that_are_wanted(self, ask, federation, crm):
        report = ask(federation, mode="exact", kinds=["summary", "fact"]).sources[0]

        [request] = crm.requests
        assert (request.kinds, request.mode) == (("fact", "summary"), "exact")
        assert report.retrieval_mode == "exact"

    def test_a_mode_it_does_not_offer_is_not_sent_to_it(self, ask, federation, crm, notes):
        report = ask(federation, mode="graph").sources[0]

        assert (crm.requests, len(notes.requests)) == ([], 1)
        assert (report.status, report.error.code) == ("error", "source_unsupported")
        assert report.error.message == (
            "mode 'graph' is not offered; this source offers semantic, exact"
        )

    def test_a_filter_goes_as_it_is_to_the_sources_that_take_filters(self, ask, crm):
        filtering = ScriptedSource([fact("1")], id="filtering", filters=True)

        result = ask(MemoryFederation([crm, filtering]), filter={"topic": {"in": ["tea"]}})

        assert crm.requests == []
        assert filtering.requests[0].filter == {"topic": {"in": ["tea"]}}
        assert [r.error and (r.error.code, r.error.message) for r in result.sources] == [
            ("source_unsupported", "this source takes no filter"),
            None,
        ]

    def test_the_limit_cuts_items_after_all_were_fused(self, ask):
        sources = [ScriptedSource([fact("1", text)], id=text) for text in ("C", "B", "A")]

        result = ask(MemoryFederation(sources), limit=2)

        assert [item.text for item in result.items] == ["A", "B"]
        assert [report.item_count for report in result.sources] == [1, 1, 1]


class TestTime:
    MOVED = (
        fact("past", "Lives in Rome", validity=Validity(invalid_at=MARCH)),
        fact("now", "Lives in Lisbon", validity=Validity(valid_at=MARCH, invalid_at=MAY)),
        fact("later", "Lives in Oslo", validity=Validity(valid_at=MAY)),
        fact("always", "Is called Ada"),
    )

    def states(self, result):
        found = {item.matches[0].source_record_id: item.matches[0] for item in result.items}
        return {i: match.validity and match.validity.state for i, match in found.items()}

    def test_windows_are_judged_at_as_of(self, ask):
        result = ask(MemoryFederation([ScriptedSource(self.MOVED)]), as_of=MARCH)

        assert self.states(result) == {
            "past": "past",
            "now": "current",
            "later": "future",
            "always": None,
        }

    def test_windows_are_judged_now_unless_told_otherwise(self, ask):
        yesterday = datetime.now(UTC) - timedelta(days=1)
        source = ScriptedSource(
            [
                fact("ended", "A", validity=Validity(invalid_at=yesterday)),
                fact("begun", "B", validity=Validity(valid_at=yesterday)),
            ]
        )

        assert self.states(ask(MemoryFederation([source]))) == {"ended": "past", "begun": "current"}

    def test_as_of_may_have_any_offset(self, ask):
        lisbon_summer = timezone(timedelta(hours=1))
        just_before = datetime(2026, 3, 1, 0, 59, 59, tzinfo=lisbon_summer)

        result = ask(MemoryFederation([ScriptedSource(self.MOVED)]), as_of=just_before)

        assert self.states(result)["now"] == "future"

    def test_only_what_holds_at_as_of_is_kept_without_the_past(self, ask):
        federation = MemoryFederation([ScriptedSource(self.MOVED)])

        result = ask(federation, as_of=MARCH, include_past=False)

        assert self.states(result) == {"now": "current", "always": None}
        assert [item.matches[0].source_rank for item in result.items] == [2, 4]
        assert (result.sources[0].item_count, result.sources[0].not_current_count) == (2, 2)

    def test_a_source_of_which_nothing_holds_any_more_is_ok(self, ask):
        result = ask(
            MemoryFederation([ScriptedSource(self.MOVED[:1])]), as_of=MAY, include_past=False
        )

        assert (result.status, result.items) == ("ok", ())
        assert result.sources[0].not_current_count == 1

    def test_a_statement_that_expired_is_past_even_where_its_end_is_unknown(self, ask):
        source = ScriptedSource([fact("1", validity=Validity(expired_at=MARCH))])

        assert self.states(ask(MemoryFederation([source]), as_of=MAY)) == {"1": "past"}
