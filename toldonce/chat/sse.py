"""Server-sent events, read from bytes with their offsets. Pure.

The rules: CR, LF and CRLF end a line and nothing else does; an empty line ends an event; lines of `data` are
joined by line feeds; comments and other fields carry no data. A block without data is no event.
"""

from dataclasses import dataclass

from toldonce.lazy_pattern import LazyPattern

_END_OF_LINE = LazyPattern(rb"\r\n?|\n")
_BOM = b"\xef\xbb\xbf"
MAX_EVENT_BYTES = 16 * 1024 * 1024
"""Events that are larger are dropped; the largest known ones hold a picture."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SseEvent:
    """One event, and the offsets of its bytes in the whole stream."""

    data: bytes
    start: int
    """Offset of its first line's first byte."""
    end: int
    """Offset after the byte that completed it: the LF, or the CR, of its empty line."""
    data_start: int
    """Offset of the data's first byte."""


class SseReader:
    """Splits a stream into events, whatever its chunks; time and memory are linear in the bytes."""

    def __init__(self) -> None:
        self._line: list[bytes] = []
        self._line_start = 0
        self._skip_line_feed = False
        self._offset = 0
        self._event_start: int | None = None
        self._data: list[bytes] = []
        self._data_start = 0
        self._first_data_line = 0
        self._held = 0
        """Bytes of the event that is arriving."""
        self.has_dropped = False
        """Whether an event was too large."""

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes; return the events they complete."""
        if not chunk:
            return []
        events: list[SseEvent] = []
        at = 0
        if self._skip_line_feed and chunk[0] == 0x0A:
            at = 1
            self._line_start += 1
        self._skip_line_feed = False
        for line_end in _END_OF_LINE.finditer(chunk, at):
            self._hold(chunk[at : line_end.start()])
            event = self._end_line(self._offset + line_end.start() + 1)
            if event:
                events.append(event)
            at = line_end.end()
            self._line_start = self._offset + at
            self._skip_line_feed = at == len(chunk) and chunk[-1] == 0x0D
        if at < len(chunk):
            self._hold(chunk[at:])
        self._offset += len(chunk)
        return events

    def feed_data(self, chunk: bytes) -> list[bytes]:
        """Take the next bytes; return the data alone of the events they complete.

        Events of one line `data: …` each, which are what upstreams send, are split all at once.
        """
        end = chunk.rfind(b"\n\n") + 2
        if end < 2 or self._line or self._event_start is not None or self._skip_line_feed or b"\r" in chunk:
            return [event.data for event in self.feed(chunk)]
        blocks = chunk[: end - 2].split(b"\n\n")
        if not all(block.startswith(b"data: ") and b"\n" not in block for block in blocks):
            return [event.data for event in self.feed(chunk)]
        self._offset += end
        self._line_start = self._offset
        return [block[len(b"data: ") :] for block in blocks] + [event.data for event in self.feed(chunk[end:])]

    def close(self) -> SseEvent | None:
        """Return the event that the end of the stream cut off before its empty line, if any."""
        if self._line:
            self._end_line(self._offset)
        return self._dispatch(self._offset)

    @property
    def undecided(self) -> int:
        """Offset of the first byte that belongs, or may come to belong, to the data of an incomplete event."""
        return self._first_data_line if self._data else self._line_start

    @property
    def open_event(self) -> int:
        """Offset of the first byte that belongs to no complete event, comments between events included."""
        return self._line_start if self._event_start is None else self._event_start

    def _hold(self, part: bytes) -> None:
        """Keep part of a line; the lines of an event that has grown too large become comments."""
        self._held += len(part)
        if self._held <= MAX_EVENT_BYTES:
            self._line.append(part)
        elif part or self._line:
            self.has_dropped = True
            self._data.clear()
            self._line[:] = [b":"]

    def _end_line(self, end: int) -> SseEvent | None:
        line, start = b"".join(self._line), self._line_start
        self._line.clear()
        if start == 0 and line.startswith(_BOM):
            line, start = line[len(_BOM) :], len(_BOM)
        if not line:
            return self._dispatch(end)
        if self._event_start is None:
            self._event_start = start
        name, _, value = line.partition(b":")
        if name == b"data":
            blank = value.startswith(b" ")
            if not self._data:
                self._first_data_line = self._line_start
                self._data_start = start + min(len(line), len(b"data:") + blank)
            self._data.append(value[1:] if blank else value)
        elif self._held <= MAX_EVENT_BYTES:
            self._held -= len(line)
        return None

    def _dispatch(self, end: int) -> SseEvent | None:
        start, data = self._event_start, self._data
        self._event_start, self._data, self._held = None, [], 0
        if start is None or not data:
            return None
        return SseEvent(data=b"\n".join(data), start=start, end=end, data_start=self._data_start)
