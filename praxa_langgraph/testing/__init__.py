"""For the tests of your own sources and graphs: a scripted source and a conformance suite."""

from praxa_langgraph.testing.conformance import SeededSource, SourceConformance
from praxa_langgraph.testing.scripted import ScriptedSource

__all__ = ["ScriptedSource", "SeededSource", "SourceConformance"]
