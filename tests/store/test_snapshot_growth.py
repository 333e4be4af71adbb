"""A cached snapshot that was brought forward equals a fresh read, and older snapshots stay as they were."""

import asyncio
import threading
from collections.abc import Sequence
from dataclasses import replace
from functools import partial
from itertools import count

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import ANA, SPACE, add, evidence, memory
from soak import fuzzed
from stores import DURABLE, url_of
from subject_life import STEPS, Life, arrays_of, differing, opened, take
from toldonce.errors import SpaceMovedError
from toldonce.ids import id_bytes, new_id
from toldonce.store.sql.database import SqlConnection
from toldonce.store.sql.recall import snapshot as reading
from toldonce.store.sql.recall.growing_arrays import GrowingArrays
from toldonce.store.sql.recall.merge import merge
from toldonce.store.sql.recall.snapshot_cache import SnapshotCache
from toldonce.store.sql.snapshot_codec import pack_fixed, unpack
from toldonce.store.sql.subjects import space_of
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import (
    CalibrationCurve,
    CloseMemory,
    ConversationId,
    EmbedderKind,
    EmbedderRecord,
    EmbedderSpec,
    EraseRequest,
    StrengthenMemory,
    Subject,
    SubjectSnapshot,
)

_OWNERS = count(1)
TERM_KEY = b"any key"


def vectors_of(snapshot: SubjectSnapshot) -> list[list[float]]:
    rows: list[list[float]] = np.asarray(snapshot.vectors).tolist()
    return rows


@pytest.mark.parametrize("kind", DURABLE)
@given(
    start=st.sampled_from((0, 3, 60)),
    steps=st.lists(
        st.tuples(st.sampled_from(STEPS), st.integers(0, 1), st.integers(0, 99), st.integers(0, 3)), max_size=20
    ),
)
@fuzzed(25)
async def test_cached_snapshots_equal_fresh_reads_whatever_two_stores_do(
    kind: str, tmp_path_factory: pytest.TempPathFactory, start: int, steps: list[tuple[str, int, int, int]]
) -> None:
    clock, number = FakeClock(), next(_OWNERS)
    async with opened(url_in(kind, tmp_path_factory), clock) as stores:
        subject, friend = Subject("user", f"u{number}"), Subject("user", f"friend{number}")
        life = Life(stores[:2], stores[2], clock, subject, friend)
        theirs = [life.note(place, friend) for place in range(6)]
        await stores[0].memories.apply(friend, theirs, [])
        life.elsewhere = [change.memory for change in theirs]
        await life.add(stores[0], range(start))
        for step, writer, place, readers in steps:
            await take(life, step, stores[writer], place)
            for reader in (0, 1):
                if readers >> reader & 1:
                    await life.read(stores[reader])
        for store in stores[:2]:
            await life.read(store)
        life.check_seen()


def url_in(kind: str, folders: pytest.TempPathFactory) -> str:
    """Return the URL of one database for all examples of a test."""
    folder = folders.getbasetemp() / f"growth-{kind}"
    folder.mkdir(exist_ok=True)
    return url_of(kind, folder)


async def test_an_add_copies_no_array_and_shows_in_no_older_snapshot(store: Store, clock: FakeClock) -> None:
    await store.memories.apply(ANA, [add(memory(f"m{number}", clock=clock)) for number in range(60)], [])
    await store.snapshots.snapshot(ANA, SPACE)
    await store.memories.apply(ANA, [add(memory("first", clock=clock))], [])
    first = await store.snapshots.snapshot(ANA, SPACE)
    await store.memories.apply(ANA, [add(memory("second", clock=clock), vector=[0, 0, 0, 9])], [])
    second = await store.snapshots.snapshot(ANA, SPACE)

    assert (len(first), len(second)) == (61, 62)
    shared = [name for name, array in arrays_of(second).items() if np.shares_memory(array, arrays_of(first)[name])]
    with_rows = [name for name, array in arrays_of(second).items() if len(array)]
    assert shared == [name for name in with_rows if not name.startswith("source_") or name == "source_start"]
    assert (vectors_of(first)[-1], vectors_of(second)[-1]) == ([1, 0, 0, 0], [0, 0, 0, 9])


