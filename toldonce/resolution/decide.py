"""Decide what becomes of each candidate: add, merge, replace, ignore, hold or close, with the reason. Pure.

The rules are in `FINAL_RULES`, `FACT_RULES` and `NOTE_RULES`, in the order in which they are asked; the first that
decides has decided. What a candidate does to a memory, `relation` alone tells them: by the words, by a slot of the same
speaker; beside it a request to forget (`_forget`), and a model's own word (`MODEL_RULES`, `_with_correction`).
"""

from collections.abc import Callable, Sequence
from dataclasses import replace

from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.batch_state import BatchState, Case, KnownMemory, concerns, is_newer, same_slot, same_value
from toldonce.resolution.extractor_word import Worth, may_repeat, weigh_correction
from toldonce.resolution.forget_targets import forget_targets
from toldonce.resolution.outcomes import (
    close_known,
    hold,
    ignore_less_sure,
    outcome,
    replace_known,
    store_as_ended,
    strengthen,
)
from toldonce.resolution.plans import as_plan, change_of
from toldonce.resolution.relation import Relation, differs, relation, same, says_more, says_same
from toldonce.resolution.values import Claim, JudgeVerdict, Neighbours, Resolution, ResolvedCandidate, ResolveInputs
from toldonce.types import Action, MemoryKind

Rule = Callable[[Case], ResolvedCandidate | None]
"""Decides on a claim, or returns None to leave it to the next rule."""
_REWRITTEN = "a model says that a part of this changed, and rewrote it with what still holds"


def resolve(
    claims: Sequence[Claim], neighbours: Neighbours, *, policy: ResolvePolicy, inputs: ResolveInputs
) -> Resolution:
    """Decide on a batch of claims.

    They are decided in order, each against what exists and what the ones before it add, so that a batch cannot
    repeat or contradict itself.

    Args:
        claims: Candidates with the messages that prove them.
        neighbours: Active memories to weigh against.
        policy: Thresholds of similarity.
        inputs: The time, the floors, and what is to be held.

    Returns:
        One decision a claim, in their order.
    """
    batch = BatchState(neighbours)
    for place, claim in enumerate(claims):
        case = _coming(Case(batch, place, claim, policy, inputs))
        batch.done.append(_with_remarks(_decide(case)))
    return Resolution(resolved=tuple(batch.done))


def _coming(case: Case) -> Case:
    """Take what changes on a day ahead as a plan; a note that changes nothing is dated when it was said."""
    candidate = case.candidate
    if candidate.valid_from <= case.inputs.now:
        return case
    known = case.batch.find(candidate.replaces) if candidate.replaces else None
    if known is not None and known.memory is not None and change_of(known.memory):  # the plan itself has changed
        plan = as_plan(candidate, None, replaces=candidate.replaces)
    else:
        named = candidate.replaces if known is not None and _may_end(case, known) else None
        if candidate.kind is not MemoryKind.FACT and named is None:
            candidate = replace(candidate, valid_from=min(candidate.valid_from, case.evidence.said_at))
        plan = as_plan(candidate, named)
    return replace(case, claim=replace(case.claim, candidate=plan))


def _may_end(case: Case, known: KnownMemory) -> bool:
    """Whether the model's word is taken that a coming change ends a memory outside its slot."""
    candidate = case.candidate
    if candidate.kind is known.kind is MemoryKind.FACT and same_slot(candidate, known):
        return False
    if not concerns(candidate, known) or not is_newer(case.evidence, known):
        return False
    return weigh_correction(case.claim, known, case.message, case.policy)[0] is Worth.TAKEN


def _decide(case: Case) -> ResolvedCandidate:
    final = _first(FINAL_RULES, case)
    if final is not None:
        return final
    is_fact, by_model = case.candidate.kind is MemoryKind.FACT, case.candidate.by_model
    rules = (
        *(MODEL_RULES if by_model else ()),
        *(FACT_RULES if is_fact else NOTE_RULES),
    )
    decided = _first(rules, case) or outcome(Action.ADD, case.claim, "new")
    return _with_correction(case, decided) if by_model else decided


