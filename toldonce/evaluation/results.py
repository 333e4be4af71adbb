"""Results of questions and of a run. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import datetime

from toldonce.datasets.dataset import DatasetQuestion
from toldonce.engine.context_builder import PromptContext
from toldonce.evaluation.ingest import IngestCost
from toldonce.evaluation.retrieval_metrics import Shown
from toldonce.types import CalibrationCurve

TOLDONCE = "toldonce"
"""Row of the engine."""


@dataclass(frozen=True, slots=True, kw_only=True)
class FilledBlock:
    """What one method puts into a prompt."""

    text: str
    tokens: int
    """Number of tokens of the text."""
    limit: int
    """Maximum number of tokens."""
    shown: Shown = frozenset()
    """Turns that it is based on."""
    quoted: Shown = frozenset()
    """Turns whose own words it has."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RetrievalResult:
    """Result of one question for one retrieval method."""

    conversation: str
    question: DatasetQuestion
    figures: Mapping[str, float]
    """Figures by name; without those that need missing evidence."""
    places: Mapping[str, int]
    """Rank (from 1) at which each evidence turn first appeared; missing if it did not."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AskedBlock:
    """A question with the memory that a model answers it from."""

    conversation: str
    question: DatasetQuestion
    row: str
    """Kind of prompt, with its size if several were measured: `toldonce`, `BM25@400`."""
    limit: int
    """Maximum number of tokens of the text."""
    text: str
    today: datetime
    """When the question is asked."""
    cut_turns: int = 0
    """Number of turns cut off at the beginning of the full context."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AnswerResult:
    """One question answered by a model, and the verdict."""

    conversation: str
    question: DatasetQuestion
    answer: str
    """The model's answer; empty if it failed."""
    verdict: str
    """`right`, `wrong`, `unjudged` or `failed`."""
    reason: str
    """Reason of the judge, or the error."""
    prompt_tokens: int
    completion_tokens: int
    counted_here: bool = False
    """Whether tokens were counted here, because the server sent none."""
    cut_turns: int = 0
    """Number of turns cut off at the beginning of the full context."""


@dataclass(slots=True)
class InjectionCost:
    """What memory adds to prompts of one kind."""

    tokens: list[int] = field(default_factory=list)
    """Tokens of memory in each prompt."""
    recalled_tokens: list[int] = field(default_factory=list)
    """Those beyond the profile block, in each prompt."""

    def add(self, context: PromptContext) -> None:
        """Count one prompt."""
        self.tokens.append(context.tokens)
        self.recalled_tokens.append(context.tokens - context.profile_tokens)


@dataclass(slots=True)
class RetrievalCost:
    """Cost of retrieval."""

    recall_ms: list[float] = field(default_factory=list)
    """Time of each search, without embedding its query."""
    embedding_ms: list[float] = field(default_factory=list)
    """Remaining time of each search, mostly the embedding."""
    cpu_ms: list[float] = field(default_factory=list)
    """CPU time of each search including the embedding, independent of other load."""
    question_tokens: list[int] = field(default_factory=list)
    """Tokens of each question."""


@dataclass(slots=True)
class RunResult:
    """Results of a run so far."""

    rows: dict[str, list[RetrievalResult]] = field(default_factory=dict)
    """By retrieval method."""
    blocks: list[AskedBlock] = field(default_factory=list)
    """What models are asked, if the plan keeps it."""
    answers: dict[str, list[AnswerResult]] = field(default_factory=dict)
    """By kind of prompt."""
    writing: IngestCost = field(default_factory=IngestCost)
    reading: RetrievalCost = field(default_factory=RetrievalCost)
    related: InjectionCost = field(default_factory=InjectionCost)
    """Prompts of the data's own questions."""
    unrelated: InjectionCost = field(default_factory=InjectionCost)
    """Prompts of another conversation's questions; empty if the data has a single conversation."""
    small_talk: InjectionCost = field(default_factory=InjectionCost)
    """Prompts of small talk."""
    conversations: int = 0
    """Number of finished conversations."""
    whole: bool = False
    """Whether the run is complete."""
    seconds: float = 0.0
    embedder: str = ""
    dim: int = 0
    curve: CalibrationCurve | None = None
    """Fitted calibration of its cosines; None if from the settings."""
