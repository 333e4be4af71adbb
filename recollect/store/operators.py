"""What a store promises beside memories: energy, apps, subscriptions, counts. Pure."""

from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from recollect.profiles.policies import BudgetPolicy
from recollect.types import (
    AppRecord,
    EnergyStatus,
    Reservation,
    StoreTotals,
    Subject,
    SubjectTotals,
)


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectIndex:
    """An index of one subject's vectors, by which recall finds the near ones instead of comparing all."""

    subject: str
    """Whose; empty where nothing is left of them."""
    space: str
    vectors: int
    """How many the subject has in that space."""
    bytes: int
    """What the index takes."""
    used: bool
    """Whether recall asks it: not where it is unfinished, or the subject is read in another space by now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """What `recollect doctor` says about a store."""

    url: str
    """Where it is, without a password."""
    schema: int
    """Number of the newest migration applied."""
    subjects: int
    conversations: int
    messages: int
    memories: int
    """Active ones, turns included."""
    formations_due: int
    formations_parked: int
    bytes: int
    """Size on disk, write-ahead log included."""
    spaces: tuple[str, ...]
    """Names of the vector spaces in use."""
    indexes: tuple[SubjectIndex, ...] = ()
    """Indexes of giant subjects' vectors."""
    problems: tuple[str, ...]
    """What an integrity check found; empty when all is well. Filled only with `check=True`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitusReport:
    """How the tables of a PostgreSQL database lie on the nodes of Citus."""

    where: str
    """The database, without a password."""
    citus: str
    """Version of the extension."""
    nodes: int
    """Those that hold shards."""
    distributed: tuple[str, ...]
    """Tables that this call distributed by their subject."""
    copied: tuple[str, ...]
    """Tables that this call put on every node whole."""
    before: tuple[str, ...]
    """Tables that lay as they are to lie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What became of the indexes of giant subjects."""

    where: str
    """The database, without a password."""
    least: int
    """From so many vectors on a subject has one."""
    built: tuple[SubjectIndex, ...]
    before: tuple[SubjectIndex, ...]
    """Those that were there already."""
    dropped: tuple[str, ...]
    """Names of what was dropped: not wanted any more, or unfinished."""
    refused: tuple[str, ...]
    """Which subjects cannot have one, and why."""


class OperatorStore(Protocol):
    """The part of `Store` that counts, rations and lists."""

    async def reserve(self, subject: Subject, booked: Reservation, policy: BudgetPolicy) -> None:
        """Book what work is about to cost; durable when this returns, and spent until `settle` says otherwise.

        The budget is looked at and drawn from in one transaction: of two that want the last of it, one gets it.
        Work with units runs while the level is not below the critical share of the capacity and holds its units, and
        while the share of memory work stays below the largest; all work while today's tokens are below their cap.
        A policy without capacity or cap refuses nothing; what it costs is booked all the same.

        Raises:
            BudgetSpentError: the budget does not allow it; nothing was booked.
        """
        ...

    async def settle(self, subject: Subject, reservation: str, *, tokens: int | None) -> None:
        """Put the tokens that were used in the place of those booked; None: nothing was used, take it all back.

        Seen by all that is reserved or told after it; not durable at once: a crash leaves what was booked. Does nothing
        where it is settled already.
        """
        ...

    async def energy(
        self, subject: Subject, policy: BudgetPolicy, *, now: datetime, poller: str | None = None
    ) -> EnergyStatus:
        """Tell how the subject's budget stands under a policy.

        With a poller's name, also what memory work cost since the same name asked before, and this becomes the mark
        for its next call.
        """
        ...

    async def subscribe(self, subject: Subject, shared: Subject, now: datetime) -> None:
        """Let a subject read a shared one beside its own; moves its version unless it does already."""
        ...

    async def unsubscribe(self, subject: Subject, shared: Subject) -> bool:
        """Let it read that one no more; False where it did not."""
        ...

    async def subscriptions(self, subject: Subject) -> tuple[int, list[Subject]]:
        """Return the subject's version, and what it reads beside its own, longest first."""
        ...

    async def announce_app(self, app: Subject, now: datetime) -> None:
        """Note that an app is there; one that was uninstalled is there again, since it was first."""
        ...

    async def remove_app(self, app: Subject, now: datetime) -> bool:
        """Note that an app was uninstalled, its memories left as they are; False where it is not there."""
        ...

    async def app(self, subject: Subject) -> AppRecord | None:
        """Return what is known of an app; None where it was never announced."""
        ...

    async def sums(self) -> StoreTotals:
        """Count what the operator's metrics tell, of all subjects."""
        ...

    async def subject_sums(self, subject: Subject) -> SubjectTotals:
        """Count what is kept of one subject, what was decided, and what recall was good for."""
        ...

    async def subjects(self, *, after: str = "", limit: int = 1000) -> list[Subject]:
        """List subjects by name, for the operator."""
        ...

    async def ready(self) -> int:
        """Return the number of the newest migration that was applied, as it is now.

        Raises:
            NewerSchemaError: a newer Recollect has migrated the database since this store was opened.
            StoreUnavailableError: it does not answer.
        """
        ...

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what is kept; with `check`, verify the files and that all indexes agree (slow)."""
        ...
