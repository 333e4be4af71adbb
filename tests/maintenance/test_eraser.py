"""What erasing takes away, what it leaves, and what it says of each."""

import json
from collections.abc import Mapping
from datetime import timedelta
from pathlib import Path
from typing import Any

import pytest

from sample_chats import (
    ALL_KINDS,
    PEANUTS_AND_OSLO,
    answer,
    asks,
    assistant,
    fact,
    note,
    request,
    tell,
    texts,
    user,
    with_model,
)
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import BadRequestError, ModelError, UnknownConversationError, UnknownMemoryError
from toldonce.testing import NEW_YEAR, FakeClock, ScriptedModel
from toldonce.types import Action, EraseReceipt, ErasureStatus, Memory, MemoryKind, MemoryState, Subject

PEANUTS = "I'm allergic to peanuts."
BEES = "I keep bees behind the house."


def counts(receipt: EraseReceipt) -> dict[str, int]:
    return {place.name: place.count for place in receipt.places if place.count}


def reach(receipt: EraseReceipt) -> dict[str, ErasureStatus]:
    return {place.name: place.reach for place in receipt.places}


async def log(engine: AsyncToldOnce, who: str = "ana") -> list[str]:
    found = []
    for conversation in await engine.conversations.list(user=who):
        found += [message.text for message in await engine.conversations.messages(conversation.id, user=who)]
    return found


def on_server(receipt: EraseReceipt) -> bool:
    """Tell whether a database server keeps deleted rows until its tables are rewritten."""
    return "tables" in reach(receipt)


async def known(engine: AsyncToldOnce, word: str, who: str = "ana") -> Memory:
    """Return a note or fact that says a word."""
    return next(memory for memory in await engine.list(user=who, closed=True) if word in memory.text)


async def test_i13_an_erased_memory_is_gone_from_every_read(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS, assistant("Noted."))
    await tell(engine, BEES)
    peanuts = await fact(engine, "peanuts")
    receipt = await engine.erase(peanuts.id, user="ana")

    assert receipt.done is not on_server(receipt)
    with pytest.raises(UnknownMemoryError):
        await engine.get(peanuts.id, user="ana")
    assert not [
        memory for memory in await engine.list(user="ana", kinds=ALL_KINDS, closed=True) if "peanuts" in memory.text
    ]
    assert "peanuts" not in str((await engine.search("peanuts", user="ana")).items)
    decisions = await engine.history.decisions(user="ana")
    assert not [line for line in decisions if "peanuts" in f"{line.text} {line.reason}"]
    assert await log(engine) == [BEES, "", "Noted."]
    assert (await engine.search("bees", user="ana")).items
    assert (await engine.admin.stats(check=True)).problems == ()


async def test_a_hollowed_message_keeps_place_role_and_times_alone(engine: AsyncToldOnce) -> None:
    await tell(engine, {**user(PEANUTS), "name": "Anastasia"}, assistant("Noted."))
    [conversation] = await engine.conversations.list(user="ana")
    before = await engine.conversations.messages(conversation.id, user="ana")
    await engine.erase((await fact(engine, "peanuts")).id, user="ana")
    hollow, kept = await engine.conversations.messages(conversation.id, user="ana")
    assert (hollow.seq, hollow.parent_seq, hollow.role, hollow.said_at) == (1, 0, "user", before[0].said_at)
    assert (hollow.text, hollow.name, hollow.erased) == ("", None, True)
    assert hollow.hash != before[0].hash
    assert kept == before[1]


