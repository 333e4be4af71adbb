"""Rules that decide on notes; `decide` has their order. Pure."""

from dataclasses import replace

from toldonce.resolution.batch_state import Case, KnownMemory, is_newer
from toldonce.resolution.compare import alike, differs, never_merge, same, says_more
from toldonce.resolution.outcomes import outcome, replace_known, store_as_ended, strengthen
from toldonce.resolution.values import Claim, JudgeVerdict, ResolvedCandidate
from toldonce.types import Action

REWRITTEN = "a model says that a part of this changed, and rewrote it with what still holds"


def repeat_known_words(case: Case) -> ResolvedCandidate | None:
    """Strengthen a note that has the same words."""
    for known, _ in case.near:
        if same(case.candidate.text, known.text):
            return strengthen(case.batch, case.claim, known, Action.IGNORE, "the same words are known already")
    return None


def merge_near_notes(case: Case) -> ResolvedCandidate | None:
    """Merge with the most similar note that says the same, if one does."""
    for known, similarity in case.near:
        decided = _merged(case, known, similarity)
        if decided:
            return decided
    return None


def decide_end_of_nothing(case: Case) -> ResolvedCandidate | None:
    """Decide on the end of something that is not known, or not any more."""
    candidate = case.candidate
    if not candidate.ends:
        return None
    if candidate.replaces and case.batch.find(candidate.replaces) is None:
        return outcome(Action.IGNORE, case.claim, "what it would end has ended already")
    return outcome(Action.ADD, case.claim, "new; nothing known that it would end")


def rewritten(claim: Claim, verdict: JudgeVerdict) -> Claim:
    """Give a claim the words in which a model rewrote the memory, with what still holds of it."""
    if not verdict.text:
        return claim
    return replace(claim, candidate=replace(claim.candidate, text=verdict.text, ends=False))


def follow_judge(case: Case) -> ResolvedCandidate | None:
    """Follow a model's verdict, if one was asked for, as far as the rules allow it; else add, and say why."""
    verdict = case.inputs.judged.get(case.place)
    if verdict is None:
        return None
    batch, claim, text = case.batch, case.claim, case.candidate.text
    if verdict.action is Action.ADD:
        return outcome(Action.ADD, claim, "new, says a model that saw what is near")
    known = batch.find(verdict.target) if verdict.target else None
    if verdict.action is None or known is None:
        problem = verdict.problem or "what a model would put it to has just ended"
        return outcome(Action.ADD, claim, f"new; {problem}")
    newer = is_newer(case.evidence, known)
    if verdict.action is Action.REPLACE:
        if newer:
            reason = REWRITTEN if verdict.text else "a model says that it corrects this"
            return replace_known(batch, rewritten(claim, verdict), [known], reason)
        reason = "a model would put it in the place of what is not older: stored as ended"
        return replace(store_as_ended(claim, known), reason=reason)
    against = differs(text, known.text)
    if against is not None:
        return outcome(Action.ADD, claim, f"new; a model takes it for what is known, but {against}")
    if not says_more(text, known.text):
        return strengthen(batch, claim, known, verdict.action, "a model says that this is known")
    if newer:
        return replace_known(batch, claim, [known], "a model says that this is known; it says more", refined=True)
    return outcome(Action.ADD, claim, "new; a model takes it for what is known, but it says more")


def _how_alike(case: Case, known: KnownMemory, similarity: float) -> str | None:
    """Say by what two notes are alike enough to be one; None where they are not."""
    # A record tells of a moment: another one in like words tells of another moment.
    return None if case.candidate.detail.summary else alike(case.candidate.text, known.text, case.policy, similarity)


def _merged(case: Case, known: KnownMemory, similarity: float) -> ResolvedCandidate | None:
    """Merge with a note that says the same, or replace it by a fuller one; None where both are worth a memory."""
    candidate, how = case.candidate, _how_alike(case, known, similarity)
    if how is None or never_merge(candidate.text, known.text) is not None:
        return None
    if not says_more(candidate.text, known.text):
        return strengthen(case.batch, case.claim, known, Action.MERGE, f"says the same ({how})")
    if is_newer(case.evidence, known):
        return replace_known(case.batch, case.claim, [known], f"says the same and more ({how})", refined=True)
    return None
