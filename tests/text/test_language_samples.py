"""Each language finds its own by words alone, among memories of the same language."""

import numpy as np
import pytest

from language_sample import SampleLanguage
from language_samples import LANGUAGES
from snapshots import Known, ask, snapshot_of
from toldonce.recall.signals import collect_signals
from toldonce.text import terms, terms_of_word, words
from toldonce.text.languages import guess

CASES = [
    pytest.param(language, asked, place, id=f"{name}: {asked}")
    for name, language in LANGUAGES.items()
    for asked, place in language.asked.items()
]


@pytest.mark.parametrize(("language", "asked", "place"), CASES)
def test_a_question_in_other_inflections_finds_its_memory_first(
    language: SampleLanguage, asked: str, place: int
) -> None:
    snapshot = snapshot_of(*(Known(text=text, id=number) for number, text in enumerate(language.memories)))
    evidence = collect_signals(snapshot, ask(asked), lambda cosine: cosine).words.evidence
    best, second = np.sort(evidence)[-1:-3:-1]
    assert int(np.argmax(evidence)) == place
    assert best > second


@pytest.mark.parametrize("language", LANGUAGES.values(), ids=LANGUAGES)
def test_a_word_alone_finds_its_memory_whatever_language_it_is_taken_for(language: SampleLanguage) -> None:
    looked_for = 0
    for text in language.memories:
        spoken, _ = guess(words(text), text)
        kept = terms(text).keys()
        for word in words(text):
            alone = terms(word).keys()
            if alone and terms_of_word(word, spoken):  # else it is a stop word here or there
                assert alone & kept, (word, text)
                looked_for += 1
    assert looked_for >= len(language.memories)  # a sentence without blanks is a word
