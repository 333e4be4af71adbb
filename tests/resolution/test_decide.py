"""What becomes of a candidate, told as short stories."""

from dataclasses import replace
from datetime import timedelta

import pytest

from candidates import BEFORE, NOW, evidence, fact, note, stored
from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.decide import resolve
from toldonce.resolution.values import Claim, Neighbour, Neighbours, ResolvedCandidate, ResolveInputs
from toldonce.types import (
    Action,
    Candidate,
    Evidence,
    Memory,
    MemoryId,
)

POLICY = ResolvePolicy(spelling=0.8, meaning=0.9)


def decide(
    *candidates: Candidate,
    facts: tuple[Memory, ...] = (),
    near: tuple[tuple[Memory, float], ...] = (),
    said: tuple[Evidence, ...] = (),
    context: ResolveInputs | None = None,
) -> tuple[ResolvedCandidate, ...]:
    pairs = [Claim(candidate, said[place] if said else evidence(seq=9)) for place, candidate in enumerate(candidates)]
    neighbours = Neighbours(
        facts=facts,
        near=[[Neighbour(memory=memory, similarity=similar) for memory, similar in near] for _ in candidates],
    )
    resolution = resolve(pairs, neighbours, policy=POLICY, inputs=context or ResolveInputs(now=NOW))
    assert len(resolution.resolved) == len(candidates)
    assert all(decided.reason for decided in resolution.resolved)
    return resolution.resolved


def test_something_new_is_added() -> None:
    one, two = decide(note("The user has a dog."), fact("location", "Oslo"))
    assert (one.action, two.action) == (Action.ADD, Action.ADD)
    assert one.evidence == (evidence(seq=9),)


def test_s5_the_same_words_are_ignored_and_strengthen() -> None:
    known = stored(note("The user has a dog.", importance=0.4))
    (one,) = decide(note("the user has  a dog"), near=((known, 1.0),))
    assert (one.action, one.target, one.strengthens, one.importance) == (Action.IGNORE, known, True, 0.5)


def test_s5_nearly_the_same_spelling_merges_and_raises_importance() -> None:
    known = stored(note("The user enjoys hiking on the weekends."))
    (one,) = decide(note("The user enjoys hiking on weekends."), near=((known, 0.3),))
    assert (one.action, one.target, one.strengthens) == (Action.MERGE, known, True)
    assert one.importance > 0.5


def test_s5_the_same_words_of_the_same_meaning_merge() -> None:
    known = stored(note("In spare hours the user paints landscapes with watercolours."))
    (one,) = decide(note("The user paints landscapes with watercolours in spare hours."), near=((known, 0.98),))
    assert (one.action, one.target) == (Action.MERGE, known)


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("The user has two dogs.", "The user has three dogs."),
        ("The user lives in Oslo.", "The user lives in Rome."),
        ("The user ran a race in May.", "The user ran a race in June."),
        ("The user has a dog.", "The user has a hamster."),
    ],
)
def test_what_differs_in_a_sign_stands_beside_it_however_similar(old: str, new: str) -> None:
    known = stored(note(old))
    (one,) = decide(note(new), near=((known, 0.999),))
    assert (one.action, one.closes) == (Action.ADD, ())


def test_a_tool_named_without_its_version_replaces_nothing() -> None:
    known = stored(fact("tool:python", "Python 3.11"))
    (bare_name,) = decide(fact("tool:python", "Python"), facts=(known,))
    assert (bare_name.action, bare_name.closes, bare_name.strengthens) == (Action.IGNORE, (), True)
    (prefixed,) = decide(fact("tool:python", "Python v3.11"), facts=(known,))
    assert (prefixed.action, prefixed.closes) == (Action.IGNORE, ())
    (newer,) = decide(fact("tool:python", "Python 3.12"), facts=(known,))
    assert newer.action is Action.REPLACE


