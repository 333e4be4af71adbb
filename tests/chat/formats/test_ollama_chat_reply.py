import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soak import fuzzed
from toldonce.chat.formats.event_relay import EventRelay
from toldonce.chat.formats.ollama_chat import OLLAMA_CHAT
from toldonce.chat.formats.ollama_chat_reply import splice_stream
from toldonce.chat.messages import log_messages, reply_message
from toldonce.chat.reply import Reply, ToolCall
from toldonce.chat.sse import MAX_EVENT_BYTES
from toldonce.testing import FakeClock

HEAD = {"model": "qwen3", "created_at": "2026-11-30T10:00:00.1Z"}
COUNTS = {"total_duration": 9, "prompt_eval_count": 26, "eval_count": 7}
CALL = {"id": "call_1", "function": {"index": 0, "name": "look", "arguments": {"room": "hall", "note": ""}}}
OTHER = {"function": {"name": "wait", "arguments": {}}}


def line(content: str = "", *, done: bool = False, **more: Any) -> bytes:
    message = {"role": "assistant", "content": content, **more}
    end = {"done_reason": "stop", **COUNTS} if done else {}
    return json.dumps({**HEAD, "message": message, "done": done, **end}, ensure_ascii=False).encode() + b"\n"


SAID = [line(thinking="Hm."), line("Let me "), line("look ☕."), line(tool_calls=[CALL]), line(tool_calls=[OTHER])]
END = line(done=True)
STREAM = b"".join([*SAID, END])


def relayed(*chunks: bytes, memories: bytes | None = b"[1]", limit: int = 1000) -> tuple[EventRelay, bytes, bytes]:
    """Return the relay, the bytes that went at once, and those that were held."""
    stream = splice_stream(memories, limit)
    pieces = [piece for chunk in chunks for piece in stream.feed(chunk)] + stream.close()
    at_once, held = (b"".join(piece.data for piece in pieces if piece.held is wanted) for wanted in (False, True))
    return stream, at_once, held


def whole(**message: Any) -> bytes:
    return json.dumps({**HEAD, "message": {"role": "assistant", **message}, "done": True, **COUNTS}).encode()


def answer(body: bytes, limit: int = 1000) -> Reply:
    reply = OLLAMA_CHAT.read_answer(body, limit)
    assert reply is not None
    return reply


@pytest.mark.parametrize("stream", [False, True])
def test_an_answer_is_read_as_a_client_sends_it_back(clock: FakeClock, stream: bool) -> None:
    body = whole(content="Let me look ☕.", thinking="Hm.", tool_calls=[CALL, OTHER])
    reply = relayed(STREAM)[0].reply() if stream else answer(body)
    assert (reply.text, reply.complete, reply.call_ids) == ("Let me look ☕.", True, ())
    assert reply.calls == (ToolCall("", "look", '{"room": "hall", "note": ""}'), ToolCall("", "wait", "{}"))
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (26, 7)
    calls = [{"function": {"name": "look", "arguments": {"room": "hall"}}}, OTHER]
    said = {"role": "assistant", "content": "Let me look ☕.", "tool_calls": calls}
    request = OLLAMA_CHAT.read(json.dumps({"messages": [{"role": "user", "content": "Look."}, said]}).encode())
    question, sent_back = log_messages(request, said_at=clock.now())
    assert reply_message(reply, OLLAMA_CHAT, [question], clock.now()).hash == sent_back.hash


def test_memories_stand_in_the_first_line_and_the_last_one_waits() -> None:
    _, at_once, held = relayed(STREAM)
    assert held == END
    assert (at_once + held).replace(b'"memories":[1],', b"", 1) == STREAM
    first, *others = [json.loads(each) for each in (at_once + held).splitlines()]
    assert first["memories"] == [1]
    assert not any("memories" in other for other in others)


@fuzzed(200)
@given(cuts=st.lists(st.integers(1, len(STREAM) - 1), max_size=8), line_end=st.sampled_from([b"\n", b"\r\n", b"\n\n"]))
def test_no_cut_changes_what_is_relayed_and_read(cuts: list[int], line_end: bytes) -> None:
    source = STREAM.replace(b"\n", line_end)
    places = [0, *sorted(cuts), len(source)]
    stream, at_once, held = relayed(*(source[a:b] for a, b in pairwise(places)))
    assert (at_once + held).replace(b'"memories":[1],', b"", 1) == source
    assert held.startswith(END.rstrip())
    assert stream.reply() == relayed(STREAM)[0].reply()


def test_each_line_passes_at_once_until_the_last() -> None:
    stream = splice_stream(None)
    for part in SAID:
        assert [(piece.data, piece.held) for piece in stream.feed(part)] == [(part, False)]
    assert [(piece.data, piece.held) for piece in stream.feed(END)] == [(END, True)]


def test_a_whole_answer_to_a_client_that_wanted_a_stream_is_one_line() -> None:
    body = whole(content="Hi")
    stream, at_once, held = relayed(body[:20], body[20:])
    assert (at_once, held) == (b"", b'{"memories":[1],' + body[1:])
    assert (stream.reply().text, stream.reply().complete) == ("Hi", True)


