"""Notes that say nothing known are added without a look at the store; all else is added as carefully as ever."""

import asyncio
from collections.abc import AsyncIterator
from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from factories import ANA
from stores import DIALECTS, new_store, url_of
from toldonce.curation.new_notes import _MARK_WITHIN, fold_wording
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import StaleSubjectError
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.sql.memories import notes
from toldonce.store.sql.recall.snapshot_cache import CachedSubject
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.text import TERM_SCHEME, count_terms, terms
from toldonce.types import EraseRequest, Memory, NoteBatch, Subject, SubjectSnapshot, VectorRequest

TEXTS = st.text(st.sampled_from("aBc iI'.,:;!?()\"-_@+#17&/\n"), max_size=30)


@pytest.fixture(params=DIALECTS)
async def parts(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Components]:
    store = await new_store(request.param, tmp_path, clock)
    yield Components(
        settings=Settings(database_url=url_of(request.param, tmp_path)),
        clock=clock,
        store=store,
        embedder=WordEmbedder(64),
        model=None,
        counter=token_counter(),
    )
    await store.close()


@pytest.fixture
def engine(parts: Components) -> AsyncToldOnce:
    return AsyncToldOnce(parts)


@pytest.fixture
def refused(parts: Components, monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """Collect the texts of writes that were refused as stale."""
    refused: list[str] = []
    add_notes = parts.store.memories.add_notes

    async def noted(subject: Subject, batch: object, *, known: object) -> None:
        try:
            await add_notes(subject, batch, known=known)  # type: ignore[arg-type]  # handed through
        except StaleSubjectError:
            refused.extend(memory.text for memory in batch.memories)  # type: ignore[attr-defined]
            raise

    monkeypatch.setattr(parts.store.memories, "add_notes", noted)
    return refused


@given(text=TEXTS)
def test_case_and_marks_make_no_terms_of_plain_texts(text: str) -> None:
    if count_terms(text).is_plain and not _MARK_WITHIN.search(text):
        assert terms(fold_wording(text)) == terms(text)


async def test_what_was_just_added_is_known_in_another_spelling(engine: AsyncToldOnce) -> None:
    first = await engine.add("I like tea.", user=ANA)
    second = await engine.add("Shelf 4 holds boxes.", user=ANA)
    assert (await engine.add("i LIKE tea!", user=ANA)).id == first.id
    assert (await engine.add("shelf 4 holds boxes", user=ANA)).id == second.id
    assert len(await engine.list(user=ANA)) == 2


async def test_what_was_searched_and_added_to_is_known_in_another_spelling(engine: AsyncToldOnce) -> None:
    first = await engine.add("I like tea.", user=ANA)
    await engine.search("tea", user=ANA)
    second = await engine.add("Lunch is at 12:30.", user=ANA)
    await engine.search("lunch", user=ANA)
    assert (await engine.add("LUNCH is at 12 30", user=ANA)).id == second.id
    assert (await engine.add("i like tea", user=ANA)).id == first.id


async def test_a_closed_note_is_added_again(engine: AsyncToldOnce) -> None:
    first = await engine.add("I like tea.", user=ANA)
    await engine.search("tea", user=ANA)
    await engine.add("I row.", user=ANA)
    await engine.forget(first.id, user=ANA)
    again = await engine.add("I like tea.", user=ANA)
    assert again.id != first.id
    assert {memory.id for memory in await engine.list(user=ANA)} >= {again.id}


async def test_notes_of_one_call_that_differ_in_marks_within_words_are_one(engine: AsyncToldOnce) -> None:
    kept = await engine.bulk.add(["Lunch is at 12:30.", "lunch is at 12.30!", "I row."], user=ANA)
    assert len({memory.id for memory in kept}) == 2


async def test_notes_are_added_to_a_subject_that_begins_after_an_erasure(
    engine: AsyncToldOnce, parts: Components
) -> None:
    await engine.bulk.add(["I like tea.", "I row."], user=ANA)
    await parts.store.erasures.erase(EraseRequest(subject=ANA, everything=True))
    await engine.add("I ski.", user=ANA)
    await engine.add("I swim.", user=ANA)
    found = await engine.search("What sport do I do?", user=ANA)
    assert {item.memory.text for item in found.items} == {"I ski.", "I swim."}


async def test_a_second_engine_finds_what_the_first_added(
    engine: AsyncToldOnce, parts: Components, refused: list[str]
) -> None:
    other = AsyncToldOnce(parts)  # with locks of its own
    first = await engine.add("I like tea.", user=ANA)
    assert (await other.add("I like tea", user=ANA)).id == first.id
    texts = [f"Shelf {number} holds boxes." for number in range(12)]
    writers = (engine, other)
    await asyncio.gather(*(writers[number % 2].add(text, user=ANA) for number, text in enumerate(texts * 2)))
    assert sorted(memory.text for memory in await engine.list(user=ANA)) == sorted([*texts, "I like tea."])
    assert set(refused) <= set(texts)


async def test_each_of_many_notes_has_its_decision(engine: AsyncToldOnce) -> None:
    kept = await engine.bulk.add([f"Shelf {number} holds boxes." for number in range(120)], user=ANA)
    decisions = await engine.history.decisions(user=ANA)
    logged = sorted((line.memory_id, line.text, line.reason, line.profile) for line in decisions)
    assert logged == sorted((memory.id, memory.text, "added by hand", memory.profile) for memory in kept)
    assert [await engine.get(memory.id, user=ANA) for memory in kept] == kept


async def test_others_run_on_the_loop_while_many_notes_are_prepared(engine: AsyncToldOnce) -> None:
    await engine.add("I row.", user=ANA)
    turns = 0

    async def count() -> None:
        nonlocal turns
        while True:
            turns += 1
            await asyncio.sleep(0)

    counting = asyncio.create_task(count())
    await engine.bulk.add([f"Shelf {number} holds boxes." for number in range(1000)], user=ANA)
    counting.cancel()
    assert turns >= 20


@pytest.fixture
def reads(parts: Components, monkeypatch: pytest.MonkeyPatch) -> list[Subject]:
    """Collect the subjects whose snapshots are read."""
    reads: list[Subject] = []
    snapshot = parts.store.snapshots.snapshot

    async def noted(subject: Subject, space: str, *, vectors: VectorRequest | None = None) -> SubjectSnapshot:
        reads.append(subject)
        return await snapshot(subject, space, vectors=vectors)

    monkeypatch.setattr(parts.store.snapshots, "snapshot", noted)
    return reads


async def test_notes_of_a_subject_that_is_not_cached_are_added_unread(
    engine: AsyncToldOnce, parts: Components, reads: list[Subject]
) -> None:
    first = await engine.add("I like tea.", user=ANA)
    added = await engine.bulk.add(["Shelf 4 holds boxes.", "Lunch is at 12:30."], user=ANA)
    last = await engine.add("Shelf 4 holds no boxes.", user=ANA)
    assert reads == []
    assert parts.store.memories.cached(ANA, parts.embedder.space) is None
    kept = [first, *added, last]
    assert [await engine.get(memory.id, user=ANA) for memory in kept] == kept
    assert {line.memory_id for line in await engine.history.decisions(user=ANA)} == {memory.id for memory in kept}
    assert await parts.store.memories.version(ANA) == 3
    assert (await engine.search("boxes on a shelf", user=ANA)).items
    assert (await parts.store.admin.stats(check=True)).problems == ()


@pytest.mark.parametrize(
    ("stored", "text"),
    [
        ("I like tea.", "i LIKE tea!"),
        ("Lunch is at 12 30", "LUNCH is at 12:30"),
        ("Lunch is at 12:30.", "lunch is at 12:30"),
        ("...", "..."),
    ],
)
async def test_a_known_spelling_is_found_unread(
    engine: AsyncToldOnce, reads: list[Subject], stored: str, text: str
) -> None:
    first = await engine.add(stored, user=ANA)
    await engine.add("I row.", user=ANA)
    reads.clear()
    assert (await engine.add(text, user=ANA)).id == first.id
    assert reads
    assert len(await engine.list(user=ANA)) == 2


async def test_two_equal_notes_of_a_call_are_one_unread(engine: AsyncToldOnce) -> None:
    kept = await engine.bulk.add(["I like tea.", "I row.", "i like TEA"], user=ANA)
    assert kept[0].id == kept[2].id
    assert len(await engine.list(user=ANA)) == 2


async def test_a_larger_subject_is_read_before_notes_are_added(
    engine: AsyncToldOnce, reads: list[Subject], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(notes, "MAX_COMPARED", 2)
    await engine.bulk.add(["I like tea.", "I row.", "I ski."], user=ANA)
    assert reads == []
    await engine.add("I swim.", user=ANA)
    assert reads == [ANA]
    assert len(await engine.list(user=ANA)) == 4


async def test_terms_of_the_previous_scheme_are_read_before_notes_are_added(
    engine: AsyncToldOnce, reads: list[Subject], monkeypatch: pytest.MonkeyPatch
) -> None:
    await engine.add("I like tea.", user=ANA)
    monkeypatch.setattr(notes, "TERM_SCHEME", TERM_SCHEME + 1)
    await engine.add("I row.", user=ANA)
    assert reads == [ANA]


@pytest.mark.parametrize("other", ["I swim.", "i LIKE tea!"])
async def test_a_refused_write_looks_for_itself(
    engine: AsyncToldOnce, parts: Components, refused: list[str], monkeypatch: pytest.MonkeyPatch, other: str
) -> None:
    await engine.add("I row.", user=ANA)
    await engine.search("rowing", user=ANA)
    beside = AsyncToldOnce(parts)  # with turns of its own, as another process
    add_notes = parts.store.memories.add_notes
    others: list[Memory] = []

    async def passed(subject: Subject, batch: NoteBatch, *, known: CachedSubject) -> None:
        if not others:
            monkeypatch.setattr(parts.store.memories, "add_notes", add_notes)
            others.append(await beside.add(other, user=ANA))
        await add_notes(subject, batch, known=known)

    async def unexpected(*_: object, **__: object) -> int:
        raise StaleSubjectError("always passed by another process")

    monkeypatch.setattr(parts.store.memories, "add_notes", passed)
    if other == "I swim.":
        monkeypatch.setattr(parts.store.memories, "apply", unexpected)
    added = await engine.add("I like tea.", user=ANA)
    assert refused == ["I like tea."]
    assert (added.id == others[0].id) == (other != "I swim.")
    assert len(await engine.list(user=ANA)) == (3 if other == "I swim." else 2)


async def test_a_write_that_looks_for_itself_may_be_refused(
    engine: AsyncToldOnce, parts: Components, monkeypatch: pytest.MonkeyPatch
) -> None:
    refused: list[str] = []

    async def passed(subject: Subject, batch: NoteBatch, *, check: object) -> bool:
        del check
        refused.extend(memory.text for memory in batch.memories)
        raise StaleSubjectError("another user was the first in the space")  # so on PostgreSQL

    monkeypatch.setattr(parts.store.memories, "add_notes_unread", passed)
    added = await engine.bulk.add(["I row.", "I like tea."], user=ANA)

    assert refused == ["I row.", "I like tea."]
    assert {memory.id for memory in added} == {memory.id for memory in await engine.list(user=ANA)}
