"""How the details of a memory are read back from an export: a file may hold anything. Pure."""

import json
from dataclasses import asdict, fields
from typing import Any

from toldonce.ids import id_bytes
from toldonce.text import clean
from toldonce.types import NO_DETAIL, SummarizedPart, Withheld

MAX_COUNT = 2**31 - 1
"""Places in a conversation and counts fit into four bytes with a sign."""
MAX_MEMORY = 1_000_000
"""Longest memory in characters: all of it is embedded. What is formed stays far below."""
_DETAIL = asdict(NO_DETAIL)
_STRETCH = frozenset(field.name for field in fields(Withheld))
_PART = frozenset(field.name for field in fields(SummarizedPart))


def read_detail_record(value: Any) -> str:
    """Check a detail, and return it as it is stored.

    Raises:
        ValueError: It is none, or readers could not rely on it.
    """
    if not isinstance(value, dict):
        raise ValueError("is no object")
    written = clean(json.dumps(value, ensure_ascii=False, allow_nan=False))
    for name, found in value.items():
        if name not in _DETAIL:
            raise ValueError(f"has an unknown name, {name[:40]!r}")
        if name in _CHECKS:
            _CHECKS[name](found)
        elif isinstance(_DETAIL[name], str):
            if not isinstance(found, str):
                raise ValueError(f"has a {name} that is no text")
        elif not _is_count(found):
            raise ValueError(f"has a {name} that is no count")
    if len(written) > MAX_MEMORY:
        raise ValueError(f"is longer than {MAX_MEMORY:,} characters")
    return written


def _check_tags(value: Any) -> None:
    if not isinstance(value, list) or not all(isinstance(tag, str) for tag in value):
        raise ValueError("has tags that are no list of texts")


def _check_parts(value: Any) -> None:
    """Check what an episode sums up of each conversation.

    Raises:
        ValueError: It is no list of parts.
    """
    for part in value if isinstance(value, list) else [None]:
        if not isinstance(part, dict) or part.keys() != _PART:
            raise ValueError("has parts that are no list of parts of conversations")
        _check_id(part["conversation"])
        first, last = part["first_seq"], part["last_seq"]
        if not (_is_count(first) and _is_count(last) and 1 <= first <= last):
            raise ValueError("has a part whose messages are out of order")


def _check_withheld(value: Any) -> None:
    """Check the stretches that a quotation leaves out: readers rely on their order.

    Raises:
        ValueError: They are no stretches, or out of order.
    """
    last = 0
    for stretch in value if isinstance(value, list) else [None]:
        if not isinstance(stretch, dict) or stretch.keys() != _STRETCH:
            raise ValueError("has a withheld that is no list of stretches")
        start, end, because = (stretch[name] for name in ("start", "end", "because"))
        if not (_is_count(start) and _is_count(end) and last <= start <= end):
            raise ValueError("has a withheld whose stretches are out of order")
        if because != "":
            _check_id(because)
        last = start


_CHECKS = {"tags": _check_tags, "withheld": _check_withheld, "parts": _check_parts}


def _is_count(value: Any) -> bool:
    return isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= MAX_COUNT


def _check_id(value: Any) -> None:
    if not isinstance(value, str) or id_bytes(value) is None:
        raise ValueError("has something else than an id, as 0198c0de-0000-7000-8000-00000000000a is one")
