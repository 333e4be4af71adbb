"""A new amount alone ends the one amount that was spoken of just before, and no other."""

import pytest

from recollect.extraction.rules.new_amount import read_new_amount

RENT = "my rent is 900, is that ok?"


@pytest.mark.parametrize(
    ("sentence", "before", "old"),
    [
        ("right, going up to 35 from april then", "is 28 an hour too low? thats what i charge now", "28"),
        ("they're putting it up to 950 in may", RENT, "900"),
        ("ok make it 8", "book a table for 6 on friday", "6"),
        ("it's 12 now", "we're 10 people for the hike on 3 may", "10"),
        ("dropped it to 20 mg", "i take 40 mg of fluoxetine", "40"),
        ("update: it's gone down to £870", RENT, "900"),
        ("so we're cutting it to 30 hours", "i work 38 hours at the moment, how does holiday work?", "38"),
    ],
)
def test_a_new_amount_names_the_old_one(sentence: str, before: str, old: str) -> None:
    found = read_new_amount(sentence, [before])
    assert found is not None
    assert found.old == old


@pytest.mark.parametrize(
    ("sentence", "before"),
    [
        ("they're putting it up to 950 in may", "my rent is 900, is that ok for 40 m2?"),
        ("it's 35", "how much? i paid 28"),
        ("moving to 3 days a week", "i have 2 kids"),
        ("we might go up to 40", "i charge 30"),
        ("going to Rome in 3 weeks", "i have 2 cats"),
        ("it's 5 pm now", "i have 2 cats"),
        ("it's 2027 now", "we moved here in 2019"),
        ("my deposit is going up to 950", RENT),
        ("they're putting it up to 900", RENT),
        ("is it going up to 950?", RENT),
    ],
)
def test_what_is_about_something_else_or_unsure_ends_nothing(sentence: str, before: str) -> None:
    assert read_new_amount(sentence, [before]) is None
