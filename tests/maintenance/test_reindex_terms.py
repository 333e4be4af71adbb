"""A database whose terms are of the former scheme: found all along, and reindexed once, after the answers."""

import asyncio
from collections import Counter
from collections.abc import Callable
from pathlib import Path

import apsw
import pytest

from factories import ANA, BEN, SPACE, add, memory
from sample_chats import tell
from stores import STORES, new_store, url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.maintenance import reindex_terms
from toldonce.maintenance.reindex_terms import TermReindexer
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.store.postgres.connection import connect
from toldonce.store.sql.snapshot_codec import pack_terms, with_length
from toldonce.store.sql.subjects import salt_of
from toldonce.store.store import Store
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.text import legacy_terms, term_key, terms
from toldonce.types import CloseMemory, Subject, SubjectSnapshot

SAID = (
    "Vivo cerca de las montañas de Asturias con mis hermanas.",
    "我住在奥斯陆，养了一只猫。",
    "Я люблю ёлку и живу в Казани.",
    "We met in a café in Oslo and I don't drink coffee.",
    "I moved to Bergen last spring.",
)
ASKED = {"montañas": 0, "奥斯陆": 1, "ёлку": 2, "Казани": 2, "café": 3, "Bergen": 4}


def age(path: Path) -> None:
    """Make a file what the version before left: terms of the former scheme, and the schema without a word of it."""
    db = apsw.Connection(str(path))
    key = db.execute("SELECT value FROM meta WHERE name = 'term_key'").get
    rows = db.execute(
        "SELECT s.name, r.subject, r.id, r.text, h.fixed FROM remembered AS r JOIN subject AS s ON s.key = r.subject"
        " JOIN hot AS h ON h.subject = r.subject AND h.memory = r.id"
    ).fetchall()
    with db:
        for name, subject, id_, text, fixed in rows:
            assert isinstance(name, str)
            assert isinstance(text, str)
            assert isinstance(fixed, bytes)
            counted = Counter(term for _, own in legacy_terms(text) for term in own)
            packed = pack_terms(counted, salt_of(key, Subject.parse(name)))
            values = (with_length(fixed, sum(counted.values())), packed, subject, id_)
            db.execute("UPDATE hot SET fixed = ?, terms = ? WHERE subject = ? AND memory = ?", values)
        db.execute("DROP INDEX subject_terms")
        db.execute("ALTER TABLE subject DROP COLUMN terms")
        db.execute("ALTER TABLE subject DROP COLUMN termed")
        db.execute("DROP TABLE inner_subject")
        db.pragma("user_version", 7)
    db.close()


def subjects_behind(path: Path) -> int:
    db = apsw.Connection(str(path))
    count = int(db.execute("SELECT count(*) FROM subject WHERE terms < 2").get)
    db.close()
    return count


def keys_of(snapshot: SubjectSnapshot) -> list[dict[int, int]]:
    spans = zip(snapshot.term_start[:-1], snapshot.term_start[1:], strict=True)
    return [dict(zip(snapshot.terms[a:b].tolist(), snapshot.counts[a:b].tolist(), strict=True)) for a, b in spans]


def as_made_now(snapshot: SubjectSnapshot, *texts: str) -> list[dict[int, int]]:
    return [{term_key(snapshot.salt, term): count for term, count in terms(text).items()} for text in texts]


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "kept.sqlite3"


@pytest.fixture
def url(path: Path) -> str:
    return f"sqlite:///{path}"


async def opened(url: str, clock: FakeClock) -> Store:
    return await open_store(url, clock=clock)


async def engine_on(url: str, clock: FakeClock) -> AsyncToldOnce:
    store = await opened(url, clock)
    return AsyncToldOnce(
        Components(
            settings=Settings(database_url=url),
            clock=clock,
            store=store,
            embedder=WordEmbedder(64),
            model=None,
            counter=token_counter(),
        )
    )


async def remember(url: str, clock: FakeClock) -> None:
    async with await engine_on(url, clock) as engine:
        for text in SAID:
            await engine.add(text, user="ana")
        await tell(engine, "Mis abuelos plantaron manzanos cerca del río.", who="ben")


