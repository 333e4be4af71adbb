"""Part of the API: what an operator asks of the whole database. Reads and writes the store."""

from recollect.engine.base import ListOf, Wired
from recollect.errors import BadRequestError
from recollect.maintenance.sweep import maintain_subject
from recollect.providers.circuit_breaker import BreakerStatus
from recollect.store.operators import StoreStats
from recollect.types import (
    Decision,
    EnergyStatus,
    FormationKey,
    FormationStatus,
    MaintenanceReport,
    StoreTotals,
    Subject,
    SubjectTotals,
)

# Longest name of a poller, in characters: each is kept for good.
MAX_POLLER_CHARACTERS = 100
_PAGE_SIZE = 1000


class AdminService(Wired):
    """Counts, lists and retries."""

    async def formations(self, *, parked: bool | None = None, limit: int = 100) -> ListOf[FormationStatus]:
        """List formations of all subjects, longest due first."""
        return await self._store.formations(parked=parked, limit=limit)

    async def retry(self, key: FormationKey) -> bool:
        """Make a parked formation due again; False where it is not parked."""
        return await self._store.retry_formation(key, now=self.clock.now())

    async def subjects(self, *, after: str = "", limit: int = 1000) -> ListOf[Subject]:
        """List all subjects by name."""
        return await self._store.subjects(after=after, limit=limit)

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what is kept; with `check`, verify that files and indexes agree (slow)."""
        return await self._store.stats(check=check)

    async def sums(self) -> StoreTotals:
        """Count what the operator's metrics tell, of all subjects."""
        return await self._store.sums()

    async def subject_sums(self, *, user: str | Subject | None = None) -> SubjectTotals:
        """Count what is kept of one user or other subject, what was decided, and what recall was good for."""
        return await self._store.subject_sums(self.subject(user))

    async def energy(
        self, *, user: str | Subject | None = None, profile: str | None = None, poller: str | None = None
    ) -> EnergyStatus:
        """Tell what memory work costs a subject, and what its budget still allows.

        Args:
            user: Whose memory; a `Subject` where it is not a user's.
            profile: Whose budget policy; None is the settings' profile.
            poller: Name of who asks: the answer then has what was spent since the same name asked before.

        Raises:
            UnknownProfileError: there is no profile of that name.
            BadRequestError: the poller's name is empty or longer than 100 characters.
        """
        if poller is not None and not 1 <= len(poller) <= MAX_POLLER_CHARACTERS:
            raise BadRequestError(
                f"a poller's name has {len(poller)} characters, it takes 1 to {MAX_POLLER_CHARACTERS}", param="poller"
            )
        policy = self.profile(profile or self.settings.profile).budget
        return await self._store.energy(self.subject(user), policy, now=self.clock.now(), poller=poller)

    @property
    def breaker(self) -> BreakerStatus:
        """How the breaker before the model that forms memories stands."""
        return self._breaker.status()

    async def tend(self, *, user: str | Subject | None = None, dry_run: bool = False) -> MaintenanceReport:
        """End what is over, merge near-duplicates and make everything fit its room; the worker does so once a day.

        Args:
            user: Whose memory; None: everybody's.
            dry_run: Change nothing, and say what would be closed.

        Raises:
            StaleSubjectError: a subject kept changing meanwhile; what was done until then stands.
            StoreUnavailableError: the engine was closed meanwhile; what was done until then stands.
        """
        if user is not None:
            decisions = await maintain_subject(self._tools, self.subject(user), dry_run=dry_run, stop=self._is_closing)
            return MaintenanceReport(subjects=1, decisions=tuple(decisions), dry_run=dry_run)
        looked_at, found = 0, list[Decision]()
        page = await self.subjects(limit=_PAGE_SIZE)
        while page:
            for subject in page:
                found += await maintain_subject(self._tools, subject, dry_run=dry_run, stop=self._is_closing)
            looked_at += len(page)
            page = await self.subjects(after=page[-1].text, limit=_PAGE_SIZE)
        return MaintenanceReport(subjects=looked_at, decisions=tuple(found), dry_run=dry_run)

    def _is_closing(self) -> bool:
        return self._closing

    async def ready(self) -> int:
        """Return the number of the database's schema, unless it does not answer or is a newer Recollect's.

        Raises:
            NewerSchemaError: a newer Recollect has migrated it since this engine was opened.
            StoreUnavailableError: it does not answer.
        """
        return await self._store.ready()

    async def ping(self) -> None:
        """Raise `StoreUnavailableError` unless the database answers."""
        await self._store.next_due()
