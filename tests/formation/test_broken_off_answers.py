"""An answer that breaks off is asked on from its last whole item: no message is formed that the model did not reach."""

import re
from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from sample_chats import assistant, user, with_model
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import ModelError
from toldonce.formation.bisection import BROKE_OFF, BY_RULES
from toldonce.providers.protocols import ModelAnswer
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, FormationStatus, MemoryKind, RequestScope

TALK = [
    "I keep bees on the roof of my house.",
    "Meine Tochter Ines spielt Posaune im Orchester.",
    "我哥哥在修教堂的管风琴。",
    "Conduzco una furgoneta azul de 1988.",
    "Je collectionne des montres anciennes depuis dix ans.",
]
_SHOWN = re.compile(r'(?m)^\[(\d+)\] (?:\w+ [^,\n]+, )?"[^"]*": "(.*)"$')

Write = Callable[[int, str], dict[str, Any]]


def _memory(number: int, text: str) -> dict[str, Any]:
    return {"kind": "note", "text": f"Said: {text}", "type": "fact", "importance": 0.8, "confidence": 0.9} | {
        "message": number,
        "quote": text,
    }


def _fact(number: int, text: str) -> dict[str, Any]:
    return {"category": "identity", "key": f"said:{text}", "value": text, "message": number, "quote": text}


def _sentence(number: int, text: str) -> dict[str, Any]:
    return {"text": f"Said: {text}", "message": number, "quote": text}


def _record(number: int, text: str) -> dict[str, Any]:
    return {"type": "note", "content": f"Said: {text}", "summary": text, "importance": 0.8} | {
        "message": number,
        "quote": text,
    }


PROFILES: dict[str, Write] = {
    "default": _memory,
    "tiered": _fact,
    "user": _sentence,
    "session": _record,
    "character": _record,
}


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def shown(asked: str) -> list[tuple[int, str]]:
    """Return the messages of the user in a question: number and words."""
    listed = _SHOWN.findall(asked.rpartition("\nMessages:\n")[2])
    return [(int(number), text) for number, text in listed if text in TALK]


def breaking_off(write: Write, *, after: int = 1) -> ScriptedModel:
    """Answer truthfully about each message shown, but break off after some items, wherever there are more."""

    def reply(_system: str, asked: str) -> object:
        told = [(number, text) for number, text in shown(asked) if f"{text}" not in held(asked)]
        items = [write(number, text) for number, text in told]
        return ModelAnswer(data={"memories": items[:after]}, usage=None, calls=1, broke_off=len(items) > after)

    return ScriptedModel(reply)


def held(asked: str) -> str:
    """Return the memories that a question says were given already."""
    return asked.partition("Your last answer")[2].partition("Known memories:")[0]


async def told(engine: AsyncToldOnce, scope: RequestScope) -> None:
    for text in TALK:
        await engine.record([user(text), assistant("Hm.")], user="ana", conversation="c", scope=scope)
    await engine.form()


async def quotes(engine: AsyncToldOnce, scope: RequestScope) -> set[str]:
    """Return the words that notes and facts rest on."""
    subject = await engine.conversations.subject(user="ana", conversation="c", scope=scope)
    listed = await engine.list(user=subject, kinds=(MemoryKind.NOTE, MemoryKind.FACT), limit=100)
    return {source.quote for memory in listed for source in memory.evidence}


async def extraction(engine: AsyncToldOnce) -> FormationStatus:
    [status] = [each for each in await engine.admin.formations() if each.key.stage == "extract"]
    return status


@pytest.mark.parametrize("profile", PROFILES)
async def test_what_is_missing_is_asked_for_until_every_message_was_reached(parts: Components, profile: str) -> None:
    model = breaking_off(PROFILES[profile])
    engine, scope = with_model(parts, model), RequestScope(profile=profile)
    if profile == "character":
        scope = replace(scope, characters=("Kira", "Marcus"))
    await told(engine, scope)
    assert await quotes(engine, scope) == set(TALK)
    assert len([call for call in model.calls if call.schema_name == "memories"]) == len(TALK)
    assert (await extraction(engine)).formed_seq == 2 * len(TALK)


async def test_a_further_question_shows_what_is_left_and_tells_what_was_given(parts: Components) -> None:
    model = breaking_off(_memory)
    await told(with_model(parts, model), RequestScope())
    first, second, *_ = model.calls
    assert "Your last answer" not in first.user
    assert f'[1] "Said: {TALK[0]}"' in held(second.user)
    assert ("numbered on from [1]." in first.user, "numbered on from [2]." in second.user) == (True, True)
    third = model.calls[2].user
    asked_again = [text for _, text in shown(third)]
    assert asked_again == TALK[1 : 1 + len(asked_again)], "the last item's message may state more"
    assert asked_again
    assert TALK[0][-20:] in third.partition("for context only:")[2].partition("Messages:")[0]


async def test_a_message_with_many_statements_is_asked_on_about(parts: Components) -> None:
    said = "I keep bees, I play the harp, I drive a van, and I fear heights."
    parts_said = [piece.strip(" ,.").removeprefix("and ") for piece in said.split(",")]

    def reply(_system: str, asked: str) -> object:
        missing = [piece for piece in parts_said if piece not in held(asked)]
        data = {"memories": [_memory(1, piece) for piece in missing[:1]]}
        return ModelAnswer(data=data, usage=None, calls=1, broke_off=len(missing) > 1)

    engine = with_model(parts, ScriptedModel(reply))
    await engine.record([user(said)], user="ana", conversation="c")
    await engine.form()
    assert await quotes(engine, RequestScope()) == set(parts_said)


