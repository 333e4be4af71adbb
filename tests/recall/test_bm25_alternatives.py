"""What a subject has under other terms than a query: of the former scheme, or of a language the query does not tell."""

from collections import Counter
from dataclasses import replace

import numpy as np
import pytest

from language_samples import TONGUES
from recollect.recall.recall import rank_subjects
from recollect.recall.signals import collect_signals
from recollect.text import legacy_terms, term_key
from recollect.types import SubjectSnapshot
from snapshots import SALT, Known, ask, hot_of


def hot_of_former(*texts: str) -> SubjectSnapshot:
    """Lay memories out with the terms they had before."""
    hot = hot_of(*(Known(text=text, id=number) for number, text in enumerate(texts)))
    rows = []
    for text in texts:
        counted = Counter(term for _, own in legacy_terms(text) for term in own)
        rows.append(sorted((term_key(SALT, term), count) for term, count in counted.items()))
    return replace(
        hot,
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
    hot = hot_of_former(text, "Something else.", "And a third thing.")
    found = collect_signals(hot, ask(asked), lambda cosine: cosine).words
    assert int(np.argmax(found.evidence)) == 0
    assert found.evidence[0] > 0
    assert np.count_nonzero(found.hits) == 1, "it is told as the hit of a word of the query"


def test_a_subject_of_today_is_not_asked_by_the_former_scheme() -> None:
    hot = replace(hot_of_former("Vivo cerca de las montañas."), has_legacy_terms=False)
    assert not collect_signals(hot, ask("montañas"), lambda cosine: cosine).words.hits.any()


def test_english_is_ranked_alike_under_both_schemes() -> None:
    texts = ("I moved to Oslo last spring.", "My cat sleeps all day.", "We sold the car.")
    asked = ask("When did I move to Oslo with the cat?")
    former = rank_subjects(asked, [hot_of_former(*texts)], lambda cosine: cosine)
    now = rank_subjects(
        asked, [hot_of(*(Known(text=text, id=n) for n, text in enumerate(texts)))], lambda cosine: cosine
    )
    assert [(row.id, row.score) for row in former.rows] == [(row.id, row.score) for row in now.rows]


def test_a_word_alone_is_stemmed_by_every_language_where_its_own_finds_nothing() -> None:
    italian = TONGUES["italian"].memories
    hot = hot_of(*(Known(text=text, id=number) for number, text in enumerate(italian)))
    found = collect_signals(hot, ask("mandorla"), lambda cosine: cosine).words
    assert found.hits.nonzero()[0].tolist() == [2]
    assert found.shares(np.array([2])) == pytest.approx(1.0)


def test_a_word_that_is_found_as_it_is_asks_for_no_other_stem() -> None:
    hot = hot_of(Known(text="Casas blancas y otras.", id=0), Known(text="A casa in Lisbon.", id=1))
    found = collect_signals(hot, ask("casa"), lambda cosine: cosine).words
    assert found.hits[1]
    assert ask("Where is the casa?").elsewhere == ()
