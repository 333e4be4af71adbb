"""An executor whose work sees plain values, while the database holds sealed ones. Wraps an executor."""

from typing import TypeVar

from toldonce.store.encryption.connection import Dialect, SealedConnection
from toldonce.store.encryption.vault import SubjectVault
from toldonce.store.executor import Executor
from toldonce.store.sql.database import SqlConnection, Work
from toldonce.types import Subject

T = TypeVar("T")


class SealingExecutor:
    """Runs work on one database with encrypted subjects: see `Executor`."""

    def __init__(self, inner: Executor, vault: SubjectVault, dialect: Dialect) -> None:
        self._inner = inner
        self._vault = vault
        self._dialect = dialect

    def _over(self, work: Work[T]) -> Work[T]:
        def sealed(db: SqlConnection) -> T:
            return work(SealedConnection(db, self._vault, self._dialect))

        return sealed

    async def read(self, work: Work[T]) -> T:
        """Read in another thread."""
        return await self._inner.read(self._over(work))

    async def read_inline(self, work: Work[T], *, small: bool = True) -> T:
        """Read on the event loop where the keyring is a file, too: the loop must not wait for a network."""
        return await self._inner.read_inline(self._over(work), small=small and self._vault.keyring.near)

    @property
    def reads_in_callers(self) -> bool:
        """Whether `read_in_caller` reads."""
        return self._inner.reads_in_callers

    def read_in_caller(self, work: Work[T]) -> tuple[T] | None:
        """Read in the calling thread."""
        return self._inner.read_in_caller(self._over(work))

    async def write(
        self,
        work: Work[T],
        *subjects: Subject,
        idempotent: bool = False,
        synced: bool = True,
        urgent: bool = False,
    ) -> T:
        """Write in a transaction."""
        return await self._inner.write(self._over(work), *subjects, idempotent=idempotent, synced=synced, urgent=urgent)

    @property
    def writes_for_callers(self) -> bool:
        """Whether `write_for_caller` writes."""
        return self._inner.writes_for_callers

    def write_for_caller(self, work: Work[T], *subjects: Subject) -> T:
        """Write for a thread without an event loop, which waits."""
        return self._inner.write_for_caller(self._over(work), *subjects)

    def write_later(self, work: Work[None], *subjects: Subject) -> None:
        """Write within seconds."""
        self._inner.write_later(self._over(work), *subjects)

    async def flush(self, *subjects: Subject) -> None:
        """Wait until no `write_later` that names one of `subjects` is pending."""
        await self._inner.flush(*subjects)
