"""LangChain's own integration tests for retrievers, over a real store."""

from langchain_tests.integration_tests import RetrieversIntegrationTests
from langgraph.store.memory import InMemoryStore

from praxa_langgraph import FederatedRetriever, LangGraphStoreSource, MemoryFederation, Namespace


def seeded_store():
    store = InMemoryStore()
    for index in range(5):
        store.put(("acme", "ada"), f"note-{index}", {"text": f"Ada's note number {index}"})
    return store


class TestFederatedRetriever(RetrieversIntegrationTests):
    @property
    def retriever_constructor(self):
        return FederatedRetriever

    @property
    def retriever_constructor_params(self):
        source = LangGraphStoreSource(
            seeded_store(), identity=lambda who: (who.tenant_id, who.subject_id)
        )
        return {
            "federation": MemoryFederation([source]),
            "namespace": Namespace(tenant_id="acme", subject_id="ada"),
        }

    @property
    def retriever_query_example(self):
        return "note"