def test_a_stream_that_breaks_off_is_relayed_as_far_as_it_came() -> None:
    for end in range(len(SAID[0]), len(STREAM) - len(END), 13):
        stream, at_once, held = relayed(STREAM[:end], memories=None)
        assert (at_once, held) == (STREAM[:end], b"")
        assert not stream.reply().complete


@pytest.mark.parametrize("said", ["out of memory", "", {"code": 7}])
def test_an_error_in_a_stream_waits_and_is_none_of_the_answer(said: object) -> None:
    error = json.dumps({"error": said or True}).encode() + b"\n"
    stream, at_once, held = relayed(SAID[1], error, memories=None)
    assert (at_once, held) == (SAID[1], error)
    expected = said if said == "out of memory" else "upstream reported an error without a message"
    assert (stream.reply().error, stream.reply().complete) == (expected, False)
    assert answer(error).error == expected


def test_a_whole_answer_takes_memories_and_nothing_else_does() -> None:
    body = json.dumps(json.loads(whole(content="Hi")), indent=1).encode()
    assert OLLAMA_CHAT.splice(body, b"[1]").replace(b'"memories":[1],', b"", 1) == body
    assert json.loads(OLLAMA_CHAT.splice(body, b"[1]"))["memories"] == [1]
    for other in (b'{"models": []}', OLLAMA_CHAT.error(404, "no"), b"[]", b"x"):
        assert OLLAMA_CHAT.splice(other, b"[1]") == other
    assert OLLAMA_CHAT.read_answer(b"[]") is None


@pytest.mark.parametrize(("end", "expected"), [(END, END.decode()[1:]), (b"", None), (b"\n", None)])
def test_a_note_is_a_field_of_the_last_line(end: bytes, expected: str | None) -> None:
    noted = OLLAMA_CHAT.with_note(end, 'not "recorded"').decode()
    assert noted == (end.decode() if expected is None else '{"toldonce":"not \\"recorded\\"",' + expected)


@pytest.mark.parametrize(
    ("kind", "wanted", "is_stream"),
    [
        (b"application/x-ndjson", True, True),
        (b"application/x-ndjson", False, True),
        (b"application/json; charset=utf-8", False, False),
        (b"application/json; charset=utf-8", True, True),
    ],
)
def test_an_answer_is_a_stream_if_it_is_one_or_may_be(kind: bytes, wanted: bool, is_stream: bool) -> None:
    assert OLLAMA_CHAT.is_stream(kind, wanted=wanted) is is_stream


# ---- limits


def test_long_texts_and_arguments_are_cut_alike_whole_and_streamed() -> None:
    body = whole(content="Let me look ☕.", tool_calls=[CALL])
    streamed = relayed(*SAID[:4], END, limit=9)[0].reply()
    assert streamed == answer(body, 9)
    assert streamed.cut
    assert streamed.text.startswith("Let me lo\n[…")
    assert json.loads(streamed.payload or "")["tool_calls"][0]["function"]["arguments"].startswith('{"room": \n[…')


def test_calls_and_lines_beyond_all_measure_are_not_kept() -> None:
    stream = splice_stream(None)
    for _ in range(12):
        stream.feed(line(tool_calls=[CALL] * 100))
    assert len(stream.reply().calls) == 1_000
    large = line("x" * MAX_EVENT_BYTES)
    assert b"".join(piece.data for piece in stream.feed(large)) == large
    stream.feed(line("Hi"))
    assert (stream.reply().text, stream.reply().cut) == ("Hi", True)


KEYS = ["message", "done", "error", "tool_calls", "function", "arguments", "name", "content", "id", "images"]
ANY = st.recursive(
    st.none() | st.integers(0, 1) | st.booleans() | st.floats() | st.sampled_from(["", "Hi", "\ud83d", "[1"]),
    lambda inner: st.dictionaries(st.sampled_from(KEYS), inner) | st.lists(inner, max_size=3),
    max_leaves=12,
)


@fuzzed(300)
@given(st.lists(st.dictionaries(st.sampled_from(KEYS), ANY), max_size=4), ANY)
def test_no_content_raises(lines: list[dict[str, Any]], calls: Any) -> None:
    stream = splice_stream(b"[]")
    for body in (*lines, {"message": {"tool_calls": calls}}, {"message": {"tool_calls": [{"function": calls}]}}):
        source = json.dumps(body).encode()
        stream.feed(source + b"\n")
        reply = stream.reply()
        OLLAMA_CHAT.identity(reply.payload)
        OLLAMA_CHAT.identity(json.dumps(body.get("message")))
        reply.text.encode()
        OLLAMA_CHAT.read_answer(source)
        OLLAMA_CHAT.splice(source, b"[]")
    stream.close()


def test_arguments_that_nest_too_deeply_to_be_written_are_left_out() -> None:
    for depth in range(900, 1_100, 7):
        source = b'{"message":{"tool_calls":[{"function":{"name":"f","arguments":{"a":%s1%s}}}]},"done":true}' % (
            b"[" * depth,
            b"]" * depth,
        )
        reply = OLLAMA_CHAT.read_answer(source)
        if reply is not None:
            OLLAMA_CHAT.identity(reply.payload)
            assert len(reply.calls) == 1
