"""Where turns are placed: what clients do to their histories, and the messages that are then in the log."""

import asyncio
from dataclasses import replace

import pytest

from factories import ANA, BEN, anchored, at, dialogue, due, message, recall_record, turn
from toldonce.errors import BadRequestError
from toldonce.store.store import Store
from toldonce.testing import FakeClock
from toldonce.types import ConversationId, MemoryId, Subject, Turn


async def log(store: Store, conversation: ConversationId, subject: Subject = ANA) -> list[tuple[int, int, str]]:
    """(seq, parent_seq, text) of each message."""
    return [(m.seq, m.parent_seq, m.text) for m in await store.conversations.messages(subject, conversation)]


async def count(store: Store, subject: Subject = ANA) -> int:
    return len(await store.conversations.list(subject))


async def test_a_turn_reads_back_as_it_was_said(store: Store, clock: FakeClock) -> None:
    clock.advance(hours=1)
    said = replace(turn("Hi, I am Ana.", "Hello Ana!"), external_id="chat-1")
    recorded = await store.conversations.record(said)

    assert recorded.new_conversation
    assert at(recorded) == ((1, 2), 2)
    first, second = await store.conversations.messages(ANA, recorded.conversation)
    assert (first.role, first.text, first.hash) == ("user", "Hi, I am Ana.", said.messages[0].hash)
    assert (second.role, second.parent_seq, second.complete) == ("assistant", 1, True)
    assert (first.said_at, first.recorded_at) == (said.said_at, clock.now())
    (conversation,) = await store.conversations.list(ANA)
    assert (conversation.id, conversation.external_id, conversation.last_seq) == (recorded.conversation, "chat-1", 2)


async def test_a_conversation_goes_on_by_the_anchor_of_its_last_answer(store: Store, clock: FakeClock) -> None:
    first = await store.conversations.record(turn("a", "b"))
    clock.advance(days=3)
    second = await store.conversations.record(turn("a", "b", "c", "d"))

    assert (second.conversation, second.new_conversation) == (first.conversation, False)
    assert at(second) == ((3, 4), 4)
    assert await log(store, first.conversation) == [(1, 0, "a"), (2, 1, "b"), (3, 2, "c"), (4, 3, "d")]


async def test_the_identical_turn_changes_nothing_but_when_work_is_due(store: Store, clock: FakeClock) -> None:
    said = turn("a", "b", formations=[due(due_at=clock.now())], recall=recall_record())
    first = await store.conversations.record(said)
    clock.advance(minutes=1)
    later = replace(said, formations=(due(due_at=clock.now()),))
    again = await store.conversations.record(later)

    assert (again.conversation, at(again)) == (first.conversation, ((), 2))
    assert len(await store.conversations.messages(ANA, first.conversation)) == 2
    assert len(await store.conversations.injections(ANA)) == 1
    (formation,) = await store.formations.list(subject=ANA)
    assert (formation.due_at, formation.formed_seq, formation.last_seq) == (clock.now(), 0, 2)


async def test_a_first_message_sent_twice_is_one_conversation_with_two_answers(store: Store) -> None:
    one, other = await asyncio.gather(
        store.conversations.record(turn("hi", "hello")), store.conversations.record(turn("hi", "good day"))
    )

    assert one.conversation == other.conversation
    assert sorted(await log(store, one.conversation))[0] == (1, 0, "hi")
    assert {parent for _, parent, _ in (await log(store, one.conversation))[1:]} == {1}


async def test_the_same_first_message_an_hour_later_is_another_conversation(store: Store, clock: FakeClock) -> None:
    first = await store.conversations.record(turn("hi", "hello"))
    clock.advance(hours=1)
    second = await store.conversations.record(turn("hi", "hello"))

    assert second.new_conversation
    assert second.conversation != first.conversation


async def test_ten_minutes_are_still_a_retry_and_a_second_more_is_not(store: Store, clock: FakeClock) -> None:
    first = await store.conversations.record(turn("hi", "hello"))
    clock.advance(minutes=10)
    assert (await store.conversations.record(turn("hi", "good day"))).conversation == first.conversation
    clock.advance(minutes=10, seconds=1)
    assert (await store.conversations.record(turn("hi", "good evening"))).new_conversation


async def test_the_same_first_message_after_the_chat_went_on_is_another_conversation(store: Store) -> None:
    first = await store.conversations.record(turn("hi", "hello"))
    await store.conversations.record(turn("hi", "hello", "how are you?", "fine"))
    second = await store.conversations.record(turn("hi", "hello again"))

    assert second.conversation != first.conversation


