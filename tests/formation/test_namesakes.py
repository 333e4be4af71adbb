"""Two people of one name: what is said of the one ends nothing of the other."""

import pytest

from recollect.engine import AsyncRecollect
from recollect.testing import FakeClock
from recollect.types import MemoryKind, MemoryState
from sample_chats import tell


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("My colleague Alex lives in Graz.", "My baker Alex lives in Ghent."),
        ("My colleague Alex Weber lives in Graz.", "My colleague Alex Moreau lives in Ghent."),
        ("My brother Alex lives in Graz.", "My son Alex lives in Ghent."),
        ("My boss Kim is vegan.", "My sister Kim is not vegan."),
        ("My son Tom is allergic to nuts.", "My nephew Tom is not allergic to nuts."),
        ("Mein Kollege Alex wohnt in Graz.", "Mein Bäcker Alex wohnt in Gent."),
        ("Mi colega Alex vive en Graz.", "Mi panadero Alex vive en Gante."),
    ],
)
async def test_namesakes_end_nothing_of_each_other(
    engine: AsyncRecollect, clock: FakeClock, first: str, second: str
) -> None:
    for text in (first, second):
        await tell(engine, text)
        clock.advance(hours=1)

    known = await engine.list(user="ana", kinds=(MemoryKind.NOTE, MemoryKind.FACT), closed=True)

    assert len(known) >= 2
    assert {memory.state for memory in known} == {MemoryState.ACTIVE}


@pytest.mark.parametrize("second", ["My colleague Alex moved to Ghent.", "My colleague Alex lives in Ghent now."])
async def test_the_same_person_may_move(engine: AsyncRecollect, clock: FakeClock, second: str) -> None:
    await tell(engine, "My colleague Alex lives in Graz.")
    clock.advance(hours=1)
    await tell(engine, second)

    known = await engine.list(user="ana", kinds=(MemoryKind.NOTE,), closed=True)

    assert [memory.text for memory in known if memory.state is MemoryState.CLOSED] == [
        "The user's colleague Alex lives in Graz."
    ]
