"""Splice memory into requests, and `memories` into answers, leaving all other bytes as they are. Pure."""

import json
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import datetime

from toldonce.chat.reply import DONE, ReplyAssembler, is_done, read_object
from toldonce.chat.sse import MAX_EVENT_BYTES, SseEvent, SseReader
from toldonce.lazy_pattern import LazyPattern
from toldonce.types import ChatRequest, Insertion, RecalledMemory

# Blanks allowed between `data:` and `[DONE]`: upstreams write none or one, lenient clients trim more.
_MAX_BLANKS = 8
_BOM = b"\xef\xbb\xbf"
_HEAD = LazyPattern(rb"(?:\xef\xbb\xbf)?data:[ \t]{0,%d}" % _MAX_BLANKS)
_MAX_HEAD_BYTES = len(_BOM) + len(b"data:") + _MAX_BLANKS
_JSON_SPACE = b" \t\r\n"


@dataclass(frozen=True, slots=True, kw_only=True)
class StreamPiece:
    """Bytes for the client."""

    data: bytes
    held: bool
    """Whether they must wait until the turn is recorded: everything from `data: [DONE]` on."""


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


def splice_whole(body: bytes, memories_json: bytes) -> bytes:
    """Insert `memories` after the opening brace of a whole answer; any other body stays as it is."""
    start = len(_BOM) if body.startswith(_BOM) else 0
    brace = _brace(body[start:])
    if brace is None:
        return body
    place = start + brace + 1
    return b"".join((body[:place], _member(memories_json), body[place:]))


class MemoriesSplicer:
    """Relays an answer's stream with `memories` in its first chunk, and marks the end that must wait.

    Bytes are kept back only while they may belong to the first chunk with choices, or to `[DONE]`. The assembler gets
    all of them.
    """

    def __init__(self, memories_json: bytes | None, assembler: ReplyAssembler | None = None) -> None:
        self.assembler = ReplyAssembler() if assembler is None else assembler
        self._reader = SseReader()
        self._member = None if memories_json is None else _member(memories_json)
        self._waiting = bytearray()
        self._waiting_start = 0
        self._gate = _DoneGate()

    def feed(self, chunk: bytes) -> list[StreamPiece]:
        """Take the next bytes from upstream; return those that can be sent."""
        self.assembler.feed_stream(chunk)
        if self._member is None and not self._waiting:
            return self._gate.feed(chunk)
        self._waiting += chunk
        if len(self._waiting) > MAX_EVENT_BYTES:
            self._member = None
            return self._gate.feed(self._decide(()))
        return self._gate.feed(self._decide(self._reader.feed(chunk)))

    def close(self) -> list[StreamPiece]:
        """Return the remaining bytes when upstream has ended, even in the middle of an event."""
        self.assembler.close_stream()
        pieces = self._gate.feed(bytes(self._waiting)) + self._gate.close()
        self._waiting.clear()
        return pieces

    def _decide(self, events: Sequence[SseEvent]) -> bytes:
        """Return the waiting bytes whose events are decided, with the splice if its event is among them."""
        for event in events:
            if self._member is None:
                break
            if is_done(event.data):
                self._member = None
                break
            brace = _brace(event.data)
            # After a line feed that joined two lines of data, offsets differ from those of the stream.
            if brace is not None and b"\n" not in event.data[:brace]:
                place = event.data_start + brace + 1 - self._waiting_start
                self._waiting[place:place] = self._member
                self._member = None
        end = len(self._waiting) if self._member is None else self._reader.undecided - self._waiting_start
        decided = bytes(self._waiting[:end])
        del self._waiting[:end]
        self._waiting_start += end
        return decided


class _DoneGate:
    """Finds the line `data: [DONE]` in a stream of bytes."""

    def __init__(self) -> None:
        self._held = False
        self._head = b""
        self._starts_line = True

    def feed(self, chunk: bytes) -> list[StreamPiece]:
        if not chunk:
            return []
        if self._held:
            return [StreamPiece(data=chunk, held=True)]
        if not self._head and chunk.endswith(b"\n") and DONE not in chunk:
            self._starts_line = True
            return [StreamPiece(data=chunk, held=False)]
        data = self._head + chunk
        done_line = self._find(data)
        self._held = done_line is not None
        open_end = self._open_head(data) if done_line is None else done_line
        self._head = b"" if self._held else data[open_end:]
        if open_end:
            self._starts_line = data[open_end - 1] in b"\r\n"
        pieces = [StreamPiece(data=data[:open_end], held=False)] if open_end else []
        if self._held:
            pieces.append(StreamPiece(data=data[open_end:], held=True))
        return pieces

    def close(self) -> list[StreamPiece]:
        head, self._head = self._head, b""
        return [StreamPiece(data=head, held=False)] if head else []

    def _find(self, data: bytes) -> int | None:
        """Return where the line of `[DONE]` starts; None if there is none."""
        at = data.find(DONE)
        while at >= 0:
            start = self._line_start(data, at)
            if start is not None and _HEAD.fullmatch(data, start, at):
                return start
            at = data.find(DONE, at + 1)
        return None

    def _open_head(self, data: bytes) -> int:
        """Return where the last line starts if it may become `data: [DONE]`, or else the end."""
        start = self._line_start(data, len(data))
        if start is None:
            return len(data)
        line = data[start:].removeprefix(_BOM)
        head, bracket, rest = line.partition(b"[")
        if bracket:
            may = _HEAD.fullmatch(head) is not None and DONE.startswith(bracket + rest)
        else:
            may = b"data:".startswith(line) or _BOM.startswith(line) or _HEAD.fullmatch(line) is not None
        return start if may else len(data)

    def _line_start(self, data: bytes, at: int) -> int | None:
        """Return where the line around `at` starts; None if that is too far back to matter."""
        lowest = max(0, at - _MAX_HEAD_BYTES - len(DONE))
        start = max(data.rfind(b"\n", lowest, at), data.rfind(b"\r", lowest, at)) + 1
        if start > 0:
            return start
        return 0 if lowest == 0 and self._starts_line else None


def _brace(data: bytes) -> int | None:
    """Return where an answer's object opens; None unless it has choices and no `memories` yet."""
    brace = len(data) - len(data.lstrip(_JSON_SPACE))
    if data[brace : brace + 1] != b"{":
        return None
    answer = read_object(data)
    if answer is None or "memories" in answer:
        return None
    choices = answer.get("choices")
    return brace if isinstance(choices, list) and choices else None


def _member(memories_json: bytes) -> bytes:
    return b'"memories":' + memories_json + b","


def _said_at(item: RecalledMemory) -> datetime:
    return item.memory.evidence[0].said_at if item.memory.evidence else item.memory.valid_from
