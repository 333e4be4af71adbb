"""Memories as recall sees them, built by hand."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from candidates import evidence
from factories import ANA
from toldonce.clock import to_micros
from toldonce.ids import id_text
from toldonce.profiles.policies import RecallPolicy
from toldonce.recall.finalize import finalize
from toldonce.recall.query import Interval, Query, RecallRequest, make_query
from toldonce.recall.recall import rank_subjects
from toldonce.testing import NEW_YEAR
from toldonce.text import term_key, terms
from toldonce.types import Memory, MemoryId, MemoryKind, Recall, Subject, SubjectSnapshot, Vector, VectorBlocks

SALT = b"salt"
NOON = NEW_YEAR + timedelta(hours=12)
ZONE = ZoneInfo("UTC")
DIM = 4


@dataclass(frozen=True, kw_only=True)
class Known:
    """A memory of a test: its words, and what sets it apart."""

    text: str
    id: int
    kind: MemoryKind = MemoryKind.NOTE
    vectors: tuple[Sequence[float], ...] = ()
    importance: float = 0.5
    confidence: float = 1.0
    at: datetime = NEW_YEAR
    uses: int = 0
    hashes: tuple[int, ...] = ()
    sources: tuple[int, ...] = ()
    category: str = ""
    key: str = ""
    speaker: str = ""
    role: int = 1
    """As in `SubjectSnapshot.roles`."""
    said_at: datetime | None = None
    """When the message it was formed from was said; None: it has no evidence."""


def unit(*numbers: float) -> Vector:
    """Make a vector of unit length."""
    vector: Vector = np.array(numbers, dtype=np.float32)
    return vector / np.float32(np.linalg.norm(vector))


def snapshot_of(*known: Known, subject: Subject = ANA, salt: bytes = SALT) -> SubjectSnapshot:
    """Lay memories out as arrays, ordered by id."""
    rows = sorted(known, key=lambda row: row.id)
    counted = [sorted((term_key(salt, term), count) for term, count in terms(row.text).items()) for row in rows]
    pairs = [pair for row in counted for pair in row]
    vectors = [vector for row in rows for vector in row.vectors]
    keys = [row.sources or (1_000_000 + row.id,) for row in rows]
    hashes = [row.hashes or tuple(2_000_000 + key for key in each) for row, each in zip(rows, keys, strict=True)]
    return SubjectSnapshot(
        subject=subject,
        version=1,
        salt=salt,
        ids=[row.id.to_bytes(16, "big") for row in rows],
        kinds=np.array([row.kind.number for row in rows], dtype=np.uint8),
        importance=np.array([row.importance for row in rows], dtype=np.float32),
        confidence=np.array([row.confidence for row in rows], dtype=np.float32),
        valid_from=np.array([to_micros(row.at) for row in rows], dtype=np.int64),
        last_used_at=np.zeros(len(rows), dtype=np.int64),
        uses=np.array([row.uses for row in rows], dtype=np.int32),
        roles=np.array([row.role for row in rows], dtype=np.uint8),
        length=np.array([terms(row.text).total() for row in rows], dtype=np.int32),
        vectors=VectorBlocks.of(np.array(vectors, dtype=np.float32).reshape(-1, DIM)),
        vector_of=np.array([place for place, row in enumerate(rows) for _ in row.vectors], dtype=np.int32),
        terms=np.array([key for key, _ in pairs], dtype=np.uint32),
        counts=np.array([count for _, count in pairs], dtype=np.uint16),
        term_start=np.cumsum([0, *map(len, counted)], dtype=np.int64),
        source_hash=np.array([value for each in hashes for value in each], dtype=np.int64),
        source_key=np.array([value for each in keys for value in each], dtype=np.int64),
        source_start=np.cumsum([0, *map(len, keys)], dtype=np.int64),
    )


def memory_of(known: Known, subject: Subject = ANA) -> Memory:
    """Make the memory that the store would return."""
    return Memory(
        id=name(known.id),
        subject=subject,
        kind=known.kind,
        text=known.text,
        category=known.category,
        key=known.key,
        importance=known.importance,
        speaker=known.speaker,
        valid_from=known.at,
        known_from=known.at,
        evidence=(evidence(at=known.said_at),) if known.said_at else (),
    )


def name(number: int) -> MemoryId:
    """Return the id of a memory of a test."""
    return MemoryId(id_text(number.to_bytes(16, "big")))


def ask(
    text: str,
    *,
    vector: Vector | None = None,
    limit: int = 10,
    present: frozenset[int] = frozenset(),
    dates: Sequence[Interval] | None = None,
    policy: RecallPolicy | None = None,
) -> Query:
    """Make a query at noon of New Year."""
    return make_query(
        RecallRequest(text=text, subject=ANA, policy=policy or RecallPolicy(), limit=limit, present=present),
        vector=vector,
        now=NOON,
        zone=ZONE,
        dates=dates,
    )


def for_prompt(query: Query, *, tokens: int | None = None) -> Query:
    """Ask the same for a prompt."""
    return replace(query, for_prompt=True, budget_tokens=tokens)


def as_it_is(cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
    """Take a cosine for relevance."""
    return cosine.clip(0, 1)


def count_words(text: str) -> int:
    """Count a token a word."""
    return len(text.split())


def recall(query: Query, *known: Known) -> Recall:
    """Recall from one subject's memories."""
    return recall_from(query, {ANA: known})


def recall_from(query: Query, known: dict[Subject, tuple[Known, ...]]) -> Recall:
    """Recall from several subjects' memories, in that order."""
    snapshots = [snapshot_of(*each, subject=who, salt=who.text.encode()[:8]) for who, each in known.items()]
    ranking = rank_subjects(query, snapshots, as_it_is)
    memories = {(who, name(row.id)): memory_of(row, who) for who, each in known.items() for row in each}
    fetched = {key: memories[who, key] for who, keys in ranking.wanted().items() for key in keys}
    return finalize(ranking, fetched, count_tokens=count_words)


def texts(found: Recall) -> list[str]:
    """Return the texts recalled, in order."""
    return [item.memory.text for item in found.items]


def why_left(found: Recall, number: int) -> list[str]:
    """Return the reasons for which a memory was left out."""
    return [row.reason for row in found.left_out if row.id == name(number)]


_SENTENCES = {
    "allergy": "The user is allergic to {}.",
    "avoid": "The user does not eat {}.",
    "diet": "The user is {}.",
    "dislike": "The user does not like {}.",
    "like": "The user likes {}.",
    "location": "The user lives in {}.",
    "name": "The user is called {}.",
}


def slot_sentence(key: str, value: str) -> str:
    """Return a fact's text as a person or a model may have written it."""
    sentence = _SENTENCES.get(key.partition(":")[0])
    return sentence.replace("{}", value) if sentence else f"{key} {value}"