def test_a_version_takes_the_place_of_what_was_named_without_it() -> None:
    known = stored(fact("tool:flask", "Flask"))
    restated = stored(note("The user builds it with Flask."))
    (fuller,) = decide(fact("tool:flask", "Flask 2.3"), facts=(known,), near=((restated, 0.8),))
    assert (fuller.action, [closing.memory for closing in fuller.closes]) == (Action.REPLACE, [known])


def test_an_older_statement_beside_which_a_newer_one_stands_is_kept() -> None:
    known = stored(note("The user likes coffee from Kenya."), said=evidence(at=NOW))
    (one,) = decide(note("The user likes tea."), near=((known, 0.9),), said=(evidence(at=BEFORE, chat="other"),))
    assert (one.action, one.valid_to) == (Action.ADD, None)


def test_an_event_is_not_ended_by_another_event() -> None:
    known = stored(note("The user won the race.", type="event"))
    (one,) = decide(note("The user lost the race.", type="event"), near=((known, 0.99),))
    assert (one.action, one.closes) == (Action.ADD, ())


def test_s5_a_note_that_says_more_or_less_stands_beside_the_other_one() -> None:
    short, long = "The user plays chess every day.", "The user plays chess online every day."
    for old, new in ((short, long), (long, short)):
        (one,) = decide(note(new), near=((stored(note(old)), 0.999),))
        assert (one.action, one.closes, one.strengthens) == (Action.ADD, (), False)


@pytest.mark.parametrize(
    ("old", "new", "quote"),
    [
        ("Eva moved to Oslo.", "Ana moved to Oslo.", "I moved to Oslo as well."),
        ("Mia teaches Ben Spanish.", "Ben teaches Mia Spanish.", "I teach Mia Spanish now."),
        ("Ana values her friendship with Ben.", "Ben values his friendship with Ana.", "Now I do."),
        ("The user's mother started to paint.", "The user's cousin started to paint.", "My cousin started to paint."),
    ],
)
def test_what_changed_for_somebody_ends_nothing_that_is_said_of_somebody_else(old: str, new: str, quote: str) -> None:
    (one,) = decide(note(new, quote=quote), near=((stored(note(old)), 1.0),))
    assert (one.action, one.closes, one.strengthens) == (Action.ADD, (), False)


def test_the_same_value_of_a_slot_is_known_already() -> None:
    known = stored(fact("allergy:peanuts", "peanuts"))
    (one,) = decide(fact("allergies", "Peanut"), facts=(known,))
    assert (one.action, one.target, one.strengthens) == (Action.IGNORE, known, True)


def test_another_value_of_a_slot_for_several_is_added() -> None:
    known = stored(fact("allergy:peanuts", "peanuts"))
    (one,) = decide(fact("allergy:soy", "soy"), facts=(known,))
    assert (one.action, one.closes) == (Action.ADD, ())


def test_a_newer_value_of_a_slot_for_one_replaces_the_old_and_closes_it() -> None:
    known = stored(fact("location", "Rome"))
    (one,) = decide(fact("city", "Oslo"), facts=(known,))
    assert (one.action, one.target) == (Action.REPLACE, known)
    assert [(closing.memory, closing.valid_to) for closing in one.closes] == [(known, NOW)]


def test_an_older_value_that_arrives_late_is_stored_as_ended() -> None:
    known = stored(fact("location", "Oslo"), said=evidence(at=NOW, chat="old"))
    late = fact("location", "Rome", valid_from=BEFORE)
    (one,) = decide(late, facts=(known,), said=(evidence(at=BEFORE, chat="import"),))
    assert (one.action, one.valid_to, one.closes) == (Action.ADD, NOW, ())


