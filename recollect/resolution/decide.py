"""Decide what becomes of each candidate: add, merge, replace, ignore, hold or close, with the reason. Pure."""

from collections.abc import Sequence
from dataclasses import replace

from recollect.profiles.policies import ResolvePolicy
from recollect.resolution.batch_state import (
    BatchState,
    KnownMemory,
    changes_openly,
    is_newer,
    same_slot,
    same_value,
    told_as_change,
)
from recollect.resolution.claim import Worth, weigh_claim
from recollect.resolution.compare import (
    alike,
    contradicts,
    denies,
    differs,
    never_merge,
    of_others,
    one_change_apart,
    recounts,
    same,
    says_more,
)
from recollect.resolution.correction import taken_back
from recollect.resolution.lifecycle import outlived
from recollect.resolution.outcomes import again, held, late, less_sure, plain, replacing
from recollect.resolution.replaced import replaced
from recollect.resolution.retraction import ended_facts, ended_since, forget_targets, superseded_states
from recollect.resolution.shifted import with_shifted
from recollect.resolution.slots import leaves_out, opposite_mark, slot_mark
from recollect.resolution.values import JudgeVerdict, Neighbours, Resolution, ResolvedCandidate, ResolveInputs
from recollect.types import Action, Candidate, Evidence, MemoryKind

_EVENTS = frozenset({"event", "plan"})
# What a note ends that need not be like it, and why.
_ENDINGS = (
    (ended_facts, "says that it is over"),
    (superseded_states, "says that they live elsewhere now"),
    (replaced, "names what it replaces, or gives another value of the same"),
    (outlived, "tells what ended it"),
)


def resolve(
    candidates: Sequence[tuple[Candidate, Evidence]],
    neighbours: Neighbours,
    *,
    policy: ResolvePolicy,
    context: ResolveInputs,
) -> Resolution:
    """Decide on a batch of candidates whose evidence was found.

    They are decided in order, each against what exists and what the ones before it add, so that a batch cannot
    repeat or contradict itself.

    Args:
        candidates: With the evidence of each.
        neighbours: Active memories to weigh against.
        policy: Thresholds of similarity.
        context: The time, the floors, and what is to be held.

    Returns:
        One decision a candidate, in their order.
    """
    batch = BatchState(neighbours)
    for place, (candidate, evidence) in enumerate(candidates):
        decided = _decide(batch, place, (candidate, evidence), (policy, context))
        batch.done.append(with_shifted(batch, place, (candidate, evidence), decided))
    return Resolution(resolved=tuple(batch.done))


def _decide(
    batch: BatchState, place: int, said: tuple[Candidate, Evidence], rules: tuple[ResolvePolicy, ResolveInputs]
) -> ResolvedCandidate:
    candidate, _ = said
    _, context = rules
    if place in context.held and (candidate.ends or not _is_known(batch, place, candidate)):
        return held(batch, said, context.held[place], context.waiting)
    if candidate.importance < context.min_importance:
        return plain(
            Action.IGNORE, said, f"importance {candidate.importance:.2f} is below {context.min_importance:.2f}"
        )
    if candidate.confidence < context.min_confidence:
        return plain(
            Action.IGNORE, said, f"confidence {candidate.confidence:.2f} is below {context.min_confidence:.2f}"
        )
    if candidate.forgets:
        return _forgotten(batch, place, said)
    wrong = taken_back(batch, place, said)
    if wrong:
        return replacing(batch, said, wrong, "it corrects what was said before")
    if candidate.kind is MemoryKind.FACT:
        decided = (_ended if candidate.ends else _fact)(batch, said, rules[0])
    else:
        if candidate.ends and candidate.replaces in batch.closed:
            return plain(Action.IGNORE, said, "what it ends has ended already")
        if candidate.ends:  # what the extractor names ends first, also where the note only repeats its words
            ended = _corrected(batch, place, said, plain(Action.ADD, said, "new"), rules)
            if ended.closes:
                return ended
        decided = _note(batch, place, said, rules)
    return _corrected(batch, place, said, decided, rules)


def _corrected(
    batch: BatchState,
    place: int,
    said: tuple[Candidate, Evidence],
    decided: ResolvedCandidate,
    rules: tuple[ResolvePolicy, ResolveInputs],
) -> ResolvedCandidate:
    """Do to the memory that the extractor names as corrected, if it still holds, what its word is worth."""
    (candidate, evidence), (policy, context) = said, rules
    claimed = batch.find(candidate.replaces) if candidate.replaces else None
    unsure = decided.action is Action.IGNORE and decided.target is not None and not decided.strengthens
    if claimed is None or decided.valid_to or unsure or decided.target is claimed.memory:
        return decided
    worth, reason = weigh_claim(candidate, evidence, claimed, context.messages.get(place, candidate.quote), policy)
    if worth is Worth.DOUBTED:
        worth, reason = _asked(claimed, context.judged.get(place), reason)
    if worth is Worth.TAKEN and is_newer(evidence, claimed):
        return _with_closing(batch, said, decided, claimed, reason)
    if worth is Worth.TAKEN:
        return late(said, claimed) if decided.adds and not candidate.ends else decided
    told = f"{decided.reason}; the extractor would correct another memory, but {reason}"
    return replace(decided, reason=told, doubted=claimed.memory if worth is Worth.DOUBTED else None)


