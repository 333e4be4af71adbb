"""Short answers to a question of the assistant, as statements. Pure.

'Any allergies?' and 'Yes, hazelnuts.' become "I'm allergic to hazelnuts".
"""

import re

from toldonce.extraction.sentences import sentences
from toldonce.lazy_pattern import LazyPattern

# Questions, and the statement that a short answer to each makes; `{}` is the answer.
_STATEMENT_BY_QUESTION = (
    (LazyPattern(r"\ballerg(?:y|ies|ic)\b", re.IGNORECASE), "I'm allergic to {}"),
    (
        LazyPattern(
            r"\bwhere (?:do you (?:currently )?live|are you (?:currently )?(?:based|located|living))\b|"
            r"\b(?:which|what) (?:city|town) (?:do you live|are you)",
            re.IGNORECASE,
        ),
        "I live in {}",
    ),
    (
        LazyPattern(
            r"\bwhere (?:are you (?:originally )?from|do you come from|were you born|did you grow up)\b", re.IGNORECASE
        ),
        "I'm from {}",
    ),
    (
        LazyPattern(
            r"\b(?:what(?:'s| is) your name|what (?:should|can|may|shall) i call you|your name\s*\?)", re.IGNORECASE
        ),
        "My name is {}",
    ),
    (
        LazyPattern(
            r"\b(?:what do you do (?:for (?:a living|work)|professionally)|what(?:'s| is) your (?:job|"
            r"profession|occupation|line of work))\b",
            re.IGNORECASE,
        ),
        "I'm {}",
    ),
    (LazyPattern(r"\b(?:how old are you|what(?:'s| is) your age)\b", re.IGNORECASE), "I'm {}"),
    (
        LazyPattern(
            r"\b(?:any (?:dietary|food) (?:restrictions?|requirements?|preferences?|needs)|are you (?:vegan|"
            r"vegetarian)|do you follow (?:a|any) (?:\w+ )?diet)\b",
            re.IGNORECASE,
        ),
        "I'm {}",
    ),
    (LazyPattern(r"\bwhat(?:'s| are| is) your (?:preferred )?pronouns\b", re.IGNORECASE), "My pronouns are {}"),
    (LazyPattern(r"\b(?:what(?:'s| is)|which is) your time ?zone\b", re.IGNORECASE), "My time zone is {}"),
)
_LEAD = LazyPattern(
    r"(?:(?:yes|yep|yeah|yup|sure|well|oh|um+|uh+|hmm+|and|also|plus|just|only|mostly|mainly|i think|probably|"
    r"an?(?= (?:allergy|intolerance))|to|in|from|it's|its|that's|"
    r"that would be)\b[\s,.:;!-]*+){1,6}",
    re.IGNORECASE,
)
_NO_ANSWER = LazyPattern(
    r"(?:no|none|nope|nah|nothing|not|never|neither|n/a|i|i'm|i've|my|we|you|your|he|she|they|it|what|why|how|when|where|who|which|can|could|would|do|does|is|"
    r"are|please|thanks?|ok|okay|good|great|skip|whatever|any|anything|everything|all|sorry|maybe|let|that|this|don't|why)\b",
    re.IGNORECASE,
)
_JOB = LazyPattern(r"(?:an?|the)\s", re.IGNORECASE)
_MAX_WORDS, _MAX_WORDS_OF_MESSAGE = 5, 14


def answer_as_statement(answer: str, message: str, question: str) -> str:
    """Return a short answer as a statement; empty if it is none, or the question is unknown.

    Args:
        answer: A sentence of the message.
        message: The whole message: sentences of a longer one need not be answers.
        question: The previous message of the other side.

    >>> answer_as_statement("yep, hazelnuts", "yep, hazelnuts", "Sure! Any allergies?")
    "I'm allergic to hazelnuts"
    >>> answer_as_statement("no, why?", "no, why?", "Any allergies?")
    ''
    """
    asked = [
        piece.text for piece in sentences(question[-_MAX_QUESTION_CHARACTERS:]) if piece.text.rstrip().endswith("?")
    ]
    if not asked or len(message.split()) > _MAX_WORDS_OF_MESSAGE or answer.rstrip().endswith("?"):
        return ""
    lead = _LEAD.match(answer)
    value = answer[lead.end() if lead else 0 :].strip(" .!,")
    if not value or len(value.split()) > _MAX_WORDS or _NO_ANSWER.match(value):
        return ""
    for pattern, says in _STATEMENT_BY_QUESTION:
        found = pattern.search(asked[-1])
        if found:
            value = (
                value
                if says != "I'm {}" or not value.islower() or _JOB.match(value) or "old" in found.group()
                else _with_article(value)
            )
            return says.format(value)
    return ""


_MAX_QUESTION_CHARACTERS = 400


def _with_article(value: str) -> str:
    """Put an article before a profession: 'nurse' becomes 'a nurse', 'vegan' stays."""
    return (
        value
        if re.search(r"(?:an|ian|free|ic|based)$", value) and len(value.split()) == 1
        else f"{'an' if value[0] in 'aeiou' else 'a'} {value}"
    )
