"""Which memories end with time, and which go when there are too many."""

from dataclasses import replace
from datetime import timedelta
from pathlib import Path

import pytest

from factories import ANA, add, evidence, memory
from own_profile import OWN, decided, held_texts, unexplained, with_profile
from toldonce.engine import AsyncToldOnce, Components
from toldonce.maintenance.retention import NO_AGE, Capacity, ages, ending, find_evictions, last_met, strictest, worth
from toldonce.profiles.policies import AgePolicy, CapacityPolicy, Profile
from toldonce.profiles.registry import ProfileRegistry
from toldonce.testing import NEW_YEAR, FakeClock
from toldonce.types import Action, ConversationId, Memory, MemoryId, MemoryKind

DAY = timedelta(days=1)
NOW = NEW_YEAR + 400 * DAY
NONE_NEW: frozenset[MemoryId] = frozenset()
CONVERSATION = ConversationId("0198c0de-0000-7000-8000-00000000000a")
MONTH = AgePolicy(expire_days=30)
WEARING = AgePolicy(half_life_days=30, prune_below=0.1)


# ---- too many memories


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
    held: list[Memory], most: int, *, new: frozenset[MemoryId] = NONE_NEW, policy: str = "lowest_value"
) -> list[str]:
    names = {memory.id: memory.text for memory in held}
    return [names[eviction.id] for eviction in find_evictions(held, new, room(most, policy), now=NOW)]


def test_what_fits_stays() -> None:
    assert gone([note("a"), note("b")], 2) == []


def test_the_least_important_goes_first_and_so_does_the_old_and_the_unused() -> None:
    assert gone([note("much", importance=0.9), note("little", importance=0.2)], 1) == ["little"]
    assert gone([note("today"), note("long ago", age_days=300)], 1) == ["long ago"]
    assert gone([note("used", age_days=90, uses=3), note("unused", age_days=90)], 1) == ["unused"]
    held = [note("dear and old", importance=0.9, age_days=200), note("dull and new", importance=0.3, age_days=1)]
    assert gone(held, 1) == ["dear and old"], "worth is all three together"


def test_current_facts_and_new_memories_go_last() -> None:
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
    older, old = note("older", age_days=10), note("old", age_days=9, importance=1.0, uses=50)
    held = [note("new", importance=0.1), old, older]
    assert gone(held, 1, policy=policy) == ["older", "old"]


def test_the_reason_names_the_room_and_the_value() -> None:
    [eviction] = find_evictions([note("a", age_days=90), note("b")], NONE_NEW, room(1), now=NOW)
    assert eviction.reason == "worth least of 2 (value 0.25); there is room for 1"


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


# ---- what ends with time


def known(text: str = "The user likes tea.", *, days: float, uses: int = 0, used: float | None = None) -> Memory:
    """Make a note that was stored so many days before the new year's day and last used `used` days before it."""
    made = memory(text, clock=FakeClock(NEW_YEAR - days * DAY))
    last = None if used is None else NEW_YEAR - used * DAY
    return replace(made, known_from=NEW_YEAR - days * DAY, uses=uses, last_used_at=last)


def reason(memory: Memory, policy: AgePolicy) -> str:
    found = ending(memory, policy, NEW_YEAR)
    return found.reason if found else ""


def test_a11_a_memory_with_a_last_day_ends_on_it_in_every_kind_and_profile() -> None:
    for kind in (MemoryKind.NOTE, MemoryKind.EPISODE, MemoryKind.FACT):
        over = replace(known(days=9), kind=kind, valid_to=NEW_YEAR - 2 * DAY)
        found = ending(over, NO_AGE, NEW_YEAR)
        assert found is not None
        assert (found.valid_to, found.reason) == (NEW_YEAR - 2 * DAY, "it ended on 2025-12-30")
    assert ending(replace(known(days=9), valid_to=NEW_YEAR + DAY), NO_AGE, NEW_YEAR) is None


def test_a11_a_note_neither_said_nor_used_expires_and_one_of_both_keeps_it() -> None:
    assert reason(known(days=31), MONTH) == "neither said nor used for 31 days"
    assert reason(known(days=29), MONTH) == ""
    assert reason(known(days=300, used=5), MONTH) == ""
    said = replace(evidence(CONVERSATION, 7), said_at=NEW_YEAR - 3 * DAY)
    assert reason(replace(known(days=300), evidence=(said,)), MONTH) == ""
    assert reason(replace(known(days=300), kind=MemoryKind.FACT), MONTH) == "", "facts stand"
    assert reason(known(days=3000), NO_AGE) == ""


