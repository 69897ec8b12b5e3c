"""A bad optional field costs only that field, and the match says so."""

from datetime import UTC, datetime, timedelta, timezone

import pytest

from praxa_langgraph.bounds.matches import MatchOrigin, to_match
from praxa_langgraph.bounds.validity import validity_state
from praxa_langgraph.models import MemoryRecord, Namespace, Provenance, Validity

NOW = datetime(2026, 12, 1, tzinfo=UTC)
NOON = datetime(2026, 8, 1, 12, tzinfo=UTC)
ORIGIN = MatchOrigin(
    source_id="crm",
    provider="custom",
    retrieval_mode="exact",
    namespace=Namespace(tenant_id="acme", subject_id="ada"),
    retrieved_at=NOW,
    as_of=NOW,
)


def match_of(**fields):
    record = MemoryRecord(**{"record_id": "1", "kind": "fact", "text": "tea", **fields})
    return to_match(record, 3, ORIGIN)


class TestTimestamps:
    @pytest.mark.parametrize(
        "given",
        [
            NOON,
            NOON.astimezone(timezone(timedelta(hours=-7))),
            "2026-08-01T12:00:00Z",
            "2026-08-01T14:00:00+02:00",
            "2026-08-01 12:00:00Z",
            "2026-08-01T12:00Z",
            "2026-08-01T12:00:00.000000000Z",
            " 2026-08-01T12:00:00Z ",
        ],
    )
    def test_any_offset_is_converted_to_utc(self, given):
        match = match_of(created_at=given)

        assert match.created_at == NOON
        assert match.created_at.tzinfo is UTC
        assert match.omitted is None

    @pytest.mark.parametrize(
        ("given", "reason"),
        [
            ("2026-08-01T12:00:00", "no offset from UTC"),
            (NOON.replace(tzinfo=None), "no offset from UTC"),
            ("0001-01-01T00:00:00Z", "the zero time of its provider"),
            ("2026-02-30T12:00:00Z", "not a date of the calendar"),
            ("yesterday", "not an RFC 3339 timestamp"),
            (1_700_000_000, "not a timestamp but int"),
            ("9999-12-31T23:59:59-01:00", "outside the calendar"),
        ],
    )
    def test_an_unreadable_one_is_left_off_and_noted(self, given, reason):
        match = match_of(updated_at=given)

        assert match.updated_at is None
        assert match.omitted == {"updated_at": reason}


class TestScore:
    @pytest.mark.parametrize("score", [0, -3.5, 25, 1e300])
    def test_a_finite_one_keeps_the_providers_meaning(self, score):
        assert match_of(score=score).score.value == score
        assert match_of(score=score).score.semantics == "source_local"

    @pytest.mark.parametrize(
        ("score", "reason"),
        [
            (float("nan"), "not finite"),
            (float("inf"), "not finite"),
            ("0.5", "not a number but str"),
            (True, "not a number but bool"),
        ],
    )
    def test_another_is_left_off_and_noted(self, score, reason):
        match = match_of(score=score)

        assert (match.score, match.omitted) == (None, {"score": reason})


class TestValidity:
    @pytest.mark.parametrize(
        ("window", "state"),
        [
            (Validity(), "current"),
            (Validity(valid_at=NOW), "current"),
            (Validity(valid_at=NOW + timedelta(seconds=1)), "future"),
            (Validity(invalid_at=NOW), "past"),
            (Validity(invalid_at=NOW + timedelta(seconds=1)), "current"),
            (Validity(expired_at=NOON), "past"),
            (Validity(invalid_at=NOW + timedelta(days=1), expired_at=NOON), "current"),
        ],
    )
    def test_a_window_is_open_from_its_start_up_to_its_end(self, window, state):
        assert validity_state(window, NOW) == state

    def test_each_end_is_read_for_itself(self):
        match = match_of(validity={"valid_at": "2026-08-01T12:00:00Z", "invalid_at": "soon"})

        assert match.validity == Validity(valid_at=NOON, state="current")
        assert match.omitted == {"validity.invalid_at": "not an RFC 3339 timestamp"}

    def test_what_is_no_window_is_left_off(self):
        assert match_of(validity="always").omitted == {"validity": "not a window but str"}


class TestProvenance:
    def given(self, **parts):
        whole = {"origin": "imported", "confidence": 0.5, "captured_at": NOON}
        return match_of(provenance={**whole, **parts})

    def test_without_one_it_was_observed_when_it_was_created_or_else_retrieved(self):
        created, undated = match_of(created_at=NOON).provenance, match_of().provenance

        assert (created.origin, created.confidence, created.captured_at) == ("observed", 1.0, NOON)
        assert undated.captured_at == undated.retrieved_at == NOW

    def test_a_given_one_is_kept_whole(self):
        provenance = match_of(
            provenance=Provenance(
                origin="explicit",
                confidence=0.25,
                captured_at="2026-08-01T12:00:00Z",
                source_url="https://example.test/m/1",
                evidence_ids=("e1", "e2"),
                origin_chain=("app",),
            )
        ).provenance

        assert (provenance.origin, provenance.confidence) == ("explicit", 0.25)
        assert provenance.captured_at == NOON
        assert provenance.source_url == "https://example.test/m/1"
        assert (provenance.evidence_ids, provenance.origin_chain) == (("e1", "e2"), ("app",))

    @pytest.mark.parametrize(
        ("url", "reason"),
        [
            ("http://example.test", "not an https URL"),
            ("https://user:pw@example.test", "carries credentials"),
            ("https:///path", "not an https URL"),
            ("javascript:alert(1)", "not an https URL"),
            ("https://example.test:port", "not a URL"),
            ("https://example.test/" + "x" * 2_048, "over 2,048 characters"),
            (7, "not a string but int"),
        ],
    )
    def test_a_source_url_that_is_no_plain_https_address_is_left_off(self, url, reason):
        match = self.given(source_url=url)

        assert match.provenance.source_url is None
        assert match.omitted == {"provenance.source_url": reason}

    def test_256_lineage_ids_are_kept_and_the_rest_is_counted(self):
        assert self.given(evidence_ids=[str(i) for i in range(256)]).omitted is None
        match = self.given(evidence_ids=[str(i) for i in range(300)])

        assert len(match.provenance.evidence_ids) == 256
        assert match.omitted == {"provenance.evidence_ids": "44 of 300 ids left off"}

    def test_a_lineage_id_that_is_none_is_left_off(self):
        match = self.given(evidence_ids=["a", 7, "", "b\n", "a"])

        assert match.provenance.evidence_ids == ("a",)
        assert match.omitted == {"provenance.evidence_ids": "3 of 5 ids left off"}


class TestMetadata:
    def test_what_is_outside_the_bounds_is_left_off_that_match_alone(self):
        match = match_of(metadata={"a": "x" * 40_000})

        assert match.metadata is None
        assert match.omitted == {"metadata": "over 32,768 characters"}

    def test_an_object_that_fails_when_it_is_read_costs_only_the_field(self):
        class Failing(dict):
            def items(self):
                raise RuntimeError("a driver's object")

        match = match_of(metadata=Failing({"at": NOW}))

        assert (match.metadata, match.omitted) == (None, {"metadata": "could not be read"})

    def test_what_an_adapter_left_off_is_noted_beside_it(self):
        match = match_of(omitted={"metadata.embedding": "an embedding"}, score=float("nan"))

        assert match.omitted == {"metadata.embedding": "an embedding", "score": "not finite"}

    def test_a_cut_text_is_noted(self):
        assert match_of(text="x" * 70_000).omitted == {"text": "cut at 65,536 of 70,000 characters"}
