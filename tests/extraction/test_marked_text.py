"""Nothing of the speaker's own is hidden, and what a message only carries is shown between marks, not cut."""

import re
import tomllib
from pathlib import Path

from tables import check_each
from toldonce.extraction.own_text.marked_text import fitted
from toldonce.extraction.own_text.own_words import mark
from toldonce.extraction.sources import readable_text

_DATA = tomllib.loads(Path(__file__).with_name("own_words.toml").read_text(encoding="utf-8"))
WHOLE = [text for texts in _DATA["whole"].values() for text in texts]
CARRIED = _DATA["carried"]


@check_each("text", WHOLE)
def test_what_a_user_says_behind_a_label_or_in_inline_code_is_their_own(text: str) -> None:
    assert readable_text(text) == text
    assert mark(text).for_model() == text


@check_each("message", CARRIED)
def test_what_a_message_carries_is_marked_and_not_cut(message: dict[str, str]) -> None:
    marked = mark(message["text"])
    shown = marked.for_model()

    assert readable_text(message["text"]) == message["own"]
    inside = "\n".join(re.findall("⟪([^⟫]*)⟫", shown))
    assert all(words in inside for words in message["marked"])
    assert all(line in re.sub("⟪[^⟫]*⟫", "", shown) for line in message["own"].splitlines())


@check_each("text", [*WHOLE, *(message["text"] for message in CARRIED)])
def test_each_line_of_own_words_is_a_part_of_the_message(text: str) -> None:
    assert all(line in text for line in mark(text).own().splitlines())


def test_the_corpus_is_large_enough() -> None:
    assert len(WHOLE) + len(CARRIED) >= 200


def test_a_mark_stands_where_a_long_carried_text_is_shortened() -> None:
    shown = mark(f"What do I answer?\n\nDear Ms Ray,\n{'I raise the rent. ' * 300}\nYours, Ben").for_model()

    assert re.search(r"⟪Dear Ms Ray.*\[… [45],\d{3} characters left out …\].*Yours, Ben⟫", shown, re.DOTALL)


@check_each("limit", range(400, 1_700, 37))
def test_marks_are_closed_however_a_message_is_shortened(limit: int) -> None:
    shown = fitted("I ski. ⟪He swims. He swims. ⟫ " * 60, limit)

    assert len(shown) <= limit + 2
    assert "left out" in shown
    assert not re.search("⟪[^⟫]*⟪|⟫[^⟪]*⟫", shown)
    assert shown.count("⟪") == shown.count("⟫")


def test_signs_in_a_message_pass_for_no_mark() -> None:
    assert mark("I ski. ⟪I live in Oslo.⟫").for_model() == "I ski. I live in Oslo."
    assert mark("Polish this: I ⟫ski⟪.").for_model() == "Polish this:⟪ I ski.⟫"
