"""Whether a full stop belongs to an abbreviation, an initial or an ordinal number. Reads abbreviations.toml.

The list serves texts of all languages at once: chats mix them, and few words do not say in which one they are. Where a
word is an abbreviation in one language and an ordinary word in another ("ok.", "dir."), the text must be told to be in
the first.
"""

import re
import tomllib
import unicodedata
from collections.abc import Mapping, Sequence
from functools import cache
from importlib.resources import files
from typing import NamedTuple

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.languages import guess
from toldonce.text.normalize import words

# Characters of the longest abbreviation, and of what is read around a stop for the language.
_MAX_ABBREVIATION, _AROUND = 16, 200
_TOKEN = LazyPattern(r"[^\s()\[\]{}\"“”„«»‘/–—…,;:]++$")
_PARTS = LazyPattern(r"[-'’]")
# An abbreviation that is written with blanks: 'т. д', 'p. ej', 'm. in'.
_WITH_BLANKS = LazyPattern(r"(?<![^\W_])(?:[^\W\d_]{1,3}\.\s){1,2}[^\W\d_]{1,4}$")
_INITIALS = LazyPattern(r"(?:[^\W\d_]\.){1,6}[^\W\d_]")
_NUMBER_BEFORE = LazyPattern(r"[\d½]\s?$")
# Characters of a number and a blank before a unit.
_MAX_GAP = 3
_NUMBER_AFTER = LazyPattern(r"\s{1,3}\d")
_CAPITAL_AFTER = LazyPattern(r"\s{1,9}[\"“„«»‘¿¡(]?[^\W\d_]")
# Words that begin a sentence and hardly a name: what is before them ended one, after 'Inc.' or an initial, too.
_OPENERS = LazyPattern(
    r"\s{1,9}[\"“„«(]?(?:I(?:['’]\w+)?|My|We|Our|He|She|They|It|This|That|But|And|So|The|You|Please|What|How|Then|There|"
    r"Now|Yesterday|Today|Tomorrow|After|Before|When|If|Also|Because|Since|Yes|Not|Just|Thanks|Anyway|Maybe|Who|Where|"
    r"Why|Is|Are|Was|Were|Did|Does|Can|Could|Would|Have|Has|Ich|Mein\w{0,2}|Wir|Sie|Das|Und|Aber|Dann|Je|Mon|Nous|Elle|"
    r"Et|Mais|Yo|Mi|Pero|Io|Eu|Meu|Minha|Mas|Ik|Mijn|Maar|Jag|Jeg|Я|Мой|Моя|Мы|Он|Она|Это|Но|Мій|Ми|Він|Вона)\b(?!\.)"
)
# The letter after one of these is no initial: 'plan B'.
_LABELLED_LETTER = LazyPattern(
    r"\b(?:plan|vitamine?|option|grade|type|class|group|team|hepatitis|typ|klasse|gruppe|opción|groupe|gruppo|grupo|"
    r"grupp|группа|витамин|класс)\s\w$",
    re.IGNORECASE,
)
_THAI_OR_LAO = LazyPattern("[\u0e01-\u0eff]")
# Months of languages that write a stop after the day; German ones have a capital.
_MONTH = LazyPattern(
    r"\s{1,3}(?:(?:Januar|Jänner|Februar|Feber|März|April|Juni|Juli|August|September|Oktober|November|Dezember|"
    r"januar|februar|marts|märz|april|juni|juli|august|september|oktober|november|de[sz]ember|december|"
    r"janúar|febrúar|júní|júlí|ágúst|október|nóvember|(?:tammi|helmi|maalis|huhti|touko|kesä|heinä|elo|syys|loka|marras|"
    r"joulu)k|január|február|március|április|május|június|július|augusztus|szeptember|"
    r"janvār|februār|aprīl|jūnij|jūlij|jaanuar|veebruar|aprill|juuni|juuli|detsember|"
    r"јануар|фебруар|септемб|октоб|новемб|децемб)\w{0,5}|"
    r"(?:Mai|mai|maj|maja|maí|mars|marta|marca|maijs|maijā|mája|apríla|augusta|avgusta|aprila|junija|julija|oktobra|"
    r"ledna|února|března|dubna|května|června|července|srpna|září|října|listopadu|prosince|septembra|novembra|decembra|"
    r"siječnja|veljače|ožujka|travnja|svibnja|lipnja|srpnja|kolovoza|rujna|listopada|studenoga?|prosinca|"
    r"марта|априла|маја|јуна|јула|августа|sausio|vasario|kovo|balandžio|gegužės|birželio|liepos|rugpjūčio|rugsėjo|"
    r"spalio|lapkričio|gruodžio))\b"
)
_MAX_DAY, _YEAR_DIGITS = 31, 4
# '3. 5. 2020'.
_DATE_AFTER = LazyPattern(r"\s\d{1,2}\.(?:\s|\d)")
# Languages that write ordinal numbers with a stop. In all but German, nouns have small letters.
_ORDINALS = frozenset({"de", "da", "no", "fi", "cs", "hu", "sr", "sr-cyrl", "et", "lt", "eu", "tr", "pl"})
_BEFORE_GERMAN_ORDINAL = LazyPattern(
    r"\b(?:am|zum|vom|beim|im|ins|der|die|das|den|dem|des|[mds]ein\w{0,2}|unser\w{0,2}|ihr\w{0,2}|jede\w|bis|ab|seit)"
    r"\s$",
    re.IGNORECASE,
)
# The number of a line in a list.
_LINE_NUMBER = LazyPattern(r"(?:\A|\n)[ \t>*•–-]{0,9}\d{1,3}$")
_NUMBERED_LINE = LazyPattern(r"(?:\A|\n)[ \t>*•–-]{0,9}\d{1,3}\.[ \t]{1,9}\S")
# Characters before and after the number of a line in which another numbered line is looked for.
_LIST_REACH = 1000


