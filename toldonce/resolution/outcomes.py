"""What becomes of a candidate: held, added, merged, in the place of another, stored as ended, or ignored. Pure."""

from collections.abc import Sequence

from toldonce.resolution.batch_state import BatchState, Case, KnownMemory
from toldonce.resolution.relation import same
from toldonce.resolution.values import Claim, EndedMemory, ResolvedCandidate
from toldonce.types import Action

# What saying a thing again adds to its importance, and the highest importance that repetition alone reaches.
REPETITION_BONUS, MAX_REPEATED_IMPORTANCE = 0.05, 0.95


def hold(case: Case, reason: str) -> ResolvedCandidate:
    """Hold a candidate for review, once however often it is repeated."""
    claim = case.claim
    waiting = [done.candidate.text for done in case.batch.done if done.action is Action.HOLD]
    if any(same(claim.candidate.text, text) for text in (*case.inputs.waiting, *waiting)):
        return outcome(Action.IGNORE, claim, f"waits for review already: {reason}")
    if claim.candidate.ends:  # approved, it would hold what it says to be over
        return outcome(Action.IGNORE, claim, f"an end is not taken from what must be reviewed: {reason}")
    return outcome(Action.HOLD, claim, reason)


def outcome(action: Action, claim: Claim, reason: str) -> ResolvedCandidate:
    """Decide on a candidate without touching a memory."""
    return ResolvedCandidate(action=action, candidate=claim.candidate, evidence=(claim.evidence,), reason=reason)


def strengthen(batch: BatchState, claim: Claim, known: KnownMemory, action: Action, reason: str) -> ResolvedCandidate:
    """Strengthen what is known already, in the store or in the batch."""
    if known.place is not None:
        batch.add_evidence(known.place, claim.evidence)
        return outcome(Action.IGNORE, claim, f"{reason} (said more than once here)")
    highest = max(known.importance, claim.candidate.importance)
    raised = max(highest, min(highest + REPETITION_BONUS, MAX_REPEATED_IMPORTANCE))
    return ResolvedCandidate(
        action=action,
        candidate=claim.candidate,
        evidence=(claim.evidence,),
        target=known.memory,
        reason=reason,
        strengthens=True,
        importance=raised if action is Action.MERGE else highest,
    )


def replace_known(batch: BatchState, claim: Claim, old: Sequence[KnownMemory], reason: str) -> ResolvedCandidate:
    """Let a candidate take the place of what it contradicts."""
    closes: list[EndedMemory] = []
    for known in old:
        closes.extend(batch.end(known, claim.candidate.valid_from, claim.candidate))
    target = next((known.memory for known in old if known.memory), None)
    return ResolvedCandidate(
        action=Action.REPLACE if old else Action.ADD,
        candidate=claim.candidate,
        evidence=(claim.evidence,),
        target=target,
        reason=reason,
        closes=tuple(closes),
    )


def close_known(claim: Claim, closes: Sequence[EndedMemory], reason: str) -> ResolvedCandidate:
    """Close memories and add nothing."""
    return ResolvedCandidate(
        action=Action.CLOSE,
        candidate=claim.candidate,
        evidence=(claim.evidence,),
        target=closes[0].memory if closes else None,
        reason=reason,
        closes=tuple(closes),
    )


def store_as_ended(claim: Claim, known: KnownMemory) -> ResolvedCandidate:
    """Store a candidate as ended: it was said before what holds now."""
    return ResolvedCandidate(
        action=Action.ADD,
        candidate=claim.candidate,
        evidence=(claim.evidence,),
        target=known.memory,
        reason="said before what holds now: stored as ended",
        valid_to=max(known.valid_from, claim.candidate.valid_from),
    )


def ignore_less_sure(claim: Claim, known: KnownMemory) -> ResolvedCandidate:
    """Ignore a candidate that is less sure than what it contradicts."""
    return ResolvedCandidate(
        action=Action.IGNORE,
        candidate=claim.candidate,
        evidence=(claim.evidence,),
        target=known.memory,
        reason=f"less sure ({claim.candidate.confidence:.2f}) than what is known ({known.confidence:.2f})",
    )
