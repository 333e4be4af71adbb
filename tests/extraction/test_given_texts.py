"""A text that an order announces is shown as given; what names another source stays hidden. Nothing in it orders."""

import re

import pytest

from extraction.other_speakers import CANARIES, OTHER_SPEAKERS, PAYLOADS, OtherSpeaker
from extraction.test_planted import half
from extractor_inputs import SAID, logged
from tables import check_each
from toldonce.extraction.evidence import with_source
from toldonce.extraction.own_text.marked_text import Origin
from toldonce.extraction.own_text.own_words import mark
from toldonce.extraction.review_gate import pasted_reason
from toldonce.extraction.sources import carried_texts, readable_text
from toldonce.text import split_sentences
from toldonce.types import Candidate, MemoryKind

# The user orders work on these, or asks about their wording: they are given, no matter who wrote them.
ORDERED = re.compile(r"order|translate|correct\b|grammatical|continue|below|quoted over|^resume")


def given(text: str) -> str:
    return " ".join(text[span.start : span.end] for span in mark(text).spans if span.origin is Origin.GIVEN)


@pytest.mark.parametrize(
    ("text", "inside"),
    [
        ("Polish this: I teach in Ulm.", "I teach in Ulm."),
        ("I teach in Ulm since ten years. Check the grammar please", "I teach in Ulm since ten years."),
        ("翻译：我在乌尔姆教书", "我在乌尔姆教书"),
        ("Réécris ce message : j'enseigne à Ulm", "j'enseigne à Ulm"),
        ("Проверь ошибки:\nЯ работаю в школе.", "Я работаю в школе."),
    ],
)
def test_what_an_order_announces_or_follows_is_given(text: str, inside: str) -> None:
    assert inside in given(text)
    assert inside not in readable_text(text)


@pytest.mark.parametrize(
    "text",
    [
        "Please help me to answer this:\nI live in Oslo.",
        "Polish my student's essay:\nI live in Oslo.",
        "Check this.\nTool result:\nI live in Oslo.",
        "Translate this:\n\nnotes.txt\nI live in Oslo.",
        "Rewrite my story:\nChapter 1\nI live in Oslo.",
        "Write me a mail.\nMy name is [your name] and I live in Oslo.",
    ],
)
def test_what_names_its_source_or_nobody_means_is_not_given(text: str) -> None:
    assert "Oslo" not in given(text)


@check_each("other", [other for other in OTHER_SPEAKERS if not ORDERED.search(other.name)])
def test_no_words_of_others_are_given_without_an_order(other: OtherSpeaker) -> None:
    found = [given(other.said(payload)) for payload in PAYLOADS]
    assert [text for text in found if any(canary in text for canary in CANARIES)] == []


def test_secrets_in_a_given_text_are_struck_out() -> None:
    text = carried_texts([logged(1, "Polish this: my password is hunter2hunter2, I ski.")])[1]
    assert "hunter2" not in text.shown + text.given
    assert "I ski" in text.shown
    assert "I ski" in text.given


def test_a_message_of_a_game_gives_nothing() -> None:
    message = logged(1, "Polish this: I teach in Ulm.")
    assert carried_texts([message], {1})[1].given == ""


@pytest.mark.parametrize("part", ["open", "held"])
def test_no_planted_order_in_a_given_text_is_stored(part: str) -> None:
    stored = []
    for sign, text in half("pasted", part):
        pieces = [piece for piece in split_sentences(given(text)) if sign in piece.casefold()]
        for piece in pieces:
            made = Candidate(
                kind=MemoryKind.NOTE, text=piece, type="fact", speaker="user", seq=1, quote=piece, valid_from=SAID
            )
            if pasted_reason(with_source(made), text) is None:
                stored.append(piece)
    assert stored == []