async def test_a_retry_after_an_answer_that_never_came_is_the_same_conversation(store: Store) -> None:
    first = await store.conversations.record(turn("hi"))
    second = await store.conversations.record(turn("hi", "hello"))

    assert second.conversation == first.conversation
    assert at(second) == ((2,), 2)


async def test_a_retry_after_a_broken_answer_adds_the_whole_one_beside_it(store: Store) -> None:
    question, answer = dialogue("hi", "hello")
    broken = replace(turn("hi", "hello"), reply=replace(answer, complete=False))
    first = await store.conversations.record(broken)
    second = await store.conversations.record(turn("hi", "hello"))

    assert (second.conversation, at(second)) == (first.conversation, ((3,), 3))
    found = await store.conversations.messages(ANA, first.conversation)
    assert [(m.parent_seq, m.complete) for m in found] == [(0, True), (1, False), (1, True)]
    assert question.hash == found[0].hash
    assert at(await store.conversations.record(broken)) == ((), 3)


@pytest.mark.parametrize("external_id", [None, "chat-1"])
async def test_a_regenerated_answer_becomes_a_sibling_and_abandons_nothing(
    store: Store, external_id: str | None
) -> None:
    first = await store.conversations.record(turn("a", "b", external_id=external_id))
    await store.conversations.record(turn("a", "b", "c", "d", external_id=external_id))
    again = await store.conversations.record(turn("a", "b", "c", "e", external_id=external_id))

    assert at(again) == ((5,), 5)
    assert (await log(store, first.conversation))[-1] == (5, 3, "e")
    assert await store.conversations.abandoned(ANA, first.conversation) == set()


async def test_an_edited_first_message_with_an_id_is_a_sibling_and_abandons_all_below(store: Store) -> None:
    first = await store.conversations.record(turn("a", "b", external_id="x"))
    await store.conversations.record(turn("a", "b", "c", "d", external_id="x"))
    edited = await store.conversations.record(turn("A?", "B", external_id="x"))

    assert edited.conversation == first.conversation
    assert (await log(store, first.conversation))[-2:] == [(5, 0, "A?"), (6, 5, "B")]
    assert await store.conversations.abandoned(ANA, first.conversation) == {1, 2, 3, 4}


async def test_an_edited_first_message_without_an_id_is_another_conversation(store: Store) -> None:
    await store.conversations.record(turn("a", "b"))
    assert (await store.conversations.record(turn("A?", "B"))).new_conversation


@pytest.mark.parametrize("external_id", [None, "chat-1"])
async def test_an_edited_third_message_abandons_what_stood_in_its_place(store: Store, external_id: str | None) -> None:
    first = await store.conversations.record(turn("a", "b", external_id=external_id))
    await store.conversations.record(turn("a", "b", "c", "d", external_id=external_id))
    edited = await store.conversations.record(turn("a", "b", "C!", "D", external_id=external_id))

    assert edited.conversation == first.conversation
    assert (await log(store, first.conversation))[-2:] == [(5, 2, "C!"), (6, 5, "D")]
    assert await store.conversations.abandoned(ANA, first.conversation) == {3, 4}


@pytest.mark.parametrize("external_id", [None, "chat-1"])
async def test_words_that_an_edit_brings_back_are_new_messages(store: Store, external_id: str | None) -> None:
    first = await store.conversations.record(turn("a", "b", "rome", "d", external_id=external_id))
    await store.conversations.record(turn("a", "b", "oslo", "D", external_id=external_id))
    back = await store.conversations.record(turn("a", "b", "rome", "d", external_id=external_id))
    again = await store.conversations.record(turn("a", "b", "rome", "d", external_id=external_id))

    assert (at(back), at(again)) == (((7, 8), 8), ((), 8))
    assert await store.conversations.abandoned(ANA, first.conversation) == {3, 4, 5, 6}


@pytest.mark.parametrize("external_id", [None, "chat-1"])
async def test_a_client_that_sends_the_last_four_messages_is_followed(store: Store, external_id: str | None) -> None:
    words = ["a", "b", "c", "d", "e", "f", "g", "h"]
    for end in (2, 4, 6):
        first = await store.conversations.record(turn(*words[:end], external_id=external_id))
    trimmed = await store.conversations.record(turn(*words[2:], external_id=external_id))

    assert (trimmed.conversation, at(trimmed)) == (first.conversation, ((7, 8), 8))
    assert [parent for _, parent, _ in await log(store, first.conversation)] == list(range(8))


async def test_a_summary_in_place_of_the_beginning_changes_nothing(store: Store) -> None:
    await store.conversations.record(turn("a", "b"))
    first = await store.conversations.record(turn("a", "b", "c", "d"))
    said = turn("c", "d", "e", "f")
    summary = message("Summary: they spoke of a.", "user")
    second = await store.conversations.record(replace(said, messages=(summary, *said.messages)))

    assert (second.conversation, at(second)) == (first.conversation, ((5, 6), 6))


