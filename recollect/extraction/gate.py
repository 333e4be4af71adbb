"""Decide cheaply whether a message may hold anything worth a memory. Pure.

"I'm allergic to peanuts" passes; "Write a poem about autumn" and "thanks!" do not. This gate is for the built-in
rules; which messages a model need not see is decided in `courtesy.py`.
"""

import re

from recollect.extraction.forget_requests import wants_forgotten
from recollect.extraction.machine_text import CODE_LINE
from recollect.extraction.own_words import own_words
from recollect.extraction.rules.asides import tells_in_passing
from recollect.extraction.rules.bare_correction import may_be_correction
from recollect.extraction.rules.clause_facts import facts_of, lead_length
from recollect.extraction.rules.news import is_news, leaves_out_subject
from recollect.extraction.rules.pursuits import is_pursuit
from recollect.extraction.rules.rewrite import leaves_out_i
from recollect.extraction.rules.shifts import tells_of_shift
from recollect.extraction.rules.verbatim import may_be_quoted
from recollect.extraction.sentences import TextSpan, fold, sentences
from recollect.extraction.sources import MAX_READ_CHARACTERS
from recollect.extraction.speech_acts import is_command, is_small_talk, statement_part
from recollect.lazy_pattern import LazyPattern
from recollect.text import fold_runs

_FIRST_PERSON = LazyPattern(r"\b(?:i|i'm|im|i've|i'd|i'll|my|mine|me|myself|we|we're|we've|our|us)\b", re.IGNORECASE)
_STANDING_ORDER = LazyPattern(
    r"\b(?:always|never|from\s++now\s++on|in\s++(?:the\s++)?future|going\s++forward|remember|note\s++that|"
    r"keep\s++in\s++mind|call\s++me"
    r"|don't\s++forget|do\s++not\s++use|don't\s++use|(?:answer|reply|respond|speak|talk|write)\s++(?:to\s++me\s++)"
    r"?in|your\s++(?:answers|replies|responses)"
    r"|be\s++(?:brief|concise|short|direct|formal|informal|polite)|no\s++emojis?|use\s++\w+)\b",
    re.IGNORECASE,
)
# Where a command may turn to the speaker: 'fix this, and by the way I live in Oslo'.
_JOINT = LazyPattern(r"[,;:.]|\b(?:and|but|because|since|as|btw|by\s++the\s++way)\b", re.IGNORECASE)
_SELF_STATEMENT = LazyPattern(
    r"\b(?:i'm|i've|i\s++(?:am|have|live|work|like|love|hate|prefer"
    r"|can't|cannot|don't|never|was|moved|eat|speak|use|own)|my\s++\w+(?:'s|\s++(?:is|are)))\b",
    re.IGNORECASE,
)
# The reason given for a question: 'How do I plan it, now that my flight was moved to Monday?'
_QUESTION_REASON = LazyPattern(
    r"\b(?:since|because|considering|given\s++that|now\s++that)\s++(?:[\w'’.-]+[,:]?\s++){2}\w", re.IGNORECASE
)
# A short correction of the previous message: 'Palencia, not Valencia', 'Make that Thursday'.
_SHORT_CORRECTION = LazyPattern(
    r"^(?:(?:no|nope|wait|sorry|oops|argh+|ah|oh|haha+|actually|hmm+|lol)\b[\s,.!-]*+){0,4}(?:it's|make\s++that|scratch\s++that|correction|typo|[\w'-]{1,30}+,?\s++not\s++\w)"
    r"|^(?:no|wait|sorry|oops|actually)\b[\s,]++\S|\bspaces?\b|\bhere\s*+[.!]*+$|\b(?:window|aisle)\s++seat|\ball\s++the\s++way\b|\bagain\b",
    re.IGNORECASE,
)
_LATIN_WORD = LazyPattern(r"[a-z]+(?:'[a-z]+)?", re.IGNORECASE)
# English function words: a text without any is in another language, whose cues are not known here.
_ENGLISH_FUNCTION_WORD = LazyPattern(
    r"\b(?:the|i|i'm|you|it|are|of|and|this|that|my|with|not|please|what|how|can|don't|have)\b", re.IGNORECASE
)
# From this share of code-like lines on, a message is a dump.
_CODE_SHARE = 0.5


def is_worth_extracting(text: str) -> bool:
    """Return whether a message may hold something lasting.

    Greetings, thanks, questions without a personal reason, code dumps and one-off commands do not. In languages other
    than English, any statement longer than a greeting passes.

    >>> is_worth_extracting("I'm allergic to peanuts")
    True
    >>> is_worth_extracting("Write a poem about autumn")
    False
    """
    words = fold(fold_runs(own_words(text[: 2 * MAX_READ_CHARACTERS], speaker="assistant")[:MAX_READ_CHARACTERS]))
    if not any(character.isalpha() for character in words) or _is_code(words):
        return False
    found = sentences(words)
    return may_be_correction(words) or any(
        _sentence_counts(sentence) or may_be_quoted(sentence.text, words) for sentence in found
    )


def mentions_speaker(text: str) -> bool:
    """Return whether a text mentions its writer, or is in a language where that cannot be checked."""
    return bool(_FIRST_PERSON.search(text)) or not _ENGLISH_FUNCTION_WORD.search(text)


def _sentence_counts(sentence: TextSpan) -> bool:
    if is_small_talk(sentence.text):
        return False
    if wants_forgotten(sentence.text) or tells_in_passing(sentence):
        return True
    stated = statement_part(sentence.text)
    if not stated:
        return bool(_QUESTION_REASON.search(sentence.text) and _FIRST_PERSON.search(sentence.text))
    if _STANDING_ORDER.search(stated):
        return True
    if is_command(stated):
        return _has_aside(stated)
    body = stated[lead_length(stated) :]
    if is_news(body) or tells_of_shift(body):
        return True  # also in two words: 'Milo's back'
    if not _ENGLISH_FUNCTION_WORD.search(stated) and not _FIRST_PERSON.search(stated):
        return not sentence.text.rstrip().endswith(("?", "\uff1f")) and _long_enough(stated)
    return (
        bool(_FIRST_PERSON.search(stated) or _SHORT_CORRECTION.search(stated))
        or leaves_out_subject(body, dated=True)
        or leaves_out_i(body)
        or bool(facts_of(stated, []))
        or is_pursuit(body)
    )


def _has_aside(command: str) -> bool:
    joint = _JOINT.search(command)
    return bool(joint and _SELF_STATEMENT.search(command, joint.end()))


def _long_enough(text: str) -> bool:
    return len(text.split()) >= 3 or sum(not c.isascii() and c.isalpha() for c in text) >= 5


def _is_code(text: str) -> bool:
    lines = [line for line in text.splitlines() if line.strip()]
    hits = sum(bool(CODE_LINE.search(line)) for line in lines)
    if len(lines) == 1:
        return hits > 0 and len(_LATIN_WORD.findall(text)) < 4 and not _FIRST_PERSON.search(text)
    return hits / len(lines) > _CODE_SHARE
