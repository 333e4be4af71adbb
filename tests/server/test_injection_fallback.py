"""Which refusals are remembered: for whom, for how long, and how many."""

from recollect.server.injection_fallback import MAX_REMEMBERED, InjectionFallbacks
from recollect.testing import FakeClock
from recollect.types import Subject

ANA, MARCUS = Subject("user", "ana"), Subject("user", "marcus")


def test_a_refusal_changes_that_subjects_requests_to_that_model_alone(clock: FakeClock) -> None:
    refusals = InjectionFallbacks(clock)
    refusals.remember(ANA, "small")
    assert refusals.mode(ANA, "small") == "user_prefix"
    assert refusals.mode(MARCUS, "small") is None
    assert refusals.mode(ANA, "large") is None


def test_a_refusal_is_forgotten_after_an_hour(clock: FakeClock) -> None:
    refusals = InjectionFallbacks(clock)
    refusals.remember(ANA, None)
    clock.advance(hours=1, seconds=1)
    assert refusals.mode(ANA, None) is None
    refusals.remember(MARCUS, None)
    assert len(refusals) == 1


def test_endless_model_names_push_the_oldest_out(clock: FakeClock) -> None:
    refusals = InjectionFallbacks(clock)
    for number in range(MAX_REMEMBERED + 5):
        refusals.remember(ANA, f"model {number}")
    assert len(refusals) == MAX_REMEMBERED
    assert refusals.mode(ANA, "model 4") is None
    assert refusals.mode(ANA, "model 5") == "user_prefix"
