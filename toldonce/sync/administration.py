"""Namespaces of `ToldOnce`: admin, keys. Made by tools/make_sync.py."""

from __future__ import annotations

from datetime import datetime
from typing import TYPE_CHECKING

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.results import ListOf
from toldonce.profiles.policies import Profile
from toldonce.types import (
    ALL_ACTS,
    ApiKey,
    AuditEntry,
    AuditFilter,
    BucketSize,
    EnergyStatus,
    FormationKey,
    FormationPlace,
    FormationStatus,
    MaintenanceReport,
    NewApiKey,
    Statistics,
    StoreTotals,
    Subject,
    SubjectHealth,
    SubjectTotals,
    UserAlias,
    UserMergeReport,
    UserSummary,
)

if TYPE_CHECKING:
    from toldonce.engine import BreakerStatus, StoreStats, WorkerCounters


class BlockingAdminService:
    """The whole database, the worker and the budgets, as an operator sees them."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """All profiles, by name."""
        return self._engine.core.admin.profiles

    def subjects(self, *, after: str = "", limit: int = 1000, tenant: str | None = None) -> list[Subject]:
        """List all subjects by name.

        Args:
            after: Text of the last subject of the page before, such as `user:ana`; empty lists from the first on.
            limit: Maximum number of subjects to return.
            tenant: Only subjects of this tenant, or of none if it is empty; None lists all.
        """
        return self._engine.run(self._engine.core.admin.subjects(after=after, limit=limit, tenant=tenant))

    def users(self, *, after: str = "", limit: int = 100, tenant: str | None = None) -> list[UserSummary]:
        """List users by name, with the memories and conversations of each, and when it was last seen.

        Args:
            after: Text of the last user of the page before, such as `user:ana`; empty lists from the first on.
            limit: Maximum number of users to return.
            tenant: Only users of this tenant, or of none if it is empty; None lists all.
        """
        return self._engine.run(self._engine.core.admin.users(after=after, limit=limit, tenant=tenant))

    def merge_user(self, user: str | Subject, into: str | Subject, *, actor: str = "library") -> UserMergeReport:
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
        return self._engine.run(self._engine.core.admin.merge_user(user, into, actor=actor))

    def undo_merge(self, user: str | Subject, *, actor: str = "library") -> UserMergeReport:
        """Undo `merge_user`: requests of `user` read and write its own memory again, as it was when it was merged.

        The copies leave the other user's memory, and what they replaced there comes back. What was said since stays
        with the other user, with the copied conversations that went on. What was forgotten or erased since stays so.

        Args:
            user: User who was merged.
            actor: Who does it, for the audit log.

        Raises:
            BadRequestError: the user is not merged, or the user it was merged into is merged as well.
        """
        return self._engine.run(self._engine.core.admin.undo_merge(user, actor=actor))

    def merges(self) -> list[UserAlias]:
        """List who was merged into whom, by name."""
        return self._engine.run(self._engine.core.admin.merges())

    def refresh_merges(self) -> None:
        """Follow what other processes merged and erased, unless that was done within the last second."""
        self._engine.run(self._engine.core.admin.refresh_merges())

    def formations(
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
        return self._engine.run(
            self._engine.core.admin.formations(user=user, tenant=tenant, parked=parked, after=after, limit=limit)
        )

    def retry_formation(self, key: FormationKey) -> bool:
        """Make a parked formation due again; return False if it is not parked."""
        return self._engine.run(self._engine.core.admin.retry_formation(key))

    def stats(self, *, check: bool = False) -> StoreStats:
        """Count what the database holds; with `check`, verify its files and indexes (slow)."""
        return self._engine.run(self._engine.core.admin.stats(check=check))

    def totals(self) -> StoreTotals:
        """Count what the operator's metrics show, over all subjects."""
        return self._engine.run(self._engine.core.admin.totals())

    def subject_totals(self, *, user: str | Subject | None = None) -> SubjectTotals:
        """Count the memories and decisions of one user or subject, and how often recall was used."""
        return self._engine.run(self._engine.core.admin.subject_totals(user=user))

    def subject_statistics(
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
        return self._engine.run(
            self._engine.core.admin.subject_statistics(
                user=user, since=since, until=until, bucket=bucket, time_zone=time_zone
            )
        )

    def health(self, *, user: str | Subject | None = None) -> SubjectHealth:
        """Count what of one user or subject may need a look: held, never recalled and idle memories, parked work."""
        return self._engine.run(self._engine.core.admin.health(user=user))

    def statistics(
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
        return self._engine.run(
            self._engine.core.admin.statistics(
                tenant=tenant, since=since, until=until, bucket=bucket, time_zone=time_zone
            )
        )

    def energy(
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
        return self._engine.run(self._engine.core.admin.energy(user=user, profile=profile, poller=poller))

    @property
    def breaker(self) -> BreakerStatus:
        """State of the circuit breaker in front of the model that forms memories."""
        return self._engine.core.admin.breaker

    def maintain(self, *, user: str | Subject | None = None, dry_run: bool = False) -> MaintenanceReport:
        """Close expired memories, merge near-duplicates and evict what exceeds capacity, as the worker does once a day.

        Args:
            user: User or subject to maintain; None maintains all.
            dry_run: Change nothing, and return what would be closed.

        Raises:
            StaleSubjectError: a subject kept changing; what was done so far stays.
            StoreUnavailableError: the engine was closed meanwhile; what was done so far stays.
        """
        return self._engine.run(self._engine.core.admin.maintain(user=user, dry_run=dry_run))

    def schema_version(self) -> int:
        """Return the version of the database's schema; raise if this ToldOnce cannot use the database.

        Raises:
            NewerSchemaError: a newer ToldOnce has migrated it since this engine was opened.
            StoreUnavailableError: the database does not answer.
        """
        return self._engine.run(self._engine.core.admin.schema_version())

    def ping(self) -> None:
        """Check that the database answers.

        Raises:
            StoreUnavailableError: it does not answer.
        """
        self._engine.run(self._engine.core.admin.ping())

    def ping_all(self) -> None:
        """Check that all subjects can be reached; of a cluster, that every machine answers.

        Raises:
            StoreUnavailableError: some cannot; requests of other subjects may be answered.
        """
        self._engine.run(self._engine.core.admin.ping_all())

    def require_writable(self) -> None:
        """Check that the database may be written.

        Raises:
            StoreReadOnlyError: it may only be read.
            StoreUnavailableError: it does not answer.
        """
        self._engine.run(self._engine.core.admin.require_writable())

    def run_worker(self) -> None:
        """Wait until `stop_worker` ends the background worker, which runs from the start."""
        self._engine.wait_for_worker()

    def stop_worker(self, *, promptly: bool = False) -> None:
        """Stop the background worker after the formation in progress. Later messages are formed by `form`."""
        self._engine.stop_worker(promptly=promptly)

    @property
    def worker_counters(self) -> WorkerCounters:
        """What the worker has done since the engine was opened."""
        return self._engine.core.admin.worker_counters


class BlockingKeyService:
    """API keys: made, listed, revoked and looked up. A key's secret is returned once and stored as its SHA-256."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def create(self, new: NewApiKey, *, actor: str = "library") -> tuple[ApiKey, str]:
        """Make a key; return it with its secret, which cannot be shown again.

        Args:
            new: What the key is for and allows.
            actor: Who makes it, for the audit log.

        Raises:
            BadRequestError: the name is empty or too long, it is bound to a user and an app at once, or to one of them
                in all tenants, it expires in the past, or a limit is not positive.
            BadSubjectError: the tenant, user or app cannot be a subject's name.
        """
        return self._engine.run(self._engine.core.keys.create(new, actor=actor))

    def create_first(self) -> str | None:
        """Make an operator's key if the database never had a key; return its secret, or None."""
        return self._engine.run(self._engine.core.keys.create_first())

    def list(self, *, tenant: str | None = None, after: str = "", limit: int = 1000) -> ListOf[ApiKey]:
        """List keys by id, valid or not.

        Args:
            tenant: Only keys of this tenant; None lists all.
            after: Id of the last key of the page before.
            limit: Maximum number of keys, 1 to 10,000.
        """
        return self._engine.run(self._engine.core.keys.list(tenant=tenant, after=after, limit=limit))

    def get(self, id_: str) -> ApiKey:
        """Return the key with this id.

        Raises:
            UnknownKeyError: there is none.
        """
        return self._engine.run(self._engine.core.keys.get(id_))

    def revoke(self, id_: str, *, actor: str = "library") -> ApiKey:
        """Revoke a key: every server refuses it within seconds. A revoked key stays listed.

        Raises:
            UnknownKeyError: no key has this id.
        """
        return self._engine.run(self._engine.core.keys.revoke(id_, actor=actor))

    def find(self, secret: str) -> ApiKey | None:
        """Return the key with this secret, valid or not; None if there is none."""
        return self._engine.run(self._engine.core.keys.find(secret))

    def sign(self, id_: str, data: bytes) -> bytes:
        """Return the HMAC-SHA256 of data under the stored hash of a key's secret: 32 bytes.

        Every server of the database signs alike. A copy of the database can sign, too: what is to be trusted takes
        another secret as well.

        Raises:
            UnknownKeyError: no key has this id.
        """
        return self._engine.run(self._engine.core.keys.sign(id_, data))

    def note_use(self, secret: str) -> None:
        """Note that a key is used now. A crash may lose it."""
        self._engine.run(self._engine.core.keys.note_use(secret))

    def is_any_valid(self) -> bool:
        """Return whether there is a key that is neither revoked nor expired."""
        return self._engine.run(self._engine.core.keys.is_any_valid())

    def was_any_made(self) -> bool:
        """Return whether a key was ever made, though all may be revoked, expired or erased by now."""
        return self._engine.run(self._engine.core.keys.was_any_made())

    def note_act(self, action: str, *, actor: str, tenant: str = "", target: str = "", count: int = 0) -> None:
        """Append an administrative act to the audit log."""
        self._engine.run(
            self._engine.core.keys.note_act(action, actor=actor, tenant=tenant, target=target, count=count)
        )

    def audit(
        self, wanted: AuditFilter = ALL_ACTS, *, tenant: str | None = None, before: str | None = None, limit: int = 100
    ) -> ListOf[AuditEntry]:
        """List administrative acts, newest first.

        Args:
            wanted: Only acts of this actor, of this name or on this target.
            tenant: Only acts that concern this tenant; None lists all.
            before: Id of the last entry of the page before.
            limit: Maximum number of entries, 1 to 10,000.
        """
        return self._engine.run(self._engine.core.keys.audit(wanted, tenant=tenant, before=before, limit=limit))
