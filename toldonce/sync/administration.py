"""Namespaces of `ToldOnce`: admin, keys."""

from typing import TYPE_CHECKING

from toldonce.engine import BreakerStatus
from toldonce.engine.admin import AdminService
from toldonce.engine.keys import KeyService
from toldonce.profiles.policies import Profile
from toldonce.sync.blocking_service import BlockingService, blocking

if TYPE_CHECKING:
    from toldonce.engine import WorkerCounters


class BlockingAdminService(BlockingService, namespace="admin"):
    """The whole database, the worker and the budgets, as an operator sees them."""

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """All profiles, by name."""
        return self._engine.core.admin.profiles

    subjects = blocking(AdminService.subjects)
    users = blocking(AdminService.users)
    merge_user = blocking(AdminService.merge_user)
    undo_merge = blocking(AdminService.undo_merge)
    merges = blocking(AdminService.merges)
    refresh_merges = blocking(AdminService.refresh_merges)
    formations = blocking(AdminService.formations)
    retry_formation = blocking(AdminService.retry_formation)
    stats = blocking(AdminService.stats)
    totals = blocking(AdminService.totals)
    subject_totals = blocking(AdminService.subject_totals)
    subject_statistics = blocking(AdminService.subject_statistics)
    health = blocking(AdminService.health)
    statistics = blocking(AdminService.statistics)
    energy = blocking(AdminService.energy)

    @property
    def breaker(self) -> BreakerStatus:
        """State of the circuit breaker in front of the model that forms memories."""
        return self._engine.core.admin.breaker

    maintain = blocking(AdminService.maintain)
    schema_version = blocking(AdminService.schema_version)
    ping = blocking(AdminService.ping)
    ping_all = blocking(AdminService.ping_all)
    require_writable = blocking(AdminService.require_writable)

    def run_worker(self) -> None:
        """Wait until `stop_worker` ends the background worker, which runs from the start."""
        self._engine.wait_for_worker()

    def stop_worker(self, *, promptly: bool = False) -> None:
        """Stop the background worker after the formation in progress. Later messages are formed by `form`."""
        self._engine.stop_worker(promptly=promptly)

    @property
    def worker_counters(self) -> "WorkerCounters":
        """What the worker has done since the engine was opened."""
        return self._engine.core.admin.worker_counters


class BlockingKeyService(BlockingService, namespace="keys"):
    """API keys: made, listed, revoked and looked up. A key's secret is returned once and stored as its SHA-256."""

    create = blocking(KeyService.create)
    create_first = blocking(KeyService.create_first)
    list = blocking(KeyService.list)
    get = blocking(KeyService.get)
    revoke = blocking(KeyService.revoke)
    find = blocking(KeyService.find)
    sign = blocking(KeyService.sign)
    note_use = blocking(KeyService.note_use)
    is_any_valid = blocking(KeyService.is_any_valid)
    was_any_made = blocking(KeyService.was_any_made)
    note_act = blocking(KeyService.note_act)
    audit = blocking(KeyService.audit)
