import json
from itertools import pairwise
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soak import fuzzed
from toldonce.chat.formats.event_relay import EventRelay
from toldonce.chat.formats.openai_responses import OPENAI_RESPONSES
from toldonce.chat.formats.openai_responses_reply import splice_stream
from toldonce.chat.messages import log_messages, reply_message
from toldonce.chat.reply import Reply, ToolCall
from toldonce.testing import FakeClock

USAGE = {"input_tokens": 115, "input_tokens_details": {"cached_tokens": 100}, "output_tokens": 9, "total_tokens": 124}
BEGUN: dict[str, Any] = {"id": "resp_1", "object": "response", "status": "in_progress", "model": "m", "output": []}
FAILED = {**BEGUN, "status": "failed"}
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [{"type": "summary_text", "text": "Hm."}]}
CALL = {
    "type": "function_call",
    "id": "fc_1",
    "call_id": "call_1",
    "name": "look",
    "arguments": '{"path": "."}',
    "status": "completed",
}
PATCH = {"type": "custom_tool_call", "id": "ct_1", "call_id": "call_2", "name": "patch", "input": "*** Begin\n☕"}
SEARCH = {"type": "web_search_call", "id": "ws_1", "status": "completed", "action": {"type": "search", "query": "tea"}}
REFUSAL = {"type": "refusal", "refusal": "I can't."}


def spoken(*texts: str, **more: Any) -> dict[str, Any]:
    parts = [{"type": "output_text", "text": text, "annotations": [], "logprobs": []} for text in texts]
    return {"type": "message", "id": "msg_1", "role": "assistant", "status": "completed", "content": parts, **more}


OUTPUT = [THOUGHT, spoken("Let me ", "look ☕."), CALL, PATCH]
DONE = {**BEGUN, "status": "completed", "output": OUTPUT, "usage": USAGE}


def event(kind: str, **more: Any) -> bytes:
    return f"event: {kind}\ndata: {json.dumps({'type': kind, **more})}\n\n".encode()


def message_events(place: int, item: dict[str, Any]) -> bytes:
    """Return the events of a message, each text in two pieces."""
    events = [event("response.output_item.added", output_index=place, item={**item, "content": []})]
    for number, part in enumerate(item["content"]):
        of_part = {"output_index": place, "content_index": number, "item_id": item["id"]}
        events.append(event("response.content_part.added", **of_part, part={**part, "text": ""}))
        for piece in (part["text"][:2], part["text"][2:]):
            events.append(event("response.output_text.delta", **of_part, delta=piece))
        events.append(event("response.output_text.done", **of_part, text=part["text"]))
    return b"".join(events)


def call_events(place: int, item: dict[str, Any], name: str, kind: str) -> bytes:
    begun = event("response.output_item.added", output_index=place, item={**item, name: ""})
    pieces = (item[name][:5], item[name][5:])
    return begun + b"".join(event(f"response.{kind}.delta", output_index=place, delta=piece) for piece in pieces)


def ends(*places: int) -> bytes:
    return b"".join(event("response.output_item.done", output_index=place, item=OUTPUT[place]) for place in places)


START = event("response.created", response=BEGUN)
THINKING = event("response.output_item.added", output_index=0, item={**THOUGHT, "summary": []}) + event(
    "response.reasoning_summary_text.delta", output_index=0, summary_index=0, delta="Hm."
)
PIECES = [
    event("response.in_progress", response=BEGUN),
    THINKING,
    message_events(1, OUTPUT[1]),
    call_events(2, CALL, "arguments", "function_call_arguments"),
    call_events(3, PATCH, "input", "custom_tool_call_input"),
]
END = event("response.completed", response=DONE)
STREAM = b"".join([START, *PIECES, ends(0, 1, 2, 3), END])


def relayed(*chunks: bytes, memories: bytes | None = b"[1]", limit: int = 1000) -> tuple[EventRelay, bytes, bytes]:
    """Return the relay, the bytes that went at once, and those that were held."""
    stream = splice_stream(memories, limit)
    pieces = [piece for chunk in chunks for piece in stream.feed(chunk)] + stream.close()
    at_once, held = (b"".join(piece.data for piece in pieces if piece.held is wanted) for wanted in (False, True))
    return stream, at_once, held


