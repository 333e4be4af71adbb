"""One memory in several subjects: each holds a row of its own; taking it from one leaves the others (U6)."""

from pathlib import Path

import apsw
import pytest

from sample_chats import fact, slots, tell, texts, user
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError, UnknownMemoryError
from toldonce.settings import Settings
from toldonce.testing import FakeClock
from toldonce.types import Action, ErasureStatus, Memory, MemoryKind, RequestScope, Subject

TEAM = Subject("shared", "team")
APP = Subject("app", "calendar")
DOGS = "My sister Kira has two dogs."


async def shared_note(engine: AsyncToldOnce, *subjects: Subject) -> Memory:
    await engine.record([user(DOGS)], user="ana", scope=RequestScope(profile="user"))
    await engine.form()
    [note] = [memory for memory in await engine.list(user="ana", kinds=(MemoryKind.NOTE,)) if "dogs" in memory.text]
    for subject in subjects:
        await engine.shared.link(note.id, to=subject, user="ana")
    return note


async def test_u6_a_linked_memory_is_found_in_each_subject_under_one_id(engine: AsyncToldOnce) -> None:
    note = await shared_note(engine, TEAM, APP)
    for subject in (TEAM, APP):
        copy = await engine.get(note.id, user=subject)
        assert (copy.text, copy.evidence, copy.subject) == (note.text, note.evidence, subject)
        found = (await engine.search("dogs of the sister", user=subject)).items
        assert [(item.memory.id, item.similarity > 0, item.word_share > 0) for item in found] == [(note.id, True, True)]
        [line] = await engine.history.decisions(user=subject)
        assert (line.action, line.memory_id) == (Action.LINK, note.id)
    assert (await engine.get(note.id, user=APP)).number == 1
    assert await engine.shared.link(note.id, to=TEAM, user="ana") == await engine.get(note.id, user=TEAM)
    assert (await engine.admin.stats(check=True)).problems == ()


async def test_u6_unlinking_takes_the_row_from_one_subject_and_leaves_the_others(engine: AsyncToldOnce) -> None:
    note = await shared_note(engine, TEAM, APP)
    await engine.shared.unlink(note.id, user="ana")
    with pytest.raises(UnknownMemoryError):
        await engine.get(note.id, user="ana")
    assert not [item for item in (await engine.search("dogs", user="ana")).items if item.memory.id == note.id]
    for subject in (TEAM, APP):
        assert (await engine.search("dogs", user=subject)).items
    last = (await engine.history.decisions(user="ana"))[-1]
    assert (last.action, last.memory_id, last.text) == (Action.UNLINK, note.id, "")
    with pytest.raises(UnknownMemoryError):
        await engine.shared.unlink(note.id, user="ana")
    assert (await engine.admin.stats(check=True)).problems == ()


