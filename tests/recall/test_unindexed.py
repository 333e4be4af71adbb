"""Messages that are no quotations yet are ranked among the memories, and put first."""

from dataclasses import replace

import numpy as np

from candidates import evidence
from factories import ANA
from snapshots import NOON, Known, snapshot_of, unit
from toldonce.ids import is_unstored, unstored_id
from toldonce.recall.as_of import SnapshotItem
from toldonce.recall.unindexed import with_unindexed
from toldonce.text import source_key, terms
from toldonce.types import Memory, MemoryId, MemoryKind

EAST = (1.0, 0.0, 0.0, 0.0)
CAR = Known(id=1, text="My car is at the garage.", kind=MemoryKind.TURN, vectors=(EAST,), sources=(5,))


def said(text: str, seq: int) -> SnapshotItem:
    source = replace(evidence(), seq=seq)
    memory = Memory(
        id=MemoryId(unstored_id(source_key(source.conversation, seq))),
        subject=ANA,
        kind=MemoryKind.TURN,
        text=text,
        speaker="user",
        valid_from=NOON,
        known_from=NOON,
        evidence=(source,),
    )
    return SnapshotItem(memory=memory, vectors=[unit(*EAST)], terms=terms(text))


def test_messages_follow_the_memories_of_a_snapshot() -> None:
    snapshot = snapshot_of(CAR)
    whole = with_unindexed(snapshot, [said("I live in Bergen now.", 7), said("I sold the car.", 8)])

    assert len(whole) == 3
    assert sorted(whole.ids) == list(whole.ids)
    assert [is_unstored(id_) for id_ in whole.ids] == [False, True, True]
    assert whole.vector_of.tolist() == [0, 1, 2]
    assert np.asarray(whole.vectors).shape == (3, 4)
    assert whole.term_start[-1] == len(whole.terms)
    assert whole.source_start[-1] == len(whole.source_key)
    assert len(snapshot) == 1


def test_a_message_that_was_indexed_meanwhile_counts_once() -> None:
    message = said("I live in Bergen now.", 7)
    key = source_key(message.memory.evidence[0].conversation, 7)
    snapshot = snapshot_of(Known(id=1, text="I live in Bergen now.", kind=MemoryKind.TURN, sources=(key,)))

    assert with_unindexed(snapshot, [message]) is snapshot


def test_messages_are_all_there_is_of_a_new_user() -> None:
    assert len(with_unindexed(snapshot_of(), [said("I live in Bergen now.", 7)])) == 1