def whole(output: list[dict[str, Any]], **more: Any) -> Reply:
    reply = OPENAI_RESPONSES.read_answer(json.dumps({**DONE, "output": output, **more}).encode())
    assert reply is not None
    return reply


def hash_of(reply: Reply, clock: FakeClock) -> int:
    [question] = log_messages(OPENAI_RESPONSES.read(b'{"input":"Look."}'), said_at=clock.now())
    return reply_message(reply, OPENAI_RESPONSES, [question], clock.now()).hash


# ---- what was answered


def test_a_stream_is_read_as_far_as_the_log_wants_it() -> None:
    reply = relayed(STREAM)[0].reply()
    assert (reply.id, reply.text, reply.complete, reply.error) == ("resp_1", "Let me \nlook ☕.", True, None)
    assert reply.calls == (
        ToolCall("call_1", "look", '{"path": "."}'),
        ToolCall("call_2", "patch", "*** Begin\n☕"),
    )
    assert reply.call_ids == ("resp_1", "msg_1", "call_1", "call_2")
    assert [item["type"] for item in json.loads(reply.payload or "")] == [
        "message",
        "function_call",
        "custom_tool_call",
    ]
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.cached_tokens, reply.usage.completion_tokens) == (115, 100, 9)


def test_an_answer_is_the_same_whole_streamed_and_from_its_pieces() -> None:
    read = whole(OUTPUT)
    assert relayed(STREAM)[0].reply() == read
    without_output = event("response.completed", response={**DONE, "output": []})
    assert relayed(START, *PIECES, ends(0, 1, 2, 3), without_output)[0].reply() == read
    from_pieces = relayed(START, *PIECES, without_output)[0].reply()
    assert (from_pieces.text, from_pieces.calls, from_pieces.complete) == (read.text, read.calls, True)


@pytest.mark.parametrize(
    ("output", "sent_back"),
    [
        ([spoken("Hi")], [{"role": "assistant", "content": "Hi"}]),
        ([spoken("Hi")], [spoken("Hi")]),
        (OUTPUT, OUTPUT),
        (OUTPUT, [{"role": "assistant", "content": "Let me\nlook ☕."}, {**CALL, "arguments": '{"path":"."}'}, PATCH]),
        ([THOUGHT, CALL], [{name: CALL[name] for name in ("type", "call_id", "name", "arguments")}]),
        ([spoken("Hm."), SEARCH, spoken("Tea.")], [spoken("Hm."), SEARCH, spoken("Tea.")]),
        ([spoken("Hm."), SEARCH, spoken("Tea.")], [{"role": "assistant", "content": "Hm.\nTea."}]),
        ([spoken("Sorry.", content=[REFUSAL])], [spoken("Sorry.", content=[REFUSAL])]),
    ],
)
def test_an_answer_has_the_hash_of_what_the_client_sends_back(
    output: list[dict[str, Any]], sent_back: list[dict[str, Any]], clock: FakeClock
) -> None:
    body = json.dumps({"input": [{"role": "user", "content": "Look."}, *sent_back]}).encode()
    _, answer = log_messages(OPENAI_RESPONSES.read(body), said_at=clock.now())
    ends = (
        event("response.output_item.done", output_index=place, item=output[place])
        for place in reversed(range(len(output)))
    )
    end = event("response.completed", response={**DONE, "output": []})
    for reply in (whole(output), relayed(START, *ends, end)[0].reply()):
        assert hash_of(reply, clock) == answer.hash


def test_a_streamed_answer_without_ends_of_items_has_that_hash_too(clock: FakeClock) -> None:
    for cut in (START + b"".join(PIECES), STREAM):
        assert hash_of(relayed(cut)[0].reply(), clock) == hash_of(whole(OUTPUT), clock)


