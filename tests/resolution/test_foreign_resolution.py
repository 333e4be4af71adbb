"""In other languages the rules merge the same words alone, and a model's word only where no marker differs."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from candidates import BEFORE, NOW, evidence, note, stored
from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.decide import resolve
from toldonce.resolution.values import Claim, JudgeVerdict, Neighbour, Neighbours, ResolvedCandidate, ResolveInputs
from toldonce.types import Action

PAIRS: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads(
    (Path(__file__).parent / "native_pairs.toml").read_text("utf-8")
)
DENIED, APART = "one of them is negated", "they say opposite things"


def weigh(old: str, new: str, *, model: Action | None = None, late: bool = False) -> ResolvedCandidate:
    """Weigh a statement against one of nearly the same vector, which a model takes for the same if one is asked."""
    known = stored(note(old))
    said = evidence(at=BEFORE.replace(year=BEFORE.year - 1) if late else NOW)
    inputs = ResolveInputs(now=NOW, judged={0: JudgeVerdict(action=model, target=known.id)} if model else {})
    near = Neighbours(near=[[Neighbour(memory=known, similarity=0.999)]])
    return resolve([Claim(note(new), said)], near, policy=ResolvePolicy(), inputs=inputs).resolved[0]


@pytest.mark.parametrize("late", [False, True])
@pytest.mark.parametrize("language", PAIRS)
def test_a_denial_closes_nothing_and_is_added(language: str, late: bool) -> None:
    for kind, (first, second) in PAIRS[language].items():
        for old, new in ((first, second), (second, first)):
            decided = weigh(old, new, late=late)
            if kind == "again":
                assert decided.action in (Action.MERGE, Action.IGNORE, Action.REPLACE), decided.reason
            else:
                assert (decided.action, decided.closes, decided.valid_to) == (Action.ADD, (), None), decided.reason


@pytest.mark.parametrize(
    ("language", "kind", "reason"),
    [
        ("de", "denied", DENIED),
        ("ja", "denied", DENIED),
        ("ru", "opposites", APART),
        ("ar", "days", "the dates differ"),
    ],
)
def test_a_model_that_takes_a_denial_for_the_same_is_overruled(language: str, kind: str, reason: str) -> None:
    decided = weigh(*PAIRS[language][kind], model=Action.MERGE)
    assert decided.action is Action.ADD
    assert reason in decided.reason


def test_a_model_that_takes_two_months_for_one_is_overruled() -> None:
    decided = weigh("Моя сестра приезжает в начале марта.", "Моя сестра приезжает в начале мая.", model=Action.MERGE)
    assert decided.action is Action.ADD
    assert "the dates differ" in decided.reason


def test_a_model_may_say_that_other_words_say_the_same() -> None:
    decided = weigh(
        "Ana va al trabajo en bicicleta todos los días.", "Ana va en bici al trabajo cada día.", model=Action.MERGE
    )
    assert decided.action is Action.MERGE


def test_english_words_of_a_change_close_nothing_in_another_language() -> None:
    decided = weigh("Ana lebt in Bonn und arbeitet dort.", "Ana lebt in Kiel und arbeitet dort, now instead.")
    assert decided.closes == ()
