"""Memories that a statement replaces: it names the old thing ('from Vim to Helix') or gives a new value. Pure."""

import re

from recollect.lazy_pattern import LazyPattern
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
# Patterns that name both the old thing and the new one.
_SWAPS = (
    LazyPattern(
        rf"\b(?:switched|moved|changed|migrated|went|swapped)(?:\s++(?:over|back))?\s++from\s++{_MINE}{_OLD}to\b",
        re.IGNORECASE,
    ),
    LazyPattern(
        rf"\b(?:replaced|swapped|exchanged|traded(?:\s++in)?)\s++{_MINE}{_OLD}(?:with|for|"
        rf"by)\b",
        re.IGNORECASE,
    ),
    LazyPattern(rf"\b(?:dropped|ditched|scrapped)\s++{_MINE}{_OLD}(?:for|in\s++favou?r)\b", re.IGNORECASE),
    LazyPattern(rf"\bstopped\s++(?=\w{{2,20}}ing\b){_OLD}and\s++(?:started|began|took\s++up)\b", re.IGNORECASE),
    LazyPattern(rf"\bfinished\s++(?:reading\s++|watching\s++|playing\s++)?{_OLD}and\b", re.IGNORECASE),
)
# Patterns that name the old thing if the sentence also says that something changed.
_CONTRASTS = (
    LazyPattern(rf"\b(?:instead\s++of|rather\s++than|in\s++place\s++of)\s++{_DOING}{_OLD}", re.IGNORECASE),
    LazyPattern(rf"(?:,|\band)\s++(?:not|no\s++longer)\s++{_DOING}{_OLD}", re.IGNORECASE),
)
_CHANGED = LazyPattern(
    r"\b(?:now|nowadays|these\s++days|from\s++now\s++on|switched|changed|moved|started|instead(?!\s++of)|"
    r"this\s++(?:week|month|term|year|"
    r"season)|since|any\s?more|again)\b",
    re.IGNORECASE,
)
# 'The user's new dentist is Dr. Ortiz', 'the user's rent went up to 900 euros'.
_ATTRIBUTE = LazyPattern(
    r"(?:The\s++user's|My)\s++(?P<new>(?:new|current)\s++)?(?P<what>(?:[\w’-]{1,30}+\s++){0,4}?[\w’-]{1,30}+)\s++"
    r"(?P<verb>is|are|weighs?|costs?|starts?|leaves?|opens?|closes?|earns?|holds?|(?:is|was|are|were|got|"
    r"has\s++been)\s++(?:moved|changed|"
    r"raised|cut|reduced|increased)\s++to|(?:(?:has|have)\s++)?(?:went|gone|go|rose|risen|fell|fallen|dropped|"
    r"increased|decreased)(?:\s++(?:up|"
    r"down))?\s++to)\s++(?:now\s++)?(?P<value>\S[^\n]{0,200})",
    re.IGNORECASE,
)
_OF_CHANGE = LazyPattern(r"\bto$", re.IGNORECASE)
_SEVERAL = frozenset(token(word.replace("_", " ").split()[-1]) for word in MULTI_VALUED) | {
    token("kitten"),
    token("puppy"),
}
# A statement replaces a memory only if it has at least this share of the memory's remaining words.
_MIN_SHARED_WORDS = 0.5


def may_replace(candidate: Candidate) -> bool:
    """Return whether a candidate may replace memories of unlike text, which are then searched for by its words."""
    text = candidate.text
    return any(sign.search(text) for sign in _SWAPS) or bool(_CHANGED.search(text) or _ATTRIBUTE.match(text))


def replaced(case: Case) -> list[KnownMemory]:
    """Find the memories that a note replaces: those it names as old, and those with another value of the same thing."""
    candidate, evidence = case.candidate, case.evidence
    text = candidate.text
    swaps = [match["old"] for sign in _SWAPS for match in sign.finditer(text)]
    changed = bool(_CHANGED.search(text)) and candidate.type != "plan"
    contrasts = [match["old"] for sign in _CONTRASTS for match in sign.finditer(text)] if changed else []
    attribute = _ATTRIBUTE.match(text)
    if not (swaps or contrasts or changed or attribute):
        return []
    return [
        known
        for known in case.active()
        if is_newer(evidence, known)
        and not took_place(known)
        and not _is_from_same_message(known, evidence)
        and not (tokenize(text).content ^ tokenize(known.text).content) & PEOPLE
        and not only_one_of_health(text, known.text)
        and (
            any(_is_named(old, known, text, swap=True) for old in swaps)
            or any(_is_named(old, known, text, swap=False) for old in contrasts)
            or (attribute is not None and _has_other_value(attribute, known, changed=changed))
            or (changed and _differs_in_number(text, known.text))
        )
    ]


def _is_from_same_message(known: KnownMemory, evidence: Evidence) -> bool:
    return any(source.ref == evidence.ref for source in known.evidence)


def _is_named(old: str, known: KnownMemory, text: str, *, swap: bool) -> bool:
    """Return whether a memory states as current what a statement names as old."""
    named = tokenize(old).content - DEGREE - {"user"}
    content = tokenize(known.text).content - DEGREE - {"user"}
    if not named or not named <= content or denies(known.text):
        return False
    rest = content - named
    shared = rest & tokenize(text).content
    if swap and not all(_is_number_or_date(word) for word in named):
        return True
    return bool(shared) and len(shared) >= _MIN_SHARED_WORDS * len(rest)


def _is_number_or_date(word: str) -> bool:
    return is_sign(word) or word in DATES or word.removesuffix("s") in DATES


def _has_other_value(attribute: re.Match[str], known: KnownMemory, *, changed: bool) -> bool:
    """Return whether a memory gives another value of the same attribute, such as the rent or the dentist."""
    before = _ATTRIBUTE.match(known.text)
    if not before or not (changed or attribute["new"] or _OF_CHANGE.search(attribute["verb"])):
        return False
    ours, theirs = (tokenize(match["what"]).content - DEGREE for match in (attribute, before))
    if not ours or ours != theirs or (attribute["new"] and not changed and ours & _SEVERAL):
        return False
    return tokenize(attribute["value"]).content - DEGREE != tokenize(before["value"]).content - DEGREE


def _differs_in_number(text: str, known: str) -> bool:
    """Return whether two statements differ only in a number or a day: 'has two cats', 'has three cats now'."""
    ours, theirs = tokenize(text).content - DEGREE, tokenize(known).content - DEGREE
    only_ours, only_theirs = ours - theirs, theirs - ours
    if not only_ours or len(only_ours) != len(only_theirs):
        return False
    return all(map(_is_number_or_date, only_ours | only_theirs))
