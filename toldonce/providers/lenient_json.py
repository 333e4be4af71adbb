"""Lenient parser for one JSON object or array inside a text that a language model wrote. Pure.

`pydantic_core.from_json(allow_partial=True)` cannot replace it. It parses 13 of the 58 broken answers in
`tests/providers/test_model_output.py`, fails on 36, and gets 9 wrong without an error: it keeps items that broke off
(`[10, 20, 3` may have been cut within 30), and drops all items after a missing comma.
"""

from dataclasses import dataclass

from toldonce.lazy_pattern import LazyPattern

# No requested answer nests deeper than 5; this also limits the reader's recursion.
MAX_DEPTH = 64

_BLANK = LazyPattern(r"(?:\s++|//[^\n]*+|\#[^\n]*+|/\*(?:[^*/]++|\*(?!/)|/(?!\*))*+\*/)*")
_NUMBER = LazyPattern(r"(?<!\d)[+-]?(?:\d{1,400}(?:\.\d{0,400})?|\.\d{1,400})(?:[eE][+-]?\d{1,4})?(?![\w.])")
_WORD = LazyPattern(r"[A-Za-z_$][\w$-]*")
_WORDS: dict[str, object] = {
    **{"true": True, "True": True, "TRUE": True, "false": False, "False": False, "FALSE": False},
    **{"null": None, "None": None, "NULL": None, "undefined": None, "NaN": None},
}
_QUOTES = {'"': '"', "'": "'", "“": "”", "‘": "’"}
_RUN = {close: LazyPattern(f"[^{close}\\\\]+") for close in _QUOTES.values()}
_ESCAPES = {"n": "\n", "t": "\t", "r": "\r", "b": "\b", "f": "\f"}
_HEX = LazyPattern(r"u([0-9a-fA-F]{4})(?:\\u([dD][c-fC-F][0-9a-fA-F]{2}))?")
# What follows a closing quote. Any other quote is one that the model forgot to escape.
_AFTER_STRING = LazyPattern(r"(?<!\s)(?:\s*+(?:[,}\]:]|\Z|//|/\*|\#)|\s++[\"'“‘{\[])")


class Unreadable:
    """Marks a missing value; `None` is a value."""


class OutputTooDeepError(Exception):
    """Nested deeper than `MAX_DEPTH`."""


class _NoJsonError(Exception):
    """The text from here on does not resemble JSON."""


_NOTHING = Unreadable()


@dataclass(frozen=True, slots=True, kw_only=True)
class ParsedValue:
    """The value that opens at a bracket."""

    value: object
    """The parsed value; `Unreadable` if there is none."""
    end: int
    """Where to continue the search."""
    complete: bool
    """Whether its closing bracket was found."""
    corrupt: bool
    """Whether it began as JSON with at least one member, and then became unreadable or ended."""


def parse_lenient(text: str, start: int) -> ParsedValue:
    """Parse the value that opens at `start`; of one that the end of the text cuts off, return its complete part.

    Raises:
        OutputTooDeepError: It nests deeper than `MAX_DEPTH`.
    """
    reader = _Reader(text, start)
    try:
        value = reader.value(0)
    except _NoJsonError:
        return ParsedValue(value=_NOTHING, end=max(reader.at, start + 1), complete=False, corrupt=reader.members > 0)
    if reader.cut:
        return ParsedValue(value=value or _NOTHING, end=len(text), complete=False, corrupt=True)
    return ParsedValue(value=value, end=reader.at, complete=True, corrupt=False)


class _Reader:
    """Reads from `at` on. If the text ends too early, `cut` is set and each level returns its complete part."""

    def __init__(self, text: str, at: int) -> None:
        self.text, self.at, self.cut, self.members = text, at, False, 0

    def value(self, depth: int) -> object:
        if depth > MAX_DEPTH:
            raise OutputTooDeepError
        first = self._peek()
        if first == "{":
            return self._object(depth)
        if first == "[":
            return self._array(depth)
        if first in _QUOTES:
            return self._string()
        return self._scalar()

    def _peek(self) -> str:
        blank = _BLANK.match(self.text, self.at)
        self.at = blank.end() if blank else self.at
        self.cut = self.cut or self.at >= len(self.text)
        return self.text[self.at : self.at + 1]

    def _array(self, depth: int) -> list[object]:
        self.at += 1
        items: list[object] = []
        while True:
            first = self._peek()
            if first == "]":
                self.at += 1
                return items
            if first == ",":
                self.at += 1
                continue
            item = self._item(items, depth) if not self.cut else _NOTHING
            if self.cut:
                return items
            items.append(item)

    def _item(self, before: list[object], depth: int) -> object:
        """Parse an item; an unreadable one after whole objects is where the answer broke off, and they are kept."""
        try:
            return self.value(depth + 1)
        except _NoJsonError:
            if not (before and isinstance(before[-1], dict)):
                raise
            self.cut = True
            return _NOTHING

    def _object(self, depth: int) -> dict[str, object]:
        self.at += 1
        members: dict[str, object] = {}
        while True:
            first = self._peek()
            if first == "}":
                self.at += 1
                return members
            if first == ",":
                self.at += 1
                continue
            key = self._key()
            value = self.value(depth + 1) if not self.cut else _NOTHING
            if self.cut:
                # A list or object that contains the break keeps its complete part; a broken word or number is dropped.
                if isinstance(value, dict | list) and value:
                    members[key] = value
                return members
            members[key] = value
            self.members += 1

    def _key(self) -> str:
        if self.cut:
            return ""
        if self.text[self.at] in _QUOTES:
            key = self._string()
        else:
            word = _WORD.match(self.text, self.at)
            if word is None:
                raise _NoJsonError
            self.at, key = word.end(), word.group()
        if self._peek() not in (":", ""):
            raise _NoJsonError
        self.at += 1
        return key if isinstance(key, str) else ""

    def _string(self) -> object:
        close = _QUOTES[self.text[self.at]]
        run, parts = _RUN[close], list[str]()
        self.at += 1
        while self.at < len(self.text):
            plain = run.match(self.text, self.at)
            if plain:
                parts.append(plain.group())
                self.at = plain.end()
            elif self.text[self.at] == "\\":
                parts.append(self._escape())
            else:
                self.at += 1
                if _AFTER_STRING.match(self.text, self.at):
                    return "".join(parts)
                parts.append(close)
        self.cut = True
        return _NOTHING

    def _escape(self) -> str:
        self.at += 1
        code = _HEX.match(self.text, self.at)
        if code is None:
            character = self.text[self.at : self.at + 1]
            self.at += 1
            return _ESCAPES.get(character, character)
        high, low = int(code[1], 16), code[2]
        if low is not None and 0xD800 <= high < 0xDC00:
            self.at = code.end()
            return chr(0x10000 + ((high - 0xD800) << 10) + (int(low, 16) - 0xDC00))
        self.at += 5
        return chr(high)

    def _scalar(self) -> object:
        number = _NUMBER.match(self.text, self.at)
        if number:
            self.at = number.end()
            self.cut = self.at >= len(self.text)  # the rest of its digits may be missing
            return _number(number.group())
        word = _WORD.match(self.text, self.at)
        if word and word.end() == len(self.text):
            self.cut = True
            return _NOTHING
        if word is None or word.group() not in _WORDS:
            if self.at < len(self.text):
                raise _NoJsonError
            return _NOTHING
        self.at = word.end()
        return _WORDS[word.group()]


def _number(text: str) -> int | float:
    try:
        return int(text)
    except ValueError:
        return float(text)
