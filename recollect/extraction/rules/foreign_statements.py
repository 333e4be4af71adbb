"""Statements about the user in German, French, Spanish, Portuguese, Italian, Dutch, Japanese and Chinese. Pure.

'moro em Setúbal' is a statement; 'Falls ich in Rom wohne' supposes and 'Wo wohne ich?' asks. The patterns are in
`foreign_patterns` (first person) and `foreign_exclusions` (questions, orders, suppositions).
"""

import re

from recollect.extraction.rules.foreign_exclusions import HYPOTHETICAL, ORDERS, TEXT_WORK, TRIVIAL
from recollect.extraction.rules.foreign_patterns import FIRST_PERSON, NAMED, STATES
from recollect.lazy_pattern import LazyPattern
from recollect.text import asks
from recollect.text.languages import ENGLISH, guess
from recollect.text.normalize import fold, words
from recollect.text.questions import opens_asking

# Characters of a message whose statements are kept: a longer one is mostly a text to work on.
MAX_MESSAGE, MAX_MESSAGE_UNSPACED = 500, 200
# Up to this many words only introduce the next statement: 'Ich bin umgezogen, wohne jetzt in Halle'.
MAX_OPENING_WORDS = 3
# A shorter sentence after a statement does not continue it: 'Merci !'.
MIN_FURTHER_WORDS = 3
# Characters that are used to detect a language.
_DETECTION_CHARACTERS = 400
_KANA = LazyPattern("[\u3041-\u30ff]")
_HAN = LazyPattern("[\u4e00-\u9fff]")
_LATIN = frozenset({"de", "fr", "es", "pt", "it", "nl"})
_JOINT = LazyPattern("[,;:、，；：。—–]|\\s-\\s|¿|\\.{3}|…")
# Where another statement may begin.
_PARTS = LazyPattern(
    r"[,;]\s++(?:(?:und|et|y|e|en|maar|aber|mais|pero|mas|ma)\s++)?|(?<=\w)\s++(?:und|et|y|e|en)\s++|[，；]"
)
_ASKS_UNSPACED = LazyPattern(
    "[吗嗎呢]|什么|什麼|怎么|怎麼|谁|哪|几|多少|为什么|か[?？。]?$|ですか|ますか|何|どこ|いつ|なぜ|どう|どの|誰"
)


def foreign_language(text: str, message: str) -> str:
    """Return the language of a sentence if it is one of the eight; empty for English and others.

    Args:
        text: The sentence.
        message: Its message, which decides if the sentence is too short.

    >>> foreign_language("moro em Setúbal", ""), foreign_language("I live in Rome", "")
    ('pt', '')
    """
    for sample in (text, message[:_DETECTION_CHARACTERS]):
        if _KANA.search(sample):
            return "ja"
        if _HAN.search(sample):
            return "zh"
        spoken, _ = guess(words(sample), sample)
        if spoken.latin in _LATIN:
            return spoken.latin
    return _told_by_person(text)


def _told_by_person(text: str) -> str:
    """Return the language of the words for 'I' and 'my' in a short sentence, if no word is English."""
    if not ENGLISH.isdisjoint(words(text)):
        return ""
    return next((code for code, mine in FIRST_PERSON.items() if mine.search(_plain(text))), "")


def foreign_statements(sentence: str, message: str, language: str) -> list[tuple[int, int]]:
    """Find the lasting statements of a sentence about the user, each by itself, so that one may end alone.

    >>> text = "ich wohne übrigens in Erfurt, kennst du da eine Yogaschule?"
    >>> [text[start:end] for start, end in foreign_statements(text, text, "de")]
    ['ich wohne übrigens in Erfurt']
    >>> foreign_statements("Wo wohne ich?", "", "de"), foreign_statements("Falls ich in Rom wohne", "", "de")
    ([], [])
    """
    if not _is_talk(sentence, message, language):
        return []
    stated = foreign_statement_part(sentence, language)
    plain = _plain(stated)
    if not stated or HYPOTHETICAL[language].search(plain) or ORDERS[language].match(plain):
        return []
    offset = sentence.index(stated)
    return [(offset + start, offset + end) for start, end in _parted(stated, language)]


