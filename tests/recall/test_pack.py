"""What fits, and what is said twice."""

import pytest

from factories import ANA
from recollect.recall.pack import FRAME_TOKENS, ROW_TOKENS, RankedMemory, gist, pack
from recollect.recall.rank import RankedRow
from recollect.types import MAX_MEMORY_CHARACTERS, MemoryKind, OmittedMemory
from snapshots import Known, count_words, memory_of, name


def found(number: int, text: str, *, standing: bool = False) -> RankedMemory:
    row = RankedRow(ANA, number.to_bytes(16, "big"), MemoryKind.NOTE, 0.0, 0.0, 0.0, 0, False, 0.0, 0.5, standing, ())
    return RankedMemory(row, memory_of(Known(id=number, text=text)))


def packed(*ranked: RankedMemory, limit: int = 10, tokens: int | None = None) -> tuple[list[int], list[OmittedMemory]]:
    kept, left = pack(ranked, limit=limit, budget_tokens=tokens, count_tokens=count_words)
    return [int.from_bytes(memory.row.id, "big") for memory in kept], left


def test_standing_facts_do_not_count_towards_the_limit() -> None:
    kept, left = packed(found(1, "fact", standing=True), found(2, "oslo"), found(3, "tea"), limit=1)

    assert kept == [1, 2]
    assert left == [OmittedMemory(id=name(3), reason="ranks below the 1 asked for")]


def test_what_says_the_same_is_kept_once_the_better_one() -> None:
    kept, left = packed(found(1, "Ana lives in Oslo."), found(2, "ana  lives in oslo"), found(3, "Ana left Oslo."))

    assert kept == [1, 3]
    assert left == [OmittedMemory(id=name(2), reason=f"says the same as {name(1)}")]


@pytest.mark.parametrize(
    "other",
    ["Ana does not like tea", "Ana likes 2 teas", "Ben likes tea", "Tea likes Ana", "Ana never likes tea"],
)
def test_a_negation_a_number_a_name_or_the_order_makes_a_difference(other: str) -> None:
    assert gist(other) != gist("Ana likes tea")


def test_texts_of_stop_words_or_signs_alone_are_told_apart() -> None:
    assert len({gist("I was"), gist("you are"), gist("!!!"), gist("???")}) == 4


def test_what_is_too_long_is_passed_over_for_what_fits() -> None:
    tokens = FRAME_TOKENS + ROW_TOKENS + 5
    long, short = found(1, "one two three four five six"), found(2, "tea in Oslo")

    kept, left = packed(long, short, tokens=tokens)

    assert kept == [2]
    assert left == [
        OmittedMemory(id=name(1), reason=f"no room: takes {ROW_TOKENS + 6} tokens, {ROW_TOKENS + 5} are left")
    ]


def test_standing_facts_leave_room_for_what_bears_on_the_question() -> None:
    facts = [found(number, f"fact{number}x", standing=True) for number in range(1, 50)]

    kept, left = packed(*facts, found(99, "oslo"), tokens=400)

    assert kept[-1] == 99
    assert kept[:-1] == list(range(1, len(kept)))
    assert len(kept) > 5
    assert [omitted.id for omitted in left] == [name(number) for number in range(len(kept), 50)]


def test_which_facts_stand_does_not_depend_on_what_else_was_found() -> None:
    facts = [found(number, f"fact{number}x", standing=True) for number in range(1, 50)]
    near = [found(number, f"near{number}x") for number in range(100, 130)]

    alone, with_more = packed(*facts, tokens=400)[0], packed(*facts, *near, limit=30, tokens=400)[0]

    assert with_more[: len(alone)] == alone


def test_a_long_text_takes_the_room_of_what_is_shown_of_it() -> None:
    tokens = FRAME_TOKENS + ROW_TOKENS + MAX_MEMORY_CHARACTERS

    assert packed(found(1, "word " * 10_000), tokens=tokens)[0] == [1]


def test_no_room_at_all_keeps_nothing() -> None:
    assert packed(found(1, "fact", standing=True), found(2, "oslo"), tokens=0)[0] == []
    assert packed(found(2, "oslo"), limit=0)[0] == []
