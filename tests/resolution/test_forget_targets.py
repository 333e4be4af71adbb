"""What a request to forget ends, and what the slots of a diet rule out."""

from dataclasses import replace

import pytest

from candidates import BEFORE, NOW, evidence, fact, note, stored
from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.decide import resolve
from toldonce.resolution.values import Claim, Neighbour, Neighbours, ResolvedCandidate, ResolveInputs
from toldonce.types import Action, Candidate, Memory, MemoryKind

POLICY = ResolvePolicy()


def decide(candidate: Candidate, *known: Memory) -> ResolvedCandidate:
    notes = [Neighbour(memory=memory, similarity=0.0) for memory in known if memory.kind is MemoryKind.NOTE]
    neighbours = Neighbours(near=[notes], facts=[memory for memory in known if memory.kind is MemoryKind.FACT])
    claim, inputs = Claim(candidate, evidence()), ResolveInputs(now=NOW)
    [decided] = resolve([claim], neighbours, policy=POLICY, inputs=inputs).resolved
    return decided


def forget(topic: str) -> Candidate:
    return note(f"The user wants forgotten: {topic}", ends=True, forgets=topic)


TOM = stored(note("The user's boyfriend Tom is a drummer."), number=1)
PARTNER = stored(replace(fact("partner", "Tom"), text="The user's boyfriend is called Tom."), number=2)
EXAM = stored(note("The user failed microeconomics in December."), number=4)
CELLO = stored(note("The user plays the cello."), number=3)


@pytest.mark.parametrize(
    ("topic", "meant"),
    [
        ("Tom", [PARTNER, TOM]),
        ("Tom and the cello", [PARTNER, TOM, CELLO]),
        ("I play the cello", [CELLO]),
        ("You play the cello in an orchestra on Sundays", [CELLO]),
        ("the thing with the failed micro exam", [EXAM]),
        ("the piano", []),
        ("it", []),
    ],
)
def test_a_request_to_forget_ends_what_speaks_of_its_topic_and_adds_nothing(topic: str, meant: list[Memory]) -> None:
    decided = decide(forget(topic), TOM, PARTNER, CELLO, EXAM)
    assert [closing.memory for closing in decided.closes] == meant
    assert decided.action is (Action.CLOSE if meant else Action.IGNORE)
    assert not decided.adds


def test_what_was_said_after_the_request_is_not_forgotten() -> None:
    later = stored(note("The user met Tom."), said=evidence(at=NOW, seq=12))
    assert decide(forget("Tom"), later).action is Action.IGNORE


def test_a_model_that_says_what_ended_closes_it_however_it_words_it() -> None:
    known = stored(note("The user's boyfriend Tom is a drummer."), said=evidence(at=BEFORE, seq=2, chat="old"))
    same = note(known.text, ends=True, replaces=known.id)
    more = note(f"The user wants this forgotten: {known.text}", ends=True, replaces=known.id)
    for candidate in (same, more):
        decided = decide(candidate, known)
        assert (decided.action, [closing.memory for closing in decided.closes]) == (Action.CLOSE, [known])
