"""What is put right or taken back in a few words, each turn formed alone: memories and quotations follow."""

import pytest

from sample_chats import assistant, texts, user
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind

DISTILLED = (MemoryKind.NOTE, MemoryKind.FACT)


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def say(engine: AsyncToldOnce, clock: FakeClock, *said: str) -> None:
    """Say one message after the other in one conversation, and form memories after each."""
    log = []
    for text in said:
        log += [user(text)]
        await engine.record(log, user="ana", conversation="c")
        await engine.form()
        clock.advance(seconds=30)
        log += [assistant("Noted.")]


@pytest.mark.parametrize("second", ["jk", "haha just kidding", "sorry, wrong chat", "none of that is true lol"])
async def test_a_few_words_take_back_what_was_said(engine: AsyncToldOnce, clock: FakeClock, second: str) -> None:
    await say(engine, clock, "I live in Bari", "I'm moving to Spain", second)
    held = [*await texts(engine, kinds=DISTILLED), *await texts(engine, kinds=(MemoryKind.TURN,))]
    assert not [text for text in held if "Spain" in text]
    assert [text for text in held if "Bari" in text]


async def test_a_few_words_that_put_nothing_right_leave_it(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await say(engine, clock, "I live in Bari", "Sorry, thanks!", "Turin is nice, haha")
    assert [text for text in await texts(engine, kinds=DISTILLED) if "Bari" in text]
