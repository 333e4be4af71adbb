"""Words shared, weighed by rarity."""

import numpy as np
import pytest

import recollect.recall.bm25 as words_module
from recollect.recall.bm25 import MAX_QUERY_RARITY, word_signal
from recollect.text import terms
from snapshots import SALT, Known, hot_of

HOT = hot_of(
    Known(id=1, text="Ana is allergic to peanuts."),
    Known(id=2, text="Ana lives in Oslo."),
    Known(id=3, text="..."),
    Known(id=4, text="Ana likes tea in Oslo."),
)


def matched(*asked: str) -> list[float]:
    return [round(value, 3) for value in word_signal(HOT, asked).evidence.tolist()]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    rare, common = matched("peanut")[0], matched("ana")[0]

    assert rare > 2 * common > 0


def test_a_memory_without_the_words_gets_nothing() -> None:
    assert matched("oslo") == [0, matched("oslo")[1], 0, matched("oslo")[3]]
    assert matched("zebra") == [0, 0, 0, 0]
    assert matched() == [0, 0, 0, 0]


def test_bits_tell_which_words_were_shared() -> None:
    found = word_signal(HOT, ("oslo", "zebra", "ana"))

    assert found.hits.tolist() == [0b100, 0b101, 0, 0b101]


def test_the_share_of_words_counts_rarity_and_words_nobody_has() -> None:
    found = word_signal(HOT, ("oslo", "ana", "zebra"))
    oslo, ana, zebra = found.rarity.tolist()

    shares = found.shares(np.array([1, 2]))

    assert shares.tolist() == pytest.approx([(oslo + ana) / (oslo + ana + zebra), 0])
    assert zebra > oslo > ana


def test_another_salt_shares_no_word() -> None:
    other = hot_of(Known(id=1, text="peanuts"), salt=SALT + b"!")

    assert word_signal(other, ("peanut",)).evidence.tolist() != [0]
    assert not np.array_equal(other.terms, hot_of(Known(id=1, text="peanuts")).terms)


def test_many_terms_are_found_one_by_one_as_they_are_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tuple(terms("Ana likes Oslo, tea, peanuts and zebras"))
    at_once = word_signal(HOT, asked)
    monkeypatch.setattr(words_module, "_MAX_COMPARISONS", 0)

    one_by_one = word_signal(HOT, asked)

    assert one_by_one.evidence.tolist() == at_once.evidence.tolist()
    assert one_by_one.hits.tolist() == at_once.hits.tolist()


def test_a_long_query_is_worth_no_more_than_a_few_rare_words() -> None:
    many = hot_of(
        *(Known(id=number, text=f"word{number}x") for number in range(2, 60)),
        Known(id=1, text=" ".join(f"word{number}x" for number in range(2, 42))),
    )

    found = word_signal(many, tuple(f"word{number}x" for number in range(2, 42)))

    assert found.rarity.sum() > MAX_QUERY_RARITY
    assert found.evidence.max() < MAX_QUERY_RARITY


def test_no_memories_give_no_rows() -> None:
    found = word_signal(hot_of(), ("oslo",))

    assert (len(found.evidence), len(found.hits)) == (0, 0)


def test_a_greeting_ranks_no_higher_than_a_sentence_and_a_page_lower() -> None:
    greeting, sentence, page = (
        "oslo" + "".join(f" word{place}x{size}" for place in range(size)) for size in (1, 25, 400)
    )
    hot = hot_of(Known(id=1, text=greeting), Known(id=2, text=sentence), Known(id=3, text=page))

    first, second, third = word_signal(hot, ["oslo"]).evidence.tolist()

    assert first == second > third
