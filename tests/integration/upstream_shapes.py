"""The shapes an upstream's answer can take: good, odd and broken. Pure: bytes and how they are sent."""

import gzip
import json
from collections.abc import Iterable
from dataclasses import dataclass, replace
from enum import StrEnum

EVENTS = b"text/event-stream; charset=utf-8"
JSON = b"application/json"
HTML = b"text/html"
DONE = b"data: [DONE]\n\n"


class End(StrEnum):
    """How an answer ends."""

    WELL = "well"
    CUT = "cut"
    """The connection closes before the framing says that the body is whole."""
    RESET = "reset"
    SILENT = "silent"
    """Nothing more comes, and the connection stays."""
    BAD_FRAME = "bad frame"
    """A chunk whose size is no number."""


class Kept(StrEnum):
    """What the log is to keep of the turn."""

    WHOLE = "whole"
    INCOMPLETE = "incomplete"
    NOTHING = "nothing"


@dataclass(frozen=True, slots=True, kw_only=True)
class Shape:
    """One answer, as it goes over the wire."""

    parts: tuple[bytes, ...] = ()
    """Pieces of the body, flushed one by one."""
    status: int = 200
    kind: bytes = EVENTS
    more_headers: tuple[tuple[bytes, bytes], ...] = ()
    framing: str = "chunked"
    """`chunked`, `length`, or `close` (HTTP/1.0: the end of the connection ends the body)."""
    end: End = End.WELL
    pause_s: float = 0.0
    """Between two parts."""
    before: bytes = b""
    """Sent before the status line: 1xx answers."""
    kept: Kept = Kept.WHOLE

    @property
    def body(self) -> bytes:
        """All that is sent of the body."""
        return b"".join(self.parts)


def event(value: object) -> bytes:
    """Write a value as one server-sent event."""
    return b"data: " + json.dumps(value, ensure_ascii=False).encode() + b"\n\n"


def chunk(text: str | None = None, *, finish: str | None = None, **more: object) -> dict[str, object]:
    """Make one chunk of a streamed answer."""
    delta = {} if text is None else {"content": text}
    choice = {"index": 0, "delta": delta, "finish_reason": finish}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion.chunk",
        "created": 1,
        "model": "m",
        "choices": [choice],
    } | more