async def test_closing_a_fact_or_strengthening_a_note_copies_no_vectors(store: Store, clock: FakeClock) -> None:
    notes = [memory(f"m{number}", clock=clock) for number in range(20)]
    fact = memory("Oslo", slot="identity/location", clock=clock)
    await store.memories.apply(ANA, [*map(add, notes), add(fact, vector=None), add(memory("last", clock=clock))], [])
    await store.snapshots.snapshot(ANA, SPACE)
    await store.memories.apply(ANA, [add(memory("more", clock=clock))], [])
    before = await store.snapshots.snapshot(ANA, SPACE)
    closing = CloseMemory(id=fact.id, valid_to=clock.now(), closed_at=clock.now())
    source = evidence(ConversationId(new_id(clock)), 1)
    stronger = StrengthenMemory(id=notes[3].id, importance=0.75, evidence=(source,))
    await store.memories.apply(ANA, [closing, stronger], [])
    after = await store.snapshots.snapshot(ANA, SPACE)

    assert (len(before), len(after), after.importance.tolist()[3]) == (23, 22, 0.75)
    assert np.shares_memory(np.asarray(before.vectors), np.asarray(after.vectors))
    assert after.vector_of.tolist() == list(range(22))


async def test_an_erased_vector_is_in_no_array_of_another_process(url: str, clock: FakeClock) -> None:
    secret, *others = [memory(f"m{number}", clock=clock) for number in range(5)]
    async with opened(url, clock) as (ours, theirs, _):
        plain = [add(known, vector=[0, 1, 0, 0]) for known in others]
        await ours.memories.apply(ANA, [add(secret, vector=[7, 7, 7, 7]), *plain], [])
        await theirs.snapshots.snapshot(ANA, SPACE)
        await ours.erasures.erase(EraseRequest(subject=ANA, memories=(secret.id,)))
        left = await theirs.snapshots.snapshot(ANA, SPACE)

    [block] = left.vectors.blocks
    whole = block if block.base is None else np.asarray(block.base)
    assert np.float32(7).tobytes() not in whole.tobytes()
    assert id_bytes(secret.id) not in left.ids


async def test_readers_in_threads_see_whole_memories_while_others_are_added(url: str, clock: FakeClock) -> None:
    async with opened(url, clock) as (ours, theirs, _):
        known = memory("first", clock=clock)
        numbers = {id_bytes(known.id) or b"": 7}
        await ours.memories.apply(ANA, [add(known, vector=[7] * 4)], [])

        async def write(store: Store, first: int) -> None:
            for number in range(first, first + 60):
                known = memory(f"m{number}", clock=clock)
                numbers[id_bytes(known.id) or b""] = number
                await store.memories.apply(ANA, [add(known, vector=[number] * 4)], [])

        async def read() -> None:
            for _ in range(80):
                snapshot = await ours.snapshots.snapshot(ANA, SPACE)
                assert (
                    len({len(snapshot), len(snapshot.kinds), len(snapshot.vectors), len(snapshot.term_start) - 1}) == 1
                )
                assert [row[0] for row in vectors_of(snapshot)] == [numbers[id_] for id_ in snapshot.ids]
                await asyncio.sleep(0)

        await asyncio.gather(write(ours, 0), write(theirs, 1_000), read(), read(), read())
        assert len(await ours.snapshots.snapshot(ANA, SPACE)) == 121


