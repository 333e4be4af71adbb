"""What a later message contradicts is asserted no more, even where the rules cannot read the new state."""

import pytest
from recollect.formation.contradictions import REASON

from recollect.engine import AsyncRecollect
from recollect.testing import FakeClock
from recollect.types import Action, MemoryKind
from sample_chats import texts, user
from stores import STORES


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def tell(engine: AsyncRecollect, clock: FakeClock, *said: str) -> None:
    """Say each sentence in a conversation of its own, a day apart, and form it."""
    for number, text in enumerate(said):
        clock.advance(days=1)
        await engine.record([user(text)], user="ana", conversation=f"{number} {text[:30]}")
        await engine.form()


async def shown(engine: AsyncRecollect, query: str) -> str:
    return "\n".join(hit.memory.text for hit in (await engine.search(query, user="ana")).items)


async def test_a_quotation_of_a_former_value_is_shown_no_more(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, clock, "Die Miete ist 690 Euro. Unser Hund heißt Bello.", "die Miete ist jetzt 750 Euro")
    found = await shown(engine, "Miete")
    assert "750" in found
    assert "690" not in found
    assert "Bello" in await shown(engine, "Hund"), "the rest of the message stays"


async def test_a_note_is_closed_with_a_decision_and_comes_back(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, clock, "My choir concert is on 3 June.", "the concert got pushed to 17 june lol")
    kinds = (MemoryKind.NOTE, MemoryKind.FACT)
    assert not any("3 June" in text for text in await texts(engine, kinds=kinds))
    lines = [line for line in await engine.history.decisions(user="ana") if line.action is Action.CLOSE]
    assert lines, "whoever asks is told why"
    own = [line for line in lines if line.reason == REASON]
    for line in own:
        await engine.history.undo(line.id, user="ana")
        assert any("3 June" in text for text in await texts(engine, kinds=kinds))


async def test_an_edit_takes_the_contradiction_back(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, clock, "My rent is 690 euros and I share with Noor.", "We lost 3 kilos of flour at work.")
    assert "690" in await shown(engine, "rent")
