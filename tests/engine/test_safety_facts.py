"""Health and diet of the household in every prompt: with questions that do not name them, until they end."""

import pytest

from recollect import AsyncRecollect
from recollect.testing import FakeClock

DINNER = "what should I cook for dinner?"


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
    ("said", "row"),
    [
        ("Tom has a peanut allergy.", "- Tom has a peanut allergy."),
        ("My daughter is coeliac.", "- The user's daughter is coeliac."),
        ("My wife can't have alcohol, she is pregnant.", "- The user's wife is pregnant."),
    ],
)
async def test_a_question_about_dinner_carries_what_others_must_avoid(
    engine: AsyncRecollect, clock: FakeClock, said: str, row: str
) -> None:
    assert row in await profile_block(engine, clock, said)


async def test_an_allergy_of_somebody_else_is_not_the_users(engine: AsyncRecollect, clock: FakeClock) -> None:
    rows = await profile_block(engine, clock, "I'm allergic to soy.", "My brother isn't allergic to soy.")
    assert rows == ["- The user is allergic to soy."]


async def test_two_people_keep_their_own_allergies(engine: AsyncRecollect, clock: FakeClock) -> None:
    rows = await profile_block(
        engine, clock, "Tom is allergic to nuts.", "Mia is allergic to nuts.", "Tom outgrew his nut allergy."
    )
    assert rows == ["- Mia is allergic to nuts."]


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