async def test_a_model_that_does_not_get_on_is_asked_about_fewer_turns(parts: Components) -> None:
    """It gives the first memory again and again, and reaches the second message only when it stands alone."""

    def reply(_system: str, asked: str) -> object:
        items = [_memory(number, text) for number, text in shown(asked)]
        return ModelAnswer(data={"memories": items[:1]}, usage=None, calls=1, broke_off=len(items) > 1)

    def stubborn(system: str, asked: str) -> object:
        # It starts anew as long as more than one message is left, and so never ends.
        return reply(system, asked) if len(shown(asked)) < 2 else ModelError("cut", broke_off=True)

    engine = with_model(parts, ScriptedModel(stubborn))
    await told(engine, RequestScope())
    await engine.form()
    assert await quotes(engine, RequestScope()) == set(TALK)


async def test_a_turn_on_which_every_answer_breaks_off_is_told_in_the_log(parts: Components, clock: FakeClock) -> None:
    bad = TALK[1]

    def reply(_system: str, asked: str) -> object:
        items = [_memory(number, text) for number, text in shown(asked)]
        if items and items[0]["quote"] == bad:
            return ModelError("cut before the first item was whole", broke_off=True)
        broke_off = any(item["quote"] == bad for item in items)
        return ModelAnswer(data={"memories": items[:1]}, usage=None, calls=1, broke_off=broke_off or len(items) > 1)

    engine = with_model(parts, ScriptedModel(reply))
    await told(engine, RequestScope())
    for _ in range(20):
        clock.advance(seconds=30)
        await engine.form()
    assert {text for text in TALK if text != bad} <= await quotes(engine, RequestScope())
    lines = [line for line in await engine.history.decisions(user="ana") if line.action is Action.IGNORE]
    assert [line.seq for line in lines if line.reason == f"{BY_RULES}: {BROKE_OFF}"] == [3]
    status = await extraction(engine)
    assert (status.formed_seq, status.parked) == (2 * len(TALK), False)


@pytest.mark.parametrize("nonsense", [{"poem": "roses are red"}, "I cannot help with that.", 7])
async def test_nonsense_after_an_answer_that_broke_off_ends_nothing(
    parts: Components, clock: FakeClock, nonsense: object
) -> None:
    answers: list[object] = [ModelAnswer(data={"memories": []}, usage=None, calls=1, broke_off=True), nonsense] * 2

    def reply(_system: str, asked: str) -> object:
        if answers:
            return answers.pop(0)
        return {"memories": [_memory(number, text) for number, text in shown(asked)]}

    engine = with_model(parts, ScriptedModel(reply))
    await told(engine, RequestScope())
    for _ in range(10):
        clock.advance(hours=1)
        await engine.form()
    assert await quotes(engine, RequestScope()) == set(TALK)


async def test_an_endless_answer_ends(parts: Components) -> None:
    count = 0

    def reply(_system: str, _asked: str) -> object:
        nonlocal count
        count += 1
        items = [_memory(1, TALK[0]) | {"text": f"Said {count}: {TALK[0]}"}]
        return ModelAnswer(data={"memories": items}, usage=None, calls=1, broke_off=True)

    engine = with_model(parts, ScriptedModel(reply))
    await engine.record([user(TALK[0])], user="ana", conversation="c")
    await engine.form()
    assert count <= 10


@pytest.mark.parametrize("items", [[], [_memory(1, TALK[0])]])
async def test_a_whole_list_with_nothing_new_is_the_end_whatever_its_server_says(
    parts: Components, items: list[dict[str, Any]]
) -> None:
    model = ScriptedModel(lambda *_: ModelAnswer(data={"memories": items}, usage=None, calls=1, at_limit=True))
    engine = with_model(parts, model)
    await engine.record([user(TALK[0])], user="ana", conversation="c")
    await engine.form()
    assert len(model.calls) == 1 + len(items)
    assert await quotes(engine, RequestScope()) == {item["quote"] for item in items}
    assert (await extraction(engine)).formed_seq == 1


async def test_a_paragraph_that_breaks_off_is_asked_for_again_in_fewer_words(parts: Components) -> None:
    whole = {"text": "The user keeps bees on the roof of a house.", "messages": [1, 3], "importance": 6, "tags": []}
    cut = ModelAnswer(data=whole | {"messages": [1]}, usage=None, calls=1, broke_off=True)
    model = ScriptedModel([ModelError("cut", broke_off=True), cut, whole])
    engine, scope = with_model(parts, model), RequestScope(profile="app", app="calendar")
    for text in TALK[:2]:
        await engine.record([user(text), assistant("Hm.")], user="ana", conversation="c", scope=scope)
    await engine.conversations.end("c", user="ana", scope=scope)
    await engine.form()
    subject = await engine.conversations.subject(user="ana", conversation="c", scope=scope)
    [memory] = await engine.list(user=subject, kinds=(MemoryKind.NOTE,))
    assert [source.seq for source in memory.evidence] == [1, 3], "the messages it rests on were cut once"
    assert "answer in fewer words" in model.calls[2].user
    assert "answer in fewer words" not in model.calls[0].user
