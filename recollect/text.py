"""Words: cleaning at the entrance, normalisation, terms for the word index, similarity of spelling. Pure."""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable
from functools import lru_cache
from hashlib import blake2b
from threading import local

import Stemmer
from rapidfuzz.distance import Levenshtein

# NUL (PostgreSQL refuses it, SQLite's length() stops at it) and lone surrogates (no encoding holds them).
_UNSTORABLE = re.compile("[\x00\ud800-\udfff]")
_WORD = re.compile(r"[^\W_]+(?:'[^\W_]+)*")
_ASCII_WORD = re.compile(r"[a-z0-9]+(?:'[a-z0-9]+)*")
# Scripts written without spaces: Han, kana, Thai, Lao, Khmer, Myanmar. Their terms are character pairs.
_UNSPACED = re.compile("[\u0e00-\u0eff\u1000-\u109f\u1780-\u17ff\u3040-\u30ff\u3400-\u4dbf\u4e00-\u9fff\uf900-\ufaff]+")
_POSSESSIVE = re.compile(r"['’]s$")
# Longest word that is indexed, in characters: longer runs are keys or encodings, not words.
_LONGEST_WORD = 64

# English words that stand in most messages and say nothing of their subject. Negations are not among them.
STOP_WORDS = frozenset(
    """a about after all also am an and any are as at be been being both but by can could did do does doing done for
    from get got had has have having he her here hers him his how i i'd i'll i'm i've if in into is it it's its just
    let like me might more most much must my of oh on one or our ours out over really she should so some such than
    that that's the their theirs them then there these they this those through to too under up us very was we were
    what when where which while who whom whose why will with would yeah yes you your yours""".split()
)

_stemmers = local()


def clean(text: str) -> str:
    """Replace what no database can hold (NUL, lone surrogates) by U+FFFD; everything else stays.

    >>> clean("a\\x00b")
    'a\ufffdb'
    """
    return _UNSTORABLE.sub("\ufffd", text)


def squeeze(text: str) -> str:
    """Fold white space to single blanks and trim.

    >>> squeeze(" a \\n b ")
    'a b'
    """
    return " ".join(text.split())


def normalise(text: str) -> str:
    """Fold width, case and white space, for comparing texts.

    >>> normalise("  Straße\\nＯＮＥ ")
    'strasse one'
    """
    return squeeze(unicodedata.normalize("NFKC", text).casefold())


def bare(text: str) -> str:
    """Normalise, and drop punctuation: texts equal here differ in case, spacing or punctuation alone.

    >>> bare("I live in Oslo!") == bare("i live, in oslo")
    True
    """
    return " ".join(words(text))


def words(text: str) -> list[str]:
    """Split into normalised words, in order, stop words included.

    >>> words("I don't like C++; I like Rust.")
    ['i', "don't", 'like', 'c', 'i', 'like', 'rust']
    """
    if text.isascii():  # nothing to fold but case: a quarter less time
        return _ASCII_WORD.findall(text.lower())
    found: list[str] = _WORD.findall(unicodedata.normalize("NFKC", text).casefold().replace("’", "'"))
    return found


def terms(text: str) -> Counter[str]:
    """Count the terms under which a text is found by words: stems, no stop words.

    Words of scripts without spaces count as pairs of characters. English stems for Latin letters.

    >>> sorted(terms("Ana's allergies: peanuts, peanuts"))
    ['allergi', 'ana', 'peanut']
    """
    return Counter(term for word in words(text) for term in terms_of_word(word))


def terms_of_word(word: str) -> Iterable[str]:
    """Return the terms of a normalised word: one, pairs of its characters, or none.

    >>> list(terms_of_word("moving")), list(terms_of_word("the"))
    (['move'], [])
    """
    if len(word) > _LONGEST_WORD or word in STOP_WORDS:
        return ()
    if not word.isascii() and _UNSPACED.search(word):
        return _pairs(word)
    return (stem(_POSSESSIVE.sub("", word)),)


def _pairs(word: str) -> Iterable[str]:
    start = 0
    for run in _UNSPACED.finditer(word):
        if run.start() > start:
            yield word[start : run.start()]
        characters = run.group()
        yield from (characters[i : i + 2] for i in range(max(1, len(characters) - 1)))
        start = run.end()
    if start < len(word):
        yield word[start:]


@lru_cache(maxsize=50_000)
def stem(word: str) -> str:
    """Cut a normalised word to its Snowball stem (English).

    >>> stem("moving")
    'move'
    """
    stemmer = getattr(_stemmers, "english", None)
    if stemmer is None:  # PyStemmer objects must not be shared between threads
        stemmer = _stemmers.english = Stemmer.Stemmer("english")
    return str(stemmer.stemWord(word))


@lru_cache(maxsize=100_000)
def term_key(salt: bytes, term: str) -> int:
    """Hash a term with the subject's salt into 32 bits, so that no dictionary of words is kept.

    With 100,000 distinct terms in a subject a word meets a wrong one with a chance of 2 in 100,000.
    """
    return int.from_bytes(blake2b(term.encode(), digest_size=4, key=salt).digest(), "little")


def forget_words() -> None:
    """Empty the caches of `stem` and `term_key`, which hold words."""
    stem.cache_clear()
    term_key.cache_clear()


def hash64(*parts: str | bytes) -> int:
    """Hash parts, kept apart, into a signed 64-bit integer.

    >>> hash64("ab", "c") == hash64("a", "bc")
    False
    """
    digest = blake2b(digest_size=8)
    for part in parts:
        data = part.encode("utf-8", "surrogatepass") if isinstance(part, str) else part
        digest.update(len(data).to_bytes(8, "little"))
        digest.update(data)
    return int.from_bytes(digest.digest(), "little", signed=True)


def spelling_similarity(a: str, b: str) -> float:
    """Compare spelling: 1 minus the Levenshtein distance over the longer length, 0 to 1.

    >>> spelling_similarity("kitten", "sitting")
    0.5714285714285714
    """
    return Levenshtein.normalized_similarity(a, b)


def conversation_tag(conversation: str) -> str:
    """Name a conversation as the tag of the memories that are of it as a whole.

    >>> conversation_tag("0198c0de-0000-7000-8000-00000000000a")
    'conversation:0198c0de-0000-7000-8000-00000000000a'
    """
    return f"conversation:{conversation}"


def source_key(conversation: str, seq: int) -> int:
    """Name a message as the source of memories: 64 bits, equal for a turn and the notes formed from it."""
    return hash64("source", conversation, seq.to_bytes(8, "little"))
