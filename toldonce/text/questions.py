"""Whether sentences ask, greet or deny, by closed classes of words in many languages. Reads `closed_words.toml`.

What is not listed counts as telling something. What a sentence of open words does, the trained heads judge.
"""

import tomllib
import unicodedata
from functools import cache
from importlib.resources import files

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.normalize import fold, words
from toldonce.text.scripts import is_unspaced

# Characters that may follow a question mark, besides white space.
_CLOSING = "\"'”’)]»」』）】.。!！…"
_MARKS = ("?", "？", "؟", "՞", "፧", "\u037e")
_GREEK_MARK = LazyPattern("[\u0370-\u03ff\u1f00-\u1fff]\\s*+;$")
# Endings that ask without a mark: Chinese 吗 and its like, Japanese か after a verb or "is", Korean 까 and 나요.
_PARTICLE = LazyPattern(
    "(?:[吗嗎]|(?:です|ます|ません|でした|ました|でしょう|だろう|の|ない)か(?:な|ね)?|かしら"
    "|(?:습니|입니|합니|할|을|될)까요?|(?:나|은가|는가|인가)요)$"
)
# Longer texts say something, whatever their words are in another language.
_MAX_COURTESY_WORDS = 12
# So many characters at the end of a text tell whether it asks.
_ENDING = 40
# A greeting is short, whatever its words are in another language.
_MAX_GREETING_WORDS = 4
_DATA = tomllib.loads(files(__package__).joinpath("closed_words.toml").read_text("utf-8"))


def _folded(kind: str, name: str) -> frozenset[str]:
    return frozenset(fold(word) for word in _DATA[kind][name].split())


_OPENERS = _folded("questions", "openers")
# Compared with their accents: without them they are conjunctions.
_ACCENTED_OPENERS = frozenset(_DATA["questions"]["accented"].split())
_GREETINGS = _folded("courtesy", "greets")
_COURTESIES = _GREETINGS | _folded("courtesy", "further")
_BETWEEN = _folded("courtesy", "between")
_DENIALS = frozenset(_DATA["denials"]["words"].split())
_CONTRACTED = frozenset(_DATA["denials"]["contracted"].split())
_INSIDE_WORD = LazyPattern("|".join(_DATA["denials"]["inside"].split()).replace("_", " "))


def asks(text: str) -> bool:
    """Tell whether a text ends asking: with a question mark of its script, or a particle that asks.

    >>> asks("Où est-ce ?"), asks("你住在奥斯陆吗"), asks("静か")
    (True, True, False)
    """
    end = len(text)
    while end and (text[end - 1].isspace() or text[end - 1] in _CLOSING):
        end -= 1
    plain = text[max(0, end - _ENDING) : end]
    if plain.isascii():
        return plain.endswith("?")
    plain = unicodedata.normalize("NFC", plain)
    return plain.endswith(_MARKS) or bool(_GREEK_MARK.search(plain) or _PARTICLE.search(plain))


def is_opener(first: str) -> bool:
    """Tell whether questions of another language than English begin with a normalised word."""
    return first in _ACCENTED_OPENERS or fold(first) in _OPENERS


def negations(text: str) -> int:
    """Count the words, or signs of an unspaced script, that deny.

    >>> negations("Ich esse kein Fleisch."), negations("我不吃肉"), negations("I don't eat meat."), negations("I eat.")
    (1, 1, 1, 0)
    """
    told = sum(word in _DENIALS or word.endswith("n't") or word in _CONTRACTED for word in words(text))
    return told + len(_INSIDE_WORD.findall(text))


def is_courtesy(text: str, content_words: frozenset[str]) -> bool:
    """Return whether a text only greets, thanks or assents.

    Args:
        text: The text.
        content_words: Its words without the stop words of its language.

    >>> is_courtesy("Thanks, that helps.", frozenset({"thanks", "helps"}))
    True
    >>> is_courtesy("Help Ana.", frozenset({"help", "ana"}))
    False
    """
    said = [fold(word) for word in words(text)]
    if 0 < len(said) <= _MAX_GREETING_WORDS and _GREETINGS.issuperset(said):
        return True
    return len(content_words) <= _MAX_COURTESY_WORDS and all(fold(word) in _COURTESIES for word in content_words)


def is_small_talk(sentence: str) -> bool:
    """Return whether every word of a sentence belongs to a greeting, thanks or assent.

    >>> is_small_talk("¡Muchas gracias!"), is_small_talk("Thanks so much, that helps"), is_small_talk("It was me")
    (True, True, False)
    """
    said = {fold(word) for word in words(sentence)}
    return len(said) <= _MAX_COURTESY_WORDS and not said.isdisjoint(_COURTESIES) and said <= _COURTESIES | _BETWEEN


def reacts(sentence: str) -> bool:
    """Return whether a sentence begins as those do that only react to what was said.

    >>> reacts("Great, with the five nephews then."), reacts("太好了！"), reacts("The great tower.")
    (True, True, False)
    """
    spaced, unspaced = _reactions()
    if is_unspaced(sentence):
        return sentence.lstrip('¡「『“" ').startswith(unspaced)
    return f"{' '.join(words(sentence))} ".startswith(spaced)


@cache
def _reactions() -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return how reactions begin: with words, each and a blank, and in scripts without blanks."""
    phrases = [phrase.strip() for row in _DATA["reactions"].values() for phrase in row.split(",")]
    spaced = tuple(f"{' '.join(words(phrase))} " for phrase in phrases if not is_unspaced(phrase))
    return spaced, tuple(phrase for phrase in phrases if is_unspaced(phrase))
