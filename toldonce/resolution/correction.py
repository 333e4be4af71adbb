"""What a model's word is worth that a statement repeats or corrects a memory: taken, judged, or refused. Pure.

A model decides what holds. What is put to a second one is what a slip of one number would cost: a memory that has
nothing to do with the statement, one of another person, a further value of a slot that holds several, and a memory that
says much which the statement leaves out. Nothing here reads what the words mean.
"""

from enum import Enum
from functools import cache

from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.batch_state import KnownMemory, same_slot
from toldonce.resolution.compare import digits, led_by_others, never_merge, same
from toldonce.resolution.lexicon import DEGREE
from toldonce.resolution.slots import canonical_key
from toldonce.resolution.tokens import align, leaders
from toldonce.resolution.values import Claim
from toldonce.text import bare, negations, terms
from toldonce.types import Candidate, MemoryKind


class Worth(Enum):
    """What becomes of the model's word."""

    TAKEN = "taken"
    DOUBTED = "doubted"
    """The judge is asked whether the memory is corrected; without an answer both stay."""
    REFUSED = "refused"


# Words for the user, of whom most memories speak: that two have them says nothing.
_WHO = """user; Nutzer Nutzerin Benutzer Benutzerin nutz benutz; usuario usuaria usuário usuária usuari; utilisateur
    utilisatrice utilis; utente; gebruiker; användare; bruger; пользователь; 用户 使用者 ユーザー 사용자"""
# A statement leaves out much if it lacks so many more terms of the memory than it brings, and so great a share of them.
MIN_LEFT_OUT, MIN_LEFT_OUT_SHARE = 3, 0.3
# A repetition is taken if the shorter text has more than this share of its words in the other one.
MIN_SHARED_WORDS = 0.5
# A text that is longer than another kind's by this factor says more than the value of its slot.
_MAX_LONGER = 2.0


def weigh_correction(claim: Claim, known: KnownMemory, message: str, policy: ResolvePolicy) -> tuple[Worth, str]:
    """Return what the model's word is worth that a candidate corrects or ends an older memory, and why.

    Args:
        claim: The candidate and its source.
        known: The memory that the model names.
        message: The own words of the message that the candidate rests on.
        policy: Whether a change outweighs confidence, and whether a judge may be asked.
    """
    candidate = claim.candidate
    facts = candidate.kind is known.kind is MemoryKind.FACT
    if facts and candidate.confidence < known.confidence and not policy.change_beats_confidence:
        return Worth.REFUSED, "it is less sure than what is known"
    if not facts and same(candidate.text, known.text) and not candidate.ends:
        return Worth.REFUSED, "it says the same"
    if known.memory is None and claim.evidence.ref in {source.ref for source in known.evidence}:
        return Worth.REFUSED, "both are of one message"
    if known.memory is None and not _share_terms(candidate.text, known.text):
        return Worth.REFUSED, "it speaks of something else"
    # An earlier item of an answer is easily misnumbered, and nothing is lost where both stay.
    doubt = _doubt(candidate, known, message) if policy.judge or known.memory is None else ""
    return (Worth.DOUBTED, doubt) if doubt else (Worth.TAKEN, "so says the model that read both")


def _doubt(candidate: Candidate, known: KnownMemory, message: str) -> str:
    """Say why the judge should be asked; empty where the model's word is enough."""
    if candidate.kind is known.kind is MemoryKind.FACT:
        if same_slot(candidate, known):
            return ""
        if _share_a_slot(candidate, known):
            return "both values can hold"
    one, other = align(candidate.text, known.text)
    if led_by_others(one, other) and not leaders(one, other) <= set(other.tokens):
        return "they speak of different people"
    new, old = _terms(candidate.text, candidate.value), _terms(known.text, known.value)
    # Together they tell their language, and so which of their words have no meaning of their own.
    if not old & (new | _terms(message)) & _terms(f"{known.text} {candidate.text} {message}"):
        return "they have no word in common"
    if known.kind is MemoryKind.NOTE and _leaves_out(new, old):
        return "it leaves out much of what is known"
    return ""


def _share_a_slot(candidate: Candidate, known: KnownMemory) -> bool:
    """Whether two facts with different marks are values of a slot that holds several: 'allergy:nuts', 'allergy:soy'."""
    name, other = (canonical_key(each.key, each.value).partition(":")[0] for each in (candidate, known))
    return name == other


def _share_terms(one_text: str, other_text: str) -> bool:
    """Return whether two texts have a term in common besides whom both speak of."""
    one, other = align(one_text, other_text)
    who = _terms(*(leaders(one, other) & leaders(other, one)))
    return bool(_terms(one_text) & _terms(other_text) - who)


def _terms(*texts: str) -> frozenset[str]:
    return frozenset(term for text in texts for term in terms(text)) - _who()


@cache
def _who() -> frozenset[str]:
    return frozenset(terms(_WHO))


def _leaves_out(new: frozenset[str], old: frozenset[str]) -> bool:
    left_out = len(old - new) - len(new - old)
    return left_out >= max(MIN_LEFT_OUT, MIN_LEFT_OUT_SHARE * len(old))


def may_repeat(candidate: Candidate, kind: MemoryKind, text: str, value: str) -> bool:
    """Return whether a model's word that a statement repeats a memory is taken without a further question.

    One wrong number would drop a true statement ('failed' for 'passed'), so most of the words must agree, or the one
    text must hold the value of the other one's slot; numbers, names and negations must agree in any case.

    Args:
        candidate: The statement.
        kind: Kind of the memory.
        text: What it says.
        value: The value of its slot, if it is a fact.
    """
    if candidate.kind is kind:
        return shared_words(candidate.text, text) > MIN_SHARED_WORDS and never_merge(candidate.text, text) is None
    short, long, held = (candidate.text, text, candidate.value) if not value else (text, candidate.text, value)
    is_held = bool(bare(held)) and bare(held) in bare(long)
    is_so = negations(short) == negations(long) and digits(short) == digits(long)
    return is_held and is_so and len(bare(long)) <= _MAX_LONGER * len(bare(short))


def shared_words(one_text: str, other_text: str) -> float:
    """Return the share of the shorter text's words of meaning that the other has; whom both speak of is none."""
    one, other = align(one_text, other_text)
    dropped = DEGREE | {"user"} | (leaders(one, other) & leaders(other, one))
    mine, theirs = one.content - dropped, other.content - dropped
    shorter = min(len(mine), len(theirs))
    return len(mine & theirs) / shorter if shorter else 0.0
