"""Memory recalled before each turn of an agent and shown to the model in its system message."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Collection
from typing import Annotated, Any, Literal, NotRequired, Unpack

from langchain.agents.middleware import AgentMiddleware, AgentState, ModelRequest, ModelResponse
from langchain.agents.middleware.types import PrivateStateAttr
from langchain_core.messages import SystemMessage
from langgraph.channels import UntrackedValue
from langgraph.runtime import Runtime

from praxa_langgraph.bounds.limits import DEFAULT_LIMIT, MAX_LIMIT
from praxa_langgraph.bounds.requests import RecallOptions, check_integer
from praxa_langgraph.demands import check_required, demand
from praxa_langgraph.federation import MemoryFederation
from praxa_langgraph.models import Namespace, RecallResult
from praxa_langgraph.namespaces import (
    NamespaceResolver,
    check_resolver,
    current_run,
    resolve_namespace,
)
from praxa_langgraph.queries import last_human_text
from praxa_langgraph.recall import Recall
from praxa_langgraph.rendering import DEFAULT_CHARACTERS, check_budget, render_context


class RecallAgentState(AgentState[Any]):
    """The agent's state with the recall of this turn: neither shown nor stored."""

    memory_recall: NotRequired[Annotated[RecallResult, UntrackedValue, PrivateStateAttr]]


class RecallMiddleware(AgentMiddleware[RecallAgentState, Any, Any]):
    """Recalls memory for the last human message, anew each turn, and shows it to the model.

    The recall is appended to the system message, never to the conversation, so no checkpoint
    holds it. The model is told which sources did not answer.

    Example:
        ```python
        agent = create_agent(model, tools, middleware=[RecallMiddleware(federation)])
        agent.invoke(
            {"messages": [("user", "where do I live?")]},
            context={"tenant_id": "acme", "subject_id": "ada"},
        )
        ```
    """

    state_schema = RecallAgentState

    def __init__(
        self,
        federation: MemoryFederation,
        *,
        namespace: Namespace | NamespaceResolver | None = None,
        limit: int = DEFAULT_LIMIT,
        max_characters: int = DEFAULT_CHARACTERS,
        on_failure: Literal["tell", "raise"] = "tell",
        required: Collection[str] = (),
        **options: Unpack[RecallOptions],
    ) -> None:
        """Check and keep the settings.

        Args:
            federation: The sources.
            namespace: Whose memory to read, as in `create_recall_graph`.
            limit: Items at most, 1 to 500.
            max_characters: Length of what the model is shown at most; see `render_context`.
            on_failure: Whether the model is told that no source answered, or `RecallFailed` is
                raised.
            required: Ids of sources without which `RecallFailed` is raised.
            options: The options of `MemoryFederation.recall`, fixed for every turn.

        Raises:
            TypeError: An argument has the wrong type.
            ValueError: An argument is outside its bounds.
        """
        super().__init__()
        check_resolver(namespace)
        check_budget(max_characters)
        self._federation = federation
        self._namespace = namespace
        self._limit = check_integer("limit", limit, highest=MAX_LIMIT)
        self._max_characters = max_characters
        self._may_fail = on_failure == "tell"
        self._required = check_required(required, federation)
        self._options = options

    def before_agent(
        self,
        state: RecallAgentState,
        runtime: Runtime[Any],  # noqa: ARG002 # the hook's signature
    ) -> dict[str, Any] | None:
        """Recall before the turn."""
        recall = self._begin(state)
        return None if recall is None else self._update(recall.run())

    async def abefore_agent(
        self,
        state: RecallAgentState,
        runtime: Runtime[Any],  # noqa: ARG002 # the hook's signature
    ) -> dict[str, Any] | None:
        """Recall before the turn, awaited."""
        recall = self._begin(state)
        return None if recall is None else self._update(await recall.arun())

    def wrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], ModelResponse[Any]],
    ) -> ModelResponse[Any]:
        """Show the recall to the model; a resumed turn, which has lost it, recalls again."""
        result = _recalled(request)
        if result is None and (recall := self._begin(request.state)) is not None:
            result = self._demanded(recall.run())
        return handler(self._informed(request, result))

    async def awrap_model_call(
        self,
        request: ModelRequest[Any],
        handler: Callable[[ModelRequest[Any]], Awaitable[ModelResponse[Any]]],
    ) -> ModelResponse[Any]:
        """Show the recall to the model, awaited."""
        result = _recalled(request)
        if result is None and (recall := self._begin(request.state)) is not None:
            result = self._demanded(await recall.arun())
        return await handler(self._informed(request, result))

    def _begin(self, state: Any) -> Recall | None:
        """Begin a recall, when a person has said anything to recall for."""
        query = last_human_text(state["messages"])
        if query is None or not query.strip():
            return None
        return self._federation.begin(
            query,
            namespace=resolve_namespace(self._namespace, current_run()),
            limit=self._limit,
            **self._options,
        )

    def _update(self, result: RecallResult) -> dict[str, Any]:
        return {"memory_recall": self._demanded(result)}

    def _demanded(self, result: RecallResult) -> RecallResult:
        demand(result, self._required, may_fail=self._may_fail)
        return result

    def _informed(
        self, request: ModelRequest[Any], result: RecallResult | None
    ) -> ModelRequest[Any]:
        if result is None:
            return request
        context = render_context(result, max_characters=self._max_characters)
        return request.override(system_message=_with(request.system_message, context))


def _recalled(request: ModelRequest[Any]) -> RecallResult | None:
    state: Any = request.state
    result: RecallResult | None = state.get("memory_recall")
    return result


def _with(message: SystemMessage | None, context: str) -> SystemMessage:
    """The system message followed by the recall, in the form its content already has."""
    if message is None:
        return SystemMessage(content=context)
    if isinstance(message.content, str):
        return SystemMessage(content=f"{message.content}\n\n{context}")
    return SystemMessage(content=[*message.content, {"type": "text", "text": context}])
