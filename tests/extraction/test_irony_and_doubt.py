"""Ironic praise tells nothing of its speaker, and a hedged taste is no preference; plain words are."""

import pytest

from recollect.extraction.irony_and_doubt import is_doubted_taste, is_ironic


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


@pytest.mark.parametrize(
    "said",
    [
        "i like fantasy, i think",
        "I like sci-fi, I guess?",
        "i'm into horror, i suppose",
        "I enjoy running, maybe",
        "we love camping, probably.",
        "i prefer aisle seats, not sure",
        "I'm a fan of jazz, idk",
        "i think i'd prefer window seats, never flown",
        "maybe i'd enjoy climbing",
        "i guess i might like opera",
        "perhaps I would like Korean food",
        "i'm keen on chess, who knows",
        "Probably I'd even love it",
        "i suppose i could be into knitting",
        "i like dogs, hard to say",
    ],
)
def test_a_hedged_taste_is_doubted(said: str) -> None:
    assert is_doubted_taste(said)


@pytest.mark.parametrize(
    "said",
    [
        "I like fantasy.",
        "I think I like fantasy best.",
        "I love it, I think about it all day",
        "I think my favourite colour is green",
        "I'm allergic to nuts, I think",
        "I like my job, maybe I should say so more often",
        "I guess you like jazz",
    ],
)
def test_a_plain_taste_is_not_doubted(said: str) -> None:
    assert not is_doubted_taste(said)
