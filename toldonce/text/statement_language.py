"""In which language a statement is, where its words are compared with another's. Pure.

English is told by common words (english.txt), since its statements are compared by rules that hold for no other
language. The others are told as their texts are for finding (`languages.py`), or by their script. A statement of which
nothing tells the language is of none.
"""

from functools import lru_cache

from toldonce.lazy_pattern import LazyPattern
from toldonce.text.languages import ENGLISH_TOO, FOREIGN, STOP_WORDS, USUAL, guess
from toldonce.text.markers import all_markers, english_stems
from toldonce.text.normalize import words
from toldonce.text.stem import stem
from toldonce.text_caches import register_text_cache

ENGLISH_CODE = "en"
UNKNOWN_CODE = ""
# A text is English if so many of its words are, and one of them tells; or with two that tell, so many. Of SICK's
# sentences all are told so, of LoCoMo's messages all but some of two words, of STS's sentences and headlines 98 %.
_MIN_SHARE, _MIN_SHARE_OF_SURE = 0.4, 0.25
_MIN_SURE = 2
# Shorter words are those of too many languages.
_MIN_TELLING_CHARACTERS = 3
# Words of English that are words of other languages, too.
_UNSURE = ENGLISH_TOO - STOP_WORDS
# Endings of English words of at least so many characters.
_ENDINGS, _MIN_ENDED_CHARACTERS = ("ing", "ed", "ly", "ness"), 6
# A word that is written small, or begins the text: others may be names, which are of no language.
_WRITTEN = LazyPattern(r"[^\W\d_][^\W_]*+(?:['’][^\W\d_]++)*+")
_NOT_LATIN_LETTER = LazyPattern(r"[^\x00-\u02ff\u1e00-\u1eff\u2000-\u2bff\W]")
# What is quoted in a statement, if it may be one itself.
_QUOTED = LazyPattern(
    "[\"“„«»「『]([^\"“”„«»「」『』]{4,2000})[\"”“»«」』]|(?<![^\\s:(])['‘]([^'‘’]{4,2000})['’](?![^\\W_])"
)
_SMALL = LazyPattern(r"(?<![^\W_])[^\W\d_A-ZÀ-ÖØ-Þ]")
# Letters of each script that is one language's here, and of those that several share.
_SCRIPTS = (
    ("ja", LazyPattern("[\u3041-\u30ff]")),
    ("zh", LazyPattern("[\u3400-\u9fff]")),
    ("ko", LazyPattern("[\uac00-\ud7a3]")),
    ("th", LazyPattern("[\u0e01-\u0e4e]")),
    ("bn", LazyPattern("[\u0985-\u09df]")),
    ("ta", LazyPattern("[\u0b80-\u0bff]")),
    ("te", LazyPattern("[\u0c00-\u0c7f]")),
    ("el", LazyPattern("[\u0370-\u03ff\u1f00-\u1fff]")),
    ("cyrillic", LazyPattern("[\u0400-\u052f]")),
    ("arabic", LazyPattern("[\u0600-\u06ff\ufb50-\ufdff\ufe70-\ufefc]")),
    ("hebrew", LazyPattern("[\u0590-\u05ff]")),
    ("devanagari", LazyPattern("[\u0900-\u097f]")),
)
_SHARED_SCRIPTS = frozenset({"cyrillic", "arabic", "hebrew", "devanagari"})
_LATIN_LETTER = LazyPattern(r"[A-Za-z\u00c0-\u02ff\u1e00-\u1eff]")
# A letter of a script of syllables or words says as much as so many Latin ones.
_WEIGHT = 3


@register_text_cache
@lru_cache(maxsize=20_000)
def language_of(text: str) -> str:
    """Return the code of a statement's language (markers.toml), "en", or "" where none is known.

    A statement that quotes another language is of that one: what differs may be in the quotation.

    >>> language_of("The user likes tea."), language_of("Ich esse kein Fleisch."), language_of("Ndiyayithanda ikofu.")
    ('en', 'de', '')
    >>> language_of('The user said: "Ich esse kein Fleisch."')
    'de'
    """
    for quoted in _QUOTED.finditer(text):
        said = quoted[1] or quoted[2]
        if len(words(said)) > 1 and _SMALL.search(said) and (language := _language(said)) != ENGLISH_CODE:
            return language
    return _language(text)


def _language(text: str) -> str:
    if not text.isascii() and _NOT_LATIN_LETTER.search(text):
        return _of_other_script(text)
    if _is_english(text):
        return ENGLISH_CODE
    found = words(text)
    spoken = guess(found, text)[0]
    if spoken.latin != USUAL.latin and spoken.sure:
        return spoken.latin if spoken.latin in all_markers() else UNKNOWN_CODE
    told = {code: len(markers.known.intersection(found)) for code, markers in all_markers().items()}
    code, other = sorted(told, key=lambda name: -told[name])[:2]
    if told[code] >= _MIN_SURE and told[code] > told[other]:
        return code
    return spoken.latin if spoken.latin in all_markers() else UNKNOWN_CODE


def _is_english(text: str) -> bool:
    """Return whether the words of a text tell English: those that are no names, or in a heading all."""
    written = _WRITTEN.findall(text)
    small = [word for word in written if not word[0].isupper() or word == "I"]
    # Statements begin with a name as often as with an ordinary word.
    if written and written[0] not in small and _is_known(words(written[0])):
        small.append(written[0])
    return _tells_english(small) or (len(small) < len(written) and _tells_english(written))


def _is_known(normalised: list[str]) -> bool:
    return any(word in FOREIGN or is_english_word(word) for word in normalised)


def _tells_english(written: list[str]) -> bool:
    spoken = words(" ".join(written))
    english = [word for word in spoken if is_english_word(word)]
    hits, sure = len(english), sum(len(word) >= _MIN_TELLING_CHARACTERS and word not in _UNSURE for word in english)
    others = set(spoken).difference(english)
    foreign = sum(word in FOREIGN or word in _UNSURE or not word.isascii() for word in others)
    if foreign >= hits:
        return False
    if not sure:
        return 1 < hits == len(spoken) and len(max(spoken, key=len)) >= _MIN_TELLING_CHARACTERS
    return hits >= _MIN_SHARE * len(spoken) or (sure >= _MIN_SURE and hits >= _MIN_SHARE_OF_SURE * len(spoken))


@register_text_cache
@lru_cache(maxsize=20_000)
def is_english_word(word: str) -> bool:
    """Return whether a word in small letters is a common English one, or ends as English words do."""
    if word in STOP_WORDS or word.endswith(("'s", "n't")):
        return True
    if len(word) >= _MIN_ENDED_CHARACTERS and word.isascii() and word.endswith(_ENDINGS):
        return True
    return stem(word) in english_stems()


def _of_other_script(text: str) -> str:
    found = {name: len(pattern.findall(text)) for name, pattern in _SCRIPTS}
    if found["ja"]:
        found["ja"] += found.pop("zh")
    script = max(found, key=lambda name: found[name])
    latin = len(_LATIN_LETTER.findall(text))
    others = len(_NOT_LATIN_LETTER.findall(text))
    if others * _WEIGHT < latin:
        return ENGLISH_CODE if _is_english(text) else UNKNOWN_CODE
    if found[script] * 2 <= others:
        return UNKNOWN_CODE
    if script not in _SHARED_SCRIPTS:
        return script
    language = str(guess(words(text), text)[0]._asdict()[script])
    return language if language in all_markers() else UNKNOWN_CODE
