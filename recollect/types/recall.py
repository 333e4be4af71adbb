"""What recall computes on, and what it finds. Pure."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from types import MappingProxyType

import numpy as np
import numpy.typing as npt

from recollect.types.memory import KIND_ORDER, Memory, MemoryId, Vectors, shortened
from recollect.types.subject import Subject

# Longest text of one memory that is put into a prompt, in characters: some five sentences. Longer ones are cut.
MAX_MEMORY_CHARACTERS = 600
# Memories shown by the `repr` of a recall.
_MAX_REPR_ITEMS = 3


QUESTION_FLAG = 128
"""Added to a role in `SubjectSnapshot.roles`: the message ends in a question."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubjectSnapshot:
    """All active memories of one subject as arrays, read in one snapshot: what recall computes on.

    `n` memories, `m` vectors, `t` distinct terms summed over memories, `e` sources. Memory `i` has the terms
    `term_start[i]:term_start[i + 1]` and the sources `source_start[i]:source_start[i + 1]`. Ordered by id.
    """

    subject: Subject
    version: int
    """Moves with every change to the subject's memories."""
    salt: bytes
    """Key of the term hashes: `text.term_key(salt, term)`."""
    ids: list[bytes]
    """n ids of 16 bytes."""
    kinds: npt.NDArray[np.uint8]
    """n: index into `KIND_ORDER`."""
    importance: npt.NDArray[np.float32]
    confidence: npt.NDArray[np.float32]
    valid_from: npt.NDArray[np.int64]
    """n: microseconds since 1970 UTC."""
    last_used_at: npt.NDArray[np.int64]
    """n: microseconds since 1970 UTC; 0 where never used."""
    uses: npt.NDArray[np.int32]
    roles: npt.NDArray[np.uint8]
    """n: 0 none's words, 1 the user's, 2 the assistant's, 3 another's; plus `QUESTION_FLAG` if they ask."""
    length: npt.NDArray[np.int32]
    """n: number of terms, repeats counted."""
    vectors: Vectors
    """m rows of the space asked for."""
    vector_of: npt.NDArray[np.int32]
    """m: which memory a vector belongs to."""
    terms: npt.NDArray[np.uint32]
    """t term keys, ascending within a memory."""
    counts: npt.NDArray[np.uint16]
    """t: how often the term stands in the memory."""
    term_start: npt.NDArray[np.int64]
    """n + 1 offsets."""
    source_hash: npt.NDArray[np.int64]
    """e: `Message.hash` of each source."""
    source_key: npt.NDArray[np.int64]
    """e: 64-bit hash of (conversation, seq), equal for a turn and the notes formed from it."""
    source_start: npt.NDArray[np.int64]
    """n + 1 offsets."""
    has_legacy_terms: bool = False
    """Some memories may still have terms of the former scheme: see `text.TERM_SCHEME`."""
    sampled_vectors: int | None = None
    """The first so many vectors were drawn evenly from all of the subject's and stand for them; behind them come those
    that were sought, not in the order of their memories. None: all vectors are there."""

    def __len__(self) -> int:
        """The number of memories."""
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorRequest:
    """Which of a subject's vectors are needed, for a store that has an index of them and need not read them all."""

    vectors: Vectors
    """Those near to one of these rows; a row of zeros is near to nothing."""
    limit_each: int = 0
    """How many memories near to each."""
    kinds: tuple[int, ...] = tuple(range(len(KIND_ORDER)))
    """Places in `KIND_ORDER` of the kinds that count."""
    expand: Callable[[SubjectSnapshot], npt.NDArray[np.intp]] | None = None
    """Given those, names the places of further memories whose vectors are needed."""


NO_VECTORS = VectorRequest(vectors=np.zeros((0, 0), dtype=np.float32))
"""None is needed."""
ALL_VECTORS: Mapping[Subject, VectorRequest] = MappingProxyType({})
"""Of each subject all are needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledMemory:
    """One memory for one request, with the reasons for its rank."""

    memory: Memory
    score: float
    """0 to 1; comparable within one recall."""
    similarity: float
    """Calibrated similarity in meaning, 0 to 1; 0 where the memory has no vector."""
    word_share: float
    """Share of the query's rarity-weighted words that the memory answers, 0 to 1."""
    reasons: tuple[str, ...]
    """Short sentences: 'means the same (0.82)', 'shares "peanuts"', 'a standing fact'."""
    standing: bool = False
    """A standing fact: there by importance, whatever was asked."""

    def __repr__(self) -> str:
        """Return one line: score, shortened text, reasons and id."""
        why = f" ({'; '.join(self.reasons)})" if self.reasons else ""
        return f"<RecalledMemory {self.score:.2f} {shortened(self.memory.text)}{why} id={self.memory.id}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class OmittedMemory:
    """A memory that was near and is not in the result."""

    id: MemoryId
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The memories for one request, best first, and what was left out and why."""

    query: str
    items: tuple[RecalledMemory, ...]
    left_out: tuple[OmittedMemory, ...] = ()
    considered: int = 0
    """How many active memories were weighed."""
    vectors_compared: int | None = None
    """How many of their vectors an index picked to be compared with the query: it may have missed a near one. None:
    all were compared."""
    took_ms: float = 0.0
    """Time beside the query's embedding, in milliseconds."""
    warning: str = ""
    """What did not go as it should, such as a reranker that gave no answer; empty where all did."""

    def __repr__(self) -> str:
        """Return one line: the query, and score and shortened text of the first memories."""
        first = ", ".join(f"{item.score:.2f} {shortened(item.memory.text)}" for item in self.items[:_MAX_REPR_ITEMS])
        more = f", … {len(self.items) - _MAX_REPR_ITEMS} more" if len(self.items) > _MAX_REPR_ITEMS else ""
        warning = f" warning={self.warning!r}" if self.warning else ""
        return f"<Recall of {shortened(self.query)}: [{first}{more}]{warning}>"
