import json

import pytest

from recollect.chat.request import read_request
from recollect.chat.tasks import is_background_task
from recollect.types import ChatRequest

TITLE = "### Task:\nGenerate a title.\n\n<chat_history>\nUSER: hi\n</chat_history>"


def asked(text: str, *, stream: bool = False, then: str | None = None) -> ChatRequest:
    messages = [{"role": "system", "content": TITLE}, {"role": "user", "content": text}]
    if then:
        messages.append({"role": "assistant", "content": then})
    return read_request(json.dumps({"stream": stream, "messages": messages}).encode())


def test_a_housekeeping_prompt_that_does_not_stream_is_a_background_task() -> None:
    assert is_background_task(asked(TITLE))
    assert is_background_task(asked("\n" + TITLE))


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(asked(TITLE, stream=True), id="streams"),
        pytest.param(asked("What does '### Task:' mean? <chat_history>"), id="speaks of it"),
        pytest.param(asked("### Task:\nRespond using the context. <context>…</context>"), id="no chat in it"),
        pytest.param(asked("hello"), id="a chat"),
        pytest.param(
            read_request(b'{"messages":[{"role":"system","content":"### Task: <chat_history>"}]}'), id="no user"
        ),
    ],
)
def test_anything_else_is_a_chat(request_: ChatRequest) -> None:
    assert not is_background_task(request_)
