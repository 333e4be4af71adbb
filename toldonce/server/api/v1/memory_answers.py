"""How memories, their sources and their history look over HTTP under `/v1`. Pure."""

from collections.abc import Iterable
from datetime import datetime
from hashlib import blake2b

from pydantic import Field

from toldonce.engine import MemoryExplanation, MemoryHistory
from toldonce.server.api.v1.access import Requester
from toldonce.server.api.v1.fields import Answer, PageAnswer
from toldonce.types import (
    Action,
    Decision,
    Evidence,
    LoggedMessage,
    Memory,
    MemoryKind,
    MemoryState,
    OmittedMemory,
    Recall,
    RecalledMemory,
)

_ETAG_BYTES = 16


class EvidenceAnswer(Answer):
    """A message that a memory was formed from, with the words in it."""

    conversation: str
    seq: int = Field(description="Position of the message in the conversation.")
    role: str
    speaker: str
    quote: str = Field(description="Words found in the message; empty for a whole turn.")
    said_at: datetime
    hash: str = Field(description="Hash of the message, 16 hexadecimal digits; equal for equal messages.")


class WithheldAnswer(Answer):
    """Part of a quoted message that the quotation leaves out."""

    start: int = Field(description="Offset of its first character in the message.")
    end: int
    because: str = Field(description="Id of the closed memory it belongs to; empty for a request to forget.")


class SummarizedPartAnswer(Answer):
    """Part of a conversation that an episode summarizes."""

    conversation: str
    first_seq: int
    last_seq: int


class MemoryAnswer(Answer):
    """One thing known about a subject."""

    id: str
    subject: str
    kind: MemoryKind
    text: str
    type: str
    category: str = Field(description="Facts only.")
    key: str = Field(description="Facts only: the slot, such as `location`.")
    value: str = Field(description="Facts only: the value of the slot.")
    state: MemoryState
    importance: float
    confidence: float
    speaker: str
    valid_from: datetime = Field(description="When it became true in the world.")
    valid_to: datetime | None = Field(description="When it stopped being true; with `valid_from`: it never was true.")
    known_from: datetime = Field(description="When it was stored.")
    closed_at: datetime | None
    profile: str
    version: str = Field(description="The extractor that made it; empty for memories added by hand.")
    uses: int
    last_used_at: datetime | None
    summary: str
    tags: list[str]
    source_uri: str
    source_context: str
    context_source: str = Field(description="Address of the message that `source_context` quotes, or empty.")
    first_turn: int = Field(description="Episodes: the first turn summarized, counted from 1; else 0.")
    last_turn: int
    first_seq: int
    last_seq: int
    parts: list[SummarizedPartAnswer] = Field(
        description="Episodes of several conversations: what they sum up of each."
    )
    chain_turns: int = Field(description="Episodes: the user's turns up to this one, if it was the newest; else 0.")
    withheld: list[WithheldAnswer] = Field(description="Quotations: what they leave out.")
    number: int = Field(description="Apps only: its id at the app's endpoints; else 0.")
    evidence: list[EvidenceAnswer]


class MemoryPage(PageAnswer):
    """Memories, newest first."""

    memories: list[MemoryAnswer]


class MemoriesAnswer(Answer):
    """A memory for each one that was sent, in their order."""

    memories: list[MemoryAnswer]


class RecalledMemoryAnswer(Answer):
    """A memory that was found, with the reasons for its rank."""

    score: float = Field(description="0 to 1; comparable within one search.")
    similarity: float
    word_share: float
    reasons: list[str]
    standing: bool = Field(description="It is there because of its importance, whatever was asked.")
    parts: dict[str, float] = Field(
        description="Of a search: log-odds by kind of evidence (`similarity`, `words`, `around`, `speaker`, "
        "`question`, `time`, `importance`, `confidence`, `recency`, `kind`, `uses`, `size`, `other`), without those "
        "that are 0. With their sum `s`, the score is `1 / (1 + exp(-s))`, unless a reranker gave it, as a reason says."
    )
    memory: MemoryAnswer


class OmittedMemoryAnswer(Answer):
    """A memory that was near but is not in the result."""

    id: str
    reason: str


class RecallAnswer(Answer):
    """Memories relevant to a query, best first."""

    query: str
    items: list[RecalledMemoryAnswer]
    left_out: list[OmittedMemoryAnswer]
    considered: int = Field(description="Number of active memories that were scored.")
    subjects: list[str] = Field(
        description="The reading list: whose memories these were; empty for a search of the past."
    )
    vectors_compared: int | None = Field(description="Number of vectors that an index picked; null: all were compared.")
    took_ms: float
    warning: str


class NearestAnswer(Answer):
    """Memories nearest in meaning, most similar first."""

    items: list[RecalledMemoryAnswer]


class DecisionAnswer(Answer):
    """What was decided about a memory, and why."""

    id: str
    subject: str
    at: datetime
    action: Action
    memory_id: str | None
    target_id: str | None
    reason: str
    text: str
    profile: str
    conversation: str | None
    seq: int | None


class MessageAnswer(Answer):
    """A message of a conversation's log."""

    conversation: str
    seq: int
    parent_seq: int
    role: str
    name: str | None
    text: str
    said_at: datetime
    recorded_at: datetime
    complete: bool
    erased: bool
    hash: str = Field(description="16 hexadecimal digits; equal for equal messages.")


class HistoryAnswer(Answer):
    """A memory with everything that led to it and followed from it."""

    memory: MemoryAnswer
    decisions: list[DecisionAnswer]
    related: list[MemoryAnswer]
    sources: list[MessageAnswer]


class InjectionSiteAnswer(Answer):
    """The prompt that last carried a memory."""

    conversation: str
    seq: int
    at: datetime


