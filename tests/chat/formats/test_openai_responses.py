import json
from typing import Any

import pytest
from pydantic import TypeAdapter

from tables import check_each
from toldonce.chat.formats.base import ChatRequest, OwnAnswer
from toldonce.chat.formats.openai_responses import OPENAI_RESPONSES
from toldonce.chat.identity import MAX_CONVERSATION_BYTES
from toldonce.chat.messages import log_messages, query_of
from toldonce.errors import BadRequestError
from toldonce.testing import FakeClock

ENVIRONMENT = "<environment_context>\n<cwd>/src</cwd>\n</environment_context>"
PROJECT = "# AGENTS.md instructions for /src\n\n<INSTRUCTIONS>\nI always use tabs.\n</INSTRUCTIONS>"
THOUGHT = {"type": "reasoning", "id": "rs_1", "summary": [], "encrypted_content": "c2ln"}
CALL = {"type": "function_call", "id": "fc_1", "call_id": "call_1", "name": "look", "arguments": '{"path": "."}'}
RESULT = {"type": "function_call_output", "call_id": "call_1", "output": "a.py"}
IMAGE = {"type": "input_image", "detail": "auto", "image_url": "data:,"}
BE_KIND = {"role": "developer", "content": "Be kind."}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def told(value: str) -> dict[str, str]:
    return {"type": "input_text", "text": value}


def said(value: str, **more: Any) -> dict[str, Any]:
    part = {"type": "output_text", "text": value, "annotations": []}
    return {"type": "message", "role": "assistant", "content": [part], **more}


def read(source: Any, **more: Any) -> ChatRequest:
    return OPENAI_RESPONSES.read(json.dumps({"model": "gpt-5.2", **more, "input": source}, indent=1).encode())


def roles(*items: dict[str, Any]) -> list[tuple[str, str]]:
    return [(message.role, message.text) for message in read(list(items)).messages]


# ---- requests


def test_roles_and_words_are_those_of_who_speaks() -> None:
    request = read(
        [
            BE_KIND,
            user([told(PROJECT), told(ENVIRONMENT)]),
            user([told(ENVIRONMENT), told("We use pnpm."), IMAGE]),
            THOUGHT,
            said("Let me look.", id="msg_1", status="completed", phase="commentary"),
            CALL,
            RESULT,
            said("Done."),
            {"type": "message", "role": "user", "content": "Thanks!"},
        ]
    )
    assert [(message.role, message.text) for message in request.messages] == [
        ("developer", "Be kind."),
        ("developer", f"{PROJECT}\n{ENVIRONMENT}"),
        ("user", "We use pnpm."),
        ("assistant", "Let me look."),
        ("tool", "a.py"),
        ("assistant", "Done."),
        ("user", "Thanks!"),
    ]
    assert query_of(request) == "Thanks!"
    assert [message.call_ids for message in request.messages if message.call_ids] == [("call_1",)]


def test_a_string_is_a_message_of_the_user(clock: FakeClock) -> None:
    [message] = read('Say "hi"\nto Zoë ☕').messages
    assert (message.role, message.text, message.payload) == ("user", 'Say "hi"\nto Zoë ☕', None)
    whole, listed = (log_messages(read(source), said_at=clock.now()) for source in ("Hi", [user([told("Hi")])]))
    assert whole[0].hash == listed[0].hash


@pytest.mark.parametrize(
    "notice",
    [
        ENVIRONMENT,
        PROJECT,
        "<skill>\n<name>tea</name>\n<path>/x</path>\nI brew it.\n</skill>",
        "<turn_aborted>\nBy the user.\n</turn_aborted>",
    ],
)
def test_what_a_client_writes_in_the_users_name_is_the_applications(notice: str) -> None:
    assert roles(user(notice), user("Hi")) == [("developer", notice), ("user", "Hi")]
    assert roles(user([told(notice), told("Hi")])) == [("user", "Hi")]
    assert roles(user([told(notice), IMAGE])) == [("user", "")]


