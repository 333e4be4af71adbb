"""Which turns take something back: only certain edits. What is ambiguous goes below the newest message."""

from collections.abc import Sequence
from dataclasses import replace

import pytest

from factories import ANA, dialogue, turn
from toldonce.store.sql.turn_placement import resembles
from toldonce.store.store import Store
from toldonce.types import RecordedTurn, Turn

CHAT = "chat-1"
TALK = (
    "I'm allergic to peanuts.",
    "I will keep that in mind.",
    "My sister Ines lives in Porto.",
    "How nice.",
    "I drive a green tractor.",
    "Impressive.",
)


class Client:
    """A client with a history that sends any part of it."""

    def __init__(self, store: Store, *, name: str | None = CHAT) -> None:
        self.store = store
        self.name = name
        self.recorded: RecordedTurn | None = None

    async def send(self, *texts: str, message_id: str | None = None) -> RecordedTurn:
        """Send texts of user and assistant in turn, the last of which is the reply."""
        return await self.put(turn(*texts), message_id=message_id)

    async def put(self, said: Turn, *, message_id: str | None = None) -> RecordedTurn:
        self.recorded = await self.store.conversations.record(
            replace(said, external_id=self.name, message_id=message_id)
        )
        return self.recorded

    async def only(self, asked: Sequence[str], answered: str) -> RecordedTurn:
        """Send the last of the messages (user and assistant in turn, ending in the user's) without what came before."""
        shown = dialogue(*(["", *asked] if len(asked) % 2 == 0 else asked))
        messages = shown[1:] if len(asked) % 2 == 0 else shown
        # An answer whose question is not sent is no anchor.
        said = [replace(message, anchor=None) if place == 0 else message for place, message in enumerate(messages)]
        [reply] = dialogue(asked[-1], answered)[1:]
        return await self.put(replace(turn(asked[-1], answered), messages=tuple(said), reply=reply))

    async def talk(self, turns: int = 3) -> None:
        """Say the whole talk, with the history each time."""
        for end in range(2, 2 * turns + 1, 2):
            await self.send(*TALK[:end])

    async def gone(self) -> set[int]:
        assert self.recorded is not None
        return await self.store.conversations.abandoned(ANA, self.recorded.conversation)

    async def log(self) -> list[tuple[int, str]]:
        """(parent_seq, text) of each message."""
        assert self.recorded is not None
        return [
            (message.parent_seq, message.text)
            for message in await self.store.conversations.messages(ANA, self.recorded.conversation)
        ]


@pytest.fixture
def client(store: Store) -> Client:
    return Client(store)


def straight(*texts: str) -> list[tuple[int, str]]:
    return list(enumerate(texts))


# ---- what is no certain edit


async def test_a_client_that_sends_the_newest_message_alone_goes_on(client: Client) -> None:
    for asked, answered in zip(TALK[::2], TALK[1::2], strict=True):
        await client.send(asked, answered)
    assert await client.log() == straight(*TALK)
    assert await client.gone() == set()


async def test_alike_messages_that_come_alone_are_no_edits_of_each_other(client: Client) -> None:
    said = (
        "I'm allergic to peanuts.",
        "Noted 1.",
        "I'm allergic to walnuts.",
        "Noted 2.",
        "I'm allergic to eggs.",
        "3.",
    )
    for asked, answered in zip(said[::2], said[1::2], strict=True):
        await client.send(asked, answered)
    assert await client.log() == straight(*said)
    assert await client.gone() == set()


@pytest.mark.parametrize("kept", [1, 2, 3, 4, 5])
async def test_a_client_that_sends_the_last_few_messages_goes_on(client: Client, kept: int) -> None:
    for end in range(1, len(TALK), 2):
        await client.only(TALK[max(0, end - kept) : end], TALK[end])
    assert await client.log() == straight(*TALK)
    assert await client.gone() == set()


async def test_a_history_that_is_cut_off_later_takes_nothing_back(client: Client) -> None:
    await client.talk()
    await client.send("What a lovely morning in the mountains!", "Indeed.")
    await client.send("Which cheese goes with figs?", "Goat's.")
    assert [text for _, text in await client.log()] == [
        *TALK,
        "What a lovely morning in the mountains!",
        "Indeed.",
        "Which cheese goes with figs?",
        "Goat's.",
    ]
    assert await client.gone() == set()


async def test_a_summary_in_place_of_the_history_takes_nothing_back(client: Client) -> None:
    await client.talk()
    summary = "Summary of the chat: the user has a peanut allergy and a tractor."
    await client.send(
        summary, "Understood, I will go on from there.", "Please recommend a good restaurant.", "Try Leo's."
    )
    assert await client.gone() == set()
    assert [text for _, text in await client.log()][-2:] == ["Please recommend a good restaurant.", "Try Leo's."]


