"""Counts that the store reports, and how long operations report their progress. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from toldonce.types.subject import Subject


class ProgressReporter(Protocol):
    """Shows how far a long operation is."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Begin a phase of `total` units."""
        ...

    def reach(self, done: int) -> None:
        """Report how many units of the phase are done."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class AppRecord:
    """An app that was announced."""

    subject: Subject
    """Whose memory is the app's."""
    created_at: datetime
    removed_at: datetime | None
    """When it was uninstalled; None while it is there."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppSummary:
    """An app, over all its users."""

    id: str
    """The name by which it calls itself."""
    users: int
    """Number of users with conversations, or with memories, whichever are more."""
    memories: int
    """Number of active memories."""
    conversations: int
    installed_at: datetime | None
    """When it was first registered; None if it never was."""
    removed_at: datetime | None
    """When the last user uninstalled it; None while it is installed, and if it never was."""
    last_used_at: datetime | None
    """When it last said or learned something; None if it never did."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreTotals:
    """What the operator's metrics say of everything kept."""

    memories: int
    """Active notes, facts, episodes and kept quotations."""
    apps: int
    apps_with_memories: int
    formations_due: int
    formations_parked: int


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectTotals:
    """What is counted of one subject."""

    memories: int
    """Active notes, facts, episodes and kept quotations."""
    decisions: Mapping[str, int]
    """By action."""
    recalled: int
    """Memories put into prompts whose answers are known."""
    hits: int
    """Those of them that the answers made use of."""
