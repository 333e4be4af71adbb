"""Phrases that a story expects in a memory or a line of a prompt. Pure.

Lyon                       the word, ignoring case
vegetarian | no meat       one of several
peanut* + allerg*          all of them, in one statement; a star matches any letters
Rome unless until | from   the word, in a statement that holds none of the words after `unless`
"""

import re
from dataclasses import dataclass
from functools import cache

# A stop after these does not end a sentence: "St. Paul's".
_SENTENCE_END = re.compile(r"(?<=[.!?])(?<!\bSt\.)(?<!\bDr\.)(?<!\bMr\.)(?<!\bMrs\.)(?<!\bDra\.)[\"'”’)]*+\s")


@dataclass(frozen=True, slots=True)
class Phrase:
    """One phrase of a story, ready to match."""

    alternatives: tuple[tuple[re.Pattern[str], ...], ...]
    exceptions: tuple[re.Pattern[str], ...]

    def is_in(self, text: str) -> bool:
        """Return whether one of the alternatives is in the text, and no exception is."""
        if any(pattern.search(text) for pattern in self.exceptions):
            return False
        return any(all(pattern.search(text) for pattern in together) for together in self.alternatives)


@cache
def phrase(written: str) -> Phrase:
    """Read a phrase.

    >>> phrase("peanut* + allerg*").is_in("She has a peanut allergy."), phrase("Rome").is_in("Romeo")
    (True, False)
    >>> phrase("live* in Rome").is_in("She lives in Rome."), phrase("live* in Rome").is_in("She lives near Rome.")
    (True, False)
    >>> phrase("Rome unless until").is_in("lived in Rome until May")
    False
    """
    wanted, _, exceptions = written.partition(" unless ")
    return Phrase(
        alternatives=tuple(
            tuple(_pattern(word) for word in alternative.split(" + ")) for alternative in wanted.split(" | ")
        ),
        exceptions=tuple(_pattern(word) for word in exceptions.split(" | ") if word),
    )


def sentences(line: str) -> list[str]:
    """Split a line of a prompt into its statements."""
    return [sentence for sentence in _SENTENCE_END.split(line) if sentence.strip()]


def _pattern(word: str) -> re.Pattern[str]:
    parts = r"\w*".join(map(re.escape, word.strip().split("*")))
    return re.compile(rf"(?<!\w){parts}(?!\w)", re.IGNORECASE)
