"""What was said around a message, and what was made of it, speak for it."""

from dataclasses import replace
from datetime import timedelta

import numpy as np
import pytest

from snapshots import Known, ask, recall, snapshot_of, texts, unit
from toldonce.recall.adjacency import LINKED, adjacency_signal
from toldonce.testing import NEW_YEAR
from toldonce.types import QUESTION_FLAG, MemoryKind

ASKED = Known(id=1, text="Do you keep a dog at home in Oslo?", kind=MemoryKind.TURN)
ANSWER = Known(id=2, text="Yes, golden, called Rex", kind=MemoryKind.TURN, at=NEW_YEAR + timedelta(minutes=1))
LATER = Known(id=3, text="Fine weather here", kind=MemoryKind.TURN, at=NEW_YEAR + timedelta(days=2))
NOTE = Known(id=4, text="Rex is golden", sources=(7,))


def around(own: list[float], *known: Known) -> list[float]:
    found = adjacency_signal(snapshot_of(*known), np.array(own))
    assert found is not None
    return [round(value, 3) for value in found.tolist()]


def test_an_answer_is_found_by_the_question_before_it_with_the_reason() -> None:
    others = [replace(LATER, id=9 + day, text=f"word{day}x", at=NEW_YEAR + timedelta(days=day)) for day in range(3, 60)]

    found = recall(ask("dog at home in Oslo", limit=2), ASKED, ANSWER, LATER, *others)

    assert texts(found) == [ASKED.text, ANSWER.text]
    assert found.items[1].reasons == ("what was said around it fits",)


def test_what_fits_speaks_for_its_neighbours_and_less_for_those_beyond() -> None:
    row = [replace(ANSWER, id=number) for number in range(1, 8)]

    found = around([0, 0, 0, 2, 0, 0, 0], *row)

    assert found[0] == found[3] == found[6] == 0
    assert found[4] > found[2] > found[1] > 0
    assert found[4] > found[5] > 0


def test_a_question_speaks_for_its_answer_more_than_another_message_would() -> None:
    asking = replace(ASKED, role=ASKED.role + QUESTION_FLAG)

    assert around([2, 0], asking, ANSWER)[1] > 1.4 * around([2, 0], ASKED, ANSWER)[1]


def test_another_sitting_is_no_neighbour() -> None:
    assert around([0, 2, 0], ASKED, ANSWER, LATER) == [around([0, 2], ASKED, ANSWER)[0], 0, 0]


def test_a_message_that_was_quoted_again_keeps_its_place() -> None:
    shortened = replace(ASKED, id=9)

    assert around([2, 0, 0], ASKED, ANSWER, LATER) == [0, *around([0, 0, 2], ANSWER, LATER, shortened)[:2]]


def test_what_speaks_against_a_message_takes_nothing_from_its_neighbours() -> None:
    assert around([0, -2], ASKED, ANSWER) == [0, 0]


def test_who_says_much_needs_less_of_what_is_around() -> None:
    long = replace(ANSWER, text=" ".join(f"word{number}x" for number in range(200)))

    assert around([2, 0], ASKED, long)[1] < around([2, 0], ASKED, ANSWER)[1] / 3


def test_a_note_between_two_messages_parts_them_not() -> None:
    before, note, after = ASKED, replace(NOTE, id=2), replace(ANSWER, id=3)

    assert around([2, 0, 0], before, note, after)[2] == around([2, 0], ASKED, ANSWER)[1]


@pytest.mark.parametrize("kind", [MemoryKind.NOTE, MemoryKind.FACT])
def test_a_note_stands_where_its_message_stood_and_speaks_for_it(kind: MemoryKind) -> None:
    question, answer, note = ASKED, replace(ANSWER, sources=(7,)), replace(NOTE, kind=kind)
    alone = around([2, 0], question, answer)

    found = around([2, 0, 3], question, answer, note)

    assert found == [alone[0], pytest.approx(alone[1] + LINKED * 3, abs=0.002), alone[1]]


def test_an_episode_of_a_message_is_not_linked_with_it() -> None:
    question, answer, episode = ASKED, replace(ANSWER, sources=(7,)), replace(NOTE, kind=MemoryKind.EPISODE)

    assert around([2, 0, 3], question, answer, episode) == [*around([2, 0], question, answer), 0]


def test_where_nothing_was_said_in_a_row_there_is_nothing_around() -> None:
    assert adjacency_signal(snapshot_of(), np.zeros(0)) is None
    assert adjacency_signal(snapshot_of(NOTE, ASKED), np.array([1.0, 1.0])) is None
    assert around([1, 1], replace(ASKED, vectors=(unit(1, 0, 0, 0).tolist(),)), LATER) == [0, 0]


def test_two_words_get_nothing_from_neighbours_unless_they_answer() -> None:
    cheer = replace(ANSWER, text="Sounds great")
    asking = replace(ASKED, role=ASKED.role + QUESTION_FLAG)

    assert around([3, 0], ASKED, cheer)[1] == 0
    assert around([3, 0], asking, cheer)[1] > around([3, 0], ASKED, ANSWER)[1]
