"""Statements of the user's life in German, French, Spanish, Portuguese, Italian, Dutch, Japanese and Chinese. Pure.

Read by the words of the first person, and by what shows that a sentence asks, orders or supposes. The signs themselves
are in `foreign_patterns` and `foreign_exclusions`.
"""

import re

from recollect.extraction.rules.foreign_exclusions import HYPOTHETICAL, ORDERS, TEXT_WORK, TRIVIAL
from recollect.extraction.rules.foreign_patterns import FIRST_PERSON, NAMED, STATES
from recollect.text import asks
from recollect.text.languages import ENGLISH, guess
from recollect.text.normalize import fold, words
from recollect.text.questions import opens_asking

# Longest message of which statements are kept, in characters: a longer one is mostly a text to work on.
MAX_MESSAGE, MAX_MESSAGE_UNSPACED = 500, 200
# So few words only lead to the statement behind them: 'Ich bin umgezogen, wohne jetzt in Halle'.
MAX_OPENING_WORDS = 3
# A shorter sentence behind a statement tells no more of it: 'Merci !'.
MIN_FURTHER_WORDS = 3
# Characters by which a language is told.
_TOLD_BY = 400
_KANA = re.compile("[\u3041-\u30ff]")
_HAN = re.compile("[\u4e00-\u9fff]")
_LATIN = frozenset({"de", "fr", "es", "pt", "it", "nl"})
_JOINT = re.compile("[,;:、，；：。—–]|\\s-\\s|¿|\\.{3}|…")
# Where another statement may begin.
_PARTS = re.compile(
    r"[,;]\s++(?:(?:und|et|y|e|en|maar|aber|mais|pero|mas|ma)\s++)?|(?<=\w)\s++(?:und|et|y|e|en)\s++|[，；]"
)
_ASKS_UNSPACED = re.compile(
    "[吗嗎呢]|什么|什麼|怎么|怎麼|谁|哪|几|多少|为什么|か[?？。]?$|ですか|ますか|何|どこ|いつ|なぜ|どう|どの|誰"
)


def foreign_language(text: str, message: str) -> str:
    """Return the language of a sentence that the statements here are known of; empty for English and others.

    Args:
        text: The sentence.
        message: The message it stands in: it tells where a short sentence does not.

    >>> foreign_language("moro em Setúbal", ""), foreign_language("I live in Rome", "")
    ('pt', '')
    """
    for told in (text, message[:_TOLD_BY]):
        if _KANA.search(told):
            return "ja"
        if _HAN.search(told):
            return "zh"
        spoken, _ = guess(words(told), told)
        if spoken.latin in _LATIN:
            return spoken.latin
    return _told_by_person(text)


def _told_by_person(text: str) -> str:
    """Return the language whose words for 'I' and 'my' a short sentence has, if nothing in it is English."""
    if not ENGLISH.isdisjoint(words(text)):
        return ""
    return next((code for code, mine in FIRST_PERSON.items() if mine.search(_plain(text))), "")


def foreign_statements(sentence: str, message: str, language: str) -> list[tuple[int, int]]:
    """Find where a sentence states something lasting of the user; each statement by itself, so that one may end alone.

    >>> text = "ich wohne übrigens in Erfurt, kennst du da eine Yogaschule?"
    >>> [text[start:end] for start, end in foreign_statements(text, text, "de")]
    ['ich wohne übrigens in Erfurt']
    >>> foreign_statements("Wo wohne ich?", "", "de"), foreign_statements("Falls ich in Rom wohne", "", "de")
    ([], [])
    """
    if not _is_talk(sentence, message, language):
        return []
    stated = _stated(sentence, language)
    plain = _plain(stated)
    if not stated or HYPOTHETICAL[language].search(plain) or ORDERS[language].match(plain):
        return []
    offset = sentence.index(stated)
    return [(offset + start, offset + end) for start, end in _parted(stated, language)]


def _parted(stated: str, language: str) -> list[tuple[int, int]]:
    """Part a sentence where another statement begins; what only goes on with one stays with it."""
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
    """Return whether a statement names nothing: it only leads to the one behind it."""
    said = statement.split()
    return len(said) <= MAX_OPENING_WORDS and not any(word[:1].isupper() for word in said[1:])


def _pieces(stated: str, language: str) -> list[tuple[int, int]]:
    joints = [
        joint for joint in _PARTS.finditer(stated) if not joint.group()[0].isspace() or _opens(stated, joint, language)
    ]
    starts = [0, *(joint.end() for joint in joints)]
    return list(zip(starts, [*(joint.start() for joint in joints), len(stated)], strict=True))


def continues_statement(sentence: str, message: str, language: str) -> bool:
    """Return whether a sentence states something and makes no statement of its own: it tells more of the one before."""
    plain = _plain(sentence)
    if len(plain.split()) < MIN_FURTHER_WORDS or _stated(sentence, language) != sentence.strip():
        return False
    meant = (HYPOTHETICAL[language].search(plain), ORDERS[language].match(plain), TRIVIAL[language].search(plain))
    return not any(meant) and not foreign_statements(sentence, message, language)


def _opens(stated: str, joint: re.Match[str], language: str) -> bool:
    """Return whether what stands behind 'and' is another statement, and no second half of a subject."""
    behind = _plain(stated[joint.end() :])
    return bool(STATES[language].match(behind)) and not behind.startswith(("ich sind", "ich haben", "moi ", "ik zijn"))


def find_named_relative(sentence: str, message: str, language: str) -> tuple[int, int] | None:
    """Find where a sentence names one of the user's people or pets: of a question the name alone, 'mon chien Filou'.

    With whom the user does something once is no such thing: 'je pars avec ma sœur Léa'.
    """
    plain = _plain(sentence)
    if language not in NAMED or HYPOTHETICAL[language].search(plain) or not _is_talk(sentence, message, language):
        return None
    found = NAMED[language].search(sentence)
    if found is None or found["with"] or ORDERS[language].match(plain):
        return None
    return found.span() if asks(sentence) or opens_asking(sentence) else (0, len(sentence))


def _is_talk(sentence: str, message: str, language: str) -> bool:
    """Return whether a message is talk of its user, and no text to work on or game to play."""
    longest = MAX_MESSAGE_UNSPACED if language in ("ja", "zh") else MAX_MESSAGE
    return len(message) <= longest and not TEXT_WORK[language].search(_plain(message or sentence))


# Words that ask where a sentence begins with them, its question mark left out.
_QUESTION_WORDS = re.compile(
    r"\W{0,3}(?:(?:und|et|y|e|en|ok|also) )?(?:wo|was|wer|wie|wann|welche[rsnm]?|"
    r"ou|quel(?:le)?s?|qui|comment|combien|donde|cual(?:es)?|"
    r"que|quien|como|cuando|cuanto|onde|qual|quais|quem|quanto|dove|quale|quali|chi|come|quando|waar|wat|hoe|wanneer|welke?)\b"
)


def _stated(sentence: str, language: str) -> str:
    """Return what a sentence states: all of it, or what stands before its question."""
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
