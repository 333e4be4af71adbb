"""Somebody asks in the chat to forget something: what speaks of it ends, and the request leaves nothing."""

from recollect.engine import AsyncRecollect, Parts
from recollect.testing import FakeClock, ScriptedModel
from recollect.types import Action, MemoryKind
from talk import answer, note, tell, texts, with_model

DISTILLED = (MemoryKind.NOTE, MemoryKind.FACT)


async def test_a_request_to_forget_closes_what_speaks_of_it(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, "My boyfriend Tom is a drummer in a metal band.", "I play the cello in an orchestra.")
    clock.advance(days=1)
    await tell(engine, "Please forget what I told you about Tom.")
    assert await texts(engine, kinds=DISTILLED) == {"The user plays the cello in an orchestra."} | {
        one for one in await texts(engine, kinds=(MemoryKind.FACT,)) if "cello" in one
    }
    closing = [line for line in await engine.decisions(user="ana") if line.action is Action.CLOSE]
    assert "it is to be forgotten" in {line.reason for line in closing}


async def test_what_is_meant_is_found_by_its_words_among_many(engine: AsyncRecollect, clock: FakeClock) -> None:
    for place in range(30):
        await tell(engine, f"My cousin number {place} plays football in town {place} every week.")
    await tell(engine, "I adopted a greyhound called Nala last year.")
    clock.advance(days=1)
    await tell(engine, "Could you delete Nala from your memory?")
    assert not [one for one in await texts(engine, kinds=DISTILLED) if "Nala" in one]
    assert len([one for one in await texts(engine, kinds=(MemoryKind.NOTE,)) if "cousin" in one]) == 30


async def test_a_model_is_shown_what_a_request_names_by_a_word(
    engine: AsyncRecollect, parts: Parts, clock: FakeClock
) -> None:
    await engine.add("Tom drums.", user="ana")
    for place in range(12):
        await engine.add(f"What was told about the {place}th thing.", user="ana")
    clock.advance(days=1)
    model = ScriptedModel(lambda _system, user: answer(_ended(user)))
    forming = with_model(parts, model)
    await tell(forming, "Please forget what I told you about Tom, and the things about it.")
    assert '"Tom drums."' in model.calls[0].user
    assert "Tom drums." not in await texts(forming)


def _ended(question: str) -> dict[str, object]:
    [line] = [line for line in question.splitlines() if '"Tom drums."' in line]
    number = int(line.partition("]")[0].strip("["))
    return note("Tom is to be forgotten.", "forget what I told you about Tom") | {"updates": number, "ended": True}
