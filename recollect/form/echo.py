"""Take out of a message what only repeats the memories that stood in the prompt: recall must not feed itself. Pure."""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from dataclasses import dataclass

from recollect.text import BETWEEN_SENTENCES, bare, terms
from recollect.types import Memory, MemoryKind

# Share of a clause's terms that stand in one memory, from which the clause tells nothing else.
_ECHO = 0.8
# Shorter memories are said again by chance.
_FEWEST_WORDS = 3
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
_DENIES = re.compile(r"\b(?:no|not|never|none|nobody|nothing|cannot|without|no\s++longer)\b|n['’]t\b", re.IGNORECASE)
_FIRST_PERSON = re.compile(r"\b(?:i|i['’]\w+|my|me|mine|we|our|us)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Known:
    """A memory as it may be repeated."""

    wordings: tuple[str, ...]
    terms: Counter[str]
    denies: bool


class Echoes:
    """What stood in a prompt, to be found again in what was said behind it."""

    def __init__(self, recalled: Iterable[Memory]) -> None:
        """Take the memories that were recalled."""
        self._known = [_known(memory) for memory in recalled]

    def without(self, role: str, text: str) -> str:
        """Return a message without the sentences that only repeat memories.

        An assistant repeats in words of its own: a sentence goes whose every clause holds hardly a term that is not of
        one memory. The user's own words are never taken for an echo; sentences about "the user" that stand in a memory
        word for word are.
        """
        if not self._known or not text:
            return text
        pieces = _PIECES.split(text)
        echoed = self._repeats if role == "assistant" else self._copies
        kept = [piece for piece in pieces if not echoed(piece)]
        return text if len(kept) == len(pieces) else "\n".join(kept)

    def _repeats(self, piece: str) -> bool:
        said = _CONTRACTED.sub(" ", _ATTRIBUTES.sub(" ", piece))
        clauses = [(clause, found) for clause in _CLAUSES.split(said) if (found := terms(clause))]
        return bool(clauses) and all(self._repeated(clause, found) for clause, found in clauses)

    def _repeated(self, clause: str, found: Counter[str]) -> bool:
        denies = bool(_DENIES.search(clause))
        return any(
            known.denies is denies and len(found.keys() & known.terms.keys()) >= _ECHO * len(found)
            for known in self._known
        )

    def _copies(self, piece: str) -> bool:
        words = f" {bare(piece)} "
        return any(f" {wording} " in words for known in self._known for wording in known.wordings)


def _known(memory: Memory) -> _Known:
    texts = [memory.text, memory.detail.summary]
    if memory.kind is MemoryKind.FACT:
        texts.append(f"{memory.key}: {memory.value}")
    # How a template begins the row of a summary: words that are repeated with it, and tell nothing.
    heads = [f"turns {memory.detail.first_turn}-{memory.detail.last_turn}"] if memory.kind is MemoryKind.EPISODE else []
    return _Known(
        wordings=tuple(_wordings(texts)) if memory.kind is not MemoryKind.TURN else (),
        terms=terms(" ".join([*texts, *heads])),
        denies=bool(_DENIES.search(memory.text)),
    )


def _wordings(texts: Sequence[str]) -> list[str]:
    """Return the wordings in which nobody speaks of themselves."""
    return [
        found
        for text in texts
        if len((found := bare(text)).split()) >= _FEWEST_WORDS and not _FIRST_PERSON.search(text)
    ]
