"""What the examples remember: a LangGraph store and a function, both of which you would replace."""

from __future__ import annotations

from langgraph.store.memory import InMemoryStore

from praxa_langgraph import (
    FunctionSource,
    LangGraphStoreSource,
    MemoryFederation,
    MemoryRecord,
    SourceRequest,
)


def federation() -> MemoryFederation:
    """Return two sources that know Ada; one of them is wrong about where she lives."""
    store = InMemoryStore()
    store.put(("acme", "ada"), "drink", {"text": "Ada drinks tea"})
    store.put(("acme", "ada"), "town", {"text": "Ada lives in Oslo"})
    notes = LangGraphStoreSource(
        store, identity=lambda who: (who.tenant_id, who.subject_id), id="notes"
    )
    return MemoryFederation([notes, FunctionSource(crm, id="crm", kinds=("fact",))])


def crm(request: SourceRequest) -> list[MemoryRecord]:
    """Answer what the customer system has on file."""
    on_file = {("acme", "ada"): ("Ada drinks tea", "Ada lives in Bergen")}
    known = on_file.get((request.namespace.tenant_id, request.namespace.subject_id), ())
    return [MemoryRecord(record_id=text, kind="fact", text=text) for text in known]