async def test_u6_replacing_closes_for_one_user_alone(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome.")
    rome = await fact(engine, "Rome")
    ben = Subject("user", "ben")
    await engine.shared.link(rome.id, to=ben, user="ana")
    clock.advance(days=1)
    await tell(engine, "I moved to Oslo.")
    assert await slots(engine) == {"location": "Oslo"}
    assert await slots(engine, "ben") == {"location": "Rome"}


async def test_u6_the_tables_of_the_system_it_comes_from_are_there_to_read(tmp_path: Path, clock: FakeClock) -> None:
    file = tmp_path / "kept.sqlite3"
    async with await AsyncToldOnce.open(Settings(database_url=f"sqlite:///{file}"), clock=clock) as engine:
        note = await shared_note(engine, Subject("user", "ben"))
        await tell(engine, "I live in Rome.")
        clock.advance(days=1)
        await tell(engine, "I moved to Oslo.")
        rome, oslo = await fact(engine, "Rome"), await fact(engine, "Oslo")
        db = apsw.Connection(str(file))
        holders = {str(row[0]) for row in db.execute(
            "SELECT user_id FROM users_vectors WHERE vector_id = ?", (note.id,)
        )}  # fmt: skip
        [content] = db.execute("SELECT metadata ->> 'content' FROM vectors WHERE id = ?", (note.id,))
        updates = {
            (row[0], row[1], row[2])
            for row in db.execute("SELECT user_id, old_vector_id, new_vector_id FROM memory_updates")
        }
        db.close()
    assert holders == {"ana", "ben"}
    assert content == (note.text,)
    assert ("ana", rome.id, oslo.id) in updates


async def test_what_cannot_be_linked_is_refused(engine: AsyncToldOnce) -> None:
    note = await shared_note(engine)
    await tell(engine, "My knee hurts since the fall.")
    [turn] = await engine.list(user="ana", kinds=(MemoryKind.TURN,))
    with pytest.raises(BadRequestError, match="quotation"):
        await engine.shared.link(turn.id, to=TEAM, user="ana")
    with pytest.raises(BadRequestError, match="already"):
        await engine.shared.link(note.id, to=Subject("user", "ana"), user="ana")
    await engine.forget(note.id, user="ana")
    with pytest.raises(BadRequestError, match="held or closed"):
        await engine.shared.link(note.id, to=TEAM, user="ana")
    for who, where in (("ana", "Rome"), ("ben", "Oslo")):
        await tell(engine, f"I live in {where}.", who=who)
    with pytest.raises(BadRequestError, match="another value of identity/location"):
        await engine.shared.link((await fact(engine, "Rome")).id, to=Subject("user", "ben"), user="ana")
    with pytest.raises(UnknownMemoryError):
        await engine.shared.link(note.id, to=TEAM, user="ben")


async def test_i13_copies_elsewhere_stay_and_are_named_unless_erased_everywhere(engine: AsyncToldOnce) -> None:
    note = await shared_note(engine, TEAM, APP)
    other = await engine.add("The office is closed on Fridays.", user="ana")
    await engine.shared.link(other.id, to=TEAM, user="ana")
    receipt = await engine.erase(other.id, user="ana")
    [elsewhere] = [place for place in receipt.places if place.name == "other subjects"]
    assert (elsewhere.reach, elsewhere.count) == (ErasureStatus.OUT_OF_REACH, 1)
    assert (await engine.get(other.id, user=TEAM)).text == other.text

    receipt = await engine.erase(note.id, user="ana", everywhere=True)
    [elsewhere] = [place for place in receipt.places if place.name == "other subjects"]
    assert (elsewhere.reach, elsewhere.count) == (ErasureStatus.REACHED, 0)
    for subject in (TEAM, APP):
        assert note.text not in await texts_of(engine, subject)
        assert not [line for line in await engine.history.decisions(user=subject) if "dogs" in line.text]
    assert (await engine.admin.stats(check=True)).problems == ()


async def test_i13_a_copy_is_erased_alone_unless_everywhere(engine: AsyncToldOnce) -> None:
    note = await shared_note(engine, TEAM)
    await engine.erase(note.id, user=TEAM)
    assert await texts_of(engine, TEAM) == set()
    assert note.text in await texts(engine)
    [conversation] = await engine.conversations.list(user="ana")
    assert [message.text for message in await engine.conversations.messages(conversation.id, user="ana")] == [DOGS]
    await engine.shared.link(note.id, to=TEAM, user="ana")
    await engine.erase(note.id, user=TEAM, everywhere=True)
    assert await texts(engine) == set()
    assert [message.text for message in await engine.conversations.messages(conversation.id, user="ana")] == [""]


async def test_i13_a_subject_erased_everywhere_takes_its_copies_along(engine: AsyncToldOnce) -> None:
    await shared_note(engine, TEAM)
    await engine.erasure.subject("ana")
    assert await texts_of(engine, TEAM) != set()
    await tell(engine, "My brother Marcus has three cats.")
    [cats] = await engine.list(user="ana", kinds=(MemoryKind.FACT,))
    await engine.shared.link(cats.id, to=TEAM, user="ana")
    await engine.erasure.subject("ana", everywhere=True)
    assert not [text for text in await texts_of(engine, TEAM) if "cats" in text]


async def texts_of(engine: AsyncToldOnce, subject: Subject) -> set[str]:
    return {memory.text for memory in await engine.list(user=subject, kinds=tuple(MemoryKind), closed=True)}
