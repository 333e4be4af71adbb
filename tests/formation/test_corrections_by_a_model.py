"""A correction in a second step, by a model that names what it corrects, ends the old value."""

import json
import re
from dataclasses import dataclass, replace

import pytest

from sample_chats import answer, note, tell
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import MemoryKind

DISTILLED = (MemoryKind.NOTE, MemoryKind.FACT)
_KNOWN = re.compile(r"^\[(\d+)\] (?:note|fact \"[^=]*\" = \".*?\"): (\".*\")$", re.MULTILINE)


@dataclass(frozen=True, slots=True, kw_only=True)
class Step:
    """What is said, and what the model makes of it."""

    said: str
    text: str
    key: str = ""
    value: str = ""
    corrects: str = ""
    """Words of the memory it names."""
    ended: bool = False


def fact_or_note(step: Step, shown: str) -> dict[str, object]:
    item = note(step.text, step.said) | {"ended": step.ended, "confidence": 0.9}
    if step.key:
        item |= {"kind": "fact", "category": "identity", "key": step.key, "value": step.value}
    if step.corrects:
        known = {int(found[1]): json.loads(found[2]) for found in _KNOWN.finditer(shown)}
        item["updates"] = next((number for number, text in known.items() if step.corrects in text), None)
        assert item["updates"], f"{step.corrects} is shown among {known}"
    return item


HOME = Step(said="I'm staying in Nantes", text="The user lives in Nantes.", key="location", value="Nantes")
CAT = Step(said="my cat is called Whiskers", text="The user's cat is called Whiskers.")
EMOJI = Step(said="no emojis please", text="The user wants no emojis.", key="emoji", value="no")
NUTS = Step(said="I'm allergic to cashews", text="The user is allergic to cashews.", key="allergy", value="cashews")
WIFE = Step(said="my wife Petra cooks", text="The user's wife is called Petra.", key="partner", value="Petra")
AUNT = Step(said="aunt Odile lives in Metz", text="The user's aunt Odile lives in Metz.")
FLIGHT = Step(said="my flight is on 4 March", text="The user's flight to Malta is on 4 March 2026.")
CASES = [
    (HOME, Step(said="no wait, I meant Angers", text="The user lives in Angers.", key="city", value="Angers")),
    (
        HOME,
        Step(said="no wait, I meant Angers", text="The user stays in Angers.", corrects="Nantes"),
    ),
    (
        CAT,
        Step(said="it's Whisky, not Whiskers", text="The user's cat is called Whisky.", corrects="Whiskers"),
    ),
    (
        EMOJI,
        Step(said="you can use emojis again", text="The user is fine with emojis.", key="emojis", value="yes"),
    ),
    (EMOJI, Step(said="emojis are fine again", text="Emojis are fine again.", corrects="emoji", ended=True)),
    (
        NUTS,
        Step(said="turns out it was never cashews", text="The allergy is gone.", corrects="cashews", ended=True),
    ),
    (
        NUTS,
        Step(
            said="turns out I'm not allergic to cashews after all",
            text="The user is not allergic to cashews.",
            corrects="cashews",
        ),
    ),
    (WIFE, Step(said="Petra and I got divorced", text="The user got divorced from Petra.", corrects="Petra")),
    (AUNT, Step(said="aunt Odile died in May", text="The user's aunt Odile died in May.", corrects="Odile")),
    (
        FLIGHT,
        Step(said="they moved my flight to 6 March", text="The flight to Malta leaves on 6 March.", corrects="Malta"),
    ),
]


@pytest.mark.parametrize(("first", "second"), CASES, ids=[second.said for _, second in CASES])
async def test_a_correction_in_a_second_step_ends_what_was_said_first(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock, first: Step, second: Step
) -> None:
    steps = {first.said: first, second.said: second}

    def reply(_system: str, shown: str) -> object:
        newest = shown.rpartition("\nMessages:\n")[2]
        if not newest.strip() or "New statement" in shown:  # the judge, asked where the two have no word in common
            return {"decisions": [{"candidate": 1, "action": "replace", "target": 1, "text": None}]}
        return answer(*(fact_or_note(step, shown) for said, step in steps.items() if said in newest))

    model = ScriptedModel(reply)
    asking = AsyncToldOnce(replace(parts, model=model))
    await asking.add("The user plays the harp in Namur.", user="ana")
    clock.advance(days=1)
    await tell(asking, f"By the way, {first.said}.")
    assert first.text in [memory.text for memory in await asking.list(user="ana", kinds=DISTILLED)]
    clock.advance(days=1)
    await tell(asking, f"Hm, {second.said}.")
    held = [memory.text for memory in await asking.list(user="ana", kinds=DISTILLED)]
    assert first.text not in held
    assert "The user plays the harp in Namur." in held
    assert second.ended or second.text in held
