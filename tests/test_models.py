"""What is exchanged: frozen, closed, and the same after a trip over the wire."""

from dataclasses import FrozenInstanceError
from datetime import UTC, datetime

import pytest
from pydantic import ValidationError

from praxa_langgraph import (
    MemoryFederation,
    MemoryRecord,
    Namespace,
    RecallResult,
    SourceReport,
    Validity,
)
from praxa_langgraph.models import SourceError
from praxa_langgraph.testing import ScriptedSource

ADA = Namespace(tenant_id="acme", subject_id="ada")


def result(*sources):
    rich = MemoryRecord(
        record_id="1",
        kind="fact",
        text="tea",
        score=0.5,
        created_at=datetime(2026, 1, 1, tzinfo=UTC),
        validity=Validity(valid_at=datetime(2026, 1, 1, tzinfo=UTC)),
        metadata={"none": None, "nested": [{"none": None}]},
    )
    given = sources or (ScriptedSource([rich], id="a"), ScriptedSource(TimeoutError(), id="b"))
    return MemoryFederation(given).recall("drinks", namespace=ADA)


def report(**fields):
    whole = {
        "source_id": "a",
        "provider": "custom",
        "status": "ok",
        "retrieval_mode": "exact",
        "duration_ms": 1.0,
    }
    return SourceReport(**{**whole, **fields})


class TestWire:
    def test_keys_are_camel_case_and_times_end_in_z(self):
        wire = result().to_wire()

        match = wire["items"][0]["matches"][0]
        assert match["createdAt"] == "2026-01-01T00:00:00Z"
        assert match["validity"] == {"validAt": "2026-01-01T00:00:00Z", "state": "current"}
        assert match["score"] == {"value": 0.5, "semantics": "source_local"}
        assert wire["sources"][1]["error"]["code"] == "source_timed_out"

    def test_absent_is_absent_and_nulls_in_metadata_stay(self):
        wire = result().to_wire()

        assert "scope" not in wire["namespace"]
        assert "omitted" not in wire["items"][0]["matches"][0]
        assert "error" not in wire["sources"][0]
        assert "rejectedCount" not in wire["sources"][0]
        assert wire["items"][0]["matches"][0]["metadata"] == {
            "none": None,
            "nested": [{"none": None}],
        }

    def test_it_is_what_model_dump_gives(self):
        recalled = result()

        assert recalled.to_wire() == recalled.model_dump(mode="json", by_alias=True)

    def test_it_reads_back_equal_from_a_dict_and_from_json(self):
        recalled = result()

        assert RecallResult.model_validate(recalled.to_wire()) == recalled
        assert RecallResult.model_validate_json(recalled.model_dump_json(by_alias=True)) == recalled

    def test_an_unknown_field_or_version_is_refused(self):
        wire = result().to_wire()

        for spoiled in ({**wire, "extra": 1}, {**wire, "schemaVersion": "v9"}):
            with pytest.raises(ValidationError):
                RecallResult.model_validate(spoiled)


class TestImpossibleStates:
    def test_a_report_is_ok_exactly_when_it_has_no_error(self):
        failure = SourceError(code="source_error", message="x")

        for impossible in ({"error": failure}, {"status": "error"}):
            with pytest.raises(ValidationError, match="disagrees with its error"):
                report(**impossible)

    def test_the_status_of_a_result_follows_from_its_sources(self):
        wire = result().to_wire()

        with pytest.raises(ValidationError, match="disagrees with the statuses"):
            RecallResult.model_validate({**wire, "status": "ok"})

    @pytest.mark.parametrize(
        "impossible", [{"provider": "redis"}, {"status": "unsupported"}, {"retrieval_mode": "x"}]
    )
    def test_the_vocabularies_are_closed(self, impossible):
        with pytest.raises(ValidationError):
            report(**impossible)


class TestAggregate:
    @pytest.mark.parametrize(
        ("steps", "status"),
        [
            (([], []), "ok"),
            (([], ConnectionError()), "partial"),
            ((TimeoutError(), ConnectionError()), "failed"),
        ],
    )
    def test_all_ok_is_ok_none_is_failed_else_partial(self, steps, status):
        sources = [ScriptedSource(step, id=f"s{i}") for i, step in enumerate(steps)]

        assert result(*sources).status == status


def test_results_cannot_be_changed():
    recalled = result()

    with pytest.raises(ValidationError, match="frozen"):
        recalled.status = "ok"
    with pytest.raises(ValidationError, match="frozen"):
        recalled.namespace.subject_id = "bob"
    with pytest.raises(FrozenInstanceError):
        recalled.items[0].text = "coffee"
