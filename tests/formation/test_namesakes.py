"""Two people of one name: what is said of the one ends nothing of the other."""

import pytest

from sample_chats import tell
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind, MemoryState


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
    engine: AsyncToldOnce, clock: FakeClock, first: str, second: str
) -> None:
    for text in (first, second):
        await tell(engine, text)
        clock.advance(hours=1)

    known = await engine.list(user="ana", kinds=(MemoryKind.TURN, MemoryKind.FACT), closed=True)

    assert len(known) >= 2
    assert {memory.state for memory in known} == {MemoryState.ACTIVE}
