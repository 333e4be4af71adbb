"""What was replaced, ended or forgotten does not come back as a quotation."""

from datetime import timedelta

import pytest

from recollect.engine import AsyncRecollect
from recollect.testing import FakeClock
from recollect.types import Action, MemoryDetail, MemoryKind, MemoryState, Withheld
from sample_chats import assistant, tell, texts, user
from stores import STORES

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


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def quoted(engine: AsyncRecollect) -> str:
    """Return the words of all quotations that can be recalled, in one line."""
    return " | ".join(sorted(" ".join(text.split()) for text in await texts(engine, kinds=TURNS)))


@pytest.mark.parametrize(
    ("before", "after", "gone"),
    [
        ("I live in Rome.", "I moved to Oslo last week.", "Rome"),
        (
            "I work as a baker in a small shop.",
            "I quit baking, I now work as a nurse.",
            "I work as a baker",
        ),
        ("I'm vegetarian.", "I'm not vegetarian any more.", "I'm vegetarian."),
        (
            "My favourite colour is green.",
            "My favourite colour is orange now.",
            "green",
        ),
        ("My sister lives in Turin.", "My sister moved to Bari.", "Turin"),
    ],
)
async def test_the_old_value_is_not_quoted(
    engine: AsyncRecollect, clock: FakeClock, before: str, after: str, gone: str
) -> None:
    await tell(engine, before)
    assert gone in await quoted(engine)
    clock.advance(days=20)
    await tell(engine, after)
    assert gone not in await quoted(engine)


async def test_the_rest_of_the_message_is_still_quoted(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome. The neighbours play the tuba at night, which drives everybody mad.")
    clock.advance(days=20)
    await tell(engine, "I moved to Oslo.")
    found = await quoted(engine)
    assert "tuba at night" in found
    assert "Rome" not in found


async def test_what_the_assistant_repeated_to_the_user_goes_too(engine: AsyncRecollect, clock: FakeClock) -> None:
    advice = (
        "Since you live in Rome, you could try the market at Testaccio. Wear sturdy shoes on the cobblestones there."
    )
    await tell(engine, user("I live in Rome."), assistant(advice))
    clock.advance(days=20)
    await tell(engine, "I moved to Oslo.")
    found = await quoted(engine)
    assert "sturdy shoes" in found
    assert "Rome" not in found


async def test_what_is_only_about_the_same_thing_stays(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome.")
    await tell(engine, user("Tell me of old Rome."), assistant("Rome was founded on seven hills above the Tiber."))
    clock.advance(days=20)
    await tell(engine, "I moved to Oslo.")
    assert "seven hills" in await quoted(engine)


async def test_a_fuller_statement_hides_nothing(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, "I adopted a cat from the shelter in Bergen.")
    clock.advance(days=1)
    await tell(engine, "I adopted a cat from the shelter in Bergen, called Miso.")
    assert "from the shelter in Bergen." in " ".join(await texts(engine, kinds=TURNS))


async def test_a_search_as_of_then_quotes_it(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome. I teach the violin to children.")
    then = clock.now() + timedelta(hours=1)
    clock.advance(days=20)
    await tell(engine, "I moved to Oslo.")
    whole = "I live in Rome. I teach the violin to children."
    [closed] = [memory for memory in await engine.list(user="ana", kinds=TURNS, closed=True) if memory.text == whole]
    assert closed.valid_to == closed.closed_at == clock.now()
    found = await engine.search("Where do I live?", user="ana", at=then, known_at=then)
    assert closed.id in {item.memory.id for item in found.items} | {omitted.id for omitted in found.left_out}


async def test_taking_back_the_change_brings_the_quotation_back(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome. I teach the violin to children.")
    clock.advance(days=20)
    recorded = await engine.record([user("I moved to Oslo.")], user="ana")
    await engine.form()
    assert "… I teach" in " ".join(" ".join(text.split()) for text in await texts(engine, kinds=TURNS))
    await engine.history.undo_source(user="ana", conversation=recorded.conversation)
    assert await texts(engine, kinds=TURNS) == {"I live in Rome. I teach the violin to children."}


async def test_the_log_says_why_a_quotation_was_closed(engine: AsyncRecollect, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome.")
    clock.advance(days=20)
    await tell(engine, "I moved to Oslo.")
    [turn] = [memory for memory in await engine.list(user="ana", kinds=TURNS, closed=True) if "Rome" in memory.text]
    assert turn.state is MemoryState.CLOSED
    [line] = [line for line in await engine.history.decisions(user="ana") if line.memory_id == turn.id]
    assert (line.action, line.reason) == (Action.CLOSE, "the message no longer holds")


async def test_what_arrives_late_is_not_quoted_either(engine: AsyncRecollect, clock: FakeClock) -> None:
    long_ago = clock.now() - timedelta(days=400)
    await tell(engine, "I live in Oslo.")
    await engine.record([user("I live in Rome.")], user="ana", said_at=long_ago)
    await engine.form()
    assert "Rome" not in await quoted(engine)


@pytest.mark.parametrize(
    ("wrong", "corrected", "gone"),
    [
        ("We picked up my parrot, he's called Tiko.", "Sorry, my parrot is called Niko, not Tiko.", "Tiko"),
        ("My talk is in Ghent next week.", "My talk is in Ghana, not Ghent.", "Ghent"),
    ],
)
async def test_what_a_correction_denies_is_not_quoted(
    engine: AsyncRecollect, clock: FakeClock, wrong: str, corrected: str, gone: str
) -> None:
    said = [user(wrong), assistant("Noted.")]
    await engine.record(said, user="ana", conversation="c")
    await engine.form()
    clock.advance(seconds=30)
    await engine.record([*said, user(corrected)], user="ana", conversation="c")
    await engine.form()
    assert wrong not in await quoted(engine)
    assert {text for text in (await quoted(engine)).split(" | ") if gone in text} <= {corrected}
