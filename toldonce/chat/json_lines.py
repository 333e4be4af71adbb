"""JSON lines, read from bytes with their offsets: streams whose events are a line of JSON each. Pure."""

from toldonce.chat.sse import MAX_EVENT_BYTES, SseEvent


class JsonLineReader:
    """Splits a stream into lines, whatever its chunks; time and memory are linear in the bytes."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0
        self._start = 0
        self.has_dropped = False
        """Whether a line was too large."""

    @property
    def open_event(self) -> int:
        """Offset of the first byte that belongs to no complete line."""
        return self._start

    def feed(self, chunk: bytes) -> list[SseEvent]:
        """Take the next bytes; return the lines they complete, without empty ones."""
        *ended, rest = chunk.split(b"\n")
        lines = [line for part in ended if (line := self._end(part, len(b"\n"))) is not None]
        self._hold(rest)
        return lines

    def close(self) -> SseEvent | None:
        """Return the line that has no end, if any."""
        return self._end(b"", 0)

    def _hold(self, part: bytes) -> None:
        """Keep part of a line; one that has grown too large is dropped."""
        self._size += len(part)
        if self._size > MAX_EVENT_BYTES:
            self.has_dropped = True
            self._parts.clear()
        elif part:
            self._parts.append(part)

    def _end(self, part: bytes, end_bytes: int) -> SseEvent | None:
        self._hold(part)
        line, start, end = b"".join(self._parts), self._start, self._start + self._size + end_bytes
        self._parts.clear()
        self._size, self._start = 0, end
        return SseEvent(data=line, start=start, end=end, data_start=start) if line.strip() else None
