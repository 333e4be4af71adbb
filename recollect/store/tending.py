"""The part of the store's protocol that tending relies on: the promises of `Store` hold here as well. Pure."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from typing import Protocol

from recollect.types import MaintenanceLease, Memory, StaleTerms, Subject


class TendedStore(Protocol):
    """Whose turn it is to be tended, and what tending reads."""

    async def version(self, subject: Subject) -> int:
        """Return the subject's version, which moves with every change to its memories; 0 where nothing was stored."""
        ...

    async def profiles_of(self, subject: Subject) -> set[str]:
        """Name the profiles under which the subject's notes and facts were formed, closed ones included."""
        ...

    async def ended(self, subject: Subject, at: datetime, *, limit: int = 100) -> list[Memory]:
        """Read active notes, facts and episodes whose `valid_to` had passed then: the `limit` first to end, by id."""
        ...

    async def behind(self, *, limit: int = 100) -> list[Subject]:
        """List subjects some of whose memories may have terms of a former scheme (`text.TERM_SCHEME`)."""
        ...

    async def untermed(self, subject: Subject, *, limit: int = 100) -> StaleTerms | None:
        """Read the next active memories whose terms are to be made anew; None where the subject is not behind."""
        ...

    async def set_terms(self, done: StaleTerms, terms: Sequence[Mapping[str, int]]) -> bool:
        """Put terms in the place of the former ones; without memories: note that the subject is not behind any more.

        Args:
            done: What was read. Nothing happens where another process was quicker.
            terms: Of each memory, in order. One that is closed by now is passed over.

        Returns:
            Whether it happened.
        """
        ...

    async def tend_due(self, *, before: datetime, now: datetime, limit: int = 100) -> list[Subject]:
        """List subjects that were not tended since `before` and that nobody tends now, longest waiting first."""
        ...

    async def lease_tending(
        self, subject: Subject, *, before: datetime, now: datetime, lease_s: float
    ) -> MaintenanceLease | None:
        """Take a subject for tending; None where it was tended since `before`, or another holds it."""
        ...

    async def tended_up_to(self, lease: MaintenanceLease, at: datetime, *, until: datetime) -> bool:
        """Note that all that was stored before `at` was tended, the rest not yet, and hold the lease until `until`.

        Returns:
            Whether the lease still stood; if not, nothing was noted.
        """
        ...

    async def tended(self, lease: MaintenanceLease, at: datetime, *, whole: bool = True) -> None:
        """Note that a subject was tended and give the lease back; does nothing where another holds it by now.

        Args:
            lease: As it was taken.
            at: What was stored before was tended.
            whole: Nothing is left to do; False: it is its turn at once, to go on from `at`.
        """
        ...
