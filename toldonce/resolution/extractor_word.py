"""What a model's word is worth that a statement repeats or corrects a memory: taken, judged, or refused. Pure.

A model decides what holds. What is put to a second one is what a slip of one number would cost: a memory that has
nothing to do with the statement, a further value of a slot that holds several, and a memory that says much which the
statement leaves out. Nothing here reads what the words mean. What the model answered of a memory that it was shown is
not asked again, unless its word is in doubt.
"""

from collections.abc import Sequence
from dataclasses import replace
from enum import Enum
from functools import cache

from toldonce.profiles.policies import ResolvePolicy
from toldonce.resolution.batch_state import KnownMemory, same_slot
from toldonce.resolution.llm_judge import JudgeQuestion
from toldonce.resolution.relation import differs, digits, has_same_words, same, shared_words
from toldonce.resolution.slots import canonical_key
from toldonce.resolution.tokens import DEGREE, names, tokenize
from toldonce.resolution.values import Claim
from toldonce.text import bare, negations, terms
from toldonce.types import Candidate, Memory, MemoryKind


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
_MIN_LEFT_OUT, _MIN_LEFT_OUT_SHARE = 3, 0.3
# A text that is longer than another kind's by this factor says more than the value of its slot.
_MAX_LONGER = 2.0
# A statement is asked about although the model takes it for new if it and a memory share at least this much of all
# their words: with a model that never names a repetition, every paraphrase would be added.
_MIN_ALIKE = 0.5
# A statement and a memory that the extractor was not shown are asked about if the shorter one has more than this share
# of its words in the other.
_MIN_SHARED_WORDS = 0.5


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
    new, old = _terms(candidate.text, candidate.value), _terms(known.text, known.value)
    # Together they tell their language, and so which of their words have no meaning of their own.
    shared = old & (new | _terms(message)) & _terms(f"{known.text} {candidate.text} {message}")
    if not shared - _persons(candidate.text, known.text):
        return "they have no word in common"
    if known.kind is MemoryKind.NOTE and _leaves_out(new, old):
        return "it leaves out much of what is known"
    return ""


def _share_a_slot(candidate: Candidate, known: KnownMemory) -> bool:
    """Whether two facts with different marks are values of a slot that holds several: 'allergy:nuts', 'allergy:soy'."""
    name, other = (canonical_key(each.key, each.value).partition(":")[0] for each in (candidate, known))
    return name == other


def _share_terms(a: str, b: str) -> bool:
    """Return whether two texts have a term in common besides whom both speak of."""
    return bool(_terms(a) & _terms(b) - _persons(a, b))


def _persons(a: str, b: str) -> frozenset[str]:
    """Return the terms of the names in both texts, of whom they speak where neither speaks of the user."""
    if _who() & {*terms(a), *terms(b)}:
        return frozenset()
    one, other = tokenize(a), tokenize(b)
    return _terms(*(names(one, other) & names(other, one)))


def _terms(*texts: str) -> frozenset[str]:
    return frozenset(term for text in texts for term in terms(text)) - _who()


@cache
def _who() -> frozenset[str]:
    return frozenset(terms(_WHO))


def _leaves_out(new: frozenset[str], old: frozenset[str]) -> bool:
    left_out = len(old - new) - len(new - old)
    return left_out >= max(_MIN_LEFT_OUT, _MIN_LEFT_OUT_SHARE * len(old))


def may_repeat(candidate: Candidate, kind: MemoryKind, text: str, value: str) -> bool:
    """Return whether a model's word that a statement repeats a memory is taken without a further question.

    One wrong number would drop a true statement ('failed' for 'passed'), so the one text must have all words of the
    other, or hold the value of the other one's slot; numbers, days, names and negations must agree in any case.

    Args:
        candidate: The statement.
        kind: Kind of the memory.
        text: What it says.
        value: The value of its slot, if it is a fact.
    """
    if candidate.kind is kind:
        return _says_no_other(candidate.text, text) and differs(candidate.text, text) is None
    short, long, held = (candidate.text, text, candidate.value) if not value else (text, candidate.text, value)
    is_held = bool(bare(held)) and bare(held) in bare(long)
    is_so = negations(short) == negations(long) and digits(short) == digits(long)
    return is_held and is_so and len(bare(long)) <= _MAX_LONGER * len(bare(short))


def _says_no_other(new: str, old: str) -> bool:
    """Return whether one of two texts has all words of meaning of the other."""
    return has_same_words(new, old) or shared_words(new, old) == 1


def left_open(questions: Sequence[JudgeQuestion], policy: ResolvePolicy) -> list[JudgeQuestion]:
    """Return the questions that the extractor has not answered.

    A correction or a repetition that is in doubt stays open: the model's word on it is what is in doubt. So does a
    statement that it takes for new although a memory near it has nearly the same words, or the nearest one the same
    meaning. If it did not see the nearest one, most of the words are enough.
    """
    left: list[JudgeQuestion] = []
    for question in questions:
        comparison = question.decided.candidate.comparison
        repeats = any(memory.id == comparison.repeats for memory in question.beside)
        if question.decided.doubted is not None or repeats or not comparison.seen:
            left.append(question)
        elif doubtful := _doubtful(question, policy):
            left.append(replace(question, beside=doubtful))
    return left


def _doubtful(question: JudgeQuestion, policy: ResolvePolicy) -> tuple[Memory, ...]:
    """Choose the memories that a statement which the extractor takes for new may repeat all the same."""
    nearest, candidate = question.beside[0], question.decided.candidate
    seen, means_same = candidate.comparison.seen, question.similarity >= policy.meaning
    is_like_nearest = means_same or shared_words(candidate.text, nearest.text) > _MIN_SHARED_WORDS
    alike = {memory.id for memory in question.beside if _share(candidate.text, memory.text) >= _MIN_ALIKE}
    if means_same:
        alike.add(nearest.id)
    if nearest.id not in seen and is_like_nearest:
        alike |= {memory.id for memory in question.beside if memory.id not in seen}
    return tuple(memory for memory in question.beside if memory.id in alike)


def _share(a: str, b: str) -> float:
    """Return the share of two texts' words of meaning that both have."""
    one, other = tokenize(a).content - DEGREE, tokenize(b).content - DEGREE
    return len(one & other) / len(one | other) if one else 0.0
