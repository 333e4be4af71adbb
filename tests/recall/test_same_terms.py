"""Notes with exactly the terms of a text: another spelling of it has them too."""

from collections import Counter

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from snapshots import Known, snapshot_of
from toldonce.recall.same_terms import notes_by_any_terms, notes_by_terms
from toldonce.text import terms
from toldonce.types import MemoryKind

WORDS = st.lists(st.sampled_from(["tea", "Oslo", "bees", "the", "not", "7"]), max_size=6).map(" ".join)


def test_spellings_of_one_sentence_are_found_and_other_sentences_are_not() -> None:
    texts = ["I like tea.", "i LIKE tea!", "I like tea and bees.", "I like tea, tea.", "Tea: I like it?"]
    snapshot = snapshot_of(*(Known(id=number, text=text) for number, text in enumerate(texts, start=1)))
    assert notes_by_terms(snapshot, terms("I like tea")).tolist() == [0, 1, 4]
    assert notes_by_terms(snapshot, terms("I like bees")).tolist() == []


def test_only_notes_are_found() -> None:
    kinds = [MemoryKind.EPISODE, MemoryKind.NOTE, MemoryKind.TURN]
    snapshot = snapshot_of(*(Known(id=number, text="tea", kind=kind) for number, kind in enumerate(kinds, start=1)))
    assert notes_by_terms(snapshot, terms("Tea!")).tolist() == [1]


def test_a_text_without_terms_is_like_other_notes_without_terms() -> None:
    snapshot = snapshot_of(Known(id=1, text="!!!"), Known(id=2, text="tea"), Known(id=3, text="..."))
    assert notes_by_terms(snapshot, terms("?!")).tolist() == [0, 2]
    assert notes_by_terms(snapshot_of(), terms("tea")).tolist() == []


@given(texts=st.lists(WORDS, max_size=12), wanted=WORDS)
def test_notes_with_equal_terms_are_all_that_is_found(texts: list[str], wanted: str) -> None:
    snapshot = snapshot_of(*(Known(id=number, text=text) for number, text in enumerate(texts, start=1)))
    expected = [place for place, text in enumerate(texts) if terms(text) == Counter(terms(wanted))]
    assert np.array_equal(notes_by_terms(snapshot, terms(wanted)), expected)


@given(texts=st.lists(WORDS, max_size=12), wanted=st.lists(WORDS, max_size=4))
def test_many_texts_find_what_each_finds_alone(texts: list[str], wanted: list[str]) -> None:
    snapshot = snapshot_of(*(Known(id=number, text=text) for number, text in enumerate(texts, start=1)))
    counted = [terms(text) for text in wanted]
    expected = sorted({place for each in counted for place in notes_by_terms(snapshot, each).tolist()})
    assert notes_by_any_terms(snapshot, counted).tolist() == expected


def test_many_texts_find_notes_only() -> None:
    snapshot = snapshot_of(Known(id=1, text="tea", kind=MemoryKind.TURN), Known(id=2, text="Tea!"))
    assert notes_by_any_terms(snapshot, [terms("tea"), terms("bees")]).tolist() == [1]
