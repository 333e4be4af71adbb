"""The learned gate's features: the same for the same words, few enough for any text, and told apart by context."""

from dataclasses import replace

import numpy as np
import pytest

from hostile_text import UNITS
from toldonce.extraction.gate_features import COLUMNS, MAX_TEXTS, GateFeatures, GateInput, features_of

TWO = GateInput(texts=["I live in Oslo.", "Who lives in Bergen?"], previous_reply="Hi.")
ODD = ("", " ", "\n", "\ud800", "a", "?!", "\x00", "日本", "🎉", *sorted(UNITS)[:40])


def of_row(features: GateFeatures, row: int) -> dict[int, float]:
    """Return the values of a text by column."""
    found: dict[int, float] = {}
    its = features.rows == row
    for column, value in zip(features.columns[its], features.values[its], strict=True):
        found[int(column)] = found.get(int(column), 0.0) + float(value)
    return found


def test_features_are_those_that_the_gate_was_trained_with() -> None:
    # Another sum needs another FEATURES_VERSION and a newly trained gate.
    features = features_of(GateInput(texts=["Ok 42"], previous_reply="Hm?", previous_texts=["Ja"], turn=2))
    assert (int(features.columns.sum()), int(features.shared_columns.sum())) == (1816483, 568648)


def test_a_text_has_the_same_features_whatever_is_beside_it() -> None:
    text = "Meine Frau heißt Ida."
    alone = of_row(features_of(GateInput(texts=[text])), 0)
    assert of_row(features_of(GateInput(texts=[text, "Ja."])), 0) == pytest.approx(alone)
    assert of_row(features_of(GateInput(texts=["Ja.", text])), 1) == pytest.approx(alone)


def test_numbers_and_case_make_no_difference() -> None:
    low, high = (features_of(GateInput(texts=[text])) for text in ("i am 41", "I AM 29"))
    assert of_row(low, 0) == of_row(high, 0)


def test_what_was_said_before_is_a_feature_of_all_texts() -> None:
    bare = features_of(TWO)
    for changed in (
        replace(TWO, previous_reply="Fine."),
        replace(TWO, previous_texts=["I ski."]),
        replace(TWO, previous_texts=["Hi."]),
    ):
        features = features_of(changed)
        assert np.array_equal(bare.columns, features.columns)
        assert not np.array_equal(bare.shared_columns, features.shared_columns)
    later = features_of(replace(TWO, turn=20))
    assert (bare.columns != later.columns).sum() == len(TWO.texts)


def test_an_answer_is_told_from_what_follows_a_statement() -> None:
    told, asked = (of_row(features_of(replace(TWO, previous_reply=text)), 0) for text in ("Noted.", "Where to?"))
    assert told.keys() != asked.keys()


def test_a_long_text_weighs_as_much_as_a_short_one() -> None:
    features = features_of(GateInput(texts=["I live in Oslo.", "I live in Oslo with " + "many cats and " * 20]))
    short, long = (float((features.values[features.rows == row] ** 2).sum()) for row in (0, 1))
    assert short == pytest.approx(long, rel=1e-3)


@pytest.mark.parametrize("text", ODD)
def test_any_text_has_features_within_the_table(text: str) -> None:
    features = features_of(GateInput(texts=[text, "I ski.", text], previous_reply=text, previous_texts=[text]))
    columns = np.concatenate((features.columns, features.shared_columns))
    assert len(features.rows) == len(features.columns) == len(features.values)
    assert columns.min() >= 0
    assert columns.max() < COLUMNS
    assert set(features.rows.tolist()) == {0, 1, 2}
    assert np.isfinite(np.concatenate((features.values, features.shared_values))).all()


def test_no_texts_have_no_features() -> None:
    features = features_of(GateInput(texts=[]))
    assert len(features.rows) == len(features.shared_columns) == 0


def test_a_huge_message_has_no_more_features_than_a_large_one() -> None:
    large, huge = (
        features_of(GateInput(texts=["word " * size] * size, previous_reply="x " * size, previous_texts=["y " * size]))
        for size in (MAX_TEXTS, 2 * MAX_TEXTS)
    )
    assert len(large.rows) == len(huge.rows)
    assert len(large.shared_columns) == len(huge.shared_columns)
