"""How conversations look over HTTP under `/v1`. Pure."""

from collections.abc import Iterable
from datetime import datetime
from typing import Any

from pydantic import Field

from toldonce.engine import PromptContext, PromptTrace
from toldonce.server.api.v1.access import Requester
from toldonce.server.api.v1.fields import Answer, PageAnswer
from toldonce.server.api.v1.memory_answers import (
    MemoryAnswer,
    MessageAnswer,
    OmittedMemoryAnswer,
    RecalledMemoryAnswer,
    hash_text,
    memory_answer,
    omitted_answer,
    recalled_answer,
)
from toldonce.types import Conversation, InjectionRecord, Memory, MemoryKind, MemoryState, RecordedTurn


class ConversationAnswer(Answer):
    """A conversation."""

    id: str = Field(description="The server's id.")
    external_id: str | None = Field(description="The client's id.")
    subject: str
    created_at: datetime
    updated_at: datetime
    messages: int
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
    subject: str
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
    query_hash: str
    block_hash: str
    prefix: str | None
    replayed: int
    tokens: int
    failure: str | None
    memories: list[TracedMemoryAnswer]
    omitted: list[OmittedMemoryAnswer]


class TraceAnswer(Answer):
    """What memory did for the requests of a conversation, newest first."""

    prompts: list[TracedPromptAnswer]


def conversation_answer(known: Conversation, requester: Requester) -> ConversationAnswer:
    """Describe a conversation."""
    return ConversationAnswer(
        id=known.id,
        external_id=known.external_id,
        subject=requester.shown(known.subject),
        created_at=known.created_at,
        updated_at=known.updated_at,
        messages=known.last_seq,
        profile=known.profile,
        app=known.app,
        options=dict(known.options),
        ended_at=known.ended_at,
        end_reason=known.end_reason,
    )


def recorded_answer(recorded: RecordedTurn) -> RecordedTurnAnswer:
    """Describe where messages were recorded."""
    return RecordedTurnAnswer(
        conversation=recorded.conversation,
        new_conversation=recorded.new_conversation,
        appended=list(recorded.appended),
        reply_seq=recorded.reply_seq,
    )


def context_answer(context: PromptContext, requester: Requester) -> ContextAnswer:
    """Describe what memory would add."""
    return ContextAnswer(
        text=context.text,
        items=[recalled_answer(item, requester) for item in context.items],
        left_out=[omitted_answer(item) for item in context.left_out],
        tokens=context.tokens,
        profile_tokens=context.profile_tokens,
        vectors_compared=context.vectors_compared,
        warning=context.warning,
        recent=context.recent,
    )


def trace_answer(traces: Iterable[PromptTrace], requester: Requester) -> TraceAnswer:
    """Describe what memory did."""
    return TraceAnswer(prompts=[_traced(trace, requester) for trace in traces])


def _traced(trace: PromptTrace, requester: Requester) -> TracedPromptAnswer:
    record = trace.record
    return TracedPromptAnswer(
        id=record.id,
        at=record.at,
        seq=record.seq,
        query_hash=hash_text(record.query_hash),
        block_hash=record.block_hash,
        prefix=record.prefix or None,
        replayed=record.replayed,
        tokens=record.tokens,
        failure=record.failure or None,
        memories=[traced_memory(memory, record, requester) for memory in trace.memories],
        omitted=[omitted_answer(item) for item in record.omitted],
    )


def traced_memory(memory: Memory, record: InjectionRecord, requester: Requester) -> TracedMemoryAnswer:
    """Describe a memory that was added to a prompt."""
    return TracedMemoryAnswer(
        id=memory.id,
        text=memory.text,
        state=memory.state,
        score=next(score for _, id_, score in record.items if id_ == memory.id),
        used=None if record.hits is None else memory.id in record.hits,
        memory=memory_answer(memory, requester),
    )
