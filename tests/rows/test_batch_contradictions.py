"""U5, T6: what contradicts itself within one formation."""

import pytest

from rows.scenes import DEFAULT, KIRA, SESSION, TIERED, USER
from sample_chats import answer, assistant, note, slot, user, with_model
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, MemoryKind, MemoryState, RequestScope

SAID = ("I live in Rome.", "I moved to Oslo.")


def facts(scope: RequestScope) -> object:
    stated = [slot("identity/location", "Rome", SAID[0]), slot("identity/location", "Oslo", SAID[1], message=2)]
    if scope is DEFAULT:
        return answer(*stated)
    names = ("category", "key", "value", "importance", "message", "quote", "updates")
    return [{name: fact[name] for name in names} | {"confidence": 1.0} for fact in stated]


@pytest.mark.parametrize("scope", [DEFAULT, TIERED], ids=["default", "tiered"])
@pytest.mark.parametrize("has_model", [True, False], ids=["model", "rules"])
async def test_u5_t6_a_contradiction_within_one_formation_is_a_replace_with_its_line(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock, scope: RequestScope, has_model: bool
) -> None:
    forming = with_model(parts, ScriptedModel([facts(scope)])) if has_model else engine
    for text in SAID:
        await forming.record([user(text)], user="ana", conversation="c", scope=scope)
        clock.advance(minutes=1)
    await forming.form()
    listed = await forming.list(user="ana", closed=True)
    [rome] = [memory for memory in listed if (memory.key, memory.value) == ("location", "Rome")]
    [oslo] = [memory for memory in listed if (memory.key, memory.value) == ("location", "Oslo")]
    assert (rome.state, oslo.state) == (MemoryState.CLOSED, MemoryState.ACTIVE)
    lines = [line for line in await forming.history.decisions(user="ana") if line.action is Action.REPLACE]
    assert [(line.memory_id, line.target_id) for line in lines] == [(oslo.id, rome.id)]
    assert lines[0].reason == "a newer value of the same slot"
    [line] = [each for each in (await forming.history.get(rome.id, user="ana")).decisions if each.target_id == rome.id]
    assert line == lines[0]
    await forming.history.undo(line.id, user="ana")
    assert (await forming.get(rome.id, user="ana")).state is MemoryState.ACTIVE


# What was said first, what takes it back, and both as a model words them.
TAKEN_BACK = [
    (
        "I like tea.",
        "Actually I no longer like tea, I drink coffee.",
        "likes tea",
        "no longer likes tea, drinks coffee",
    ),
    ("Ich mag Tee.", "Tee mag ich nicht mehr, nur noch Kaffee.", "mag Tee", "mag keinen Tee mehr, nur noch Kaffee"),
    ("Me gusta el té.", "Ya no me gusta el té, tomo café.", "toma té", "ya no toma té, toma café"),
    ("我喜欢喝茶。", "我不再喝茶了,现在喝咖啡。", "用户喜欢喝茶", "用户不再喝茶,现在喝咖啡"),
]
NOTES = [(scope, True) for scope in (USER, SESSION, KIRA, DEFAULT)] + [(USER, False)]


