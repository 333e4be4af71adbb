"""Health and diet of the household in every prompt: with questions that do not name them, until they end."""

import pytest

from recollect import AsyncRecollect
from recollect.dates import written
from recollect.testing import NEW_YEAR, FakeClock

DINNER = "what should I cook for dinner?"


def row(words: str) -> str:
    """Return the row of the block that quotes a message."""
    return f'- "{words}" (the user, {written(NEW_YEAR.date())})'


async def profile_block(engine: AsyncRecollect, clock: FakeClock, *said: str) -> list[str]:
    """Return the rows of the block of facts, after the user said something."""
    for text in said:
        await engine.record([{"role": "user", "content": text}], user="ana")
        await engine.form()
        clock.advance(hours=1)
    context = await engine.context(DINNER, user="ana")
    profile, _, _ = context.text.partition("Quoted from earlier")
    return [line for line in profile.split("\n") if line.startswith("- ")]


@pytest.mark.parametrize(
    "said",
    [
        "Tom has a peanut allergy.",
        "My daughter is coeliac.",
        "My wife can't have alcohol, she is pregnant.",
        "I cook for my aunt on Sundays. She has gout.",
    ],
)
async def test_a_question_about_dinner_carries_what_others_must_avoid(
    engine: AsyncRecollect, clock: FakeClock, said: str
) -> None:
    assert row(said) in await profile_block(engine, clock, said)


async def test_an_allergy_of_somebody_else_is_not_the_users(engine: AsyncRecollect, clock: FakeClock) -> None:
    rows = await profile_block(engine, clock, "I'm allergic to soy.", "My brother isn't allergic to soy.")
    assert rows == [row("I'm allergic to soy.")]


async def test_two_people_keep_their_own_allergies(engine: AsyncRecollect, clock: FakeClock) -> None:
    rows = await profile_block(
        engine, clock, "Tom is allergic to nuts.", "Mia is allergic to nuts.", "Tom outgrew his nut allergy."
    )
    assert rows == [row("Mia is allergic to nuts.")]


@pytest.mark.parametrize(
    ("said", "ended"),
    [
        ("Tom has a peanut allergy.", "Tom is no longer allergic to peanuts."),
        ("My wife is pregnant.", "My wife isn't pregnant anymore."),
        ("My son can't have dairy.", "My son can have dairy again."),
    ],
)
async def test_what_has_ended_leaves_the_block(engine: AsyncRecollect, clock: FakeClock, said: str, ended: str) -> None:
    assert await profile_block(engine, clock, said)
    assert await profile_block(engine, clock, ended) == []