async def test_answers_that_the_client_rewrites_take_nothing_back(client: Client) -> None:
    await client.talk(2)
    await client.send(TALK[0], "(shortened)", TALK[2], "(shortened)", TALK[4], TALK[5])
    assert await client.gone() == set()


async def test_user_messages_alone_are_logged_once(client: Client) -> None:
    users = TALK[::2]
    for end in range(1, len(users) + 1):
        said = turn(users[end - 1], TALK[2 * end - 1])
        history = tuple(dialogue(text)[0] for text in users[:end])
        await client.put(replace(said, messages=history))
    assert await client.log() == straight(*TALK)
    assert await client.gone() == set()


@pytest.mark.parametrize("name", [CHAT, None])
async def test_other_words_below_an_old_answer_without_the_history_are_new(store: Store, name: str | None) -> None:
    client = Client(store, name=name)
    await client.talk()
    await client.only((*TALK[2:4], "Pick a colour for the fence."), "Blue.")
    assert (await client.log())[-2:] == [(6, "Pick a colour for the fence."), (7, "Blue.")]
    assert await client.gone() == set()


async def test_yes_and_yes_again_are_both_kept(client: Client) -> None:
    await client.talk(2)
    for answered in ("And the cat?", "And the dog?", "Good."):
        await client.send("Yes.", answered)
    assert [text for _, text in await client.log()].count("Yes.") == 3
    assert await client.gone() == set()


async def test_a_retry_of_the_only_message_adds_an_answer(client: Client) -> None:
    await client.send(TALK[0], TALK[1])
    await client.send(TALK[0], "Another answer.")
    assert await client.log() == [(0, TALK[0]), (1, TALK[1]), (1, "Another answer.")]


async def test_the_very_same_turn_twice_changes_nothing(client: Client) -> None:
    await client.talk()
    await client.send(*TALK)
    assert await client.log() == straight(*TALK)


async def test_a_regenerated_answer_of_a_trimmed_history_stands_beside_the_old_one(client: Client) -> None:
    await client.talk()
    await client.only(TALK[3:5], "Another answer.")
    assert (await client.log())[-1] == (5, "Another answer.")
    assert await client.gone() == set()


# ---- what is a certain edit


@pytest.mark.parametrize("new", ["I'm allergic to walnuts.", "I'm allergic to peanuts and sesame."])
async def test_the_first_message_edited_by_a_client_that_sends_its_history(client: Client, new: str) -> None:
    await client.talk()
    await client.send(new, "Noted.")
    assert await client.gone() == {1, 2, 3, 4, 5, 6}
    assert (await client.log())[-2:] == [(0, new), (7, "Noted.")]


async def test_a_message_in_the_middle_edited_with_the_history_before_it(client: Client) -> None:
    await client.talk()
    await client.send(*TALK[:2], "Let us speak about something else.", "Gladly.")
    assert await client.gone() == {3, 4, 5, 6}


async def test_a_message_in_the_middle_reworded_in_a_trimmed_history(client: Client) -> None:
    await client.talk()
    await client.only((*TALK[2:4], "I drive a red tractor."), "Impressive.")
    assert await client.gone() == {5, 6}


async def test_the_same_message_id_with_other_words_is_an_edit(client: Client) -> None:
    await client.send(TALK[0], TALK[1], message_id="m1")
    await client.send("I live in Oslo.", "A fine city.", message_id="m2")
    await client.send("Nothing, sorry.", "No problem.", message_id="m2")
    assert await client.gone() == {3, 4}
    assert (await client.log())[-2:] == [(2, "Nothing, sorry."), (5, "No problem.")]


async def test_the_same_message_id_with_the_same_words_is_a_retry(client: Client) -> None:
    await client.send(TALK[0], TALK[1], message_id="m1")
    await client.send("Yes.", "Good.", message_id="m2")
    await client.send("Yes.", "Very good.", message_id="m2")
    assert await client.log() == [(0, TALK[0]), (1, TALK[1]), (2, "Yes."), (3, "Good."), (3, "Very good.")]


async def test_a_new_message_id_says_nothing(client: Client) -> None:
    for place in range(0, len(TALK), 2):
        await client.send(TALK[place], TALK[place + 1], message_id=f"m{place}")
    assert await client.log() == straight(*TALK)


@pytest.mark.parametrize(
    ("one", "two", "alike"),
    [
        ("My dog is called Rex.", "My dog is called Max.", True),
        ("My dog is called Rex.", "my dog is called rex", True),
        ("Ich wohne in Köln.", "Ich wohne in Bonn.", True),
        ("My dog is called Rex.", "What is the capital of Peru?", False),
        ("Yes.", "No.", False),
        ("", "I live in Oslo.", False),
        ("", "", False),
        ("I live in Oslo.", "I live in a house by the sea with three dogs, four cats and a very old parrot.", False),
    ],
)
def test_resembling_messages_share_half_their_words(one: str, two: str, *, alike: bool) -> None:
    assert resembles(one, two) is alike
    assert resembles(two, one) is alike
