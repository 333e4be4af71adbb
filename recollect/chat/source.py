"""Walk JSON source and know where each value stands, at the speed of the standard library's scanners. Pure."""

import re
from collections.abc import Callable
from json import JSONDecodeError, JSONDecoder

# Deepest nesting of one value that is read. Tool schemas nest some ten deep; Python's own limit of a thousand
# frames depends on the caller's stack, so a fixed one well below it answers the same everywhere.
DEEPEST = 200

_SPACES = frozenset(" \t\n\r")
_SPACE = re.compile(r"[ \t\n\r]*")
_DECODER = JSONDecoder()


class TooDeepError(ValueError):
    """Values stand in one another deeper than is read."""


class Source:
    """JSON text with a reader for each kind of value; all of them take an offset and return the one behind."""

    def __init__(self, text: str) -> None:
        self.text = text

    def peek(self, at: int) -> str:
        """Return the character at an offset, empty behind the end."""
        return self.text[at : at + 1]

    def skip(self, at: int) -> int:
        """Return the offset of the next character that is not white space."""
        if self.text[at : at + 1] not in _SPACES:
            return at
        found = _SPACE.match(self.text, at)
        return found.end() if found else at

    def value(self, at: int) -> tuple[object, int]:
        """Decode the value that starts at an offset.

        Raises:
            TooDeepError: it nests deeper than `DEEPEST`.
            ValueError: it is no JSON, or a number with more digits than Python reads.
        """
        try:
            value, end = _DECODER.raw_decode(self.text, at)
        except RecursionError:
            raise TooDeepError from None
        if self.text.count("[", at, end) + self.text.count("{", at, end) > DEEPEST:
            _check_depth(value)
        return value, end

    def object(self, at: int, member: Callable[[str, int], int]) -> int:
        """Walk the object whose brace stands at `at`: `member` gets each key and where its value starts.

        Raises:
            ValueError: it is no JSON object, or `member` raised it.
        """
        at = self.skip(at + 1)
        if self.peek(at) == "}":
            return at + 1
        while True:
            if self.peek(at) != '"':
                raise JSONDecodeError("Expecting property name enclosed in double quotes", self.text, at)
            key, at = _DECODER.raw_decode(self.text, at)
            at = self.skip(at)
            if self.peek(at) != ":":
                raise JSONDecodeError("Expecting ':' delimiter", self.text, at)
            at = self.skip(member(key, self.skip(at + 1)))
            if self.peek(at) == "}":
                return at + 1
            at = self._behind_comma(at)

    def array(self, at: int, item: Callable[[int], int]) -> int:
        """Walk the array whose bracket stands at `at`: `item` gets where each value starts.

        Raises:
            ValueError: it is no JSON array, or `item` raised it.
        """
        at = self.skip(at + 1)
        if self.peek(at) == "]":
            return at + 1
        while True:
            at = self.skip(item(at))
            if self.peek(at) == "]":
                return at + 1
            at = self._behind_comma(at)

    def _behind_comma(self, at: int) -> int:
        if self.peek(at) != ",":
            raise JSONDecodeError("Expecting ',' delimiter", self.text, at)
        return self.skip(at + 1)


def _check_depth(value: object) -> None:
    level: list[object] = [value]
    for _ in range(DEEPEST):
        level = [
            child
            for parent in level
            if isinstance(parent, dict | list)
            for child in (parent.values() if isinstance(parent, dict) else parent)
            if child and isinstance(child, dict | list)
        ]
        if not level:
            return
    raise TooDeepError
