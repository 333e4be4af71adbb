"""Notes that quote what the learned gate takes for a lasting statement, and no rule has read. Loads the gate once.

"Mein Vermieter will die Wohnung selbst nutzen" is stored as it was said, in its language. What the rules refuse is not
quoted: games, jokes, suppositions, words of others, requests to forget.
"""

import re
from collections.abc import Sequence

from recollect.extraction.gate_features import GateInput
from recollect.extraction.irony_and_doubt import is_doubted_taste, is_ironic
from recollect.extraction.rules.asides import mentions_fiction
from recollect.extraction.rules.clause_facts import lead_length
from recollect.extraction.rules.foreign_exclusions import ORDERS, TRIVIAL
from recollect.extraction.rules.foreign_languages import foreign_language
from recollect.extraction.rules.foreign_persons import OFTEN_UNSAID, may_speak_of_self
from recollect.extraction.rules.foreign_pieces import is_supposed, plain_text
from recollect.extraction.rules.foreign_statements import foreign_statement_part
from recollect.extraction.rules.note_weight import is_of_the_moment, is_reported_speech
from recollect.extraction.rules.parsed_message import ParsedMessage
from recollect.extraction.rules.verbatim import asks_or_orders, is_quotation, quotation
from recollect.extraction.rules.verbatim_patterns import is_reported, tells_of_illness
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
from recollect.extraction.statement_gate import shipped_gate
from recollect.lazy_pattern import LazyPattern
from recollect.text import asks, opens_asking, words
from recollect.text.languages import ENGLISH, is_english
from recollect.text.scripts import mostly_unspaced, script_of
from recollect.types import Candidate, LoggedMessage, MemoryKind

# A question without a mark.
_QUESTION_WORD = LazyPattern(
    r"(?:what|where|which|whose|who|why|how|when(?=\s++(?:is|are|was|were|do|does|did|will|can)\b))\b", re.IGNORECASE
)
# What may only be so, and what someone is said to be.
_SUPPOSED = LazyPattern(
    r"\b(?:if|unless|would|wouldn't|could|might|maybe|perhaps|wish|imagine"
    r"|(?:i|we|he|she|they|it)(?:\s++may\b|'d)(?!\s++(?:like|love|prefer|rather)\b))\b",
    re.IGNORECASE,
)
# The same in languages of which no rules are known; Turkish says it by an ending.
_SUPPOSED_ELSEWHERE = LazyPattern(
    r"\b(?:gdyby\w{0,5}|jeśli|jeżeli|якби|якщо|kdyby\w{0,3}|keby|pokud|dacă|amennyiben|bárcsak|jos|kalau|jika|"
    r"seandainya|andaikan|nếu|giá như|ако|kad bih|da sam|eğer|\w{1,20}s[ae]yd[ıi]\w{0,3}|اگر|अगर|यदि|যদি|אילו|αν)\b"
    r"|라면|다면|ถ้า",
    re.IGNORECASE,
)
_OF_THE_DAY = LazyPattern(
    r"\b(?:today|tonight|right\s++now|at\s++the\s++moment|just\s++now|this\s++(?:morning|afternoon|evening|week)|again|"
    r"tired|sleepy|exhausted|bored|hungry|thirsty)\b",
    re.IGNORECASE,
)
# Its subject or object was said before.
_REFERS = LazyPattern(
    r"\A(?:it|that|this|these|those|there|here)\b"
    r"|\b(?:it|that|this|them|one)(?:\s++(?:any\s?more|any\s++longer|now|too|either))?[.!]*+$",
    re.IGNORECASE,
)
# Probability from which a sentence is quoted: in English, of which the rules read more themselves, and in others.
ENGLISH_THRESHOLD, STATEMENT_THRESHOLD = 0.24, 0.2
# The same for one that may be an order or fiction, refers to what was said before, or is short; and for one that only
# asks, is about the day, or reports the word of another.
DOUBTFUL_THRESHOLD, PASSING_THRESHOLD = 0.35, 0.45
# Undated notes of the rules are dropped where no sentence of the message is as likely.
UNLIKELY_THRESHOLD = 0.11
# Characters of a sentence and of a message that is quoted from: a longer one is a text, not a remark.
MAX_SENTENCE, MAX_MESSAGE = 400, 2_000
# A sentence with fewer words, or in a script without blanks fewer characters, is short.
_MIN_WORDS, _MIN_CHARACTERS = 4, 8


def _is_supposed(text: str) -> bool:
    return bool(_SUPPOSED.search(text))


