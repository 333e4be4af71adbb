"""Sentences that are marked as not meant are found, and no others."""

import pytest

from recollect.extraction.speech_acts import find_jests

MARKED = {
    "I teach. I just LOVE unpaid evenings /s": ["I just LOVE unpaid evenings /s"],
    "I own nine yachts. jk": ["I own nine yachts.", "jk"],
    "I'm moving to the moon, just kidding. I do live in Bonn.": ["I'm moving to the moon, just kidding."],
    "I won the lottery. Haha that was a joke of course. I'm a baker.": [
        "I won the lottery.",
        "Haha that was a joke of course.",
    ],
    "i adore 5am alarms, said no one ever": ["i adore 5am alarms, said no one ever"],
    "sure, i live for spreadsheets (not)": ["sure, i live for spreadsheets (not)"],
    "i'm totally a morning person, NOT. i'm a night owl": ["i'm totally a morning person, NOT."],
    "yeah right, i'm a millionaire": ["yeah right, i'm a millionaire"],
}
EARNEST = (
    "my boss is away again 🙄",
    "I'm not a morning person",
    "she said no, not me",
    "I love mondays lol",
    "I took the and/so road to Ayr",
    "my password manager is KeePass, NOT LastPass",
)


@pytest.mark.parametrize(("text", "marked"), MARKED.items())
def test_what_is_marked_as_not_meant_is_found(text: str, marked: list[str]) -> None:
    assert [piece.text for piece in find_jests(text)] == marked


@pytest.mark.parametrize("text", EARNEST)
def test_what_is_meant_is_no_jest(text: str) -> None:
    assert find_jests(text) == ()
