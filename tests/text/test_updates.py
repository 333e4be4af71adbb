"""Clauses that change or end something contradict older clauses on the same thing, and no others."""

import pytest

from recollect.text.granted import granted_part
from recollect.text.updates import contradicts, read_update
from update_samples import CONTRADICTIONS, UNRELATED


@pytest.mark.parametrize(("news", "old"), CONTRADICTIONS)
def test_news_contradicts_what_was_so(news: str, old: str) -> None:
    update = read_update(news)
    assert update is not None
    assert contradicts(update, old)


@pytest.mark.parametrize(("news", "old"), UNRELATED)
def test_other_statements_stand(news: str, old: str) -> None:
    update = read_update(news)
    assert update is None or not contradicts(update, old)


def test_a_question_tells_what_it_takes_for_granted() -> None:
    update = read_update(granted_part("since we moved the wedding to 12 May, when do invitations go out?"))
    assert update is not None
    assert contradicts(update, "the wedding is on 5 May")
    assert granted_part("how long since we met?") == ""


def test_a_clause_of_very_many_words_is_read_in_bounds() -> None:
    read = read_update("we sold the boat " + "and the oars " * 20_000)
    assert read is None
