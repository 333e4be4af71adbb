"""Texts that are screened out have no clause that an update contradicts, and most unrelated texts are."""

import pytest

from recollect.text.acquisitions import Acquisition, Repricing
from recollect.text.update_screen import MAX_SCREENED_CHARACTERS, ScreenedText, may_contradict
from recollect.text.updates import contradicts, read_update
from update_samples import CONTRADICTIONS, UNRELATED

OLD = sorted({old for _, old in (*CONTRADICTIONS, *UNRELATED)})


@pytest.mark.parametrize("news", sorted({news for news, _ in (*CONTRADICTIONS, *UNRELATED)}))
def test_no_contradicted_clause_is_screened_out(news: str) -> None:
    update = read_update(news)
    if update is None:
        return
    for old in OLD:
        text = ScreenedText(f"Hello there. By the way, {old}, and it's nice.")
        assert may_contradict(update, text) or not contradicts(update, old), old


@pytest.mark.parametrize(("news", "old"), CONTRADICTIONS)
def test_texts_about_other_things_are_screened_out(news: str, old: str) -> None:
    update = read_update(news)
    assert update is not None
    assert may_contradict(update, ScreenedText(old))
    is_screened = all(isinstance(reversal, Acquisition | Repricing) for reversal in update.reversals)
    assert may_contradict(update, ScreenedText("Ferns grow near cold rivers.")) is not is_screened


def test_a_text_that_may_be_cut_within_a_word_is_never_screened_out() -> None:
    update = read_update("we sold the boat")
    assert update is not None
    assert not may_contradict(update, ScreenedText("x" * MAX_SCREENED_CHARACTERS))
    assert may_contradict(update, ScreenedText("x" * (MAX_SCREENED_CHARACTERS + 1)))
