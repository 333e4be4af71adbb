"""Values of a large JSON file, one after another, in bounded memory. Reads a stream.

`json.JSONDecoder.raw_decode` reads each value at the speed of C; the window grows until the value is complete. An event
parser would be slower and one more dependency, as records are needed whole anyway.
"""

import json
from codecs import getincrementaldecoder
from collections.abc import Iterator
from typing import Any, BinaryIO

from toldonce.datasets.recordings import BadRecordError

# Characters of one record: a chat of a year has a few million.
MAX_RECORD_CHARACTERS = 64_000_000
_CHUNK_BYTES = 1 << 20
# An error so near to the end of what was read may only mean that the rest was not read yet: `tru`, `"\u12`.
_MAX_TOKEN_CHARACTERS = 24
_MAX_DIGITS = 300
_SPACE = " \t\r\n"


def read_values(file: BinaryIO, *, max_characters: int = MAX_RECORD_CHARACTERS) -> Iterator[Any]:
    """Yield the elements of a JSON list, or else the values of the file: one object, or JSON lines.

    Raises:
        BadRecordError: it is not JSON, ends within a record, or a record is too large; what came before was yielded.

    >>> from io import BytesIO
    >>> list(read_values(BytesIO(b'[{"a": 1}, 2]'))), list(read_values(BytesIO(b'{"a": 1}\\n{"a": 2}')))
    ([{'a': 1}, 2], [{'a': 1}, {'a': 2}])
    """
    window = _Window(file, max_characters)
    is_list = window.mark() == "["
    if is_list:
        window.skip()
    while True:
        mark = window.mark()
        if mark == "" and is_list:
            raise BadRecordError(f"the file ends after record {window.count:,}: is it complete?")
        if mark == "" or (is_list and mark == "]"):
            return
        if is_list and window.count:
            if mark != ",":
                raise BadRecordError(f"no comma after record {window.count:,}, but {mark!r}")
            window.skip()
            window.mark()
        yield window.value()


class _Window:
    """The part of the file that is being read."""

    def __init__(self, file: BinaryIO, max_characters: int) -> None:
        self._file = file
        self._max_characters = max_characters
        self._decode = getincrementaldecoder("utf-8-sig")().decode
        self._text = ""
        self._at = 0
        self._is_ended = False
        self.count = 0
        """Number of values that were read."""

    def mark(self) -> str:
        """Return the next character that is not white space, without taking it; empty at the end."""
        while True:
            while self._at < len(self._text) and self._text[self._at] in _SPACE:
                self._at += 1
            if self._at < len(self._text):
                return self._text[self._at]
            if self._is_ended:
                return ""
            self._fill(1)

    def skip(self) -> None:
        """Take one character."""
        self._at += 1

    def value(self) -> Any:
        """Take the value that begins here."""
        number = self.count + 1
        while True:
            rest = len(self._text) - self._at
            try:
                value, end = _DECODER.raw_decode(self._text, self._at)
            except json.JSONDecodeError as error:
                if not _may_go_on(error, len(self._text)):
                    raise BadRecordError(f"record {number:,} is not JSON: {error.msg}") from None
                if self._is_ended:
                    raise BadRecordError(f"the file ends within record {number:,}: is it complete?") from None
            except RecursionError:
                raise BadRecordError(f"record {number:,} is nested too deep") from None
            else:
                if end < len(self._text) or self._is_ended:
                    self._at = end
                    self.count = number
                    return value
            if rest >= self._max_characters:
                raise BadRecordError(f"record {number:,} has more than {self._max_characters:,} characters")
            self._fill(2 * rest + 1)

    def _fill(self, wanted: int) -> None:
        """Read until `wanted` characters are there; what was taken is dropped."""
        pieces = [self._text[self._at :]]
        length = len(pieces[0])
        while length < wanted and not self._is_ended:
            data = self._file.read(_CHUNK_BYTES)
            self._is_ended = not data
            try:
                pieces.append(self._decode(data, self._is_ended))
            except UnicodeDecodeError:
                raise BadRecordError(f"no UTF-8 after record {self.count:,}: it is no JSON, or damaged") from None
            length += len(pieces[-1])
        self._text, self._at = "".join(pieces), 0


def _may_go_on(error: json.JSONDecodeError, length: int) -> bool:
    """Return whether a value may be complete when more is read."""
    return error.msg.startswith("Unterminated string") or error.pos > length - _MAX_TOKEN_CHARACTERS


def _number(text: str) -> int | float:
    # Python reads an integer of many digits in quadratic time, and refuses long ones.
    return int(text) if len(text) <= _MAX_DIGITS else float("inf")


_DECODER = json.JSONDecoder(parse_int=_number, strict=False)
