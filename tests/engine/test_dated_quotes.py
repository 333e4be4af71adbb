"""Dates in other languages than English, from the message through the memory to the question."""

from datetime import UTC, datetime

import pytest

from recollect.engine import AsyncRecollect
from recollect.testing import FakeClock
from sample_chats import user

# A Friday.
SAID = datetime(2026, 11, 20, 12, tzinfo=UTC)
TOLD = {
    "de": ("Ich bin vorgestern nach Halle umgezogen.", "Was habe ich am Mittwoch gemacht?", "Halle"),
    "es": ("Anteayer adopté un gato.", "¿Qué hice el miércoles pasado?", "gato"),
    "fr": ("Avant-hier j'ai acheté une maison à Nantes.", "Qu'est-ce que j'ai fait mercredi dernier ?", "Nantes"),
}


@pytest.mark.parametrize("language", TOLD)
async def test_what_happened_on_a_day_is_found_by_that_day(
    language: str, engine: AsyncRecollect, clock: FakeClock
) -> None:
    told, asked, name = TOLD[language]
    clock.set(SAID)
    await engine.record([user(told)], user="ana", said_at=SAID)
    await engine.record([user("My sister paints kitchens in Oslo.")], user="ana", said_at=SAID)
    await engine.form()

    found = await engine.search(asked, user="ana")
    [hit] = [hit for hit in found.items if "from the time asked about" in hit.reasons]
    assert name in hit.memory.text
    assert hit.memory.valid_from == datetime(2026, 11, 18, tzinfo=UTC)
    assert told.rstrip(".") in hit.memory.text, "the words stay as they were said"
