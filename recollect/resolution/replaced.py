"""What a statement replaces by naming it, or by telling a new value of the same thing: 'from Vim to Helix'. Pure."""

import re

from recollect.resolution.batch_state import Case, KnownMemory, is_newer
from recollect.resolution.compare import denies
from recollect.resolution.lexicon import DATES, DEGREE, PEOPLE, only_one_of_health
from recollect.resolution.retraction import took_place
from recollect.resolution.slots import MULTI_VALUED
from recollect.resolution.tokens import is_sign, token, tokenize
from recollect.types import Candidate, Evidence

_OLD = (
    r"(?P<old>(?:(?!(?:and|but|so|because|since|now|to|with|for|by|any|these|this|nowadays|today|lately|instead)\b)"
    r"[\w'’&.-]{1,30}\s?){1,4})"
)
_DOING = (
    r"(?:(?:taking|using|having|drinking|eating|doing|going|playing|reading|wearing|on|at|in|to|with|the|a|"
    r"an|my|their)\s++){0,3}"
)
_MINE = r"(?:(?:their|the\s++user's|the|my|our|an?)\s++)?"
# It names the old beside the new, whatever the verb.
_SWAPS = (
    re.compile(
        rf"\b(?:switched|moved|changed|migrated|went|swapped)(?:\s++(?:over|back))?\s++from\s++{_MINE}{_OLD}to\b",
        re.IGNORECASE,
    ),
    re.compile(
        rf"\b(?:replaced|swapped|exchanged|traded(?:\s++in)?)\s++{_MINE}{_OLD}(?:with|for|"
        rf"by)\b",
        re.IGNORECASE,
    ),
    re.compile(rf"\b(?:dropped|ditched|scrapped)\s++{_MINE}{_OLD}(?:for|in\s++favou?r)\b", re.IGNORECASE),
    re.compile(rf"\bstopped\s++(?=\w{{2,20}}ing\b){_OLD}and\s++(?:started|began|took\s++up)\b", re.IGNORECASE),
    re.compile(rf"\bfinished\s++(?:reading\s++|watching\s++|playing\s++)?{_OLD}and\b", re.IGNORECASE),
)
# It does so where the sentence says that something changed.
_CONTRASTS = (
    re.compile(rf"\b(?:instead\s++of|rather\s++than|in\s++place\s++of)\s++{_DOING}{_OLD}", re.IGNORECASE),
    re.compile(rf"(?:,|\band)\s++(?:not|no\s++longer)\s++{_DOING}{_OLD}", re.IGNORECASE),
)
_CHANGED = re.compile(
    r"\b(?:now|nowadays|these\s++days|from\s++now\s++on|switched|changed|moved|started|instead(?!\s++of)|"
    r"this\s++(?:week|month|term|year|"
    r"season)|since|any\s?more|again)\b",
    re.IGNORECASE,
)
# 'The user's new dentist is Dr. Ortiz', 'the user's rent went up to 900 euros'.
_ATTRIBUTE = re.compile(
    r"(?:The\s++user's|My)\s++(?P<new>(?:new|current)\s++)?(?P<what>(?:[\w’-]{1,30}+\s++){0,4}?[\w’-]{1,30}+)\s++"
    r"(?P<verb>is|are|weighs?|costs?|starts?|leaves?|opens?|closes?|earns?|holds?|(?:is|was|are|were|got|"
    r"has\s++been)\s++(?:moved|changed|"
    r"raised|cut|reduced|increased)\s++to|(?:(?:has|have)\s++)?(?:went|gone|go|rose|risen|fell|fallen|dropped|"
    r"increased|decreased)(?:\s++(?:up|"
    r"down))?\s++to)\s++(?:now\s++)?(?P<value>\S[^\n]{0,200})",
    re.IGNORECASE,
)
_OF_CHANGE = re.compile(r"\bto$", re.IGNORECASE)
_SEVERAL = frozenset(token(word.replace("_", " ").split()[-1]) for word in MULTI_VALUED) | {
    token("kitten"),
    token("puppy"),
}
# Share of a memory's other words that the statement with another day or number must have.
_SHARED = 0.5


def may_replace(candidate: Candidate) -> bool:
    """Return whether a candidate may replace memories that it is not like: they are looked for by its words."""
    text = candidate.text
    return any(sign.search(text) for sign in _SWAPS) or bool(_CHANGED.search(text) or _ATTRIBUTE.match(text))


def replaced(case: Case) -> list[KnownMemory]:
    """Find what a note replaces: what it names as the old, and another value of the same thing."""
    candidate, evidence = case.candidate, case.evidence
    text = candidate.text
    swaps = [match["old"] for sign in _SWAPS for match in sign.finditer(text)]
    changed = bool(_CHANGED.search(text)) and candidate.type != "plan"
    contrasts = [match["old"] for sign in _CONTRASTS for match in sign.finditer(text)] if changed else []
    told = _ATTRIBUTE.match(text)
    if not (swaps or contrasts or changed or told):
        return []
    return [
        known
        for known in case.held()
        if is_newer(evidence, known)
        and not took_place(known)
        and not _of_the_words(known, evidence)
        and not (tokenize(text).content ^ tokenize(known.text).content) & PEOPLE
        and not only_one_of_health(text, known.text)
        and (
            any(_is_named(old, known, text, swap=True) for old in swaps)
            or any(_is_named(old, known, text, swap=False) for old in contrasts)
            or (told is not None and _other_value(told, known, changed=changed))
            or (changed and _other_sign(text, known.text))
        )
    ]


def _of_the_words(known: KnownMemory, evidence: Evidence) -> bool:
    return any((source.conversation, source.seq) == (evidence.conversation, evidence.seq) for source in known.said)


def _is_named(old: str, known: KnownMemory, text: str, *, swap: bool) -> bool:
    """Whether a memory says in the present what a statement names as the old, of the same thing."""
    named = tokenize(old).content - DEGREE - {"user"}
    content = tokenize(known.text).content - DEGREE - {"user"}
    if not named or not named <= content or denies(known.text):
        return False
    rest = content - named
    shared = rest & tokenize(text).content
    if swap and not all(_is_time(word) for word in named):
        return True
    return bool(shared) and len(shared) >= _SHARED * len(rest)


def _is_time(word: str) -> bool:
    return is_sign(word) or word in DATES or word.removesuffix("s") in DATES


def _other_value(told: re.Match[str], known: KnownMemory, *, changed: bool) -> bool:
    """Whether a memory gives another value of the same attribute: of one's rent, one's dentist."""
    before = _ATTRIBUTE.match(known.text)
    if not before or not (changed or told["new"] or _OF_CHANGE.search(told["verb"])):
        return False
    ours, theirs = (tokenize(match["what"]).content - DEGREE for match in (told, before))
    if not ours or ours != theirs or (told["new"] and not changed and ours & _SEVERAL):
        return False
    return tokenize(told["value"]).content - DEGREE != tokenize(before["value"]).content - DEGREE


def _other_sign(text: str, known: str) -> bool:
    """Whether two statements say the same but for a number or a day: 'has two cats', 'has three cats now'."""
    ours, theirs = tokenize(text).content - DEGREE, tokenize(known).content - DEGREE
    mine, yours = ours - theirs, theirs - ours
    return bool(mine and yours) and len(mine) == len(yours) and all(map(_is_time, mine | yours))
