"""What is to be forgotten leaves lists, prompts and summaries of every profile, however it was asked for."""

import pytest

from rows.scenes import CALENDAR, DEFAULT, KIRA, SCENES, SESSION, TIERED
from sample_chats import ALL_KINDS, assistant, tell, texts, user, with_model
from soak import whole_only
from toldonce.engine import AsyncToldOnce, Components
from toldonce.formation import quotations
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import MemoryKind, RequestScope

TOLD = ("I'm allergic to walnuts and always carry an inhaler.", "Noted: you're allergic to walnuts, so I'd skip pesto.")
TALK = (
    ("I play the cello in the city orchestra.", "The cello suits rainy evenings."),
    ("I decided to leave the lighthouse before winter, and to sail north with the old boat.", "I'll stay at home."),
    ("My dog is called Bo.", "Bo is a good name for a dog."),
    ("I like gardens in the rain.", "Gardens in the rain are calm."),
)
WHOLE = (SESSION, KIRA, CALENDAR)
WISH = ("Please forget that I'm allergic to walnuts.", "It's gone.")


async def hold_talk(engine: AsyncToldOnce, clock: FakeClock, scope: RequestScope, *turns: tuple[str, str]) -> None:
    for said, answered in turns:
        await engine.record([user(said), assistant(answered)], user="ana", conversation="c", scope=scope)
        await engine.form()
        clock.advance(minutes=2)


async def speak_of_rain(engine: AsyncToldOnce, clock: FakeClock, scope: RequestScope) -> None:
    """Say so much that what was told leaves every window."""
    for number in range(16):
        said = [user(f"Turn {number} is about rain."), assistant(f"Rain {number}.")]
        await engine.record(said, user="ana", conversation="c", scope=scope)
        clock.advance(minutes=2)
    await engine.form()


async def end(engine: AsyncToldOnce, clock: FakeClock) -> None:
    """Let the silence pass that ends a conversation."""
    clock.advance(hours=2)
    await engine.form()
    await engine.form()


async def shown(engine: AsyncToldOnce, scope: RequestScope) -> str:
    """Return all that a list, a search, a prompt and a summary would show."""
    mine = await engine.conversations.subject(user="ana", conversation="c", scope=scope)
    asked = {"user": "ana", "conversation": "c", "scope": scope}
    context = await engine.context("Am I allergic to walnuts?", **asked)  # type: ignore[arg-type]  # as written above
    prompt = await engine.prompt("What should I skip at dinner?", user="ana", conversation="c", scope=scope)
    found = await engine.search("walnuts", user=mine)
    return " ".join(
        [
            *(memory.text for memory in await engine.list(user=mine, kinds=ALL_KINDS, limit=1000)),
            *(item.memory.text for item in found.items),
            context.text,
            *(message["content"] for message in prompt),
            await engine.conversations.summary("c", user="ana", scope=scope),
        ]
    )


def name_of(scope: RequestScope) -> str:
    return str(scope.profile)


# Whether the conversation has ended before the wish is a matter of the profiles that remember it as a whole.
WISHES = [
    pytest.param(scope, ended, id=f"{name_of(scope)}-{when}", marks=() if scope in WHOLE or not ended else whole_only)
    for scope in SCENES
    for when, ended in (("open", False), ("ended", True))
]


@pytest.mark.parametrize(("scope", "ended"), WISHES)
async def test_a_wish_in_the_chat_is_heard_in_every_profile(
    engine: AsyncToldOnce, clock: FakeClock, scope: RequestScope, ended: bool
) -> None:
    await hold_talk(engine, clock, scope, TOLD, *TALK)
    if ended:
        await end(engine, clock)
    await hold_talk(engine, clock, scope, WISH, *TALK)
    await end(engine, clock)
    await speak_of_rain(engine, clock, scope)
    await end(engine, clock)
    held = await shown(engine, scope)
    assert "walnut" not in held
    assert "cello" in held or "lighthouse" in held


