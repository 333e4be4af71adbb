"""`memory.admin`: counts, parked formations, maintenance and the worker, for operators. Writes through the store."""

from dataclasses import replace
from datetime import datetime
from typing import TYPE_CHECKING

from toldonce.engine.arguments import read_choice
from toldonce.engine.components import Components
from toldonce.engine.steps import Steps
from toldonce.errors import BadRequestError
from toldonce.profiles.policies import Profile
from toldonce.providers.circuit_breaker import BreakerStatus
from toldonce.store.store_reports import StoreStats
from toldonce.types import (
    BucketSize,
    Decision,
    EnergyStatus,
    FormationKey,
    FormationPlace,
    FormationStatus,
    MaintenanceReport,
    Statistics,
    StatisticsSpan,
    StoreTotals,
    Subject,
    SubjectHealth,
    SubjectTotals,
    UserAlias,
    UserMergeReport,
    UserSummary,
)

if TYPE_CHECKING:
    from toldonce.engine.user_merge import UserMerger
    from toldonce.worker.counters import WorkerCounters

# Maximum length of a poller's name, in characters: each name is stored for good.
MAX_POLLER_CHARACTERS = 100
_PAGE_SIZE = 1000


def require_poller(poller: str | None) -> None:
    """Check a poller's name; None passes.

    Raises:
        BadRequestError: it is empty or too long.
    """
    if poller is not None and not 1 <= len(poller) <= MAX_POLLER_CHARACTERS:
        why = f"a poller's name has {len(poller)} characters, it takes 1 to {MAX_POLLER_CHARACTERS}"
        raise BadRequestError(why, param="poller")


