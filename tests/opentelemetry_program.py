"""Recalls through the graph and the retriever, and prints the spans LangSmith's bridge exports."""

import json

from langchain_core.tracers.langchain import wait_for_all_tracers
from opentelemetry import trace
from opentelemetry.sdk.trace import TracerProvider
from opentelemetry.sdk.trace.export import SimpleSpanProcessor
from opentelemetry.sdk.trace.export.in_memory_span_exporter import InMemorySpanExporter

from praxa_langgraph import (
    FederatedRetriever,
    MemoryFederation,
    MemoryRecord,
    Namespace,
    create_recall_graph,
)
from praxa_langgraph.testing import ScriptedSource

exporter = InMemorySpanExporter()
provider = TracerProvider()
provider.add_span_processor(SimpleSpanProcessor(exporter))
trace.set_tracer_provider(provider)

hits = [
    MemoryRecord(record_id=text, kind="fact", text=text) for text in ("selected", "not-selected")
]
ada = Namespace(tenant_id="acme", subject_id="ada")
federation = MemoryFederation(
    [ScriptedSource(hits, id="crm"), ScriptedSource(ConnectionError(), id="down")]
)
create_recall_graph(federation, namespace=ada, limit=1).invoke({"query": "tea"})
FederatedRetriever(federation=federation, namespace=ada, k=1).invoke("tea")
wait_for_all_tracers()
print(
    json.dumps(
        {
            span.name: {name: str(value) for name, value in span.attributes.items()}
            for span in exporter.get_finished_spans()
        }
    )
)