@pytest.mark.parametrize("said", TAKEN_BACK, ids=["en", "de", "es", "zh"])
@pytest.mark.parametrize(("scope", "is_named"), NOTES, ids=["user", "session", "character", "default", "not-named"])
async def test_a_note_replaces_the_earlier_one_of_its_answer_that_it_names(
    parts: Components, clock: FakeClock, scope: RequestScope, is_named: bool, said: tuple[str, str, str, str]
) -> None:
    first, second, old, new = said
    both = [
        {"text": f"Ana {text}.", "type": "note", "importance": 0.8, "message": number, "quote": quote}
        | {"repeats": None, "updates": 1 if is_named and text == new else None}
        for number, quote, text in ((1, first, old), (3, second, new))
    ]
    model = ScriptedModel([answer(*both)])
    engine = with_model(parts, model)
    turns = [first, second, *(f"Turn {number}, and nothing else." for number in range(3 if scope is KIRA else 0))]
    for text in turns:
        await engine.record([user(text), assistant("Hm.")], user="ana", conversation="c", scope=scope)
        clock.advance(seconds=1)
    clock.advance(days=1)
    await engine.form()
    mine = await engine.conversations.subject(user="ana", conversation="c", scope=scope)
    notes = {
        memory.text: memory for memory in await engine.list(user=mine, closed=True) if memory.text.startswith("Ana")
    }
    is_open = {text: memory.state is MemoryState.ACTIVE for text, memory in notes.items()}
    assert is_open == {f"Ana {old}.": not is_named, f"Ana {new}.": True}
    replaced = [line for line in await engine.history.decisions(user=mine) if line.action is Action.REPLACE]
    earlier, later = notes[f"Ana {old}."], notes[f"Ana {new}."]
    assert [(line.memory_id, line.target_id) for line in replaced] == ([(later.id, earlier.id)] if is_named else [])
    assert [call.schema_name for call in model.calls] == ["memories"]
    for line in replaced:
        await engine.history.undo(line.id, user=mine)
        assert (await engine.get(earlier.id, user=mine)).state is MemoryState.ACTIVE


@pytest.mark.parametrize("said", TAKEN_BACK, ids=["en", "de", "es", "zh"])
async def test_a_note_that_is_an_end_closes_the_earlier_one_of_its_answer(
    parts: Components, clock: FakeClock, said: tuple[str, str, str, str]
) -> None:
    first, second, old, new = said
    items = [note(f"Ana {old}.", first), note(f"Ana {new}.", second, message=3, ended=True, updates=1, repeats=None)]
    engine = with_model(parts, ScriptedModel([answer(*items)]))
    for text in (first, second):
        await engine.record([user(text), assistant("Hm.")], user="ana", conversation="c")
        clock.advance(seconds=1)
    await engine.form()
    noted = await engine.list(user="ana", kinds=[MemoryKind.NOTE], closed=True)
    assert [(memory.text, memory.state) for memory in noted] == [(f"Ana {old}.", MemoryState.CLOSED)]
    [line] = [each for each in await engine.history.decisions(user="ana") if each.action is Action.CLOSE]
    assert (line.memory_id, line.text) == (noted[0].id, f"Ana {new}.")


# Two notes of one answer. The second names the first as updated by mistake: they differ in topic, or share a message.
MISNUMBERED = [
    ("I work mornings at a bakery.", "My alarm rings at 3:30.", "works mornings at a bakery", "gets up at 3:30"),
    ("Ich arbeite in einer Bäckerei.", "Mein Wecker klingelt um 3:30.", "arbeitet in einer Bäckerei", "steht früh auf"),
    ("我在面包店上班。", "我三点半起床。", "早上在面包店上班", "三点半起床"),
    ("I like tea and hate milk tea.", "", "likes tea", "hates milk tea"),
]


@pytest.mark.parametrize("said", MISNUMBERED, ids=["en", "de", "zh", "one-message"])
async def test_both_notes_stay_where_the_named_one_cannot_be_meant(
    parts: Components, clock: FakeClock, said: tuple[str, str, str, str]
) -> None:
    first, second, old, new = said
    items = [note(f"Ana {old}.", first), note(f"Ana {new}.", second or first, message=3 if second else 1, updates=1)]
    engine = with_model(parts, ScriptedModel([answer(*items)]))
    for text in filter(None, (first, second)):
        await engine.record([user(text), assistant("Hm.")], user="ana", conversation="c")
        clock.advance(seconds=1)
    await engine.form()
    noted = await engine.list(user="ana", kinds=[MemoryKind.NOTE], closed=True)
    assert {memory.text: memory.state for memory in noted} == {
        f"Ana {old}.": MemoryState.ACTIVE,
        f"Ana {new}.": MemoryState.ACTIVE,
    }
