"""Many notes in one call: what each would be alone, in one commit; all of them or none. On every store."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from pathlib import Path

import pytest

from factories import ANA
from own_profile import delete, edit, held, numbered, unexplained, with_profile
from stores import DIALECTS, new_store, url_of
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.bulk import MAX_NOTES
from toldonce.errors import BadRequestError, StoreUnavailableError
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.sql.recall.snapshot_cache import CachedSubject
from toldonce.testing import FakeClock, ScriptedModel, WordEmbedder
from toldonce.types import Action, Change, Decision, MemoryState, NewNote, NoteBatch, RequestScope, Subject, Vectors


class Counting(WordEmbedder):
    """Counts the calls."""

    calls = 0

    async def embed(self, texts: Sequence[str]) -> Vectors:
        self.calls += 1
        return await super().embed(texts)


@pytest.fixture(params=DIALECTS)
async def parts(request: pytest.FixtureRequest, clock: FakeClock, tmp_path: Path) -> AsyncIterator[Components]:
    store = await new_store(request.param, tmp_path, clock)
    yield Components(
        settings=Settings(database_url=url_of(request.param, tmp_path)),
        clock=clock,
        store=store,
        embedder=Counting(64),
        model=None,
        counter=token_counter(),
    )
    await store.close()


TOLD: tuple[str | NewNote, ...] = (
    "I like tea.",
    NewNote("My locker has the number 12.", 0.9, "fact"),
    "i LIKE tea!",
    "I do not like tea.",
    "👍",
    NewNote("Known before.", 0.8),
    "👍",
    "known before",
    NewNote("I LIKE TEA", 0.95, "preference"),
    "I like C.",
    "I like C++.",
)


async def told(engine: AsyncToldOnce, who: Subject, *, together: bool) -> tuple[list[int], list[object]]:
    """Tell all of it, in one call or one by one; say what is there then."""
    await engine.add("Known before.", user=who, importance=0.3)
    notes = [note if isinstance(note, NewNote) else NewNote(note) for note in TOLD]
    if together:
        kept = await engine.bulk.add(TOLD, user=who)
    else:
        kept = [await engine.add(note.text, user=who, importance=note.importance, type=note.type) for note in notes]
    listed = await engine.list(user=who)
    place = {memory.id: at for at, memory in enumerate(listed)}
    decisions = await engine.history.decisions(user=who)
    return [place[memory.id] for memory in kept], [
        [(memory.text, memory.importance, memory.type, memory.state) for memory in listed],
        [(line.action, line.reason, line.text, place[line.memory_id or listed[0].id]) for line in decisions],
        [(item.memory.text, item.score) for item in (await engine.search("tea in my locker", user=who)).items],
    ]


async def test_many_in_one_call_become_what_each_becomes_alone(engine: AsyncToldOnce) -> None:
    together = await told(engine, Subject("user", "together"), together=True)
    apart = await told(engine, Subject("user", "apart"), together=False)
    assert together == apart
    assert len(set(together[0])) == 7


async def test_they_come_back_in_their_order_and_the_same_one_for_the_same_words(engine: AsyncToldOnce) -> None:
    kept = await engine.bulk.add(["I like tea.", "I row.", "I like TEA"], user=ANA)
    assert [memory.text for memory in kept] == ["I like tea.", "I row.", "I like tea."]
    assert kept[0] == kept[2]
    assert await engine.bulk.add([], user=ANA) == []


async def test_one_call_of_the_embedder_and_one_commit_serve_all(engine: AsyncToldOnce, parts: Components) -> None:
    assert isinstance(parts.embedder, Counting)
    await engine.add("I like tea.", user=ANA)
    before, version = parts.embedder.calls, (await parts.store.snapshots.snapshot(ANA, parts.embedder.space)).version
    await engine.bulk.add([f"Shelf {number} holds boxes." for number in range(100)], user=ANA)
    assert parts.embedder.calls == before + 1
    assert (await parts.store.snapshots.snapshot(ANA, parts.embedder.space)).version == version + 1


@pytest.mark.parametrize(
    ("bad", "says", "param"),
    [
        ("  ", "note 3 of 3: there is nothing to remember: the text is empty; none was kept", "2.text"),
        ("x" * 10_001, "note 3 of 3: the text has 10001 characters", "2.text"),
        (NewNote("Fine.", 1.5), "note 3 of 3: importance is 1.5", "2.importance"),
    ],
)
async def test_one_that_cannot_be_kept_is_named_and_none_is(
    engine: AsyncToldOnce, bad: str | NewNote, says: str, param: str
) -> None:
    with pytest.raises(BadRequestError) as raised:
        await engine.bulk.add(["I like tea.", "I row.", bad], user=ANA)
    assert str(raised.value).startswith(says)
    assert raised.value.param == param
    assert await engine.list(user=ANA) == []


async def test_too_many_are_refused_with_how_many_there_may_be(engine: AsyncToldOnce) -> None:
    with pytest.raises(BadRequestError, match="there are 1,001 notes, one call takes 1,000"):
        await engine.bulk.add(["I row."] * (MAX_NOTES + 1), user=ANA)
    kept = await engine.bulk.add(["I row."] * MAX_NOTES, user=ANA)
    assert len({memory.id for memory in kept}) == 1


async def test_a_database_that_fails_keeps_none(
    engine: AsyncToldOnce, parts: Components, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def down(*_: object, **__: object) -> int:
        raise StoreUnavailableError("the database does not answer")

    monkeypatch.setattr(parts.store.memories, "add_notes_unread", down)
    with pytest.raises(StoreUnavailableError):
        await engine.bulk.add(["I like tea.", "I row."], user=ANA)
    monkeypatch.undo()
    assert await engine.list(user=ANA) == []
    assert await engine.history.decisions(user=ANA) == []


async def test_calls_at_the_same_time_keep_each_sentence_once(engine: AsyncToldOnce) -> None:
    texts = [f"Shelf {number} holds boxes." for number in range(20)]
    kept = await asyncio.gather(*(engine.bulk.add(texts[start : start + 10], user=ANA) for start in (0, 5, 10, 0)))
    listed = await engine.list(user=ANA)
    assert sorted(memory.text for memory in listed) == sorted(texts)
    assert {memory.id for some in kept for memory in some} == {memory.id for memory in listed}


async def test_what_another_process_adds_meanwhile_is_found(
    engine: AsyncToldOnce, parts: Components, monkeypatch: pytest.MonkeyPatch
) -> None:
    """The commit is refused, and decided on again, twice."""
    apply, add_notes = parts.store.memories.apply, parts.store.memories.add_notes
    theirs = iter(["I like tea.", "I row."])

    async def theirs_first() -> None:
        monkeypatch.undo()
        other = AsyncToldOnce(parts)  # with locks of its own
        await other.add(next(theirs), user=ANA)

    async def add_later(subject: Subject, batch: NoteBatch, *, known: CachedSubject) -> None:
        await theirs_first()
        monkeypatch.setattr(parts.store.memories, "apply", apply_later)
        await add_notes(subject, batch, known=known)

    async def apply_later(
        subject: Subject,
        changes: Sequence[Change],
        decisions: Sequence[Decision],
        *,
        subject_version: int | None = None,
        home: Subject | None = None,
    ) -> int:
        await theirs_first()
        return await apply(subject, changes, decisions, subject_version=subject_version, home=home)

    await engine.add("I ski.", user=ANA)
    await engine.search("skiing", user=ANA)  # caches the subject
    monkeypatch.setattr(parts.store.memories, "add_notes", add_later)
    kept = await engine.bulk.add(["I row.", "i like tea"], user=ANA)
    assert [memory.text for memory in kept] == ["I row.", "I like tea."]
    assert len(await engine.list(user=ANA)) == 3
    assert next(theirs, None) is None


async def test_a_session_full_after_some_keeps_no_more_than_it_has_room_for(engine: AsyncToldOnce) -> None:
    await engine.conversations.open(
        "s1", user="ana", scope=RequestScope(profile="session"), options={"max-per-session": 5}
    )
    memory = await engine.conversations.subject(user="ana", conversation="s1", scope=RequestScope(profile="session"))
    first = await engine.bulk.add([f"Shelf {number} holds boxes." for number in range(4)], user=memory)
    kept = await engine.bulk.add(
        [NewNote(f"Drawer {number} holds pens.", 0.5 + number / 100) for number in range(8)],
        user=memory,
        profile="session",
    )
    active = await engine.list(user=memory)
    assert len(active) == 5
    assert {known.id for known in active} <= {known.id for known in kept}
    assert [known.state for known in kept].count(MemoryState.CLOSED) == 3
    for known in first:
        assert (await engine.get(known.id, user=memory)).state is MemoryState.CLOSED
    evictions = [line for line in await engine.history.decisions(user=memory) if line.action is Action.EVICT]
    assert len(evictions) == 7


async def test_what_a_model_folds_to_make_room_is_returned_as_what_they_say_together(
    parts: Components, tmp_path: Path
) -> None:
    both = "The boxes 2 and 11 hold shoes."
    model = ScriptedModel([edit(2, both), delete(1)])
    engine = with_profile(parts, tmp_path, '[capacity]\nmax_memories = 10\npolicy = "compact"', model=model)
    kept = await engine.bulk.add(numbered(9), user="ana")
    more = await engine.bulk.add(numbered(3, start=10), user="ana")

    ten, folded, twelve = more
    assert (folded.text, folded.state) == (both, MemoryState.ACTIVE)
    assert [ten.text, twelve.text] == [numbered(1, start=10)[0], numbered(1, start=12)[0]]
    assert len(await held(engine, "ana")) == 10
    assert (await engine.get(kept[0].id, user="ana")).state is MemoryState.CLOSED
    assert await unexplained(engine, "ana") == []
    assert len(model.calls) == 2
