"""What public issues of Mem0 report about reads, and what comes of it here."""

import sqlite3

import pytest

from praxa_langgraph import Mem0Source, MemoryFederation, Namespace

ADA = Namespace(tenant_id="acme", subject_id="ada")


class Mem0:
    """Mem0 that answers, or raises, what an issue reports."""

    def __init__(self, answer):
        self.answer = answer

    def search(self, query, **options):
        if isinstance(self.answer, BaseException):
            raise self.answer
        return {"results": self.answer}


def hit(record_id, **fields):
    return {"id": record_id, "memory": f"text of {record_id}", "user_id": "acme:ada", **fields}


def recall(answer, **options):
    source = Mem0Source(
        Mem0(answer), identity=lambda who: {"user_id": f"{who.tenant_id}:{who.subject_id}"}
    )
    return MemoryFederation([source]).recall("tea", namespace=ADA, **options)


def ranked(result):
    return [i.text for i in sorted(result.items, key=lambda item: item.matches[0].source_rank)]


@pytest.mark.parametrize(
    "scores", [(0.1, 0.5, 0.9), (1.0, 1.0, 1.0), (0.0, 9.0, 25.0)], ids=["4453", "4999", "7068"]
)
def test_the_order_is_mem0s_and_a_score_is_never_interpreted(scores):
    """mem0#4453: distances as scores; #4999: all equal; #7068: squared distances, best 0.0."""
    result = recall([hit(str(i), score=score) for i, score in enumerate(scores)])

    assert ranked(result) == ["text of 0", "text of 1", "text of 2"]
    assert tuple(i.matches[0].score.value for i in result.items) == scores


def test_an_identity_inside_metadata_is_not_believed():
    """mem0#6655, #6277: metadata could set user_id."""
    result = recall(
        [
            hit("1", metadata={"user_id": "acme:bob"}),
            hit("2", user_id="acme:bob", metadata={"user_id": "acme:ada"}),
        ]
    )

    assert ranked(result) == ["text of 1"]
    assert result.sources[0].rejections[0].record_id == "2"


def test_a_hit_that_carries_no_identity_is_rejected():
    """mem0#7256: rows with an empty payload pass every filter of a FAISS store."""
    without = {"id": "1", "memory": "whose?"}

    assert ranked(recall([without, hit("2")])) == ["text of 2"]


def test_entries_of_a_write_under_way_are_no_memories():
    """mem0#4936, #3518: no id, no text."""
    pending = {"status": "PENDING", "event_id": "e-1", "user_id": "acme:ada"}

    result = recall([pending, hit("2"), hit("3", memory=None)])

    assert ranked(result) == ["text of 2"]
    assert result.sources[0].rejected_count == 2


def test_more_hits_than_were_asked_for_are_cut_and_said_so():
    """mem0#3813: a limit was ignored."""
    result = recall([hit(str(i)) for i in range(200)], limit=500)

    assert len(result.items) == 50
    assert result.sources[0].truncated is True


@pytest.mark.parametrize(
    ("error", "status", "code"),
    [
        (KeyError("entities"), "error", "source_error"),
        (sqlite3.ProgrammingError("created in another thread"), "error", "source_error"),
        (SystemExit(1), "error", "source_error"),
        (sqlite3.OperationalError("database is locked"), "unavailable", "source_unavailable"),
    ],
    ids=["4312", "3184", "7277", "locked"],
)
def test_whatever_comes_out_of_a_search_stays_in_its_own_report(error, status, code):
    """mem0#4312, #3184; #7277: a first search may install a model and exit the interpreter."""
    [report] = recall(error).sources

    assert (report.status, report.error.code) == (status, code)
