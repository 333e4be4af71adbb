"""Snapshots that recall computes on, and its results. Pure."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace
from types import MappingProxyType
from typing import TypeVar, cast

import numpy as np
import numpy.typing as npt

from toldonce.ids import is_unstored
from toldonce.types.memory import KIND_ORDER, Memory, MemoryId, Vectors, shortened
from toldonce.types.subject import Subject
from toldonce.types.vector_blocks import VectorBlocks

T = TypeVar("T")
# A memory's text in a prompt is cut to this: some five sentences.
MAX_MEMORY_CHARACTERS = 600
# Memories shown by the `repr` of a recall.
_MAX_REPR_ITEMS = 3


QUESTION_FLAG = 128
"""Added to a role in `SubjectSnapshot.roles`: the message ends in a question."""


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class SubjectSnapshot:
    """All active memories of one subject as arrays, read in one transaction.

    `n` memories, `m` vectors, `t` distinct terms summed over memories, `e` sources. Memory `i` has the terms
    `term_start[i]:term_start[i + 1]` and the sources `source_start[i]:source_start[i + 1]`. Ordered by id.
    """

    subject: Subject
    version: int
    """Changes with every change to the subject's memories."""
    salt: bytes
    """Key of the term hashes: `text.term_key(salt, term)`."""
    ids: Sequence[bytes]
    """n ids of 16 bytes, ascending."""
    kinds: npt.NDArray[np.uint8]
    """n: index into `KIND_ORDER`."""
    importance: npt.NDArray[np.float32]
    confidence: npt.NDArray[np.float32]
    valid_from: npt.NDArray[np.int64]
    """n: microseconds since 1970 UTC."""
    last_used_at: npt.NDArray[np.int64]
    """n: microseconds since 1970 UTC; 0 if never used."""
    uses: npt.NDArray[np.int32]
    roles: npt.NDArray[np.uint8]
    """n: speaker: 0 none, 1 user, 2 assistant, 3 another; plus `QUESTION_FLAG` for a question."""
    length: npt.NDArray[np.int32]
    """n: number of terms, repeats counted."""
    vectors: VectorBlocks
    """m rows in the requested space."""
    vector_of: npt.NDArray[np.int32]
    """m: which memory a vector belongs to."""
    terms: npt.NDArray[np.uint32]
    """t term keys, ascending within a memory."""
    counts: npt.NDArray[np.uint16]
    """t: how often the memory has the term."""
    term_start: npt.NDArray[np.int64]
    """n + 1 offsets."""
    source_hash: npt.NDArray[np.int64]
    """e: `Message.hash` of each source."""
    source_key: npt.NDArray[np.int64]
    """e: 64-bit hash of (conversation, seq), equal for a turn and the notes formed from it."""
    source_start: npt.NDArray[np.int64]
    """n + 1 offsets."""
    has_legacy_terms: bool = False
    """Some memories may still have terms of the previous scheme: see `text.TERM_SCHEME`."""
    sampled_vectors: int | None = None
    """The first so many vectors are an even sample of the subject's; after them come the requested ones, not in the
    order of their memories. None: all vectors are there."""
    _derived: dict[object, object] = field(default_factory=dict, init=False, repr=False)

    def derive(self, make: "Callable[[SubjectSnapshot], T]") -> T:
        """Return what `make` computes of the arrays, once for each snapshot; threads may compute it twice."""
        known = self._derived.get(make)
        if known is None:
            known = self._derived[make] = make(self)
        return cast("T", known)

    def __len__(self) -> int:
        return len(self.ids)


@dataclass(frozen=True, slots=True, kw_only=True, eq=False)
class VectorRequest:
    """The vectors that a caller needs of a subject; a store with an index reads only these."""

    vectors: Vectors
    """Read the vectors near one of these rows; a row of zeros is near none."""
    limit_each: int = 0
    """Number of memories near each row."""
    kinds: tuple[int, ...] = tuple(range(len(KIND_ORDER)))
    """Positions in `KIND_ORDER` of the kinds to read."""
    expand: Callable[[SubjectSnapshot], npt.NDArray[np.intp]] | None = None
    """Given the snapshot with those, returns the positions of more memories whose vectors are needed."""


NO_VECTORS = VectorRequest(vectors=np.zeros((0, 0), dtype=np.float32))
"""No vectors are needed."""
ALL_VECTORS: Mapping[Subject, VectorRequest] = MappingProxyType({})
"""All vectors of every subject are needed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RecalledMemory:
    """One memory for one request, with the reasons for its rank."""

    memory: Memory
    score: float
    """0 to 1; comparable within one recall."""
    similarity: float
    """Calibrated similarity, 0 to 1; 0 if the memory has no vector."""
    word_share: float
    """Share of the query's rarity-weighted words that the memory has, 0 to 1."""
    reasons: tuple[str, ...]
    """Short sentences: 'means the same (0.82)', 'shares "peanuts"', 'a standing fact'."""
    standing: bool = False
    """A standing fact: there because of its importance, whatever was asked."""
    passage: str = ""
    """What a prompt shows of a long message; empty: its text, from the beginning on."""
    parts: Mapping[str, float] = field(default_factory=dict, compare=False)
    """Of a search by hand: log-odds by kind of evidence. With their sum `s`, the score is `1 / (1 + exp(-s))`, unless a
    reranker gave it."""

    @property
    def shown(self) -> Memory:
        """The memory with the text that a prompt shows of it."""
        return replace(self.memory, text=self.passage) if self.passage else self.memory

    @property
    def is_stored(self) -> bool:
        """Whether it is a stored memory; else it is a message that was said a moment ago, and is not formed yet."""
        return not is_unstored(self.memory.id)

    def __repr__(self) -> str:
        """Return one line: score, shortened text, reasons and id."""
        why = f" ({'; '.join(self.reasons)})" if self.reasons else ""
        return f"<RecalledMemory {self.score:.2f} {shortened(self.memory.text)}{why} id={self.memory.id}>"


@dataclass(frozen=True, slots=True, kw_only=True)
class OmittedMemory:
    """A memory that was near but is not in the result."""

    id: MemoryId
    reason: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Recall:
    """The memories for one request, best first, and those left out, with reasons."""

    query: str
    items: tuple[RecalledMemory, ...]
    left_out: tuple[OmittedMemory, ...] = ()
    considered: int = 0
    """Number of active memories that were scored."""
    subjects: tuple[Subject, ...] = ()
    """The reading list: whose memories these were; empty if unknown."""
    vectors_compared: int | None = None
    """Number of vectors that an index picked for comparison; it may have missed a near one. None: all were compared."""
    took_ms: float = 0.0
    """Time in milliseconds, without embedding the query."""
    warning: str = ""
    """What failed, such as a reranker that gave no answer; empty if nothing did."""

    def __len__(self) -> int:
        return len(self.items)

    def __iter__(self) -> Iterator[RecalledMemory]:
        """Iterate over the memories, best first."""
        return iter(self.items)

    def __getitem__(self, place: int) -> RecalledMemory:
        return self.items[place]

    def __repr__(self) -> str:
        """Return one line: the query, and score and shortened text of the first memories."""
        first = ", ".join(f"{item.score:.2f} {shortened(item.memory.text)}" for item in self.items[:_MAX_REPR_ITEMS])
        more = f", … {len(self.items) - _MAX_REPR_ITEMS} more" if len(self.items) > _MAX_REPR_ITEMS else ""
        warning = f" warning={self.warning!r}" if self.warning else ""
        return f"<Recall of {shortened(self.query)}: [{first}{more}]{warning}>"
