"""Statements in passing: people named on the way, and what a question says about its asker. Pure.

"What can I cook, I'm coeliac?" states a condition, and 'What can I get for my nephew Tomas?' a relative.
"""

import re
from collections.abc import Iterable

from toldonce.extraction.rules.clause_facts import facts_of
from toldonce.extraction.rules.patterns.fact_pattern import ExtractedFact, apply_patterns
from toldonce.extraction.rules.patterns.people import find_named_people
from toldonce.extraction.rules.patterns.places import RULES as PLACES
from toldonce.extraction.rules.vocabulary import CONDITION_ADJECTIVES, DIETS, PROFESSIONS
from toldonce.extraction.sentences import TextSpan
from toldonce.lazy_pattern import LazyPattern
from toldonce.text import asks

# A statement after a question: 'what can I cook, I'm coeliac?', 'which shoes since my knee is bad?'.
_STATEMENT_AFTER_QUESTION = LazyPattern(
    r"(?:[,;:]\s++(?:(?:since|because|bc|as|given\s++that|considering|and|but|cause)\s++)?|\s(?:because|bc|since|"
    r"given\s++that|considering|now\s++that)\s++)"
    r"(?P<said>(?:i'm|im|i\s++am|i've|ive|i\s++have|i\s++live|i\s++work|i\s++can't|i\s++cant|i\s++don't|i\s++dont|"
    r"i\s++only|i\s++never|i\s++hate|"
    r"we\s++live|we're|we\s++have|my\s++(?:[\w-]{1,20}+\s++){1,4}?(?:is|are|has|lives?))\b[^?]{2,200})\?",
    re.IGNORECASE,
)
# Questions whether that very statement is true.
_CONFIRMATION_QUESTION = LazyPattern(
    r"(?:so\s++|and\s++|but\s++|or\s++)?(?:is\s++it\s++(?:true|right|ok\s++to\s++say)|did\s++(?:i|you)|do\s++(?:you|"
    r"i)|does\s++it|have\s++(?:i|you)|am\s++i|was\s++i|"
    r"what\s++did|what\s++do\s++you|who\s++(?:says|said)|why\s++(?:did|do|would|should)\s++you|are\s++you|what\s++if|"
    r"how\s++do\s++you\s++know|"
    r"(?:what|which|how)\b.{0,60}\b(?:say|said|mean|means|translate\w*|call|write)\b)",
    re.IGNORECASE,
)
_UNSURE_WORDS = LazyPattern(
    r"\b(?:right|correct|yes|no|true|or|wondering|asking|looking|curious|confused|not\s++sure|told|supposed|"
    r"imagin\w++|pretend\w*)\s*+$"
    r"|\b(?:wondering|asking|curious|if|whether|supposed\s++to)\b|\bor\s++(?:am|is|was|do|not)\b",
    re.IGNORECASE,
)
_WHERE_I_LIVE = LazyPattern(
    r"\b(?:in|around|near|at|to|of)\s++(?P<place>(?-i:[A-Z])[\w'-]{1,30}+(?:[ -](?-i:[A-Z])[\w'-]{1,30}+){0,2}),?\s++"
    r"(?:which\s++is\s++)?where\s++(?:i|we)(?:'m|'re|\s++am|\s++are)?\s++"
    r"(?:(?:now|currently|also)\s++)?(?:live|living|based)\b",
    re.IGNORECASE,
)
_TRADES = "|".join(sorted(PROFESSIONS, key=len, reverse=True))
# 'As a vegan of six years, what can I …' describes the asker; 'as a doctor, what would you …' the answerer.
_ROLE_OPENING = LazyPattern(
    rf"as\s++an?\s++(?P<who>(?:(?:strict|lifelong|long-?time|fellow|new|former|retired|self-employed|freelance|junior|"
    rf"senior|\w+ist)\s++)?"
    rf"(?:{DIETS}|{CONDITION_ADJECTIVES}|(?:[\w-]{{2,20}}\s++)?(?:{_TRADES})))\b(?P<rest>[^?.!]{{0,200}})",
    re.IGNORECASE,
)
_FORMER = LazyPattern(r"\b(?:former|ex|retired)\b", re.IGNORECASE)
_I = LazyPattern(r"\b(?:i|i'm|im|i've|my|me|we)\b", re.IGNORECASE)
_YOU = LazyPattern(r"\b(?:you|your)\b", re.IGNORECASE)


# Words of fiction, whose people need not be real.
_FICTION = LazyPattern(
    r"\b(?:story|tale|novel|poem|scene|character|protagonist|fiction\w*|role-?play|screenplay|script|plot|lyrics|"
    r"dialogue|(?-i:limerick)|joke|game|fan-?fic\w*|dream\w*|dreamt)\b",
    re.IGNORECASE,
)


def mentions_fiction(text: str) -> bool:
    """Return whether a sentence mentions fiction, whose people need not be real."""
    return bool(_FICTION.search(text))


def find_asides(sentence: TextSpan) -> list[TextSpan]:
    """Return the statements after a question in the same sentence.

    >>> [piece.text for piece in find_asides(TextSpan("what can i cook, i'm coeliac?", 0))]
    ["i'm coeliac"]
    >>> find_asides(TextSpan("did i say that, i'm coeliac?", 0))
    []
    """
    text = sentence.text
    if not asks(text) or _CONFIRMATION_QUESTION.match(text):
        return []
    found = _STATEMENT_AFTER_QUESTION.search(text)
    if not found or _UNSURE_WORDS.search(found["said"]):
        return []
    return [TextSpan(found["said"].rstrip(), sentence.start + found.start("said"))]


def facts_in_passing(text: str) -> Iterable[ExtractedFact]:
    """Find named people, the speaker's home, and the role in which they ask something."""
    yield from find_named_people(text)
    home = _WHERE_I_LIVE.search(text)
    if home:
        yield from apply_patterns(PLACES, f"I live in {home['place']}")
    role = _ROLE_OPENING.match(text)
    if role and _I.search(role["rest"]) and not _YOU.search(role["rest"]) and not _FORMER.search(role["who"]):
        yield from facts_of(f"I'm a {role['who']}", ())