def _parted(stated: str, language: str) -> list[tuple[int, int]]:
    """Cut a sentence before each statement; a continuation stays with its statement."""
    found: list[tuple[int, int]] = []
    continues_statement = False
    for start, end in _pieces(stated, language):
        plain = _plain(stated[start:end])
        is_trivial = bool(TRIVIAL[language].search(plain))
        if STATES[language].search(plain) and not is_trivial:
            start = (
                found.pop()[0] if continues_statement and _only_opens(stated[found[-1][0] : found[-1][1]]) else start
            )
            found.append((start, end))
            continues_statement = True
        elif continues_statement and not is_trivial:
            found[-1] = (found[-1][0], end)
        else:
            continues_statement = False
    return found


def _only_opens(statement: str) -> bool:
    """Return whether a statement names nothing and only introduces the next one."""
    spoken = statement.split()
    return len(spoken) <= MAX_OPENING_WORDS and not any(word[:1].isupper() for word in spoken[1:])


def _pieces(stated: str, language: str) -> list[tuple[int, int]]:
    joints = [
        joint for joint in _PARTS.finditer(stated) if not joint.group()[0].isspace() or _opens(stated, joint, language)
    ]
    starts = [0, *(joint.end() for joint in joints)]
    return list(zip(starts, [*(joint.start() for joint in joints), len(stated)], strict=True))


def continues_statement(sentence: str, message: str, language: str) -> bool:
    """Return whether a sentence continues the previous statement without making one of its own."""
    plain = _plain(sentence)
    if len(plain.split()) < MIN_FURTHER_WORDS or foreign_statement_part(sentence, language) != sentence.strip():
        return False
    meant = (HYPOTHETICAL[language].search(plain), ORDERS[language].match(plain), TRIVIAL[language].search(plain))
    return not any(meant) and not foreign_statements(sentence, message, language)


def _opens(stated: str, joint: re.Match[str], language: str) -> bool:
    """Return whether the text after 'and' is another statement, not the second half of a subject."""
    rest = _plain(stated[joint.end() :])
    return bool(STATES[language].match(rest)) and not rest.startswith(("ich sind", "ich haben", "moi ", "ik zijn"))


def find_named_relative(sentence: str, message: str, language: str) -> tuple[int, int] | None:
    """Find where a sentence names a relative or pet of the user; of a question only the name: 'mon chien Filou'.

    Companions of a single occasion do not count: 'je pars avec ma sœur Léa'.
    """
    plain = _plain(sentence)
    if language not in NAMED or HYPOTHETICAL[language].search(plain) or not _is_talk(sentence, message, language):
        return None
    match = NAMED[language].search(sentence)
    if match is None or match["with"] or ORDERS[language].match(plain):
        return None
    return match.span() if asks(sentence) or opens_asking(sentence) else (0, len(sentence))


def _is_talk(sentence: str, message: str, language: str) -> bool:
    """Return whether a message is the user's own talk, not a text to work on or a game."""
    longest = MAX_MESSAGE_UNSPACED if language in ("ja", "zh") else MAX_MESSAGE
    return len(message) <= longest and not TEXT_WORK[language].search(_plain(message or sentence))


# Question words at the start of a sentence without a question mark.
_QUESTION_WORDS = LazyPattern(
    r"\W{0,3}(?:(?:und|et|y|e|en|ok|also) )?(?:wo|was|wer|wie|wann|welche[rsnm]?|"
    r"ou|quel(?:le)?s?|qui|comment|combien|donde|cual(?:es)?|"
    r"que|quien|como|cuando|cuanto|onde|qual|quais|quem|quanto|dove|quale|quali|chi|come|quando|waar|wat|hoe|wanneer|welke?)\b"
)


def foreign_statement_part(sentence: str, language: str) -> str:
    """Return the stated part of a sentence: all of it, or the part before its question; empty for a bare question."""
    if _QUESTION_WORDS.match(_plain(sentence)):
        return ""
    is_unspaced = language in ("ja", "zh")
    if not asks(sentence) and not (is_unspaced and _ASKS_UNSPACED.search(sentence)):
        return "" if opens_asking(sentence) else sentence.strip()
    joints = [joint.start() for joint in _JOINT.finditer(sentence.rstrip(" ?？!"))]
    head = sentence[: joints[-1]].strip(" ,;:、，；：") if joints else ""
    if not head or opens_asking(head) or asks(head) or (is_unspaced and _ASKS_UNSPACED.search(head)):
        return ""
    return head


def _plain(text: str) -> str:
    return fold(text.lower().replace("’", "'"))
