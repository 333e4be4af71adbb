"""Walk JSON source with the offset of each value, as fast as the standard library's scanners. Pure."""

import re
from collections.abc import Callable
from json import JSONDecodeError, JSONDecoder

from toldonce.lazy_pattern import LazyPattern

# Maximum nesting of one value. Tool schemas nest some ten levels; Python's own limit of a thousand frames depends on
# the caller's stack, so a fixed limit well below it gives the same answer everywhere.
MAX_DEPTH = 200

_SPACES = frozenset(" \t\n\r")
_SPACE = LazyPattern(r"[ \t\n\r]*")
_DECODER = JSONDecoder()

# The grammar of what `skip_value` accepts: the same as the decoder, with its NaN and its maximum of integer digits.
# Every repetition is possessive, so that nothing is tried twice, and bounded, so that no single match holds the
# interpreter for long: other threads run between two matches.
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
_LEAF = LazyPattern(_LEAF_SOURCE)
# From an opening bracket to the start of its first value that is not a leaf (or of its 101st value).
_ENTER = {"[": LazyPattern(_HEAD + _ITEMS), "{": LazyPattern(_HEAD + _MEMBERS)}
# From the end of a value to the end of the closing bracket, or to the start of the next such value.
_CONTINUE = {
    "[": LazyPattern(rf"{_HEAD}{_WS}(?:(?P<closed>\])|,{_ITEMS})"),
    "{": LazyPattern(rf"{_HEAD}{_WS}(?:(?P<closed>\}})|,{_MEMBERS})"),
}


class TooDeepError(ValueError):
    """A value nests deeper than `MAX_DEPTH`."""


class JsonScanner:
    """JSON text with a method for each kind of value; each takes its start offset and returns the end."""

    def __init__(self, text: str) -> None:
        self.text = text

    def peek(self, at: int) -> str:
        """Return the character at an offset; empty at the end of the text."""
        return self.text[at : at + 1]

    def skip_space(self, at: int) -> int:
        """Return the offset of the next character that is not white space."""
        if self.text[at : at + 1] not in _SPACES:
            return at
        match = _SPACE.match(self.text, at)
        return match.end() if match else at

    def read_value(self, at: int) -> tuple[object, int]:
        """Decode the value that starts at an offset.

        Raises:
            TooDeepError: It nests deeper than `MAX_DEPTH`.
            ValueError: It is not JSON, or a number with more digits than Python reads.
        """
        try:
            value, end = _DECODER.raw_decode(self.text, at)
        except RecursionError:
            raise TooDeepError from None
        if self.text.count("[", at, end) + self.text.count("{", at, end) > MAX_DEPTH:
            _check_depth(value)
        return value, end

    def skip_value(self, at: int) -> int:
        """Return the end of the value at `at`, checked as `read_value` does but without building objects.

        Raises:
            TooDeepError: It nests deeper than `MAX_DEPTH`.
            ValueError: It is not JSON.
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
                step = self._matched(_CONTINUE[opened[-1]], at)
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
        if depth >= MAX_DEPTH:
            raise TooDeepError
        return bracket

    def _matched(self, pattern: LazyPattern[str], at: int) -> "re.Match[str]":
        match = pattern.match(self.text, at)
        if match is None:
            raise JSONDecodeError("Expecting ',' delimiter or property name", self.text, at)
        return match

    def walk_object(self, at: int, member: Callable[[str, int], int]) -> int:
        """Walk the object that opens at `at`: `member` takes each key and where its value starts, and returns its end.

        Raises:
            ValueError: It is not a JSON object, or `member` raised it.
        """
        at = self.skip_space(at + 1)
        if self.peek(at) == "}":
            return at + 1
        while True:
            if self.peek(at) != '"':
                raise JSONDecodeError("Expecting property name enclosed in double quotes", self.text, at)
            key, at = _DECODER.raw_decode(self.text, at)
            at = self.skip_space(at)
            if self.peek(at) != ":":
                raise JSONDecodeError("Expecting ':' delimiter", self.text, at)
            at = self.skip_space(member(key, self.skip_space(at + 1)))
            if self.peek(at) == "}":
                return at + 1
            at = self._skip_comma(at)

    def walk_array(self, at: int, item: Callable[[int], int]) -> int:
        """Walk the array that opens at `at`: `item` takes where each value starts, and returns its end.

        Raises:
            ValueError: It is not a JSON array, or `item` raised it.
        """
        at = self.skip_space(at + 1)
        if self.peek(at) == "]":
            return at + 1
        while True:
            at = self.skip_space(item(at))
            if self.peek(at) == "]":
                return at + 1
            at = self._skip_comma(at)

    def _skip_comma(self, at: int) -> int:
        if self.peek(at) != ",":
            raise JSONDecodeError("Expecting ',' delimiter", self.text, at)
        return self.skip_space(at + 1)


def _check_depth(value: object) -> None:
    level: list[object] = [value]
    for _ in range(MAX_DEPTH):
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
