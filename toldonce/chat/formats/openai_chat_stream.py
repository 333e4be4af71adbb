"""Relay answers of Chat Completions: with `memories` in them, or without our own tool calls. Pure."""

import json
from collections.abc import Collection, Iterator, Sequence

from toldonce.chat.formats.base import StreamPiece
from toldonce.chat.formats.json_values import BOM, count, memories_member, opening_brace, read_object, with_memories
from toldonce.chat.formats.openai_chat_reply import DONE, ReplyAssembler, is_done
from toldonce.chat.reply import MAX_CHARACTERS, Reply, TokenUsage
from toldonce.chat.sse import MAX_EVENT_BYTES, SseEvent, SseReader
from toldonce.chat.tools import MAX_KEPT_BYTES
from toldonce.lazy_pattern import LazyPattern

# Blanks allowed between `data:` and `[DONE]`: upstreams write none or one, lenient clients trim more.
_MAX_BLANKS = 8
_HEAD = LazyPattern(rb"(?:\xef\xbb\xbf)?data:[ \t]{0,%d}" % _MAX_BLANKS)
_MAX_HEAD_BYTES = len(BOM) + len(b"data:") + _MAX_BLANKS


def splice_whole(body: bytes, memories_json: bytes) -> bytes:
    """Insert `memories` after the opening brace of a whole answer; any other body stays as it is."""
    return with_memories(body, memories_json, _has_choices)


class MemoriesSplicer:
    """Relays an answer's stream with `memories` in its first chunk, and marks the end that must wait.

    Bytes are kept back only while they may belong to the first chunk with choices, or to `[DONE]`. The answer is
    read from all of them.
    """

    def __init__(self, memories_json: bytes | None, max_characters: int = MAX_CHARACTERS) -> None:
        self._assembler = ReplyAssembler(max_characters)
        self._reader = SseReader()
        self._member = None if memories_json is None else memories_member(memories_json)
        self._waiting = bytearray()
        self._waiting_start = 0
        self._gate = _DoneGate()

    def feed(self, chunk: bytes) -> list[StreamPiece]:
        """Take the next bytes from upstream; return those that can be sent."""
        self._assembler.feed_stream(chunk)
        if self._member is None and not self._waiting:
            return self._gate.feed(chunk)
        self._waiting += chunk
        if len(self._waiting) > MAX_EVENT_BYTES:
            self._member = None
            return self._gate.feed(self._decide(()))
        return self._gate.feed(self._decide(self._reader.feed(chunk)))

    def close(self) -> list[StreamPiece]:
        """Return the remaining bytes when upstream has ended, even in the middle of an event."""
        self._assembler.close_stream()
        pieces = self._gate.feed(bytes(self._waiting)) + self._gate.close()
        self._waiting.clear()
        return pieces

    def reply(self) -> Reply:
        """Return what has arrived so far."""
        return self._assembler.reply()

    def _decide(self, events: Sequence[SseEvent]) -> bytes:
        """Return the waiting bytes whose events are decided, with the splice if its event is among them."""
        for event in events:
            if self._member is None:
                break
            if is_done(event.data):
                self._member = None
                break
            brace = opening_brace(event.data, _has_choices)
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
        line = data[start:].removeprefix(BOM)
        head, bracket, rest = line.partition(b"[")
        if bracket:
            may = _HEAD.fullmatch(head) is not None and DONE.startswith(bracket + rest)
        else:
            may = b"data:".startswith(line) or BOM.startswith(line) or _HEAD.fullmatch(line) is not None
        return start if may else len(data)

    def _line_start(self, data: bytes, at: int) -> int | None:
        """Return where the line around `at` starts; None if that is too far back to matter."""
        lowest = max(0, at - _MAX_HEAD_BYTES - len(DONE))
        start = max(data.rfind(b"\n", lowest, at), data.rfind(b"\r", lowest, at)) + 1
        if start > 0:
            return start
        return 0 if lowest == 0 and self._starts_line else None


def _has_choices(answer: dict[str, object]) -> bool:
    choices = answer.get("choices")
    return isinstance(choices, list) and bool(choices)


