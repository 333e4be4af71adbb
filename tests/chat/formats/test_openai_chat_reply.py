import json
from typing import Any

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soak import fuzzed
from toldonce.chat.formats.openai_chat_reply import ReplyAssembler, reply_from_json
from toldonce.chat.reply import Reply, TokenUsage


def assembled(*events: object) -> Reply:
    assembler = ReplyAssembler()
    for event in events:
        assembler.feed(event if isinstance(event, bytes) else json.dumps(event).encode())
    return assembler.reply()


def delta(finish: str | None = None, **fields: object) -> dict[str, object]:
    return {"choices": [{"index": 0, "delta": fields, "finish_reason": finish}]}


def calls(reply: Reply) -> list[tuple[str, str, str]]:
    assert reply.payload is not None
    found = json.loads(reply.payload)["tool_calls"]
    return [(call["id"], call["function"]["name"], call["function"]["arguments"]) for call in found]


def test_deltas_are_joined_and_a_finish_reason_completes() -> None:
    reply = assembled(delta(role="assistant", content=""), delta(content="Hi "), delta(content="Ana"), delta("stop"))
    assert reply == Reply(text="Hi Ana", complete=True)


def test_a_reply_without_a_finish_reason_is_not_complete() -> None:
    assert assembled(delta(content="Hi")).complete is False
    assert assembled(delta(content="Hi"), b"[DONE]").complete is False


def test_only_the_finish_of_choice_0_counts() -> None:
    other = {"choices": [{"index": 1, "delta": {"content": "x"}, "finish_reason": "stop"}]}
    reply = assembled(delta(content="Hi"), other)
    assert (reply.text, reply.complete) == ("Hi", False)


def test_an_error_makes_a_finished_reply_incomplete() -> None:
    reply = assembled(delta("stop", content="Hi"), {"error": "boom"})
    assert (reply.text, reply.complete, reply.error) == ("Hi", False, "boom")


@pytest.mark.parametrize(
    "event", [{"error": {"code": 1}}, {"object": "error"}, {"error": {"message": None}}, {"error": 7}]
)
def test_an_error_without_words_is_an_error_all_the_same(event: dict[str, object]) -> None:
    assert assembled(event).error == "upstream reported an error without a message"


def test_a_finish_reason_that_says_error_is_one() -> None:
    assert assembled(delta("error", content="Hi")).complete is False


def test_reasoning_is_not_part_of_the_text() -> None:
    assert assembled(delta(reasoning_content="Hm."), delta(reasoning="Hm."), delta("stop", content="Yes")).text == "Yes"


def test_content_in_parts_gives_its_text() -> None:
    parts = [{"type": "thinking", "thinking": "Hm"}, {"type": "text", "text": "Yes"}]
    assert assembled(delta("stop", content=parts)).text == "Yes"


def test_what_comes_after_done_is_not_part_of_the_reply() -> None:
    assembler = ReplyAssembler()
    for event in (json.dumps(delta("stop", content="Hi")).encode(), b"[DONE]", json.dumps(delta(content="!")).encode()):
        assembler.feed(event)
    assert assembler.reply().text == "Hi"


def test_tool_calls_are_assembled_by_index_in_order_of_index() -> None:
    reply = assembled(
        delta(tool_calls=[{"index": 1, "id": "b", "function": {"name": "g", "arguments": "{"}}]),
        delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": '{"x"'}}]),
        delta(
            tool_calls=[{"index": 1, "function": {"arguments": "}"}}, {"index": 0, "function": {"arguments": ":1}"}}]
        ),
        delta("tool_calls"),
    )
    assert calls(reply) == [("a", "f", '{"x":1}'), ("b", "g", "{}")]
    assert reply.call_ids == ("a", "b")
    assert (reply.text, reply.complete) == ("", True)


def test_whole_calls_that_all_claim_index_0_stay_apart() -> None:
    reply = assembled(
        delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "f", "arguments": "{}"}}]),
        delta(tool_calls=[{"index": 0, "id": "b", "function": {"name": "f", "arguments": "[]"}}]),
    )
    assert calls(reply) == [("a", "f", "{}"), ("b", "f", "[]")]


def test_an_id_that_changes_with_every_piece_makes_no_new_calls() -> None:
    reply = assembled(
        delta(tool_calls=[{"index": 0, "id": "r1", "function": {"name": "f", "arguments": "{"}}]),
        delta(tool_calls=[{"index": 0, "id": "r2", "function": {"arguments": "}"}}]),
    )
    assert calls(reply) == [("r1", "f", "{}")]