def _with_remarks(decided: ResolvedCandidate) -> ResolvedCandidate:
    """Add what was odd about the extractor's answer; not its own words, as reasons are logged."""
    candidate, remarks = decided.candidate, [decided.reason]
    if candidate.comparison.has_unshown_target:
        remarks.append("the extractor names a known memory that it was not shown")
    if candidate.has_unknown_type:
        remarks.append(f"the extractor gives it no type of the profile: it counts as {candidate.type}")
    return decided if len(remarks) == 1 else replace(decided, reason="; ".join(remarks))


def _first(rules: Sequence[Rule], case: Case) -> ResolvedCandidate | None:
    for rule in rules:
        decided = rule(case)
        if decided is not None:
            return decided
    return None


# Rules for every candidate.


def _hold_for_review(case: Case) -> ResolvedCandidate | None:
    """Hold what must be reviewed, unless the very same is known: it was approved, or added by hand."""
    reason = case.inputs.hold_reasons.get(case.place)
    if reason is None or (not case.candidate.ends and _is_known(case)):
        return None
    return hold(case, reason)


def _is_known(case: Case) -> bool:
    candidate = case.candidate
    if candidate.kind is MemoryKind.FACT:
        return any(same_slot(candidate, known) and same_value(candidate, known) for known in case.batch.facts())
    return any(same(candidate.text, known.text) for known, _ in case.notes())


def _ignore_below_floors(case: Case) -> ResolvedCandidate | None:
    """Ignore what the profile takes for too unimportant or too uncertain."""
    candidate, inputs = case.candidate, case.inputs
    for name, value, floor in (
        ("importance", candidate.importance, inputs.min_importance),
        ("confidence", candidate.confidence, inputs.min_confidence),
    ):
        if value < floor:
            return outcome(Action.IGNORE, case.claim, f"{name} {value:.2f} is below {floor:.2f}")
    return None


def _forget(case: Case) -> ResolvedCandidate | None:
    """Close what a request to forget means."""
    if not case.candidate.forgets:
        return None
    meant, evidence = forget_targets(case), case.evidence
    closes = [closing for known in meant for closing in case.batch.end(known, evidence.said_at, case.candidate)]
    if not meant:
        return outcome(Action.IGNORE, case.claim, "nothing known that it would end")
    return close_known(case.claim, closes, "it is to be forgotten")


def _end_named_memory(case: Case) -> ResolvedCandidate | None:
    """Let a note that is an end close what the extractor names, also where the note only repeats its words."""
    if case.candidate.kind is MemoryKind.FACT or not case.candidate.ends:
        return None
    if case.candidate.replaces in case.batch.closed:
        return outcome(Action.IGNORE, case.claim, "what it ends has ended already")
    ended = _with_correction(case, outcome(Action.ADD, case.claim, "new"))
    return ended if ended.closes or ended.action is Action.CLOSE else None


# Rules for facts.


def _end_fact(case: Case) -> ResolvedCandidate | None:
    """Close the facts of a slot that are said to have ended."""
    candidate, evidence = case.candidate, case.evidence
    if not candidate.ends:
        return None
    ending = [known for known in case.batch.facts() if relation(candidate, known) is Relation.ENDS]
    if not ending:
        return outcome(Action.IGNORE, case.claim, "nothing known that it would end")
    if not all(is_newer(evidence, known) for known in ending):
        return outcome(Action.IGNORE, case.claim, "said before what it would end")
    surer = [known for known in ending if known.confidence > candidate.confidence]
    if surer and not case.policy.change_beats_confidence:
        return ignore_less_sure(case.claim, surer[0])
    closes = [closing for known in ending for closing in case.batch.end(known, candidate.valid_from, candidate)]
    return close_known(case.claim, closes, "it is said to have ended")


