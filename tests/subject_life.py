"""The life of one subject: two stores write it, and each cached snapshot is compared with a fresh read."""

from collections.abc import AsyncIterator, Sequence
from contextlib import AsyncExitStack, asynccontextmanager
from copy import deepcopy
from dataclasses import dataclass, field, fields, replace
from typing import Any

import numpy as np
import numpy.typing as npt
import pytest

from factories import SPACE, decision, evidence, memory
from toldonce.errors import StaleSubjectError, UnknownMemoryError
from toldonce.ids import id_bytes, new_id
from toldonce.store.factory import open_store
from toldonce.store.sql.recall.snapshot_cache import CachedSubject
from toldonce.store.sql.recall.spelling_index import SpellingIndex
from toldonce.store.sql.snapshot_codec import pack_terms
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.text import terms
from toldonce.types import (
    AddMemory,
    CloseMemory,
    ConversationId,
    EraseRequest,
    Memory,
    MemoryId,
    MemoryKind,
    NoteBatch,
    ReopenMemory,
    StrengthenMemory,
    Subject,
    SubjectSnapshot,
)

USES = ("uses", "last_used_at")


def arrays_of(snapshot: SubjectSnapshot) -> dict[str, npt.NDArray[Any]]:
    named = {spec.name: getattr(snapshot, spec.name) for spec in fields(snapshot)}
    named["vectors"] = np.asarray(snapshot.vectors)
    return {name: value for name, value in named.items() if isinstance(value, np.ndarray)}


def differing(one: SubjectSnapshot, other: SubjectSnapshot) -> list[str]:
    """Name what differs; uses are counted at once where they are recorded, and written later."""
    arrays = zip(arrays_of(one).items(), arrays_of(other).values(), strict=True)
    found = [
        name
        for (name, mine), theirs in arrays
        if name not in USES and not (np.array_equal(mine, theirs) and mine.dtype == theirs.dtype)
    ]
    plain = [
        (snapshot.version, list(snapshot.ids), snapshot.salt, snapshot.has_legacy_terms, snapshot.sampled_vectors)
        for snapshot in (one, other)
    ]
    return found if plain[0] == plain[1] else ["plain", *found]


def copied(snapshot: SubjectSnapshot) -> SubjectSnapshot:
    return deepcopy(replace(snapshot, ids=list(snapshot.ids)))


