"""What a recall asks of PostgreSQL: a few answers, and all of one moment even where somebody writes in between."""

import asyncio
from collections.abc import AsyncIterator, Mapping, Sequence
from pathlib import Path

import pytest

from factories import ANA, BEN, SPACE, add, memory
from postgres_server import programs
from recollect.ids import id_text
from recollect.store.open import open_store
from recollect.store.postgres.connection import Session
from recollect.store.postgres.store import PostgresStore
from recollect.testing import FakeClock
from recollect.types import CloseMemory, Hot, Memory, MemoryId, Subject
from stores import url_of

Wanted = Mapping[Subject, Sequence[MemoryId]]

pytestmark = pytest.mark.skipif(programs() is None, reason="PostgreSQL's programs are not installed")


def everything(hots: Sequence[Hot]) -> tuple[Wanted, list[int]]:
    """Want all memories, newest first; tell how many each subject has."""
    return {hot.subject: [MemoryId(id_text(id_)) for id_ in reversed(hot.ids)] for hot in hots}, list(map(len, hots))


async def chosen(store: PostgresStore, *subjects: Subject) -> list[Memory]:
    return (await store.choose(dict.fromkeys(subjects or (ANA,), SPACE), everything))[1]


@pytest.fixture
async def both(tmp_path: Path, clock: FakeClock) -> AsyncIterator[tuple[PostgresStore, PostgresStore]]:
    """Two on one database, as two processes are."""
    opened = [await open_store(url_of("postgres", tmp_path), clock=clock) for _ in range(2)]
    ours, theirs = (store for store in opened if isinstance(store, PostgresStore))
    yield ours, theirs
    await ours.close()
    await theirs.close()


async def test_what_is_committed_while_it_is_ranked_is_ranked_too(
    both: tuple[PostgresStore, PostgresStore], clock: FakeClock
) -> None:
    ours, theirs = both
    one, two = memory("one", clock=clock), memory("two", clock=clock)
    await ours.apply(ANA, [add(one)], [])
    loop = asyncio.get_running_loop()
    seen: list[int] = []

    def rank(hots: Sequence[Hot]) -> tuple[Wanted, list[int]]:
        seen.append(len(hots[0]))
        if len(seen) == 1:
            gone = CloseMemory(id=MemoryId(one.id), valid_to=clock.now(), closed_at=clock.now())
            asyncio.run_coroutine_threadsafe(theirs.apply(ANA, [gone, add(two)], []), loop).result(30)
        return everything(hots)

    assert await ours.choose({ANA: SPACE}, rank) == ([1], [two])
    assert seen == [1, 1]
    assert await chosen(ours) == [two]


async def test_a_recall_of_one_subject_takes_two_answers_and_one_while_nothing_changed(
    both: tuple[PostgresStore, PostgresStore], clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    ours, theirs = both
    await theirs.apply(ANA, [add(memory(text, clock=clock)) for text in ("one", "two")], [])
    await theirs.apply(BEN, [add(memory("three", subject=BEN, clock=clock))], [])
    asked: list[str] = []
    say = Session._say

    def told(session: Session, statement: str, values: Sequence[object] = ()) -> list[tuple[object, ...]]:
        asked.append(statement)
        return say(session, statement, values)

    monkeypatch.setattr(Session, "_say", told)
    assert [known.text for known in await chosen(ours)] == ["two", "one"]
    assert len(asked) == 2
    asked.clear()
    assert [known.text for known in await chosen(ours)] == ["two", "one"]
    assert len(asked) == 1
    asked.clear()
    assert len(await chosen(ours, BEN, ANA)) == 3
    assert asked[0].startswith("BEGIN")
    assert asked[-1] == "COMMIT"