def spoken(text: str, *, pieces: int = 4) -> tuple[bytes, ...]:
    """Stream a text in pieces, with its role first and its end last."""
    role = chunk()
    role["choices"] = [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]
    size = max(1, -(-len(text) // pieces))
    said = [event(chunk(text[at : at + size])) for at in range(0, len(text), size)]
    return (event(role), *said, event(chunk(finish="stop")), DONE)


def completion(text: str | None, **message: object) -> dict[str, object]:
    """Make a whole answer."""
    said = {"role": "assistant", "content": text} | message
    reason = "tool_calls" if "tool_calls" in message else "stop"
    usage = {"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}
    choice = {"index": 0, "message": said, "finish_reason": reason}
    return {
        "id": "chatcmpl-1",
        "object": "chat.completion",
        "created": 1,
        "model": "m",
        "choices": [choice],
        "usage": usage,
    }


def answer(value: object) -> Shape:
    """Answer with a JSON value."""
    return Shape(parts=(json.dumps(value).encode(),), kind=JSON, framing="length")


def stream(parts: Iterable[bytes]) -> Shape:
    """Answer with a stream of events."""
    return Shape(parts=tuple(parts))


def refusal(status: int, *headers: tuple[bytes, bytes]) -> Shape:
    """Answer with an error."""
    error = {"error": {"message": f"upstream says {status}", "type": "server_error", "param": None, "code": None}}
    return replace(answer(error), status=status, more_headers=headers, kept=Kept.NOTHING)


SAID = "No peanuts – für Ana. \U0001f95c"
_TALK = spoken(SAID)
_HEAD, _TAIL = _TALK[:3], _TALK[3:]
_WHOLE = answer(completion(SAID))
_MIDDLE = "é".encode()[:1]


def _tool_call() -> tuple[bytes, ...]:
    arguments = json.dumps({"city": "Oslo", "note": '}{"\\'})
    first = {"index": 0, "id": "call_shape", "type": "function", "function": {"name": "weather", "arguments": ""}}
    deltas: list[dict[str, object]] = [{"role": "assistant", "content": None, "tool_calls": [first]}]
    deltas += [{"tool_calls": [{"index": 0, "function": {"arguments": letter}}]} for letter in arguments]
    chunks = [event({"choices": [{"index": 0, "delta": delta, "finish_reason": None}]}) for delta in deltas]
    return (*chunks, event(chunk(finish="tool_calls")), DONE)


def _calls() -> list[dict[str, object]]:
    return [{"id": "call_shape", "type": "function", "function": {"name": "weather", "arguments": '{"city":"Oslo"}'}}]


def _two_choices() -> tuple[bytes, ...]:
    said = [
        event({"choices": [{"index": n % 2, "delta": {"content": f"{n} "}, "finish_reason": None}]}) for n in range(6)
    ]
    ends = [event({"choices": [{"index": n, "delta": {}, "finish_reason": "stop"}]}) for n in (0, 1)]
    return (*said, *ends, DONE)


_USAGE = event(chunk(choices=[], usage={"prompt_tokens": 7, "completion_tokens": 3, "total_tokens": 10}))
_FILTER = event({"choices": [], "prompt_filter_results": []})
_IN_BAND = event({"error": {"message": "overloaded", "type": "server_error", "code": 529}})
_ERROR_OBJECT = event({"object": "error", "message": "boom", "code": 50001})
_COMMENT = b": OPENROUTER PROCESSING\n\n"
_DUPLICATES = b'{"choices":[{"index":0,"delta":{"content":"one"}}],"choices":[{"index":0,"delta":{"content":"two"}}]}'
_NAN = b'{"choices":[{"index":0,"delta":{"content":"x"},"finish_reason":null,"score":NaN}]}'
_SURROGATE = b'{"choices":[{"index":0,"delta":{"content":"\\ud83d alone"},"finish_reason":null}]}'
_NUL = b'{"choices":[{"index":0,"delta":{"content":"a\\u0000b"},"finish_reason":null}]}'
_SEPARATOR = event(chunk("a\u2028b\u2029c\u0085d\x0be"))
_EARLY_HINTS = b"HTTP/1.1 100 Continue\r\n\r\n" + b"HTTP/1.1 103 Early Hints\r\nlink: </a>\r\n\r\n" * 3

STREAMED: dict[str, Shape] = {
    "plain": stream(_TALK),
    "hang-at-headers": Shape(status=0, end=End.SILENT, kept=Kept.NOTHING),
    "429": refusal(429, (b"retry-after", b"7")),
    "500": refusal(500),
    "502": refusal(502),
    "503": refusal(503),
    "529": refusal(529),
    "html": Shape(parts=(b"<html>Welcome to nginx</html>",), kind=HTML, kept=Kept.NOTHING),
    "json-for-a-stream": _WHOLE,
    "empty-body": Shape(framing="length", kept=Kept.NOTHING),
    "gzip": Shape(
        parts=(gzip.compress(b"".join(_TALK)),), more_headers=((b"content-encoding", b"gzip"),), kept=Kept.NOTHING
    ),
    "wrong-content-type": Shape(parts=_TALK, kind=b"text/plain"),
    "malformed-event": stream((*_HEAD, b'data: {"choices":[{"delta":{"content":"He\n\n', *_TAIL)),
    "half-event-at-the-end": replace(stream((*_HEAD, b'data: {"choices":[{"de')), kept=Kept.INCOMPLETE),
    "no-done": stream(_TALK[:-1]),
    "no-finish-reason": replace(stream((*_TALK[:-2], DONE)), kept=Kept.INCOMPLETE),
    "double-done": stream((*_TALK, DONE)),
    "events-after-done": stream((*_TALK, event(chunk("ignored")), _COMMENT)),
    "reset-after-role": Shape(parts=_TALK[:1], end=End.RESET, kept=Kept.NOTHING),
    "reset-in-a-token": Shape(parts=(*_HEAD, _TALK[3][:40]), end=End.RESET, kept=Kept.INCOMPLETE),
    "cut-in-a-letter": Shape(
        parts=(*_HEAD, b'data: {"choices":[{"delta":{"content":"caf' + _MIDDLE), end=End.CUT, kept=Kept.INCOMPLETE
    ),
    "byte-by-byte": Shape(parts=tuple(bytes([b]) for b in b"".join(spoken("Slowly.", pieces=1))), pause_s=0.0005),
    "silence": Shape(parts=_HEAD, end=End.SILENT, kept=Kept.INCOMPLETE),
    "only-comments": replace(stream((_COMMENT,) * 5), kept=Kept.NOTHING),
    "comments-between": stream(piece for event in _TALK for piece in (_COMMENT, event)),
    "cr-only": stream(event.replace(b"\n", b"\r") for event in _TALK),
    "crlf": stream(event.replace(b"\n", b"\r\n") for event in _TALK),
    "no-blank-behind-data": stream(event.replace(b"data: ", b"data:") for event in _TALK),
    "line-separators": stream((*_HEAD, _SEPARATOR, *_TAIL)),
    "byte-order-mark": stream((b"\xef\xbb\xbf" + _TALK[0], *_TALK[1:])),
    "empty-choices-first": stream((_FILTER, *_TALK)),
    "error-in-band": replace(stream((*_HEAD, _IN_BAND)), kept=Kept.NOTHING),
    "error-object": replace(stream((*_HEAD, _ERROR_OBJECT, DONE)), kept=Kept.NOTHING),
    "one-big-event": stream((_TALK[0], event(chunk("x" * 4_000_000)), *_TALK[-2:])),
    "many-tiny-events": stream((b"".join(event({"choices": []}) for _ in range(5_000)), *_TALK)),
    "nul": stream((*_HEAD, b"data: " + _NUL + b"\n\n", b": \0\n\n", *_TAIL)),
    "lone-surrogate": stream((*_HEAD, b"data: " + _SURROGATE + b"\n\n", *_TAIL)),
    "duplicate-keys": stream((*_HEAD, b"data: " + _DUPLICATES + b"\n\n", *_TAIL)),
    "not-a-number": stream((*_HEAD, b"data: " + _NAN + b"\n\n", *_TAIL)),
    "unknown-fields": stream(
        (b"id: 7\nevent: x\nretry: 5\n" + _TALK[0], *_TALK[1:-2], event(chunk(" ", obfuscation="q")), *_TALK[-2:])
    ),
    "tool-call-by-letters": stream(_tool_call()),
    "two-choices": stream(_two_choices()),
    "usage-at-the-end": stream((*_TALK[:-1], _USAGE, DONE)),
    "redirect": Shape(status=302, more_headers=((b"location", b"http://127.0.0.1:9/x"),), kept=Kept.NOTHING),
    "http-1.0": Shape(parts=_TALK, framing="close"),
    "bad-frame": Shape(parts=_HEAD, end=End.BAD_FRAME, kept=Kept.INCOMPLETE),
    "early-hints": Shape(parts=_TALK, before=_EARLY_HINTS),
}

_TEXT = _WHOLE.body
WHOLE: dict[str, Shape] = {
    "plain": _WHOLE,
    "hang-at-headers": STREAMED["hang-at-headers"],
    "429": STREAMED["429"],
    "500": STREAMED["500"],
    "502": STREAMED["502"],
    "503": STREAMED["503"],
    "529": STREAMED["529"],
    "html": STREAMED["html"],
    "stream-for-json": stream(_TALK),
    "empty-body": Shape(kind=JSON, framing="length", kept=Kept.NOTHING),
    "gzip": replace(
        _WHOLE, parts=(gzip.compress(_TEXT),), more_headers=((b"content-encoding", b"gzip"),), kept=Kept.NOTHING
    ),
    "malformed": replace(_WHOLE, parts=(b"{" + _TEXT,), kept=Kept.NOTHING),
    "half-a-body": replace(_WHOLE, parts=(_TEXT[:-9],), kept=Kept.NOTHING),
    "reset-after-headers": replace(_WHOLE, parts=(), framing="chunked", end=End.RESET, kept=Kept.NOTHING),
    "reset-in-a-token": replace(_WHOLE, parts=(_TEXT[:90],), framing="chunked", end=End.RESET, kept=Kept.NOTHING),
    "cut": replace(_WHOLE, parts=(_TEXT[:90],), framing="chunked", end=End.CUT, kept=Kept.NOTHING),
    "byte-by-byte": replace(_WHOLE, parts=tuple(bytes([b]) for b in _TEXT), pause_s=0.0005, framing="chunked"),
    "silence": replace(_WHOLE, parts=(_TEXT[:90],), framing="chunked", end=End.SILENT, kept=Kept.NOTHING),
    "byte-order-mark": replace(_WHOLE, parts=(b"\xef\xbb\xbf" + _TEXT,)),
    "spaces-around": replace(_WHOLE, parts=(b" \r\n\t" + _TEXT + b"\n\n",)),
    "empty-choices": replace(answer({"choices": []}), kept=Kept.NOTHING),
    "error-in-band": replace(answer({"error": {"message": "overloaded", "code": 529}}), kept=Kept.NOTHING),
    "big": answer(completion("x" * 4_000_000)),
    "nul": replace(_WHOLE, parts=(_TEXT.replace(b"No peanuts", b"No\\u0000peanuts"),)),
    "lone-surrogate": replace(_WHOLE, parts=(_TEXT.replace(b"No peanuts", b"No \\ud83d"),)),
    "duplicate-keys": replace(_WHOLE, parts=(_TEXT.replace(b'"model": "m"', b'"model": "m", "model": "n"'),)),
    "not-a-number": replace(_WHOLE, parts=(_TEXT.replace(b'"created": 1', b'"created": NaN'),)),
    "unknown-fields": answer(completion(SAID) | {"x": {"y": [1.50, 1e300]}, "service_tier": None}),
    "tool-call": answer(completion(None, tool_calls=_calls())),
    "redirect": STREAMED["redirect"],
    "http-1.0": replace(_WHOLE, framing="close"),
    "bad-frame": replace(_WHOLE, parts=(_TEXT[:90],), framing="chunked", end=End.BAD_FRAME, kept=Kept.NOTHING),
    "early-hints": replace(_WHOLE, before=_EARLY_HINTS),
}
