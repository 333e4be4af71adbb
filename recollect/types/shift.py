"""Changes in a speaker's life that a statement tells of, with or without the new value. Pure."""

from dataclasses import dataclass
from enum import StrEnum


class LifeState(StrEnum):
    """A part of a life that has one state at a time."""

    JOB = "job"
    """Employer and position."""
    POSITION = "position"
    """Position, with any employer."""
    STUDIES = "studies"
    HOME = "home"
    NAME = "name"
    PARTNER = "partner"
    """The person one lives with as a couple."""
    STATUS = "status"
    """Single, engaged, married …"""
    TASTE = "taste"
    """What one likes best, or usually uses or takes."""
    PLAN = "plan"
    """Something planned: a trip, an appointment, an exam."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Shift:
    """A part of the speaker's life that has changed, or ended."""

    state: LifeState
    old: str = ""
    """What it was, in the speaker's words; empty if the statement does not say."""
    new: str = ""
    """What it is now; empty if the statement does not say."""
    needs_old: bool = False
    """Only memories with the words of `old` end, as the statement alone may mean something else."""