# Of a statement that is not meant as it is said, or says nothing.
_UNMEANT = (
    is_small_talk,
    _is_supposed,
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


def gate_probabilities(reading: ParsedMessage, pieces: Sequence[TextSpan]) -> list[float]:
    """Return how likely each sentence states something lasting; empty where the gate is not asked.

    It is trained on what users say to assistants, so it is not asked in a conversation between people.
    """
    if not reading.learned_gate or reading.between_people or reading.message.role != "user" or not pieces:
        return []
    return [float(each) for each in shipped_gate().probabilities(gate_input(reading, pieces))]


def gated_quotations(reading: ParsedMessage, sentence: TextSpan, probability: float) -> list[Candidate]:
    """Quote a sentence from which no rule has read anything, if it is likely to state something lasting.

    Args:
        reading: The message.
        sentence: A part of it, others' words blanked.
        probability: What the gate says of it.
    """
    if probability < STATEMENT_THRESHOLD or len(sentence.text) > MAX_SENTENCE or len(reading.text) > MAX_MESSAGE:
        return []
    language = foreign_language(sentence.text, reading.masked)
    in_english = not language and script_of(sentence.text) == "latin" and is_english(sentence.text)
    if in_english and probability < ENGLISH_THRESHOLD:
        return []
    if probability < DOUBTFUL_THRESHOLD and _is_doubtful(reading, sentence.text, language):
        return []
    stated = _stated_part(sentence.text, language, in_english=in_english)
    if language and not (stated and _is_about_self(stated, language, probability)):
        return []
    if probability < PASSING_THRESHOLD and (not stated or _is_passing(sentence.text, language)):
        return []
    if not language and not in_english and _SUPPOSED_ELSEWHERE.search(sentence.text):
        return []
    if not _is_meant(reading, sentence, language):
        return []
    return [quotation(reading, TextSpan(stated or sentence.text, sentence.start), is_foreign=not in_english)]


def without_unlikely(candidates: Sequence[Candidate], likely: Sequence[float]) -> list[Candidate]:
    """Drop the notes of a message in which the gate takes no sentence for a lasting statement.

    Args:
        candidates: What was read from the message.
        likely: Probabilities of its sentences; none: the gate was not asked.
    """
    if not likely or max(likely) >= UNLIKELY_THRESHOLD:
        return list(candidates)
    return [item for item in candidates if not _is_weak(item)]


def may_be_gated(message: LoggedMessage, around: Sequence[LoggedMessage]) -> bool:
    """Return whether the gate may take something in a user's message.

    Args:
        message: A new message.
        around: Messages around it; the gate looks at those before it.
    """
    return statement_probability(message, around) >= STATEMENT_THRESHOLD


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


def _is_weak(candidate: Candidate) -> bool:
    """Return whether a candidate is a note on nothing but its sentence: rewritten, undated, and correcting nothing."""
    if candidate.kind is not MemoryKind.NOTE or candidate.forgets or candidate.corrects or is_quotation(candidate):
        return False
    return not any(map(str.isdigit, candidate.text))


def _stated_part(text: str, language: str, *, in_english: bool) -> str:
    """Return the beginning of a sentence that states something: all of it, or what is before its question."""
    if language:
        return foreign_statement_part(text, language)
    if not in_english:
        return "" if asks(text) or opens_asking(text) else text
    return "" if _QUESTION_WORD.match(text, lead_length(text)) else statement_part(text)


def _is_about_self(text: str, language: str, probability: float) -> bool:
    if may_speak_of_self(text, language):
        return True
    return probability >= (DOUBTFUL_THRESHOLD if language in OFTEN_UNSAID else PASSING_THRESHOLD)


def _is_doubtful(reading: ParsedMessage, text: str, language: str) -> bool:
    """Return whether a sentence may be an order or fiction, refers to what was said before, or is short."""
    if len(text) < _MIN_CHARACTERS if mostly_unspaced(text) else len(text.split()) < _MIN_WORDS:
        return True
    if asks(text) or any(ORDERS[code].match(plain_text(text)) for code in _spoken(text, language)):
        return True
    body = text[lead_length(text) :]
    return not language and (
        bool(_REFERS.search(body)) or is_command(body) or asks_or_orders(body) or mentions_fiction(reading.masked)
    )


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
    if "[" in text or text.endswith((":", "：")):
        return False  # a secret was struck out, it is a template, or it introduces a text
    if ends_in_laughter(text) and not tells_of_illness(text):
        return False
    if language and is_supposed(text, language):
        return False
    if not language and is_of_the_moment(text, dated=bool(reading.mentions_in(sentence))):
        return False
    return not any(is_unmeant(text) for is_unmeant in _UNMEANT)
