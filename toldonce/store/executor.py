"""The seam between the store and a database: what a backend brings, and what the repositories share. Pure."""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING, Protocol, TypeVar

from toldonce.clock import Clock
from toldonce.errors import BadRequestError, StoreUnavailableError
from toldonce.store.failpoint import Failpoint
from toldonce.store.sql.database import TooLargeError, Work
from toldonce.store.sql.recall.snapshot_cache import SnapshotCache
from toldonce.store.store_reports import StoreStats
from toldonce.types import (
    ALL_VECTORS,
    Memory,
    MemoryId,
    StorageKind,
    Subject,
    SubjectSnapshot,
    VectorRequest,
)

if TYPE_CHECKING:
    from toldonce.store.encryption.vault import SubjectVault

T = TypeVar("T")
Rank = Callable[[Sequence[SubjectSnapshot]], tuple[Mapping[Subject, Sequence[MemoryId]], T]]
"""Ranks the memories of subjects; returns which are wanted of each subject, and a result of its own."""
# Rows that may be read on the event loop: less than a millisecond of a warm file.
INLINE_ROWS = 100
# How long a read waits for counts that are written in batches, in seconds.
MAX_FLUSH_S = 1.0
# More rows than this in one answer are a mistake or an attack: page instead.
MAX_PAGE_SIZE = 10_000


class Executor(Protocol):
    """Runs work on one database. A backend implements these methods."""

    async def read(self, work: Work[T]) -> T:
        """Run `work`, which changes nothing, in another thread."""
        ...

    async def read_inline(self, work: Work[T], *, small: bool = True) -> T:
        """Run `work`, which reads for some microseconds; a database at hand may do it on the event loop.

        Args:
            work: Changes nothing. It may raise `TooLargeError` after reading little.
            small: False if it may take longer.
        """
        ...

    @property
    def reads_in_callers(self) -> bool:
        """Whether `read_in_caller` reads."""
        ...

    def read_in_caller(self, work: Work[T]) -> tuple[T] | None:
        """Run `work`, which changes nothing, in the calling thread, for a caller without an event loop.

        Returns:
            Its result; None if it has to run in another thread.
        """
        ...

    async def write(
        self,
        work: Work[T],
        *subjects: Subject,
        idempotent: bool = False,
        synced: bool = True,
        urgent: bool = False,
    ) -> T:
        """Run `work` in a transaction; it is durable on return.

        Args:
            work: Reads and writes.
            subjects: No other transaction that names one of these runs at the same time.
            idempotent: Running `work` again is harmless, so it may be repeated after a lost connection hid whether
                it was committed.
            synced: False if it is enough that it outlives this process: a crash of the machine (of the server, where
                there is one) may lose it, and the disk is not waited for.
            urgent: A chat waits for this short work: it passes other work that waits.
        """
        ...

    @property
    def writes_for_callers(self) -> bool:
        """Whether `write_for_caller` writes."""
        ...

    def write_for_caller(self, work: Work[T], *subjects: Subject) -> T:
        """Do as `write` for a thread without an event loop, which waits."""
        ...

    def write_later(self, work: Work[None], *subjects: Subject) -> None:
        """Run `work` in a transaction within seconds; a crash may lose it."""
        ...

    async def flush(self, *subjects: Subject) -> None:
        """Wait until no `write_later` that names one of `subjects` is pending; without subjects, none at all.

        A `write` that is not urgent happens after the pending ones of its subjects without that.
        """
        ...


