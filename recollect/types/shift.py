"""What a statement says has changed in its speaker's life, whether or not the new value is known. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class LifeState(StrEnum):
    """A part of somebody's life of which one thing holds at a time."""

    JOB = "job"
    """Where somebody works, and as what."""
    POSITION = "position"
    """As what somebody works, wherever that is."""
    STUDIES = "studies"
    HOME = "home"
    NAME = "name"
    PARTNER = "partner"
    """With whom somebody lives as a couple."""
    STATUS = "status"
    """Whether somebody is single, engaged or married."""
    TASTE = "taste"
    """What somebody likes best, uses or takes as a rule."""
    PLAN = "plan"
    """What is to come: a trip, an appointment, an exam."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A part of the speaker's life that has changed, or ended."""

    state: LifeState
    old: str = ""
    """What it was, in the speaker's words; empty where the statement does not say."""
    new: str = ""
    """What it is now; empty where the statement does not say."""
    needs_old: bool = False
    """Only what has the words of `old` ends: by themselves these words may mean something else."""