async def by_words(engine: AsyncToldOnce, asked: str, who: str = "ana") -> str:
    """Return the memory that shares most of the question's words."""
    found = await engine.search(asked, user=who)
    return max(found.items, key=lambda item: item.word_share).memory.text if found.items else ""


async def all_found(engine: AsyncToldOnce) -> None:
    for asked, place in ASKED.items():
        found = await engine.search(asked, user="ana")
        [item] = [item for item in found.items if item.memory.text == SAID[place]]
        assert item.word_share > 0, asked
        assert await by_words(engine, asked) == SAID[place]
        assert any("shares the word" in reason for reason in item.reasons)
    assert "manzanos" in await by_words(engine, "manzanos", "ben")


def after(most: int) -> Callable[[], bool]:
    """Say to stop once so many commits were let through."""
    asked = 0

    def stop() -> bool:
        nonlocal asked
        asked += 1
        return asked > most

    return stop


async def test_every_word_finds_before_between_and_after(
    url: str, path: Path, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(reindex_terms, "BATCH_SIZE", 1)
    await remember(url, clock)
    age(path)
    behind = [2]
    while behind[-1]:
        async with await engine_on(url, clock) as engine:  # each step in a process of its own, as after a kill
            await all_found(engine)
            await TermReindexer(engine._steps.runtime).portion(after(3))
            await all_found(engine)
        behind.append(subjects_behind(path))
        assert len(behind) < 20
    assert behind.count(2) > 1, "it went in portions"
    async with await engine_on(url, clock) as engine:
        await all_found(engine)
        assert await by_words(engine, "hermana") == SAID[0], "and by what the new scheme adds"
        assert await by_words(engine, "猫") == SAID[1]


async def test_reindexed_terms_equal_those_of_new_memories(url: str, path: Path, clock: FakeClock) -> None:
    await remember(url, clock)
    age(path)
    async with await engine_on(url, clock) as engine:
        store = engine._steps.runtime.store
        assert set(await store.maintenance.with_stale_terms()) == {ANA, BEN}
        before = await store.snapshots.snapshot(ANA, "words-64")
        assert before.has_legacy_terms
        assert keys_of(before) != as_made_now(before, *SAID)
        await TermReindexer(engine._steps.runtime).portion(lambda: False)
        snapshot = await store.snapshots.snapshot(ANA, "words-64")
        assert not snapshot.has_legacy_terms
        assert keys_of(snapshot) == as_made_now(snapshot, *SAID)
        assert snapshot.length.tolist() == [sum(terms(text).values()) for text in SAID]
        assert await store.maintenance.with_stale_terms() == []


async def test_the_worker_does_it_while_nothing_is_due(url: str, path: Path, clock: FakeClock) -> None:
    await remember(url, clock)
    age(path)
    async with await engine_on(url, clock) as engine:
        running = asyncio.create_task(engine.admin.run_worker())
        for _ in range(500):
            if not await engine._steps.runtime.store.maintenance.with_stale_terms():
                break
            await asyncio.sleep(0.01)
        engine.admin.stop_worker()
        await running
        assert await engine._steps.runtime.store.maintenance.with_stale_terms() == []
        await all_found(engine)


async def test_a_database_without_memories_has_no_stale_terms(url: str, path: Path, clock: FakeClock) -> None:
    async with await engine_on(url, clock) as engine:
        await engine.record([{"role": "user", "content": "Hi"}], user="carl")
    age(path)
    store = await opened(url, clock)
    assert await store.maintenance.with_stale_terms() == []
    await store.close()


async def test_another_process_reads_the_new_terms_and_none_of_the_former(
    url: str, path: Path, clock: FakeClock
) -> None:
    texts = [f"Montaña número {number} de los caminos." for number in range(300)]
    store = await opened(url, clock)
    await store.memories.apply(ANA, [add(memory(text, clock=clock)) for text in texts], [])
    await store.close()
    age(path)
    ours, theirs = await opened(url, clock), await opened(url, clock)
    first = await ours.maintenance.stale_terms(ANA, limit=250)
    assert first is not None
    assert await ours.maintenance.set_terms(first, [terms(memory.text) for memory in first.memories])
    halfway = await theirs.snapshots.snapshot(ANA, SPACE)
    assert halfway.has_legacy_terms
    for _ in range(2):
        rest = await ours.maintenance.stale_terms(ANA, limit=250)
        assert rest is not None
        assert await ours.maintenance.set_terms(rest, [terms(memory.text) for memory in rest.memories])
    after_all = await theirs.snapshots.snapshot(ANA, SPACE)
    assert not after_all.has_legacy_terms
    assert keys_of(after_all) == as_made_now(after_all, *texts)
    assert after_all.version > halfway.version
    await ours.close()
    await theirs.close()


async def test_only_one_of_two_reindexers_of_the_same_terms_commits(url: str, path: Path, clock: FakeClock) -> None:
    await remember(url, clock)
    age(path)
    ours, theirs = await opened(url, clock), await opened(url, clock)
    mine, other = await ours.maintenance.stale_terms(ANA, limit=2), await theirs.maintenance.stale_terms(ANA, limit=2)
    assert mine is not None
    assert other == mine
    made = [terms(memory.text) for memory in mine.memories]
    assert await ours.maintenance.set_terms(mine, made)
    assert not await theirs.maintenance.set_terms(other, made)
    following = await theirs.maintenance.stale_terms(ANA, limit=2)
    assert following is not None
    assert following.after == mine.memories[-1].id
    await ours.close()
    await theirs.close()


async def test_memories_closed_or_added_during_reindexing_are_right(url: str, path: Path, clock: FakeClock) -> None:
    await remember(url, clock)
    age(path)
    store = await opened(url, clock)
    found = await store.maintenance.stale_terms(ANA, limit=3)
    assert found is not None
    gone, new = found.memories[0], memory("Compramos una montaña rusa.", clock=clock)
    close = CloseMemory(id=gone.id, valid_to=clock.now(), closed_at=clock.now())
    await store.memories.apply(ANA, [close, add(new)], [])
    assert await store.maintenance.set_terms(found, [terms(memory.text) for memory in found.memories])
    while (rest := await store.maintenance.stale_terms(ANA, limit=3)) is not None:
        assert await store.maintenance.set_terms(rest, [terms(memory.text) for memory in rest.memories])
    snapshot = await store.snapshots.snapshot(ANA, SPACE)
    assert keys_of(snapshot) == as_made_now(snapshot, *SAID[1:], new.text)
    assert await store.maintenance.stale_terms(Subject("user", "nobody")) is None
    await store.close()


@pytest.mark.skipif("postgres" not in STORES, reason="PostgreSQL's programs are not installed")
async def test_on_postgresql_terms_are_reindexed_as_well(tmp_path: Path, clock: FakeClock) -> None:
    url = url_of("postgres", tmp_path)
    store = await new_store("postgres", tmp_path, clock)
    await store.memories.apply(ANA, [add(memory(text, clock=clock)) for text in SAID], [])
    assert await store.maintenance.with_stale_terms() == []
    with connect(url) as db:
        db.execute("UPDATE hot SET terms = ''")
        db.execute("UPDATE subject SET terms = 1, version = version + 1")
    assert await store.maintenance.with_stale_terms() == [ANA]
    halfway = await store.snapshots.snapshot(ANA, SPACE)
    assert halfway.has_legacy_terms
    assert not len(halfway.terms)
    commits = 0
    while (found := await store.maintenance.stale_terms(ANA, limit=2)) is not None:
        assert await store.maintenance.set_terms(found, [terms(memory.text) for memory in found.memories])
        assert not await store.maintenance.set_terms(found, [terms(memory.text) for memory in found.memories])
        commits += 1
    assert commits == 4
    snapshot = await store.snapshots.snapshot(ANA, SPACE)
    assert not snapshot.has_legacy_terms
    assert keys_of(snapshot) == as_made_now(snapshot, *SAID)
    await store.close()
