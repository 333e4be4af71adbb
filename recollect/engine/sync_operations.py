"""What the engine does for apps and operators, for code without asyncio. Forwards; no logic."""

import asyncio
from collections.abc import Callable, Coroutine
from concurrent.futures import Future
from typing import Any, BinaryIO, Self, TypeVar

from recollect.clock import Clock
from recollect.engine.core import AsyncRecollect
from recollect.engine.embedder import EmbedderStatus, silent
from recollect.engine.transfer import TransferReport
from recollect.maintenance.reembed import ReembedProgress
from recollect.profiles.policies import Profile
from recollect.providers.circuit_breaker import BreakerStatus
from recollect.providers.embedder_loader import EmbedderTrial
from recollect.settings import Settings
from recollect.store.operators import StoreStats
from recollect.types import (
    AppRecord,
    EmbedderSpec,
    FormationKey,
    FormationStatus,
    Memory,
    ProgressReporter,
    ReembedReport,
    StoreTotals,
    Subject,
    SubjectTotals,
)
from recollect.worker.loop import WorkerCounters

T = TypeVar("T")
ListOf = list


class BlockingOperations:
    """The methods of `Recollect` for apps, transfers, formations and embedders; see `AsyncRecollect` for each."""

    _core: AsyncRecollect
    _loop: asyncio.AbstractEventLoop
    _worker: Future[None]

    def __init__(self, settings: Settings | None = None, *, clock: Clock | None = None) -> None:
        """Open: `Recollect` does."""
        raise NotImplementedError

    def _run(self, call: Coroutine[Any, Any, T]) -> T:
        raise NotImplementedError

    @classmethod
    def open(cls, settings: Settings | None = None, *, clock: Clock | None = None) -> Self:
        """Open the store and the models that the settings (by default: the environment) name."""
        return cls(settings, clock=clock)

    def work(self) -> None:
        """Wait until `stop_work` ends the background work, which runs from the start."""
        self._worker.result()

    def stop_work(self) -> None:
        """Finish what is under way, and form nothing more in the background."""
        self._loop.call_soon_threadsafe(self._core.stop_work)

    @property
    def breaker(self) -> BreakerStatus:
        """How the breaker before the model that forms memories stands."""
        return self._core.breaker

    @property
    def worker_counters(self) -> WorkerCounters:
        """What the worker did since this object was opened."""
        return self._core.worker_counters

    def announce_app(self, app: str, *, user: str | Subject | None = None) -> AppRecord:
        """Say that an app is there; one that was uninstalled is there again, with the memories it had."""
        return self._run(self._core.announce_app(app, user=user))

    def app_memories(self, app: str, *, user: str | Subject | None = None) -> ListOf[Memory]:
        """List an app's memories, the last updated first: the user's own, and those of the app of all users."""
        return self._run(self._core.app_memories(app, user=user))

    def ask_embedder(self, text: str) -> None:
        """Embed a text by the embedder in use, to see that it answers."""
        self._run(self._core.ask_embedder(text))

    def delete_app_memories(self, app: str, *, user: str | Subject | None = None) -> int:
        """Erase all memories of an app; returns how many there were. The conversations they sum up stay."""
        return self._run(self._core.delete_app_memories(app, user=user))

    def delete_app_memory(self, app: str, number: int, *, user: str | Subject | None = None) -> None:
        """Erase the memory that an app knows by this number; the conversation it sums up stays."""
        self._run(self._core.delete_app_memory(app, number, user=user))

    def embedder(self) -> EmbedderStatus:
        """Return the embedder in use, how many vectors each space holds, and how many must be embedded again."""
        return self._run(self._core.embedder())

    def export_to(self, file: BinaryIO, *, user: str | Subject | None = None, everybody: bool = False) -> int:
        """Write what is kept of a user, or of everybody, as JSON lines; return how many lines that is."""
        return self._core.export_to(file, user=user, everybody=everybody)

    def finish_erasing(self, *, rewrite: bool = False) -> bool:
        """Finish what erasures left pending; False where something still is."""
        return self._run(self._core.finish_erasing(rewrite=rewrite))

    def formations(self, *, parked: bool | None = None, limit: int = 100) -> ListOf[FormationStatus]:
        """List formations of all subjects, longest due first."""
        return self._run(self._core.formations(parked=parked, limit=limit))

    def import_from(
        self, file: BinaryIO, *, bar: ProgressReporter, only_missing: bool = False, trusted: bool = False
    ) -> TransferReport:
        """Import what `export_to` wrote; vectors and all else that is derived are made again."""
        return self._run(self._core.import_from(file, bar=bar, only_missing=only_missing, trusted=trusted))

    def ping(self) -> None:
        """Raise `StoreUnavailableError` unless the database answers."""
        self._run(self._core.ping())

    def profile(self, name: str) -> Profile:
        """Return a profile."""
        return self._core.profile(name)

    def ready(self) -> int:
        """Return the number of the database's schema, unless it does not answer or is a newer Recollect's."""
        return self._run(self._core.ready())

    def reembed(self, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent) -> ReembedReport:
        """Go on with a change of the embedder, and embed whatever has no vectors of the one in use."""
        return self._run(self._core.reembed(dry_run=dry_run, tell=tell))

    def remove_app(self, app: str, *, purge: bool = False, user: str | Subject | None = None) -> int:
        """Uninstall an app. Its memories stay unless they are purged with it; returns how many were."""
        return self._run(self._core.remove_app(app, purge=purge, user=user))

    def retry(self, key: FormationKey) -> bool:
        """Make a parked formation due again; False where it is not parked."""
        return self._run(self._core.retry(key))

    def stats(self, *, check: bool = False) -> StoreStats:
        """Count what is kept; with `check`, verify that files and indexes agree (slow)."""
        return self._run(self._core.stats(check=check))

    def subject(self, user: str | Subject | None) -> Subject:
        """Return the subject behind a user's name."""
        return self._core.subject(user)

    def subject_sums(self, *, user: str | Subject | None = None) -> SubjectTotals:
        """Count what is kept of one user or other subject, what was decided, and what recall was good for."""
        return self._run(self._core.subject_sums(user=user))

    def subjects(self, *, after: str = "", limit: int = 1000) -> ListOf[Subject]:
        """List all subjects by name."""
        return self._run(self._core.subjects(after=after, limit=limit))

    def sums(self) -> StoreTotals:
        """Count what the operator's metrics tell, of all subjects."""
        return self._run(self._core.sums())

    def try_embedder(self, spec: EmbedderSpec) -> EmbedderTrial:
        """Open an embedder, see that it embeds, and fit what its cosines mean; changes nothing."""
        return self._run(self._core.try_embedder(spec))

    def use_embedder(
        self, trial: EmbedderTrial, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Embed all memories of all subjects by another embedder, and use it from then on; nothing stops meanwhile."""
        return self._run(self._core.use_embedder(trial, dry_run=dry_run, tell=tell))
