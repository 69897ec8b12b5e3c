"""Memory inside an agent: recalled before each turn (middleware), or when the model asks (tool)."""

from importlib import import_module
from typing import TYPE_CHECKING, Any

from praxa_langgraph.agents.tool import create_recall_tool

if TYPE_CHECKING:
    from praxa_langgraph.agents.middleware import RecallMiddleware

__all__ = ["RecallMiddleware", "create_recall_tool"]


def __getattr__(name: str) -> Any:
    """Import the middleware when it is asked for: it alone needs the `langchain` package."""
    if name != "RecallMiddleware":
        msg = f"module {__name__!r} has no attribute {name!r}"
        raise AttributeError(msg)
    try:
        return import_module(f"{__name__}.middleware").RecallMiddleware
    except ModuleNotFoundError as error:
        msg = "RecallMiddleware needs the extra 'agents': pip install 'praxa-langgraph[agents]'"
        raise ImportError(msg) from error
