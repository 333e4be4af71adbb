"""What an assistant presumes about the user: 'As you live in Paris and have three cats, …'. Reads `presumed.toml`.

Models make such things up. Whatever is true was said by the user, and is quoted from there. A sentence presumes
something if the trained heads would keep it as the user's own: 'As I live in Paris and have three cats'. So would a
letter that an assistant writes for the user, in the first person: it has no life to tell of.
"""

import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files

from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.reading.heads import Head, judge_each
from toldonce.reading.sentences import TextSpan, fold, sentences
from toldonce.text import asks, is_unspaced, reacts, words
from toldonce.text.statement_language import language_of

# Probability from which a sentence would be kept of the user; of one that speaks only of what is the user's, as much
# advice does; and of an "I" that is not turned: 'I'd go for the blue one'. The last one: that it supposes something. On
# 83 sentences in nine languages 40 of 42 presumptions are found, and 4 of 41 pieces of advice are taken for some.
PRESUMED_THRESHOLD, OWNED_THRESHOLD, BORROWED_THRESHOLD, SUPPOSED_THRESHOLD = 0.33, 0.6, 0.75, 0.75
# Sentences of an answer that are judged, the first that speak to the user, characters of each, and characters of the
# answer by which its language is told.
MAX_JUDGED, _MAX_SEARCHED, _MAX_COUNTED = 12, 600, 2_000
# Words of an answer that only reacts, of each sentence in it, and of an exclamation: 'Aye, captain!'
MAX_SMALL_TALK_WORDS, MAX_REACTION_WORDS, _MAX_EXCLAIMED_WORDS = 24, 7, 4
_WORD = LazyPattern(r"[^\W_]++(?:['’][^\W_]++)*+")


@dataclass(frozen=True, slots=True, kw_only=True)
class _Voiced:
    """A sentence as the user would say it."""

    text: str
    threshold: float
    """Probability from which it presumes something."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Persons:
    """How a language speaks to its listener: words, each with the speaker's for it."""

    you: Mapping[str, str]
    your: Mapping[str, str]
    does: Mapping[str, str]
    """Verbs that change with them."""
    may: frozenset[str]
    """Words of advice, within two words of such a word."""
    word: LazyPattern[str]

    def count(self, text: str) -> int:
        """Count the words of this language's table in a text."""
        spelled = (word.group().replace("’", "'") for word in self.word.finditer(text))
        return sum(word in self._own or any(_turned(word, pairs) for pairs in self._tables) for word in spelled)

    def in_own_voice(self, sentence: str) -> _Voiced | None:
        """Return what the user would say; None if the sentence speaks of neither the user nor an "I"."""
        found = list(self.word.finditer(sentence))
        spelled = [word.group().replace("’", "'") for word in found]
        turned: dict[int, str] = {}
        threshold = OWNED_THRESHOLD
        for place, word in enumerate(spelled):
            beside = {each.lower() for each in spelled[max(0, place - 2) : place + 3]}
            if own := _turned(word, self.you) if beside.isdisjoint(self.may) else "":
                turned[place], threshold = own, PRESUMED_THRESHOLD
            elif own := _turned(word, self.your):
                turned[place] = own
        if not turned:
            return None if self._own.isdisjoint(spelled) else _Voiced(text=sentence, threshold=BORROWED_THRESHOLD)
        turned |= {place: own for place, word in enumerate(spelled) if (own := _turned(word, self.does))}
        said, end = "", 0
        for place, own in sorted(turned.items()):
            said += sentence[end : found[place].start()] + own
            end = found[place].end()
        return _Voiced(text=said + sentence[end:], threshold=threshold)

    @property
    def _tables(self) -> Sequence[Mapping[str, str]]:
        return self.you, self.your, self.does

    @property
    def _own(self) -> frozenset[str]:
        return frozenset((*self.you.values(), *self.your.values()))


def _turned(word: str, pairs: Mapping[str, str]) -> str:
    return pairs.get(word) or pairs.get(word.lower(), "")


@cache
def _languages() -> Mapping[str, _Persons]:
    rows = tomllib.loads(files(__package__).joinpath("presumed.toml").read_text("utf-8"))
    return {code: _persons(row) for code, row in rows.items()}


def _persons_of(text: str) -> _Persons:
    """Return the words of a text's language; of a short text it is only guessed, and the most words decide."""
    told = _languages().get(language_of(text))
    return told if told and told.count(text) else max(_languages().values(), key=lambda each: each.count(text))


def _persons(row: Mapping[str, str]) -> _Persons:
    you, your, does = (dict(pair.split("=") for pair in row[name].split()) for name in ("you", "your", "does"))
    may = row["may"].split()
    known = sorted((*you, *your, *you.values(), *your.values(), *may), key=len, reverse=True)
    word = LazyPattern("|".join(known)) if row.get("unspaced") else _WORD
    return _Persons(you=you, your=your, does=does, may=frozenset(may), word=word)


@remembered
def presumptions(text: str) -> tuple[TextSpan, ...]:
    """Find the sentences of an assistant's message that presume something about the user.

    >>> [piece.text for piece in presumptions("As you have a cat, no. The bus leaves at 9. As you know, it rains.")]
    ['As you have a cat, no.']
    """
    found: list[TextSpan] = []
    each = _voiced(text)[:MAX_JUDGED]
    for (piece, voiced), judgement in zip(each, judge_each([voiced.text for _, voiced in each]), strict=True):
        told = max(judgement.of(0, head) for head in (Head.KEPT, Head.PREFERENCE))
        if told >= voiced.threshold or judgement.of(0, Head.UNMEANT) >= SUPPOSED_THRESHOLD:
            found.append(piece)
    return tuple(found)


def likely_presumptions(text: str) -> tuple[TextSpan, ...]:
    """Find the sentences that may presume something, by their words alone: quick enough before an answer.

    >>> [piece.text for piece in likely_presumptions("As you have a cat, no. You are right. You could walk.")]
    ['As you have a cat, no.', 'You are right.']
    """
    return tuple(piece for piece, voiced in _voiced(text) if voiced.threshold <= PRESUMED_THRESHOLD)


def _voiced(text: str) -> list[tuple[TextSpan, _Voiced]]:
    """Return the statements that speak of the user or an "I", each as the user would say it."""
    persons = _persons_of(text[:_MAX_COUNTED])
    told = [piece for piece in sentences(fold(text)) if not asks(piece.text)]
    both = ((piece, persons.in_own_voice(piece.text[:_MAX_SEARCHED])) for piece in told)
    return [(piece, voiced) for piece, voiced in both if voiced]


def is_assistants_small_talk(text: str) -> bool:
    """Return whether an assistant's message only reacts: courtesies and questions, without a number.

    >>> is_assistants_small_talk("Welcome, Otto!"), is_assistants_small_talk("Great, it leaves at 9.")
    (True, False)
    """
    said = words(text[: MAX_SMALL_TALK_WORDS * 20])
    if len(said) > MAX_SMALL_TALK_WORDS or any(character.isdigit() for word in said for character in word):
        return False
    return all(_only_reacts(piece.text) or asks(piece.text) for piece in sentences(fold(text)) if piece.text.strip())


def _only_reacts(sentence: str) -> bool:
    length = len(sentence) / 2 if is_unspaced(sentence) else len(words(sentence))
    exclaims = length <= _MAX_EXCLAIMED_WORDS and sentence.rstrip().endswith(("!", "！"))
    return exclaims or (length <= MAX_REACTION_WORDS and reacts(sentence))
