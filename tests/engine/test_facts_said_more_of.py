"""D21: a fact about which its speaker said something later is shown with that, whatever is asked."""

import pytest

from sample_chats import assistant, user
from toldonce.engine import AsyncToldOnce
from toldonce.recall.finalize import SAID_MORE
from toldonce.testing import FakeClock

CHANGES = [
    ("I live in Oslo.", "We left Oslo for Bergen in the end.", "recommend a bakery nearby"),
    ("I work at Nokia.", "Nokia let me go on Friday.", "draft a mail to my boss"),
    ("My cat is called Miso.", "Miso died on Sunday.", "toys for my pet?"),
    ("Ich wohne in Ulm.", "Ulm haben wir hinter uns, jetzt ist Kiel dran.", "Empfiehl einen Bäcker"),
    ("Vivo en Cádiz.", "Dejamos Cádiz ayer.", "recomienda una panadería"),
    ("J'habite à Lille.", "J'ai quitté Lille, je suis à Nantes maintenant.", "une boulangerie ?"),
]
HEALTH = [
    ("I'm allergic to cashews.", "Wait, not cashews, walnuts.", "what should I cook tonight?"),
    ("Ich bin gegen Nüsse allergisch.", "Moment, nicht Nüsse, Sellerie.", "Was soll ich heute kochen?"),
    ("我对花生过敏。", "说错了，不是花生，是腰果。", "今晚做什么菜？"),
]


async def shown(engine: AsyncToldOnce, clock: FakeClock, said: list[str], asked: str) -> list[int]:
    """Return where each of some words stands in the prompt; -1: nowhere."""
    for number, text in enumerate(said):
        clock.advance(days=1)
        await engine.record([user(text), assistant("Okay.")], user="ana", conversation=f"c{number}")
        await engine.form()
    clock.advance(days=1)
    context = await engine.context(asked, user="ana")
    return [context.text.find(text.rstrip(".。")) for text in said]


@pytest.mark.parametrize("kind", ["memory", "postgres"])
@pytest.mark.parametrize(("old", "new", "asked"), CHANGES)
async def test_a_fact_stands_behind_what_was_said_later_about_it(
    engine: AsyncToldOnce, clock: FakeClock, old: str, new: str, asked: str
) -> None:
    older, _, newer = await shown(engine, clock, [old, "I watched a film last night.", new], asked)
    assert 0 <= newer < older


@pytest.mark.parametrize(("old", "new", "asked"), HEALTH)
async def test_a_hard_constraint_stands_and_what_was_said_later_is_beside_it(
    engine: AsyncToldOnce, clock: FakeClock, old: str, new: str, asked: str
) -> None:
    older, newer = await shown(engine, clock, [old, new], asked)
    assert older >= 0
    assert newer >= 0


CORRECTED = [
    ("My instructor Gwen charges 38 an hour.", "Gwen put it up to 42.", "what does my instructor charge?"),
    ("Mein Fahrlehrer Jens nimmt 55 die Stunde.", "Jens ist jetzt bei 60.", "was nimmt mein Fahrlehrer?"),
]


@pytest.mark.parametrize("kind", ["memory", "postgres"])
@pytest.mark.parametrize(("old", "new", "asked"), CORRECTED)
async def test_a_statement_is_shown_with_a_later_one_that_has_little_of_the_question(
    engine: AsyncToldOnce, clock: FakeClock, old: str, new: str, asked: str
) -> None:
    older, _, newer = await shown(engine, clock, [old, "We watched a film last night.", new], asked)
    assert min(older, newer) >= 0


async def test_a_fact_of_which_nothing_was_said_later_stands_alone(engine: AsyncToldOnce, clock: FakeClock) -> None:
    places = await shown(
        engine, clock, ["We went to Oslo by train.", "I live in Oslo.", "My boss loves golf."], "recommend a bakery"
    )
    assert [place >= 0 for place in places] == [False, True, False]


LONG = [
    ("I live in Oslo.", "About the plan for Oslo: ", "write a haiku about rain", "Do I live in Oslo?"),
    ("Ich wohne in Ulm.", "Zum Plan für Ulm: ", "Schreib ein Haiku über Regen", "Wohne ich in Ulm?"),
    ("Vivo en Cádiz.", "Sobre el plan de Cádiz: ", "escribe un haiku sobre la lluvia", "¿Vivo en Cádiz?"),
]


@pytest.mark.parametrize(("old", "opening", "unrelated", "related"), LONG)
async def test_a_long_statement_about_a_fact_comes_only_where_it_bears(
    engine: AsyncToldOnce, clock: FakeClock, old: str, opening: str, unrelated: str, related: str
) -> None:
    new = opening + ", ".join(f"item {number}" for number in range(40))
    assert await shown(engine, clock, [old, new], unrelated) == [-1, -1]
    left_out = (await engine.context(unrelated, user="ana")).left_out
    assert [omitted.reason for omitted in left_out].count(SAID_MORE) == 1
    context = await engine.context(related, user="ana")
    assert opening in context.text
    assert old.rstrip(".") in context.text


@pytest.mark.parametrize(
    "wishes",
    [
        ["Always name your sources when I ask about history.", "Always name the units when I ask about physics."],
        ["Antworte immer kurz.", "Antworte immer auf Deutsch."],
        ["Respóndeme siempre en español.", "Respóndeme siempre con ejemplos."],
    ],
)
async def test_a_wish_is_not_followed_by_another_that_begins_like_it(
    engine: AsyncToldOnce, clock: FakeClock, wishes: list[str]
) -> None:
    await shown(engine, clock, wishes, "thanks!")
    context = await engine.context("thanks!", user="ana")
    assert max(context.text.count(wish.rstrip(".")) for wish in wishes) == 1
    assert context.tokens == context.profile_tokens
