"""From a question to memories with their reasons, over one subject and several."""

from dataclasses import replace
from datetime import timedelta
from zoneinfo import ZoneInfo

import numpy as np
import pytest

from factories import ANA
from snapshots import (
    Known,
    as_it_is,
    ask,
    count_words,
    for_prompt,
    memory_of,
    name,
    recall,
    recall_from,
    snapshot_of,
    texts,
    unit,
    why_left,
)
from toldonce.profiles.policies import RecallPolicy
from toldonce.recall.finalize import finalize
from toldonce.recall.query import RecallRequest, make_query
from toldonce.recall.recall import IN_REQUEST, rank_subjects
from toldonce.testing import NEW_YEAR
from toldonce.types import KEPT_IMPORTANCE, MemoryKind, Subject

EAST, NORTH, NEAR_EAST = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.96, 0.28, 0.0, 0.0)
PEANUTS = Known(id=1, text="Ana is allergic to peanuts.", vectors=(NEAR_EAST,))
OSLO = Known(id=2, text="Ana lives in Oslo.", vectors=(NORTH,))
FACT = Known(
    id=3,
    text="Ana's employer is Fjord.",
    kind=MemoryKind.FACT,
    importance=0.9,
    category="identity",
    key="employer",
)
TEAM = Subject("shared", "team")
EVERYBODY = Subject("global", "")


def test_what_means_the_same_is_found_without_a_shared_word() -> None:
    found = recall(ask("What to avoid at dinner?", vector=unit(*EAST)), PEANUTS, OSLO)

    assert texts(found)[0] == PEANUTS.text
    assert found.items[0].reasons == ("means the same (0.96)",)
    assert found.items[0].similarity == pytest.approx(0.96, abs=1e-6)


def test_words_are_explained_as_they_were_asked() -> None:
    found = recall(ask("Which allergies, peanuts?"), replace(PEANUTS, text="Allergic to a peanut: an allergy."), OSLO)

    assert found.items[0].reasons == ('shares the words "allergies", "peanuts"',)
    assert found.items[0].word_share == pytest.approx(1)


def test_a_time_asked_about_finds_what_shares_neither_words_nor_meaning() -> None:
    before = replace(OSLO, at=NEW_YEAR - timedelta(hours=2))
    others = [Known(id=number, text=f"word{number}x", at=NEW_YEAR - timedelta(days=9)) for number in range(10, 15)]

    found = recall(ask("What did I do yesterday?"), before, *others)

    assert found.items[0].memory.text == OSLO.text
    assert "from the time asked about" in found.items[0].reasons


def test_a_search_shows_all_there_is_and_says_when_nothing_speaks_for_it() -> None:
    found = recall(ask("Anything about skiing?"), OSLO)

    assert texts(found) == [OSLO.text]
    assert found.items[0].reasons == ("the nearest there is",)
    assert found.considered == 1


def test_a_prompt_is_spared_what_is_too_weak() -> None:
    query = for_prompt(ask("skiing", vector=unit(*EAST)))
    strict = replace(query, policy=RecallPolicy(floor=0.6))

    assert texts(recall(strict, PEANUTS, OSLO)) == [PEANUTS.text]
    assert why_left(recall(strict, PEANUTS, OSLO), OSLO.id)[0].startswith("too weak (0.")


RAISINS = Known(id=5, text="Ana never eats raisins.", vectors=(NORTH,))
CAKE = "A cake for Sunday, mind what I like"


def test_of_few_notes_a_prompt_shows_also_those_that_are_not_like_the_question() -> None:
    query = for_prompt(ask(CAKE, vector=unit(*EAST), limit=3))
    turn = replace(OSLO, id=6, text="word6x word7x", kind=MemoryKind.TURN)
    more = [replace(OSLO, id=number, text=f"word{number}x") for number in range(10, 16)]

    assert RAISINS.text in texts(recall(query, RAISINS, turn))
    kept = replace(RAISINS, kind=MemoryKind.TURN, importance=KEPT_IMPORTANCE)
    assert RAISINS.text in texts(recall(query, kept, turn)), "a quotation that is kept counts as a note"
    assert turn.text not in texts(recall(query, RAISINS, turn)), "a quotation has to fit"
    assert RAISINS.text not in texts(recall(query, RAISINS, *more)), "of many notes only those that fit are shown"


