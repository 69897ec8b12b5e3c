"""Sixty recalls whose results an independent implementation computed come out equal here."""

import json
import re
from datetime import datetime
from pathlib import Path

import pytest

from praxa_langgraph import FunctionSource, MemoryFederation, RecallResult, SourceFailure
from praxa_langgraph.bounds.requests import check_namespace
from praxa_langgraph.models import RECORD_KINDS

VECTORS = json.loads(Path(__file__).with_name("recall_vectors.json").read_text("utf-8"))
TIMESTAMP = re.compile(r"\d{4}-\d\d-\d\dT\d\d:\d\d\S*")
RENAMED = {"sourceRecordId": "record_id", "createdAt": "created_at", "updatedAt": "updated_at"}
RENAMED_IN_PROVENANCE = {
    "capturedAt": "captured_at",
    "sourceUrl": "source_url",
    "evidenceIds": "evidence_ids",
    "originChain": "origin_chain",
}
FAILURES = {
    "unavailable": SourceFailure("source_unavailable", "offline"),
    "error": SourceFailure("source_error", "boom"),
}


def to_record(wire):
    record = {RENAMED.get(name, name): value for name, value in wire.items()}
    if "provenance" in record:
        record["provenance"] = {
            RENAMED_IN_PROVENANCE.get(name, name): value
            for name, value in record["provenance"].items()
        }
    return record


def to_source(wire):
    def answer(_request):
        if wire["behaviour"] in FAILURES:
            raise FAILURES[wire["behaviour"]]
        return [to_record(record) for record in wire["records"]]

    return FunctionSource(
        answer, id=wire["id"], provider=wire["provider"], kinds=RECORD_KINDS, modes=("semantic",)
    )


def as_instants(value, key=None):
    """Timestamps as instants, so that `Z`, `+02:00` and lost zeros compare equal."""
    if isinstance(value, dict):
        return {name: as_instants(entry, name) for name, entry in value.items()}
    if isinstance(value, list):
        return [as_instants(entry) for entry in value]
    if key is not None and key.endswith("At") and TIMESTAMP.fullmatch(str(value)):
        return datetime.fromisoformat(value)
    return value


def at_the_time_of_the_vectors(result, now):
    """The vectors were made at a fixed `now`; ours is the clock's, wherever it shows."""
    wire = result.to_wire()
    wire["startedAt"] = wire["completedAt"] = now
    for report in wire["sources"]:
        del report["durationMs"]
    for match in (match for item in wire["items"] for match in item["matches"]):
        provenance = match["provenance"]
        if provenance["capturedAt"] == provenance["retrievedAt"]:
            provenance["capturedAt"] = now
        provenance["retrievedAt"] = now
    return wire


@pytest.mark.parametrize("case", VECTORS["cases"], ids=lambda case: case["name"])
def test_recall_equals_the_independent_result(case):
    config, request = case["config"], case["request"]
    federation = MemoryFederation(
        map(to_source, case["sources"]), max_results_per_source=config["maxResultsPerSource"]
    )
    wire_namespace = request["namespace"]

    result = federation.recall(
        request["query"],
        namespace=check_namespace(
            {
                "tenant_id": wire_namespace["tenantId"],
                "subject_id": wire_namespace["subjectId"],
                "scope": wire_namespace.get("scope"),
            }
        ),
        limit=request["limit"],
    )

    got = at_the_time_of_the_vectors(result, config["now"])
    assert as_instants(got) == as_instants(case["expected"])
    assert RecallResult.model_validate(result.to_wire()) == result
