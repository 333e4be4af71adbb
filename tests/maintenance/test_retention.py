"""Which memories go when there are too many: by worth, or the oldest."""

from dataclasses import replace
from datetime import timedelta

import pytest

from factories import evidence, memory
from recollect.maintenance.retention import Capacity, last_met, leaving, strictest, worth
from recollect.profiles.policies import CapacityPolicy, Profile
from recollect.profiles.registry import ProfileRegistry
from recollect.testing import NEW_YEAR, FakeClock
from recollect.types import ConversationId, Memory, MemoryId

DAY = timedelta(days=1)
NOW = NEW_YEAR + 400 * DAY
NOBODY: frozenset[MemoryId] = frozenset()
CONVERSATION = ConversationId("0198c0de-0000-7000-8000-00000000000a")


def note(name: str, *, age_days: float = 0, importance: float = 0.5, uses: int = 0, slot: str = "") -> Memory:
    at = NOW - age_days * DAY
    made = memory(name, clock=FakeClock(at), slot=slot)
    return replace(made, known_from=at, importance=importance, uses=uses)


def room(most: int, policy: str = "lowest_value") -> Capacity:
    return Capacity(
        policy=CapacityPolicy.model_validate({"max_memories": most, "policy": policy}),
        half_life_days=90.0,
        fact_importance=0.5,
    )


def gone(
    held: list[Memory], most: int, *, new: frozenset[MemoryId] = NOBODY, policy: str = "lowest_value"
) -> list[str]:
    names = {memory.id: memory.text for memory in held}
    return [names[eviction.id] for eviction in leaving(held, new, room(most, policy), now=NOW)]


def test_what_fits_stays() -> None:
    assert gone([note("a"), note("b")], 2) == []


def test_the_least_important_goes_first_and_so_does_the_old_and_the_unused() -> None:
    assert gone([note("much", importance=0.9), note("little", importance=0.2)], 1) == ["little"]
    assert gone([note("today"), note("long ago", age_days=300)], 1) == ["long ago"]
    assert gone([note("used", age_days=90, uses=3), note("unused", age_days=90)], 1) == ["unused"]
    held = [note("dear and old", importance=0.9, age_days=200), note("dull and new", importance=0.3, age_days=1)]
    assert gone(held, 1) == ["dear and old"], "worth is all three together"


def test_standing_facts_and_what_was_just_added_go_last() -> None:
    fact = note("fact", age_days=399, importance=0.5, slot="identity/name")
    weak = note("weak fact", age_days=399, importance=0.4, slot="identity/employer")
    new = note("new", importance=0.01)
    dear = note("dear", importance=1.0, uses=9)
    held = [fact, weak, new, dear]
    assert gone(held, 1, new=frozenset({new.id})) == ["weak fact", "dear", "fact"]


def test_a_batch_larger_than_the_room_keeps_its_own_best() -> None:
    batch = [note(str(place), importance=place / 10) for place in range(1, 6)]
    assert gone(batch, 2, new=frozenset(memory.id for memory in batch)) == ["1", "2", "3"]


@pytest.mark.parametrize("policy", ["fifo", "compact"])
def test_first_in_first_out_goes_by_when_it_was_stored_whatever_it_is_worth(policy: str) -> None:
    held = [note("new", importance=0.1), note("old", age_days=9, importance=1.0, uses=50), note("older", age_days=10)]
    assert gone(held, 1, policy=policy) == ["older", "old"]


def test_the_reason_names_the_room_and_the_value() -> None:
    [one] = leaving([note("a", age_days=90), note("b")], NOBODY, room(1), now=NOW)
    assert one.reason == "worth least of 2 (value 0.25); there is room for 1"


def test_last_met_is_when_it_was_last_said_or_used() -> None:
    said = [replace(evidence(CONVERSATION, seq), said_at=NOW - days * DAY) for seq, days in ((1, 50), (2, 20))]
    known = replace(note("tea", age_days=60), evidence=tuple(said))
    assert last_met(known) == NOW - 20 * DAY
    assert last_met(replace(known, last_used_at=NOW - 3 * DAY)) == NOW - 3 * DAY
    assert last_met(replace(known, last_used_at=NOW - 30 * DAY)) == NOW - 20 * DAY
    assert last_met(note("by hand", age_days=7)) == NOW - 7 * DAY


def test_u13_use_makes_a_memory_worth_more_and_wear_off_more_slowly() -> None:
    values = [worth(note("x", age_days=180, uses=uses), NOW, 90) for uses in (0, 1, 5, 20)]
    assert values == sorted(values)
    assert values[0] == pytest.approx(0.125)
    assert values[1] > 2 * values[0]


def test_the_tightest_of_several_profiles_holds() -> None:
    profiles = [
        Profile(name="wide", description="", capacity=CapacityPolicy(max_memories=50)),
        Profile(name="tight", description="", capacity=CapacityPolicy(max_memories=10, policy="fifo")),
        Profile(name="free", description=""),
    ]
    found = strictest(profiles)
    assert found is not None
    assert (found.policy.max_memories, found.policy.policy) == (10, "fifo")
    assert strictest([profiles[2]]) is None


def test_s6_and_a2_are_what_the_shipped_profiles_say() -> None:
    session, app = (ProfileRegistry().get(name).capacity for name in ("session", "app"))
    assert (session.max_memories, session.policy) == (50, "lowest_value")
    assert (app.max_memories, app.policy, app.max_characters) == (10, "compact", 200)
