"""What was said just before and after a message speaks for it, too: the question it answers, the answer it got. Pure.

Which message of a conversation holds the answer, its words alone often do not tell: "Yes, a golden one, called Rex"
answers what was asked before. So a quotation gets a share of what speaks for its neighbours, the larger, the less it
says itself. LoCoMo's short messages gain nine points of R@10 by it; BEAM's long ones a little.

What was distilled from a message and the message speak for each other, too: a note stands where its message stood, and
a message that a fitting note was made of fits better. That is worked out for the best of a subject only.
"""

import numpy as np
import numpy.typing as npt

from recollect.recall.top_k import top_k
from recollect.types import QUESTION_FLAG, MemoryKind, SubjectSnapshot

Floats = npt.NDArray[np.float64]

# Log-odds that a message keeps to itself: half of all lie above the subject's mean, which is no reason to prefer their
# neighbours. From 1 to 1.5 recall is the same; at 0 conversations that change their subject with each message lose.
KEPT = 1.2
# What counts of the rest for the message before and the one after, and of each beyond these: a question leads to its
# answer more often than the reverse. Each may be a third more or less for half a point.
BEFORE, AFTER = 0.7, 0.5
BEYOND = 0.5
# What a question speaks for its neighbours more than another message: what is asked for stands in the answer.
ASKING_SHARE = 0.5
# Terms of a message that gets half of that: 20 to 60 find the same, for short messages and for long ones.
OWN_TERMS = 30
# Messages further apart than this are of different sittings.
_SITTING_US = 3_600 * 1_000_000
# What counts of the evidence for a note or fact beside its message's own: 0.2 to 0.5 are within a point.
LINKED = 0.3
# The best memories by all other evidence, whose links are followed: twenty times as many as are shown.
_LINKS_OF = 200
_LOW_BITS = 0xFFFF
_NOTE, _FACT = MemoryKind.NOTE.number, MemoryKind.FACT.number
_TURN = MemoryKind.TURN.number


def adjacency_signal(hot: SubjectSnapshot, own: Floats) -> Floats | None:
    """Weigh each quotation by what stands around it in its conversation, and what is linked with it.

    Quotations are neighbours where they follow each other by id and were said within a sitting; a note or fact is
    linked with the messages it rests on.

    Args:
        hot: The subject's memories.
        own: n: what speaks for each memory itself, 0 being nothing.

    Returns:
        n: log-odds, 0 or more; None where there are no two quotations.
    """
    turns = np.flatnonzero(hot.kinds == _TURN)
    if len(turns) < 2:
        return None
    felt = np.maximum(own[turns] - KEPT, 0) * (1 + ASKING_SHARE * (hot.roles[turns] >= QUESTION_FLAG))
    together = np.abs(np.diff(hot.valid_from[turns])) <= _SITTING_US
    before, after = _shifted(felt, together)
    before_that, _ = _shifted(before, together)
    _, after_that = _shifted(after, together)
    around = BEFORE * (before + BEYOND * before_that) + AFTER * (after + BEYOND * after_that)
    found = np.zeros(len(hot))
    found[turns] = around * (OWN_TERMS / (OWN_TERMS + hot.length[turns]))
    if len(turns) < len(hot):
        _link(hot, own, found)
    return found


def _shifted(felt: Floats, together: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return for each what its predecessor and its successor have."""
    before, after = np.zeros(len(felt)), np.zeros(len(felt))
    before[1:] = felt[:-1] * together
    after[:-1] = felt[1:] * together
    return before, after


def _link(hot: SubjectSnapshot, own: Floats, around: Floats) -> None:
    """Add to the best memories, and to what shares a source with them, what the linked ones say."""
    wanted = np.unique(_sources(hot, top_k(own + around, _LINKS_OF)))
    if not len(wanted):
        return
    # Few keys share their last bits with one that is wanted: looking those up in a table is ten times as fast.
    likely = np.zeros(_LOW_BITS + 1, dtype=np.bool_)
    likely[wanted & _LOW_BITS] = True
    entries = np.flatnonzero(likely[hot.source_key & _LOW_BITS])
    keys = hot.source_key[entries]
    at = np.minimum(wanted.searchsorted(keys), len(wanted) - 1)
    same = wanted[at] == keys
    owner, message = hot.source_start.searchsorted(entries[same], side="right") - 1, at[same]
    kind = hot.kinds[owner]
    quoted, distilled = kind == _TURN, (kind == _NOTE) | (kind == _FACT)
    stood, said = np.zeros(len(wanted)), np.zeros(len(wanted))
    np.maximum.at(stood, message[quoted], around[owner[quoted]])
    np.maximum.at(said, message[distilled], own[owner[distilled]])
    np.maximum.at(around, owner[distilled], stood[message[distilled]])
    np.add.at(around, owner[quoted], LINKED * said[message[quoted]])


def _sources(hot: SubjectSnapshot, places: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Return the sources of some memories."""
    start, end = hot.source_start[places], hot.source_start[places + 1]
    size = end - start
    offset = np.repeat(start - np.concatenate([[0], np.cumsum(size)[:-1]]), size)
    keys: npt.NDArray[np.int64] = hot.source_key[offset + np.arange(len(offset))]
    return keys
