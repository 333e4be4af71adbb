"""Splice memory into requests, leaving all other bytes as they are, and say which memories those are. Pure."""

import json
from collections.abc import Mapping, Sequence
from datetime import datetime

from toldonce.chat.formats.base import ChatRequest, Insertion
from toldonce.types import RecalledMemory

BLOCK_GAP = "\n\n"
"""Between two blocks, and between a block and the client's own words."""


def joined(*blocks: str) -> str:
    """Join the blocks that are not empty."""
    return BLOCK_GAP.join(block for block in blocks if block)


def escaped(text: str) -> str:
    """Return text as the inside of a JSON string, in ASCII: valid in any body."""
    return json.dumps(text)[1:-1]


def text_block(text: str) -> str:
    """Return the JSON source of a part of a message that holds text."""
    return f'{{"type":"text","text":"{escaped(text)}"}}'


def system_message(text: str) -> str:
    """Return the JSON source of a system message."""
    return f'{{"role":"system","content":"{escaped(text)}"}}'


def texts_with_standing(request: ChatRequest, standing: str, appended: Mapping[int, str]) -> list[tuple[int, str]]:
    """Return texts and the index of their message, with the profile block in front of that of the first user message.

    Args:
        request: The request as it came.
        standing: The profile block; may be empty.
        appended: Texts by index of their message; empty ones are left out.
    """
    texts = dict(appended)
    first = next((index for index, message in enumerate(request.messages) if message.role == "user"), None)
    if first is not None:
        texts[first] = joined(standing, texts.get(first, ""))
    return [(index, text) for index, text in sorted(texts.items()) if text]


def apply_insertions(request: ChatRequest, insertions: Sequence[Insertion]) -> bytes:
    """Return the request's body with the insertions; every other byte is the same."""
    if not insertions:
        return request.body
    pieces: list[str] = []
    end = 0
    for insertion in sorted(insertions, key=lambda insertion: insertion.offset):
        pieces += (request.text[end : insertion.offset], insertion.text)
        end = insertion.offset
    pieces.append(request.text[end:])
    return "".join(pieces).encode("utf-8")


def describe_memories(items: Sequence[RecalledMemory]) -> bytes:
    """Return the `memories` of an answer: a compact JSON array in ASCII, best first."""
    described = [
        {
            "id": item.memory.id,
            "text": item.memory.text,
            "kind": item.memory.kind.value,
            "score": round(item.score, 4),
            "said_at": _said_at(item).isoformat(),
            "reasons": list(item.reasons),
        }
        for item in items
    ]
    return json.dumps(described, separators=(",", ":")).encode("ascii")


def _said_at(item: RecalledMemory) -> datetime:
    return item.memory.evidence[0].said_at if item.memory.evidence else item.memory.valid_from
