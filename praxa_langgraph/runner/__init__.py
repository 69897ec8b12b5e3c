"""Threads, tasks and deadlines: runs the calls of a recall and never outlives their deadlines."""

from praxa_langgraph.runner.arun import arun
from praxa_langgraph.runner.calls import Bulkhead, Call, Outcome
from praxa_langgraph.runner.run import run

__all__ = ["Bulkhead", "Call", "Outcome", "arun", "run"]
