"""The shape of a profile, and reading the shipped ones. Reads files of the package."""

import tomllib
from functools import lru_cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from recollect.errors import UnknownProfileError


class _Policy(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class FormPolicy(_Policy):
    """What becomes a memory, and from whose words."""

    sources: tuple[Literal["user", "assistant"], ...] = ("user",)
    """Roles whose words form notes and facts."""
    turns: bool = True
    """Whether messages are recallable as quotations."""
    min_importance: float = Field(default=0.3, ge=0, le=1)
    """Candidates below are ignored."""
    min_confidence: float = Field(default=0.4, ge=0, le=1)
    """Candidates below are ignored."""
    max_attempts: int = Field(default=5, ge=1)
    """Tries before a formation is parked."""


class ResolvePolicy(_Policy):
    """When two memories are one."""

    spelling: float = Field(default=0.8, ge=0, le=1)
    """Normalised Levenshtein similarity above which two notes may merge."""
    meaning: float = Field(default=0.995, ge=0, le=1)
    """Calibrated embedding similarity above which two notes may merge (the built-in embedder: a cosine of .97)."""
    neighbours: int = Field(default=10, ge=1, le=100)
    """How many existing memories a candidate is weighed against."""


class RecallPolicy(_Policy):
    """What is recalled, and how much of it."""

    limit: int = Field(default=10, ge=0, le=200)
    tokens: int = Field(default=800, ge=0)
    """Room in the prompt."""
    fact_importance: float = Field(default=0.5, ge=0, le=1)
    """Standing facts of at least this importance come first, whatever is asked."""
    floor: float = Field(default=0.15, ge=0, le=1)
    """Lowest score of what goes into a prompt (a search shows all)."""
    turns: bool = True
    """Whether quotations of past messages are recalled."""


class Profile(_Policy):
    """A named configuration of all policies."""

    name: str
    description: str
    form: FormPolicy = FormPolicy()
    resolve: ResolvePolicy = ResolvePolicy()
    recall: RecallPolicy = RecallPolicy()


def profile_names() -> list[str]:
    """List the shipped profiles."""
    return sorted(
        entry.name.removesuffix(".toml") for entry in files(__package__).iterdir() if entry.name.endswith(".toml")
    )


@lru_cache(maxsize=64)
def load_profile(name: str) -> Profile:
    """Read a shipped profile.

    Raises:
        UnknownProfileError: there is none of that name.
    """
    known = profile_names()
    if name not in known:
        raise UnknownProfileError(name, known)
    return Profile.model_validate(tomllib.loads((files(__package__) / f"{name}.toml").read_text("utf-8")))