async def test_a_client_without_history_follows_the_newest_leaf(store: Store) -> None:
    first = await store.conversations.record(turn("a", "b", external_id="x", append=True))
    await store.conversations.record(turn("c", "d", external_id="x", append=True))
    third = await store.conversations.record(
        turn("c", "d", external_id="x", append=True, said_at=FakeClock().now().replace(hour=9))
    )

    assert (third.conversation, at(third)) == (first.conversation, ((5, 6), 6))
    assert [parent for _, parent, _ in await log(store, first.conversation)] == [0, 1, 2, 3, 4, 5]


async def test_a_client_without_history_that_retries_is_told_from_one_that_goes_on(store: Store) -> None:
    said = turn("a", "b", external_id="x", append=True)
    assert said.reply is not None
    first = await store.conversations.record(said)
    assert at(await store.conversations.record(said)) == ((), 2)
    broken = turn("c", "d…", external_id="x", append=True)
    assert broken.reply is not None
    await store.conversations.record(replace(broken, reply=replace(broken.reply, complete=False)))
    again = await store.conversations.record(turn("c", "d!", external_id="x", append=True))
    assert at(again) == ((5,), 5)
    await store.conversations.record(turn("e", external_id="x", append=True))
    assert at(await store.conversations.record(turn("e", "f", external_id="x", append=True))) == ((7,), 7)
    assert [parent for _, parent, _ in await log(store, first.conversation)] == [0, 1, 2, 3, 3, 5, 6]


def tool_turns() -> tuple[Turn, Turn, Turn]:
    """A question, the call it makes, the tool's result with its answer, and the next question."""
    question = message("What is the weather?")
    call = message("", "assistant", calls=["call_1"])
    result = message("Rain.", "tool")
    answer = anchored(message("It rains.", "assistant"), question)
    first = replace(turn("x", "y"), messages=(question,), reply=call)
    second = replace(first, messages=(question, call, result), reply=answer)
    follow, after = dialogue("And tomorrow?", "Sun.")
    return first, second, replace(first, messages=(question, call, result, answer, follow), reply=after)


async def test_a_tool_call_and_its_result_are_in_one_thread(store: Store) -> None:
    said = tool_turns()
    recorded = [await store.conversations.record(exchange) for exchange in said]

    assert len({saved.conversation for saved in recorded}) == 1
    assert [at(saved) for saved in recorded] == [((1, 2), 2), ((3, 4), 4), ((5, 6), 6)]
    assert [parent for _, parent, _ in await log(store, recorded[0].conversation)] == list(range(6))


async def test_equal_call_ids_in_two_chats_do_not_mix_them(store: Store, clock: FakeClock) -> None:
    first, second, _ = tool_turns()
    one = await store.conversations.record(first)
    await store.conversations.record(second)
    clock.advance(hours=1)
    question = message("What time is it?")
    other = await store.conversations.record(replace(first, messages=(question,)))
    again = await store.conversations.record(replace(second, messages=(question, *second.messages[1:])))

    assert other.conversation != one.conversation
    assert again.conversation == other.conversation


async def test_two_tabs_keep_their_own_conversations(store: Store) -> None:
    one = await store.conversations.record(turn("tab one", "b"))
    other = await store.conversations.record(turn("tab two", "b"))
    await store.conversations.record(turn("tab one", "b", "c", "d"))
    await store.conversations.record(turn("tab two", "b", "c", "d"))

    assert one.conversation != other.conversation
    assert [text for *_, text in await log(store, one.conversation)] == ["tab one", "b", "c", "d"]
    assert [text for *_, text in await log(store, other.conversation)] == ["tab two", "b", "c", "d"]


async def test_chats_that_begin_alike_separate_where_they_differ(store: Store, clock: FakeClock) -> None:
    one = await store.conversations.record(turn("hi", "hello"))
    clock.advance(hours=1)
    other = await store.conversations.record(turn("hi", "hello"))
    await store.conversations.record(turn("hi", "hello", "rome", "ok"))
    clock.advance(hours=1)
    free = await store.conversations.record(turn("hi", "hello", "oslo", "ok"))

    assert free.conversation == one.conversation
    assert (await store.conversations.record(turn("hi", "hello", "rome", "yes"))).conversation == other.conversation
    assert await store.conversations.abandoned(ANA, one.conversation) == set()


async def test_an_unknown_id_begins_a_conversation_even_with_a_known_history(store: Store) -> None:
    await store.conversations.record(turn("a", "b", external_id="x"))
    cloned = await store.conversations.record(turn("a", "b", "c", "d", external_id="y"))

    assert cloned.new_conversation
    assert at(cloned) == ((1, 2, 3, 4), 4)