def test_a_name_in_pieces_is_joined_and_a_repeated_one_is_not() -> None:
    pieces = [delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": name}}]) for name in ("get_", "weather")]
    assert calls(assembled(*pieces)) == [("a", "get_weather", "")]
    again = [delta(tool_calls=[{"index": 0, "id": "a", "function": {"name": "now"}}])] * 2
    assert calls(assembled(*again)) == [("a", "now", "")]


def test_arguments_sent_as_an_object_become_their_source() -> None:
    reply = assembled(delta(tool_calls=[{"id": "a", "function": {"name": "f", "arguments": {"x": 1}}}]))
    assert json.loads(calls(reply)[0][2]) == {"x": 1}


def test_custom_tools_and_the_older_function_call_are_kept() -> None:
    custom = assembled(
        delta(tool_calls=[{"id": "a", "type": "custom", "custom": {"name": "sql", "input": "SELECT 1"}}])
    )
    assert custom.payload is not None
    assert json.loads(custom.payload)["tool_calls"][0]["custom"] == {"name": "sql", "input": "SELECT 1"}
    older = assembled(delta(function_call={"name": "f", "arguments": "{"}), delta(function_call={"arguments": "}"}))
    assert older.payload is not None
    assert json.loads(older.payload)["function_call"] == {"name": "f", "arguments": "{}"}


def test_text_holds_nothing_that_no_database_can_hold() -> None:
    assert assembled(rb'{"choices":[{"delta":{"content":"a\u0000\ud83d"}}]}').text == "a\ufffd\ufffd"


def test_bytes_that_are_not_utf_8_do_not_lose_the_rest() -> None:
    assert assembled(b'{"choices":[{"delta":{"content":"a\xffb"}}]}').text == "a\ufffdb"


def test_a_whole_answer_is_read_with_its_usage() -> None:
    body = {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Hi"}, "finish_reason": "stop"},
            {"index": 1, "message": {"role": "assistant", "content": "Ho"}, "finish_reason": "stop"},
        ],
        "usage": {"prompt_tokens": 5, "completion_tokens": 1, "prompt_tokens_details": None},
    }
    reply = reply_from_json(json.dumps(body).encode())
    usage = TokenUsage(prompt_tokens=5, completion_tokens=1)
    assert reply == Reply(text="Hi", complete=True, usage=usage)


@pytest.mark.parametrize("body", [b"", b"[]", b"<html>", b"7", b'{"choices"', b"\xff", b"[" * 100_000])
def test_a_body_that_is_no_object_is_no_reply(body: bytes) -> None:
    assert reply_from_json(body) is None


KEYS = st.sampled_from(
    """choices delta message content index tool_calls function function_call id name arguments custom type
    finish_reason error object usage prompt_tokens text""".split()
)
VALUES = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.sampled_from(["", "error", "custom", "stop", "x", "\ud83d"]),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(KEYS, inner, max_size=4),
    max_leaves=20,
)
CHOICE = st.dictionaries(KEYS, VALUES, max_size=4)
EVENT = VALUES | st.fixed_dictionaries({"choices": st.lists(CHOICE | VALUES, max_size=3)}, optional={"error": VALUES})


@fuzzed(500)
@given(st.lists(EVENT.map(lambda value: json.dumps(value).encode()) | st.binary(max_size=20), max_size=6))
def test_nothing_that_upstream_sends_raises(events: list[Any]) -> None:
    reply = assembled(*events)
    reply.text.encode()
    assert reply.complete <= (reply.error is None)
    assert reply.payload is None or isinstance(json.loads(reply.payload), dict)
    assert (reply.payload is not None) or reply.call_ids == ()


# ---- streams


def streamed(stream: bytes, step: int) -> Reply:
    assembler = ReplyAssembler()
    for at in range(0, len(stream), step):
        assembler.feed_stream(stream[at : at + step])
    assembler.close_stream()
    return assembler.reply()


@fuzzed(300)
@given(
    st.lists(
        st.one_of(
            st.sampled_from(
                [
                    *(b'{"choices":[{"delta":{"content":"a"}}', b"]}", b'{"choices":[]},{"choices":[]}', b"[]", b"{}"),
                    *(b"", b"7", b"{", b'{"error":"boom"}', b"[DONE]", b'\xef\xbb\xbf{"error":1}', b'{"a":"\xff"}'),
                ]
            ),
            st.text(max_size=3).map(lambda text: json.dumps(delta(content=text)).encode()),
        ),
        max_size=12,
    ),
    st.sampled_from([b"\n\n", b"\r\n\r\n", b"\n\n: wait\n\n"]),
    st.sampled_from([1, 7, 60, 100_000]),
)
def test_events_read_together_give_the_reply_of_events_read_by_themselves(
    events: list[bytes], end: bytes, step: int
) -> None:
    stream = b"".join(b"data: " + event + end for event in events)

    assert streamed(stream, step) == assembled(*events)


def test_events_are_decoded_together(monkeypatch: pytest.MonkeyPatch) -> None:
    decoded = []
    loads = json.loads
    monkeypatch.setattr(json, "loads", lambda text: decoded.append(text) or loads(text))  # type: ignore[func-returns-value]
    event = b"data: " + json.dumps(delta(content="word ")).encode() + b"\n\n"

    reply = streamed(event * 1000 + b"data: [DONE]\n\n", len(event))

    assert reply.text == "word " * 1000
    assert len(decoded) <= 1000 * len(event) // 8192 + 1


def test_a_reply_has_all_that_has_arrived_however_little() -> None:
    assembler = ReplyAssembler()
    for text in ("a", "b"):
        assembler.feed_stream(b"data: " + json.dumps(delta(content=text)).encode() + b"\n\n")
        assert assembler.reply().text.endswith(text)
