"""Evidence from neighbours: the question that a message answers, the answer it got, the note made of it. Pure.

The words of a message alone often do not tell whether it holds the answer: "Yes, a golden one, called Rex" answers what
was asked before. So a quotation gets a share of its neighbours' evidence; the less it says itself, the larger the
share. LoCoMo's short messages gain nine points of R@10 by this, BEAM's long ones a little.

A message and the notes and facts formed from it support each other as well: the note inherits the evidence around its
message, the message gets a share of the note's. This is computed for the best memories of a subject only.
"""

import numpy as np
import numpy.typing as npt

from toldonce.recall.top_k import top_k
from toldonce.types import QUESTION_FLAG, MemoryKind, SubjectSnapshot

Floats = npt.NDArray[np.float64]

# Log-odds that a message keeps to itself: half of all messages are above the subject's mean, which is no reason to
# prefer their neighbours. From 1 to 1.5 recall is the same; at 0, conversations that often change their topic lose.
KEPT = 1.2
# Share of the rest that the previous and the next message give, and the factor for those one further away: a question
# leads to its answer more often than the reverse. A third more or less of each changes half a point.
BEFORE, AFTER = 0.7, 0.5
BEYOND = 0.5
# A question gives its neighbours this much more than another message: the answer contains what is searched for.
ASKING_SHARE = 0.5
# Length in terms of a message that gets half of its neighbours' share: 20 to 60 find the same.
OWN_TERMS = 30
# A message of so few terms, about three words ("Sounds great!"), says nothing that its neighbours could lend weight to,
# unless it answers a question ("Oslo."). Of those found in LoCoMo, 3 % were evidence, of all 10 %.
BRIEF_TERMS = 2
# Messages further apart than this belong to different sittings.
_SITTING_US = 3_600 * 1_000_000
# Share of the evidence for a note or fact that its message gets: 0.2 to 0.5 are within a point.
LINKED = 0.3
# Links are followed for this many of the best memories: twenty times as many as are shown.
_LINKS_OF = 200
_LOW_BITS = 0xFFFF
_NOTE, _FACT = MemoryKind.NOTE.number, MemoryKind.FACT.number
_TURN = MemoryKind.TURN.number


def adjacency_signal(snapshot: SubjectSnapshot, own: Floats) -> Floats | None:
    """Return what the neighbours and links of each memory add to its evidence.

    Quotations are neighbours if one was said after the other, within a sitting; a note or fact is linked with its
    source messages. A quotation that was shortened later has a new id, so the order is by time, then by id.

    Args:
        snapshot: The subject's memories.
        own: n: evidence for each memory itself, 0 being none.

    Returns:
        n: log-odds, 0 or more; None with fewer than two quotations.
    """
    turns = np.flatnonzero(snapshot.kinds == _TURN)
    if len(turns) < 2:
        return None
    gaps = np.diff(snapshot.valid_from[turns])
    if gaps.min() < 0:
        turns = turns[np.argsort(snapshot.valid_from[turns], kind="stable")]
        gaps = np.diff(snapshot.valid_from[turns])
    asking = snapshot.roles[turns] >= QUESTION_FLAG
    given = np.maximum(own[turns] - KEPT, 0) * (1 + ASKING_SHARE * asking)
    together = gaps <= _SITTING_US
    before, after = _shifted(given, together)
    before_that, _ = _shifted(before, together)
    _, after_that = _shifted(after, together)
    around = BEFORE * (before + BEYOND * before_that) + AFTER * (after + BEYOND * after_that)
    length = snapshot.length[turns]
    brief = length <= BRIEF_TERMS
    if brief.any():
        answered, _ = _shifted(given * asking, together)
        around[brief] = BEFORE * answered[brief]
    signal = np.zeros(len(snapshot))
    signal[turns] = around * (OWN_TERMS / (OWN_TERMS + length))
    if len(turns) < len(snapshot):
        _link(snapshot, own, signal)
    return signal


def _shifted(given: Floats, together: npt.NDArray[np.bool_]) -> tuple[Floats, Floats]:
    """Return the value of the predecessor and of the successor of each."""
    before, after = np.zeros(len(given)), np.zeros(len(given))
    before[1:] = given[:-1] * together
    after[:-1] = given[1:] * together
    return before, after


def _link(snapshot: SubjectSnapshot, own: Floats, around: Floats) -> None:
    """Add the evidence of linked memories to the best memories and to those that share a source with them."""
    wanted = np.unique(_sources(snapshot, top_k(own + around, _LINKS_OF)))
    if not len(wanted):
        return
    # Few keys share their last bits with a wanted one: a table of these bits is ten times as fast as a search.
    likely = np.zeros(_LOW_BITS + 1, dtype=np.bool_)
    likely[wanted & _LOW_BITS] = True
    entries = np.flatnonzero(likely[snapshot.source_key & _LOW_BITS])
    keys = snapshot.source_key[entries]
    at = np.minimum(wanted.searchsorted(keys), len(wanted) - 1)
    same = wanted[at] == keys
    owner, message = snapshot.source_start.searchsorted(entries[same], side="right") - 1, at[same]
    kind = snapshot.kinds[owner]
    quoted, distilled = kind == _TURN, (kind == _NOTE) | (kind == _FACT)
    around_message, from_notes = np.zeros(len(wanted)), np.zeros(len(wanted))
    np.maximum.at(around_message, message[quoted], around[owner[quoted]])
    np.maximum.at(from_notes, message[distilled], own[owner[distilled]])
    np.maximum.at(around, owner[distilled], around_message[message[distilled]])
    np.add.at(around, owner[quoted], LINKED * from_notes[message[quoted]])


def _sources(snapshot: SubjectSnapshot, places: npt.NDArray[np.intp]) -> npt.NDArray[np.int64]:
    """Return the source keys of some memories."""
    start, end = snapshot.source_start[places], snapshot.source_start[places + 1]
    size = end - start
    offset = np.repeat(start - np.concatenate([[0], np.cumsum(size)[:-1]]), size)
    keys: npt.NDArray[np.int64] = snapshot.source_key[offset + np.arange(len(offset))]
    return keys