async def test_the_versions_it_replaced_go_with_a_memory_and_those_after_it_stay(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    for said in ("I live in Rome.", "I moved to Oslo.", "I moved to Bergen."):
        await tell(engine, said)
        clock.advance(days=30)
    oslo = await fact(engine, "Oslo")
    await engine.erase(oslo.id, user="ana")
    assert {memory.text for memory in await engine.list(user="ana", closed=True)} == await texts(
        engine, kinds=(MemoryKind.NOTE, MemoryKind.FACT)
    )
    bergen = await engine.history.get((await fact(engine, "Bergen")).id, user="ana")
    [made] = [line for line in bergen.decisions if line.action is Action.REPLACE]
    assert (made.target_id, made.reason) == (None, "what it was weighed against was erased")
    assert await log(engine) == ["I moved to Bergen.", "", ""]


async def test_what_rests_on_an_erased_message_alone_goes_with_it(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    clock.advance(days=1)
    await tell(engine, "I live in Oslo.")
    oslo = await fact(engine, "Oslo")
    assert len(oslo.evidence) == 2
    receipt = await engine.erase((await fact(engine, "peanuts")).id, user="ana")
    [left] = (await fact(engine, "Oslo")).evidence
    assert left == oslo.evidence[1]
    assert "peanuts" not in f"{await engine.list(user='ana', kinds=ALL_KINDS, closed=True)}"
    assert counts(receipt)["messages"] == 1
    await tell(engine, "I still live in Oslo.")
    assert (await engine.admin.stats(check=True)).problems == ()


async def test_the_messages_may_be_kept(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS_AND_OSLO)
    receipt = await engine.erase((await fact(engine, "peanuts")).id, user="ana", keep_messages=True)
    assert await log(engine) == [PEANUTS_AND_OSLO]
    assert (await fact(engine, "Oslo")).state is MemoryState.ACTIVE
    assert reach(receipt)["source messages"] is ErasureStatus.OUT_OF_REACH
    await engine.form()
    with pytest.raises(ValueError, match="not enough values"):
        await fact(engine, "peanuts")


async def test_single_messages_are_erased_with_what_was_formed_of_them(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS, assistant("Noted."), BEES)
    [conversation] = await engine.conversations.list(user="ana")
    receipt = await engine.erasure.messages(conversation.id, [1], user="ana")
    assert await log(engine) == ["", "Noted.", BEES]
    assert not [text for text in await texts(engine) if "peanuts" in text]
    assert [text for text in await texts(engine) if "bees" in text]
    assert counts(receipt)["messages"] == 1
    with pytest.raises(BadRequestError, match="no message is named"):
        await engine.erasure.messages(conversation.id, [], user="ana")


async def test_a_conversation_is_erased_and_its_places_stay_gapless(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS, assistant("Noted."))
    await tell(engine, BEES)
    first = (await engine.conversations.list(user="ana"))[1]
    receipt = await engine.erasure.conversation(first.id, user="ana")
    assert [message.text for message in await engine.conversations.messages(first.id, user="ana")] == ["", ""]
    assert all("bees" in text for text in await texts(engine))
    assert counts(receipt)["messages"] == 2
    assert counts(receipt)["vectors"] >= 1
    again = await engine.erasure.conversation(first.id, user="ana")
    assert "messages" not in counts(again)


async def test_a_foreign_or_unknown_conversation_and_memory_is_refused(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS, who="ben")
    [theirs] = await engine.conversations.list(user="ben")
    their_fact = await fact(engine, "peanuts", who="ben")
    for attempt in (theirs.id, "nonsense"):
        with pytest.raises(UnknownConversationError):
            await engine.erasure.conversation(attempt, user="ana")
    await tell(engine, BEES)
    for attempt in (their_fact.id, "nonsense"):
        with pytest.raises(UnknownMemoryError):
            await engine.erase(attempt, user="ana")
    with pytest.raises(UnknownConversationError):
        await engine.erasure.conversation(theirs.id, user="ana")
    assert await fact(engine, "peanuts", who="ben") == their_fact


# ---- what comes again


async def test_i13_history_that_a_client_resends_stays_erased(engine: AsyncToldOnce) -> None:
    history = [user(PEANUTS), assistant("I will mind the peanuts."), user(BEES)]
    first = await engine.record(history, user="ana", conversation="chat")
    await engine.form()
    await engine.erasure.messages(first.conversation, [1, 2], user="ana")
    places = [message.seq for message in await engine.conversations.messages(first.conversation, user="ana")]
    for _ in range(2):
        again = await engine.record([*history, assistant("Lovely."), user("And now?")], user="ana", conversation="chat")
        assert again.conversation == first.conversation
    await engine.form()
    assert await log(engine) == ["", "", BEES, "Lovely.", "And now?"]
    assert places == [1, 2, 3]
    assert not [text for text in await texts(engine) if "peanuts" in text]


@pytest.mark.parametrize("name", ["elsewhere", None])
async def test_i13_history_copied_to_another_conversation_is_logged_hollow_once(
    engine: AsyncToldOnce, clock: FakeClock, name: str | None
) -> None:
    history = [user(PEANUTS), assistant("Noted."), user("I like tea.")]
    first = await engine.record(history, user="ana", conversation="chat")
    await engine.erasure.conversation(first.conversation, user="ana")
    clock.advance(days=1)
    for _ in range(2):
        await engine.record([*history, assistant("Good."), user("I moved to Oslo.")], user="ana", conversation=name)
    await engine.form()
    assert sorted(filter(None, await log(engine))) == ["Good.", "I moved to Oslo."]
    [newest] = [
        conversation for conversation in await engine.conversations.list(user="ana") if conversation.last_seq == 5
    ]
    messages = await engine.conversations.messages(newest.id, user="ana")
    assert [message.erased for message in messages] == [True, True, True, False, False]
    assert len(await log(engine)) == (5 if name is None else 8)


async def test_words_repeated_in_a_new_place_are_a_new_message(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, PEANUTS)
    await engine.erase((await fact(engine, "peanuts")).id, user="ana")
    clock.advance(hours=1)
    await tell(engine, PEANUTS)
    assert (await fact(engine, "peanuts")).state is MemoryState.ACTIVE
    assert await log(engine) == [PEANUTS, ""]


async def test_i13_an_old_log_that_is_fed_in_again_stays_erased_by_its_dates(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    long_ago = NEW_YEAR - timedelta(days=300)
    await engine.record([user(PEANUTS), assistant("Noted.")], user="ana", said_at=long_ago)
    await engine.form()
    await engine.erasure.subject("ana")
    clock.advance(days=1)
    await engine.record([user(PEANUTS), assistant("Noted.")], user="ana", said_at=long_ago)
    await engine.form()
    assert await log(engine) == ["", ""]
    assert await texts(engine) == set()


async def test_i13_calls_of_tools_that_were_erased_are_found_by_their_masks_alone(engine: AsyncToldOnce) -> None:
    call = {"id": "call-7", "type": "function", "function": {"name": "look", "arguments": '{"for": "peanuts"}'}}
    history: list[Mapping[str, Any]] = [
        user("Look for peanuts."),
        {"role": "assistant", "content": None, "tool_calls": [call]},
        {"role": "tool", "tool_call_id": "call-7", "content": "peanuts everywhere"},
    ]
    first = await engine.record(history, user="ana", conversation="chat")
    await engine.erasure.conversation(first.conversation, user="ana")
    again = await engine.record([*history, assistant("None."), user("Thanks, bye.")], user="ana")
    assert again.conversation == first.conversation
    assert await log(engine) == ["", "", "", "None.", "Thanks, bye."]


# ---- all of a subject


async def test_i13_a_subject_is_erased_with_its_name_and_starts_again(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, PEANUTS, assistant("Noted."))
    await tell(engine, BEES, who="ben")
    receipt = await engine.erasure.subject("ana")
    assert receipt.done is not on_server(receipt)
    assert await engine.admin.subjects() == [Subject("user", "ben")]
    assert await texts(engine) == set()
    assert await engine.history.decisions(user="ana") == []
    assert await log(engine) == []
    clock.advance(hours=1)
    await tell(engine, "I live in Oslo.")
    assert (await fact(engine, "Oslo")).state is MemoryState.ACTIVE
    assert "peanuts" not in str((await engine.search("peanuts", user="ana")).items)
    assert (await engine.admin.stats(check=True)).problems == ()


async def test_erasing_an_unknown_subject_succeeds(engine: AsyncToldOnce) -> None:
    receipt = await engine.erasure.subject("nobody")
    assert (receipt.done, counts(receipt)) == (True, {})


def rows_of(database: Path, who: str) -> dict[str, list[tuple[object, ...]]]:
    """Return all rows of a subject in every table that names one."""
    import apsw

    db = apsw.Connection(str(database))
    key = Subject("user", who).key
    found: dict[str, list[tuple[object, ...]]] = {}
    for (table,) in db.execute("SELECT name FROM sqlite_schema WHERE type = 'table' AND name NOT LIKE 'sqlite_%'"):
        names = {row[0] for row in db.execute("SELECT name FROM pragma_table_info(?)", (table,))}
        column = "subject" if "subject" in names else "key" if "key" in names else None
        if column:
            found[str(table)] = list(db.execute(f"SELECT * FROM {table} WHERE {column} = ?", (key,)))  # noqa: S608 - names of our own tables
    db.close()
    return found


async def test_i13_a_strangers_rows_are_equal_byte_for_byte_before_and_after(tmp_path: Path, clock: FakeClock) -> None:
    from toldonce.settings import Settings

    file = tmp_path / "kept.sqlite3"
    settings = Settings(database_url=f"sqlite:///{file}")
    async with await AsyncToldOnce.open(settings, clock=clock) as engine:
        for who in ("ana", "ben"):
            for number in range(5):
                said = [user(PEANUTS_AND_OSLO), assistant("Noted."), user(f"My sister Kira has {number + 2} dogs.")]
                await engine.record(said, user=who, conversation=f"chat {number}")
            await engine.form()
        before = rows_of(file, "ben")
        assert sum(map(len, before.values())) > 40
        await engine.erase((await fact(engine, "peanuts")).id, user="ana")
        [conversation, *_] = await engine.conversations.list(user="ana")
        await engine.erasure.conversation(conversation.id, user="ana", everywhere=True)
        await engine.erasure.subject("ana", everywhere=True)
        assert rows_of(file, "ben") == before
        mine = {table: rows for table, rows in rows_of(file, "ana").items() if rows}
    assert set(mine) == {"erased_message", "erased_subject", "erasure", "gone"}


# ---- traces


async def test_records_of_prompts_lose_the_memory_and_the_receipt_names_answers(
    engine: AsyncToldOnce, parts: Components
) -> None:
    await tell(engine, PEANUTS)
    asked = request(user("What should I avoid at a restaurant, peanuts?"))
    prepared = await engine.turns.prepare(asked, asks("ana"), mode="split")
    assert prepared.injected
    from toldonce.chat.reply import Reply

    reply = Reply(text="Avoid satay.", complete=True)
    await engine.turns.finish(asked, asks("ana"), reply, prepared)
    receipt = await engine.erase((await fact(engine, "peanuts")).id, user="ana")
    [record] = await parts.store.conversations.injections(Subject("user", "ana"))
    assert "peanuts" not in json.dumps([str(item) for item in record.items])
    left = {item[1] for item in record.items}
    assert left == {memory.id for memory in await engine.list(user="ana", kinds=ALL_KINDS)} & left
    assert reach(receipt)["answers given with it"] is ErasureStatus.OUT_OF_REACH
    assert counts(receipt)["answers given with it"] == 1


async def test_parked_work_forgets_the_words_of_its_error_and_stays_parked(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await tell(engine, PEANUTS)
    failing = with_model(parts, ScriptedModel(lambda _system, _user: BadRequestError("cannot read 'peanuts'")))
    await failing.record([user("I adore peanuts, always.")], user="ana")
    for _ in range(12):
        await failing.form()
        clock.advance(seconds=1_000)
    [parked] = await engine.admin.formations(parked=True)
    assert "peanuts" in (parked.error or "")
    await engine.erase((await fact(engine, "peanuts")).id, user="ana")
    [parked] = await engine.admin.formations(parked=True)
    assert parked.error == "its error went with what was erased"


async def test_the_reason_why_rules_read_a_turn_goes_with_its_words(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    failing = with_model(parts, ScriptedModel(lambda _system, _user: ModelError("cannot read 'peanuts'")))
    await failing.record([assistant("Hello!"), user(PEANUTS), assistant("Noted.")], user="ana")
    for _ in range(3):
        await failing.form()
        clock.advance(seconds=1_000)
    assert any("cannot read 'peanuts'" in line.reason for line in await engine.history.decisions(user="ana"))
    await engine.erase((await fact(engine, "peanuts")).id, user="ana")
    assert not any("peanuts" in line.reason for line in await engine.history.decisions(user="ana"))


async def test_a_model_that_answers_after_an_erasure_brings_nothing_back(
    engine: AsyncToldOnce, parts: Components
) -> None:
    erased: list[EraseReceipt] = []

    async def erase_now() -> None:
        [conversation] = await engine.conversations.list(user="ana")
        erased.append(await engine.erasure.conversation(conversation.id, user="ana"))

    class Thinking(ScriptedModel):
        async def answer(self, **asked: Any) -> Any:
            if not erased:
                await erase_now()
            return await super().answer(**asked)

    model = Thinking(lambda _system, _user: answer(note("The user is allergic to peanuts.", "allergic to peanuts")))
    slow = with_model(parts, model)
    await slow.record([user(PEANUTS)], user="ana")
    await slow.form()
    assert erased
    assert await texts(engine) == set()
    assert not [line for line in await engine.history.decisions(user="ana") if "peanuts" in line.text]
    assert [status.formed_seq for status in await engine.admin.formations()] == [1, 1]


async def test_every_place_has_a_line_on_the_receipt_and_a_sentence(engine: AsyncToldOnce) -> None:
    await tell(engine, PEANUTS)
    receipt = await engine.erase((await fact(engine, "peanuts")).id, user="ana")
    below = {"storage below the file"}
    if on_server(receipt):
        below = {"storage below the server's files", "write-ahead log"}
    outside = {"backups and copies", "exports", "models", "clients", "memory of processes"} | below
    assert {name for name, how in reach(receipt).items() if how is ErasureStatus.OUT_OF_REACH} == outside
    assert all(place.text for place in receipt.places)
    assert "peanuts" not in f"{receipt}"
