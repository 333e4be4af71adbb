"""Remove sentences that only repeat memories from the prompt: recall must not feed itself. Pure.

After the memory 'Ana likes tea' was in the prompt, the answer "As you told me, you like tea" must not form it again.
"""

import re
from collections import Counter
from collections.abc import Iterable, Sequence
from collections.abc import Set as AbstractSet
from dataclasses import dataclass, replace

from toldonce.lazy_pattern import LazyPattern
from toldonce.text import asks, bare, negations, split_sentences, terms, words
from toldonce.text.source_marks import words_said
from toldonce.text.statement_language import ENGLISH_CODE, language_of
from toldonce.types import Memory, MemoryKind

# Words that a repetition may add to a memory without saying anything new. Any other word may be what has changed.
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
_SIGN = LazyPattern(r"[$€£¥%°+#]")
# Words that surround memories where they are listed, as shown and pasted.
_LIST_WORDS = frozenset(terms("fact preference insight note memory importance said user created summary on the by"))
# Shorter memories are repeated by chance.
_MIN_WORDS = 3
_CLAUSES = LazyPattern(r"[,;:()\"“”„«»]|\s[-–—]\s|\b(?:and|but|so)\b", re.IGNORECASE)
# Phrases that announce a repetition: 'as you told me', 'I remember that'.
_ANNOUNCES_REPETITION = LazyPattern(
    r"\b(?:(?:as|like|since|because)\s++)?(?:you(?:['’]ve|\s++have)?\s++(?:also\s++|already\s++|once\s++)?(?:told|mentioned|said|noted|"
    r"shared|asked)(?:\s++(?:to\s++)?me)?|i\s++(?:also\s++|still\s++)?(?:remember|recall|know|see|noted|will\s++remember)|"
    r"turns?\s++\d+(?:\s*+[-–]\s*+\d+)?|"
    r"(?:according\s++to|from|in)\s++(?:my|your|the|our)\s++(?:notes?|memor(?:y|ies)|earlier\s++\w+|last\s++\w+))(?:\s++that)?\b",
    re.IGNORECASE,
)
_CONTRACTED = LazyPattern(r"['’](?:re|ve|ll|m|s|d)\b", re.IGNORECASE)
_FIRST_PERSON = LazyPattern(r"\b(?:i|i['’]\w+|my|me|mine|we|our|us)\b", re.IGNORECASE)


@dataclass(frozen=True, slots=True)
class _Known:
    """A recalled memory, prepared for comparison."""

    wordings: tuple[str, ...]
    sentences: tuple[str, ...]
    """As they are written."""
    is_english: bool
    terms: Counter[str]
    denials: int
    counted: frozenset[tuple[str, str]]
    """Each number with the word after it."""
    signs: frozenset[str]


class EchoFilter:
    """Finds repetitions of the memories that were in a prompt."""

    def __init__(self, recalled: Iterable[Memory]) -> None:
        self._known = [known for memory in recalled for known in _shown(memory)]

    def without(self, role: str, text: str) -> str:
        """Return a message without the sentences that only repeat memories."""
        return self.parted(role, text)[0]

    def parted(self, role: str, text: str, *, keeps_questions: bool = False) -> tuple[str, list[str]]:
        """Return a message without the sentences that only repeat memories, and those sentences.

        An assistant paraphrases: its sentence is dropped if each clause has only terms, numbers, signs and negations of
        a single memory; in another language than English, if it is a sentence of a memory in the same words. The user's
        own words are never an echo, except sentences about "the user" that copy a memory word for word.

        Args:
            role: Who said it.
            text: The message.
            keeps_questions: Keep questions, since an answer may follow.
        """
        if not self._known or not text:
            return text, []
        pieces = split_sentences(text)
        echoed = self._repeats if role == "assistant" else self._copies
        echoes = [piece for piece in pieces if not (keeps_questions and asks(piece)) and echoed(piece)]
        if not echoes:
            return text, []
        dropped = set(echoes)
        return "\n".join(piece for piece in pieces if piece not in dropped), echoes

    def _repeats(self, piece: str) -> bool:
        if language_of(piece) != ENGLISH_CODE:
            return self._says_again(piece)
        text = _CONTRACTED.sub(" ", _ANNOUNCES_REPETITION.sub(" ", piece))
        clauses = [(clause, found) for clause in _CLAUSES.split(text) if (found := terms(clause).keys() - _FILLERS)]
        return bool(clauses) and all(self._repeated(clause, found) for clause, found in clauses)

    def _repeated(self, clause: str, clause_terms: AbstractSet[str]) -> bool:
        denials, counted, signs = negations(clause), _counted(clause), frozenset(_SIGN.findall(clause))
        return any(
            known.is_english
            and known.denials == denials
            and clause_terms <= known.terms.keys()
            and counted <= known.counted
            and signs <= known.signs
            for known in self._known
        )

    def _says_again(self, piece: str) -> bool:
        """Return whether a sentence that is not English is one of a memory, in its words."""
        said = bool(words(piece))
        return said and any(
            bare(piece) == bare(sentence)
            for known in self._known
            if not known.is_english
            for sentence in known.sentences
        )

    def _copies(self, piece: str) -> bool:
        padded = f" {bare(piece)} "
        for known in self._known:
            for wording in known.wordings:
                before, found, after = padded.partition(f" {wording} ")
                if found and not negations(f"{before} {after}") and terms(f"{before} {after}").keys() <= _LIST_WORDS:
                    return True
        return False


def _counted(text: str) -> frozenset[tuple[str, str]]:
    listed = words(text)
    return frozenset(
        (word, following)
        for word, following in zip(listed, [*listed[1:], ""], strict=False)  # a text of signs has no words
        if word in _NUMBER_WORDS or any(character.isdecimal() for character in word)
    )


def _shown(memory: Memory) -> list[_Known]:
    """Return a memory as it is stored and, if it quotes its speaker, the words alone."""
    words = words_said(memory.text)
    return [_known(memory)] if words is None else [_known(memory), _known(replace(memory, text=words))]


def _known(memory: Memory) -> _Known:
    texts = [memory.text, memory.detail.summary]
    if memory.kind is MemoryKind.FACT:
        texts.append(f"{memory.key}: {memory.value}")
    # How a template starts the row of a summary: these words are repeated with it and say nothing.
    heads = [f"turns {memory.detail.first_turn}-{memory.detail.last_turn}"] if memory.kind is MemoryKind.EPISODE else []
    return _Known(
        wordings=tuple(_wordings(texts)) if memory.kind is not MemoryKind.TURN else (),
        sentences=tuple(piece for text in texts for piece in split_sentences(text) if words(piece)),
        is_english=language_of(memory.text) == ENGLISH_CODE,
        terms=terms(" ".join([*texts, *heads])),
        denials=negations(memory.text),
        counted=_counted(f"{memory.text} {memory.detail.summary} {memory.value} {' '.join(heads)}"),
        signs=frozenset(_SIGN.findall(f"{memory.text} {memory.value}")),
    )


def _wordings(texts: Sequence[str]) -> list[str]:
    """Return the wordings that are not in the first person."""
    return [
        found for text in texts if len((found := bare(text)).split()) >= _MIN_WORDS and not _FIRST_PERSON.search(text)
    ]
