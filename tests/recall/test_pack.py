"""What fits, and what is said twice."""

from collections.abc import Mapping
from dataclasses import replace

import pytest

from factories import ANA
from snapshots import Known, count_words, memory_of, name
from toldonce.recall.pack import (
    FRAME_TOKENS,
    NO_SPARES,
    ROW_TOKENS,
    STANDING_ROW_TOKENS,
    RankedMemory,
    Room,
    gist,
    pack,
)
from toldonce.recall.rank import RankedRow
from toldonce.types import MAX_MEMORY_CHARACTERS, MemoryKind, OmittedMemory


def found(number: int, text: str, *, standing: bool = False) -> RankedMemory:
    row = RankedRow(
        ANA, number.to_bytes(16, "big"), MemoryKind.NOTE, 0.0, 0.0, 0.0, 0, False, 0.0, 0.5, False, standing, ()
    )
    return RankedMemory(row, memory_of(Known(id=number, text=text)))


def fact(number: int, text: str, key: str = "like:x", *, importance: float = 0.6) -> RankedMemory:
    """Return a standing fact; those with a key of health are critical."""
    ranked = found(number, text, standing=True)
    return ranked._replace(memory=replace(ranked.memory, kind=MemoryKind.FACT, key=key, importance=importance))


def spare_of(ranked: RankedMemory, evidence: float) -> dict[bytes, RankedRow]:
    return {ranked.row.id: ranked.row._replace(standing=False, evidence=evidence)}


def packed(
    *ranked: RankedMemory,
    limit: int = 10,
    tokens: int | None = None,
    profile: int = 600,
    spares: Mapping[bytes, RankedRow] = NO_SPARES,
) -> tuple[list[int], list[OmittedMemory]]:
    room = None if tokens is None else Room(tokens, profile, count_words)
    kept, left = pack(ranked, limit=limit, room=room, spares=spares)
    return [int.from_bytes(memory.row.id, "big") for memory in kept], left


def test_standing_facts_do_not_count_towards_the_limit() -> None:
    kept, left = packed(found(1, "fact", standing=True), found(2, "oslo"), found(3, "tea"), limit=1)

    assert kept == [1, 2]
    assert left == [OmittedMemory(id=name(3), reason="ranks below the 1 asked for")]


def test_what_says_the_same_is_kept_once_the_better_one() -> None:
    kept, left = packed(found(1, "Ana lives in Oslo."), found(2, "ana  lives in oslo"), found(3, "Ana left Oslo."))

    assert kept == [1, 3]
    assert left == [OmittedMemory(id=name(2), reason=f"says the same as {name(1)}")]


def test_what_had_no_room_itself_keeps_nothing_else_out() -> None:
    text = "Ana works as a nurse " + "at the clinic " * 20
    kept, left = packed(fact(1, text), found(2, text), tokens=400, profile=FRAME_TOKENS + 10)

    assert kept == [2]
    assert [(omitted.id, omitted.reason.partition(":")[0]) for omitted in left] == [
        (name(1), "no room in the profile block")
    ]


@pytest.mark.parametrize(
    "other",
    ["Ana does not like tea", "Ana likes 2 teas", "Ben likes tea", "Tea likes Ana", "Ana never likes tea"],
)
def test_a_negation_a_number_a_name_or_the_order_makes_a_difference(other: str) -> None:
    assert gist(other) != gist("Ana likes tea")


def test_an_english_stop_word_may_deny_in_another_language() -> None:
    assert gist("Ana geria kavą be cukraus.") != gist("Ana geria kavą cukraus.")


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
    shown = len(kept) - 1
    assert kept[:-1] == list(range(50 - shown, 50)), "the newest, in the order of the recall"
    assert shown > 5
    assert {omitted.id for omitted in left} == {name(number) for number in range(1, 50 - shown)}


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


def room_for(facts: int, words_each: int = 2) -> int:
    """Return the tokens of a profile block with so many facts."""
    return FRAME_TOKENS + facts * (words_each + STANDING_ROW_TOKENS)


def test_health_comes_before_everything_more_important() -> None:
    name_, rule = fact(1, "named Ana", "name", importance=0.9), fact(2, "no emojis", "rule:emojis", importance=0.8)
    nuts = fact(3, "Tom: nuts", "household_health:tom nuts", importance=0.6)

    kept, left = packed(name_, rule, nuts, tokens=800, profile=room_for(2))

    assert kept == [1, 3]
    assert left == [OmittedMemory(id=name(2), reason="no room in the profile block: takes 5 tokens, 0 are left")]


def test_facts_on_health_may_take_the_room_of_quotations() -> None:
    allergies = [fact(number, f"nuts {number}", f"allergy:{number}") for number in range(1, 61)]

    kept, left = packed(*allergies, found(99, "oslo"), tokens=room_for(60))

    assert kept == list(range(1, 61))
    assert [omitted.id for omitted in left] == [name(99)]


def test_of_equally_important_facts_the_newest_have_room() -> None:
    old, new, newest = (fact(number, f"likes {number}", f"like:{number}") for number in (1, 2, 3))

    assert packed(old, new, newest, tokens=800, profile=room_for(2))[0] == [2, 3]


def test_a_fact_without_room_is_recalled_in_the_place_of_its_rank() -> None:
    shown, jazz = fact(1, "named Ana", importance=0.9), fact(2, "likes jazz")
    best, last = found(10, "jazz bar"), found(11, "oslo")
    best, last = (
        ranked._replace(row=ranked.row._replace(evidence=value)) for ranked, value in ((best, 2.0), (last, 0.0))
    )

    kept, left = packed(shown, jazz, best, last, tokens=800, profile=room_for(1), spares=spare_of(jazz, 1.0))

    assert kept == [1, 10, 2, 11]
    assert left == []


def test_a_recalled_fact_counts_towards_the_limit() -> None:
    shown, jazz = fact(1, "named Ana", importance=0.9), fact(2, "likes jazz")

    kept, left = packed(
        shown, jazz, found(10, "jazz bar"), limit=1, tokens=800, profile=room_for(1), spares=spare_of(jazz, -1.0)
    )

    assert kept == [1, 10]
    assert left == [OmittedMemory(id=name(2), reason="ranks below the 1 asked for")]


def test_facts_that_fit_stay_in_the_order_of_the_recall() -> None:
    facts = [fact(1, "named Ana", "name", importance=0.9), fact(2, "no nuts", "allergy:nuts", importance=0.6)]

    assert packed(*facts, tokens=800)[0] == [1, 2]
    assert packed(*facts)[0] == [1, 2]


def test_without_room_for_the_profile_only_health_is_in_it() -> None:
    assert packed(fact(1, "named Ana", "name"), fact(2, "no nuts", "allergy:nuts"), tokens=800, profile=0)[0] == [2]
