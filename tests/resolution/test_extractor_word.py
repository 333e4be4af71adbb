"""What the extractor said of the memories that it was shown is not asked again; what it was not shown may be."""

from dataclasses import replace

import pytest

from candidates import NOW, evidence, note, stored
from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.decide import resolve
from toldonce.resolution.extractor_word import left_open
from toldonce.resolution.llm_judge import JudgeQuestion, open_questions
from toldonce.resolution.values import Claim, Neighbour, Neighbours, ResolvedCandidate, ResolveInputs
from toldonce.types import Action, Comparison, Memory

POLICY = ResolvePolicy(similar=0.7)
HERBS = stored(note("The user grows herbs and tomatoes on the roof."), number=1)
GREENHOUSE = stored(note("The user has a small greenhouse."), number=2)
NEW = note("The user planted herbs, tomatoes and beans on the roof.", quote="planted herbs", by_model=True)
SAME_PLACE = note("The user drinks coffee with Ana on the roof.", quote="drinks coffee", by_model=True)
ELSEWHERE = note("The user repairs old radios at night.", quote="repairs old radios", by_model=True)


def both(candidate: Comparison | None, *, text: str = NEW.text, near: float = 0.9) -> list[JudgeQuestion]:
    """Return what is left open of a statement beside two memories."""
    statement = replace(NEW, text=text, comparison=candidate or Comparison())
    neighbours = Neighbours(
        near=[[Neighbour(memory=HERBS, similarity=near), Neighbour(memory=GREENHOUSE, similarity=0.8)]]
    )
    resolved = decided(statement, neighbours)
    return left_open(open_questions(resolved, neighbours, POLICY), POLICY)


def decided(
    statement: object, neighbours: Neighbours, inputs: ResolveInputs | None = None
) -> tuple[ResolvedCandidate, ...]:
    claims = [Claim(statement, evidence(seq=9))]  # type: ignore[arg-type]  # a candidate
    return resolve(claims, neighbours, policy=POLICY, inputs=inputs or ResolveInputs(now=NOW)).resolved


def seen(*memories: Memory, repeats: Memory | None = None) -> Comparison:
    return Comparison(seen=frozenset(memory.id for memory in memories), repeats=repeats.id if repeats else None)


def test_u5_nothing_is_asked_where_the_extractor_saw_what_is_near() -> None:
    assert both(seen(HERBS, GREENHOUSE), text=SAME_PLACE.text) == []


def test_without_the_extractors_answer_the_judge_is_asked() -> None:
    [question] = both(None)
    assert question.beside == (HERBS, GREENHOUSE)


def test_what_the_extractor_did_not_see_is_asked_where_most_words_are_shared() -> None:
    [question] = both(seen(GREENHOUSE))
    assert question.beside == (HERBS,), "only what it did not see"


def test_what_the_extractor_did_not_see_is_not_asked_where_few_words_are_shared() -> None:
    assert not both(seen(GREENHOUSE), text=ELSEWHERE.text)


def test_what_the_extractor_did_not_see_is_asked_where_the_meaning_is_the_same() -> None:
    assert both(seen(GREENHOUSE), text=ELSEWHERE.text, near=0.999)


def test_memories_farther_than_one_that_was_seen_are_not_asked_about() -> None:
    assert not both(seen(HERBS), text=SAME_PLACE.text)


@pytest.mark.parametrize(("text", "near"), [(NEW.text, 0.9), (ELSEWHERE.text, 0.999)])
def test_a_paraphrase_is_asked_about_though_the_extractor_calls_it_new(text: str, near: float) -> None:
    [question] = both(seen(HERBS, GREENHOUSE), text=text, near=near)
    assert question.beside == (HERBS,), "only what it may repeat"


def test_a_paraphrase_of_what_is_not_nearest_is_asked_about() -> None:
    [question] = both(seen(HERBS, GREENHOUSE), text="The user built a small greenhouse of glass.")
    assert question.beside == (GREENHOUSE,)


def test_u5_a_repetition_that_the_extractor_names_is_taken_where_words_agree() -> None:
    statement = replace(NEW, text="The user grows herbs.", comparison=seen(HERBS, GREENHOUSE, repeats=HERBS))
    neighbours = Neighbours(near=[[Neighbour(memory=HERBS, similarity=0.0)]])
    [taken] = decided(statement, neighbours)
    assert (taken.action, taken.target, taken.adds) == (Action.MERGE, HERBS, False)
    assert open_questions([taken], neighbours, POLICY) == []


@pytest.mark.parametrize("wrong", [GREENHOUSE, HERBS])
def test_a_repetition_without_common_words_is_put_to_the_judge(wrong: Memory) -> None:
    [question] = both(seen(HERBS, GREENHOUSE, repeats=wrong), text=ELSEWHERE.text)
    assert question.beside[0] == wrong


@pytest.mark.parametrize(
    ("known", "text"),
    [
        ("The user passed the driving test in Bergen.", "The user failed the driving test in Bergen."),
        ("The user trusts the doctor at the clinic.", "The user distrusts the doctor at the clinic."),
        ("The user owes Martin fifty euros.", "The user lent Martin fifty euros."),
        ("The user grows herbs on the roof.", "The user grows herbs on the roof in 2026."),
        ("El usuario fuma cigarrillos en el balcón.", "El usuario dejó de fumar cigarrillos en el balcón."),
        ("O usuário bebe café com leite.", "O usuário parou de beber café com leite."),
        ("Der Nutzer isst gern Brot mit Käse.", "Der Nutzer verträgt kein Brot mit Käse."),
    ],
)
def test_s5_a_repetition_in_other_words_is_put_to_the_judge(known: str, text: str) -> None:
    memory = stored(note(known), number=1)
    statement = note(text, by_model=True, comparison=seen(memory, repeats=memory))
    neighbours = Neighbours(near=[[Neighbour(memory=memory, similarity=0.9)]])
    [question] = left_open(open_questions(decided(statement, neighbours), neighbours, POLICY), POLICY)
    assert question.beside == (memory,)


def test_a_doubted_correction_is_asked_although_the_extractor_saw_the_memory() -> None:
    unlike = stored(note("The user gets up at dawn."), number=3)
    statement = replace(ELSEWHERE, replaces=unlike.id, comparison=seen(unlike))
    neighbours = Neighbours(near=[[Neighbour(memory=unlike, similarity=0.8)]])
    [question] = left_open(open_questions(decided(statement, neighbours), neighbours, POLICY), POLICY)
    assert question.decided.doubted == unlike


def test_a_memory_that_was_not_shown_is_told_in_the_decision() -> None:
    statement = replace(NEW, comparison=Comparison(has_unshown_target=True))
    [kept] = decided(statement, Neighbours())
    assert kept.reason == "new; the extractor names a known memory that it was not shown"
