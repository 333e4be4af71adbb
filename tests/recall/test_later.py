"""What the user said later about a thing is shown with what they said earlier."""

from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta

import numpy as np

from snapshots import Known, ask, for_prompt, name, recall, snapshot_of, texts, unit
from toldonce.recall.later import find_followers
from toldonce.recall.rank import MAX_FEW_MEMORIES
from toldonce.recall.recall import MIN_SHOWN_OF_FEW
from toldonce.testing import NEW_YEAR
from toldonce.types import KEPT_IMPORTANCE, QUESTION_FLAG, MemoryKind

EAST, NORTH = (1.0, 0.0, 0.0, 0.0), (0.0, 1.0, 0.0, 0.0)
BETWEEN, NEAR_NORTH = (0.8, 0.6, 0.0, 0.0), (0.0, 0.96, 0.28, 0.0)
QUERY = for_prompt(ask("What does my instructor Gwen charge?", vector=unit(*EAST)))


def said(number: int, text: str, vector: Sequence[float] = NORTH, *, days: int = 0, kept: bool = False) -> Known:
    return Known(
        id=number,
        text=text,
        kind=MemoryKind.TURN,
        vectors=(vector,),
        at=NEW_YEAR - timedelta(days=100 - days),
        speaker="user",
        importance=KEPT_IMPORTANCE if kept else 0.3,
    )


OLD = said(1, "My instructor Gwen charges 38 an hour.", BETWEEN)
NEW = said(2, "They put it up to 42.", days=30)
FILM = said(3, "We watched a film.", (0.0, 0.0, 1.0, 0.0), days=40)
OTHERS = [
    said(number, f"word{number}x word{number}y", (0.0, 0.0, 0.0, 1.0)) for number in range(100, 100 + MAX_FEW_MEMORIES)
]


def test_of_few_memories_the_nearest_later_one_is_beside_the_older_one() -> None:
    found = recall(QUERY, OLD, NEW, FILM)

    assert texts(found) == [OLD.text, NEW.text]
    assert name(NEW.id) not in [omitted.id for omitted in found.left_out], "it is shown"
    assert f"said later than {name(OLD.id)}, which is near it" in found.items[1].reasons


def test_what_was_said_earlier_is_not_brought_in() -> None:
    assert texts(recall(QUERY, replace(OLD, at=NEW_YEAR), NEW, FILM)) == [OLD.text]


def test_of_many_memories_only_a_like_one_is_brought_in() -> None:
    alike = replace(NEW, text="Gwen put it up to 42.", vectors=(BETWEEN,))
    assert NEW.text not in texts(recall(QUERY, OLD, NEW, *OTHERS))
    assert texts(recall(QUERY, OLD, alike, *OTHERS))[:2] == [alike.text, OLD.text]


def test_of_many_memories_each_others_nearest_in_time_are_shown_together() -> None:
    """Whatever words they have: "The backend uses MongoDB", "we ended up with Postgres after all"."""
    query = for_prompt(ask("Which database does the backend use?", vector=unit(*EAST)))
    statements = [replace(each, importance=KEPT_IMPORTANCE) for each in OTHERS]
    old = said(1, "The backend uses MongoDB.", (0.8, 0.6, 0.0, 0.0), kept=True)
    new = said(2, "So we ended up with Postgres after all.", (0.0, 0.92, 0.39, 0.0), days=30, kept=True)
    assert texts(recall(query, old, new, *statements))[:2] == [new.text, old.text]
    not_shown = [
        [replace(new, at=NEW_YEAR - timedelta(days=120))],  # said before
        [new, said(3, "A nearer one said before.", (0.0, 0.91, 0.41, 0.0), days=-9, kept=True)],
        [replace(new, role=2)],  # the assistant's
        [replace(new, importance=0.3)],
        [replace(new, vectors=((0.0, 0.1, 0.99, 0.0),))],
    ]
    for others in not_shown:
        assert new.text not in texts(recall(query, old, *others, *statements)), others


def test_a_later_statement_that_comes_far_behind_is_moved_to_the_older_one() -> None:
    query = for_prompt(ask("Which database does the backend use?", vector=unit(*EAST)))
    statements = [replace(each, importance=KEPT_IMPORTANCE) for each in OTHERS]
    old = said(1, "The backend uses MongoDB.", (0.8, 0.6, 0.0, 0.0), kept=True)
    new = said(2, "The backend has Postgres.", (0.3, 0.9, 0.3, 0.0), days=30, kept=True)
    between = [said(number, f"A database, {number}.", (0.7, 0.0, 0.7, 0.1)) for number in range(10, 15)]
    assert texts(recall(query, old, new, *between, *statements))[:2] == [new.text, old.text]


def test_what_was_said_later_comes_before_what_little_speaks_for() -> None:
    older = [said(number, f"thing{number}x", NEAR_NORTH, kept=True) for number in range(10, 16)]
    newer = said(30, "stuff", days=50)
    found = texts(recall(QUERY, OLD, *older, newer))

    assert len(found) == MIN_SHOWN_OF_FEW
    assert found.index(newer.text) <= 1 < min(found.index(each.text) for each in older if each.text in found)


def test_a_fact_is_compared_by_the_message_that_it_quotes() -> None:
    message = replace(said(1, "I hate jazz but well, I live in Nantes."), sources=(7,))
    fact = replace(message, id=2, kind=MemoryKind.FACT, vectors=())
    change = said(3, "Now I love jazz.", days=30)
    asked = replace(change, role=1 + QUESTION_FLAG, importance=KEPT_IMPORTANCE)
    far = replace(change, vectors=(EAST,))

    for later, is_alike in [(change, True), (asked, True), (far, False)]:
        [follower] = find_followers(snapshot_of(message, fact, later, FILM), np.array([1], dtype=np.intp))
        assert (follower.fact, follower.statement, follower.is_alike) == (1, 2, is_alike)
    assert not find_followers(snapshot_of(message, fact, replace(asked, importance=0.3)), np.array([1], dtype=np.intp))


def test_what_was_noted_later_follows_a_fact() -> None:
    fact = replace(OLD, kind=MemoryKind.FACT, speaker="")
    note = replace(NEW, text="Gwen no longer teaches.", kind=MemoryKind.NOTE, speaker="", role=0)
    models = replace(note, role=1)
    for later, found in ((note, 1), (models, 0)):
        assert len(find_followers(snapshot_of(fact, later), np.array([0], dtype=np.intp))) == found


def test_what_was_noted_later_comes_before_the_fact_in_any_prompt() -> None:
    lives = Known(
        id=1, text="Lives in Porto.", kind=MemoryKind.FACT, category="identity", key="location", importance=0.8, role=0
    )
    fact = replace(lives, at=NEW_YEAR - timedelta(days=9), vectors=(BETWEEN,))
    left = replace(lives, id=2, text="Has left Porto.", kind=MemoryKind.NOTE, category="", key="", vectors=(NORTH,))
    shown = texts(recall(for_prompt(ask("Suggest a book.", vector=unit(*EAST))), fact, left, *OTHERS))
    assert [text for text in shown if "Porto" in text] == [left.text, fact.text]
