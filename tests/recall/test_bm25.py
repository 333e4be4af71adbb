"""Words shared, weighed by rarity; and what a subject has under terms other than the query's own.

Other terms are those of the former scheme, or of a language that the query does not tell.
"""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

import toldonce.recall.bm25 as bm25_module
from language_samples import LANGUAGES
from snapshots import SALT, Known, ask, snapshot_of
from toldonce.recall.bm25 import MAX_QUERY_RARITY, TermIndex, word_signal
from toldonce.recall.recall import rank_subjects
from toldonce.recall.signals import collect_signals
from toldonce.text import legacy_terms, term_key, terms
from toldonce.types import SubjectSnapshot

SNAPSHOT = snapshot_of(
    Known(id=1, text="Ana is allergic to peanuts."),
    Known(id=2, text="Ana lives in Oslo."),
    Known(id=3, text="..."),
    Known(id=4, text="Ana likes tea in Oslo."),
)


def matched(*asked: str) -> list[float]:
    return [round(value, 3) for value in word_signal(SNAPSHOT, asked).evidence.tolist()]


def test_a_rare_word_weighs_more_than_a_common_one() -> None:
    rare, common = matched("peanut")[0], matched("ana")[0]

    assert rare > 2 * common > 0


def test_a_memory_without_the_words_gets_nothing() -> None:
    assert matched("oslo") == [0, matched("oslo")[1], 0, matched("oslo")[3]]
    assert matched("zebra") == [0, 0, 0, 0]
    assert matched() == [0, 0, 0, 0]


def test_bits_tell_which_words_were_shared() -> None:
    found = word_signal(SNAPSHOT, ("oslo", "zebra", "ana"))

    assert found.hits.tolist() == [0b100, 0b101, 0, 0b101]


def test_the_share_of_words_counts_rarity_and_words_nobody_has() -> None:
    found = word_signal(SNAPSHOT, ("oslo", "ana", "zebra"))
    oslo, ana, zebra = found.rarity.tolist()

    shares = found.shares(np.array([1, 2]))

    assert shares.tolist() == pytest.approx([(oslo + ana) / (oslo + ana + zebra), 0])
    assert zebra > oslo > ana


def test_another_salt_shares_no_word() -> None:
    other = snapshot_of(Known(id=1, text="peanuts"), salt=SALT + b"!")

    assert word_signal(other, ("peanut",)).evidence.tolist() != [0]
    assert not np.array_equal(other.terms, snapshot_of(Known(id=1, text="peanuts")).terms)


