"""Repository of erasures: erasing, and the ledger of keyed hashes that remembers what was erased or forgotten.

Most of a large subject is erased in small transactions, before the one that ends its erasure. Each portion takes
memories away with what is kept of each of them alone. What depends on all of a subject (what other subjects quote of
it, its messages, its name) is left to the last transaction.
"""

import asyncio
import builtins
import json
from collections import Counter
from collections.abc import Coroutine, Mapping, Sequence
from dataclasses import replace
from datetime import datetime
from functools import partial
from typing import TypeVar

from toldonce.errors import StoreUnavailableError
from toldonce.store.executor import StoreContext
from toldonce.store.repository import Reads, Repository
from toldonce.store.sql import subjects
from toldonce.store.sql.aliases import erased_with, sources_of
from toldonce.store.sql.database import SqlConnection, Work, load
from toldonce.store.sql.erase import erase
from toldonce.store.sql.erase.erase import EraseServices
from toldonce.store.sql.erase.insertions import empty_most_quoting
from toldonce.store.sql.erase.orders import (
    begin_or_continue,
    begun_erasure,
    erasure_stamp,
    erasures,
    note_begun,
    stamp_erasure,
    unfinished_orders,
)
from toldonce.store.sql.erase.tombstones import TombstoneLedger
from toldonce.store.sql.rows import fetch, fetch_value
from toldonce.types import EraseRequest, ErasureRecord, Subject

T = TypeVar("T")
SQL, KEYS_SQL = load("erase"), load("keys")


class ErasureRepository(Repository):
    """Erases, and tells what was erased or forgotten."""

    list = Reads(erasures)
    stamp = Reads(erasure_stamp, inline=True)

    def __init__(self, context: StoreContext) -> None:
        super().__init__(context)
        self._under_way: set[asyncio.Future[ErasureRecord]] = set()
        reach = context.failpoint.reach
        self._services = EraseServices(clock=context.clock, term_key=context.term_key, midway=lambda: reach("erasing"))

    async def erase(self, order: EraseRequest) -> ErasureRecord:
        """Erase what is named and all that tells of it; durable on return.

        Memories go with their vectors, terms, tags, quotes and decisions, and with the closed memories that they
        replaced. Of messages only place, role and times stay; the ledger keeps a resent history from writing them, or
        what they said, again. What was formed from erased messages goes too, unless it has other evidence.
        Formations in progress lose their leases.

        Of a large subject most memories go first, in small transactions that let others write. Subjects within an
        erased one go a batch at a time, the subject itself last. The first transaction keeps the order: cancelling the
        caller does not stop the others, and after a crash `resume` continues. A subject that was erased whole may begin
        again. Its bytes may stay in the database's files until `DatabaseAdmin.scrub` removes them.

        Raises:
            UnknownMemoryError: The subject does not have a named memory.
            UnknownConversationError: The subject does not have the named conversation.
        """
        return await self._shielded(self._erase_whole(order) if order.everything else self._erase_part(order))

    async def resume(self) -> int:
        """End the erasures of whole subjects that were interrupted; return how many. Waits for those under way."""
        await self.close()
        orders = await self._executor.read(unfinished_orders)
        for order in orders:
            await self._shielded(self._erase_whole(order, continues=True))
        return len(orders)

    async def close(self) -> None:
        """Wait for the erasures under way."""
        if self._under_way:
            await asyncio.wait(self._under_way)

    async def _shielded(self, work: Coroutine[None, None, ErasureRecord]) -> ErasureRecord:
        """Run an erasure to its end, even if the caller is cancelled: a part of a subject must not stay."""
        task = asyncio.ensure_future(work)
        self._under_way.add(task)
        task.add_done_callback(self._under_way.discard)
        return await asyncio.shield(task)

    async def _erase_part(self, order: EraseRequest) -> ErasureRecord:
        emptied = 0
        if await self._executor.read(lambda db: erase.erases_messages(db, order)):
            emptied = await empty_most_quoting(self._executor, order.subject)
        sources = await self._executor.read(lambda db: sources_of(db, order.subject))
        erasure = await self._erase(
            lambda db: erase.erase(db, order, self._services, emptied=emptied, sources=sources), order.subject, *sources
        )
        self._context.failpoint.reach("erased")
        return erasure

    async def _erase_whole(self, order: EraseRequest, *, continues: bool = False) -> ErasureRecord:
        """Erase a subject, from its start or from where an interrupted erasure came to."""
        continues = await self._erase_portions(order, continues=continues)
        parts: builtins.list[tuple[Subject, ErasureRecord]] = []
        whole: ErasureRecord | None = None
        while whole is None:
            batch = await self._executor.read(lambda db: erased_with(db, order.subject, limit=erase.MAX_INNER))
            erased, whole = await self._erase(
                partial(erase.erase_whole, order=order, parts=batch, services=self._services, continues=continues),
                order.subject,
                *batch,
            )
            parts += erased
            continues = True
            self._context.failpoint.reach("erased")
        pending = any(part.cleaned_at is None for _, part in parts)
        return replace(
            whole,
            cleaned_at=None if pending else whole.cleaned_at,
            inner=tuple((subject, part.counts) for subject, part in parts),
        )

    async def _erase_portions(self, order: EraseRequest, *, continues: bool) -> bool:
        """Erase a large subject's memories but the last few; return whether its erasure is begun."""
        after = b""
        while last := await self._erase(
            partial(erase_portion, order=order, after=after, services=self._services, continues=continues),
            order.subject,
            synced=False,
        ):
            after, continues = last, True
        return continues

    async def _erase(self, work: Work[T], *subjects: Subject, synced: bool = True) -> T:
        """Erase in one transaction."""
        await self._executor.flush(*subjects)  # a pending write would bring erased ids back

        def stamped(db: SqlConnection) -> T:
            done = work(db)
            stamp_erasure(db, self._context.clock)
            return done

        done = await self._executor.write(stamped, *subjects, synced=synced)
        for subject in subjects:
            self._context.cache.forget(subject)
        return done

    async def drop_cached(self) -> None:
        """Drop from this store's cache what any process has erased."""
        cache = self._context.cache
        known = cache.versions()
        for subject in await self._executor.read(partial(subjects_that_lost, versions=known)):
            cache.forget(subject)

    async def pending(self) -> int:
        """Return the number of erasures that have not ended, or whose bytes or keys may be there, of all subjects."""
        unclean = await self._executor.read(lambda db: int(fetch_value(db, SQL["unclean"])))
        return unclean + (0 if self._context.vault is None else len(await self._retired()))

    async def destroy_keys(self) -> bool:
        """Destroy the data keys of erased subjects; return whether none is left. A key that is gone stays gone.

        What they encrypted cannot be decrypted any more, wherever copies of the database are.
        """
        vault = self._context.vault
        if vault is None:
            return True
        for subject, up_to in await self._retired():
            try:
                await asyncio.to_thread(vault.destroy, subject, up_to)
            except StoreUnavailableError:
                return False
            self._context.failpoint.reach("destroyed")
            await self._executor.write(partial(_note_destroyed, subject=subject, up_to=up_to))
        return True

    async def _retired(self) -> builtins.list[tuple[int, int]]:
        rows = await self._executor.read(lambda db: fetch(db, KEYS_SQL["retired"]))
        return [(int(subject), int(up_to)) for subject, up_to in rows]

    async def forgotten(self, subject: Subject, marks: Sequence[int]) -> Mapping[int, datetime]:
        """Return which marks (see `MarkWords`) the subject's ledger holds, each with the latest instant it was said.

        Fast if nothing of the subject was forgotten or erased.
        """
        term_key = self._context.term_key
        return await self._executor.read(lambda db: TombstoneLedger(db, subject, term_key).known(marks))

    async def has_forgotten(self, subject: Subject) -> bool:
        """Return whether anything of the subject was forgotten or erased."""
        term_key = self._context.term_key
        return not await self._executor.read_inline(lambda db: TombstoneLedger(db, subject, term_key).empty)


