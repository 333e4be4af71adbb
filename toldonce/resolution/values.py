"""What resolution is given and what it decides: the values between `decide.py` and `planned_changes.py`. Pure."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime

from toldonce.types import Action, Candidate, Evidence, Memory, MemoryId


@dataclass(frozen=True, slots=True)
class Claim:
    """A candidate with the message that proves it."""

    candidate: Candidate
    evidence: Evidence


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbour:
    """An existing memory near a candidate."""

    memory: Memory
    similarity: float
    """Calibrated similarity in meaning, 0 to 1."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Neighbours:
    """The existing memories that candidates are weighed against, all active and of the subject written to."""

    near: Sequence[Sequence[Neighbour]] = ()
    """For each candidate, in their order, the notes nearest in meaning; may be shorter than the candidates."""
    facts: Sequence[Memory] = ()
    """All facts of the subject."""


def _unlike(place: int, other: int) -> float:
    """Take no two candidates for similar, so that spelling alone decides between them."""
    return 1.0 if place == other else 0.0


@dataclass(frozen=True, slots=True, kw_only=True)
class JudgeVerdict:
    """A model's word on a candidate that the rules left open."""

    action: Action | None = None
    """`ADD`, `IGNORE`, `REPLACE` or `MERGE`; None where there is no usable word."""
    target: MemoryId | None = None
    """The memory that is meant; None with `ADD`."""
    text: str = ""
    """With `REPLACE`: the memory rewritten, where only a part of it changed; empty: the candidate's own words."""
    problem: str = ""
    """Why there is no usable word."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolveInputs:
    """What deciding needs beside memories and policy."""

    now: datetime
    min_importance: float = 0.0
    min_confidence: float = 0.0
    hold_reasons: Mapping[int, str] = field(default_factory=dict)
    """Why a candidate, by its place in the batch, must wait for review."""
    waiting: Sequence[str] = ()
    """Texts that wait for review already."""
    similar: Callable[[int, int], float] = _unlike
    """Calibrated similarity between two candidates of the batch, by their places."""
    judged: Mapping[int, JudgeVerdict] = field(default_factory=dict)
    """A model's word on candidates, by their places; held against the rules."""
    messages: Mapping[int, str] = field(default_factory=dict)
    """The own words of the message that a candidate rests on, by its place; its quote where none is given."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EndedMemory:
    """An existing memory that a decision ends."""

    memory: Memory
    valid_to: datetime


@dataclass(frozen=True, slots=True, kw_only=True)
class ResolvedCandidate:
    """The decision on one candidate."""

    action: Action
    candidate: Candidate
    evidence: tuple[Evidence, ...]
    """More than one where candidates of the batch said the same; empty where the quote was not found."""
    target: Memory | None = None
    """The existing memory it was weighed against: strengthened by a merge, closed by a replacement. None where that is
    one of the batch, whose `successor` this is."""
    reason: str
    closes: tuple[EndedMemory, ...] = ()
    valid_to: datetime | None = None
    """Stored as ended already: an older value that arrived late, or one that the batch itself replaced."""
    successor: Candidate | None = None
    """The later candidate that ended one which the batch itself ended."""
    strengthens: bool = False
    """The target gets the evidence and the weight, also where nothing is added."""
    importance: float = 0.0
    """The importance that the target is raised to."""
    doubted: Memory | None = None
    """What the extractor says is corrected, while the rules find something against it: a model is asked."""

    @property
    def adds(self) -> bool:
        """Whether a memory is stored."""
        return self.action in (Action.ADD, Action.REPLACE, Action.HOLD)


@dataclass(frozen=True, slots=True, kw_only=True)
class Resolution:
    """What becomes of a batch: one decision a candidate, in their order."""

    resolved: tuple[ResolvedCandidate, ...]


def refusal(candidate: Candidate, reason: str) -> ResolvedCandidate:
    """Decide on a candidate without evidence: it is ignored, and the log says why."""
    return ResolvedCandidate(action=Action.IGNORE, candidate=candidate, evidence=(), reason=reason)
