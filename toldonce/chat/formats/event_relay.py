"""Relay a stream event by event, with `memories` in the object that begins it. Pure."""

from collections.abc import Callable, Collection, Mapping
from dataclasses import dataclass
from typing import Protocol

from toldonce.chat.formats.base import StreamPiece
from toldonce.chat.formats.json_values import memories_member, read_object, string
from toldonce.chat.json_scanner import JsonScanner
from toldonce.chat.reply import Reply
from toldonce.chat.sse import MAX_EVENT_BYTES, SseEvent, SseReader

Event = Mapping[str, object]


class Assembler(Protocol):
    """Assembles an answer from the events of its stream."""

    def take(self, event: Event) -> None:
        """Take an event; unknown ones are ignored."""
        ...

    def reply(self, *, cut: bool = False) -> Reply:
        """Return what has arrived so far; `cut` if some of it was too large to be read."""
        ...


class EventReader(Protocol):
    """Splits the bytes of a stream into events."""

    has_dropped: bool
    """Whether an event was too large to be read."""

    @property
    def open_event(self) -> int:
        """Offset of the first byte that belongs to no complete event."""
        ...

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes; return the events they complete."""
        ...

    def close(self) -> SseEvent | None:
        """Return the event that the end of the stream cut off, if any."""
        ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Landmarks:
    """How the events that matter are told from all others."""

    begins: Callable[[Event], bool]
    """Whether an event begins the answer."""
    ends: Callable[[Event], bool]
    """Whether an event ends it: it must wait, with all that follows."""
    inside: Callable[[bytes, Event], int | None]
    """Where in the data of the event that begins it `memories` go; None if nowhere."""


def typed(*, begins: tuple[str, str], ends: Collection[str]) -> Landmarks:
    """Return the landmarks of a stream whose events have types.

    Args:
        begins: Type of the event that begins the answer, and its member that takes `memories`.
        ends: Types of the events that end it.
    """
    first, member = begins
    return Landmarks(
        begins=lambda event: event.get("type") == first,
        ends=lambda event: string(event.get("type")) in ends,
        inside=lambda data, event: _inside(member, data, event),
    )


class EventRelay:
    """Relays a stream event by event, and reads it on the way."""

    def __init__(
        self,
        assembler: Assembler,
        memories_json: bytes | None,
        landmarks: Landmarks,
        reader: EventReader | None = None,
    ) -> None:
        """Create a relay.

        Args:
            assembler: Reads the events.
            memories_json: A JSON array; None leaves all bytes as they are.
            landmarks: Which events begin and end the answer.
            reader: Splits the stream; None: server-sent events.
        """
        self._assembler = assembler
        self._memories = memories_json
        self._landmarks = landmarks
        self._reader = reader or SseReader()
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
        if self._landmarks.ends(read):
            self._release(event.start, pieces)
            self._holds = True
        if self._memories is not None and self._landmarks.begins(read):
            inside = self._landmarks.inside(event.data, read)
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


class EventStreams:
    """What formats share whose streams are server-sent events."""

    stream_type = b"text/event-stream; charset=utf-8"

    def is_stream(self, kind: bytes, *, wanted: bool) -> bool:
        """Return whether an answer is an event stream; some servers send one under another content type."""
        return kind.startswith(b"text/event-stream") or (wanted and b"json" not in kind)

    def with_note(self, end: bytes, note: str) -> bytes:
        """Write a comment before the end: clients skip it, people who read the stream see it."""
        return f": toldonce: {note}\n\n".encode() + end


def _inside(name: str, data: bytes, event: Event) -> int | None:
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
