"""Health and diet in every prompt, with questions that do not name them; those of others are no facts of the user."""

from toldonce import AsyncToldOnce
from toldonce.dates import written
from toldonce.testing import NEW_YEAR, FakeClock

DINNER = "what should I cook for dinner?"


def row(words: str) -> str:
    """Return the row of the block that quotes a message."""
    return f'- "{words}" (the user, {written(NEW_YEAR.date())})'


async def profile_block(engine: AsyncToldOnce, clock: FakeClock, *said: str) -> list[str]:
    """Return the rows of the block of facts, after the user said something."""
    for text in said:
        await engine.record([{"role": "user", "content": text}], user="ana")
        await engine.form()
        clock.advance(hours=1)
    context = await engine.context(DINNER, user="ana")
    profile, _, _ = context.text.partition("Quoted from earlier")
    return [line for line in profile.split("\n") if line.startswith("- ")]


async def test_an_allergy_of_somebody_else_is_not_the_users(engine: AsyncToldOnce, clock: FakeClock) -> None:
    rows = await profile_block(engine, clock, "I'm allergic to soy.", "My brother isn't allergic to soy.")
    assert rows == [row("I'm allergic to soy.")]