@pytest.mark.parametrize("scope", [SESSION, KIRA, TIERED, DEFAULT], ids=name_of)
async def test_what_is_forgotten_by_hand_is_in_no_later_summary(
    engine: AsyncToldOnce, clock: FakeClock, scope: RequestScope
) -> None:
    await hold_talk(engine, clock, scope, TOLD, *TALK)
    mine = await engine.conversations.subject(user="ana", conversation="c", scope=scope)
    for memory in await engine.list(user=mine, kinds=ALL_KINDS):
        if "walnut" in memory.text:
            await engine.forget(memory.id, user=mine)
    await speak_of_rain(engine, clock, scope)
    assert "walnut" not in await shown(engine, scope)


async def test_a_summarizing_model_is_not_shown_what_is_to_be_forgotten(parts: Components, clock: FakeClock) -> None:
    model = ScriptedModel([{"text": "The user plays the cello.", "messages": [], "importance": 5, "tags": []}] * 3)
    engine = with_model(parts, model)
    await hold_talk(engine, clock, CALENDAR, TOLD, *TALK, WISH)
    await end(engine, clock)
    assert any("cello" in call.user for call in model.calls)
    assert not [call for call in model.calls if "walnut" in call.user]


async def test_a_forgotten_quotation_takes_its_answer_and_stays_away(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    said = "Anyway, that red door at number nine keeps haunting me."
    turn = [user(said), assistant("A red door at number nine keeps haunting? How eerie. Try walking by daylight.")]
    await engine.record(turn, user="ana", conversation="c")
    await engine.form()
    [quotation] = [memory for memory in await engine.list(user="ana", kinds=(MemoryKind.TURN,)) if memory.text == said]
    await engine.forget(quotation.id, user="ana")
    held = " ".join(await texts(engine))
    assert "red door" not in held
    assert "daylight" not in held
    prompt = await engine.prompt("Which way home?", user="ana", conversation="c", scope=TIERED)
    assert not [message for message in prompt if "red door" in message["content"]]
    again = {"memories": [{"kind": "note", "text": "A red door haunts the user.", "quote": said, "message": 1}]}
    forming = with_model(parts, ScriptedModel(lambda _system, _user: again))
    clock.advance(days=1)
    await forming.record([user("I adopted a dog.")], user="ana", conversation="c")
    await forming.form()
    assert "red door" not in " ".join(await texts(forming))


SECRETS = [
    ("My bank password is:\nhunter2x9Q. I love sailing.", "Please forget my bank password.", "hunter2"),
    ("My door code:\n 482913. I love sailing.", "Forget my door code.", "482913"),
    ("My password is\nTr0ub4dor&3 and I love sailing.", "Forget my password, please.", "Tr0ub4dor"),
]


@pytest.mark.parametrize(("told", "wish", "secret"), SECRETS)
async def test_leaving_out_what_names_a_secret_does_not_lay_it_open(
    engine: AsyncToldOnce, clock: FakeClock, told: str, wish: str, secret: str
) -> None:
    await tell(engine, told)
    clock.advance(days=1)
    await tell(engine, wish)
    found = await engine.search("password code sailing", user="ana")
    held = " ".join([*await texts(engine), *(item.memory.text for item in found.items)])
    assert secret not in held
    assert "sailing" in held


async def test_a_common_value_is_left_out_of_all_quotations(
    engine: AsyncToldOnce, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    """More of them than are made again without it: the oldest are closed whole."""
    monkeypatch.setattr(quotations, "MAX_SHORTENED", 20)
    monkeypatch.setattr(quotations, "BATCH_SIZE", 7)
    said = [user(f"On day {day} I drank coffee. The {day}th walk was long.") for day in range(30)]
    await engine.record(said, user="ana", conversation="c")
    await engine.form()
    clock.advance(days=1)
    await tell(engine, "Please forget that I like coffee.")
    listed = [memory.text for memory in await engine.list(user="ana", kinds=(MemoryKind.TURN,), limit=1000)]
    assert not [text for text in listed if "coffee" in text]
    assert len([text for text in listed if "walk was long" in text]) == 20
