"""The terms under which a text is found by its words, in whatever language it is. Pure.

Every word has one term that does not depend on the language of its text: the stem that the usual language of its
script gives it (English for Latin letters), or pairs of characters. So a word finds itself, accents typed or not,
however the two texts' languages are guessed. Where another language is told, its own stem comes beside: one inflection
finds others.
"""

import unicodedata
from collections import Counter
from collections.abc import Iterable, Iterator
from functools import lru_cache
from itertools import chain
from typing import NamedTuple

from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.text.languages import (
    ENGLISH,
    FOREIGN,
    LANGUAGES,
    LATIN,
    STOP_WORDS,
    USUAL,
    USUAL_OF,
    Spoken,
    guess,
    untold,
)
from toldonce.text.normalize import fold, normalise, spelt_out, typed, words
from toldonce.text.scripts import clusters, korean, pairs, runs, script_of
from toldonce.text.stem import stem
from toldonce.text_caches import register_text_cache

# Longest word that is indexed, in characters: longer runs are keys or encodings, not words.
_MAX_WORD_CHARACTERS = 64
# The languages in whose texts umlauts and their like may be typed as two letters.
_SPELT_OUT = frozenset({"en", "de", "da", "no"})
_POSSESSIVE = LazyPattern(r"'s$")
# French, Italian and Catalan words that lean on the next one, and the Irish part of a name.
_LEANING = LazyPattern(
    r"^(?:l|d|j|qu|n|m|t|s|c|jusqu|lorsqu|puisqu|quelqu|un|dell|nell|sull|dall|all|coll|quell|quest|bell|gl|v)'(?=\w\w)"
)
_IRISH = LazyPattern(r"^o'(?=\w\w)")
# A name with an ending, as Turkish and others set it off; the endings of English are left to its stemmer.
_NAME_ENDING = LazyPattern(r"(?<=\w\w\w)'(?!(?:t|s|re|ve|ll|d|m)$)\w+$")
_ARTICLE = LazyPattern("^(?:[وبكف]?ال|لل)(?=.{3})")
_NEGATED = LazyPattern(r"n't$")
_SENTENCE_END = LazyPattern(r"(?<=[.!?…;:])\s++|\n+|(?=[¿¡])")

# Whether anything of what follows is in a text. It begins with one set of characters, which is what makes it quick.
_JOINED = LazyPattern(
    "[-._@,+#A-Z0-9\u2010\u2011\u2190-\u2bff\U0001f000-\U0001faff]"
    r"(?:(?<=[^\W_][-._@\u2010\u2011])(?=[^\W_])|(?<=[a-z][A-Z])|(?<=\d,)(?=\d)|(?<=[A-Z]{2}\d)(?=\d)|(?<=[A-Za-z][+#])"
    "|(?<=[\u2190-\u2bff\U0001f000-\U0001faff]))"
)
# What holds parts together that are words as well: "e-mail", "node.js", "user_name", "ana@example.com".
_HOLDERS = LazyPattern("[-._@\u2010\u2011]")
_COMPOUND = LazyPattern(r"(?<![^\W_])[^\W_]++(?:[-._@\u2010\u2011][^\W_]++)+")
_THOUSANDS = LazyPattern(r"(?<![\d,])\d{1,3}(?:,\d{3})+(?![\d,])")
_CAMEL = LazyPattern(r"\b(?=[A-Z]*+[a-z]++[A-Z])[A-Za-z]++")
_HUMP = LazyPattern(r"[A-Z]+(?![a-z])|[A-Z]?[a-z]+")
_NUMBERED = LazyPattern(r"\b([A-Z]{2,})(\d{2,})\b")
_SHARP = LazyPattern(r"(?<!\w)[A-Za-z]{1,2}(?:\+\+|#)(?![\w+#])")
# Two letters of a flag are one picture; selectors and skin tones say nothing.
_PICTURE = LazyPattern(
    "[\U0001f1e6-\U0001f1ff]{2}|[\u2190-\u21ff\u2300-\u23ff\u25a0-\u27bf\u2900-\u297f\u2b00-\u2bff]"
    "|[\U0001f000-\U0001f1e5\U0001f200-\U0001f3fa\U0001f400-\U0001faff]"
)
_MAX_PARTS = 6
# A shorter word is left whole where its language is not known.
_MIN_STEMMED_CHARACTERS = 4