async def test_positions_are_gapless_under_fifty_writers_at_once(store: Store) -> None:
    await store.conversations.record(turn("a", "b", external_id="x"))
    await asyncio.gather(
        *(
            store.conversations.record(turn("a", "b", f"c{number}", f"d{number}", external_id="x"))
            for number in range(50)
        )
    )
    (conversation,) = await store.conversations.list(ANA)
    found = await store.conversations.messages(ANA, conversation.id)

    assert [m.seq for m in found] == list(range(1, 103))
    assert conversation.last_seq == 102
    assert all(m.parent_seq < m.seq for m in found)


async def test_nothing_of_another_subjects_log_comes_back(store: Store) -> None:
    mine = await store.conversations.record(turn("secret", "b", external_id="x", recall=recall_record()))
    theirs = await store.conversations.record(turn("secret", "b", "c", "d", subject=BEN, external_id="x"))

    assert theirs.new_conversation
    assert at(theirs) == ((1, 2, 3, 4), 4)
    assert await store.conversations.messages(BEN, mine.conversation) == []
    assert await store.conversations.abandoned(BEN, mine.conversation) == set()
    assert await store.conversations.injections(BEN) == []
    assert [c.id for c in await store.conversations.list(BEN)] == [theirs.conversation]
    assert await count(store, Subject("user", "nobody")) == 0


async def test_conversations_are_listed_last_updated_first_and_paged(store: Store, clock: FakeClock) -> None:
    ids = []
    for number in range(5):
        clock.advance(hours=1)
        ids.append((await store.conversations.record(turn(f"q{number}", "a", said_at=clock.now()))).conversation)
    page = await store.conversations.list(ANA, limit=2)
    rest = await store.conversations.list(ANA, before=page[-1].updated_at)

    assert [c.id for c in page + rest] == ids[::-1]


async def test_messages_are_paged_by_position(store: Store) -> None:
    recorded = await store.conversations.record(turn("a", "b", "c", "d"))
    assert [m.seq for m in await store.conversations.messages(ANA, recorded.conversation, after_seq=1, limit=2)] == [
        2,
        3,
    ]
    assert await store.conversations.messages(ANA, ConversationId("nonsense")) == []


@pytest.mark.parametrize("limit", [0, -1, 10_001])
async def test_a_limit_that_means_all_rows_or_none_is_refused(store: Store, limit: int) -> None:
    with pytest.raises(BadRequestError):
        await store.conversations.list(ANA, limit=limit)


async def test_what_was_injected_is_kept_with_its_turn(store: Store, clock: FakeClock) -> None:
    first = recall_record((ANA, _id(1), 0.75), at=clock.now())
    clock.advance(minutes=1)
    second = recall_record(at=clock.now())
    one = await store.conversations.record(turn("a", "b", recall=first))
    await store.conversations.record(turn("q", "r", recall=second))

    assert await store.conversations.injections(ANA) == [second, first]
    assert await store.conversations.injections(ANA, conversation=one.conversation) == [first]


def _id(number: int) -> MemoryId:
    return MemoryId(f"00000000-0000-7000-8000-{number:012d}")


async def test_text_that_no_database_can_store_is_replaced_and_kept(store: Store) -> None:
    recorded = await store.conversations.record(turn("nul \x00 and \ud83d surrogate", "ok", external_id="x\x00"))
    found = await store.conversations.messages(ANA, recorded.conversation)
    again = await store.conversations.record(turn("more", "ok", external_id="x\x00", append=True))

    assert found[0].text == "nul \ufffd and \ufffd surrogate"
    assert again.conversation == recorded.conversation


async def test_a_turn_of_nothing_is_refused(store: Store) -> None:
    with pytest.raises(BadRequestError):
        await store.conversations.record(replace(turn("a"), messages=()))


async def test_each_message_of_a_long_turn_is_the_child_of_the_one_before(store: Store) -> None:
    said = [f"message {number}" for number in range(500)]
    recorded = await store.conversations.record(turn(*said))
    found = await store.conversations.messages(ANA, recorded.conversation)
    assert [m.text for m in found] == said
    assert [m.parent_seq for m in found] == list(range(500))
    assert at(recorded) == (tuple(range(1, 501)), 500)

    edited = await store.conversations.record(turn(*said[:490], "edited", "ok", "and on", "fine"))
    found = await store.conversations.messages(ANA, edited.conversation, after_seq=500)
    assert edited.conversation == recorded.conversation
    assert [(m.parent_seq, m.text) for m in found] == [(490, "edited"), (501, "ok"), (502, "and on"), (503, "fine")]
