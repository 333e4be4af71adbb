"""JSON of requests and answers, read without ever raising on what is in it. Pure."""

import json
from collections.abc import Callable

from toldonce.lazy_pattern import LazyPattern
from toldonce.text import clean

MAX_SAID_CHARACTERS = 10_000
"""Of what an upstream says about an answer, such as an error or the name of a tool."""
BOM = b"\xef\xbb\xbf"
_SPACE = b" \t\r\n"
_HIGH_SURROGATE = LazyPattern("[\ud800-\udbff]")


def parse(source: str) -> object:
    """Decode a value; None if it is no JSON."""
    try:
        value: object = json.loads(source)
    except (ValueError, RecursionError):
        return None
    return value


def canonical(value: object) -> str:
    """Write a value so that equal ones are equal texts."""
    try:
        return json.dumps(value, sort_keys=True, separators=(",", ":"))
    except RecursionError:  # arguments may nest deeper than a request is allowed to
        return "too deep"


def source_of(value: object) -> str:
    """Write a value as JSON; an empty text if it nests too deeply to be written."""
    try:
        return json.dumps(value)
    except RecursionError:  # read one frame higher, at the very limit
        return ""


def read_object(data: bytes) -> dict[str, object] | None:
    """Decode a JSON object; None for anything else, however malformed."""
    try:
        value = json.loads(data.decode("utf-8-sig", "replace"))  # clients ignore a byte order mark, too
    except (ValueError, RecursionError):
        return None
    return value if isinstance(value, dict) else None


def string(value: object) -> str:
    """Return a string; an empty one for any other value."""
    return value if isinstance(value, str) else ""


def error_text(said: object) -> str:
    """Return what an upstream says about an error, within bounds."""
    return clean(string(said)[:MAX_SAID_CHARACTERS]) or "upstream reported an error without a message"


def count(value: object) -> int:
    """Return a positive whole number; 0 for any other value."""
    return value if isinstance(value, int) and not isinstance(value, bool) and value > 0 else 0


def paired(text: str) -> str:
    """Join the halves of surrogate pairs that arrived in two pieces."""
    if not _HIGH_SURROGATE.search(text):
        return text
    return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")


def memories_member(memories_json: bytes) -> bytes:
    """Return the member `memories`, with the comma before the next one."""
    return b'"memories":' + memories_json + b","


def opening_brace(data: bytes, is_answer: Callable[[dict[str, object]], bool]) -> int | None:
    """Return where an answer's object opens; None unless it is an answer without `memories`."""
    brace = len(data) - len(data.lstrip(_SPACE))
    if data[brace : brace + 1] != b"{":
        return None
    answer = read_object(data)
    return brace if answer is not None and "memories" not in answer and is_answer(answer) else None


def with_memories(body: bytes, memories_json: bytes, is_answer: Callable[[dict[str, object]], bool]) -> bytes:
    """Insert `memories` after the opening brace of a whole answer; any other body stays as it is."""
    start = len(BOM) if body.startswith(BOM) else 0
    brace = opening_brace(body[start:], is_answer)
    if brace is None:
        return body
    place = start + brace + 1
    return b"".join((body[:place], memories_member(memories_json), body[place:]))
