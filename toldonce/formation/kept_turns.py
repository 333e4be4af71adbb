"""Weigh quotations of what users said about themselves, which the learned gate keeps. Pure.

A kept message is no second memory: its own quotation counts for more, and is listed among what is known.
"""

from collections.abc import Mapping, Sequence

import numpy as np

from toldonce.extraction.rules.summary import are_safe_to_show
from toldonce.ids import id_text
from toldonce.text import source_key
from toldonce.types import (
    KEPT_IMPORTANCE,
    AddMemory,
    Change,
    LoggedMessage,
    MemoryId,
    MemoryKind,
    MemoryState,
    StrengthenMemory,
    SubjectSnapshot,
)

# The most that a kept quotation is worth: less than what is known for sure.
_MAX_IMPORTANCE = 0.8


def kept_turns(
    kept: Mapping[int, float], messages: Sequence[LoggedMessage], snapshot: SubjectSnapshot
) -> list[StrengthenMemory]:
    """Return the new weights of the quotations of messages worth keeping.

    Args:
        kept: By `seq` the probability of a message worth keeping.
        messages: Messages of one conversation that may be kept.
        snapshot: The subject's active memories, the quotations of these messages among them.
    """
    places: dict[int, int] = {}
    owners = np.repeat(np.arange(len(snapshot)), np.diff(snapshot.source_start))
    for row in np.flatnonzero((snapshot.kinds == MemoryKind.TURN.number)[owners]) if kept else ():
        places[int(snapshot.source_key[row])] = int(owners[row])
    changes: list[StrengthenMemory] = []
    for message in messages:
        place = places.get(source_key(message.conversation, message.seq))
        if place is None or message.seq not in kept or not are_safe_to_show(message):
            continue
        weight = KEPT_IMPORTANCE + (_MAX_IMPORTANCE - KEPT_IMPORTANCE) * kept[message.seq]
        changes.append(StrengthenMemory(id=MemoryId(id_text(snapshot.ids[place])), importance=round(weight, 2)))
    return changes


def without_held(said: Sequence[LoggedMessage], changes: Sequence[Change]) -> list[LoggedMessage]:
    """Return the messages of which nothing waits for review."""
    held = {
        source.seq
        for change in changes
        if isinstance(change, AddMemory) and change.memory.state is MemoryState.HELD
        for source in change.memory.evidence
    }
    return [message for message in said if message.seq not in held]
