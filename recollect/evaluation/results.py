"""What is noted of each question, and what a run comes to. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field

from recollect.datasets.dataset import DatasetQuestion
from recollect.evaluation.ingest import IngestCost
from recollect.types import CalibrationCurve

RECOLLECT = "recollect"
"""The row of the engine itself."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalResult:
    """One question asked in one way."""

    conversation: str
    question: DatasetQuestion
    figures: Mapping[str, float]
    """Without those that its data has no evidence for."""
    places: Mapping[str, int]
    """Where each evidence turn was first shown, from 1 on; those that were not are missing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResult:
    """One question answered by a model, and the verdict."""

    conversation: str
    question: DatasetQuestion
    answer: str
    """The model's words; empty where it failed."""
    verdict: str
    """`right`, `wrong`, `unjudged` or `failed`."""
    reason: str
    """The judge's, or what went wrong."""
    prompt_tokens: int
    completion_tokens: int
    counted_here: bool = False
    """The server told no tokens: they are as the engine counts."""
    cut_turns: int = 0
    """Of the full context: turns at its beginning that had no room."""


@dataclass(slots=True)
class RetrievalCost:
    """What asking cost."""

    recall_ms: list[float] = field(default_factory=list)
    """Of each search, beside embedding its query."""
    embedding_ms: list[float] = field(default_factory=list)
    """The rest of each search: mostly the embedding."""
    cpu_ms: list[float] = field(default_factory=list)
    """What each search took of a processor, embedding included: what it costs whatever else the machine does."""
    injected_tokens: list[int] = field(default_factory=list)
    """What memory would put into the prompt of each question."""
    question_tokens: list[int] = field(default_factory=list)
    """The question's own."""


@dataclass(slots=True)
class RunResult:
    """What a run came to so far."""

    rows: dict[str, list[RetrievalResult]] = field(default_factory=dict)
    """By the way of asking."""
    answers: dict[str, list[AnswerResult]] = field(default_factory=dict)
    """By what was in the prompt."""
    writing: IngestCost = field(default_factory=IngestCost)
    reading: RetrievalCost = field(default_factory=RetrievalCost)
    conversations: int = 0
    """Those that are through."""
    whole: bool = False
    """Everything that was planned is in it."""
    seconds: float = 0.0
    embedder: str = ""
    dim: int = 0
    curve: CalibrationCurve | None = None
    """What its cosines were found to mean; None where the settings say it."""