Read = tuple[str, tuple[str, ...]]
"""A word as written in the text, and its terms."""


class CountedTerms(NamedTuple):
    """The terms of a text."""

    counts: Counter[str]
    is_plain: bool
    """Whether its words alone make them, whatever their case and the marks around them."""


def terms(text: str) -> Counter[str]:
    """Count the terms under which a text is found by words: stems, no stop words.

    >>> sorted(terms("Ana's allergies: peanuts, peanuts"))
    ['allergi', 'ana', 'peanut']
    """
    return _count(text).copy()


@remembered
def _count(text: str) -> Counter[str]:
    return count_terms(text).counts


def count_terms(text: str) -> CountedTerms:
    """Count terms as `terms` does.

    >>> count_terms("Ana likes tea.").is_plain, count_terms("Ana likes e-mail").is_plain, count_terms("C#").is_plain
    (True, False, False)
    """
    text = typed(text)
    if text.isascii():
        found = words(text)
        if FOREIGN.isdisjoint(found):  # English, or nothing that tells: as most texts are, and half the work
            counted = Counter(chain.from_iterable(map(terms_of_word, found)))
            if not _JOINED.search(text):
                return CountedTerms(counted, is_plain=True)
            counted.update(term for _, own in _joined(text) for term in own)
            return CountedTerms(counted, is_plain=False)
    return CountedTerms(Counter(term for _, own in read_terms(text) for term in own), is_plain=False)


def read_terms(text: str) -> list[Read]:
    """Return each word of a text with its terms, in order: for a question, of which people want to see the words.

    >>> read_terms("Where did I put the e-mail?")
    [('put', ('put',)), ('e', ('e',)), ('mail', ('mail',)), ('e-mail', ('email',))]
    """
    text = typed(text)
    found = words(text)
    # English, or nothing that tells: as most texts are.
    spoken, mixed = (USUAL, False) if text.isascii() and FOREIGN.isdisjoint(found) else guess(found, text)
    parts = [(found, spoken)] if not mixed else _sentences(text, spoken)
    read = [(word, own) for part, theirs in parts for word in part if (own := terms_of_word(word, theirs))]
    return read + list(_joined(text)) if _JOINED.search(text) else read


def other_stems(text: str) -> Iterator[Read]:
    """Return the stems that any language gives the words of a text that does not tell its own: a word alone.

    >>> "mandorl" in dict(other_stems("mandorla"))["mandorla"], list(other_stems("the almonds"))
    (True, [])
    """
    found = words(text)
    if untold(found, text):
        yield from ((word, stems) for word in found if (stems := _stems_elsewhere(word)) is not None)


@register_text_cache
@lru_cache(maxsize=10_000)
def _stems_elsewhere(word: str) -> tuple[str, ...] | None:
    """Return the stems that any language gives a word beside its own terms; None for a word that is not looked up."""
    if len(word) < _MIN_STEMMED_CHARACTERS or script_of(word) != "latin" or fold(word) in STOP_WORDS:
        return None
    stems = {fold(stem(word, language.stemmer)) for language in LATIN.values()}
    return tuple(sorted(stems.difference(terms_of_word(word))))


def _sentences(text: str, spoken: Spoken) -> Iterator[tuple[list[str], Spoken]]:
    """Read a text of several languages sentence by sentence; one that tells nothing is in the text's main language."""
    for sentence in _SENTENCE_END.split(text):
        found = words(sentence)
        own = guess(found, sentence)[0]
        yield found, spoken if own == USUAL and ENGLISH.isdisjoint(found) else own


@register_text_cache
@lru_cache(maxsize=50_000)
def terms_of_word(word: str, spoken: Spoken = USUAL) -> tuple[str, ...]:
    """Return the terms of a normalised word: stems, pairs of its characters, or none.

    Args:
        word: Normalised.
        spoken: The languages of its text.

    >>> terms_of_word("moving"), terms_of_word("the"), terms_of_word("montañas", Spoken(latin="es"))
    (('move',), (), ('montana', 'montan'))
    """
    if len(word) > _MAX_WORD_CHARACTERS:
        return ()
    if word.isascii():
        return (word,) if word.isdigit() else _spaced(word, spoken)
    return tuple(dict.fromkeys(chain.from_iterable(_run(kind, run, spoken) for kind, run in runs(word))))