def subjects_that_lost(db: SqlConnection, versions: Mapping[Subject, int]) -> builtins.list[Subject]:
    """Return the subjects of which memories were erased since they had these versions."""
    keys = json.dumps([subject.key for subject in versions])
    now = {int(key): int(version) for key, version in fetch(db, SQL["versions_of"], keys)}
    return [
        subject
        for subject, version in versions.items()
        if subject.key not in now
        or (now[subject.key] != version and fetch(db, SQL["lost_since"], subject.key, version))
    ]


def _note_destroyed(db: SqlConnection, *, subject: int, up_to: int) -> None:
    db.execute(KEYS_SQL["destroyed"], (subject, up_to))


# Memories of one transaction: it holds the one writer for some 10 ms.
MAX_MEMORIES = 500
# Statements that take a range of memories away, with the line of the receipt on which their rows are counted.
_ROWS = (
    ("portion_vectors", "vectors"),
    ("portion_hot", "terms"),
    ("portion_evidence", "evidence"),
    ("portion_tags", "tags"),
    ("portion_decisions", "decisions"),
    ("portion_memories", "memories"),
)


def erase_portion(
    db: SqlConnection, order: EraseRequest, after: bytes, services: EraseServices, *, continues: bool
) -> bytes | None:
    """Erase the next memories of a subject; None, and nothing is done, if fewer than a portion are left.

    The record is read again each time: another process may continue the same erasure.

    Args:
        db: A connection in a transaction that is rolled back if this raises.
        order: Names the subject; one within another has no portions, as what its owner recorded of it is found by its
            memories.
        after: What the call before returned, the newest memory that was erased; empty at the first one.
        services: Clock, key and failpoint.
        continues: See `erase_whole`.
    """
    subject = order.subject
    if subject.owners or subjects.version_of(db, subject) is None:
        return None
    if continues and begun_erasure(db, subject) is None:
        return None
    last = fetch_value(db, SQL["portion_end"], subject.key, after, MAX_MEMORIES - 1)
    if last is None:
        return None
    begun = begin_or_continue(db, order, services.clock)
    version = subjects.move_version(db, subject)
    db.execute(SQL["portion_gone"], (subject.key, after, last, version))
    counts = Counter(begun.record.counts)
    for statement, line in _ROWS:
        db.execute(SQL[statement], (subject.key, after, last))
        counts[line] += db.changes()
    services.midway()
    record = replace(begun.record, counts={name: count for name, count in counts.items() if count})
    note_begun(db, replace(begun, record=record))
    return bytes(last)
