"""What a query takes from its text."""

from datetime import UTC, datetime

import pytest

from snapshots import ask
from toldonce.recall.query import MAX_TERMS, is_question


def test_stop_words_are_no_terms_and_each_term_knows_the_word_it_was_asked_with() -> None:
    query = ask("What are Ana's allergies?")

    assert dict(query.terms) == {"ana": 1, "allergi": 1}
    assert dict(query.spoken) == {"ana": "ana's", "allergi": "allergies"}


def test_a_pasted_page_keeps_the_terms_of_its_head_and_its_end() -> None:
    query = ask(" ".join(f"word{number}x" for number in range(500)))

    assert len(query.terms) == MAX_TERMS
    assert {"word0x", "word23x", "word499x"} <= query.terms.keys()
    assert "word250x" not in query.terms
    assert query.spoken.keys() == query.terms.keys()


def test_date_words_are_read_from_the_text_unless_the_caller_read_them() -> None:
    assert ask("What did I say yesterday?").dates == (
        (datetime(2025, 12, 31, tzinfo=UTC), datetime(2026, 1, 1, tzinfo=UTC)),
    )
    assert ask("What did I say yesterday?", dates=()).dates == ()


def test_since_runs_on_to_now() -> None:
    ((start, end),) = ask("What did I say since December 2025?").dates

    assert start == datetime(2025, 12, 1, tzinfo=UTC)
    assert end == datetime(2026, 1, 1, 12, tzinfo=UTC)


@pytest.mark.parametrize(
    ("text", "asks"),
    [
        ("Where do I live?", True),
        ("where do I live", True),
        ("I moved. Guess where?", True),
        ("私はどこ？", True),
        ("I moved to Oslo.", False),
        ("", False),
    ],
)
def test_a_question_is_told_by_its_mark_or_its_first_word(text: str, asks: bool) -> None:
    assert is_question(text) is asks
