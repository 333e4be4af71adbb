"""Which refusals are remembered: for whom, for how long, and how many."""

from toldonce.server.injection_fallback import MAX_REMEMBERED, InjectionFallbacks
from toldonce.testing import FakeClock
from toldonce.types import Subject

ANA, MARCUS = Subject("user", "ana"), Subject("user", "marcus")


def test_a_refusal_changes_that_subjects_requests_to_that_model_alone(clock: FakeClock) -> None:
    refusals = InjectionFallbacks(clock)
    refusals.remember(ANA, "small")
    assert refusals.is_refused(ANA, "small")
    assert not refusals.is_refused(MARCUS, "small")
    assert not refusals.is_refused(ANA, "large")


def test_a_refusal_is_forgotten_after_an_hour(clock: FakeClock) -> None:
    refusals = InjectionFallbacks(clock)
    refusals.remember(ANA, None)
    clock.advance(hours=1, seconds=1)
    assert not refusals.is_refused(ANA, None)
    refusals.remember(MARCUS, None)
    assert len(refusals) == 1


def test_endless_model_names_push_the_oldest_out(clock: FakeClock) -> None:
    refusals = InjectionFallbacks(clock)
    for number in range(MAX_REMEMBERED + 5):
        refusals.remember(ANA, f"model {number}")
    assert len(refusals) == MAX_REMEMBERED
    assert not refusals.is_refused(ANA, "model 4")
    assert refusals.is_refused(ANA, "model 5")
