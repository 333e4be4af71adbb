"""Cut a message into clauses at its stops, colons and line breaks. Pure."""

import re
from collections.abc import Iterator
from dataclasses import dataclass

# Longest part of a clause that is looked at, in characters, from its end: what announces a text is short.
MAX_CLAUSE = 300
_CLAUSE = re.compile(r"(?:[^.!?:\n]|[.:](?=\S))++[.!?:]*+\n?")


@dataclass(frozen=True, slots=True)
class Clause:
    """A clause of a message."""

    text: str
    """With its stop; of a long one the end."""
    start: int
    end: int

    @property
    def ends_line(self) -> bool:
        """Whether its line ends with it."""
        return self.text.endswith("\n")


def clauses(text: str) -> Iterator[Clause]:
    """Cut a text into clauses.

    >>> [clause.text for clause in clauses("Two things: I ski.\\nI swim.")]
    ['Two things:', ' I ski.\\n', 'I swim.']
    """
    for found in _CLAUSE.finditer(text):
        if found.group().strip():
            yield Clause(found.group()[-MAX_CLAUSE:], found.start(), found.end())
