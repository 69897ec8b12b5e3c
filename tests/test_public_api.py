"""The public names are few, sorted and real; importing them touches nothing."""

import json
import subprocess
import sys
from types import ModuleType
from typing import get_args

import praxa_langgraph
import praxa_langgraph.testing

SDKS = ["mem0", "zep_cloud", "letta_client", "graphiti_core", "agents", "openai", "qdrant_client"]

PROGRAM = """
import json, os, sys
import langgraph.graph, langchain_core.retrievers, langchain_core.tools, pydantic

read = []

class Recording(dict):
    def __getitem__(self, key):
        read.append(key)
        return super().__getitem__(key)
    def get(self, key, default=None):
        read.append(key)
        return super().get(key, default)
    def __contains__(self, key):
        read.append(key)
        return super().__contains__(key)

os.environ = Recording(os.environ)
os.getenv = os.environ.get
before = set(sys.modules)
{statement}
print(json.dumps({{"read": read, "loaded": sorted(set(sys.modules) - before)}}))
"""


def after(statement):
    done = subprocess.run(  # noqa: S603 # our own program
        [sys.executable, "-c", PROGRAM.format(statement=statement)],
        capture_output=True,
        text=True,
        check=True,
    )
    return json.loads(done.stdout)


def test_all_is_sorted_and_every_name_exists():
    assert praxa_langgraph.__all__ == sorted(praxa_langgraph.__all__)
    for name in praxa_langgraph.__all__:
        assert getattr(praxa_langgraph, name) is not None


def test_all_is_what_the_namespace_offers():
    for name in praxa_langgraph.__all__:
        getattr(praxa_langgraph, name)
    own = {
        name
        for name, value in vars(praxa_langgraph).items()
        if not name.startswith("_")
        and not isinstance(value, ModuleType)
        and name not in {"Any", "TYPE_CHECKING", "import_module", "RecallMiddleware"}
    }

    assert own == set(praxa_langgraph.__all__)
    assert set(praxa_langgraph.__all__) <= set(dir(praxa_langgraph))


def test_the_closed_vocabularies_are_those_of_the_contract():
    assert get_args(praxa_langgraph.Provider) == (
        *("mem0", "zep", "graphiti", "langgraph", "letta", "openai_agents", "custom"),
    )
    assert get_args(praxa_langgraph.RecordKind) == (
        *("message", "fact", "summary", "episode", "pinned_context", "document", "entity", "edge"),
    )
    assert get_args(praxa_langgraph.Origin) == ("explicit", "observed", "inferred", "imported")
    assert get_args(praxa_langgraph.RetrievalMode) == (
        *("semantic", "hybrid", "graph", "exact", "recent"),
    )
    assert get_args(praxa_langgraph.SourceStatus) == ("ok", "timed_out", "unavailable", "error")
    assert get_args(praxa_langgraph.RecallStatus) == ("ok", "partial", "failed")


def test_the_one_name_that_needs_an_extra_is_offered_but_not_starred():
    assert praxa_langgraph.RecallMiddleware.__name__ == "RecallMiddleware"
    assert "RecallMiddleware" not in praxa_langgraph.__all__


def test_an_unknown_name_is_an_attribute_error():
    assert not hasattr(praxa_langgraph, "MemoryStore")


def test_importing_loads_no_sdk_and_reads_no_environment_variable():
    seen = after("import praxa_langgraph")

    assert seen["read"] == []
    assert not {name.split(".")[0] for name in seen["loaded"]} & {*SDKS, "langchain"}


def test_using_every_name_but_the_middleware_loads_no_sdk_either():
    """The middleware alone needs the `langchain` package."""
    seen = after("from praxa_langgraph import *")

    assert {name for name in seen["read"] if not name.startswith("PYDANTIC_")} == set()
    assert not {name.split(".")[0] for name in seen["loaded"]} & {*SDKS, "langchain"}
