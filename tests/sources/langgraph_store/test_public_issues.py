"""What public issues of LangGraph's stores report about searches, and what comes of it here."""

import pytest
from langgraph.store.memory import InMemoryStore

from fakes.embeddings import DIMENSIONS, WordEmbeddings

from .conftest import recall


@pytest.fixture
def store():
    return InMemoryStore(index={"dims": DIMENSIONS, "embed": WordEmbeddings(), "fields": ["text"]})


def texts(result):
    return [i.text for i in sorted(result.items, key=lambda item: item.matches[0].source_rank)]


def test_items_that_were_never_indexed_stand_after_those_that_match(store):
    """langgraph#8871: they fill up a semantic result, without a score."""
    store.put(("acme", "ada"), "filler", {"text": "not searched"}, index=False)
    store.put(("acme", "ada"), "hit", {"text": "tea"})

    result = recall(store)

    assert texts(result) == ["tea", "not searched"]
    assert result.items[1].matches[0].score is None


def test_the_text_is_the_stored_value_whatever_the_score_says(store):
    """langgraph#8214: a vector outlives the text it was made of."""
    store.put(("acme", "ada"), "key", {"text": "tea"})
    store.put(("acme", "ada"), "key", {"text": "now about coffee"}, index=False)

    assert texts(recall(store)) == ["now about coffee"]


def test_a_sibling_whose_name_begins_alike_is_not_read(store):
    """langgraph#8300, CVE-2026-71433: `acme` and `acme-corp`, `john_doe` and `john-doe`."""
    for tenant in ("acme", "acme-corp", "acm_"):
        store.put((tenant, "ada"), "key", {"text": f"tea of {tenant}"})

    assert texts(recall(store)) == ["tea of acme"]


@pytest.mark.parametrize("given", [{"n": {"$gte": 9}}, {"n": {"$ne": 1}}, {"a": {"x": 1}}])
def test_filters_on_which_stores_disagree_are_refused(store, given):
    """langgraph#7684: Postgres compares numbers as text; #8365, #8366: missing keys."""
    store.put(("acme", "ada"), "key", {"text": "tea", "n": 10})

    assert recall(store, filter=given).sources[0].error.code == "source_unsupported"


def test_a_database_connection_that_went_away_is_unavailable(store, monkeypatch):
    """langgraph#3716: `psycopg.OperationalError` on an idle connection."""

    class OperationalError(Exception):
        """In psycopg's own shape: known by its name and its module."""

    OperationalError.__module__ = "psycopg"

    class Gone(InMemoryStore):
        def search(self, namespace_prefix, /, **options):
            raise OperationalError("SSL error: bad length")

    [report] = recall(Gone()).sources

    assert (report.status, report.error.code) == ("unavailable", "source_unavailable")
