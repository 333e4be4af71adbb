"""Features of a user's message as a whole, for the second stage of the learned gate. Pure.

The first stage reads words. These say what they cannot: whether the message speaks of its speaker, orders or asks, how
it relates to what was said before, and what the rules have read from it. Training and forming compute the same.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

from recollect.extraction.gate_features import MAX_TEXT
from recollect.extraction.rules.asides import mentions_fiction
from recollect.extraction.rules.clause_facts import lead_length
from recollect.extraction.rules.foreign_exclusions import HYPOTHETICAL, ORDERS
from recollect.extraction.rules.foreign_languages import foreign_language
from recollect.extraction.rules.foreign_persons import FIRST_PERSON, FIRST_PERSON_ELSEWHERE
from recollect.extraction.rules.foreign_pieces import plain_text
from recollect.extraction.rules.parsed_message import ParsedMessage
from recollect.extraction.rules.verbatim import asks_or_orders, is_quotation
from recollect.extraction.rules.verbatim_patterns import SUPPOSED
from recollect.extraction.sentences import TextSpan
from recollect.extraction.speech_acts import is_command, is_small_talk, opens_role_play, statement_part
from recollect.lazy_pattern import LazyPattern
from recollect.text import asks, words
from recollect.text.languages import is_english
from recollect.text.scripts import script_of
from recollect.types import Candidate, MemoryKind

PLACES_OF_LOG_ODDS = (29, 30)
"""Where a row has what the first stage says of the whole message, and of its likeliest sentence."""
# Sentences of a message that are looked at, and characters of its earlier messages and of the reply before it.
_MAX_SENTENCES, _MAX_EARLIER, _MAX_REPLY = 60, 300, 1_500
_SELF = LazyPattern(r"\b(?:i|i'm|im|i've|ive|i'd|i'll|my|me|mine|myself|we|our|us|we're|we've)\b", re.IGNORECASE)
_ADDRESS = LazyPattern(
    r"\b(?:you|your|u|ur|du|dein\w{0,3}|ihr|tu|te|vous|votre|tú|usted|você|ты|вы|тебя|тебе|вас|je|jij|jouw)\b|[你您]",
    re.IGNORECASE,
)
_OTHERS = LazyPattern(r"\b(?:he|she|his|her|him|they|them|their)\b", re.IGNORECASE)
# A gap where the words of others were blanked.
_GAP = LazyPattern(r" {6}")


def speaks_of_self(text: str) -> bool:
    """Return whether an English text has a word for its speaker."""
    return bool(_SELF.search(text))


@dataclass(frozen=True, slots=True)
class _Manner:
    """How a text speaks."""

    of_self: bool
    orders: bool
    asks: bool
    supposes: bool


def message_features(
    reading: ParsedMessage, pieces: Sequence[TextSpan], likely: Sequence[float], found: Sequence[Candidate]
) -> NDArray[np.float32]:
    """Compute the features of a message.

    Args:
        reading: The message.
        pieces: Its sentences, at least one.
        likely: Log odds that the first stage gives the whole message, then those of its sentences.
        found: What the rules read from it.
    """
    text = reading.masked[:MAX_TEXT]
    language = foreign_language(text, text)
    whole = _manner(text, language)
    sentences = [_manner(piece.text[:MAX_TEXT], language) for piece in pieces[:_MAX_SENTENCES]]
    values = (
        *(whole.of_self, whole.orders, whole.asks, whole.supposes),
        *(len(pieces), sum(each.of_self for each in sentences), sum(each.orders for each in sentences)),
        *_of_words(reading.masked, text),
        *_of_context(reading, text),
        *(likely[0], max(likely[1:])),
        *_of_outcomes(found),
    )
    return np.array(values, np.float32)


def _manner(text: str, language: str) -> _Manner:
    """Say how a text in a language with rules speaks, or in English or another (an empty code)."""
    if language:
        plain = plain_text(text)
        return _Manner(
            of_self=bool(FIRST_PERSON[language].search(plain)),
            orders=bool(ORDERS[language].match(plain)),
            asks=asks(text),
            supposes=bool(HYPOTHETICAL[language].search(plain)),
        )
    body = text[lead_length(text) :]
    return _Manner(
        of_self=speaks_of_self(text) or bool(_is_foreign(text) and FIRST_PERSON_ELSEWHERE.search(plain_text(text))),
        orders=is_command(body),
        asks=asks(text) or asks_or_orders(body),
        supposes=bool(SUPPOSED.search(text)),
    )


def _is_foreign(text: str) -> bool:
    return script_of(text) != "latin" or not is_english(text)


def _of_words(masked: str, text: str) -> tuple[float, ...]:
    """Describe how a message is written."""
    written = text.split()
    letters, count = max(len(text), 1), max(len(written), 1)
    marks = sum(not (character.isalnum() or character.isspace()) for character in text)
    return (
        len(masked),
        len(written),
        masked.count("\n"),
        masked.rstrip().endswith((":", "：")),
        sum(map(str.isdigit, text)) / letters,
        marks / letters,
        sum(word[0].isupper() for word in written) / count,
        text[:1].islower(),
        bool(_GAP.search(masked)),
        mentions_fiction(text),
        bool(_ADDRESS.search(text)),
        bool(_OTHERS.search(text)),
        opens_role_play(text),
        is_small_talk(text),
        not statement_part(text),
    )


def _of_context(reading: ParsedMessage, text: str) -> tuple[float, ...]:
    """Describe how a message relates to what was said before."""
    said, reply = set(words(text)), reading.previous_reply
    earlier = [before[:_MAX_EARLIER] for before in reading.previous_texts]
    codes = [foreign_language(before, before) for before in earlier]
    repeated = max((_similarity(said, set(words(before))) for before in earlier), default=0.0)
    return (
        reading.message.seq - 1,
        len(earlier),
        sum(_manner(before, code).of_self for before, code in zip(earlier, codes, strict=True)),
        repeated,
        len(said & set(words(reply[-_MAX_REPLY:]))) / max(len(said), 1),
        len(reply),
        asks(reply[-_MAX_EARLIER:]),
    )


def _similarity(one: set[str], other: set[str]) -> float:
    """Return the share of the words of two texts that both have."""
    return len(one & other) / max(len(one | other), 1)


def _of_outcomes(found: Sequence[Candidate]) -> tuple[int, ...]:
    """Count what the rules read: all, facts, and notes that quote."""
    stated = [item for item in found if not item.forgets]
    return len(stated), sum(item.kind is MemoryKind.FACT for item in stated), sum(map(is_quotation, stated))
