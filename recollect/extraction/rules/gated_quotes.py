"""Notes that quote what the learned gate takes for a lasting statement, and no rule has read. Loads the gate once.

"Mein Vermieter will die Wohnung selbst nutzen" is stored as it was said, in its language. What the rules refuse is not
quoted: games, jokes, suppositions, words of others, requests to forget.
"""

import re
from collections.abc import Sequence
from dataclasses import dataclass
from math import log

from recollect.extraction.gate_features import MAX_TEXTS, GateInput, features_of
from recollect.extraction.irony_and_doubt import is_doubted_taste, is_ironic
from recollect.extraction.rules.asides import mentions_fiction
from recollect.extraction.rules.clause_facts import lead_length
from recollect.extraction.rules.clause_notes import is_asked_for
from recollect.extraction.rules.foreign_exclusions import ORDERS, TRIVIAL
from recollect.extraction.rules.foreign_languages import foreign_language
from recollect.extraction.rules.foreign_persons import OFTEN_UNSAID, may_speak_of_self
from recollect.extraction.rules.foreign_pieces import is_supposed, plain_text
from recollect.extraction.rules.foreign_statements import foreign_statement_part
from recollect.extraction.rules.message_features import message_features, speaks_of_self
from recollect.extraction.rules.note_weight import is_of_the_moment, is_reported_speech
from recollect.extraction.rules.parsed_message import ParsedMessage
from recollect.extraction.rules.verbatim import asks_or_orders, is_quotation, quotation
from recollect.extraction.rules.verbatim_patterns import SUPPOSED, is_reported, tells_of_illness
from recollect.extraction.sentences import TextSpan, fold, sentences
from recollect.extraction.sources import readable, speaker_kind
from recollect.extraction.speech_acts import (
    ends_in_laughter,
    introduces_figure,
    is_command,
    is_hyperbole,
    is_hypothetical,
    is_invented,
    is_joke,
    is_small_talk,
    opens_role_play,
    statement_part,
)
from recollect.extraction.statement_gate import StatementGate, shipped_gate
from recollect.lazy_pattern import LazyPattern
from recollect.text import asks, opens_asking, words
from recollect.text.languages import ENGLISH, is_english
from recollect.text.scripts import mostly_unspaced, script_of
from recollect.types import Candidate, LoggedMessage, MemoryKind

