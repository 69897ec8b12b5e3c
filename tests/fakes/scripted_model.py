"""A chat model that replays messages and keeps what it was shown."""

from typing import Any

from langchain_core.language_models import BaseChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.outputs import ChatGeneration, ChatResult
from pydantic import Field


class ScriptedModel(BaseChatModel):
    """Answers the scripted messages in turn, then `done`."""

    replies: list[AIMessage] = Field(default_factory=list)
    shown: list[list[BaseMessage]] = Field(default_factory=list)

    @property
    def _llm_type(self) -> str:
        return "scripted"

    def bind_tools(self, tools: Any, **kwargs: Any) -> Any:
        return self

    def _generate(self, messages: list[BaseMessage], *args: Any, **kwargs: Any) -> ChatResult:
        self.shown.append(messages)
        turn = len(self.shown) - 1
        reply = self.replies[turn] if turn < len(self.replies) else AIMessage("done")
        return ChatResult(generations=[ChatGeneration(message=reply)])

    @property
    def system_texts(self) -> list[str]:
        """The system message of each call, empty where there was none."""
        return [m[0].text if m and m[0].type == "system" else "" for m in self.shown]
