"""How conversations look over HTTP under `/v1`. Pure."""

from collections.abc import Mapping
from datetime import datetime
from typing import Annotated, Any

from pydantic import Field

from toldonce.engine import PromptTrace
from toldonce.server.api.v1.fields import EMPTY_IS_NULL, Answer, HashText, PageAnswer, SubjectText
from toldonce.server.api.v1.memory_answers import (
    MemoryAnswer,
    MessageAnswer,
    OmittedMemoryAnswer,
    RecalledMemoryAnswer,
)
from toldonce.types import InjectionRecord, Memory, MemoryKind, MemoryState


class ConversationAnswer(Answer):
    """A conversation."""

    id: str = Field(description="The server's id.")
    external_id: str | None = Field(description="The client's id.")
    subject: SubjectText
    created_at: datetime
    updated_at: datetime
    messages: int = Field(validation_alias="last_seq")
    profile: str | None
    app: str | None
    options: dict[str, Any]
    ended_at: datetime | None
    end_reason: str | None


class ConversationListAnswer(PageAnswer):
    """Conversations, last updated first."""

    conversations: list[ConversationAnswer]


class FormedMemoryAnswer(Answer):
    """A memory that rests on a message."""

    id: str
    subject: SubjectText
    kind: MemoryKind
    state: MemoryState


class TreeMessageAnswer(MessageAnswer):
    """A message, with its place in the tree and what it left, where that is asked for."""

    active: bool | None = Field(
        default=None, description="With `with_memories`: whether it is on the active path, which edits leave."
    )
    memories: list[FormedMemoryAnswer] | None = Field(
        default=None,
        description="With `with_memories`: notes, facts, episodes and kept quotations of any state that rest on it.",
    )


class MessageListAnswer(Answer):
    """Messages in order of arrival."""

    messages: list[TreeMessageAnswer]
    next_cursor: int | None = Field(default=None, description="Send it as `cursor` to read on; null on the last page.")


class RecordedTurnAnswer(Answer):
    """Where messages were recorded."""

    conversation: str = Field(description="The server's id of the conversation.")
    new_conversation: bool
    appended: list[int] = Field(description="`seq` of the messages that were new.")
    reply_seq: int | None


class RequestedFormations(Answer):
    """What was asked for."""

    formations: int


class SummaryAnswer(Answer):
    """A conversation in brief."""

    summary: str = Field(description="One line for each episode, oldest first.")
    window: list[MessageAnswer]


class ContextAnswer(Answer):
    """What memory would add to a prompt."""

    text: str
    items: list[RecalledMemoryAnswer]
    left_out: list[OmittedMemoryAnswer]
    tokens: int
    profile_tokens: int
    vectors_compared: int | None
    warning: str
    recent: int


class PromptAnswer(Answer):
    """Messages of a chat request."""

    messages: list[dict[str, str]]


class TracedMemoryAnswer(Answer):
    """A memory that was added to a prompt."""

    id: str
    text: str
    state: MemoryState
    score: float
    used: bool | None = Field(description="Whether the answer shows it; null while that is unknown.")
    memory: MemoryAnswer = Field(description="The same memory with all its fields.")


class TracedPromptAnswer(Answer):
    """What memory did for one request."""

    id: str
    at: datetime
    seq: int | None
    query_hash: HashText
    block_hash: str
    prefix: Annotated[str | None, EMPTY_IS_NULL]
    replayed: int
    tokens: int
    failure: Annotated[str | None, EMPTY_IS_NULL]
    memories: list[TracedMemoryAnswer]
    omitted: list[OmittedMemoryAnswer]


class TraceAnswer(Answer):
    """What memory did for the requests of a conversation, newest first."""

    prompts: list[TracedPromptAnswer]


def traced_prompt(trace: PromptTrace) -> Mapping[str, object]:
    """Return the values of a `TracedPromptAnswer`."""
    record = trace.record
    same = ("id", "at", "seq", "query_hash", "block_hash", "prefix", "replayed", "tokens", "failure", "omitted")
    return {
        **{name: getattr(record, name) for name in same},
        "memories": [traced_memory(memory, record) for memory in trace.memories],
    }


def traced_memory(memory: Memory, record: InjectionRecord) -> Mapping[str, object]:
    """Return the values of a `TracedMemoryAnswer`."""
    return {
        "id": memory.id,
        "text": memory.text,
        "state": memory.state,
        "score": next(score for _, id_, score in record.items if id_ == memory.id),
        "used": None if record.hits is None else memory.id in record.hits,
        "memory": memory,
    }
