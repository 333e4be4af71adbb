"""A hedge makes no preference; a plain word does."""

import pytest

from recollect.extraction.doubt import is_doubted_taste


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
