"""In other languages the rules merge the same words alone, and a model's word only where no denial or day differs."""

import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path

import pytest

from candidates import BEFORE, NOW, evidence, note, stored
from tables import check_each
from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.decide import resolve
from toldonce.resolution.values import Claim, JudgeVerdict, Neighbour, Neighbours, ResolvedCandidate, ResolveInputs
from toldonce.types import Action

PAIRS: Mapping[str, Mapping[str, Sequence[str]]] = tomllib.loads(
    (Path(__file__).parent / "native_pairs.toml").read_text("utf-8")
)
UNKNOWN: Mapping[str, Sequence[str]] = tomllib.loads((Path(__file__).parent / "unknown_pairs.toml").read_text("utf-8"))


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
    for first, second in PAIRS[language].values():
        for old, new in ((first, second), (second, first)):
            decided = weigh(old, new, late=late)
            assert (decided.action, decided.closes, decided.valid_to) == (Action.ADD, (), None), decided.reason
        assert weigh(first, f"– {first.rstrip('.。।')} !!", late=late).action is Action.IGNORE


@check_each("language", UNKNOWN)
def test_statements_in_an_unknown_language_are_one_only_in_the_same_words(language: str) -> None:
    one, other = UNKNOWN[language]
    assert (weigh(one, other).action, weigh(other, one).action) == (Action.ADD, Action.ADD)
    assert weigh(one, one.rstrip(".")).action is Action.IGNORE


@pytest.mark.parametrize(
    ("old", "new"),
    [
        ("Ana trinkt Kaffee.", "Ana trinkt manchmal Kaffee."),
        ("Ana wohnt bei Ben.", "Ben wohnt bei Ana."),
        ("Ana isst Fleisch, Ben nicht.", "Ben isst Fleisch, Ana nicht."),
        ("The user likes tea.", "Der Nutzer mag keinen Tee."),
    ],
)
def test_a_word_more_or_in_another_place_makes_two_statements(old: str, new: str) -> None:
    assert (weigh(old, new).action, weigh(new, old).action) == (Action.ADD, Action.ADD)


@pytest.mark.parametrize(
    "language",
    ["de", "ja"],
)
def test_a_model_that_takes_a_denial_for_the_same_is_overruled(language: str) -> None:
    decided = weigh(*PAIRS[language]["denied"], model=Action.MERGE)
    assert decided.action is Action.ADD
    assert "one of them is negated" in decided.reason


def test_a_model_that_takes_two_months_for_one_is_overruled() -> None:
    decided = weigh("Моя сестра приезжает в начале марта.", "Моя сестра приезжает в начале мая.", model=Action.MERGE)
    assert decided.action is Action.ADD
    assert "the dates differ" in decided.reason


def test_a_model_may_say_that_other_words_say_the_same() -> None:
    decided = weigh(
        "Ana va al trabajo en bicicleta todos los días.", "Ana va en bici al trabajo cada día.", model=Action.MERGE
    )
    assert decided.action is Action.MERGE