@pytest.mark.parametrize("question", ["when is my race?", CAKE])
@pytest.mark.parametrize("years", [0, 1, 6])
@pytest.mark.parametrize("quotations", [2, 20, 60, 600])
def test_neither_age_nor_quotations_leave_out_one_of_few_notes(question: str, years: int, quotations: int) -> None:
    query = for_prompt(ask(question, vector=unit(*EAST)))
    note = replace(RAISINS, at=NEW_YEAR - timedelta(days=365 * years))
    turns = [Known(id=10 + n, text=f"word{n}x", kind=MemoryKind.TURN) for n in range(quotations)]

    assert texts(recall(query, note, *turns)) == [note.text]


@pytest.mark.parametrize(
    ("question", "memory"),
    [
        ("Which animals do I need feed for?", "Ana keeps a goat and four ducks."),
        ("Who of my family could come along?", "Ana's aunt Ruth is a pilot."),
        ("What can I cook for us?", "Ana's husband is lactose intolerant."),
        ("List my medicines, please", "Ana takes 5 mg of ramipril."),
        ("What do I need for my trip?", "Ana gets seasick on ferries."),
    ],
)
def test_a_general_word_finds_what_memories_say_instead(question: str, memory: str) -> None:
    known = Known(id=7, text=memory, vectors=(NORTH,))
    others = [replace(OSLO, id=number, text=f"word{number}x") for number in range(10, 60)]
    query = make_query(
        RecallRequest(text=question, subject=ANA, policy=RecallPolicy(), limit=3, for_prompt=True),
        vector=unit(*EAST),
        now=NEW_YEAR,
        zone=ZoneInfo("UTC"),
    )

    assert texts(recall(query, known, *others)) == [memory]
    assert memory not in texts(recall(replace(query, related_terms=()), known, *others))


@pytest.mark.parametrize("text", ["Thanks!", "What is the capital of Peru?", "How do animals sleep?", "ok great"])
def test_nothing_is_looked_for_in_other_words_where_no_one_asks_about_themself(text: str) -> None:
    query = make_query(
        RecallRequest(text=text, subject=ANA, policy=RecallPolicy(), limit=3, for_prompt=True),
        vector=None,
        now=NEW_YEAR,
        zone=ZoneInfo("UTC"),
    )
    assert query.related_terms == ()


def test_a_message_that_says_nothing_brings_no_note() -> None:
    for text in ("Thanks!", "Go on", "ok great"):
        assert texts(recall(for_prompt(ask(text, vector=unit(*EAST), limit=3)), RAISINS)) == []


def test_standing_facts_come_first_in_prompts_but_not_in_searches() -> None:
    minor = replace(FACT, id=4, text="Ana's hobby is chess.", importance=0.4, key="hobby")
    question = ask("peanuts", vector=unit(*EAST))

    prompt, search = (recall(query, PEANUTS, FACT, minor) for query in (for_prompt(question), question))

    assert texts(prompt)[:2] == [FACT.text, PEANUTS.text]
    assert [item.standing for item in prompt.items[:2]] == [True, False]
    assert prompt.items[0].reasons == ("a standing fact", "important (0.9)")
    assert texts(search)[0] == PEANUTS.text
    assert not any(item.standing for item in search.items)


def test_what_the_request_contains_is_left_out_with_the_reason() -> None:
    inside = replace(PEANUTS, hashes=(71,), sources=(1,))
    half = replace(OSLO, hashes=(71, 72), sources=(1, 2))
    fact = replace(FACT, hashes=(71,), sources=(1,))
    query = for_prompt(ask("peanuts in Oslo", vector=unit(*EAST), present=frozenset({71})))

    found = recall(query, inside, half, fact)

    assert texts(found) == [OSLO.text]
    assert why_left(found, inside.id) == why_left(found, fact.id) == [IN_REQUEST]


def test_far_memories_of_the_request_are_not_named() -> None:
    far = [Known(id=number, text=f"word{number}x", hashes=(71,), sources=(1,)) for number in range(100, 130)]
    near = [Known(id=number, text=f"peanut word{number}x") for number in range(200, 230)]

    found = recall(ask("peanuts", present=frozenset({71}), limit=2), *far, *near)

    assert not any(omitted.reason == IN_REQUEST for omitted in found.left_out)
    assert len(found.items) == 2


def test_the_question_itself_is_no_answer() -> None:
    echo = Known(id=9, text="what am I allergic to", kind=MemoryKind.TURN)

    found = recall(ask("What am I allergic to?"), PEANUTS, echo)

    assert texts(found) == [PEANUTS.text]
    assert why_left(found, 9) == ["is the query itself"]


def test_a_quotation_found_shows_its_note() -> None:
    said = Known(id=8, text="no peanuts for me please", kind=MemoryKind.TURN, sources=(5,), vectors=(EAST,))
    note = replace(PEANUTS, sources=(5,))

    found = recall(ask("no nuts please", vector=unit(*EAST)), said, note)

    assert texts(found) == [note.text]
    assert why_left(found, 8) == [f"its note {name(note.id)} is shown"]