# A question without a mark.
_QUESTION_WORD = LazyPattern(
    r"(?:what|where|which|whose|who|why|how|when(?=\s++(?:is|are|was|were|do|does|did|will|can)\b))\b", re.IGNORECASE
)
# What may only be so, in languages of which no rules are known; Turkish says it by an ending.
_SUPPOSED_ELSEWHERE = LazyPattern(
    r"\b(?:gdyby\w{0,5}|jeśli|jeżeli|якби|якщо|kdyby\w{0,3}|keby|pokud|dacă|amennyiben|bárcsak|jos|kalau|jika|"
    r"seandainya|andaikan|nếu|giá như|ако|kad bih|da sam|eğer|\w{1,20}s[ae]yd[ıi]\w{0,3}|اگر|अगर|यदि|যদি|אילו|αν)\b"
    r"|라면|다면|ถ้า",
    re.IGNORECASE,
)
_OF_THE_DAY = LazyPattern(
    r"\b(?:today|tonight|right\s++now|at\s++the\s++moment|just\s++now|this\s++(?:morning|afternoon|evening|week)|again|"
    r"tired|sleepy|exhausted|bored|hungry|thirsty|(?:gotta|(?:got|have|need)\s++to)\s++(?:run|go|dash|leave|sleep))\b",
    re.IGNORECASE,
)
# 'The tower was finished in 1889, right': a question without a mark.
_ASKS_ASSENT = LazyPattern(r",?\s(?:right|correct|innit|yeah|isn't\s++it|aren't\s++they)[?.!]*+$", re.IGNORECASE)
# 'Finally got the server moved': the speaker is not named.
_UNNAMED_SPEAKER = LazyPattern(
    r"(?:(?:finally|just|recently|also|still|already|never|always|once|and|so|but|been|yes|no|ok)[ ,]++){0,3}"
    r"(?:got|moved|started|stopped|been|went|bought|sold|had|have|am|was|passed|failed|quit|lost|found|broke|joined|love|"
    r"hate|prefer|live|work|study|grew|born|turning|turned|getting|moving|starting|going|staying|working|living|"
    r"studying|allergic|vegan|married|divorced|single|retired|pregnant)\b",
    re.IGNORECASE,
)
# Its subject or object was said before.
_REFERS = LazyPattern(
    r"\A(?:it|that|this|these|those|there|here)\b"
    r"|\b(?:it|that|this|them|one)(?:\s++(?:any\s?more|any\s++longer|now|too|either))?[.!]*+$",
    re.IGNORECASE,
)
# Probability of a message from which its sentences are quoted.
STATEMENT_THRESHOLD = 0.22
# The same for a sentence that refers to what was said before, is short, or may be fiction; for one that may be an order
# or asks something, supposes, or introduces a text; for one that states nothing else, or in another language is about
# the day; and for one about the day in English, or that reports the word of another.
DOUBTFUL_THRESHOLD, ORDER_THRESHOLD, PASSING_THRESHOLD, DAY_THRESHOLD = 0.26, 0.38, 0.42, 0.6
# The same for one without a word for its speaker, mostly a fact about the world: in English, in other languages, and in
# those that often leave the word out.
ENGLISH_OTHERS_THRESHOLD, OTHERS_THRESHOLD, UNSAID_THRESHOLD = 0.36, 0.5, 0.28
# Probability of a sentence from which it is quoted from such a message; the same for all but the likeliest; and for an
# order, a question or a remark on the day, as the message may be likely for what is beside it.
SENTENCE_THRESHOLD, FURTHER_THRESHOLD, BESIDE_THRESHOLD = 0.15, 0.3, 0.4
# Notes of the rules are dropped from a message that is less likely: those that quote or have a date; others; and those
# that end in a question.
NOTE_THRESHOLD, UNDATED_THRESHOLD, ASSENT_THRESHOLD = 0.15, 0.2, 0.38
# Characters of a sentence and of a message that is quoted from: a longer one is a text, not a remark.
MAX_SENTENCE, MAX_MESSAGE = 400, 2_000
# A sentence with fewer words, or in a script without blanks fewer characters, is short.
_MIN_WORDS, _MIN_CHARACTERS = 4, 8


# Of a statement that is not meant as it is said, or says nothing.
_UNMEANT = (
    is_small_talk,
    is_hypothetical,
    is_reported_speech,
    is_hyperbole,
    is_joke,
    is_invented,
    is_ironic,
    is_doubted_taste,
    opens_role_play,
    introduces_figure,
)


def gate_input(reading: ParsedMessage, pieces: Sequence[TextSpan]) -> GateInput:
    """Return what the gate judges the sentences of a message by."""
    return GateInput(
        texts=[piece.text for piece in pieces],
        previous_reply=reading.previous_reply,
        previous_texts=reading.previous_texts,
        turn=reading.message.seq - 1,
    )


@dataclass(frozen=True, slots=True)
class _Quoted:
    """A sentence that may be quoted."""

    note: Candidate
    log_odds: float
    """What the first stage says of it."""
    threshold: float
    """Probability of its message from which it is quoted."""


