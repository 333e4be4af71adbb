"""Relay a stream whose events have a type, with `memories` in the object that begins it. Pure."""

from collections.abc import Collection, Mapping
from typing import Protocol

from toldonce.chat.formats.base import StreamPiece
from toldonce.chat.formats.json_values import memories_member, read_object, string
from toldonce.chat.json_scanner import JsonScanner
from toldonce.chat.reply import Reply
from toldonce.chat.sse import MAX_EVENT_BYTES, SseEvent, SseReader


class Assembler(Protocol):
    """Assembles an answer from the events of its stream."""

    def take(self, event: Mapping[str, object]) -> None:
        """Take an event; unknown ones are ignored."""
        ...

    def reply(self, *, cut: bool = False) -> Reply:
        """Return what has arrived so far; `cut` if some of it was too large to be read."""
        ...


class EventRelay:
    """Relays a stream event by event, and reads it on the way."""

    def __init__(
        self, assembler: Assembler, memories_json: bytes | None, *, begins: tuple[str, str], ends: Collection[str]
    ) -> None:
        """Create a relay.

        Args:
            assembler: Reads the events.
            memories_json: A JSON array; None leaves all bytes as they are.
            begins: Type of the event that begins the answer, and its member that takes `memories`.
            ends: Types of the events that end it: they must wait, with all that follows.
        """
        self._assembler = assembler
        self._memories = memories_json
        self._begins, self._ends = begins, ends
        self._reader = SseReader()
        self._waiting = bytearray()
        self._waiting_start = 0
        self._holds = False

    def feed(self, chunk: bytes) -> list[StreamPiece]:
        """Take the next bytes from upstream; return those that can be sent."""
        self._waiting += chunk
        pieces: list[StreamPiece] = []
        for event in self._reader.feed(chunk):
            self._take(event, pieces)
        end = self._reader.open_event
        if len(self._waiting) > MAX_EVENT_BYTES:
            end = self._waiting_start + len(self._waiting)
        self._release(end, pieces)
        return pieces

    def close(self) -> list[StreamPiece]:
        """Return the remaining bytes when upstream has ended, even in the middle of an event."""
        pieces: list[StreamPiece] = []
        if (half := self._reader.close()) is not None:
            self._take(half, pieces)
        self._release(self._waiting_start + len(self._waiting), pieces)
        return pieces

    def reply(self) -> Reply:
        """Return what has arrived so far."""
        return self._assembler.reply(cut=self._reader.has_dropped)

    def _take(self, event: SseEvent, pieces: list[StreamPiece]) -> None:
        read = read_object(event.data)
        if read is None:
            return
        self._assembler.take(read)
        kind, (first, member) = string(read.get("type")), self._begins
        if kind in self._ends:
            self._release(event.start, pieces)
            self._holds = True
        elif kind == first and self._memories is not None:
            inside = _inside(member, event.data, read)
            if inside is not None:
                self._release(event.data_start + inside, pieces)
                pieces.append(StreamPiece(data=memories_member(self._memories), held=self._holds))
            self._memories = None

    def _release(self, end: int, pieces: list[StreamPiece]) -> None:
        """Let the bytes before an offset of the stream go."""
        size = end - self._waiting_start
        if size > 0:
            pieces.append(StreamPiece(data=bytes(self._waiting[:size]), held=self._holds))
            del self._waiting[:size]
            self._waiting_start = end


def _inside(name: str, data: bytes, event: Mapping[str, object]) -> int | None:
    """Return the offset in an event's data after the opening brace of a member; None if nothing can go there."""
    value = event.get(name)
    if not isinstance(value, dict) or not value or "memories" in value or b"\n" in data:
        return None
    source = JsonScanner(data.decode("utf-8", "replace"))
    found: list[int] = []

    def visit(key: str, at: int) -> int:
        if key == name:
            found.append(at + 1)
        return source.skip_value(at)

    try:
        source.walk_object(source.skip_space(0), visit)
    except ValueError:
        return None
    return len(source.text[: found[-1]].encode()) if found else None