def _run(kind: str, run: str, spoken: Spoken) -> Iterable[str]:
    if kind == "pairs":
        return pairs(run)
    if kind == "clusters":
        return clusters(run)
    if kind == "hangul":
        return () if run in LANGUAGES["ko"].stop else korean(run)
    return _spaced(run, spoken)


def _spaced(word: str, spoken: Spoken) -> tuple[str, ...]:
    """Return the terms of a word of a script that has blanks."""
    script = script_of(word)
    if script == "latin":
        return _latin(word, spoken)
    plain = fold(word)
    usual = USUAL_OF.get(script)
    if usual is None:
        return _different(plain, stem(plain, "cut"))
    told = str(spoken._asdict().get(script, usual))
    if plain in LANGUAGES[told].stop:
        return ()
    stems = [fold(stem(plain, LANGUAGES[code].stemmer)) for code in (usual, told)]
    # What the Arabic stemmer takes for a conjunction may be the word's first letter.
    return _different(*stems, _ARTICLE.sub("", plain)) if script == "arabic" else _different(*stems)


def _latin(word: str, spoken: Spoken) -> tuple[str, ...]:
    told = spoken.latin
    language = LANGUAGES[told]
    stop = language.stop if spoken.sure else STOP_WORDS
    if word in stop:
        return ()
    if "'" in word:
        word = _NAME_ENDING.sub("", _NEGATED.sub("nt", _IRISH.sub("o", _LEANING.sub("", _POSSESSIVE.sub("", word)))))
    plain = fold(word)
    if plain in stop:
        return ()
    found = [stem(plain)]
    if told != USUAL.latin:
        found.append(fold(stem(word, language.stemmer)) if language.stemmer != "whole" else word)
    if told in _SPELT_OUT and (spelt := spelt_out(word)):
        found.append(stem(spelt))
    return _different(*found)


def _different(*found: str) -> tuple[str, ...]:
    return tuple(dict.fromkeys(found))


def _joined(text: str) -> Iterator[Read]:
    """Return what is a word beside its parts, or a part beside its word, or a picture."""
    for word in _COMPOUND.findall(text):
        parts = _HOLDERS.split(word)
        if len(parts) <= _MAX_PARTS:
            whole = word if all(part.isdigit() for part in parts) and "." in word else "".join(parts)
            yield word, terms_of_word(normalise(whole)[:_MAX_WORD_CHARACTERS])
    for number in _THOUSANDS.findall(text):
        yield number, (number.replace(",", ""),)
    for word in _CAMEL.findall(text):
        yield word, tuple(chain.from_iterable(terms_of_word(part.lower()) for part in _HUMP.findall(word)))
    for letters, digits in _NUMBERED.findall(text):
        yield letters + digits, (*terms_of_word(letters.lower()), digits)
    for word in _SHARP.findall(text):
        yield word, (word.lower(),)
    if not text.isascii():
        for picture in _PICTURE.findall(text):
            yield picture, (picture,)


_LEGACY_WORD = LazyPattern(r"[^\W_]+(?:'[^\W_]+)*")
_LEGACY_UNSPACED = LazyPattern(
    "[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+"
)


def legacy_terms(text: str) -> list[tuple[str, tuple[str, ...]]]:
    """Return each word with the terms it had before `TERM_SCHEME` was 2, for memories not indexed since.

    >>> legacy_terms("Montañas, 東京都")
    [('montañas', ('montaña',)), ('東京都', ('東京', '京都'))]
    """
    found: list[str] = _LEGACY_WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))
    return [
        (word, tuple(_legacy_terms_of(word)))
        for word in found
        if len(word) <= _MAX_WORD_CHARACTERS and word not in STOP_WORDS
    ]


def _legacy_terms_of(word: str) -> list[str]:
    if not _LEGACY_UNSPACED.search(word):
        return [stem(_POSSESSIVE.sub("", word))]
    terms: list[str] = []
    start = 0
    for run in _LEGACY_UNSPACED.finditer(word):
        if run.start() > start:
            terms.append(word[start : run.start()])
        characters = run.group()
        terms += (characters[i : i + 2] for i in range(max(1, len(characters) - 1)))
        start = run.end()
    return terms + ([word[start:]] if start < len(word) else [])