class SnapshotReader(Protocol):
    """Reads all active memories of subjects for recall: exactly, or with an index of their vectors."""

    async def snapshot(self, subject: Subject, space: str, *, vectors: VectorRequest | None = None) -> SubjectSnapshot:
        """Read all active memories of `subject` as arrays, in one snapshot.

        They come from a cache while the subject's version, read in the same snapshot, has not changed.

        Args:
            subject: Owner of the memories.
            space: Vector space to read.
            vectors: Vectors required from an index (see `SubjectSnapshot.sampled_vectors`); None reads all.

        Returns:
            Memories ordered by id; empty if the subject is unknown.

        Raises:
            SpaceMovedError: The subject is read in another space.
        """
        ...

    async def rank_and_fetch(
        self, subjects: Mapping[Subject, str], rank: Rank[T], *, vectors: Mapping[Subject, VectorRequest] = ALL_VECTORS
    ) -> tuple[T, list[Memory]]:
        """Read the snapshots of `subjects`, let `rank` choose among them, and read the chosen memories.

        All of it happens in one snapshot of the database, which is why `rank` is a callback.

        Args:
            subjects: A reading list, each subject with the space that it is expected to be read in.
            rank: Called with the snapshots in the order of `subjects`. It must be pure: it may run in another thread,
                and twice.
            vectors: As in `snapshot`, for each subject.

        Returns:
            The result of `rank`, and the memories it chose, subject by subject in its order: at the version that was
            ranked, or a later one. Their uses include at least those recorded through this store.

        Raises:
            SpaceMovedError: A subject is read in another space.
        """
        ...

    @property
    def ranks_in_callers(self) -> bool:
        """Whether `rank_and_fetch_in_caller` reads."""
        ...

    def rank_and_fetch_in_caller(self, subjects: Mapping[Subject, str], rank: Rank[T]) -> tuple[T, list[Memory]] | None:
        """Do as `rank_and_fetch` in the calling thread, for a caller without an event loop.

        Returns:
            The same; None if it has to happen in another thread: much is to be read, or the database is elsewhere.

        Raises:
            SpaceMovedError: A subject is read in another space.
        """
        ...


class DatabaseAdmin(Protocol):
    """What operators ask of the database itself."""

    @property
    def storage_kind(self) -> StorageKind:
        """Where the data is kept, which decides what erasing can reach."""
        ...

    async def schema_version(self) -> int:
        """Return the number of the newest applied migration, as it is now.

        Raises:
            NewerSchemaError: A newer ToldOnce has migrated the database since this store was opened.
            StoreUnavailableError: The database does not answer.
        """
        ...

    async def ping(self) -> None:
        """Check that the database answers, and that its file is still the one that was opened.

        Raises:
            StoreUnavailableError: It does not, or it is not.
        """
        ...

    async def ping_all(self) -> None:
        """Check as `ping` does; of a cluster, that every machine answers.

        Raises:
            StoreUnavailableError: Some machine does not.
        """
        ...

    async def require_writable(self) -> None:
        """Check that the database may be written.

        Raises:
            StoreReadOnlyError: It may only be read.
            StoreUnavailableError: It does not answer.
        """
        ...

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what is stored; with `check`, verify the files and that all indexes agree (slow)."""
        ...

    async def scrub(self, *, wait_ms: int, rewrite: bool = False) -> bool:
        """Remove the bytes of erased rows from the database's own files.

        A server's write-ahead log and its backups are out of reach.

        Args:
            wait_ms: How long to wait for other processes that hold the log.
            rewrite: Rewrite the tables of a server, which locks each one meanwhile. Without it, a server's deleted
                rows stay pending.

        Returns:
            Whether nothing is pending any more.
        """
        ...

    async def close(self) -> None:
        """Finish accepted work, then close all connections. Idempotent."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreContext:
    """What the repositories of one store share."""

    executor: Executor
    clock: Clock
    term_key: bytes
    """Key of the database, from which the keys of term hashes and of the erasure ledger are derived."""
    cache: SnapshotCache
    failpoint: Failpoint
    vault: "SubjectVault | None" = None
    """The subjects' data keys, where they are encrypted; `executor` uses them."""


async def flush_counts(executor: Executor, *subjects: Subject) -> None:
    """Let the reads that follow see what was counted of subjects: uses and hits are written in batches.

    A database that is busy is waited for a second: late counts do no harm.
    """
    with suppress(TimeoutError, StoreUnavailableError):
        async with asyncio.timeout(MAX_FLUSH_S):
            await executor.flush(*subjects)


async def read_up_to(executor: Executor, work: Callable[..., T], most: int, *, small: bool = True) -> T:
    """Run `work`, which takes a connection, inline; again in another thread if there are more than `most` rows.

    Args:
        executor: The database.
        work: Changes nothing. Given `most`, it raises `TooLargeError` if there are more.
        most: Number of rows that may be read on the event loop.
        small: See `Executor.read_inline`.
    """
    try:
        return await executor.read_inline(partial(work, most=most), small=small)
    except TooLargeError:
        return await executor.read(work)


def check_limit(limit: object) -> int:
    """Return `limit` if it is 1 to 10,000.

    >>> check_limit(10)
    10

    Raises:
        BadRequestError: It is not.
    """
    if isinstance(limit, bool) or not isinstance(limit, int) or not 1 <= limit <= MAX_PAGE_SIZE:
        raise BadRequestError(f"limit is {limit!r}; it takes 1 to {MAX_PAGE_SIZE}", param="limit")
    return limit