def test_an_answer_in_several_items_is_one_message(clock: FakeClock) -> None:
    custom = {"type": "custom_tool_call", "call_id": "call_2", "name": "patch", "input": "*** Begin"}
    request = read([user("Hi"), THOUGHT, said("One moment."), CALL, custom, said("So."), user("And?")])
    _, answer, _ = request.messages
    assert (answer.role, answer.text, answer.call_ids) == ("assistant", "One moment.\nSo.", ("call_1", "call_2"))
    assert answer.payload is not None
    assert json.loads(answer.payload) == [said("One moment."), CALL, custom, said("So.")]
    source = request.text[answer.start : answer.end]
    assert json.loads(f"[{source}]") == [THOUGHT, said("One moment."), CALL, custom, said("So.")]
    bare = [user("Hi"), {"role": "assistant", "content": "One moment."}, CALL, custom, said("So.", id="msg_9")]
    assert [message.hash for message in log_messages(read(bare), said_at=clock.now())] == [
        message.hash for message in log_messages(request, said_at=clock.now())[:2]
    ]


def test_answers_of_text_alone_need_no_payload() -> None:
    for items in ([said("Hm.")], [THOUGHT, said("Hm."), said("Yes.")], [THOUGHT]):
        assert read(items).messages[0].payload is None


@pytest.mark.parametrize("kind", ["reasoning", "item_reference", "compaction", "compaction_trigger"])
def test_items_for_the_model_alone_say_nothing(kind: str) -> None:
    item = {"type": kind, "id": "x_1"}
    [_, answer, _] = read([user("Hi"), item, user("So?")]).messages
    named = ("x_1",) if kind == "item_reference" else ()
    assert (answer.role, answer.text, answer.payload, answer.call_ids) == ("assistant", "", None, named)
    assert roles(user("Hi"), item, said("Hello."), item, user("So?"))[1:] == [("assistant", "Hello."), ("user", "So?")]


@pytest.mark.parametrize(
    ("item", "text"),
    [
        ({**RESULT, "output": [told("a.py"), IMAGE, told("b.py")]}, "a.py\nb.py"),
        ({"type": "custom_tool_call_output", "call_id": "call_1", "output": "Done!"}, "Done!"),
        ({"type": "computer_call_output", "call_id": "call_1", "output": {"type": "computer_screenshot"}}, ""),
        ({"type": "function_call_output", "call_id": "call_1", "output": None}, ""),
    ],
)
def test_results_of_tools_are_their_own_messages(item: dict[str, Any], text: str) -> None:
    [_, _, result] = read([user("Hi"), CALL, item]).messages
    assert (result.role, result.text, result.call_ids) == ("tool", text, ())
    assert json.loads(result.payload or "") == item


def test_messages_differ_by_what_was_called_answered_and_shown(clock: FakeClock) -> None:
    def hashes(*items: dict[str, Any]) -> list[int]:
        return [message.hash for message in log_messages(read([*items]), said_at=clock.now())]

    plain = hashes(user([told("Hi"), IMAGE]), CALL, RESULT)
    rewritten = {**CALL, "arguments": '{"path":"."}', "id": "fc_2", "status": "completed"}
    assert hashes(user([told("Hi"), IMAGE]), THOUGHT, rewritten, {**RESULT, "status": "completed"}) == plain
    searched = {"type": "web_search_call", "id": "ws_1", "status": "completed"}
    assert hashes(user([told("Hi"), IMAGE]), searched, CALL, RESULT) == plain
    other_image = user([told("Hi"), {**IMAGE, "image_url": "data:,x"}])
    assert hashes(other_image, {**CALL, "name": "see"}, {**RESULT, "output": "b.py"}) != plain
    for place, items in enumerate(
        (
            (other_image, CALL, RESULT),
            (user([told("Hi"), IMAGE]), {**CALL, "arguments": "{}"}, RESULT),
            (user([told("Hi"), IMAGE]), CALL, {**RESULT, "output": "b.py"}),
        )
    ):
        changed = hashes(*items)
        assert [index for index in range(3) if changed[index] != plain[index]] == [place]


