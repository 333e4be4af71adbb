"""The table of words of asking: what is left of a sentence is the topic, at a cost that a text cannot drive up."""

from time import thread_time

import pytest

from tables import check_each
from toldonce.reading.forget_words import MAX_REQUEST_CHARACTERS, Scope, takes_back, wording
from toldonce.reading.marks import MARKS, marks_of

# CPU seconds for one sentence; a tenth is usual on a slow machine.
MAX_S = 1.0


def test_what_is_listed_belongs_to_the_topic_and_a_reason_does_not() -> None:
    listed = wording("Please forget my job, my age and my flat, the landlord is nosy")
    assert listed is not None
    assert listed.request.topic == "my job, my age and my flat"


@pytest.mark.parametrize("sentence", ["no bin those please", "nah dont keep that", "да, сноси", "Streich das bei dir."])
def test_a_request_without_a_topic_means_the_previous_message(sentence: str) -> None:
    read = wording(sentence)
    assert read is not None
    assert read.request.scope is Scope.BEFORE


def test_a_sentence_without_a_word_of_asking_has_no_marks() -> None:
    assert wording("My sister is a nurse.") is None
    assert not any(marks_of("My sister is a nurse."))
    assert len(marks_of("Forget my sister.")) == MARKS


def test_where_a_memory_is_kept_is_not_all_that_is_known() -> None:
    kept = wording("Wipe the proposal from your memory")
    assert kept is not None
    assert kept.request.topic == "the proposal"


@check_each("unit", ["that ", "forget, ", "my, ", "don't keep ", "what i said ", "忘我的", "のことは", "что "])
def test_a_repetition_of_words_costs_little(unit: str) -> None:
    wording("forget it")  # reads the table
    began = thread_time()
    wording(("forget " + unit * MAX_REQUEST_CHARACTERS)[:MAX_REQUEST_CHARACTERS])
    takes_back((unit * 2_000)[:2_000])
    assert thread_time() - began < MAX_S
