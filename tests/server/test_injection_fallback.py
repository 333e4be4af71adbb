"""Which refusals are remembered: for whom, for how long, and how many."""

import pytest

from toldonce.server import injection_fallback
from toldonce.server.injection_fallback import InjectionFallbacks
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


def test_endless_model_names_push_the_oldest_out(clock: FakeClock, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(injection_fallback, "MAX_REMEMBERED", 20)
    refusals = InjectionFallbacks(clock)
    for number in range(25):
        refusals.remember(ANA, f"model {number}")
    assert len(refusals) == 20
    assert not refusals.is_refused(ANA, "model 4")
    assert refusals.is_refused(ANA, "model 5")
