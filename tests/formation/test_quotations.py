"""What was said stays quoted, whatever was said since; the later words come first."""

import pytest

from sample_chats import assistant, tell, texts, user
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock
from toldonce.types import MemoryDetail, MemoryKind, Withheld

TURNS = (MemoryKind.TURN,)


@pytest.mark.parametrize(
    ("stretches", "quoted"),
    [
        (((3, 6), (5, 99)), "012…  …   "),
        (((0, 2), (4, 4), (6, 7)), "… 2345…789"),
        (((2, 8), (3, 5)), "01…     89"),
        (((40, 50),), "0123456789"),
    ],
)
def test_a_quotation_keeps_the_place_of_what_it_leaves_out(stretches: tuple[tuple[int, int], ...], quoted: str) -> None:
    detail = MemoryDetail(withheld=tuple(Withheld(start=start, end=end) for start, end in stretches))
    assert detail.quoted("0123456789") == quoted


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def quoted(engine: AsyncToldOnce) -> str:
    """Return the words of all quotations that can be recalled, in one line."""
    return " | ".join(sorted(" ".join(text.split()) for text in await texts(engine, kinds=TURNS)))


async def test_what_is_only_about_the_same_thing_stays(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome.")
    await tell(engine, user("Tell me of old Rome."), assistant("Rome was founded on seven hills above the Tiber."))
    clock.advance(days=20)
    await tell(engine, "I moved to Oslo.")
    assert "seven hills" in await quoted(engine)


async def test_a_fuller_statement_hides_nothing(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I adopted a cat from the shelter in Bergen.")
    clock.advance(days=1)
    await tell(engine, "I adopted a cat from the shelter in Bergen, called Miso.")
    assert "from the shelter in Bergen." in " ".join(await texts(engine, kinds=TURNS))


CHANGED = [
    ("I live in Rome, near the station.", "I moved to Oslo in May.", "Where do I live?"),
    ("Ich wohne in Rom, nah am Bahnhof.", "Ich wohne jetzt in Oslo.", "Wo wohne ich?"),
    ("Vivo en Roma, cerca de la estación.", "Ahora vivo en Oslo.", "¿Dónde vivo?"),
    ("My budget for the bike is $600.", "I raised the budget for the bike to $650.", "What is my budget for the bike?"),
]


@pytest.mark.parametrize(("before", "since", "asked"), CHANGED)
async def test_an_older_statement_follows_the_newer_one_in_a_prompt(
    engine: AsyncToldOnce, clock: FakeClock, before: str, since: str, asked: str
) -> None:
    await tell(engine, before)
    clock.advance(days=20)
    await tell(engine, since)
    clock.advance(days=1)
    assert {before, since} <= await texts(engine, kinds=TURNS)
    shown = (await engine.context(asked, user="ana")).text
    assert since.rstrip(".") in shown
    assert before.rstrip(".") not in shown or shown.rindex(since.rstrip(".")) < shown.rindex(before.rstrip("."))