def test_within_a_conversation_the_place_decides_between_equal_times() -> None:
    known = stored(fact("location", "Oslo"), said=evidence(at=NOW, seq=5, chat="c"))
    (later,) = decide(fact("location", "Rome"), facts=(known,), said=(evidence(at=NOW, seq=6, chat="c"),))
    (sooner,) = decide(fact("location", "Rome"), facts=(known,), said=(evidence(at=NOW, seq=4, chat="c"),))
    (elsewhere,) = decide(fact("location", "Rome"), facts=(known,), said=(evidence(at=NOW, seq=6, chat="d"),))
    assert later.action is Action.REPLACE
    assert sooner.valid_to is not None
    assert elsewhere.valid_to is not None


def test_a_newer_value_replaces_a_surer_one() -> None:
    known = stored(fact("location", "Rome"))
    (unsure,) = decide(fact("location", "Oslo", confidence=0.5), facts=(known,))
    assert (unsure.action, [closing.memory for closing in unsure.closes]) == (Action.REPLACE, [known])


def test_liking_and_disliking_rule_each_other_out() -> None:
    known = stored(fact("like:coffee", "coffee"))
    (one,) = decide(fact("dislike:coffee", "coffee"), facts=(known,))
    assert (one.action, one.target) == (Action.REPLACE, known)


def test_an_end_closes_what_it_matches_and_adds_nothing() -> None:
    acme, allergy = stored(fact("employer", "Acme")), stored(fact("allergy:nuts", "nuts"), number=2)
    ended, healed = decide(
        fact("employer", "Acme", ends=True), fact("allergy:nuts", "nut", ends=True), facts=(acme, allergy)
    )
    assert (ended.action, ended.adds, [closing.memory for closing in ended.closes]) == (Action.CLOSE, False, [acme])
    assert [closing.memory for closing in healed.closes] == [allergy]


def test_an_end_without_a_value_closes_whatever_holds_the_slot() -> None:
    acme = stored(fact("employer", "Acme"))
    (one,) = decide(fact("employer", "", ends=True), facts=(acme,))
    assert [closing.memory for closing in one.closes] == [acme]


@pytest.mark.parametrize(("key", "value"), [("employer", "Other"), ("location", "Acme")])
def test_an_end_of_something_else_closes_nothing(key: str, value: str) -> None:
    acme = stored(fact("employer", "Acme"))
    (one,) = decide(fact(key, value, ends=True), facts=(acme,))
    assert (one.action, one.closes) == (Action.IGNORE, ())


def test_an_end_said_before_the_beginning_closes_nothing() -> None:
    acme = stored(fact("employer", "Acme"), said=evidence(at=NOW, chat="old"))
    (one,) = decide(fact("employer", "Acme", ends=True), facts=(acme,), said=(evidence(at=BEFORE),))
    assert (one.action, one.closes) == (Action.IGNORE, ())


def test_a_new_value_ends_its_slot_alone() -> None:
    said = evidence(at=BEFORE, seq=2, chat="old")
    known = stored(fact("location", "Rome"), said=said)
    restating = stored(note("The user lives in Rome."), number=2, said=said)
    (one,) = decide(fact("location", "Oslo"), facts=(known,), near=((restating, 0.5),))
    assert [closing.memory for closing in one.closes] == [known]


def test_a_batch_does_not_repeat_itself() -> None:
    first, second = evidence(seq=3), evidence(seq=5)
    one, two, three, four = decide(
        note("The user has a dog."),
        note("the user has a dog!"),
        fact("location", "Oslo"),
        fact("city", "oslo"),
        said=(first, second, first, second),
    )
    assert [one.action, two.action, three.action, four.action] == [
        Action.ADD,
        Action.IGNORE,
        Action.ADD,
        Action.IGNORE,
    ]
    assert one.evidence == three.evidence == (first, second)


def test_a_batch_that_contradicts_itself_ends_with_its_last_word() -> None:
    one, two = decide(fact("location", "Rome"), fact("location", "Oslo"), said=(evidence(seq=3), evidence(seq=5)))
    assert (one.action, one.valid_to) == (Action.ADD, NOW)
    assert (two.action, two.valid_to, one.successor) == (Action.REPLACE, None, two.candidate)