def test_another_call_has_another_hash(clock: FakeClock) -> None:
    others: tuple[list[dict[str, Any]], ...] = (
        [{**CALL, "arguments": "{}"}],
        [{**CALL, "name": "see"}],
        [{**CALL, "call_id": "x"}],
        [PATCH],
        [],
    )
    assert hash_of(whole([CALL]), clock) not in [hash_of(whole(other), clock) for other in others]


def test_text_alone_needs_no_payload_and_other_parts_keep_theirs() -> None:
    assert whole([THOUGHT, spoken("Hi")]).payload is None
    refused = whole([spoken(content=[REFUSAL])])
    assert (refused.text, refused.complete) == ("", True)
    [item] = json.loads(refused.payload or "")
    assert item["content"] == [REFUSAL]


@pytest.mark.parametrize(
    ("status", "complete"),
    [("completed", True), ("incomplete", True), ("queued", True), ("in_progress", True), ("cancelled", False)],
)
def test_an_answer_is_complete_unless_it_was_cancelled(status: str, complete: bool) -> None:
    assert whole([spoken("Hi")], status=status).complete is complete


def test_an_answer_in_the_background_says_nothing_yet() -> None:
    reply = whole([], status="queued", background=True, usage=None)
    assert (reply.id, reply.text, reply.payload, reply.usage) == ("resp_1", "", None, None)


def test_a_stream_that_ends_early_by_its_limit_is_complete() -> None:
    response = {**DONE, "status": "incomplete", "incomplete_details": {"reason": "max_output_tokens"}}
    stream, _, held = relayed(START, PIECES[2], end := event("response.incomplete", response=response))
    assert held == end
    assert (stream.reply().text, stream.reply().complete) == ("Let me \nlook ☕.", True)


@pytest.mark.parametrize(
    ("end", "error"),
    [
        (event("response.failed", response={**FAILED, "error": {"message": "Overloaded"}}), "Overloaded"),
        (event("response.failed", response=FAILED), "upstream reported an error without a message"),
        (event("error", code="server_error", message="Overloaded", param=None), "Overloaded"),
        (event("error", error={"type": "server_error", "message": "Overloaded"}), "Overloaded"),
    ],
)
def test_an_error_in_a_stream_is_none_of_the_answer(end: bytes, error: str) -> None:
    stream, at_once, held = relayed(START, PIECES[2], end, memories=None)
    assert at_once + held == START + PIECES[2] + end
    assert (stream.reply().text, stream.reply().error, stream.reply().complete) == ("Let me \nlook ☕.", error, False)


def test_an_error_for_an_answer_is_read() -> None:
    for body in (OPENAI_RESPONSES.error(429, "Slow down."), b'{"status":"failed","error":{"message":"Slow down."}}'):
        reply = OPENAI_RESPONSES.read_answer(body)
        assert reply is not None
        assert (reply.text, reply.error, reply.complete) == ("", "Slow down.", False)
    assert OPENAI_RESPONSES.read_answer(b"[]") is None


# ---- what is relayed


def test_memories_stand_in_the_response_that_begins_the_stream() -> None:
    _, at_once, held = relayed(STREAM)
    assert held == END
    assert (at_once + held).replace(b'"memories":[1],', b"", 1) == STREAM
    first = json.loads(at_once.split(b"\n")[1].removeprefix(b"data: "))
    assert first["response"] == {"memories": [1], **BEGUN}


@fuzzed(200)
@given(cuts=st.lists(st.integers(1, len(STREAM) - 1), max_size=8), line_end=st.sampled_from([b"\n", b"\r\n"]))
def test_no_cut_changes_what_is_relayed_and_read(cuts: list[int], line_end: bytes) -> None:
    source = STREAM.replace(b"\n", line_end)
    places = [0, *sorted(cuts), len(source)]
    stream, at_once, held = relayed(*(source[a:b] for a, b in pairwise(places)))
    assert (at_once + held).replace(b'"memories":[1],', b"", 1) == source
    assert held.startswith(b"event: response.completed")
    assert stream.reply() == whole(OUTPUT)


