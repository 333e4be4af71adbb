"""Where AlpsBench's evidence is said, what hides it, and how much of it a stand-in model quotes; chats are made up."""

import pytest

from benchmarks.alps_chats import AlpsItem
from benchmarks.alps_evidence import FoundEvidence, Passage, find_evidence, hidden_by, seen_part

SAID = {0: "i'm allergic to peanuts and i live in oslo", 2: "how tall is the eiffel tower", 4: "thanks"}


@pytest.mark.parametrize(
    ("evidence", "passages"),
    [
        ("i LIVE in Oslo", [("i LIVE in Oslo", 0)]),
        ("I'm allergic … I live in Oslo", [("I'm allergic", 0), ("I live in Oslo", 0)]),
        ("How tall is [...] \nThanks", [("How tall is", 2), ("Thanks", 4)]),
        ("I live in Bern", None),
        ("I live in Oslo ... and in Bern", None),
        ("", None),
        ("...", None),
    ],
)
def test_evidence_is_found_whole_or_by_its_passages(evidence: str, passages: list[tuple[str, int]] | None) -> None:
    quoted = AlpsItem(text="x", label="", evidence=evidence, utterances=frozenset())

    found = find_evidence(quoted, SAID)

    assert (found and [(passage.text, passage.place) for passage in found.passages]) == passages


def test_of_several_messages_with_the_evidence_the_named_one_counts() -> None:
    said = {0: "i ski", 2: "i ski", 4: "i ski"}

    named = find_evidence(AlpsItem(text="x", label="", evidence="I ski", utterances=frozenset({2})), said)
    unnamed = find_evidence(AlpsItem(text="x", label="", evidence="I ski", utterances=frozenset()), said)

    assert named
    assert named.place == 2
    assert unnamed
    assert unnamed.place == 0


@pytest.mark.parametrize(
    ("text", "part"),
    [
        ("I ski every winter.", ""),
        ("> I ski every winter\nDo you?", "a quoted line"),
        ("My brother sent this text:\nI ski every winter", "what is not meant"),
        ("My password is hunter2, and I ski every winter", ""),
    ],
)
def test_what_hides_a_quote_is_named(text: str, part: str) -> None:
    assert hidden_by(text, "I ski every winter") == part


def test_a_secret_hides_a_quote() -> None:
    assert hidden_by("My password is hunter2, and I ski.", "password is hunter2") == "a secret"


@pytest.mark.parametrize(
    ("passage", "shown", "part"),
    [
        ("Rephrase this for my blog: I ski", "rephrase this for my blog", "Rephrase this for my blog:"),
        ("I ski. Is that well put?", "is that well put", "Is that well put?"),
        ("I ski in Oslo", "we ski", ""),
        ("翻译成英文：我喜欢滑雪", "翻译成英文", "翻译成英文："),
        ("My password is hunter2", "my password is", "My password is hunter2"),
    ],
)
def test_a_passage_is_quoted_as_far_as_it_is_shown(passage: str, shown: str, part: str) -> None:
    assert seen_part(passage, shown) == part


@pytest.mark.parametrize(
    ("evidence", "quote"),
    [
        ("Rephrase this for my own blog: I ski", "Rephrase this for my own blog:"),
        ("Rephrase: I ski every winter in Oslo", "Rephrase: I ski every winter in Oslo"),
        ("Rephrase this for my own blog ... I ski", "Rephrase this for my own blog ..."),
    ],
)
def test_of_less_than_half_of_its_evidence_an_item_is_given_with_all_of_it(evidence: str, quote: str) -> None:
    said = {0: "rephrase this for my own blog i ski every winter in oslo", 2: "rephrase i ski every winter in oslo"}
    found = find_evidence(AlpsItem(text="x", label="", evidence=evidence, utterances=frozenset()), said)

    assert found
    assert found.quoted({0: "rephrase this for my own blog", 2: "rephrase"}) == quote


def test_words_that_were_never_said_are_quoted_whole() -> None:
    made_up = FoundEvidence((Passage("Rephrase this for my own blog: I swim", 0),), is_said=False)

    assert made_up.quoted({0: "rephrase this for my own blog i ski"}) == "Rephrase this for my own blog: I swim"
