"""Take out of a message what only repeats the memories that stood in the prompt: recall must not feed itself. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass

from recollect.text import BETWEEN_SENTENCES, asks, bare, negations, terms, words
from recollect.types import Memory, MemoryKind

# Words that a repetition may have beyond the memory's own: they tell nothing. Any other word may be what has changed.
_FILLERS = frozenset(
    terms(
        """again already also actually anyway basically certainly course current currently definitely exactly fact given
        glad happy hear indeed just know known let like mention mentioned note noted of per previously really recall
        remember remind remembered said sure still stated thing things told too well yes you your"""
    )
)
_NUMBER_WORDS = frozenset(
    """one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen seventeen
    eighteen nineteen twenty thirty forty fifty hundred thousand half once twice""".split()
)
_SIGN = re.compile(r"[$€£¥%°+#]")
# What a list of memories has around each, as it is shown and pasted.
_FURNITURE = frozenset(terms("fact preference insight note memory importance said user created summary on the by"))
# Shorter memories are said again by chance.
_MIN_WORDS = 3
_PIECES = re.compile(rf"{BETWEEN_SENTENCES}|\n+")
_CLAUSES = re.compile(r"[,;:()\"“”„«»]|\s[-–—]\s|\b(?:and|but|so)\b", re.IGNORECASE)
# How one says that one repeats something; what is repeated stands beside it.
_ATTRIBUTES = re.compile(
    r"\b(?:(?:as|like|since|because)\s++)?(?:you(?:['’]ve|\s++have)?\s++(?:also\s++|already\s++|once\s++)?(?:told|mentioned|said|noted|"
    r"shared|asked)(?:\s++(?:to\s++)?me)?|i\s++(?:also\s++|still\s++)?(?:remember|recall|know|see|noted|will\s++remember)|"
    r"turns?\s++\d+(?:\s*+[-–]\s*+\d+)?|"
    r"(?:according\s++to|from|in)\s++(?:my|your|the|our)\s++(?:notes?|memor(?:y|ies)|earlier\s++\w+|last\s++\w+))(?:\s++that)?\b",
    re.IGNORECASE,
)
_CONTRACTED = re.compile(r"['’](?:re|ve|ll|m|s|d)\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|i['’]\w+|my|me|mine|we|our|us)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Known:
    """A memory as it may be repeated."""

    wordings: tuple[str, ...]
    terms: Counter[str]
    denials: int
    counted: frozenset[tuple[str, str]]
    """Each number with the word behind it."""
    signs: frozenset[str]


class EchoFilter:
    """What stood in a prompt, to be found again in what was said behind it."""

    def __init__(self, recalled: Iterable[Memory]) -> None:
        """Take the memories that were recalled."""
        self._known = [_known(memory) for memory in recalled]

    def without(self, role: str, text: str) -> str:
        """Return a message without the sentences that only repeat memories."""
        return self.parted(role, text)[0]

    def parted(self, role: str, text: str, *, keeps_questions: bool = False) -> tuple[str, list[str]]:
        """Return a message without the sentences that only repeat memories, and those sentences.

        An assistant repeats in words of its own: a sentence goes whose every clause holds no term that is not of one
        memory, and no number, sign or denial that is not. The user's own words are never taken for an echo; sentences
        about "the user" that stand in a memory word for word, with nothing beside them, are.

        Args:
            role: Who said it.
            text: The message.
            keeps_questions: Leave questions in, which an answer may follow.
        """
        if not self._known or not text:
            return text, []
        pieces = _PIECES.split(text)
        echoed = self._repeats if role == "assistant" else self._copies
        gone = [piece for piece in pieces if not (keeps_questions and asks(piece)) and echoed(piece)]
        if not gone:
            return text, []
        dropped = set(gone)
        return "\n".join(piece for piece in pieces if piece not in dropped), gone

    def _repeats(self, piece: str) -> bool:
        said = _CONTRACTED.sub(" ", _ATTRIBUTES.sub(" ", piece))
        clauses = [(clause, found) for clause in _CLAUSES.split(said) if (found := terms(clause).keys() - _FILLERS)]
        return bool(clauses) and all(self._repeated(clause, found) for clause, found in clauses)

    def _repeated(self, clause: str, found: AbstractSet[str]) -> bool:
        denials, counted, signs = negations(clause), _counted(clause), frozenset(_SIGN.findall(clause))
        return any(
            known.denials == denials
            and found <= known.terms.keys()
            and counted <= known.counted
            and signs <= known.signs
            for known in self._known
        )

    def _copies(self, piece: str) -> bool:
        said = f" {bare(piece)} "
        for known in self._known:
            for wording in known.wordings:
                before, found, behind = said.partition(f" {wording} ")
                if found and not negations(f"{before} {behind}") and terms(f"{before} {behind}").keys() <= _FURNITURE:
                    return True
        return False


def _counted(text: str) -> frozenset[tuple[str, str]]:
    said = words(text)
    return frozenset(
        (word, behind)
        for word, behind in zip(said, [*said[1:], ""], strict=False)  # signs alone are no words
        if word in _NUMBER_WORDS or any(character.isdecimal() for character in word)
    )


def _known(memory: Memory) -> _Known:
    texts = [memory.text, memory.detail.summary]
    if memory.kind is MemoryKind.FACT:
        texts.append(f"{memory.key}: {memory.value}")
    # How a template begins the row of a summary: words that are repeated with it, and tell nothing.
    heads = [f"turns {memory.detail.first_turn}-{memory.detail.last_turn}"] if memory.kind is MemoryKind.EPISODE else []
    return _Known(
        wordings=tuple(_wordings(texts)) if memory.kind is not MemoryKind.TURN else (),
        terms=terms(" ".join([*texts, *heads])),
        denials=negations(memory.text),
        counted=_counted(f"{memory.text} {memory.detail.summary} {memory.value} {' '.join(heads)}"),
        signs=frozenset(_SIGN.findall(f"{memory.text} {memory.value}")),
    )


def _wordings(texts: Sequence[str]) -> list[str]:
    """Return the wordings in which nobody speaks of themselves."""
    return [
        found for text in texts if len((found := bare(text)).split()) >= _MIN_WORDS and not _FIRST_PERSON.search(text)
    ]
