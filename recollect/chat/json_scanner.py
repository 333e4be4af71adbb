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

# The grammar of what `behind` passes over: what the decoder takes, with its NaN and its most digits of an integer.
# Every repetition is possessive, so nothing is ever tried twice, and bounded, so that no single match holds the
# interpreter for long: other threads go on between two matches.
_WS = r"[ \t\n\r]*+"
_HEAD = r"(?<![ \t\n\r])"
_STRING = r'(?<!\\)"(?:[^"\\\x00-\x1f]++|\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4}))*+"'
_NUMBER = r"(?<![0-9])-?(?:0|[1-9][0-9]{0,4299}+)(?![0-9])(?:\.[0-9]++)?(?:[eE][-+]?[0-9]++)?"
_SCALAR = rf"(?:{_STRING}|{_NUMBER}|true|false|null|NaN|-?Infinity)"
_KEY = rf"{_STRING}{_WS}:{_WS}"
_FLAT_LIST = rf"\[{_WS}(?:{_SCALAR}{_WS}(?:,{_WS}{_SCALAR}{_WS}){{0,63}}+)?\]"
_FLAT_OBJECT = rf"\{{{_WS}(?:{_KEY}{_SCALAR}{_WS}(?:,{_WS}{_KEY}{_SCALAR}{_WS}){{0,63}}+)?\}}"
_LEAF_SOURCE = rf"(?:{_SCALAR}|{_FLAT_LIST}|{_FLAT_OBJECT})"
_ITEMS = rf"{_WS}(?:{_LEAF_SOURCE}{_WS},{_WS}){{0,100}}+"
_MEMBERS = rf"{_WS}(?:{_KEY}{_LEAF_SOURCE}{_WS},{_WS}){{0,100}}+{_KEY}"
_LEAF = re.compile(_LEAF_SOURCE)
# From behind a bracket to where its first value starts that is no leaf (or the hundred-and-first).
_ENTER = {"[": re.compile(_HEAD + _ITEMS), "{": re.compile(_HEAD + _MEMBERS)}
# From behind a value to behind the bracket that closes, or to the next such value.
_GO_ON = {
    "[": re.compile(rf"{_HEAD}{_WS}(?:(?P<closed>\])|,{_ITEMS})"),
    "{": re.compile(rf"{_HEAD}{_WS}(?:(?P<closed>\}})|,{_MEMBERS})"),
}


class TooDeepError(ValueError):
    """Values stand in one another deeper than is read."""


class JsonScanner:
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

    def behind(self, at: int) -> int:
        """Return the offset behind the value at `at`: checked like `value`, but nothing is built of it.

        Raises:
            TooDeepError: it nests deeper than `DEEPEST`.
            ValueError: it is no JSON.
        """
        opened: list[str] = []
        while True:
            leaf = _LEAF.match(self.text, at)
            if leaf is None:
                opened.append(self._bracket(at, len(opened)))
                at = self._matched(_ENTER[opened[-1]], at + 1).end()
                continue
            at = leaf.end()
            while opened:
                step = self._matched(_GO_ON[opened[-1]], at)
                at = step.end()
                if step.lastgroup is None:
                    break
                opened.pop()
            if not opened:
                return at

    def _bracket(self, at: int, depth: int) -> str:
        bracket = self.peek(at)
        if bracket not in _ENTER:
            raise JSONDecodeError("Expecting value", self.text, at)
        if depth >= DEEPEST:
            raise TooDeepError
        return bracket

    def _matched(self, pattern: "re.Pattern[str]", at: int) -> "re.Match[str]":
        found = pattern.match(self.text, at)
        if found is None:
            raise JSONDecodeError("Expecting ',' delimiter or property name", self.text, at)
        return found

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