class _Entry(NamedTuple):
    language: str
    kind: str
    """`within`, `last`, `numbered` or `unit`: see abbreviations.toml."""
    is_own: bool
    """It counts only in a text of its language."""


def is_abbreviation(text: str, begin: int, start: int, end: int) -> bool:
    """Return whether a single full stop does not end the sentence.

    Args:
        text: Any text.
        begin: Start of the sentence.
        start: Place of the stop.
        end: After the closing marks that follow it; white space is next.

    >>> is_abbreviation("z.B. hier", 0, 3, 4), is_abbreviation("Ja. Hier", 0, 2, 3)
    (True, False)
    """
    found = _TOKEN.search(text, max(begin, start - _MAX_ABBREVIATION), start)
    token = found.group().lstrip("'’") if found else ""
    if token.isdecimal():
        return _is_ordinal(token, text, start, end)
    joined = _WITH_BLANKS.search(text, max(begin, start - _MAX_ABBREVIATION), start)
    written = [re.sub(r"\s", "", joined.group())] if joined else []
    for word in (*written, token, _PARTS.split(token)[-1]):
        entries = _entries().get(_folded(word), ()) if len(word) > 1 else ()
        if entries:
            counting = [entry for entry in entries if _counts(entry, text, start - len(token), end)]
            return _is_meant(entries, counting, text, start)
    if len(token) == 1:
        return _is_initial(token, text, start, end)
    if _INITIALS.fullmatch(token):
        return not _OPENERS.match(text, end)
    return bool(token) and len(token) <= _MAX_ABBREVIATION // 2 and bool(_THAI_OR_LAO.fullmatch(token[:1]))


@cache
def _entries() -> Mapping[str, Sequence[_Entry]]:
    data = tomllib.loads(files(__package__).joinpath("abbreviations.toml").read_text("utf-8"))
    found: dict[str, list[_Entry]] = {}
    for language, lists in data.items():
        own = set(lists.get("own", "").split())
        for kind in ("within", "last", "numbered", "unit"):
            for word in lists.get(kind, "").split():
                found.setdefault(_folded(word), []).append(_Entry(language, kind, word in own))
    return found


