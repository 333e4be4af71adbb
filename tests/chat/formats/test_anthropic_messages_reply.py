import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soak import fuzzed
from toldonce.chat.formats.anthropic_messages import ANTHROPIC_MESSAGES
from toldonce.chat.formats.anthropic_messages_reply import splice_stream
from toldonce.chat.formats.event_relay import EventRelay
from toldonce.chat.messages import log_messages, reply_message
from toldonce.testing import FakeClock

MESSAGE: dict[str, Any] = {"id": "msg_1", "type": "message", "role": "assistant", "model": "m", "content": []}
USAGE = {"input_tokens": 5, "cache_read_input_tokens": 100, "cache_creation_input_tokens": 10, "output_tokens": 1}


def event(kind: str, **more: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n".encode()


def block(index: int, begun: dict[str, Any], *deltas: dict[str, Any]) -> bytes:
    return b"".join(
        [
            event("content_block_start", index=index, content_block=begun),
            *(event("content_block_delta", index=index, delta=delta) for delta in deltas),
            event("content_block_stop", index=index),
        ]
    )


START = event("message_start", message={**MESSAGE, "usage": USAGE})
STOP = event("message_stop")
END = event("message_delta", delta={"stop_reason": "tool_use"}, usage={"output_tokens": 9})
SPOKEN = [
    block(
        0,
        {"type": "thinking", "thinking": "", "signature": ""},
        {"type": "thinking_delta", "thinking": "Hm."},
        {"type": "signature_delta", "signature": "c2ln"},
    ),
    event("ping"),
    block(1, {"type": "text", "text": ""}, *({"type": "text_delta", "text": part} for part in ("Let me ", "look."))),
    block(
        2,
        {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {}},
        *({"type": "input_json_delta", "partial_json": part} for part in ("", '{"command": ', '"ls"}')),
    ),
]
STREAM = b"".join([START, *SPOKEN, END, STOP])


def relayed(*chunks: bytes, memories: bytes | None = b"[1]") -> tuple[EventRelay, bytes, bytes]:
    """Return the relay, the bytes that went at once, and those that were held."""
    stream = splice_stream(memories)
    pieces = [piece for chunk in chunks for piece in stream.feed(chunk)] + stream.close()
    at_once, held = (b"".join(piece.data for piece in pieces if piece.held is wanted) for wanted in (False, True))
    return stream, at_once, held


def test_a_stream_is_read_as_the_client_sends_it_back(clock: FakeClock) -> None:
    reply = relayed(STREAM)[0].reply()
    assert (reply.text, reply.complete, reply.call_ids) == ("Let me look.", True, ("toolu_1",))
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens, reply.usage.completion_tokens) == (115, 100, 9)
    said = {"role": "user", "content": "Look."}
    content = [
        {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"},
        {"type": "text", "text": "Let me look."},
        {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}},
    ]
    body = json.dumps({"messages": [said, {"role": "assistant", "content": content}]}).encode()
    question, answer = log_messages(ANTHROPIC_MESSAGES.read(body), said_at=clock.now())
    assert reply_message(reply, ANTHROPIC_MESSAGES, [question], clock.now()).hash == answer.hash


def test_memories_stand_in_the_message_that_begins_the_stream() -> None:
    _, at_once, held = relayed(STREAM)
    assert held == STOP
    assert (at_once + held).replace(b'"memories":[1],', b"", 1) == STREAM
    first = json.loads(at_once.split(b"\n")[1].removeprefix(b"data: "))
    assert first["message"] == {"memories": [1], **MESSAGE, "usage": USAGE}


@fuzzed(200)
@given(cuts=st.lists(st.integers(1, len(STREAM) - 1), max_size=8), line_end=st.sampled_from([b"\n", b"\r\n"]))
def test_no_cut_changes_what_is_relayed_and_read(cuts: list[int], line_end: bytes) -> None:
    whole = STREAM.replace(b"\n", line_end)
    places = [0, *sorted(cuts), len(whole)]
    stream, at_once, held = relayed(*(whole[a:b] for a, b in pairwise(places)))
    assert (at_once + held).replace(b'"memories":[1],', b"", 1) == whole
    assert held.startswith(b"event: message_stop")
    assert stream.reply() == relayed(STREAM)[0].reply()


def test_pings_and_comments_pass_at_once() -> None:
    stream = splice_stream(b"[]")
    for kept in (event("ping"), b": keep-alive\n\n", event("ping")):
        assert [piece.data for piece in stream.feed(kept)] == [kept]


def test_a_stream_that_breaks_off_is_relayed_as_far_as_it_came() -> None:
    for end in range(len(START), len(STREAM) - len(END + STOP), 7):
        stream, at_once, held = relayed(STREAM[:end], memories=None)
        assert (at_once, held) == (STREAM[:end], b"")
        assert not stream.reply().complete


def test_an_error_in_a_stream_is_none_of_the_answer() -> None:
    error = event("error", error={"type": "overloaded_error", "message": "Overloaded"})
    stream, at_once, _ = relayed(START, SPOKEN[2], error, memories=None)
    assert at_once.endswith(error)
    assert (stream.reply().error, stream.reply().complete) == ("Overloaded", False)


def test_a_whole_answer_takes_memories_and_nothing_else_does() -> None:
    body = json.dumps({**MESSAGE, "content": [{"type": "text", "text": "Hi"}], "stop_reason": "end_turn"}).encode()
    assert json.loads(ANTHROPIC_MESSAGES.splice(body, b"[1]"))["memories"] == [1]
    reply = ANTHROPIC_MESSAGES.read_answer(body)
    assert reply is not None
    assert (reply.text, reply.payload, reply.complete) == ("Hi", None, True)
    for other in (b'{"input_tokens": 5}', ANTHROPIC_MESSAGES.error(529, "busy"), b"[]", b"x"):
        assert ANTHROPIC_MESSAGES.splice(other, b"[1]") == other


@pytest.mark.parametrize("limit", [4, 1000])
def test_long_texts_are_cut(limit: int) -> None:
    stream = splice_stream(None, limit)
    stream.feed(STREAM)
    assert stream.reply().cut is (limit == 4)


@fuzzed(200)
@given(st.recursive(st.none() | st.integers() | st.text(max_size=5), lambda inner: st.dictionaries(
    st.sampled_from(["type", "index", "delta", "message", "content", "content_block", "usage", "text", "error"]), inner
) | st.lists(inner, max_size=3), max_leaves=12))  # fmt: skip
def test_no_content_raises(value: object) -> None:
    for kind in ("message_start", "content_block_start", "content_block_delta", "message_delta", "error"):
        body = value if isinstance(value, dict) else {"message": value}
        stream = splice_stream(b"[]")
        stream.feed(f"data: {json.dumps({**body, 'type': kind})}\n\n".encode())
        stream.reply()
        ANTHROPIC_MESSAGES.read_answer(json.dumps({**body, "type": kind}).encode())
