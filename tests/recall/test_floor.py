"""What a prompt is spared: small talk recalls nothing, and neither does a message about nothing known."""

from dataclasses import replace

import numpy as np
import pytest

from snapshots import Known, ask, for_prompt, name, recall, texts, unit
from toldonce.evaluation.retrieval_run import load_small_talk
from toldonce.profiles.policies import RecallPolicy
from toldonce.recall.floor import DOUBTFUL, SMALL_TALK, UNRELATED, is_small_talk
from toldonce.recall.known_names import find_known_names
from toldonce.types import KEPT_IMPORTANCE, MemoryKind

EAST, NORTH, BETWEEN = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0), (0.6, 0.8, 0.0, 0.0)
CAR = Known(id=1, text="Thanks! My car broke down on the bridge to Malmö.", kind=MemoryKind.TURN, vectors=(EAST,))
# Enough memories to be judged, of which none shares a word with the questions here.
MANY = tuple(
    Known(
        id=10 + number, text=f"Tulip number {number} opened in the greenhouse.", kind=MemoryKind.TURN, vectors=(NORTH,)
    )
    for number in range(30)
)
# More statements than are shown of a subject that has few.
KEPT = tuple(
    replace(MANY[0], id=100 + number, text=f"Tulip {number} opened.", importance=KEPT_IMPORTANCE)
    for number in range(100)
)


@pytest.mark.parametrize("message", load_small_talk())
def test_small_talk_recalls_nothing(message: str) -> None:
    query = for_prompt(ask(message, vector=unit(*EAST)))
    found = recall(query, CAR)

    assert texts(found) == []
    assert {memory.reason for memory in found.left_out} == {SMALL_TALK}


@pytest.mark.parametrize(
    "message",
    [
        "Who am I?",
        "What do you know about me?",
        "Do you remember what I told you last week?",
        "What did you tell me?",
        "When do I get up in the morning?",
        "Thanks, and the garage?",
        "Help Ana.",
        "Gracias a Ana vivo en Oslo",
    ],
)
def test_a_message_that_says_or_asks_something_is_no_small_talk(message: str) -> None:
    assert not is_small_talk(for_prompt(ask(message)))


def test_a_question_about_nothing_known_recalls_nothing() -> None:
    query = for_prompt(ask("Which violinist premiered Sibelius in Helsinki?", vector=unit(0.0, 0.0, 1.0, 0.0)))
    found = recall(query, CAR, *MANY)

    assert texts(found) == []
    assert {memory.reason for memory in found.left_out} == {UNRELATED}


def test_of_a_doubtful_message_what_much_speaks_for_is_shown() -> None:
    weak = replace(CAR, id=2, text="The station is old.", vectors=((0.2, 0.0, 0.98, 0.0),))
    message = "Which car broke down near the harbour, the mill and the station?"
    query = for_prompt(ask(message, vector=unit(0.75, 0.0, 0.0, 0.66)))
    found = recall(query, CAR, weak, *KEPT)

    assert texts(found) == [CAR.text]
    assert DOUBTFUL in {memory.reason for memory in found.left_out if memory.id == name(weak.id)}
    without = recall(replace(query, policy=RecallPolicy(related=0)), CAR, weak, *KEPT)
    assert {CAR.text, weak.text} <= set(texts(without))


def test_a_search_by_hand_has_no_floor() -> None:
    query = ask("Which violinist premiered Sibelius in Helsinki?", vector=unit(*BETWEEN))

    assert CAR.text in texts(recall(query, CAR))
    assert texts(recall(ask("thanks!", vector=unit(*EAST)), CAR)) == [CAR.text]


def test_a_question_with_the_words_of_a_memory_recalls_it() -> None:
    query = for_prompt(ask("Which car broke down on the bridge?", vector=unit(*BETWEEN)))

    assert texts(recall(query, CAR, *MANY))[0] == CAR.text


def test_what_means_the_same_is_recalled_without_a_shared_word() -> None:
    query = for_prompt(ask("Any vehicle trouble lately?", vector=unit(*EAST)))

    assert texts(recall(query, CAR, *MANY))[0] == CAR.text


def test_what_is_near_to_a_message_about_its_author_is_shown_whatever_its_words() -> None:
    for message, east, found in [
        ("Any trouble with my vehicle or other repairs?", 1.2, [CAR.text]),
        ("Any trouble with my vehicle or other repairs?", 0.45, []),
        ("Any trouble with vehicles or other repairs?", 1.2, []),
    ]:
        query = for_prompt(ask(message, vector=unit(east, 0.0, 0.7, 0.0)))
        assert texts(recall(query, CAR, *KEPT)) == found, (message, east)


@pytest.mark.parametrize("message", ["What do you know about me?", "Do you remember what I told you last week?"])
def test_a_question_about_the_user_in_general_recalls(message: str) -> None:
    query = for_prompt(ask(message, vector=unit(*BETWEEN), policy=RecallPolicy(floor=0)))

    assert texts(recall(query, CAR, *MANY))


def test_a_follow_up_recalls_by_the_conversation_before() -> None:
    query = for_prompt(ask("and the other one?", vector=unit(0.3, 0.3, 0.9, 0.0)))

    assert texts(recall(query, CAR, *MANY)) == []
    assert texts(recall(replace(query, background=("car", "bridg")), CAR, *MANY))[0] == CAR.text


def test_without_an_embedder_words_alone_decide() -> None:
    assert texts(recall(for_prompt(ask("Which car broke down on the bridge?")), CAR, *MANY))[0] == CAR.text
    assert texts(recall(for_prompt(ask("Which violinist premiered Sibelius?")), CAR, *MANY)) == []


