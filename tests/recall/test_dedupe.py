"""A quotation and what was distilled from it, shown once."""

from factories import ANA
from toldonce.recall.dedupe import collapse_sources
from toldonce.recall.rank import RankedRow
from toldonce.types import MemoryKind


def row(number: int, kind: MemoryKind, evidence: float, *sources: int, standing: bool = False) -> RankedRow:
    return RankedRow(
        ANA, number.to_bytes(16, "big"), kind, evidence, 0.5, 0.5, 0, False, 0.0, 0.5, False, standing, sources
    )


def shown(*rows: RankedRow) -> list[int]:
    return [int.from_bytes(row.id, "big") for row in collapse_sources(rows)[0]]


def test_the_note_stands_for_its_quotation_with_the_better_evidence() -> None:
    turn, other, note = (
        row(1, MemoryKind.TURN, 2.0, 7),
        row(2, MemoryKind.TURN, 1.8, 8),
        row(3, MemoryKind.NOTE, 1.5, 7),
    )

    kept, gone = collapse_sources([turn, other, note])

    assert [int.from_bytes(row.id, "big") for row in kept] == [3, 2]
    assert kept[0].evidence == 2.0
    assert gone == [(turn, note)]


def test_a_quotation_that_fits_much_better_replaces_its_note() -> None:
    turn, note = row(1, MemoryKind.TURN, 2.0, 7), row(2, MemoryKind.NOTE, -2.0, 7)

    kept, gone = collapse_sources([turn, note])

    assert kept == [turn]
    assert gone == [(note, turn)]


def test_a_note_with_further_sources_stays_beside_the_better_quotation() -> None:
    assert shown(row(1, MemoryKind.TURN, 2.0, 7), row(2, MemoryKind.NOTE, -2.0, 7, 8)) == [1, 2]


def test_a_standing_fact_stays_in_front_whatever_its_quotation_scores() -> None:
    fact = row(2, MemoryKind.FACT, -2.0, 7, standing=True)

    assert shown(fact, row(1, MemoryKind.TURN, 2.0, 7)) == [2, 1]
    assert shown(fact, row(1, MemoryKind.TURN, -1.9, 7)) == [2]


def test_several_notes_of_one_message_all_stay() -> None:
    turn = row(1, MemoryKind.TURN, 2.0, 7)

    assert shown(turn, row(2, MemoryKind.NOTE, 1.9, 7), row(3, MemoryKind.NOTE, 1.8, 7)) == [2, 3]


def test_an_episode_is_no_double_of_its_messages() -> None:
    assert shown(row(1, MemoryKind.TURN, 2.0, 7), row(2, MemoryKind.EPISODE, 1.9, 7, 8)) == [1, 2]


def test_what_shares_no_source_is_left_alone() -> None:
    assert shown(row(1, MemoryKind.TURN, 2.0, 7), row(2, MemoryKind.NOTE, 1.9, 8)) == [1, 2]