def _fill_slot(case: Case) -> ResolvedCandidate | None:
    """Strengthen a known value of the slot, or replace another one if the new one is newer and sure enough."""
    batch, claim, candidate = case.batch, case.claim, case.candidate
    related = [(known, relation(candidate, known)) for known in batch.facts()]
    for known, how in related:
        if how is Relation.SAME:
            return strengthen(batch, claim, known, Action.IGNORE, "this is known already")
    rivals = [known for known, how in related if how is Relation.REPLACES]
    for known in rivals:
        if not is_newer(case.evidence, known):
            return store_as_ended(claim, known)
    for known in rivals:
        if candidate.confidence < known.confidence and not case.policy.change_beats_confidence:
            return ignore_less_sure(claim, known)
    is_same_slot = any(same_slot(candidate, known) for known in rivals)
    reason = "a newer value of the same slot" if is_same_slot else "a newer statement of the opposite"
    return replace_known(batch, claim, rivals, reason) if rivals else None


# Rules for notes.


def _repeat_known_words(case: Case) -> ResolvedCandidate | None:
    """Strengthen a note that has the same words, or the same in another order and with other small words."""
    candidate = case.candidate
    for known, _ in case.near:
        if same(candidate.text, known.text):
            return strengthen(case.batch, case.claim, known, Action.IGNORE, "the same words are known already")
    for known, similarity in case.near:
        # A record tells of a moment: another one in like words tells of another moment.
        how = None if candidate.detail.summary else says_same(candidate.text, known.text, case.policy, similarity)
        if how is not None:
            return strengthen(case.batch, case.claim, known, Action.MERGE, f"says the same ({how})")
    return None


def _decide_end_of_nothing(case: Case) -> ResolvedCandidate | None:
    """Decide on the end of something that is not known, or not any more."""
    candidate = case.candidate
    if not candidate.ends:
        return None
    if candidate.replaces and case.batch.find(candidate.replaces) is None:
        return outcome(Action.IGNORE, case.claim, "what it would end has ended already")
    return outcome(Action.ADD, case.claim, "new; nothing known that it would end")


def _follow_judge(case: Case) -> ResolvedCandidate | None:
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
            reason = _REWRITTEN if verdict.text else "a model says that it corrects this"
            return replace_known(batch, _rewritten(claim, verdict), [known], reason)
        reason = "a model would put it in the place of what is not older: stored as ended"
        return replace(store_as_ended(claim, known), reason=reason)
    against = differs(text, known.text)
    if against is not None:
        return outcome(Action.ADD, claim, f"new; a model takes it for what is known, but {against}")
    if not says_more(text, known.text):
        return strengthen(batch, claim, known, verdict.action, "a model says that this is known")
    if newer:
        return replace_known(batch, claim, [known], "a model says that this is known; it says more")
    return outcome(Action.ADD, claim, "new; a model takes it for what is known, but it says more")


# What a model names.


def _repeat_named_memory(case: Case) -> ResolvedCandidate | None:
    """Strengthen the memory that the model says this repeats, of whatever kind, if it or the judge is believed."""
    candidate, repeated = case.candidate, case.candidate.comparison.repeats
    known = case.batch.find(repeated) if repeated and not (candidate.ends or candidate.replaces) else None
    if known is None or known.memory is None:
        return None
    verdict, reason = case.inputs.judged.get(case.place), "the model says that this is known"
    if verdict and verdict.action in (Action.IGNORE, Action.MERGE) and verdict.target == repeated:
        is_same, reason = differs(candidate.text, known.text) is None, "a model says that this is known"
    else:
        is_same = may_repeat(candidate, known.kind, known.text, known.value)
    if not is_same:
        return None
    if candidate.kind is not known.kind or not says_more(candidate.text, known.text):
        return strengthen(case.batch, case.claim, known, Action.MERGE, reason)
    if candidate.kind is MemoryKind.NOTE and is_newer(case.evidence, known):
        return replace_known(case.batch, case.claim, [known], f"{reason}; it says more")
    return None


