"""Dates in other languages than English, from the message through the memory to the question."""

from datetime import UTC, datetime

import pytest

from sample_chats import user
from toldonce.engine import AsyncToldOnce
from toldonce.testing import FakeClock
from toldonce.types import RequestScope

# A Friday.
SAID = datetime(2026, 11, 20, 12, tzinfo=UTC)
DAY = "[18 November 2026]"
TOLD = {
    "de": ("Ich habe vorgestern ein Haus in Halle gekauft.", "vorgestern", "Was habe ich am Mittwoch gemacht?"),
    "es": ("Anteayer compré una casa en Murcia.", "Anteayer", "¿Qué hice el miércoles pasado?"),
    "fr": ("Avant-hier j'ai acheté une maison à Nantes.", "Avant-hier", "Qu'est-ce que j'ai fait mercredi dernier ?"),
}
# Memories of this profile are lists of notes: without a model, each quotes a sentence.
NOTES = RequestScope(profile="user")


@pytest.mark.parametrize("language", TOLD)
async def test_what_happened_on_a_day_is_found_by_that_day(
    language: str, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    told, word, asked = TOLD[language]
    clock.set(SAID)
    await engine.record([user(told)], user="ana", said_at=SAID, scope=NOTES)
    await engine.record([user("My sister paints kitchens in Oslo.")], user="ana", said_at=SAID, scope=NOTES)
    await engine.form()

    found = await engine.search(asked, user="ana", profile="user")
    [hit] = [hit for hit in found.items if "from the time asked about" in hit.reasons]
    assert hit.memory.valid_from == datetime(2026, 11, 18, tzinfo=UTC)
    quoted = told.replace(word, f"{word} {DAY}")
    assert hit.memory.text == f'The user said: "{quoted}"', "the words stay as they were said, with the day behind them"
