"""Praise that is not meant tells nothing of its speaker; praise that is meant does."""

import pytest

from recollect.extraction.irony import is_ironic


@pytest.mark.parametrize(
    "said",
    [
        "my boss is an angel obviously, only 14 emails on sunday",
        "my landlord is a saint of course, only took him 6 weeks to fix the boiler",
        "my commute is a dream, obviously.",
        "my ex is a charmer as ever, 40 texts before breakfast",
        "my boss is such a gem, booked a meeting at 6pm on a friday",
        "oh great, another mandatory fun day",
        "Oh joy, more forms.",
        "what a treat, my train is late again",
        "i just love sitting in traffic for two hours",
        "I absolutely adore being woken at 5 by bin lorries",
        "we simply love waiting in line for passports",
        "i obviously love root canals",
        "love that for me, rent went up",
        "I live for spreadsheets, as you can tell",
        "perfect, now the printer is jammed",
        "my flat is paradise, clearly",
    ],
)
def test_praise_that_complains_is_ironic(said: str) -> None:
    assert is_ironic(said)


@pytest.mark.parametrize(
    "said",
    [
        "my boss is an angel, she gave me a day off",
        "I love hiking, obviously",
        "i obviously love my kids",
        "I really enjoy getting up early.",
        "I absolutely love spreadsheets.",
        "My new flat is a dream, 5 minutes from work",
        "I just love waking up to birdsong",
        "Our dog is such a sweetheart, sleeps till 9am",
        "My sister is a genius, she got 3 degrees.",
        "perfect, thanks",
        "I enjoy commuting by bike.",
        "what a lovely idea",
    ],
)
def test_praise_that_is_meant_is_not_ironic(said: str) -> None:
    assert not is_ironic(said)
