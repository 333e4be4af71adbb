"""The order that lets a prompt have something of each part of a question."""

from factories import ANA
from snapshots import Known, memory_of
from toldonce.recall.coverage import cover_words
from toldonce.recall.pack import RankedMemory
from toldonce.recall.rank import RankedRow
from toldonce.types import MemoryKind

WEIGHTS = {"audition": 1.0, "premiere": 1.0, "long": 0.0}


def found(number: int, evidence: float, hits: int, *, standing: bool = False) -> RankedMemory:
    id_ = number.to_bytes(16, "big")
    row = RankedRow(ANA, id_, MemoryKind.NOTE, evidence, 0.0, 0.0, hits, False, 0.0, 0.5, False, standing, ())
    return RankedMemory(row, memory_of(Known(id=number, text="said")))


def order(*ranked: RankedMemory) -> list[int]:
    return [int.from_bytes(each.row.id, "big") for each in cover_words(ranked, WEIGHTS)]


def test_a_memory_of_the_other_thing_comes_before_the_next_of_the_same() -> None:
    assert order(found(1, 3.0, 0b01), found(2, 2.8, 0b01), found(3, 2.2, 0b10)) == [1, 3, 2]


def test_a_word_that_tells_nothing_or_much_weaker_evidence_moves_none() -> None:
    assert order(found(1, 3.0, 0b01), found(2, 2.8, 0b01), found(3, 2.2, 0b100)) == [1, 2, 3]
    assert order(found(1, 3.0, 0b01), found(2, 2.8, 0b01), found(3, 1.0, 0b10)) == [1, 2, 3]


def test_standing_facts_stay_first_and_equals_keep_their_order() -> None:
    assert order(found(1, -9.0, 0, standing=True), found(2, 1.0, 0), found(3, 1.0, 0), found(4, 0.5, 0)) == [1, 2, 3, 4]
