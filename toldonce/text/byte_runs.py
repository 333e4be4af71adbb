"""Bytes written as text (data URLs, long runs of base64, Ascii85 or hexadecimal), replaced by a short mark. Pure.

An image that a client puts into a message's text has thousands of characters and no word: limits of length would cut
the words off instead. So the mark takes its place before any limit counts. Takes time linear in the length of the text.
"""

import json
import re
from collections.abc import Iterator
from itertools import pairwise

from toldonce.lazy_pattern import LazyPattern

# Characters of a run that is taken for bytes. Below this, it may be an identifier, a path or an example.
MIN_RUN = 256
# Characters of the bytes of a data URL: shorter ones are typed as examples.
_MIN_DATA = 64
# No text without such a run is looked at twice.
_MIN_PIECE = 60
# Characters of a run that are looked at.
_MAX_SEEN = 4_096
# In random base64 two neighbours in three differ in their kind (capital, small letter, digit); in words and paths, one
# in ten.
_MIN_SWITCHES, _MIN_DISTINCT = 0.3, 24
_UNIT = 1_000

_ALPHABET = r"[A-Za-z0-9+/_-]"
# JSON writes a slash and a line break with a backslash.
_LINE = rf"(?:{_ALPHABET}++|\\[/nr])++"
# The last of several lines is short; its end tells it from a word.
_LINES = (
    rf"{_LINE}(?:\r?\n[ \t]{{0,9}}+(?:{_ALPHABET}{{40,}}+))*+"
    rf"(?:\r?\n[ \t]{{0,9}}+{_ALPHABET}{{4,76}}+(?==?=(?:[\s\"')<]|\Z)))?+={{0,2}}+"
)
_DATA_URL = LazyPattern(
    r"(?P<head><img\b[^<>]{0,300}?\bsrc\s{0,3}=\s{0,3}[\"']?|!\[(?P<alt>[^\]\n]{0,200})\]\(\s{0,3}<?)?"
    rf"\bdata:(?P<type>[a-z]{{1,20}}/[\w.+-]{{1,80}})?(?:;(?!base64,)[\w.=-]{{1,60}})*+(?:;base64,(?P<bytes>{_LINES}(?:%[0-9A-F]{{2}}(?:{_LINE})?)*+)"
    # An image drawn as text; up to another URL, so that many of them are read in linear time.
    r"|,(?P<written><svg\b(?:[^<d]++|<(?!/svg>)|d(?!ata:))*+</svg>|[^\s\"'<>()]{64,}+))"
    r"(?P<tail>[\"']?[^<>]{0,300}>|>?(?:\s{1,3}\"[^\"\n]{0,200}\")?\s{0,3}\))?",
    re.IGNORECASE,
)
_RUN = LazyPattern(rf"(?<![A-Za-z0-9+/_-])(?=[A-Za-z0-9+/_\\-]{{{_MIN_PIECE}}}){_LINES}")
# Ascii85 and its like, which use nearly all signs; a short last line is its rest.
_DENSE_RUN = LazyPattern(
    rf"(?<!\S)[!-~]{{{_MIN_PIECE},}}+(?:\r?\n[!-~]{{{_MIN_PIECE},}}+(?=\s|\Z))*+"
    rf"(?:\r?\n(?!https?:)[!-~]{{20,{_MIN_PIECE - 1}}}+(?=\s|\Z))?+"
)
# Random Ascii85 has some 75 signs, and three neighbours in four differ in their kind; programs without blanks, less.
_MIN_DENSE_SWITCHES, _MIN_DENSE_DISTINCT = 0.6, 60
# Fields of a JSON message that hold what its sender says, beside the bytes of another field.
_SAID_IN = frozenset({"text", "content", "caption", "message", "prompt"})
BYTE_MARK = LazyPattern(r"\[[\w/.+-]{1,80}, [\d.,]{1,12} kB\]")
"""The mark of bytes that have no alternative text: it is no word of a speaker."""
_ALT = LazyPattern(r"\balt\s{0,3}=\s{0,3}(?:\"([^\"]{1,200})\"|'([^']{1,200})')", re.IGNORECASE)
_KINDS = {
    "iVBORw0KGgo": "image/png",
    "/9j/": "image/jpeg",
    "R0lGOD": "image/gif",
    "UklGR": "image/webp",
    "JVBERi0": "application/pdf",
    "UEsDB": "application/zip",
    "PHN2Zy": "image/svg+xml",
}