@pytest.mark.parametrize(
    "message", ["write a haiku about rain", "what is 17 times 23?", "How tall is the Eiffel tower?"]
)
@pytest.mark.parametrize("kind", [MemoryKind.NOTE, MemoryKind.TURN])
def test_of_a_handful_only_what_bears_on_the_message_is_shown(message: str, kind: MemoryKind) -> None:
    few = [
        Known(id=number, text=text, kind=kind, vectors=(EAST,), importance=KEPT_IMPORTANCE)
        for number, text in enumerate(("Ana's car is at the garage.", "Ana paints on Fridays.", "Ana likes figs."), 1)
    ]
    far = unit(0.0, 0.0, 1.0, 0.0)

    found = recall(for_prompt(ask(message, vector=far)), *few)
    assert texts(found) == []
    assert {memory.reason for memory in found.left_out} == {UNRELATED}
    assert "Ana's car is at the garage." in texts(
        recall(for_prompt(ask("Is the car ready?", vector=unit(*BETWEEN))), *few)
    )
    assert texts(recall(for_prompt(ask("What do you know about me?", vector=far)), *few))


@pytest.mark.parametrize(
    ("message", "said"),
    [
        ("gift ideas for Lotte", "Lotte collects stamps."),
        ("notes on Brandt please", "The report for Brandt is late."),
        ("Geschenkideen für Lotte", "Lotte sammelt Briefmarken."),
        ("ideas de regalo para Lotte", "Lotte colecciona sellos."),
        ("идеи подарка для Лотты", "Лотта собирает марки, Лотты нет дома."),
        ("给王芳的礼物建议", "王芳要用表格写报告。"),
        ("给Priya写一张生日贺卡", "Priya把截止日期改到了六月。"),
        ("Lotte again, what was that?", "Lotte collects stamps."),
        ("Brandt's notes please", "The report for Brandt is late."),
        ("Who is Tom?", "Tom restores a tram."),  # empty in Danish
        ("Sue's birthday is soon, any ideas?", "Sue reads palms."),  # his, her in Spanish
        ("Geschenkideen für Mia", "Mia schwimmt im Verein."),  # my in Italian
        ("gift ideas for tom", "Tom restores a tram."),
        ("geschenkideen für brandt", "Brandt will den Bericht."),
        ("ideas de regalo para iturbe", "Iturbe colecciona sellos."),
    ],
)
@pytest.mark.parametrize("count", [3, 30])
def test_a_name_that_a_memory_has_is_reason_enough(message: str, said: str, count: int) -> None:
    lotte = Known(id=2, text=said, kind=MemoryKind.TURN, vectors=(NORTH,))
    found = recall(for_prompt(ask(message, vector=unit(0.0, 0.0, 1.0, 0.0))), lotte, *MANY[:count])

    assert texts(found) == [said]


def test_a_capital_alone_makes_no_name() -> None:
    query = for_prompt(ask("Opened files in Rust: how?", vector=unit(0.0, 0.0, 1.0, 0.0)))

    assert texts(recall(query, CAR, *MANY)) == []


@pytest.mark.parametrize(
    ("message", "names"),
    [
        ("List ONLY ten birds that Lotte saw, ONLY ten!", {"lott"}),
        ("What did Lotte do on Saturday, 5 April 2025?", {"lott"}),
        ("Was hat Lotte letzten Samstag gemacht?", {"lott"}),
        ("Gift ideas for April", {"april"}),
    ],
)
def test_what_is_shouted_or_names_a_time_is_no_name(message: str, names: set[str]) -> None:
    query = for_prompt(ask(message))
    one_has_all = np.array([(1 << len(query.terms)) - 1, *([0] * 30)])
    found = find_known_names(query, one_has_all)

    assert {term for bit, term in enumerate(query.terms) if found >> bit & 1} == names


@pytest.mark.parametrize(
    ("message", "related"),
    [
        ("Which tulip did Anneliese see in the greenhouse?", False),
        ("Which tulip did she see in the greenhouse?", True),
        ("Which tulip should I show Anneliese in the greenhouse?", True),
        ("Which tulip in Greenland opened in a greenhouse?", True),
        ("Which tulip in the greenhouse did Anneliese and Bob see?", True),
        ("Welche Tulip sah Anneliese in the Greenhouse?", True),
    ],
)
def test_a_question_about_an_unknown_name_needs_more_evidence(message: str, related: bool) -> None:
    bob = Known(id=2, text="Bob waters everything.", kind=MemoryKind.TURN, vectors=(BETWEEN,))
    query = for_prompt(ask(message, vector=unit(0.0, 0.8, 0.6, 0.0)))

    assert bool(texts(recall(query, CAR, bob, *MANY))) is related


def test_facts_without_vectors_are_judged_by_their_words() -> None:
    facts = [
        Known(id=number, text=f"Ana likes the tulip of breed {number} best.", kind=MemoryKind.FACT, importance=0.2)
        for number in range(1, 2 + 30)
    ]
    policy = RecallPolicy(floor=0)
    query = for_prompt(ask("Which tulip of that breed is best?", vector=unit(*EAST), policy=policy))

    assert texts(recall(query, *facts))


def test_a_policy_can_do_without_the_floor() -> None:
    policy = RecallPolicy(related=0, floor=0)

    assert texts(recall(for_prompt(ask("thanks!", vector=unit(*EAST), policy=policy)), CAR)) == [CAR.text]