def test_c10_what_has_worn_off_is_pruned_and_use_keeps_it() -> None:
    assert reason(known(days=60), WEARING) == ""
    assert reason(known(days=75), WEARING) == "worn off: 0.088 is left of importance 0.50 after 75 days"
    assert reason(known(days=75, uses=1, used=75), WEARING) == ""
    assert reason(replace(known(days=75), importance=0.9), WEARING) == ""
    assert reason(replace(known(days=3000), kind=MemoryKind.FACT), WEARING) == ""


def test_only_a_policy_that_ends_something_is_looked_at() -> None:
    assert not ages(NO_AGE)
    assert not ages(AgePolicy(half_life_days=30))
    assert ages(MONTH)
    assert ages(WEARING)


def test_c10_the_shipped_character_forgets_what_wore_off() -> None:
    age = ProfileRegistry().get("character").age
    assert ages(age)
    assert reason(known(days=100), age) == ""
    assert reason(known(days=200), age).startswith("worn off")


# ---- what ends with time, through the engine


@pytest.fixture
def engine(parts: Components, tmp_path: Path) -> AsyncToldOnce:
    return with_profile(parts, tmp_path, "[age]\nexpire_days = 30\nhalf_life_days = 10\nprune_below = 0.1")


async def test_a11_tending_closes_what_expired_and_says_why(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    old = await engine.add("The user likes tea.", user=ANA, importance=1.0)
    clock.advance(days=20)
    used = await engine.add("The user likes wine.", user=ANA, importance=1.0)
    free = await engine.add("The user likes milk.", user=ANA, importance=1.0, profile="default")
    clock.advance(days=15)
    await parts.store.memories.record_uses(ANA, [used.id], clock.now())
    report = await engine.admin.maintain(user=ANA)
    assert [(line.memory_id, line.action, line.reason) for line in report.decisions] == [
        (old.id, Action.EXPIRE, "neither said nor used for 35 days")
    ]
    assert await held_texts(engine, ANA.name) == [used.text, free.text]
    assert (await engine.admin.maintain(user=ANA)).decisions == (), "a second time finds nothing"
    assert [line.reason for line in (await engine.history.get(old.id, user=ANA)).decisions][1:] == [
        "neither said nor used for 35 days"
    ]


async def test_c10_tending_prunes_what_wore_off_before_it_expires(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await engine.add("The user likes tea.", user=ANA, importance=0.3)
    await engine.add("The user likes wine.", user=ANA, importance=0.9)
    clock.advance(days=20)
    report = await engine.admin.maintain(user=ANA)
    assert [(line.text, line.reason) for line in report.decisions] == [
        ("The user likes tea.", "worn off: 0.075 is left of importance 0.30 after 20 days")
    ]


async def test_an_expired_fact_ends_and_notes_of_its_message_stay(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    said = evidence(CONVERSATION, 1, quote="Oslo")
    stays = memory("The user stays in Oslo.", clock=clock, slot="identity/location", sources=[said])
    fact = replace(stays, value="Oslo", valid_to=clock.now() + DAY)
    note = memory("The user is in Oslo for a week.", clock=clock, sources=[said])
    await parts.store.memories.apply(ANA, [add(fact, vector=None), add(note)], [])
    clock.advance(days=2)
    report = await engine.admin.maintain(user=ANA)
    assert [(line.memory_id, line.reason) for line in report.decisions] == [(fact.id, "it ended on 2026-01-02")]
    assert await unexplained(engine, ANA) == []


async def test_a_removed_profile_ends_nothing(
    parts: Components, tmp_path: Path, clock: FakeClock, engine: AsyncToldOnce
) -> None:
    await engine.add("The user likes tea.", user=ANA, profile=OWN)
    clock.advance(days=400)
    assert (await AsyncToldOnce(parts).admin.maintain(user=ANA)).decisions == ()
    assert len(await decided(engine, ANA, Action.EXPIRE)) == 0


async def test_more_than_a_batch_ends_in_one_tending(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    over = [replace(memory(f"Plan {n}.", clock=clock), valid_to=clock.now()) for n in range(250)]
    old = [replace(memory(f"Thing {n}.", clock=clock), profile=OWN) for n in range(250)]
    await parts.store.memories.apply(ANA, [add(memory) for memory in (*over, *old)], [])
    clock.advance(days=60)
    would = await engine.admin.maintain(user=ANA, dry_run=True)
    assert len(would.decisions) == 500
    assert len(await engine.list(user=ANA, limit=1000)) == 500
    did = await engine.admin.maintain(user=ANA)
    assert {line.memory_id for line in did.decisions} == {line.memory_id for line in would.decisions}
    assert await engine.list(user=ANA) == []
