"""What a change of the speaker's life ends: the standing facts and notes of the part that changed. Pure."""

from dataclasses import replace
from datetime import datetime
from zoneinfo import ZoneInfo

from recollect.dates import Direction, parse_dates
from recollect.lazy_pattern import LazyPattern
from recollect.resolution.batch_state import Case, KnownMemory, is_newer
from recollect.resolution.compare import denies
from recollect.resolution.lexicon import DEGREE
from recollect.resolution.lifecycle import kin_of_plans
from recollect.resolution.retraction import took_place
from recollect.resolution.states import is_slot_of, tells_state
from recollect.resolution.tokens import is_sign, token, tokenize
from recollect.resolution.values import ResolvedCandidate
from recollect.types import Action, Evidence, LifeState, MemoryKind, Shift

_UTC = ZoneInfo("UTC")
_NAME = LazyPattern(r"(?<![\w'’])[A-Z][\w-]{1,30}+")
# Words of meaning in a note that tells a name and nothing else.
_WORDS_OF_A_NAME = 6
# Words for any workplace, home or name: 'I quit the job' names none.
_GENERIC = frozenset(
    token(word)
    for word in """job position role post gig company firm work place flat apartment house home room studio name school
    uni university college degree course program programme agency employer office team business student
    actual real whole thing date day""".split()
)


def with_shifted(case: Case, decided: ResolvedCandidate) -> ResolvedCandidate:
    """End what a change of the speaker's life ends, beside what was decided on the statement itself."""
    candidate, evidence = case.candidate, case.evidence
    if not candidate.shifts or decided.action is Action.HOLD or decided.valid_to:
        return decided
    ending = shifted(case)
    closes = [closing for known in ending for closing in case.batch.end(known, candidate.valid_from, evidence)]
    if not closes:
        return decided
    both = (*decided.closes, *closes)
    if decided.target:
        return replace(decided, closes=both)
    reason = f"says that it changed: {', '.join(dict.fromkeys(shift.state for shift in candidate.shifts))}"
    action = Action.REPLACE if decided.adds else Action.CLOSE
    return replace(decided, action=action, target=closes[0].memory, closes=both, reason=reason)


def shifted(case: Case) -> list[KnownMemory]:
    """Find what a statement ends by saying that a part of its speaker's life has changed.

    What the same message says stays: it tells the state after the change.
    """
    candidate, evidence = case.candidate, case.evidence
    if not candidate.shifts:
        return []
    active = [
        known
        for known in case.active()
        if is_newer(evidence, known) and not _of_the_message(known, evidence) and not took_place(known)
    ]
    ended: list[KnownMemory] = []
    for shift in candidate.shifts:
        of_shift = _plans(shift, active, evidence) if shift.state is LifeState.PLAN else _ended(shift, active)
        ended += [known for known in of_shift if known not in ended]
    return ended


def _plans(shift: Shift, active: list[KnownMemory], evidence: Evidence) -> list[KnownMemory]:
    """Find the plan that was moved or dropped: by its name, or the one that 'it' can mean."""
    coming = [known for known in active if known.kind is MemoryKind.NOTE and _is_ahead(known, evidence.said_at)]
    if shift.old:
        return [known for known in coming if _means(shift.old, known)]
    here = [known for known in coming if any(said.conversation == evidence.conversation for said in known.evidence)]
    newest = max((known.last_said for known in here), default=None)
    meant = [known for known in here if known.last_said == newest] or coming
    return meant if len({known.last_said for known in meant}) == 1 else []


def _is_ahead(known: KnownMemory, now: datetime) -> bool:
    """Whether a note names a day that is still to come."""
    mentions = parse_dates(known.text, said_at=now, zone=_UTC, default=Direction.AHEAD)
    return not denies(known.text) and any(mention.end > now and not mention.recurs for mention in mentions)


def _means(words: str, known: KnownMemory) -> bool:
    """Whether a note speaks of a plan: of the place it names, or else of a thing of its kind."""
    wanted, content = tokenize(words).content - DEGREE - _GENERIC - {"user"}, tokenize(known.text).content
    named = {token(name.casefold()) for name in _NAME.findall(words)}
    if named:
        return named <= content
    return bool(wanted) and bool(wanted & content or any(kin_of_plans(word) & content for word in wanted))


def _of_the_message(known: KnownMemory, evidence: Evidence) -> bool:
    return any(said.ref == evidence.ref for said in known.evidence)


def _ended(shift: Shift, active: list[KnownMemory]) -> list[KnownMemory]:
    here = [known for known in active if _tells(_kept_employer(shift, active), known)]
    named = [known for known in here if shift.old and _names(shift.old, known)]
    if not named:
        return [] if shift.needs_old else [known for known in here if not _stays(shift, known)]
    sources = {said.ref for known in named for said in known.evidence}
    return [known for known in here if any(said.ref in sources for said in known.evidence)]


def _kept_employer(shift: Shift, active: list[KnownMemory]) -> LifeState:
    """Return the state that ends: who has become a senior nurse is a nurse still, and need not have left the clinic."""
    if shift.state is not LifeState.JOB or not shift.new:
        return shift.state
    last = shift.new.casefold().split()[-1]
    jobs = [known.value for known in active if known.kind is MemoryKind.FACT and known.key == "job" and known.value]
    return LifeState.POSITION if any(job.casefold().split()[-1] == last for job in jobs) else LifeState.JOB


def _stays(shift: Shift, known: KnownMemory) -> bool:
    """Whether a memory holds the new value already: it was told before the news."""
    return bool(shift.new) and _names(shift.new, known)


def _tells(state: LifeState, known: KnownMemory) -> bool:
    if known.kind is MemoryKind.FACT:
        return is_slot_of(state, known.key, known.value)
    if state is LifeState.NAME and len(tokenize(known.text).content) > _WORDS_OF_A_NAME:
        return False  # it gives the name on the way to something else
    return tells_state(state, known.text) or any(tells_state(state, said.quote) for said in known.evidence)


def _names(words: str, known: KnownMemory) -> bool:
    """Whether a memory, or what it rests on, has all words of meaning of a name: 'Ridgeway', 'the bakery'."""
    wanted = {word for word in tokenize(words).content - DEGREE - _GENERIC - {"user"} if not is_sign(word)}
    texts = (known.text, known.value, *(said.quote for said in known.evidence))
    return bool(wanted) and any(wanted <= tokenize(text).content for text in texts)
