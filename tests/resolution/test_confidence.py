"""Which of two values holds where one is less sure, by the profile's rule."""

from datetime import timedelta

import pytest

from candidates import NOW, evidence, fact, stored
from toldonce.profiles.policies import ResolvePolicy
from toldonce.profiles.registry import ProfileRegistry
from toldonce.resolution.decide import resolve
from toldonce.resolution.values import Claim, Neighbours, ResolvedCandidate, ResolveInputs
from toldonce.types import Action, Candidate, Memory

TIERED = ProfileRegistry().get("tiered").resolve
DEFAULT = ProfileRegistry().get("default").resolve


def decided(candidate: Candidate, known: Memory, policy: ResolvePolicy) -> ResolvedCandidate:
    context = ResolveInputs(now=NOW)
    [one] = resolve([Claim(candidate, evidence())], Neighbours(facts=(known,)), policy=policy, inputs=context).resolved
    return one


@pytest.mark.parametrize("quote", ["I moved to Oslo", "I think Oslo", "Correction: I no longer live in Rome but Oslo"])
def test_t6_lower_confidence_never_overwrites(quote: str) -> None:
    known = stored(fact("location", "Rome", confidence=1.0))
    one = decided(fact("location", "Oslo", confidence=0.95, quote=quote), known, TIERED)
    assert (one.action, one.target, one.closes, one.adds) == (Action.IGNORE, known, (), False)
    assert one.reason == "less sure (0.95) than what is known (1.00)"


@pytest.mark.parametrize("confidence", [0.7, 1.0])
def test_t6_equal_or_higher_confidence_overwrites_and_closes_the_old_version(confidence: float) -> None:
    known = stored(fact("location", "Rome", confidence=0.7))
    one = decided(fact("location", "Oslo", confidence=confidence), known, TIERED)
    assert (one.action, [closing.memory for closing in one.closes]) == (Action.REPLACE, [known])


def test_t6_equal_confidence_overwrites_only_if_newer() -> None:
    known = stored(fact("location", "Rome"), said=evidence(at=NOW + timedelta(days=1), chat="old"))
    one = decided(fact("location", "Oslo"), known, TIERED)
    assert (one.closes, one.valid_to is not None) == ((), True)


def test_t6_a_less_sure_end_ends_nothing() -> None:
    known = stored(fact("employer", "Acme", confidence=1.0))
    over = fact("employer", "Acme", ends=True, confidence=0.5)
    assert decided(over, known, TIERED).action is Action.IGNORE
    assert decided(over, known, DEFAULT).action is Action.CLOSE


def test_t6_a_full_name_is_another_key_than_a_name() -> None:
    known = stored(fact("name", "Ana"))
    assert decided(fact("full_name", "Ana Silva", confidence=0.9), known, TIERED).action is Action.ADD


def test_in_default_a_newer_value_beats_a_surer_one() -> None:
    known = stored(fact("location", "Rome", confidence=1.0))
    moved = decided(fact("location", "Oslo", confidence=0.6, quote="I moved to Oslo"), known, DEFAULT)
    assert moved.action is Action.REPLACE
