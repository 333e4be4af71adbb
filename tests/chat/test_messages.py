import json
from typing import Any

import pytest

from toldonce.chat.formats.base import ChatRequest
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.formats.openai_chat_reply import ReplyAssembler
from toldonce.chat.messages import log_messages, query_of, reply_message
from toldonce.testing import NEW_YEAR
from toldonce.types import Message

USER = {"role": "user", "content": "What should I avoid?"}
ANSWER = {"role": "assistant", "content": "Peanuts."}


def asked(*messages: dict[str, Any], indent: int | None = None) -> ChatRequest:
    return OPENAI_CHAT.read(json.dumps({"messages": messages}, indent=indent).encode())


def logged(*messages: dict[str, Any], indent: int | None = None) -> tuple[Message, ...]:
    return log_messages(asked(*messages, indent=indent), said_at=NEW_YEAR)


def hash_of(message: dict[str, Any]) -> int:
    return logged(message)[0].hash


def calling(arguments: str, *, id: str = "call_1", name: str = "weather") -> dict[str, Any]:
    call = {"id": id, "type": "function", "function": {"name": name, "arguments": arguments}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def image(url: str) -> dict[str, Any]:
    return {
        "role": "user",
        "content": [{"type": "text", "text": "See"}, {"type": "image_url", "image_url": {"url": url}}],
    }


def test_system_and_developer_messages_are_left_out() -> None:
    log = logged({"role": "system", "content": "It is 9:00."}, {"role": "developer", "content": "x"}, USER, ANSWER)
    assert [(m.role, m.text, m.said_at) for m in log] == [
        ("user", "What should I avoid?", NEW_YEAR),
        ("assistant", "Peanuts.", NEW_YEAR),
    ]


def test_a_message_is_logged_as_it_came() -> None:
    (message,) = logged({"role": "user", "name": "Ana", "content": "<think>x</think>  Hi\n"})
    assert (message.text, message.name, message.payload, message.complete) == (
        "<think>x</think>  Hi\n",
        "Ana",
        None,
        True,
    )


@pytest.mark.parametrize(
    "content",
    [
        " What  should\nI avoid? ",
        [{"type": "text", "text": "What should I avoid?"}],
        [{"type": "text", "text": "What should"}, {"type": "text", "text": "I avoid?"}],
        "<think>Hm.</think>\n\nWhat should I avoid?",
        '<details type="reasoning" done="true"><summary>Thought</summary>Hm.</details>\nWhat should I avoid?',
    ],
)
def test_the_same_words_written_differently_hash_alike(content: object) -> None:
    assert hash_of({"role": "user", "content": content}) == hash_of(USER)


@pytest.mark.parametrize(
    "other",
    [
        {"role": "assistant", "content": "What should I avoid?"},
        {"role": "user", "content": "what should I avoid?"},
        {"role": "user", "content": "What should I avoid"},
        {"role": "user", "content": [{"type": "text", "text": "What should I avoid?"}, {"type": "image_url"}]},
    ],
)
def test_other_words_roles_or_parts_hash_differently(other: dict[str, Any]) -> None:
    assert hash_of(other) != hash_of(USER)


def test_a_tool_call_hashes_alike_however_its_json_is_written() -> None:
    message = calling('{"city":"Oslo","days":2}')
    same = calling('{ "days": 2, "city": "Oslo" }')
    same["content"], same["refusal"] = "", None
    same["tool_calls"][0]["index"] = 0
    assert hash_of(message) == hash_of(same) == logged(message, indent=2)[0].hash
    assert logged(message)[0].call_ids == ("call_1",)


@pytest.mark.parametrize(
    "other",
    [
        calling('{"city":"Rome","days":2}'),
        calling('{"city":"Oslo","days":2}', id="call_2"),
        calling('{"city":"Oslo","days":2}', name="now"),
        calling("not JSON"),
    ],
)
def test_another_call_hashes_differently(other: dict[str, Any]) -> None:
    assert hash_of(other) != hash_of(calling('{"city":"Oslo","days":2}'))


def test_calls_whose_arguments_are_no_json_are_told_apart_by_their_words() -> None:
    assert hash_of(calling("{half")) == hash_of(calling(" {half\n")) != hash_of(calling("{other"))


def test_results_of_different_calls_hash_differently() -> None:
    result = {"role": "tool", "tool_call_id": "call_1", "content": "sunny"}
    assert hash_of(result) != hash_of({**result, "tool_call_id": "call_2"})
    assert hash_of(result) == logged(result, indent=1)[0].hash


def test_messages_with_different_images_hash_differently() -> None:
    assert hash_of(image("data:a")) != hash_of(image("data:b"))
    assert hash_of(image("data:a")) == logged(image("data:a"), indent=1)[0].hash


@pytest.mark.parametrize(
    "message",
    [
        {"role": "assistant", "tool_calls": "x"},
        {"role": "assistant", "tool_calls": [1, {}, {"function": 7}, {"function": {"arguments": "[" * 100_000}}]},
        {"role": "assistant", "tool_calls": [{"custom": {"name": "sql", "input": "SELECT 1"}}]},
        {"role": "assistant", "function_call": "x"},
        {"role": "tool", "tool_call_id": {"a": 1}},
        {"role": "user", "content": {"a": [1]}},
    ],
)
def test_malformed_messages_are_logged_and_equal_to_themselves_only(message: dict[str, Any]) -> None:
    assert hash_of(message) == logged(message, indent=3)[0].hash
    assert hash_of(message) != hash_of({"role": message["role"]})


def test_an_answer_is_anchored_by_its_words_and_the_question_before_it() -> None:
    anchor = logged(USER, ANSWER)[1].anchor
    assert anchor is not None
    assert (
        logged({"role": "system", "content": "x"}, USER, {"role": "tool", "content": "y"}, ANSWER)[2].anchor == anchor
    )
    thinking = {"role": "assistant", "content": "<think>Hm.</think> Peanuts. "}
    assert logged(USER, thinking)[1].anchor == anchor
    assert logged({"role": "user", "content": "Hello"}, ANSWER)[1].anchor != anchor
    assert logged(USER, {"role": "assistant", "content": "Nuts."})[1].anchor != anchor
    assert logged(ANSWER)[0].anchor not in (None, anchor)


def test_a_wordless_answer_is_anchored_by_calls_that_have_no_ids() -> None:
    nameless = {"role": "assistant", "content": "", "function_call": {"name": "weather", "arguments": "{}"}}
    anchor = logged(USER, nameless)[1].anchor
    assert anchor is not None
    assert logged({"role": "user", "content": "Hello"}, nameless)[1].anchor != anchor
    other = {**nameless, "function_call": {"name": "weather", "arguments": '{"a": 1}'}}
    assert logged(USER, other)[1].anchor != anchor
    assert logged(USER, calling("{}"))[1].anchor is None


def test_users_and_wordless_answers_anchor_nothing() -> None:
    log = logged(USER, {"role": "assistant", "content": "<think>only this</think>"}, calling("{}"))
    assert [message.anchor for message in log] == [None, None, None]


def test_a_reply_is_the_message_that_the_client_will_send_back() -> None:
    assembler = ReplyAssembler()
    for delta in ({"content": "<think>Hm.</think>Pea"}, {"content": "nuts."}):
        assembler.feed(json.dumps({"choices": [{"delta": delta, "finish_reason": "stop"}]}).encode())
    reply = reply_message(assembler.reply(), OPENAI_CHAT, logged(USER), NEW_YEAR)
    back = logged(USER, ANSWER)[1]
    assert (reply.role, reply.hash, reply.anchor, reply.complete) == ("assistant", back.hash, back.anchor, True)


def test_a_reply_that_calls_tools_is_the_message_that_the_client_will_send_back() -> None:
    assembler = ReplyAssembler()
    for piece in ({"id": "call_1", "function": {"name": "weather"}}, {"function": {"arguments": '{"city":"Oslo"}'}}):
        assembler.feed(json.dumps({"choices": [{"delta": {"tool_calls": [{"index": 0, **piece}]}}]}).encode())
    reply = reply_message(assembler.reply(), OPENAI_CHAT, logged(USER), NEW_YEAR)
    back = logged(USER, calling('{"city": "Oslo"}'))[1]
    assert (reply.hash, reply.anchor, reply.call_ids) == (back.hash, None, ("call_1",))
    assert reply.complete is False


def test_the_query_is_the_newest_user_message_in_its_own_words() -> None:
    block = "<toldonce-memory 1f>\n- likes tea\n</toldonce-memory 1f>\n\n"
    request = asked(
        {"role": "user", "content": "Hello"}, ANSWER, {"role": "user", "content": block + "And today?"}, ANSWER
    )
    assert query_of(request) == "And today?"
    assert query_of(asked(ANSWER)) == ""
