"""What is withheld leaves no fragment: over arbitrary stretches, texts of any script, and secrets among them."""

import string
from datetime import UTC, datetime
from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from toldonce.extraction.redaction import build_redaction, redact
from toldonce.formation.stale import Outdated, stale_stretches
from toldonce.formation.withheld import disjoint, with_secrets
from toldonce.types import ConversationId, Evidence, MemoryDetail, Withheld

SAID = Evidence(
    conversation=ConversationId("c"),
    seq=1,
    hash=0,
    role="user",
    speaker="user",
    quote="",
    said_at=datetime(2026, 1, 1, tzinfo=UTC),
)
WALNUT = Outdated(
    value=frozenset({"walnut"}), content=frozenset({"walnut"}), terms=frozenset({"walnut"}), is_topic=True
)
ODD = "ß İ ı ﬁ Ǆ é e\u0301 👩\u200d👩\u200d👧 \u202e\u200f שלום 東京。 \ud800 \x00 \u2028 \u00ad ’“„ \u00a0 ⅷ".split(
    " "
)
ODD_TEXT = st.lists(st.one_of(st.sampled_from(ODD), st.text(max_size=4)), max_size=4).map("".join)
CLAUSE = st.sampled_from(
    [
        *("I eat walnuts", "my aunt bakes with WALNUT flour", "Walnut’s bitter", "we sold the walnut", "walnut"),
        *("I ski", "my dog is Bo", "it rains in Lyon", "I moved in May", "we sing at night"),
    ]
)
JOINT = st.sampled_from(
    [*(". ", "! ", "? ", "… ", "\n", "\n\n- ", " and ", ", but ", "; ", " — ", ", "), "。", ".\t", " 🎉 "]
)


def texts() -> st.SearchStrategy[str]:
    part = st.tuples(CLAUSE, ODD_TEXT, JOINT).map(lambda found: found[0] + " " + found[1] + found[2])
    return st.lists(part, min_size=1, max_size=8).map("".join)


def stretches(most: int) -> st.SearchStrategy[list[Withheld]]:
    span = st.tuples(st.integers(0, most), st.integers(0, most)).map(sorted)
    return st.lists(span.map(lambda pair: Withheld(start=pair[0], end=pair[1])), max_size=8)


@given(st.text(max_size=80), stretches(100), stretches(100))
def test_stretches_that_overlap_withhold_all_they_cover_and_nothing_else(
    text: str, once: list[Withheld], again: list[Withheld]
) -> None:
    kept = disjoint([*disjoint(once), *again])
    assert all(stretch.end <= other.start for stretch, other in pairwise(kept))
    quoted = MemoryDetail(withheld=kept).quoted(text)
    covered = {place for stretch in (*once, *again) for place in range(stretch.start, stretch.end)}
    assert len(quoted) == len(text)
    for place, character in enumerate(text):
        assert quoted[place] in "… " if place in covered else quoted[place] == character


@given(texts())
def test_no_clause_with_the_word_is_left_in_a_text_of_any_script(text: str) -> None:
    found = stale_stretches(text, SAID, [WALNUT])
    quoted = MemoryDetail(withheld=found).quoted(text)
    assert "walnut" not in quoted.casefold()
    assert found == disjoint(found)
    assert not stale_stretches(quoted, SAID, [WALNUT])


SECRET = st.text(string.ascii_letters + string.digits, min_size=6, max_size=16).map(lambda word: f"{word}7q")
TOLD = st.one_of(
    SECRET.map(lambda word: f"My password is {word}, "),
    SECRET.map(lambda word: f"API_KEY={word} "),
    st.just("Call 4111 1111 1111 1111 now. "),
    texts(),
)


@given(st.lists(TOLD, min_size=1, max_size=5).map("".join), st.data())
def test_a_stretch_stays_on_its_words_when_secrets_before_it_are_struck_out(text: str, data: st.DataObject) -> None:
    found = build_redaction(text)
    assert found.text == redact(text)
    start, end = sorted(data.draw(st.tuples(st.integers(0, len(text)), st.integers(0, len(text)))))
    moved = found.map_span((start, end))
    assert 0 <= moved[0] <= moved[1] <= len(found.text)
    if not any(secret[0] < end and start < secret[1] for secret in found.secrets):
        assert found.text[moved[0] : moved[1]] == text[start:end]


@given(st.lists(TOLD, min_size=1, max_size=4).map("".join), stretches(60))
def test_secrets_are_withheld_wherever_something_is(text: str, some: list[Withheld]) -> None:
    shown = MemoryDetail(withheld=with_secrets(text, some)).quoted(text)
    for start, end in build_redaction(text).secrets if some else ():
        assert not set(shown[start:end]) - {"…", " "}
