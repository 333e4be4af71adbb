"""Frames: their elements, one by one, and what is refused."""

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tables import check_each
from toldonce.reading.frame_matches import matches
from toldonce.reading.frame_words import words_of
from toldonce.reading.frames import Vocabulary, needs, parse_frame

VOCABULARY = Vocabulary.of(
    {"colours": "red deep_red navy_,_blue", "jobs": "nurse *smith"},
    {"kin": {"son": "son lad", "dog": "dog puppy"}},
    "not never",
)


def values(frame: str, text: str) -> list[str]:
    """Return the value of the first way in which a frame matches from each word."""
    row, words, found = parse_frame(frame, VOCABULARY), words_of(text), []
    for start in range(len(words)):
        match = next(matches(row, words, start, VOCABULARY), None)
        if match:
            end = match.value_end if match.value_end > 0 else len(words)
            found.append(f"{match.name} {text[words[match.value].start : words[end - 1].end]}".strip())
    return found


@check_each(
    ("frame", "text", "expected"),
    [
        ("i|we live in {v}", "We LIVE in Åre", ["Åre"]),
        ("i (live|am based) in {v}", "I am based in Åre", ["Åre"]),
        ("wohn* in {v}", "wohnend in Åre", ["Åre"]),
        ("i now? live in {v}", "I live in Åre", ["Åre"]),
        ("i live ~ in {v}", "I live a bit further up in Åre", ["Åre"]),
        ("i live ~ in {v}", "I live not in Åre", []),
        ("i live ~ in {v}", "I live one two three four five in Åre", []),
        ("i live in {v}", "I live, in Åre", []),
        ("name , {v}", "name: Åsa", ["Åsa"]),
        ("name , {v}", "name Åsa", ["Åsa"]),
        ("^ like {v}", "well, like tea", ["tea"]),
        ("^ like {v}", "they like tea", []),
        ("am {v} $", "I am Åsa, hello", ["Åsa"]),
        ("am !a {v} $", "I am a fish", []),
        ("am &<jobs> {v}", "I am nurse here", ["nurse here"]),
        ("am &<jobs> {v}", "I am Åsa", []),
        ("my <kin> {v}", "my lad Bo", ["son Bo"]),
        ("i like {<colours>}", "I like deep red paint", ["deep red"]),
        ("i like {<colours>}", "I like navy/blue", ["navy/blue"]),
        ("i am a {v<jobs>}", "I am a very good silversmith now", ["very good silversmith"]),
        ("我(现在)?住在{v}", "我住在北京", ["北京"]),
        ("nach {v} gezogen", "nach Bad Tölz gezogen", ["Bad Tölz"]),
        ("{v} 's the one", "tea's the one", ["tea"]),
        ("j'habite|j'vis à {v}", "J’habite à L'Isle", ["L'Isle"]),
        ("trabajo de {v}", "Trabajó de minero", []),
        ("sono? l' {v}", "sono l'infermiera", ["infermiera", "infermiera"]),
    ],
)
def test_an_element_matches_what_it_says(frame: str, text: str, expected: list[str]) -> None:
    assert values(frame, text) == expected


@pytest.mark.parametrize(
    ("frame", "complaint"),
    [
        ("i live in", "no value"),
        ("i (live in {v}", "not closed"),
        ("i live) in {v}", "closes nothing"),
        ("i <live> in {v}", "unknown words 'live'"),
        ("| i {v}", "is in brackets"),
        ("i {w}", "means nothing"),
    ],
)
def test_a_frame_that_is_none_is_refused_by_name(frame: str, complaint: str) -> None:
    with pytest.raises(ValueError, match=complaint) as refused:
        parse_frame(frame, VOCABULARY)
    assert repr(frame) in str(refused.value)


def test_a_frame_is_tried_only_where_its_words_stand() -> None:
    needed = needs(parse_frame("^ i|we (live|dwell) ~ in {v}", VOCABULARY))
    assert [set(words) for words in needed.sets] == [{"live", "dwell"}, {"in"}, {"i", "we"}]
    assert needed.first == frozenset({"i", "we"})
    assert needs(parse_frame("wohn* {v}", VOCABULARY)).first is None


@given(st.text(max_size=200))
def test_words_keep_their_places_in_any_text(text: str) -> None:
    ends = 0
    for word in words_of(text):
        assert ends <= word.start < word.end <= len(text)
        ends = word.end