def _asked(claimed: KnownMemory, verdict: JudgeVerdict | None, reason: str) -> tuple[Worth, str]:
    """Settle a doubt by the word of the model that was asked, if it was."""
    if verdict is None or claimed.memory is None:
        return Worth.DOUBTED, reason
    if verdict.action is Action.REPLACE and verdict.target == claimed.memory.id:
        return Worth.TAKEN, "a model says that it corrects this"
    return Worth.REFUSED, f"{reason}, and {verdict.problem or 'a model does not say so'}"


def _with_closing(
    batch: BatchState, said: tuple[Candidate, Evidence], decided: ResolvedCandidate, claimed: KnownMemory, reason: str
) -> ResolvedCandidate:
    """Close the memory that the extractor names, beside what was decided on the candidate itself."""
    candidate, _ = said
    more = says_more(candidate.text, claimed.text) and not recounts(candidate.text, claimed.text)
    refined = more and not candidate.ends
    closes = (*decided.closes, *batch.end_claimed(claimed, said, refined=refined))
    told = f"the extractor names it as what this corrects: {reason}"
    if decided.target or (decided.action is Action.IGNORE and not candidate.ends):
        return replace(decided, closes=closes)
    if candidate.ends:
        return replace(decided, action=Action.CLOSE, target=claimed.memory, closes=closes, reason=told)
    return replace(decided, action=Action.REPLACE, target=claimed.memory, closes=closes, reason=told)


def _is_known(batch: BatchState, place: int, candidate: Candidate) -> bool:
    """Whether the very same holds already: somebody approved it, or said it by hand."""
    if candidate.kind is MemoryKind.FACT:
        return any(same_slot(candidate, known) and same_value(candidate, known) for known in batch.facts())
    return any(same(candidate.text, known.text) for known, _ in batch.notes(place))


def _fact(batch: BatchState, said: tuple[Candidate, Evidence], policy: ResolvePolicy) -> ResolvedCandidate:
    candidate, evidence = said
    ruled_out = opposite_mark(candidate.key, candidate.value)
    here = [known for known in batch.facts() if same_slot(candidate, known)]
    against = [
        known
        for known in batch.facts()
        if slot_mark(known.key, known.value) == ruled_out or _leaves_out(candidate, known)
    ]
    for known in here:
        if same_value(candidate, known):
            return again(batch, said, known, Action.IGNORE, "this is known already")
    rivals = [*here, *against]
    if not rivals:
        return plain(Action.ADD, said, "new")
    for known in rivals:
        if not is_newer(evidence, known):
            return late(said, known)
    named = any(known.memory and known.memory.id == candidate.replaces for known in rivals)
    openly = policy.change_beats_confidence and (changes_openly(candidate) or named)
    for known in rivals:
        if candidate.confidence < known.confidence and not openly:
            return less_sure(said, known)
    return replacing(
        batch, said, rivals, "a newer value of the same slot" if here else "a newer statement of the opposite"
    )


def _leaves_out(candidate: Candidate, known: KnownMemory) -> bool:
    return leaves_out(candidate.key, candidate.value, known.key, known.value)


def _ended(batch: BatchState, said: tuple[Candidate, Evidence], policy: ResolvePolicy) -> ResolvedCandidate:
    candidate, evidence = said
    ending = [
        known
        for known in batch.facts()
        if same_slot(candidate, known) and (not candidate.value or same_value(candidate, known))
    ]
    if not ending:
        return plain(Action.IGNORE, said, "nothing known that it would end")
    if not all(is_newer(evidence, known) for known in ending):
        return plain(Action.IGNORE, said, "said before what it would end")
    surer = [known for known in ending if known.confidence > candidate.confidence]
    if surer and not policy.change_beats_confidence:
        return less_sure(said, surer[0])
    closes = [closing for known in ending for closing in batch.end(known, candidate.valid_from, evidence)]
    return ResolvedCandidate(
        action=Action.CLOSE,
        candidate=candidate,
        evidence=(evidence,),
        target=closes[0].memory if closes else None,
        reason="it is said to have ended",
        closes=tuple(closes),
    )


