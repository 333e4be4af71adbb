"""The embedder of a database, and the progress of a change to another. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from toldonce.types.memory import Memory
from toldonce.types.subject import Subject

KEY_VARIABLE = "TOLDONCE_EMBED_KEY"
"""The variable with an embedder's key, unless another is named."""


class EmbedderKind(StrEnum):
    """Kind of embedder."""

    MULTILINGUAL = "multilingual"
    """The default: Google's Universal Sentence Encoder, packaged."""
    STATIC = "static"
    """WordLlama's packaged vectors of words."""
    ONNX = "onnx"
    """A model's files in a folder."""
    API = "api"
    """An OpenAI-compatible API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSpec:
    """How an embedder is reached. It names the variable that holds the key, never the key itself."""

    kind: EmbedderKind
    where: str = ""
    """Base URL or folder; empty for a packaged one."""
    model: str = ""
    """The model's name; empty for a packaged one."""
    key_env: str = KEY_VARIABLE
    """Name of the variable that holds the key."""
    query_prefix: str = ""
    """Text to put before a query, for models trained with one."""
    passage_prefix: str = ""
    """Text to put before a text to be found."""
    batch: int = 0
    """Maximum number of texts per request or run of the model; 0: the default of that kind of embedder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCurve:
    """What an embedder's cosines mean: the constants of `providers.calibration.Calibration`."""

    midpoint: float
    slope: float
    knee: float = 1.0
    """Above this cosine the curve has another slope; 1: nowhere."""
    top_slope: float = 0.0
    """The slope there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderRecord:
    """An embedder that a database has used."""

    space: str
    """Name of its vector space."""
    dim: int
    """Length of each vector."""
    spec: EmbedderSpec
    curve: CalibrationCurve
    chosen_at: datetime | None = None
    """When it was chosen for the database; None if it was only in use before another was chosen."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ElsewherePage:
    """Subjects that are read in another space than the chosen one, among some subjects by name."""

    subjects: tuple[Subject, ...]
    last: str
    """Name of the last subject that was looked at; empty after all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceCount:
    """Number of memories and subjects in one space."""

    space: str
    dim: int
    memories: int
    """Active memories with vectors in it."""
    subjects: int
    """Subjects read in it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingVectors:
    """Some of a subject's active memories without vectors in a space."""

    version: int
    """The subject's version when they were read."""
    memories: tuple[Memory, ...]
    """By id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembedReport:
    """What re-embedding did, or would do."""

    space: str
    subjects: int
    """Number of subjects switched to it."""
    memories: int
    """Number of memories that got vectors in it."""
    dropped: int = 0
    """Rows of vectors of other spaces that were dropped."""


@dataclass(frozen=True, slots=True)
class ReembedBacklog:
    """Number of a subject's memories to re-embed."""

    subject: Subject
    memories: int
    elsewhere: bool
    """Whether it is read in another space."""
