"""`create_agent` with the middleware: three lines add memory to an agent."""

from __future__ import annotations

from typing import Any

from langchain.agents import create_agent
from langchain_core.language_models import BaseChatModel

from examples.memories import federation
from praxa_langgraph import RecallMiddleware


def build(model: BaseChatModel) -> Any:
    """Recall before each turn; the model sees it in its system message."""
    return create_agent(model, middleware=[RecallMiddleware(federation())])