def without_bytes(text: str) -> str:
    """Replace bytes in a text by a mark that names their kind and size; every word stays.

    >>> without_bytes(f"Look: ![my cat](data:image/png;base64,{'iVBORw0KGgo9' * 40}) Is she ill?")
    'Look: [image/png, 0.4 kB: my cat] Is she ill?'
    """
    # Most texts, and ten times as fast.
    if not any(len(word) >= _MIN_PIECE for word in text.split()) and "<svg" not in text:
        return text
    if "data:" in text or "DATA:" in text:
        text = _DATA_URL.sub(_marked_url, text)
    return _unwrapped(_DENSE_RUN.sub(_marked_dense, _RUN.sub(_marked_run, text)))


def _unwrapped(text: str) -> str:
    """Return what a message says that a client wrote as JSON around bytes: marks and words, one a line."""
    if not text.lstrip().startswith(("{", "[")) or not BYTE_MARK.search(text):
        return text
    try:
        parts = list(_said(json.loads(text), ""))
    except (ValueError, RecursionError):
        return text
    return "\n".join(parts) if any(not BYTE_MARK.fullmatch(part) for part in parts) else text


def _said(value: object, field: str) -> Iterator[str]:
    if isinstance(value, str):
        if field in _SAID_IN or BYTE_MARK.fullmatch(value):
            yield value
    elif isinstance(value, dict):
        for name, part in value.items():
            yield from _said(part, name)
    elif isinstance(value, list):
        for part in value:
            yield from _said(part, field)


def _marked_url(found: "re.Match[str]") -> str:
    data = found["bytes"] or found["written"]
    if len(data) < _MIN_DATA:
        return found.group()
    head, tail = found["head"] or "", found["tail"] or ""
    is_image = head.startswith("![")
    is_closed = tail.endswith(")") if is_image else tail.endswith(">") and bool(head)
    alt = found["alt"] or "".join(part or "" for part in (_ALT.findall(f"{head} {tail}") or [("", "")])[0])
    mark = _mark(found["type"] or "data", len(data) * 3 // 4 if found["bytes"] else len(data), alt if is_closed else "")
    return mark if is_closed else f"{head}{mark}{tail}"


def _marked_run(found: "re.Match[str]") -> str:
    run = found.group()
    if len(run) < MIN_RUN or not _are_bytes(run[:_MAX_SEEN]):
        return run
    kind = next((kind for start, kind in _KINDS.items() if run.startswith(start)), "data")
    return _mark(kind, len(run) * 3 // 4, "")


def _marked_dense(found: "re.Match[str]") -> str:
    run = found.group()
    seen = run[:_MAX_SEEN]
    if len(run) < MIN_RUN or len(set(seen)) < _MIN_DENSE_DISTINCT:
        return run
    kinds = [sign.isdigit() + 2 * sign.isupper() + 3 * sign.islower() for sign in seen]
    is_dense = sum(left != right for left, right in pairwise(kinds)) >= _MIN_DENSE_SWITCHES * len(kinds)
    return _mark("data", len(run) * 4 // 5, "") if is_dense else run


def _mark(kind: str, size: int, alt: str) -> str:
    amount = f"{size / _UNIT:.1f} kB" if size < 10 * _UNIT else f"{size // _UNIT:,} kB"
    return f"[{kind.lower()}, {amount}{': ' if alt else ''}{alt}]"


def _are_bytes(run: str) -> bool:
    """Return whether a run is no long word, path or row of signs: its characters change their kind all the time."""
    if len(set(run)) < _MIN_DISTINCT:
        return _is_hexadecimal(run)
    kinds = [character.isdigit() + 2 * character.isupper() for character in run if character.isalnum()]
    switches = sum(left != right for left, right in pairwise(kinds))
    return switches >= _MIN_SWITCHES * len(kinds) and len({*kinds}) > 2


def _is_hexadecimal(run: str) -> bool:
    digits = sum(map(str.isdigit, run))
    return set(run.casefold()) <= set("0123456789abcdef\r\n") and len(set(run.casefold())) > 12 and digits < len(run)