def _forgotten(batch: BatchState, place: int, said: tuple[Candidate, Evidence]) -> ResolvedCandidate:
    candidate, evidence = said
    meant = forget_targets(batch, place, said)
    closes = [closing for known in meant for closing in batch.end(known, evidence.said_at, evidence)]
    if not meant:
        return plain(Action.IGNORE, said, "nothing known that it would end")
    return ResolvedCandidate(
        action=Action.CLOSE,
        candidate=candidate,
        evidence=(evidence,),
        target=closes[0].memory if closes else None,
        reason="it is to be forgotten",
        closes=tuple(closes),
    )


def _ending_nothing(batch: BatchState, said: tuple[Candidate, Evidence]) -> ResolvedCandidate:
    """Decide on the end of something that is not known, or not any more."""
    candidate, _ = said
    if candidate.replaces and batch.find(candidate.replaces) is None:
        return plain(Action.IGNORE, said, "what it would end has ended already")
    return plain(Action.ADD, said, "new; nothing known that it would end")


def _note(
    batch: BatchState, place: int, said: tuple[Candidate, Evidence], rules: tuple[ResolvePolicy, ResolveInputs]
) -> ResolvedCandidate:
    candidate, _ = said
    policy, context = rules
    near = [*batch.notes(place)]
    near += [(known, context.similar(known.place or 0, place)) for known in batch.added_notes()]
    near.sort(key=lambda pair: -pair[1])
    for known, _ in near:
        if same(candidate.text, known.text):
            return again(batch, said, known, Action.IGNORE, "the same words are known already")
    for ended_by, reason in _ENDINGS:
        ended = ended_by(batch, place, said)
        if ended:
            return replacing(batch, said, ended, reason)
    later = ended_since(batch, place, said)
    if later:
        return late(said, later)
    for known, similarity in near:
        decided = _against(batch, said, known, (policy, similarity))
        if decided:
            return decided
    if candidate.ends:
        return _ending_nothing(batch, said)
    verdict = context.judged.get(place)
    return _judged(batch, said, verdict) if verdict else plain(Action.ADD, said, "new")


def _judged(batch: BatchState, said: tuple[Candidate, Evidence], verdict: JudgeVerdict) -> ResolvedCandidate:
    """Follow a model's word as far as the rules allow it; else add, and say why."""
    candidate, evidence = said
    if verdict.action is Action.ADD:
        return plain(Action.ADD, said, "new, says a model that saw what is near")
    known = batch.find(verdict.target) if verdict.target else None
    if verdict.action is None or known is None:
        return plain(Action.ADD, said, f"new; {verdict.problem or 'what a model would put it to has just ended'}")
    if verdict.action is Action.REPLACE:
        if is_newer(evidence, known):
            return replacing(batch, said, [known], "a model says that it corrects this")
        return replace(
            late(said, known), reason="a model would put it in the place of what is not older: stored as ended"
        )
    against = differs(candidate.text, known.text)
    if against is not None:
        return plain(Action.ADD, said, f"new; a model takes it for what is known, but {against}")
    if not says_more(candidate.text, known.text):
        return again(batch, said, known, verdict.action, "a model says that this is known")
    if is_newer(evidence, known):
        return replacing(batch, said, [known], "a model says that this is known; it says more", refined=True)
    return plain(Action.ADD, said, "new; a model takes it for what is known, but it says more")


def _against(
    batch: BatchState, said: tuple[Candidate, Evidence], known: KnownMemory, measure: tuple[ResolvePolicy, float]
) -> ResolvedCandidate | None:
    """Weigh a note against one near it; None where they stand side by side."""
    candidate, evidence = said
    policy, similarity = measure
    lasting = known.type not in _EVENTS and candidate.type not in _EVENTS
    newer = is_newer(evidence, known)
    if lasting and contradicts(candidate.text, known.text):
        return replacing(batch, said, [known], "says the opposite and is newer") if newer else late(said, known)
    # A record tells of a moment: another one in like words tells of another moment.
    how = None if candidate.detail.summary else alike(candidate.text, known.text, policy, similarity)
    if how is None:
        return None
    differs = never_merge(candidate.text, known.text)
    if differs is None:
        if not says_more(candidate.text, known.text):
            return again(batch, said, known, Action.MERGE, f"says the same ({how})")
        if newer:
            return replacing(batch, said, [known], f"says the same and more ({how})", refined=True)
        return None  # what an older statement has beyond a newer one is worth a memory of its own
    if of_others(candidate.text, known.text) or not one_change_apart(candidate.text, known.text):
        return None
    # Two things that both ended are two things: 'no longer eats eggs' says nothing of 'no longer eats fish'.
    if not lasting or known.place is not None:
        return None
    if newer and changes_openly(candidate) and not denies(candidate.text):
        return replacing(batch, said, [known], f"speaks of a change: {differs}")
    if not newer and told_as_change(known) and not denies(known.text):
        return late(said, known)
    return None
