"""Which embedder memories are embedded by, and how far a change of it has come. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from recollect.types.memory import Memory
from recollect.types.subject import Subject

KEY_VARIABLE = "RECOLLECT_EMBED_KEY"
"""The variable with an embedder's key, unless another is named."""


class EmbedderKind(StrEnum):
    """How an embedder is reached."""

    STATIC = "static"
    """Built in: WordLlama's packaged vectors."""
    ONNX = "onnx"
    """A model's files in a folder."""
    API = "api"
    """An OpenAI-compatible API."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderSpec:
    """How an embedder is reached. Never a key: of that, the name of the variable it stands in."""

    kind: EmbedderKind
    where: str = ""
    """Base URL or folder; empty for the built-in one."""
    model: str = ""
    """The model's name; empty for the built-in one."""
    key_env: str = KEY_VARIABLE
    """Name of the variable that holds the key."""
    query_prefix: str = ""
    """What is put before a query: some models were trained with it."""
    passage_prefix: str = ""
    """What is put before a text that is to be found."""
    batch: int = 0
    """Most texts a request or a run of the model; 0: as many as that kind of embedder takes well."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CalibrationCurve:
    """What an embedder's cosines mean: the constants of `providers.calibrate.Calibration`."""

    midpoint: float
    slope: float
    knee: float = 1.0
    """The cosine from which on the curve rises less, or more; 1: nowhere."""
    top_slope: float = 0.0
    """How fast it rises there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EmbedderRecord:
    """An embedder that a database knows."""

    space: str
    """Name of the space its vectors are of."""
    dim: int
    """Length of each vector."""
    spec: EmbedderSpec
    curve: CalibrationCurve
    chosen_at: datetime | None = None
    """When it was chosen for the database; None where it only was in use before another was."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SpaceCount:
    """What lies in one space."""

    space: str
    dim: int
    memories: int
    """Active memories with vectors in it."""
    subjects: int
    """Subjects that read by it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MissingVectors:
    """Active memories that have no vectors in a space, some of them."""

    version: int
    """The subject's, when they were read."""
    memories: tuple[Memory, ...]
    """By id."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ReembedReport:
    """What was embedded anew, or would be."""

    space: str
    subjects: int
    """How many were switched to it, or would be."""
    memories: int
    """How many were given vectors in it, or would be."""
    dropped: int = 0
    """Rows of vectors of other spaces that were dropped."""


@dataclass(frozen=True, slots=True)
class ReembedBacklog:
    """A subject whose memories are to be embedded anew, and how many those are."""

    subject: Subject
    memories: int
    elsewhere: bool
    """Whether it is read in another space."""
