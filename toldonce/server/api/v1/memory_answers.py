"""How memories, their sources, history and erasure look over HTTP under `/v1`. Pure."""

from collections.abc import Mapping
from datetime import datetime
from hashlib import blake2b
from typing import Any

from pydantic import AliasPath, Field

from toldonce.engine import MemoryExplanation
from toldonce.server.api.v1.fields import Answer, HashText, NamesSubjects, PageAnswer, SubjectText
from toldonce.types import Action, ErasureStatus, Memory, MemoryKind, MemoryState

_ETAG_BYTES = 16


def _of_detail(name: str, description: str | None = None) -> Any:
    return Field(validation_alias=AliasPath("detail", name), description=description)


class EvidenceAnswer(Answer):
    """A message that a memory was formed from, with the words in it."""

    conversation: str
    seq: int = Field(description="Position of the message in the conversation.")
    role: str
    speaker: str
    quote: str = Field(description="Words found in the message; empty for a whole turn.")
    said_at: datetime
    hash: HashText = Field(description="Hash of the message, 16 hexadecimal digits; equal for equal messages.")


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
    subject: SubjectText
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
    summary: str = _of_detail("summary")
    tags: list[str] = _of_detail("tags")
    source_uri: str = _of_detail("source_uri")
    source_context: str = _of_detail("source_context")
    context_source: str = _of_detail("context_source", "Address of the message that `source_context` quotes, or empty.")
    first_turn: int = _of_detail("first_turn", "Episodes: the first turn summarized, counted from 1; else 0.")
    last_turn: int = _of_detail("last_turn")
    first_seq: int = _of_detail("first_seq")
    last_seq: int = _of_detail("last_seq")
    parts: list[SummarizedPartAnswer] = _of_detail(
        "parts", "Episodes of several conversations: what they sum up of each."
    )
    chain_turns: int = _of_detail(
        "chain_turns", "Episodes: the user's turns up to this one, if it was the newest; else 0."
    )
    withheld: list[WithheldAnswer] = _of_detail("withheld", "Quotations: what they leave out.")
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
    subjects: list[SubjectText] = Field(
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
    subject: SubjectText
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
    hash: HashText = Field(description="16 hexadecimal digits; equal for equal messages.")


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


def etag_of(memory: Memory, requester: NamesSubjects) -> str:
    """Return the tag of a memory's state: it changes with everything but its uses."""
    shown = MemoryAnswer.of(memory, requester).model_dump_json(exclude={"uses", "last_used_at"})
    return f'"{blake2b(shown.encode(), digest_size=_ETAG_BYTES).hexdigest()}"'


def explained(explanation: MemoryExplanation) -> Mapping[str, object]:
    """Return the values of an `ExplanationAnswer`."""
    history = explanation.history
    return {
        **{name: getattr(history, name) for name in HistoryAnswer.model_fields},
        "replaced": [memory.id for memory in explanation.replaced],
        "replaced_by": [memory.id for memory in explanation.replaced_by],
        "last_recalled": explanation.last_recalled,
    }


class ReceiptPlaceAnswer(Answer):
    """One place where erased data was or may remain."""

    name: str
    reach: ErasureStatus
    count: int
    text: str


class ReceiptAnswer(Answer):
    """Result of an erasure, place by place."""

    id: str
    at: datetime
    done: bool = Field(description="Nothing is pending: no byte of it is left in database or log.")
    places: list[ReceiptPlaceAnswer]