def _folded(word: str) -> str:
    return word.lower() if word.isascii() else unicodedata.normalize("NFC", word).lower()


def _is_meant(entries: Sequence[_Entry], counting: Sequence[_Entry], text: str, stop: int) -> bool:
    """Return whether a word is one of the abbreviations that count here, in the language of its text."""
    if not counting or (counting == entries and not any(entry.is_own for entry in entries)):
        return bool(counting)
    told = _languages(text, stop)
    of_text = [entry for entry in entries if entry.language in told]
    return any(entry in counting and (of_text or not entry.is_own) for entry in of_text or entries)


def _languages(text: str, place: int) -> frozenset[str]:
    """Return the languages that the text around a place may be in: one for each script."""
    around = text[max(0, place - _AROUND) : place + _AROUND]
    spoken, _ = guess(words(around), around)
    return frozenset({spoken.latin, spoken.cyrillic, spoken.arabic, spoken.devanagari, "el", "bn"})


def _counts(entry: _Entry, text: str, start: int, end: int) -> bool:
    """Return whether a sentence goes on after an abbreviation; it begins at `start`, its marks end at `end`."""
    if entry.kind == "within":
        return True
    if entry.kind == "numbered":
        return bool(_NUMBER_AFTER.match(text, end))
    if entry.kind == "unit" and not _NUMBER_BEFORE.search(text, max(0, start - _MAX_GAP), start):
        return False
    return not (_OPENERS.match(text, end) if entry.language == "en" else _is_capital_next(text, end))


def _is_capital_next(text: str, end: int) -> bool:
    found = _CAPITAL_AFTER.match(text, end)
    return found is not None and found.group()[-1].isupper()


def _is_initial(letter: str, text: str, start: int, end: int) -> bool:
    """Return whether a single letter before a stop is an initial or an abbreviation: 'J. Ray', 'г. Москва'."""
    if letter in "iяЯ":  # pronouns, at the end of a sentence
        return False
    if "\u0620" <= letter <= "\u064a":
        return True
    if letter.islower():  # '5 м.' may be the last word, 'м. Арбат' not; 'b. The' is a line of a list
        is_unit = _NUMBER_BEFORE.search(text, max(0, start - 1 - _MAX_GAP), start - 1)
        return not (_OPENERS.match(text, end) or (is_unit and _is_capital_next(text, end)))
    if not letter.isupper() or _LABELLED_LETTER.search(text, max(0, start - _MAX_ABBREVIATION), start):
        return False
    return not _OPENERS.match(text, end)


def _is_ordinal(digits: str, text: str, start: int, end: int) -> bool:
    """Return whether a number before a stop is an ordinal, the day of a date, or the number of a line."""
    if len(digits) > _YEAR_DIGITS:
        return False
    if is_list_number(text, start):
        return True
    is_day = int(digits) <= _MAX_DAY
    if (is_day or len(digits) == _YEAR_DIGITS) and _MONTH.match(text, end):
        return True
    if is_day and _DATE_AFTER.match(text, end):
        return True
    following = text[end : end + _MAX_GAP].lstrip()[:1]
    if not following.isalpha() or _ORDINALS.isdisjoint(told := _languages(text, start)):
        return False
    before = text[max(0, start - _AROUND) : start - len(digits)]
    if following.islower():  # the writer's sentences begin with capitals, so this is none
        return any(map(str.isupper, before))
    return "de" in told and bool(_BEFORE_GERMAN_ORDINAL.search(before)) and not _OPENERS.match(text, end)


def is_list_number(text: str, stop: int) -> bool:
    """Return whether the number before a stop begins a line, as others near it do.

    >>> is_list_number("1. Tea\\n2. Milk", 1), is_list_number("42. Why?", 2)
    (True, False)
    """
    number = _LINE_NUMBER.search(text, max(0, stop - _MAX_ABBREVIATION), stop)
    return number is not None and bool(
        _NUMBERED_LINE.search(text, stop, stop + _LIST_REACH)
        or _NUMBERED_LINE.search(text, max(0, stop - _LIST_REACH), number.start())
    )
