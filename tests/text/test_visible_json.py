"""JSON of the command line and of exports shows what it holds, and reads back as the same."""

import json

import pytest

from toldonce.text.visible_json import visible_json

UNSEEN = [
    *map(chr, range(0x80, 0xA0)),
    *("\x7f", "\u00ad", "\u061c", "\u200b", "\u200e", "\u200f", "\u2028", "\u2029", "\u2060", "\ufeff"),
    *map(chr, range(0x202A, 0x202F)),
    *map(chr, range(0x2066, 0x206A)),
    *("\U000e0001", "\U000e0041", "\U000e007f", "\U000e0100", "\U000e01ef"),
]


@pytest.mark.parametrize("character", UNSEEN, ids=[f"{ord(character):x}" for character in UNSEEN])
def test_what_steers_or_hides_is_an_escape(character: str) -> None:
    data = {f"a{character}": [f"{character}b{character}{character}"]}
    written = visible_json(data)
    assert character not in written
    assert json.loads(written) == data


def test_what_is_seen_stays_as_it_is() -> None:
    texts = ["Zoë, 東京, naïve", "👩\u200d🚀 ❤\ufe0f", "می\u200cخواهم", "a\u00a0b"]
    assert visible_json(texts) == json.dumps(texts, ensure_ascii=False)
