"""What is put right or taken back in a few words, each turn formed alone: memories and quotations follow."""

import re
from dataclasses import replace

import pytest

from recollect.engine import AsyncRecollect, Components
from recollect.testing import FakeClock, ScriptedModel
from recollect.types import MemoryKind
from sample_chats import answer, assistant, note, texts, user
from stores import STORES

DISTILLED = (MemoryKind.NOTE, MemoryKind.FACT)


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def say(engine: AsyncRecollect, clock: FakeClock, *said: str) -> None:
    """Say one message after the other in one conversation, and form memories after each."""
    log = []
    for text in said:
        log += [user(text)]
        await engine.record(log, user="ana", conversation="c")
        await engine.form()
        clock.advance(seconds=30)
        log += [assistant("Noted.")]


@pytest.mark.parametrize(
    ("first", "second", "gone", "stands"),
    [
        ("my dog's called Tily", "*Tilly", "Tily", "Tilly"),
        ("I've got 3 nieces", "sorry, 4", "3 nieces", "4 nieces"),
        ("I take 20 mg of citalopram", "40 mg, sorry", "20 mg", "40 mg"),
        ("I live in Bari", "oops, Turin", "Bari", "Turin"),
        ("my exam is on Tuesday", "Wednesday I mean", "Tuesday", "exam"),
    ],
)
async def test_a_few_words_put_right_what_was_said(
    engine: AsyncRecollect, clock: FakeClock, first: str, second: str, gone: str, stands: str
) -> None:
    await say(engine, clock, first, second)
    held = await texts(engine, kinds=DISTILLED)
    assert any(stands in text for text in held)
    assert not [text for text in [*held, *await texts(engine, kinds=(MemoryKind.TURN,))] if gone in text]


@pytest.mark.parametrize("second", ["jk", "haha just kidding", "sorry, wrong chat", "none of that is true lol"])
async def test_a_few_words_take_back_what_was_said(engine: AsyncRecollect, clock: FakeClock, second: str) -> None:
    await say(engine, clock, "I live in Bari", "I'm moving to Spain", second)
    held = [*await texts(engine, kinds=DISTILLED), *await texts(engine, kinds=(MemoryKind.TURN,))]
    assert not [text for text in held if "Spain" in text]
    assert [text for text in held if "Bari" in text]


async def test_a_few_words_that_put_nothing_right_leave_it(engine: AsyncRecollect, clock: FakeClock) -> None:
    await say(engine, clock, "I live in Bari", "Sorry, thanks!", "Turin is nice, haha")
    assert [text for text in await texts(engine, kinds=DISTILLED) if "Bari" in text]


async def test_beside_a_models_right_memory_the_wrong_word_is_not_quoted(parts: Components, clock: FakeClock) -> None:
    def reply(_system: str, shown: str) -> object:
        said = re.search(r'^\[(\d+)\].*"sorry, Tilly"$', shown.rpartition("\nMessages:\n")[2], re.MULTILINE)
        right = note("The user's dog is called Tilly.", "sorry, Tilly")
        return answer(*([right | {"message": int(said[1])}] if said else []))

    asking = AsyncRecollect(replace(parts, model=ScriptedModel(reply)))
    await say(asking, clock, "my dog's called Tily", "sorry, Tilly")
    assert await texts(asking, kinds=DISTILLED) == {"The user's dog is called Tilly."}
    assert not [text for text in await texts(asking, kinds=(MemoryKind.TURN,)) if "Tily" in text]