def test_each_event_passes_at_once_until_the_last() -> None:
    stream = splice_stream(None)
    for part in (START, *PIECES, b": keep-alive\n\n", ends(0)):
        assert b"".join(piece.data for piece in stream.feed(part) if not piece.held) == part
    assert [(piece.data, piece.held) for piece in stream.feed(END)] == [(END, True)]


def test_a_stream_that_breaks_off_is_relayed_as_far_as_it_came() -> None:
    for end in range(len(START), len(STREAM) - len(END), 23):
        stream, at_once, held = relayed(STREAM[:end], memories=None)
        assert (at_once, held) == (STREAM[:end], b"")
        assert not stream.reply().complete


def test_a_whole_answer_takes_memories_and_nothing_else_does() -> None:
    body = json.dumps(DONE, indent=1).encode()
    assert OPENAI_RESPONSES.splice(body, b"[1]").replace(b'"memories":[1],', b"", 1) == body
    assert json.loads(OPENAI_RESPONSES.splice(body, b"[1]"))["memories"] == [1]
    for other in (b'{"object": "list", "data": []}', OPENAI_RESPONSES.error(529, "busy"), b"[]", b"x"):
        assert OPENAI_RESPONSES.splice(other, b"[1]") == other


# ---- limits


@pytest.mark.parametrize("limit", [4, 13, 1000])
def test_long_texts_and_inputs_are_cut_alike_whole_and_streamed(limit: int) -> None:
    body = json.dumps(DONE).encode()
    read = OPENAI_RESPONSES.read_answer(body, limit)
    streamed = relayed(START, *PIECES, limit=limit)[0].reply()
    assert read is not None
    assert (read.cut, streamed.cut) == (limit < 1000, limit < 1000)
    assert (read.text, read.calls) == (streamed.text, streamed.calls)


def test_items_beyond_all_measure_are_not_kept() -> None:
    stream = splice_stream(None)
    for place in range(1_200):
        stream.feed(event("response.output_item.done", output_index=place, item={**CALL, "call_id": str(place)}))
    assert len(stream.reply().calls) == 1_000


def test_halves_of_a_pair_in_two_pieces_are_joined() -> None:
    begun = event("response.output_item.added", output_index=0, item=spoken())
    deltas = (rb"\ud83d", rb"\ude00 \ud83d")
    pieces = (
        b'data: {"type":"response.output_text.delta","output_index":0,"content_index":0,"delta":"%s"}\n\n' % delta
        for delta in deltas
    )
    assert relayed(begun, *pieces)[0].reply().text == "😀 \ufffd"


KEYS = ["type", "output_index", "item", "content", "response", "output", "usage", "status", "error", "id", "delta"]
WORDS = st.sampled_from(["message", "function_call", "custom_tool_call", "completed", "output_text", "\ud83d"])
ANY = st.recursive(
    st.none() | st.integers(0, 1) | st.floats() | WORDS,
    lambda inner: st.dictionaries(st.sampled_from(KEYS), inner) | st.lists(inner, max_size=3),
    max_leaves=12,
)
KINDS = [
    "response.created",
    "response.output_item.added",
    "response.output_item.done",
    "response.output_text.delta",
    "response.function_call_arguments.delta",
    "response.custom_tool_call_input.delta",
    "response.completed",
    "response.failed",
    "error",
    [],
    {},
]


@fuzzed(300)
@given(st.lists(st.tuples(st.sampled_from(KINDS), st.dictionaries(st.sampled_from(KEYS), ANY)), max_size=4))
def test_no_content_raises(events: list[tuple[Any, dict[str, Any]]]) -> None:
    stream = splice_stream(b"[]")
    for kind, body in events:
        source = json.dumps({"output_index": 0, "item": {"type": "message"}, **body, "type": kind})
        stream.feed(f"data: {source}\n\n".encode())
        reply = stream.reply()
        OPENAI_RESPONSES.identity(reply.payload)
        reply.text.encode()
        OPENAI_RESPONSES.read_answer(source.encode())
        OPENAI_RESPONSES.splice(source.encode(), b"[]")
    stream.close()
