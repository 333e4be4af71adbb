import re

from hypothesis import given
from hypothesis import strategies as st

from recollect.providers.chunk import CHUNK_CHARACTERS, MOST_CHUNKS, chunks

SENTENCE = "Ana went to the market and bought apples. "


def test_a_short_text_is_one_piece_without_white_space_around() -> None:
    assert chunks("  Ana lives in Oslo.\n") == ["Ana lives in Oslo."]


def test_a_blank_text_has_no_pieces() -> None:
    assert chunks("") == chunks(" \n\t ") == []


def test_a_text_of_exactly_the_size_is_not_cut() -> None:
    assert chunks("x" * CHUNK_CHARACTERS) == ["x" * CHUNK_CHARACTERS]


def test_paragraphs_are_cut_before_sentences() -> None:
    first, second = SENTENCE * 3, SENTENCE * 3
    assert chunks(f"{first}\n\n{second}", size=200) == [first.strip(), second.strip()]


def test_sentences_are_kept_whole() -> None:
    pieces = chunks(SENTENCE * 100)
    assert len(pieces) == 5
    assert all(piece.endswith("apples.") and piece.startswith("Ana") for piece in pieces)


def test_sentences_without_blanks_between_are_kept_whole() -> None:
    assert chunks("我住在奥斯陆。" * 4, size=16) == ["我住在奥斯陆。" * 2] * 2


def test_words_are_kept_whole_where_there_are_no_sentences() -> None:
    assert chunks("alpha beta gamma delta", size=11) == ["alpha beta", "gamma delta"]


def test_a_run_without_any_boundary_is_cut_at_the_size() -> None:
    assert chunks("x" * 25, size=10) == ["x" * 10, "x" * 10, "x" * 5]


def test_an_early_boundary_does_not_make_a_crumb() -> None:
    assert chunks("No. " + "x" * 30, size=20) == ["No. " + "x" * 16, "x" * 14]


def test_there_are_no_more_pieces_than_allowed() -> None:
    assert len(chunks("x" * 100 * CHUNK_CHARACTERS)) == MOST_CHUNKS


@given(st.text(alphabet="ab .!?\n,。", max_size=300), st.integers(1, 40))
def test_no_piece_is_too_long_and_nothing_but_white_space_is_lost(text: str, size: int) -> None:
    pieces = chunks(text, size=size, most=1000)
    assert all(0 < len(piece) <= size and piece == piece.strip() for piece in pieces)
    assert "".join(re.sub(r"\s", "", piece) for piece in pieces) == re.sub(r"\s", "", text)