def test_the_policy_can_keep_quotations_out() -> None:
    said = Known(id=8, text="peanuts", kind=MemoryKind.TURN)

    assert texts(recall(ask("peanuts", policy=RecallPolicy(turns=False)), said, PEANUTS)) == [PEANUTS.text]


def test_ones_own_value_of_a_slot_stands_before_a_shared_one() -> None:
    shared = replace(FACT, id=7, text="The employer is Skog.", importance=1.0)

    found = recall_from(for_prompt(ask("hello")), {ANA: (FACT,), TEAM: (shared,), EVERYBODY: (replace(shared, id=8),)})

    assert texts(found) == [FACT.text]
    assert why_left(found, 7) == [f"user:ana has its own value: {name(FACT.id)}"]


def test_ones_own_value_wins_a_slot_that_the_shared_one_ranks_first_in() -> None:
    shared = replace(FACT, id=7, text="Employer of the employer employer", importance=1.0)

    found = recall_from(ask("employer"), {ANA: (FACT,), TEAM: (shared,)})

    assert texts(found) == [FACT.text]


def test_subjects_are_merged_by_what_their_own_statistics_say() -> None:
    other = Known(id=7, text="Peanuts are banned here.", vectors=(EAST,))

    found = recall_from(ask("peanuts", vector=unit(*EAST)), {ANA: (OSLO,), TEAM: (other,)})

    assert texts(found) == [other.text, OSLO.text]
    assert [item.memory.subject for item in found.items] == [TEAM, ANA]
    assert found.considered == 2


def test_a_memory_in_two_subjects_is_shown_once() -> None:
    assert texts(recall_from(ask("peanuts"), {ANA: (PEANUTS,), TEAM: (PEANUTS,)})) == [PEANUTS.text]


def test_the_limit_holds_and_doubles_do_not_use_it_up() -> None:
    same = [replace(PEANUTS, id=number) for number in range(20, 23)]

    found = recall(ask("peanuts", limit=2, vector=unit(*EAST)), *same, OSLO)

    assert texts(found) == [PEANUTS.text, OSLO.text]
    assert found.items[0].memory.id == name(20)
    assert recall(ask("peanuts", limit=0), PEANUTS).items == ()


def test_a_memory_erased_between_the_steps_is_dropped_in_silence() -> None:
    ranking = rank_subjects(ask("peanuts"), [snapshot_of(PEANUTS, OSLO)], as_it_is)

    found = finalize(ranking, {name(2): memory_of(OSLO)}, count_tokens=count_words)

    assert ranking.wanted() == {ANA: [name(1), name(2)]}
    assert texts(found) == [OSLO.text]
    assert found.left_out == ()


@pytest.mark.parametrize("text", ["", "???", "the of and", "\x85", "peanuts " * 2000])
def test_any_query_over_any_memories_has_scores_in_bounds(text: str) -> None:
    broken = Known(id=5, text="", vectors=((float("nan"),) * 4, (0.0, 0.0, 0.0, 0.0)))
    for vector in (None, unit(*EAST), np.zeros(4, np.float32)):
        found = recall(ask(text, vector=vector), PEANUTS, FACT, broken)
        assert len(found.items) == 3
        assert all(0 <= item.score <= 1 and 0 <= item.word_share <= 1 for item in found.items)
    assert recall(ask(text)).items == ()


def test_equal_memories_come_in_the_order_of_their_ids_each_time() -> None:
    known = [Known(id=number, text=f"peanut word{number}x") for number in range(1, 200)]

    found = recall(ask("peanuts"), *known)

    assert [item.memory.id for item in found.items] == [name(number) for number in range(1, 11)]


def test_further_notes_of_a_prompt_come_in_the_order_of_their_evidence() -> None:
    turns = [
        Known(id=number, text="oslo fjord", kind=MemoryKind.TURN, sources=(number,), vectors=(EAST,))
        for number in range(1, 60)
    ]
    notes = [
        Known(id=200 + number, text="rome", importance=number / 10, sources=(number,), vectors=(NEAR_EAST,))
        for number in range(1, 8)
    ]
    query = for_prompt(ask("Where in Oslo is the fjord?", vector=unit(*EAST), limit=5))

    ranking = rank_subjects(query, [snapshot_of(*turns, *notes)], as_it_is)

    shown_notes = [row.id for row in ranking.rows if row.kind is MemoryKind.NOTE]
    assert len(shown_notes) > 1
    assert shown_notes == sorted(shown_notes, reverse=True)  # the later, the more important
