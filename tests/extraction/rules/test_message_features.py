"""The row that describes a message to the gate's second stage: what it holds, and that training knew the same."""

import numpy as np
import pytest

from extractor_inputs import logged, source
from recollect.extraction.gate_features import MESSAGE_NUMBERS
from recollect.extraction.rules import read_by_rules
from recollect.extraction.rules.message_features import PLACES_OF_LOG_ODDS, message_features
from recollect.extraction.rules.parsed_message import parse_messages
from recollect.extraction.sentences import TextSpan, sentences
from recollect.types import LoggedMessage

OF_SELF, ORDERS, ASKS, SUPPOSES = range(4)
REPEATED = 25


def row_of(*messages: LoggedMessage) -> list[float]:
    """Return the row of the last message."""
    given = source(*messages, sources=frozenset({"user"}))
    *_, reading = parse_messages(given)
    found = [item for item in read_by_rules(given).candidates if item.seq == reading.message.seq]
    row = message_features(reading, sentences(reading.masked), [0.5, -2.0, 1.5], found)
    assert row.shape == (MESSAGE_NUMBERS,)
    return [float(each) for each in row]


def test_the_numbers_are_those_that_the_gate_was_trained_with() -> None:
    # Another row needs another FEATURES_VERSION and a newly trained gate.
    said = "Ida, our cat. She may eat 2 eggs, if you ask me!\nI live in Leeds"
    row = row_of(logged(1, "My cat is ill."), logged(2, "Oh! Which cat?", role="assistant"), logged(3, said))
    assert [round(each, 3) for each in row] == [
        *(1, 0, 0, 1, 3, 3, 0),
        *(64, 16, 1, 0, 0.016, 0.062, 0.25, 0, 0, 0, 1, 1, 0, 0, 0),
        *(2, 1, 1, 0.053, 0.062, 14, 1),
        *(0.5, 1.5),
        *(2, 1, 0),
    ]


def test_the_log_odds_are_those_of_the_message_and_its_likeliest_sentence() -> None:
    row = row_of(logged(1, "I ski. I swim."))
    assert [row[place] for place in PLACES_OF_LOG_ODDS] == [0.5, 1.5]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("My boiler is loud", {OF_SELF}),
        ("Write a poem", {ORDERS}),
        ("What is a boiler?", {ASKS}),
        ("It might rain", {SUPPOSES}),
        ("Meine Heizung ist laut", {OF_SELF}),
        ("Schreib ein Gedicht über den Herbst", {ORDERS}),
        ("Was ist eine Heizung?", {ASKS}),
        ("Mój piec jest głośny", {OF_SELF}),
        ("우리 집 보일러가 시끄러워요", {OF_SELF}),
        ("Wisła jest najdłuższą rzeką", set()),
        ("Il Po è lungo", set()),
    ],
)
def test_the_manner_of_a_message(text: str, expected: set[int]) -> None:
    row = row_of(logged(1, text))
    assert {place for place in (OF_SELF, ORDERS, ASKS, SUPPOSES) if row[place]} == expected


def test_a_message_said_before_is_noticed() -> None:
    assert row_of(logged(1, "Write a poem"), logged(3, "Write a poem"))[REPEATED] == 1
    assert row_of(logged(1, "Buy some milk"), logged(3, "Write a poem"))[REPEATED] == 0


@pytest.mark.parametrize("text", ["?!", "…", "🎉", "1", "a" * 5_000])
def test_odd_texts_have_a_row(text: str) -> None:
    (reading,) = parse_messages(source(logged(1, text), sources=frozenset({"user"})))
    assert np.isfinite(message_features(reading, [TextSpan(text, 0)], [0.0, 0.0], [])).all()
