"""The conformance suite passes on a source that is right, and catches one that leaks."""

import pytest

from praxa_langgraph import FunctionSource, MemoryRecord, Namespace
from praxa_langgraph.testing import SeededSource, SourceConformance

ADA = Namespace(tenant_id="acme", subject_id="ada")
BOB = Namespace(tenant_id="globex", subject_id="bob")
NOTES = {
    ADA: ("Prefers tea", "Lives in Lisbon"),
    BOB: ("Prefers coffee", "Lives in Berlin"),
}


def read_notes(request):
    texts = NOTES.get(request.namespace, ())
    return [
        MemoryRecord(record_id=f"note-{i}", kind="fact", text=text) for i, text in enumerate(texts)
    ]


def leak_notes(_request):
    return read_notes_of_all()


def read_notes_of_all():
    texts = [text for texts in NOTES.values() for text in texts]
    return [
        MemoryRecord(record_id=f"note-{i}", kind="fact", text=text) for i, text in enumerate(texts)
    ]


def seeded_with(function):
    return SeededSource(
        source=FunctionSource(function, id="notes", kinds=("fact",)),
        namespace=ADA,
        query="notes",
        texts=frozenset(NOTES[ADA]),
        other_namespace=BOB,
        other_texts=frozenset(NOTES[BOB]),
    )


class TestFunctionSource(SourceConformance):
    @pytest.fixture
    def seeded(self):
        return seeded_with(read_notes)


def test_a_source_that_leaks_does_not_pass():
    with pytest.raises(AssertionError):
        SourceConformance().test_another_subject_sees_exactly_its_own(seeded_with(leak_notes))