@dataclass
class Life:
    """One subject that two stores with a cache each write and read, and one without a cache reads."""

    stores: Sequence[Store]
    bare: Store
    clock: FakeClock
    subject: Subject
    friend: Subject
    known: list[Memory] = field(default_factory=list)
    elsewhere: list[Memory] = field(default_factory=list)
    seen: list[tuple[SubjectSnapshot, SubjectSnapshot]] = field(default_factory=list)
    """Snapshots, each with a copy made when it was read."""

    def note(self, number: int, subject: Subject | None = None) -> AddMemory:
        """Make a memory of no, one or two vectors, and of as many sources."""
        conversation = ConversationId(new_id(self.clock))
        chunks = tuple(np.full(4, number + chunk, "f4") for chunk in range(number % 3))
        sources = [evidence(conversation, seq) for seq in range(number % 3)]
        owner, kind = subject or self.subject, MemoryKind.EPISODE if number % 7 == 6 else MemoryKind.NOTE
        made = memory(f"number {number} of many", subject=owner, kind=kind, sources=sources, clock=self.clock)
        return AddMemory(memory=made, space=SPACE if chunks else "", vectors=chunks, terms=terms(made.text))

    async def add(self, store: Store, numbers: Sequence[int]) -> None:
        changes = [self.note(number) for number in numbers]
        await store.memories.apply(self.subject, changes, [])
        self.known += [change.memory for change in changes]

    async def add_notes(self, store: Store, numbers: Sequence[int]) -> None:
        """Add notes as a store does that need not read."""
        known = store.memories.cached(self.subject, SPACE)
        if known is None:
            known = CachedSubject.of(await store.snapshots.snapshot(self.subject, SPACE))
        spellings = known.spellings or SpellingIndex(known.snapshot)
        notes = [memory(f"note {number}", subject=self.subject, clock=self.clock) for number in numbers]
        counted = [terms(note.text) for note in notes]
        batch = NoteBatch(
            memories=notes,
            at=notes[0].valid_from,
            terms=[pack_terms(each, known.snapshot.salt) for each in counted],
            lengths=[sum(each.values()) for each in counted],
            space=SPACE,
            vectors=np.array([[number % 3] * 4 for number in numbers], "f4"),
            decisions=[id_bytes(new_id(self.clock)) or b"" for _ in notes],
            reasons=["added by hand"] * len(notes),
        )
        spellings.add(batch.terms)
        try:
            await store.memories.add_notes(self.subject, batch, known=replace(known, spellings=spellings))
        except StaleSubjectError:  # the other store has written
            await store.snapshots.snapshot(self.subject, SPACE)
        else:
            self.known += notes

    async def close(self, store: Store, known: Memory) -> None:
        change = CloseMemory(id=known.id, valid_to=self.clock.now(), closed_at=self.clock.now())
        await store.memories.apply(self.subject, [change], [])

    async def update(self, store: Store, known: Memory) -> None:
        source = evidence(ConversationId(new_id(self.clock)), 1)
        change = StrengthenMemory(id=known.id, importance=0.9, evidence=(source,))
        await store.memories.apply(self.subject, [change], [])

    async def reopen(self, store: Store, known: Memory) -> None:
        vectors = (np.array([1, 2, 3, 4], "f4"),)
        change = ReopenMemory(id=known.id, space=SPACE, vectors=vectors, terms=terms(known.text))
        await store.memories.apply(self.subject, [change], [])

    async def erase(self, store: Store, known: Memory) -> None:
        await store.erasures.erase(EraseRequest(subject=self.subject, memories=(known.id,)))
        self.known.remove(known)

    async def erase_all(self, store: Store) -> None:
        await store.erasures.erase(EraseRequest(subject=self.subject, everything=True))
        self.known.clear()
        await self.add(store, [1, 2])

    async def use(self, store: Store, known: Memory) -> None:
        await store.memories.record_uses(self.subject, [known.id], self.clock.now())

    async def link(self, store: Store) -> None:
        """Link an older memory of another subject: its id comes before others."""
        if self.elsewhere:
            linked = self.elsewhere.pop()
            copy = replace(linked, subject=self.subject)
            await store.memories.link(
                linked.subject, linked.id, self.subject, terms=terms(linked.text), decision=decision(copy)
            )
            self.known.append(copy)

    async def unlink(self, store: Store, known: Memory) -> None:
        await store.memories.unlink(self.subject, known.id, decision=decision(known))
        self.known.remove(known)

    async def fail(self, store: Store) -> None:
        """Write something that is rolled back."""
        missing = CloseMemory(id=MemoryId(new_id(self.clock)), valid_to=self.clock.now(), closed_at=self.clock.now())
        with pytest.raises(UnknownMemoryError):
            await store.memories.apply(self.subject, [self.note(1), missing], [])

    async def read(self, store: Store) -> None:
        cached = await store.snapshots.snapshot(self.subject, SPACE)
        assert differing(cached, await self.bare.snapshots.snapshot(self.subject, SPACE)) == []
        known = store.memories.cached(self.subject, SPACE)
        if known is not None and known.spellings is not None:
            active = [memory for memory in self.known if id_bytes(memory.id) in set(cached.ids)]
            texts = [memory.text for memory in active if memory.kind is MemoryKind.NOTE]
            assert all(known.spellings.has_any([pack_terms(terms(text), cached.salt)]) for text in texts)
        self.seen.append((cached, copied(cached)))

    def check_seen(self) -> None:
        for seen, copy in self.seen:
            assert differing(seen, copy) == []
            assert all(np.array_equal(getattr(seen, name), getattr(copy, name)) for name in USES)


@asynccontextmanager
async def opened(url: str, clock: FakeClock) -> AsyncIterator[list[Store]]:
    """Open two stores that have a cache, as two processes have, and one without."""
    async with AsyncExitStack() as stack:
        stores = []
        for cache_bytes in (2**24, 2**24, 0):
            stores.append(await open_store(url, clock=clock, cache_bytes=cache_bytes))
            stack.push_async_callback(stores[-1].close)
        yield stores


STEPS = (
    *(
        "note",
        "note",
        "note",
        "many notes",
        "add",
        "add many",
        "close",
        "update",
        "reopen",
        "use",
        "erase",
        "erase all",
    ),
    *("link", "unlink", "fail"),
)


async def take(life: Life, step: str, store: Store, place: int) -> None:
    known = life.known[place % len(life.known)] if life.known else None
    match step:
        case "note":
            await life.add_notes(store, [place])
        case "many notes":
            await life.add_notes(store, range(place, place + 40))
        case "add":
            await life.add(store, [place])
        case "add many":
            await life.add(store, range(place, place + 40))
        case "erase all":
            await life.erase_all(store)
        case "link":
            await life.link(store)
        case "fail":
            await life.fail(store)
        case _ if known is not None:
            await {
                "close": life.close,
                "update": life.update,
                "reopen": life.reopen,
                "use": life.use,
                "erase": life.erase,
                "unlink": life.unlink,
            }[step](store, known)