def test_many_terms_are_found_one_by_one_as_they_are_at_once(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = tuple(terms("Ana likes Oslo, tea, peanuts and zebras"))
    at_once = word_signal(SNAPSHOT, asked)
    monkeypatch.setattr(bm25_module, "_MAX_COMPARISONS", 0)

    one_by_one = word_signal(SNAPSHOT, asked)

    assert one_by_one.evidence.tolist() == at_once.evidence.tolist()
    assert one_by_one.hits.tolist() == at_once.hits.tolist()


def test_a_long_query_is_worth_no_more_than_a_few_rare_words() -> None:
    many = snapshot_of(
        *(Known(id=number, text=f"word{number}x") for number in range(2, 60)),
        Known(id=1, text=" ".join(f"word{number}x" for number in range(2, 42))),
    )

    found = word_signal(many, tuple(f"word{number}x" for number in range(2, 42)))

    assert found.rarity.sum() > MAX_QUERY_RARITY
    assert found.evidence.max() < MAX_QUERY_RARITY


def test_no_memories_give_no_rows() -> None:
    found = word_signal(snapshot_of(), ("oslo",))

    assert (len(found.evidence), len(found.hits)) == (0, 0)


def test_a_greeting_ranks_no_higher_than_a_sentence_and_a_page_lower() -> None:
    greeting, sentence, page = (
        "oslo" + "".join(f" word{place}x{size}" for place in range(size)) for size in (1, 25, 400)
    )
    snapshot = snapshot_of(Known(id=1, text=greeting), Known(id=2, text=sentence), Known(id=3, text=page))

    first, second, third = word_signal(snapshot, ["oslo"]).evidence.tolist()

    assert first == second > third


# ---- other terms


def legacy_snapshot_of(*texts: str) -> SubjectSnapshot:
    """Lay memories out with the terms they had before."""
    snapshot = snapshot_of(*(Known(text=text, id=number) for number, text in enumerate(texts)))
    rows = []
    for text in texts:
        counted = Counter(term for _, own in legacy_terms(text) for term in own)
        rows.append(sorted((term_key(SALT, term), count) for term, count in counted.items()))
    return replace(
        snapshot,
        has_legacy_terms=True,
        terms=np.array([key for row in rows for key, _ in row], dtype=np.uint32),
        counts=np.array([count for row in rows for _, count in row], dtype=np.uint16),
        term_start=np.cumsum([0, *map(len, rows)], dtype=np.int64),
        length=np.array([sum(count for _, count in row) for row in rows], dtype=np.int32),
    )


@pytest.mark.parametrize(
    ("text", "asked"),
    [
        ("Vivo cerca de las montañas.", "montañas"),
        ("Я живу в Осло.", "Осло"),
        ("東京に住んでいます。", "東京"),
        ("Straße und Wörter.", "Wörter"),
        ("We met in the café.", "café"),
        ("I don't eat meat.", "don't"),
        ("ฉันดื่มกาแฟ", "กาแฟ"),
    ],
)
def test_a_word_of_the_former_scheme_is_found_as_before(text: str, asked: str) -> None:
    snapshot = legacy_snapshot_of(text, "Something else.", "And a third thing.")
    found = collect_signals(snapshot, ask(asked), lambda cosine: cosine).words
    assert int(np.argmax(found.evidence)) == 0
    assert found.evidence[0] > 0
    assert np.count_nonzero(found.hits) == 1, "it is told as the hit of a word of the query"


def test_a_subject_of_today_is_not_asked_by_the_former_scheme() -> None:
    snapshot = replace(legacy_snapshot_of("Vivo cerca de las montañas."), has_legacy_terms=False)
    assert not collect_signals(snapshot, ask("montañas"), lambda cosine: cosine).words.hits.any()


def test_english_is_ranked_alike_under_both_schemes() -> None:
    texts = ("I moved to Oslo last spring.", "My cat sleeps all day.", "We sold the car.")
    asked = ask("When did I move to Oslo with the cat?")
    former = rank_subjects(asked, [legacy_snapshot_of(*texts)], lambda cosine: cosine)
    now = rank_subjects(
        asked, [snapshot_of(*(Known(text=text, id=n) for n, text in enumerate(texts)))], lambda cosine: cosine
    )
    assert [(row.id, row.score) for row in former.rows] == [(row.id, row.score) for row in now.rows]


def test_a_word_alone_is_stemmed_by_every_language_where_its_own_finds_nothing() -> None:
    italian = LANGUAGES["italian"].memories
    snapshot = snapshot_of(*(Known(text=text, id=number) for number, text in enumerate(italian)))
    found = collect_signals(snapshot, ask("mandorla"), lambda cosine: cosine).words
    assert found.hits.nonzero()[0].tolist() == [2]
    assert found.shares(np.array([2])) == pytest.approx(1.0)


def test_a_word_that_is_found_as_it_is_asks_for_no_other_stem() -> None:
    snapshot = snapshot_of(Known(text="Casas blancas y otras.", id=0), Known(text="A casa in Lisbon.", id=1))
    found = collect_signals(snapshot, ask("casa"), lambda cosine: cosine).words
    assert found.hits[1]
    assert ask("Where is the casa?").elsewhere == ()


def test_many_memories_are_weighed_as_few_are(monkeypatch: pytest.MonkeyPatch) -> None:
    asked = ("ana", "oslo", "tea")
    few = word_signal(SNAPSHOT, asked)
    monkeypatch.setattr(bm25_module, "MAX_INDEXED", 3)
    again = replace(SNAPSHOT)
    assert again.derive(TermIndex).owners is None
    many = word_signal(again, asked)
    assert SNAPSHOT.derive(TermIndex).owners is not None
    assert few.evidence.tolist() == many.evidence.tolist()
    assert few.hits.tolist() == many.hits.tolist()