def _with_correction(case: Case, decided: ResolvedCandidate) -> ResolvedCandidate:
    """Do to what the extractor names as corrected, if it still holds, what its word is worth."""
    candidate = case.candidate
    named = case.batch.named(candidate)
    unsure = decided.action is Action.IGNORE and decided.target is not None and not decided.strengthens
    if named is None or decided.valid_to or unsure or (named.memory and decided.target is named.memory):
        return decided
    if not concerns(candidate, named):
        return replace(decided, reason=f"{decided.reason}; the extractor would correct what another speaker said")
    worth, reason = weigh_correction(case.claim, named, case.message, case.policy)
    verdict = case.inputs.judged.get(case.place) if worth is Worth.DOUBTED else None
    if worth is Worth.DOUBTED:
        worth, reason = _settle_doubt(named, verdict, reason)
    if worth is Worth.TAKEN and is_newer(case.evidence, named):
        if verdict and verdict.text:
            closes = (*decided.closes, *case.batch.end(named, candidate.valid_from, candidate))
            replacing = replace_known(case.batch, _rewritten(case.claim, verdict), [], reason)
            return replace(replacing, action=Action.REPLACE, target=named.memory, closes=closes)
        return _with_closing(case, decided, named, reason)
    if worth is Worth.TAKEN:
        return store_as_ended(case.claim, named) if decided.adds and not candidate.ends else decided
    full_reason = f"{decided.reason}; the extractor would correct another memory, but {reason}"
    return replace(decided, reason=full_reason, doubted=named.memory if worth is Worth.DOUBTED else None)


def _rewritten(claim: Claim, verdict: JudgeVerdict) -> Claim:
    """Give a claim the words in which a model rewrote the memory, with what still holds of it."""
    if not verdict.text:
        return claim
    return replace(claim, candidate=replace(claim.candidate, text=verdict.text, ends=False))


def _settle_doubt(named: KnownMemory, verdict: JudgeVerdict | None, reason: str) -> tuple[Worth, str]:
    """Settle a doubt by the verdict of the model that was asked, if it was."""
    if verdict is None or named.memory is None:
        return Worth.DOUBTED, reason
    if verdict.action is Action.REPLACE and verdict.target == named.memory.id:
        return Worth.TAKEN, _REWRITTEN if verdict.text else "a model says that it corrects this"
    return Worth.REFUSED, f"{reason}, and {verdict.problem or 'a model does not say so'}"


def _with_closing(case: Case, decided: ResolvedCandidate, named: KnownMemory, reason: str) -> ResolvedCandidate:
    """Close the memory that the model names, beside what was decided on the candidate itself."""
    candidate = case.candidate
    closes = (*decided.closes, *case.batch.end(named, candidate.valid_from, decided.candidate))
    full_reason = f"the extractor names it as what this corrects: {reason}"
    if decided.target or (decided.action is Action.IGNORE and not candidate.ends):
        return replace(decided, closes=closes)
    action = Action.CLOSE if candidate.ends else Action.REPLACE
    return replace(decided, action=action, target=named.memory, closes=closes, reason=full_reason)


FINAL_RULES: tuple[Rule, ...] = (
    _hold_for_review,
    _ignore_below_floors,
    _forget,
    _end_named_memory,
)
"""For every candidate; what they decide is not amended by `_with_correction`."""
FACT_RULES: tuple[Rule, ...] = (_end_fact, _fill_slot)
"""For facts; a fact that none decides on is added."""
NOTE_RULES: tuple[Rule, ...] = (_repeat_known_words, _decide_end_of_nothing, _follow_judge)
"""For notes: what says the same is one memory; a note that none decides on is added."""
MODEL_RULES: tuple[Rule, ...] = (_repeat_named_memory,)
"""For a model's candidates, before the rules of their kind."""
