import json
from typing import Any

import pytest

from toldonce.chat.formats.anthropic_messages import ANTHROPIC_MESSAGES
from toldonce.chat.formats.base import ChatRequest, OwnAnswer
from toldonce.chat.messages import log_messages, query_of
from toldonce.chat.splice import apply_insertions
from toldonce.errors import BadRequestError
from toldonce.testing import FakeClock

OLDER, NEWER = "claude-sonnet-4-6", "claude-opus-5"
REMINDER = {"type": "text", "text": "<system-reminder>\nToday is Monday.\n</system-reminder>"}
CALL = {"type": "tool_use", "id": "toolu_1", "name": "Bash", "input": {"command": "ls"}}
RESULT = {"type": "tool_result", "tool_use_id": "toolu_1", "content": "a.py"}
THOUGHT = {"type": "thinking", "thinking": "Hm.", "signature": "c2ln"}
HELLO = {"role": "assistant", "content": "Hello."}


def text(value: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": value, **more}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def system(content: Any) -> dict[str, Any]:
    return {"role": "system", "content": content}


def read(*messages: dict[str, Any], **more: Any) -> ChatRequest:
    return ANTHROPIC_MESSAGES.read(json.dumps({"model": OLDER, **more, "messages": messages}, indent=1).encode())


def placed(
    *messages: dict[str, Any], model: str = NEWER, at: int = 0, in_user_message: bool = False
) -> list[dict[str, Any]]:
    """Return the messages after a text was put at one of them."""
    request = read(*messages, model=model)
    insertions = ANTHROPIC_MESSAGES.place_at_messages(
        request, standing="", appended={at: 'Likes "tea" ☕'}, in_user_message=in_user_message
    )
    result: list[dict[str, Any]] = json.loads(apply_insertions(request, insertions))["messages"]
    return result


TEA = text('Likes "tea" ☕')


def test_roles_and_words_are_those_of_who_speaks() -> None:
    request = read(
        user([REMINDER, text("We use pnpm."), {"type": "image", "source": {}}]),
        {"role": "assistant", "content": [THOUGHT, text("Let me look."), CALL]},
        user([RESULT, REMINDER]),
        system("2,000 tokens left"),
        HELLO,
        user([REMINDER]),
        user("<system-reminder>Be terse.</system-reminder>\nThanks!"),
    )
    assert [(message.role, message.text) for message in request.messages] == [
        ("user", "We use pnpm."),
        ("assistant", "Let me look."),
        ("tool", "a.py"),
        ("system", "2,000 tokens left"),
        ("assistant", "Hello."),
        ("developer", REMINDER["text"]),
        ("user", "Thanks!"),
    ]
    assert query_of(request) == "Thanks!"
    assert [message.call_ids for message in request.messages if message.call_ids] == [("toolu_1",)]


def test_what_the_client_wrote_about_its_history_is_nobodys_words() -> None:
    compacted = "This session is being continued from a previous conversation that ran out of context. The user …"
    assert [message.role for message in read(user(compacted), HELLO, user("Go on.")).messages] == [
        "developer",
        "assistant",
        "user",
    ]


def test_a_message_is_the_same_with_and_without_marks_and_thinking(clock: FakeClock) -> None:
    mark = {"cache_control": {"type": "ephemeral"}}
    one = read(user("Hi"), {"role": "assistant", "content": [THOUGHT, CALL]}, user([RESULT]))
    other = read(user([text("Hi", **mark)]), {"role": "assistant", "content": [CALL]}, user([{**RESULT, **mark}]))
    hashes = [[message.hash for message in log_messages(request, said_at=clock.now())] for request in (one, other)]
    assert hashes[0] == hashes[1]
    changed = read(user("Hi"), {"role": "assistant", "content": [{**CALL, "input": {}}]})
    assert log_messages(changed, said_at=clock.now())[1].hash != hashes[0][1]


@pytest.mark.parametrize(
    ("user_id", "named", "session"),
    [
        ("ana", "ana", None),
        ('{"device_id":"0c56","account_uuid":"","session_id":"cb13"}', None, "cb13"),
        ("user_0c56_account__session_cb13", None, "cb13"),
        ("{broken", None, None),
        (7, None, None),
    ],
)
def test_the_session_of_claude_code_names_no_user(user_id: object, named: str | None, session: str | None) -> None:
    request = read(user("Hi"), metadata={"user_id": user_id})
    assert (request.user, request.conversation) == (named, session)


def test_what_is_no_request_is_named() -> None:
    for body, param in ((b'{"messages":"x"}', "messages"), (b'{"messages":[{"content":"x"}]}', "messages[0].role")):
        with pytest.raises(BadRequestError) as raised:
            ANTHROPIC_MESSAGES.read(body)
        assert raised.value.param == param


# ---- places


def test_a_newer_model_gets_a_system_message_behind_the_users() -> None:
    assert placed(user("Hi")) == [user("Hi"), system(TEA["text"])]
    assert placed(user("Hi"), HELLO, user("So?")) == [user("Hi"), system(TEA["text"]), HELLO, user("So?")]


def test_two_system_messages_never_stand_side_by_side() -> None:
    for content in ("10 tokens left", [text("10 tokens left", cache_control={"type": "ephemeral"})]):
        said, told = placed(user("Hi"), system(content))
        assert said == user("Hi")
        assert told["content"][1:] == [TEA]
        assert told["content"][0]["text"] == "10 tokens left"


def test_no_system_message_stands_before_one_of_the_user() -> None:
    assert placed(user("Hi"), user("Are you there?")) == [user([text("Hi"), TEA]), user("Are you there?")]


def test_what_the_model_forgets_after_one_turn_takes_no_memory() -> None:
    passing = {**system("10 tokens left"), "clear_at": "next_user_message"}
    assert placed(user("Hi"), passing) == [user([text("Hi"), TEA]), passing]


@pytest.mark.parametrize("model", [OLDER, "qwen3", None])
def test_other_models_get_a_block_behind_all_results(model: Any) -> None:
    marked = text("So?", cache_control={"type": "ephemeral"})
    assert placed(user([RESULT, marked]), model=model) == [user([RESULT, marked, TEA])]
    assert placed(user("Hi"), system("x"), model=model) == [user([text("Hi"), TEA]), system("x")]


def test_a_refused_place_leaves_the_users_message() -> None:
    assert placed(user("Hi"), in_user_message=True) == [user([text("Hi"), TEA])]


def test_a_prompt_is_compared_as_the_provider_reads_it() -> None:
    compared = ANTHROPIC_MESSAGES.compared
    marked = [text("Hi", cache_control={"type": "ephemeral"})]
    assert compared(", " + json.dumps(user("Hi"))) == compared(json.dumps(user(marked)))
    as_string, as_list = (json.dumps(placed(user(content), model=OLDER)[0]) for content in ("Hi", marked))
    assert compared(as_string) == compared(as_list)
    kept = {"type": "tool_use", "id": "1", "name": "edit", "input": {"cache_control": 1}}
    assert '"cache_control":1' in compared(json.dumps({"role": "assistant", "content": [kept]}))


def test_every_mode_keeps_both_blocks_at_the_newest_turn() -> None:
    request = read(user("Hi"), HELLO, user("So?"), system=[text("x-anthropic-billing-header: 1")])
    for mode in ("split", "system_append", "context_message"):
        insertions = ANTHROPIC_MESSAGES.place(request, standing="A", recalled="B", mode=mode)
        sent = json.loads(apply_insertions(request, insertions))
        assert sent["messages"] == [user("Hi"), HELLO, user([text("So?"), text("A\n\nB")])]
        assert sent["system"] == [text("x-anthropic-billing-header: 1")]


# ---- answers of our own


def own() -> OwnAnswer:
    return OwnAnswer(id="1", created=0, model="m", text="You like tea.", count=len)


def test_an_own_answer_is_read_back() -> None:
    [body] = ANTHROPIC_MESSAGES.write_answer(read(user("Hi")), own())
    reply = ANTHROPIC_MESSAGES.read_answer(body)
    assert reply is not None
    assert (reply.text, reply.complete) == ("You like tea.", True)


def test_an_own_stream_is_read_back() -> None:
    stream = ANTHROPIC_MESSAGES.splice_stream(None, 1000)
    for part in ANTHROPIC_MESSAGES.write_answer(read(user("Hi"), stream=True), own()):
        stream.feed(part)
    assert (stream.reply().text, stream.reply().complete) == ("You like tea.", True)


@pytest.mark.parametrize(
    ("status", "kind"), [(400, "invalid_request_error"), (413, "request_too_large"), (502, "api_error")]
)
def test_errors_have_the_types_that_clients_know(status: int, kind: str) -> None:
    error = json.loads(ANTHROPIC_MESSAGES.error(status, "no", param="messages"))
    assert error == {"type": "error", "error": {"type": kind, "message": "no"}}