class ToolCallBuffer:
    """Relays a stream until it calls one of our tools, and keeps the rest back.

    In a later round, events that hold only a role are dropped (the client has seen one), and the usage becomes the sum
    of all rounds.
    """

    def __init__(self, names: Collection[str], earlier: TokenUsage | None) -> None:
        self._names = names
        self._earlier = earlier
        self._reader = SseReader()
        self._assembler = ReplyAssembler()
        self._waiting = bytearray()
        self._start = 0
        self._kept = bytearray()
        self._holding = False
        self._is_released = False
        self._is_too_large = False

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes; return those to relay."""
        if self._is_too_large:
            return chunk
        self._waiting += chunk
        if len(self._waiting) + len(self._kept) > MAX_KEPT_BYTES:
            self._is_too_large, self._holding = True, False
            return self.close()
        return b"".join(self._pass(event) for event in self._reader.feed(chunk))

    def close(self) -> bytes:
        """Return the remaining bytes at the end of the stream; nothing if all calls are ours."""
        if self.our_calls() is not None:
            return b""
        rest = bytes(self._kept + self._waiting)
        self._kept.clear()
        self._waiting.clear()
        return rest

    def our_calls(self) -> Reply | None:
        """Return the answer if the stream ended in calls of our tools only."""
        reply = self._assembler.reply() if self._holding else None
        return reply if reply is not None and reply.calls_only(self._names) else None

    def _pass(self, event: SseEvent) -> bytes:
        raw = bytes(self._waiting[: event.end - self._start])
        del self._waiting[: len(raw)]
        self._start = event.end
        self._assembler.feed(event.data)
        parsed = read_object(event.data) or {}
        called = set(_called_names(parsed))
        if self._is_released or (called - set(self._names)):
            self._is_released, self._holding = True, False
            released = bytes(self._kept) + raw
            self._kept.clear()
            return released
        if called or self._holding:
            self._holding = True
            self._kept += raw
            return b""
        if self._earlier is None:
            return raw
        return b"" if _has_only_role(parsed) else _with_usage(raw, parsed, self._earlier)


def add_usage(body: bytes, earlier: TokenUsage) -> bytes:
    """Add the usage of earlier rounds to that of a whole answer."""
    answer = read_object(body)
    usage = None if answer is None else answer.get("usage")
    if not isinstance(usage, dict):
        return body
    return json.dumps({**(answer or {}), "usage": _summed(usage, earlier)}).encode()


def _summed(usage: dict[str, object], earlier: TokenUsage) -> dict[str, object]:
    """Add the usage of earlier rounds, in the three counts that all servers send."""
    prompt, completion = count(usage.get("prompt_tokens")), count(usage.get("completion_tokens"))
    prompt, completion = prompt + earlier.prompt_tokens, completion + earlier.completion_tokens
    return {
        **usage,
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _with_usage(raw: bytes, event: dict[str, object], earlier: TokenUsage) -> bytes:
    usage = event.get("usage")
    if not isinstance(usage, dict):
        return raw
    return b"data: " + json.dumps({**event, "usage": _summed(usage, earlier)}).encode() + b"\n\n"


def _choices(event: dict[str, object]) -> Iterator[dict[str, object]]:
    choices = event.get("choices")
    yield from (choice for choice in (choices if isinstance(choices, list) else ()) if isinstance(choice, dict))


def _called_names(event: dict[str, object]) -> Iterator[str]:
    """Yield the names of the tools that an event begins to call."""
    for choice in _choices(event):
        delta = choice.get("delta")
        calls = delta.get("tool_calls") if isinstance(delta, dict) else None
        for call in calls if isinstance(calls, list) else ():
            function = call.get("function") if isinstance(call, dict) else None
            name = function.get("name") if isinstance(function, dict) else None
            if isinstance(name, str) and name:
                yield name


def _has_only_role(event: dict[str, object]) -> bool:
    choices = list(_choices(event))
    return bool(choices) and all(
        isinstance(delta := choice.get("delta"), dict)
        and delta.get("role")
        and not any(value for key, value in delta.items() if key != "role")
        and not choice.get("finish_reason")
        for choice in choices
    )