class ExplanationAnswer(HistoryAnswer):
    """Why a memory is what it is."""

    replaced: list[str]
    replaced_by: list[str]
    last_recalled: InjectionSiteAnswer | None


def memory_answer(memory: Memory, requester: Requester) -> MemoryAnswer:
    """Describe a memory."""
    return MemoryAnswer(
        id=memory.id,
        subject=requester.shown(memory.subject),
        kind=memory.kind,
        text=memory.text,
        type=memory.type,
        category=memory.category,
        key=memory.key,
        value=memory.value,
        state=memory.state,
        importance=memory.importance,
        confidence=memory.confidence,
        speaker=memory.speaker,
        valid_from=memory.valid_from,
        valid_to=memory.valid_to,
        known_from=memory.known_from,
        closed_at=memory.closed_at,
        profile=memory.profile,
        version=memory.version,
        uses=memory.uses,
        last_used_at=memory.last_used_at,
        summary=memory.detail.summary,
        tags=list(memory.detail.tags),
        source_uri=memory.detail.source_uri,
        source_context=memory.detail.source_context,
        context_source=memory.detail.context_source,
        first_turn=memory.detail.first_turn,
        last_turn=memory.detail.last_turn,
        first_seq=memory.detail.first_seq,
        last_seq=memory.detail.last_seq,
        parts=[
            SummarizedPartAnswer(conversation=part.conversation, first_seq=part.first_seq, last_seq=part.last_seq)
            for part in memory.detail.parts
        ],
        chain_turns=memory.detail.chain_turns,
        withheld=[
            WithheldAnswer(start=part.start, end=part.end, because=part.because) for part in memory.detail.withheld
        ],
        number=memory.number,
        evidence=[_evidence(source) for source in memory.evidence],
    )


def memory_answers(memories: Iterable[Memory], requester: Requester) -> list[MemoryAnswer]:
    """Describe memories."""
    return [memory_answer(memory, requester) for memory in memories]


def etag_of(memory: Memory, requester: Requester) -> str:
    """Return the tag of a memory's state: it changes with everything but its uses."""
    shown = memory_answer(memory, requester).model_dump_json(exclude={"uses", "last_used_at"})
    return f'"{blake2b(shown.encode(), digest_size=_ETAG_BYTES).hexdigest()}"'


def _evidence(source: Evidence) -> EvidenceAnswer:
    return EvidenceAnswer(
        conversation=source.conversation,
        seq=source.seq,
        role=source.role,
        speaker=source.speaker,
        quote=source.quote,
        said_at=source.said_at,
        hash=hash_text(source.hash),
    )


def hash_text(value: int) -> str:
    """Write a signed 64-bit hash as 16 hexadecimal digits: not every client reads so large a number.

    >>> hash_text(-1)
    'ffffffffffffffff'
    """
    return f"{value & (1 << 64) - 1:016x}"


def recall_answer(result: Recall, requester: Requester) -> RecallAnswer:
    """Describe what a search found, and what it left out."""
    return RecallAnswer(
        query=result.query,
        items=[recalled_answer(item, requester) for item in result.items],
        left_out=[omitted_answer(item) for item in result.left_out],
        considered=result.considered,
        subjects=[requester.shown(subject) for subject in result.subjects],
        vectors_compared=result.vectors_compared,
        took_ms=result.took_ms,
        warning=result.warning,
    )


def recalled_answer(item: RecalledMemory, requester: Requester) -> RecalledMemoryAnswer:
    """Describe a memory that was found."""
    return RecalledMemoryAnswer(
        score=item.score,
        similarity=item.similarity,
        word_share=item.word_share,
        reasons=list(item.reasons),
        standing=item.standing,
        parts=dict(item.parts),
        memory=memory_answer(item.memory, requester),
    )


def omitted_answer(item: OmittedMemory) -> OmittedMemoryAnswer:
    """Describe a memory that was left out."""
    return OmittedMemoryAnswer(id=item.id, reason=item.reason)


def decision_answer(line: Decision, requester: Requester) -> DecisionAnswer:
    """Describe a decision."""
    return DecisionAnswer(
        id=line.id,
        subject=requester.shown(line.subject),
        at=line.at,
        action=line.action,
        memory_id=line.memory_id,
        target_id=line.target_id,
        reason=line.reason,
        text=line.text,
        profile=line.profile,
        conversation=line.conversation,
        seq=line.seq,
    )


def message_answer(message: LoggedMessage) -> MessageAnswer:
    """Describe a message."""
    return MessageAnswer(
        conversation=message.conversation,
        seq=message.seq,
        parent_seq=message.parent_seq,
        role=message.role,
        name=message.name,
        text=message.text,
        said_at=message.said_at,
        recorded_at=message.recorded_at,
        complete=message.complete,
        erased=message.erased,
        hash=hash_text(message.hash),
    )


def history_answer(history: MemoryHistory, requester: Requester) -> HistoryAnswer:
    """Describe a memory's history."""
    return HistoryAnswer(
        memory=memory_answer(history.memory, requester),
        decisions=[decision_answer(line, requester) for line in history.decisions],
        related=memory_answers(history.related, requester),
        sources=[message_answer(message) for message in history.sources],
    )


def explanation_answer(explanation: MemoryExplanation, requester: Requester) -> ExplanationAnswer:
    """Describe why a memory is what it is."""
    history, place = history_answer(explanation.history, requester), explanation.last_recalled
    return ExplanationAnswer(
        memory=history.memory,
        decisions=history.decisions,
        related=history.related,
        sources=history.sources,
        replaced=[memory.id for memory in explanation.replaced],
        replaced_by=[memory.id for memory in explanation.replaced_by],
        last_recalled=InjectionSiteAnswer(conversation=place.conversation, seq=place.seq, at=place.at)
        if place
        else None,
    )
