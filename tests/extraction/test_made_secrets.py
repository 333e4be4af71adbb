"""S1: secrets of a hundred shapes are found, and what looks like one is left."""

import pytest

from extraction.made_secrets import SECRETS, Luck, look_alikes
from tables import check_each
from toldonce.extraction.redaction import redact, redact_with_shapes

SEEDS = range(20)


def test_s1_there_are_enough_shapes_and_likenesses() -> None:
    assert len(SECRETS) >= 60
    assert len(set(look_alikes(0))) >= 200


@check_each("name", SECRETS)
def test_s1_a_secret_of_each_shape_is_struck_out_and_named_by_its_shape(name: str) -> None:
    for seed in SEEDS:
        said, secret = SECRETS[name](Luck(seed))
        text, found = redact_with_shapes(said)
        assert secret not in text
        assert found
        assert secret not in str(found)


def test_s1_hardly_a_likeness_is_struck_out() -> None:
    texts = [text for seed in SEEDS for text in look_alikes(seed)]
    wrong = [text for text in texts if redact(text) != text]
    assert len(wrong) <= 0.005 * len(texts), wrong


@pytest.mark.parametrize(
    ("said", "left"),
    [
        ("my password is myDog2019!", "my password is [secret]"),
        ("password: $ecret99x", "password: [secret]"),
        ("password: $DB_PASSWORD", "password: $DB_PASSWORD"),
        ("password=<password>", "password=<password>"),
        ("my PIN is 4821 and the CVV is 123.", "my PIN is [secret] and the CVV is [secret]"),
    ],
)
def test_a_value_is_told_from_what_stands_for_one(said: str, left: str) -> None:
    assert redact(said).rstrip(".") == left
