"""What becomes of a candidate: held, added, merged, in the place of another, stored as ended, or ignored. Pure."""

from collections.abc import Sequence

from recollect.resolution.batch_state import BatchState, KnownMemory
from recollect.resolution.compare import same
from recollect.resolution.values import EndedMemory, ResolvedCandidate
from recollect.types import Action, Candidate, Evidence

# What saying a thing again adds to its importance, and the most that repetition alone can reach.
RAISE, HIGHEST_RAISED = 0.05, 0.95


def held(batch: BatchState, said: tuple[Candidate, Evidence], reason: str, waiting: Sequence[str]) -> ResolvedCandidate:
    """Hold a candidate for review, once however often it is repeated."""
    here = [one.candidate.text for one in batch.done if one.action is Action.HOLD]
    if any(same(said[0].text, text) for text in (*waiting, *here)):
        return plain(Action.IGNORE, said, f"waits for review already: {reason}")
    if said[0].ends:  # approved, it would hold what it says to be over
        return plain(Action.IGNORE, said, f"an end is not taken from what must be reviewed: {reason}")
    return plain(Action.HOLD, said, reason)


def plain(action: Action, said: tuple[Candidate, Evidence], reason: str) -> ResolvedCandidate:
    """Decide on a candidate without touching a memory."""
    return ResolvedCandidate(action=action, candidate=said[0], evidence=(said[1],), reason=reason)


def again(
    batch: BatchState, said: tuple[Candidate, Evidence], known: KnownMemory, action: Action, reason: str
) -> ResolvedCandidate:
    """Strengthen what is known already, in the store or in the batch."""
    candidate, evidence = said
    if known.place is not None:
        batch.add_evidence(known.place, evidence)
        return plain(Action.IGNORE, said, f"{reason} (said more than once here)")
    highest = max(known.importance, candidate.importance)
    raised = max(highest, min(highest + RAISE, HIGHEST_RAISED)) if action is Action.MERGE else highest
    return ResolvedCandidate(
        action=action,
        candidate=candidate,
        evidence=(evidence,),
        target=known.memory,
        reason=reason,
        strengthens=True,
        importance=raised,
    )


def replacing(
    batch: BatchState,
    said: tuple[Candidate, Evidence],
    old: Sequence[KnownMemory],
    reason: str,
    *,
    refined: bool = False,
) -> ResolvedCandidate:
    """Let a candidate take the place of what it contradicts."""
    candidate, evidence = said
    closes: list[EndedMemory] = []
    for known in old:
        closes.extend(batch.end(known, candidate.valid_from, evidence, refined=refined))
    target = next((known.memory for known in old if known.memory), None)
    return ResolvedCandidate(
        action=Action.REPLACE if target else Action.ADD,
        candidate=candidate,
        evidence=(evidence,),
        target=target,
        reason=reason,
        closes=tuple(closes),
    )


def late(said: tuple[Candidate, Evidence], known: KnownMemory) -> ResolvedCandidate:
    """Store a candidate as ended: it was said before what holds now."""
    candidate, evidence = said
    return ResolvedCandidate(
        action=Action.ADD,
        candidate=candidate,
        evidence=(evidence,),
        target=known.memory,
        reason="said before what holds now: stored as ended",
        valid_to=max(known.valid_from, candidate.valid_from),
        ended_by=max(known.said, key=lambda one: (one.said_at, one.seq), default=None),
    )


def less_sure(said: tuple[Candidate, Evidence], known: KnownMemory) -> ResolvedCandidate:
    """Ignore a candidate that is less sure than what it contradicts."""
    candidate, evidence = said
    reason = f"less sure ({candidate.confidence:.2f}) than what is known ({known.confidence:.2f})"
    return ResolvedCandidate(
        action=Action.IGNORE, candidate=candidate, evidence=(evidence,), target=known.memory, reason=reason
    )
