"""Each language finds its own by words alone, among memories of the same language."""

import numpy as np
import pytest

from language_sample import Tongue
from language_samples import TONGUES
from recollect.recall.signals import collect_signals
from recollect.text import terms, terms_of_word, words
from recollect.text.languages import guess
from snapshots import Known, ask, snapshot_of

CASES = [
    pytest.param(tongue, asked, place, id=f"{name}: {asked}")
    for name, tongue in TONGUES.items()
    for asked, place in tongue.asked.items()
]


@pytest.mark.parametrize(("tongue", "asked", "place"), CASES)
def test_a_question_in_other_inflections_finds_its_memory_first(tongue: Tongue, asked: str, place: int) -> None:
    hot = snapshot_of(*(Known(text=text, id=number) for number, text in enumerate(tongue.memories)))
    evidence = collect_signals(hot, ask(asked), lambda cosine: cosine).words.evidence
    best, second = np.sort(evidence)[-1:-3:-1]
    assert int(np.argmax(evidence)) == place
    assert best > second


@pytest.mark.parametrize("tongue", TONGUES.values(), ids=TONGUES)
def test_a_word_alone_finds_its_memory_whatever_language_it_is_taken_for(tongue: Tongue) -> None:
    looked_for = 0
    for text in tongue.memories:
        spoken, _ = guess(words(text), text)
        kept = terms(text).keys()
        for word in words(text):
            alone = terms(word).keys()
            if alone and terms_of_word(word, spoken):  # else it is a stop word here or there
                assert alone & kept, (word, text)
                looked_for += 1
    assert looked_for >= len(tongue.memories)  # a sentence without blanks is a word