class GatedMessage:
    """What the gate says of a message, and what is quoted for that reason."""

    def __init__(self, reading: ParsedMessage, pieces: Sequence[TextSpan]) -> None:
        """Judge the sentences of a message.

        The gate is trained on what users say to assistants, so it is not asked in a conversation between people.
        """
        self._reading, self._pieces = reading, pieces
        self._quoted: dict[int, _Quoted] = {}
        self._likely: list[float] = []
        if reading.learned_gate and not reading.between_people and reading.message.role == "user" and pieces:
            self._likely = stage_one(shipped_gate(), reading, pieces)

    def quotation(self, place: int) -> list[Candidate]:
        """Quote a sentence from which no rule has read anything, if it may state something; see `decide`."""
        judged = self._likely[1:]
        if place >= len(judged) or judged[place] < _log_odds(SENTENCE_THRESHOLD):
            return []
        sentence = self._pieces[place]
        found = _stated(self._reading, sentence)
        if found is None or judged[place] < _log_odds(found.least):
            return []
        quoted = quotation(self._reading, TextSpan(found.text, sentence.start), is_foreign=not found.in_english)
        self._quoted[id(quoted)] = _Quoted(quoted, judged[place], found.threshold)
        return [quoted]

    def decide(self, candidates: Sequence[Candidate]) -> list[Candidate]:
        """Drop what is not likely enough to be lasting, of what the rules read and of what `quotation` returned."""
        of_rules = [item for item in candidates if id(item) not in self._quoted]
        if not self._likely or not candidates:
            return list(candidates)
        numbers = message_features(self._reading, self._pieces, self._likely, of_rules)
        probability = shipped_gate().of_message(numbers)
        kept = [item for item in of_rules if probability >= _least_of_rules(item)]
        quoted = [self._quoted[id(item)] for item in candidates if id(item) in self._quoted]
        likely = sorted((each for each in quoted if probability >= each.threshold), key=lambda each: -each.log_odds)
        further = _log_odds(FURTHER_THRESHOLD)
        kept += [
            each.note for rank, each in enumerate(likely) if each.log_odds >= further or (rank == 0 and not of_rules)
        ]
        chosen = set(map(id, kept))
        return [item for item in candidates if id(item) in chosen]


def stage_one(gate: StatementGate, reading: ParsedMessage, pieces: Sequence[TextSpan]) -> list[float]:
    """Return the log odds of a message, then those of its sentences, as the second stage takes them."""
    texts = [TextSpan(reading.masked, 0), *pieces]
    judged = gate_input(reading, texts)
    return [float(each) for each in gate.log_odds(features_of(judged), min(len(texts), MAX_TEXTS))]


@dataclass(frozen=True, slots=True)
class _Statement:
    """What of a sentence may be quoted."""

    text: str
    in_english: bool
    threshold: float
    """Probability of its message from which it is."""
    least: float
    """The same of the sentence by itself."""


def _stated(reading: ParsedMessage, sentence: TextSpan) -> _Statement | None:
    """Return what of a sentence may be quoted, others' words blanked; None if nothing may, however likely."""
    text = sentence.text
    if len(text) > MAX_SENTENCE or len(reading.text) > MAX_MESSAGE:
        return None
    language = foreign_language(text, reading.masked)
    in_english = not language and script_of(text) == "latin" and is_english(text)
    stated = _stated_part(text, language, in_english=in_english)
    if (language and not stated) or not _is_meant(reading, sentence, language):
        return None
    if not language and not in_english and _SUPPOSED_ELSEWHERE.search(text):
        return None
    least = _least(reading, text, stated, language, in_english=in_english)
    beside = _may_ask_or_order(text, language) or (not language and _is_passing(text, language))
    return _Statement(stated or text, in_english, least, BESIDE_THRESHOLD if beside else SENTENCE_THRESHOLD)


def _least(reading: ParsedMessage, text: str, stated: str, language: str, *, in_english: bool) -> float:
    """Return the probability of its message from which a sentence is quoted."""
    if not language and _is_passing(text, language):
        return DAY_THRESHOLD
    if not stated or _is_passing(text, language):
        return PASSING_THRESHOLD
    least = DOUBTFUL_THRESHOLD if _is_doubtful(reading, text, language) else STATEMENT_THRESHOLD
    if _may_ask_or_order(text, language) or text.endswith((":", "：")) or SUPPOSED.search(text):
        least = ORDER_THRESHOLD
    if language and not may_speak_of_self(stated, language):
        return max(least, UNSAID_THRESHOLD if language in OFTEN_UNSAID else OTHERS_THRESHOLD)
    names_speaker = speaks_of_self(text) or _UNNAMED_SPEAKER.match(text)
    return max(least, ENGLISH_OTHERS_THRESHOLD) if in_english and not names_speaker else least


