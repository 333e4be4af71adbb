"""Tokens of short texts by the built-in embedder's vocabulary alone, in Python. Pure.

The `tokenizers` library takes longer to load its file than a search takes. This gives the same tokens: the merges of
the file are all ways to split a token of the vocabulary in two, ordered by the numbers of their tokens (a test compares
them), so that the vocabulary is enough.
"""

from collections.abc import Mapping
from itertools import pairwise

from toldonce.lazy_pattern import LazyPattern

WORD_START = "▁"
# Written in a text, these are tokens of their own.
_SPECIAL = ("<s>", "</s>", "<unk>")
# The time for a word grows with the square of its length.
_MAX_WORD_CHARACTERS = 40
_MAX_CHARACTERS = 500
# No token has a word start after another character, so that words are encoded one by one.
_WORD = LazyPattern(f"{WORD_START}+[^{WORD_START}]*+")


def merge_order(left: int, right: int, joined: int, token: str) -> tuple[bool, int, int, int]:
    """Return the place of a merge in the order in which merges are done: runs of blanks come last.

    Args:
        left: Number of the left token.
        right: Number of the right token.
        joined: Number of the token that they make.
        token: That token.
    """
    return not token.strip(WORD_START), joined, left, right


class ShortTextTokenizer:
    """Encodes short texts. Safe for several threads."""

    def __init__(self, vocabulary: Mapping[str, int]) -> None:
        """Create a tokenizer over the numbers of the tokens."""
        self._numbers = vocabulary

    def encode(self, text: str) -> list[int] | None:
        """Return the numbers of a text's tokens; None for a text that is too long or holds special tokens."""
        if len(text) > _MAX_CHARACTERS or ("<" in text and any(token in text for token in _SPECIAL)):
            return None
        marked = WORD_START + text.replace(" ", WORD_START) if text else ""
        numbers: list[int] = []
        for word in _WORD.findall(marked):
            if len(word) > _MAX_WORD_CHARACTERS:
                return None
            numbers += self._encode_word(word)
        return numbers

    def _encode_word(self, word: str) -> list[int]:
        tokens: list[str] = []
        for character in word:
            # A character without a token is spelt in bytes.
            tokens += [character] if character in self._numbers else map("<0x{:02X}>".format, character.encode())
        while (place := self._next_merge(tokens)) is not None:
            tokens[place : place + 2] = [tokens[place] + tokens[place + 1]]
        return [self._numbers[token] for token in tokens]

    def _next_merge(self, tokens: list[str]) -> int | None:
        """Return the place of the merge that comes first; None if nothing can be merged."""
        numbers = self._numbers
        merges = [
            (merge_order(numbers[left], numbers[right], numbers[left + right], left + right), place)
            for place, (left, right) in enumerate(pairwise(tokens))
            if left + right in numbers
        ]
        return min(merges)[1] if merges else None