@check_each(
    ("fields", "after", "conversation", "is_kept"),
    [
        ({}, None, None, False),
        ({"previous_response_id": "resp_1"}, "resp_1", None, True),
        ({"previous_response_id": None, "conversation": None}, None, None, False),
        ({"previous_response_id": "", "conversation": ""}, None, None, False),
        ({"conversation": "conv_1"}, None, "conv_1", True),
        ({"conversation": {"metadata": {"id": "no"}, "id": "conv_1"}}, None, "conv_1", True),
        ({"conversation": {}}, None, None, False),
        ({"conversation": {"id": ["x"]}}, None, None, False),
        ({"conversation": 7, "previous_response_id": 7}, None, None, False),
        ({"conversation": "x" * (MAX_CONVERSATION_BYTES + 1)}, None, None, True),
    ],
)
def test_what_upstream_keeps_is_named(
    fields: dict[str, Any], after: str | None, conversation: str | None, is_kept: bool
) -> None:
    request = read("Hi", **fields)
    assert (request.after, request.conversation, request.is_kept_upstream) == (after, conversation, is_kept)


def test_a_request_is_read_with_its_fields() -> None:
    request = read("Hi", stream=True, user="ana", instructions="Be kind.")
    assert (request.model, request.stream, request.user) == ("gpt-5.2", True, "ana")
    assert read("Hi", safety_identifier="bob").user == "bob"
    assert (read("Hi", stream=1, user={}).stream, read("Hi", user={}).user) == (False, None)


@check_each(
    ("body", "param"),
    [
        (b"", "body"),
        (b"[]", "body"),
        (b'{"input":"a\nb"}', "body"),
        (b'{"input":"x"', "body"),
        (b'{"model":"m"}', "input"),
        (b'{"input":null}', "input"),
        (b'{"input":{"role":"user","content":"x"}}', "input"),
        (b'{"input":[]}', "input"),
        (b'{"input":"x","input":[]}', "input"),
        (b'{"input":["x"]}', "input[0]"),
        (b'{"input":[{"role":"user"},{"content":"x"}]}', "input[1].role"),
        (b'{"input":[{"type":"message","role":7}]}', "input[0].role"),
    ],
)
def test_what_is_no_request_is_named(body: bytes, param: str) -> None:
    with pytest.raises(BadRequestError) as raised:
        OPENAI_RESPONSES.read(body)
    assert raised.value.param == param


# ---- answers of our own


def own() -> OwnAnswer:
    return OwnAnswer(id="1", created=1_700_000_000, model="m", text="You like tea ☕.", count=len)


def test_an_own_answer_is_read_back_and_by_openais_client() -> None:
    from openai.types.responses import Response  # only here: each worker would need seconds for that to collect

    [body] = OPENAI_RESPONSES.write_answer(read("Hi"), own())
    reply = OPENAI_RESPONSES.read_answer(body)
    assert reply is not None
    assert (reply.id, reply.text, reply.payload, reply.complete) == ("resp_1", "You like tea ☕.", None, True)
    response = Response.model_validate_json(body)
    assert response.output_text == "You like tea ☕."
    assert response.usage is not None
    assert (response.usage.input_tokens, response.usage.output_tokens) == (2, 15)


def test_an_own_stream_is_read_back_and_by_openais_client() -> None:
    from openai.types.responses import ResponseStreamEvent

    events = OPENAI_RESPONSES.write_answer(read("Hi", stream=True), own())
    stream = OPENAI_RESPONSES.splice_stream(None, 1000)
    parsed: list[ResponseStreamEvent] = []
    for event in events:
        stream.feed(event)
        name, data, *_ = event.decode().split("\n")
        parsed.append(TypeAdapter(ResponseStreamEvent).validate_json(data.removeprefix("data: ")))
        assert name == f"event: {parsed[-1].type}"
    assert (stream.reply().text, stream.reply().complete) == ("You like tea ☕.", True)
    assert [event.sequence_number for event in parsed] == list(range(len(events)))
    assert "".join(event.delta for event in parsed if event.type == "response.output_text.delta") == "You like tea ☕."
    last = parsed[-1]
    assert last.type == "response.completed"
    assert last.response.output_text == "You like tea ☕."


def test_errors_have_the_shape_that_clients_know() -> None:
    error = json.loads(OPENAI_RESPONSES.error(400, "no", param="input"))["error"]
    assert (error["message"], error["param"], error["type"]) == ("no", "input", "invalid_request_error")
