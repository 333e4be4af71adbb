"""U5, T6: what contradicts itself within one formation."""

import pytest

from rows.scenes import DEFAULT, TIERED
from sample_chats import answer, slot, user, with_model
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, MemoryState, RequestScope

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