def _log_odds(probability: float) -> float:
    return log(probability / (1 - probability))


def may_be_gated(message: LoggedMessage, around: Sequence[LoggedMessage]) -> bool:
    """Return whether the gate may take something in a user's message.

    Args:
        message: A new message.
        around: Messages around it; the gate looks at those before it.
    """
    return statement_probability(message, around) >= SENTENCE_THRESHOLD


def statement_probability(message: LoggedMessage, around: Sequence[LoggedMessage]) -> float:
    """Return how likely the likeliest sentence of a user's message states something lasting; 0 for anybody else's.

    Args:
        message: A new message.
        around: Messages around it; the gate looks at those before it.
    """
    pieces = sentences(fold(readable(message)))
    if speaker_kind(message.role, message.name) != "user" or not pieces:
        return 0.0
    before = [other for other in around if other.seq < message.seq]
    source = GateInput(
        texts=[piece.text for piece in pieces],
        previous_reply=next((other.text for other in reversed(before) if other.role == "assistant"), ""),
        previous_texts=[fold(readable(other)) for other in reversed(before) if other.role == "user"],
        turn=message.seq - 1,
    )
    return float(shipped_gate().probabilities(source).max())


def _least_of_rules(item: Candidate) -> float:
    """Return the probability of a message from which what the rules read is kept.

    Facts, corrections and what is asked for are kept: they may change what is known.
    """
    if item.kind is not MemoryKind.NOTE or item.forgets or item.corrects or is_asked_for(item):
        return 0.0
    if _ASKS_ASSENT.search(item.quote) and not speaks_of_self(item.quote):
        return ASSENT_THRESHOLD
    is_firm = is_quotation(item) or any(map(str.isdigit, item.text))
    return NOTE_THRESHOLD if is_firm else UNDATED_THRESHOLD


def _stated_part(text: str, language: str, *, in_english: bool) -> str:
    """Return the beginning of a sentence that states something: all of it, or what is before its question."""
    if language:
        return foreign_statement_part(text, language)
    if not in_english:
        return "" if asks(text) or opens_asking(text) else text
    return "" if _QUESTION_WORD.match(text, lead_length(text)) else statement_part(text)


def _is_doubtful(reading: ParsedMessage, text: str, language: str) -> bool:
    """Return whether a sentence refers to what was said before, is short, or may be fiction."""
    if len(text) < _MIN_CHARACTERS if mostly_unspaced(text) else len(text.split()) < _MIN_WORDS:
        return True
    return not language and bool(_REFERS.search(text[lead_length(text) :]) or mentions_fiction(reading.masked))


def _may_ask_or_order(text: str, language: str) -> bool:
    if asks(text) or any(ORDERS[code].match(plain_text(text)) for code in _spoken(text, language)):
        return True
    body = text[lead_length(text) :]
    return not language and (is_command(body) or asks_or_orders(body))


def _is_passing(text: str, language: str) -> bool:
    """Return whether a sentence is about the day, or reports the word of another."""
    if language:
        return bool(TRIVIAL[language].search(plain_text(text)))
    return bool(_OF_THE_DAY.search(text)) or is_reported(text)


def _spoken(text: str, language: str) -> tuple[str, ...]:
    """Return the languages that a sentence may be in, of those whose orders are known."""
    if language:
        return (language,)
    return tuple(ORDERS) if ENGLISH.isdisjoint(words(text)) else ()


def _is_meant(reading: ParsedMessage, sentence: TextSpan, language: str) -> bool:
    """Return whether a sentence is said by the user alone, in earnest, and not of the work at hand."""
    text = sentence.text
    if fold(reading.quote(sentence)) != text:
        return False  # others' words within it are blanked
    if "[" in text:
        return False  # a secret was struck out, or it is a template
    if ends_in_laughter(text) and not tells_of_illness(text):
        return False
    if language and is_supposed(text, language):
        return False
    if not language and is_of_the_moment(text, dated=bool(reading.mentions_in(sentence))):
        return False
    return not any(is_unmeant(text) for is_unmeant in _UNMEANT)