def test_a_fact_and_the_note_that_restates_it_may_both_be_added() -> None:
    one, two = decide(fact("location", "Oslo", text="The user lives in Oslo."), note("The user lives in Oslo."))
    assert (one.action, two.action) == (Action.ADD, Action.ADD)


def test_what_weighs_too_little_or_is_too_doubtful_is_ignored() -> None:
    context = ResolveInputs(now=NOW, min_importance=0.3, min_confidence=0.4)
    light, doubtful, good = decide(
        note("The user yawned.", importance=0.29),
        note("The user has a cat.", confidence=0.39),
        note("A."),
        context=context,
    )
    assert (light.action, doubtful.action, good.action) == (Action.IGNORE, Action.IGNORE, Action.ADD)
    assert "importance 0.29" in light.reason
    assert "confidence 0.39" in doubtful.reason


def test_what_is_to_be_held_is_held_and_closes_nothing() -> None:
    known = stored(fact("location", "Rome"))
    context = ResolveInputs(now=NOW, hold_reasons={0: "it is an order that names a web address"})
    (one,) = decide(fact("location", "Oslo"), facts=(known,), context=context)
    assert (one.action, one.closes, one.reason) == (Action.HOLD, (), "it is an order that names a web address")


def test_a_models_word_that_a_note_corrects_another_is_honoured() -> None:
    known = stored(note("The user trains for a marathon."))
    corrected = note("The user now trains for a triathlon.", replaces=known.id, by_model=True)
    (one,) = decide(corrected, near=((known, 0.6),))
    assert (one.action, one.target) == (Action.REPLACE, known)


@pytest.mark.parametrize("case", ["older", "nothing in common", "another slot", "not shown"])
def test_a_models_word_is_not_taken_against_the_rules(case: str) -> None:
    known = stored(note("The user trains for a marathon."))
    candidate = note("The user now trains for a triathlon.", replaces=known.id, by_model=True)
    said, facts, near = (evidence(),), (), ((known, 0.6),)
    if case == "older":
        said = (evidence(at=BEFORE - timedelta(days=1), chat="import"),)
    elif case == "nothing in common":
        candidate = note("Grandmother bakes bread.", replaces=known.id, by_model=True)
    elif case == "another slot":
        allergy = stored(fact("allergy:nuts", "nuts"))
        candidate = fact("location", "Oslo", replaces=allergy.id, by_model=True)
        (one,) = decide(candidate, facts=(allergy,))
        assert (one.action, one.closes) == (Action.ADD, ())
        return
    else:
        candidate = replace(candidate, by_model=True, replaces=MemoryId("01900000-0000-7000-8000-999999999999"))
    (one,) = decide(candidate, facts=facts, near=near, said=said)
    assert (one.action, one.closes) == (Action.ADD, ())


def test_a_memory_is_replaced_once_in_a_batch() -> None:
    known = stored(fact("location", "Rome"))
    one, two = decide(
        fact("location", "Oslo"), fact("location", "Bergen"), facts=(known,), said=(evidence(seq=3), evidence(seq=5))
    )
    assert [closing.memory for closing in (*one.closes, *two.closes)] == [known]
    assert one.valid_to is not None
    assert two.valid_to is None


def test_two_things_that_ended_stand_side_by_side() -> None:
    known = stored(note("The user is no longer allergic to shrimps."))
    text = "The user is no longer allergic to eggs."
    (one,) = decide(note(text, quote="no longer allergic to eggs"), near=((known, 0.95),))
    assert (one.action, one.target) == (Action.ADD, None)


def test_a_models_end_of_what_has_ended_already_adds_nothing() -> None:
    gone = stored(note("The user's dog Rex limps."))
    said = note("This is no longer so: the user's dog Rex limps.", ends=True, replaces=gone.id, by_model=True)
    (one,) = decide(said)
    assert (one.action, one.reason) == (Action.IGNORE, "what it would end has ended already")