async def test_a_large_subject_is_read_in_portions(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    life = Life([store], store, clock, ANA, ANA)
    await store.memories.apply(ANA, [life.note(number) for number in range(45)], [])
    whole = await store.snapshots.snapshot(ANA, SPACE)
    for size in (1, 7, 15, 45):
        monkeypatch.setattr("toldonce.store.sql.recall.snapshot.MAX_PORTION", size)
        reader = reading.WholeReader
        read = await store.memories._executor.read(partial(read_in_portions, like=whole, reader=reader))
        assert differing(read, whole) == []


@pytest.mark.parametrize(("size", "times"), [(7, 1), (45, 1), (46, 0)])
async def test_freed_memory_is_returned_before_more_portions_are_read(
    store: Store, clock: FakeClock, monkeypatch: pytest.MonkeyPatch, size: int, times: int
) -> None:
    life = Life([store], store, clock, ANA, ANA)
    returned: list[int] = []
    await store.memories.apply(ANA, [life.note(number) for number in range(45)], [])
    whole = await store.snapshots.snapshot(ANA, SPACE)
    monkeypatch.setattr("toldonce.store.sql.recall.snapshot.MAX_PORTION", size)
    monkeypatch.setattr("toldonce.store.sql.recall.snapshot.return_freed_memory", lambda: returned.append(size))
    await store.memories._executor.read(partial(read_in_portions, like=whole, reader=reading.WholeReader))

    assert len(returned) == times


def read_in_portions(db: SqlConnection, like: SubjectSnapshot, reader: type[reading.WholeReader]) -> SubjectSnapshot:
    number, dim = space_of(db, SPACE) or (0, 0)
    state = reading.SubjectState(like.version, False, number, dim)
    return reader(db, like.subject, state, like.salt).large().latest


def rows_of(ids: Sequence[int], *, version: int) -> SubjectSnapshot:
    fixed = pack_fixed(kind=0, role=0, length=0, weights=(0.5, 1.0), times=(0, 0, 0))
    keys = [number.to_bytes(16, "big") for number in ids]
    vectors = [(key, np.full(2, number, "<f4").tobytes()) for key, number in zip(keys, ids, strict=True)]
    return unpack(ANA, version, b"", 2, [(key, fixed, b"", b"") for key in keys], vectors)


def test_the_second_of_two_that_bring_arrays_forward_is_refused() -> None:
    base = rows_of([1, 2], version=1)
    arrays = GrowingArrays(base)
    fresh = rows_of([3], version=2)
    first = arrays.advance(1, fresh, fresh.ids)
    late = rows_of([4], version=3)
    assert arrays.advance(1, late, late.ids) is None
    assert first is not None
    assert [row[0] for row in vectors_of(first)] == [1, 2, 3]
    assert [row[0] for row in vectors_of(merge(base, late, late.ids))] == [1, 2, 4]


def test_arrays_that_could_not_grow_are_not_used_again(monkeypatch: pytest.MonkeyPatch) -> None:
    cache, base, fresh = SnapshotCache(2**20), rows_of([1, 2], version=1), rows_of([3], version=2)
    cache.put(SPACE, base)

    def fail(*_: object) -> None:
        raise MemoryError

    with monkeypatch.context() as patched:
        patched.setattr("toldonce.store.sql.recall.growing_arrays._Column.reserve", fail)
        with pytest.raises(MemoryError):
            cache.advance(SPACE, base, fresh, fresh.ids)
    assert cache.get(ANA, SPACE) is base
    assert [row[0] for row in vectors_of(cache.advance(SPACE, base, fresh, fresh.ids))] == [1, 2, 3]


async def test_a_subject_that_is_re_embedded_and_back_equals_a_fresh_read(store: Store, clock: FakeClock) -> None:
    spec = EmbedderSpec(kind=EmbedderKind.STATIC)
    former, better = (
        EmbedderRecord(space=space, dim=dim, spec=spec, curve=CalibrationCurve(midpoint=0.4, slope=9))
        for space, dim in ((SPACE, 4), ("better-3", 3))
    )
    known = [memory(f"m{number}", clock=clock) for number in range(3)]
    await store.memories.apply(ANA, list(map(add, known)), [])
    await store.snapshots.snapshot(ANA, SPACE)
    for old, new in ((former, better), (better, former)):
        await store.embeddings.choose(new, former=old)
        rows = {row.id: [np.full(new.dim, 2, dtype=np.float32)] for row in known}
        await store.embeddings.write_vectors(ANA, new.space, rows)
        assert await store.embeddings.switch_space(ANA, new.space, since=0)
        with pytest.raises(SpaceMovedError):
            await store.snapshots.snapshot(ANA, old.space)
        known.append(memory("more", clock=clock))
        await store.memories.apply(ANA, [add(known[-1], vector=[5] * new.dim, space=new.space)], [])
        cached = await store.snapshots.snapshot(ANA, new.space)
        fresh = await store.memories._executor.read(
            partial(reading.read_snapshot, subject=ANA, space=new.space, cache=SnapshotCache(0), term_key=TERM_KEY)
        )
        assert differing(replace(cached, salt=b""), replace(fresh, salt=b"")) == []


def test_memory_is_returned_after_pending_notes_were_merged(monkeypatch: pytest.MonkeyPatch) -> None:
    cache = SnapshotCache(10_000_000)
    arrays = GrowingArrays(rows_of([1, 2], version=1))
    cache.put(SPACE, arrays.latest, arrays)
    known = cache.peek(ANA, SPACE)
    assert known is not None
    fixed = pack_fixed(kind=0, role=0, length=0, weights=(0.5, 1.0), times=(0, 0, 0))
    row = ((3).to_bytes(16, "big"), fixed, b"", b"", np.full(2, 3, "<f4").tobytes())
    cache.add_notes(SPACE, known, 2, [row])
    is_free: list[bool] = []

    def take_lock() -> None:
        is_free.append(arrays.lock.acquire(blocking=False))
        if is_free[-1]:
            arrays.lock.release()

    def take_lock_elsewhere() -> None:
        other = threading.Thread(target=take_lock)
        other.start()
        other.join()

    monkeypatch.setattr("toldonce.store.sql.recall.snapshot_cache._MAX_SMALL", 1)
    monkeypatch.setattr("toldonce.store.sql.recall.snapshot_cache.return_freed_memory", take_lock_elsewhere)
    merged = cache.get(ANA, SPACE)
    assert merged is not None
    assert len(merged) == 3
    assert is_free == [True]