class AdminService:
    """The whole database, the worker and the budgets, as an operator sees them."""

    def __init__(self, components: Components, steps: Steps) -> None:
        self._components = components
        self._store = components.store
        self._steps = steps

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """All profiles, by name."""
        registry = self._components.profiles
        return tuple(registry.get(name) for name in registry.names())

    async def subjects(self, *, after: str = "", limit: int = 1000, tenant: str | None = None) -> list[Subject]:
        """List all subjects by name.

        Args:
            after: Text of the last subject of the page before, such as `user:ana`; empty lists from the first on.
            limit: Maximum number of subjects to return.
            tenant: Only subjects of this tenant, or of none if it is empty; None lists all.
        """
        return await self._store.admin.subjects(after=after, limit=limit, tenant=tenant)

    async def users(self, *, after: str = "", limit: int = 100, tenant: str | None = None) -> list[UserSummary]:
        """List users by name, with the memories and conversations of each, and when it was last seen.

        Args:
            after: Text of the last user of the page before, such as `user:ana`; empty lists from the first on.
            limit: Maximum number of users to return.
            tenant: Only users of this tenant, or of none if it is empty; None lists all.
        """
        await self._components.refresh()
        found = await self._store.admin.users(after=after, limit=limit, tenant=tenant)
        targets = [self._components.subject(user.subject) for user in found]
        return [
            user if target == user.subject else replace(user, merged_into=target)
            for user, target in zip(found, targets, strict=True)
        ]

    async def merge_user(self, user: str | Subject, into: str | Subject, *, actor: str = "library") -> UserMergeReport:
        """Merge two users who are one person: from now on requests of `user` read and write the memory of `into`.

        Memories, conversations, decisions and the subjects within `user` are copied to those of `into`. Of two values
        of a slot the newer one holds, the other is the past. What is kept of `user` stays as it was, until `undo_merge`
        returns it; erasing `into`, or what was copied, erases it there as well. Others write between its portions, and
        recall reads what is not copied yet, too. A merge that was interrupted goes on with the same call, which returns
        what it copied itself.

        Args:
            user: User whose memory is copied.
            into: User who gets it; if that one was merged itself, the user it was merged into.
            actor: Who does it, for the audit log.

        Raises:
            BadRequestError: one of them is no user, they are of two tenants or one already, `user` is merged into
                another one, or the database is in memory.
            ModelError: the embedder failed; the same call goes on.
            StaleSubjectError: the memory of `user` kept changing, as things were erased from it; the same call goes on.
            StoreUnavailableError: the database failed or is being closed; the same call goes on.
        """
        return await self._merger.merge(user, into, actor=actor)

    async def undo_merge(self, user: str | Subject, *, actor: str = "library") -> UserMergeReport:
        """Undo `merge_user`: requests of `user` read and write its own memory again, as it was when it was merged.

        The copies leave the other user's memory, and what they replaced there comes back. What was said since stays
        with the other user, with the copied conversations that went on. What was forgotten or erased since stays so.

        Args:
            user: User who was merged.
            actor: Who does it, for the audit log.

        Raises:
            BadRequestError: the user is not merged, or the user it was merged into is merged as well.
        """
        return await self._merger.undo(user, actor=actor)

    async def merges(self) -> list[UserAlias]:
        """List who was merged into whom, by name."""
        return await self._merger.aliases()

    async def refresh_merges(self) -> None:
        """Follow what other processes merged and erased, unless that was done within the last second."""
        await self._components.refresh()

    @property
    def _merger(self) -> "UserMerger":
        from toldonce.engine.user_merge import UserMerger

        return UserMerger(self._components, self._steps.runtime, self._steps.closing.is_set)

    async def formations(
        self,
        *,
        user: str | Subject | None = None,
        tenant: str | None = None,
        parked: bool | None = None,
        after: FormationPlace | None = None,
        limit: int = 100,
    ) -> list[FormationStatus]:
        """List formations of all subjects, longest due first.

        Args:
            user: Only those that write to this user or subject; None lists all.
            tenant: Only those of this tenant's subjects, or of those without one if it is empty; None lists all.
            parked: Only parked ones (True) or only waiting ones (False); None lists both.
            after: `place` of the last formation of the page before; None lists from the longest due on.
            limit: Maximum number of formations to return.
        """
        subject = None if user is None else self._components.subject(user)
        return await self._store.formations.list(
            subject=subject, tenant=tenant, parked=parked, after=after, limit=limit
        )

    async def retry_formation(self, key: FormationKey) -> bool:
        """Make a parked formation due again; return False if it is not parked."""
        return await self._store.formations.retry(key, now=self._components.clock.now())

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what the database holds; with `check`, verify its files and indexes (slow)."""
        return await self._store.admin.stats(check=check)

    async def totals(self) -> StoreTotals:
        """Count what the operator's metrics show, over all subjects."""
        return await self._store.admin.totals()

    async def subject_totals(self, *, user: str | Subject | None = None) -> SubjectTotals:
        """Count the memories and decisions of one user or subject, and how often recall was used."""
        return await self._store.admin.subject_totals(self._components.subject(user))

    async def subject_statistics(
        self,
        *,
        user: str | Subject | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        bucket: BucketSize = BucketSize.DAY,
        time_zone: str | None = None,
    ) -> Statistics:
        """Count over time what was stored, decided, put into prompts and spent for one user or subject.

        Args:
            user: User or subject.
            since: Begin of what is counted (aware), rounded down to a whole bucket; None: 30 buckets before the end.
            until: End (aware), rounded up; None: now.
            bucket: Length of the spans that things are counted by; at most 400 of them.
            time_zone: Zone of the hours and days, such as Europe/Oslo; None: `TOLDONCE_TIME_ZONE`.

        Raises:
            BadRequestError: an instant has no time zone, the interval is empty or too long, or the zone is unknown.
        """
        span = StatisticsSpan.of(
            now=self._components.clock.now(),
            size=read_choice(BucketSize, bucket, "bucket"),
            since=since,
            until=until,
            zone=self._components.settings.time_zone if time_zone is None else time_zone,
        )
        return await self._store.admin.subject_statistics(self._components.subject(user), span)

    async def health(self, *, user: str | Subject | None = None) -> SubjectHealth:
        """Count what of one user or subject may need a look: held, never recalled and idle memories, parked work."""
        return await self._store.admin.health(self._components.subject(user))

    async def statistics(
        self,
        *,
        tenant: str | None = None,
        since: datetime | None = None,
        until: datetime | None = None,
        bucket: BucketSize = BucketSize.DAY,
        time_zone: str | None = None,
    ) -> Statistics:
        """Count the same of all subjects: see `subject_statistics`.

        Args:
            tenant: Only subjects of this tenant, or of none if it is empty; None counts all.
            since: Begin (aware).
            until: End (aware).
            bucket: Length of the spans that things are counted by.
            time_zone: Zone of the hours and days.

        Raises:
            BadRequestError: an instant has no time zone, the interval is empty or too long, or the zone is unknown.
        """
        span = StatisticsSpan.of(
            now=self._components.clock.now(),
            size=read_choice(BucketSize, bucket, "bucket"),
            since=since,
            until=until,
            zone=self._components.settings.time_zone if time_zone is None else time_zone,
        )
        return await self._store.admin.statistics(span, tenant=tenant)

    async def energy(
        self, *, user: str | Subject | None = None, profile: str | None = None, poller: str | None = None
    ) -> EnergyStatus:
        """Return what memory work has cost a subject, and what its budget still allows.

        Args:
            user: User or subject whose budget to show.
            profile: Profile whose budget policy applies; None is the settings' profile.
            poller: Name of the caller, 1 to 100 characters: the result then has what was spent since the last call
                under this name.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: the poller's name is empty or longer than 100 characters.
        """
        require_poller(poller)
        policy = self._components.profile(profile).budget
        subject = self._components.subject(user)
        return await self._store.budgets.status(subject, policy, now=self._components.clock.now(), poller=poller)

    @property
    def breaker(self) -> BreakerStatus:
        """State of the circuit breaker in front of the model that forms memories."""
        elsewhere = self._steps.worker.elsewhere
        return elsewhere.breaker if elsewhere and elsewhere.breaker else self._steps.breaker.status()

    async def maintain(self, *, user: str | Subject | None = None, dry_run: bool = False) -> MaintenanceReport:
        """Close expired memories, merge near-duplicates and evict what exceeds capacity, as the worker does once a day.

        Args:
            user: User or subject to maintain; None maintains all.
            dry_run: Change nothing, and return what would be closed.

        Raises:
            StaleSubjectError: a subject kept changing; what was done so far stays.
            StoreUnavailableError: the engine was closed meanwhile; what was done so far stays.
        """
        if user is not None:
            decisions = await self._maintain(self._components.subject(user), dry_run=dry_run)
            return MaintenanceReport(subjects=1, decisions=tuple(decisions), dry_run=dry_run)
        maintained, all_decisions = 0, list[Decision]()
        page = await self.subjects(limit=_PAGE_SIZE)
        while page:
            for subject in page:
                all_decisions += await self._maintain(subject, dry_run=dry_run)
            maintained += len(page)
            page = await self.subjects(after=page[-1].text, limit=_PAGE_SIZE)
        return MaintenanceReport(subjects=maintained, decisions=tuple(all_decisions), dry_run=dry_run)

    async def _maintain(self, subject: Subject, *, dry_run: bool) -> list[Decision]:
        from toldonce.maintenance.sweep import maintain_subject

        return await maintain_subject(self._steps.runtime, subject, dry_run=dry_run, stop=self._steps.closing.is_set)

    async def schema_version(self) -> int:
        """Return the version of the database's schema; raise if this ToldOnce cannot use the database.

        Raises:
            NewerSchemaError: a newer ToldOnce has migrated it since this engine was opened.
            StoreUnavailableError: the database does not answer.
        """
        return await self._store.database.schema_version()

    async def ping(self) -> None:
        """Check that the database answers.

        Raises:
            StoreUnavailableError: it does not answer.
        """
        await self._store.database.ping()

    async def ping_all(self) -> None:
        """Check that all subjects can be reached; of a cluster, that every machine answers.

        Raises:
            StoreUnavailableError: some cannot; requests of other subjects may be answered.
        """
        await self._store.database.ping_all()

    async def require_writable(self) -> None:
        """Check that the database may be written.

        Raises:
            StoreReadOnlyError: it may only be read.
            StoreUnavailableError: it does not answer.
        """
        await self._store.database.require_writable()

    async def run_worker(self) -> None:
        """Form memories and do maintenance until `stop_worker` is called."""
        await self._steps.run_worker()

    def stop_worker(self, *, promptly: bool = False) -> None:
        """Stop `run_worker` after the formation in progress.

        Args:
            promptly: Wait for no model; the formation is given back, and the next worker begins it again.
        """
        self._steps.stop_worker(promptly=promptly)

    @property
    def worker_counters(self) -> "WorkerCounters":
        """What the worker has done since the engine was opened."""
        return self._steps.worker.counters
