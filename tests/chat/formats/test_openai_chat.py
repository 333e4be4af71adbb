import json
from typing import Any

import pytest

from toldonce.chat.formats.base import OwnAnswer
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.text import words


def written(answer: str, **options: object) -> bytes:
    messages = [{"role": "system", "content": "be brief"}, {"role": "user", "content": "who am I"}]
    request = OPENAI_CHAT.read(json.dumps({"messages": messages, **options}).encode())
    own = OwnAnswer(id="1", created=17, model="m", text=answer, count=lambda text: len(words(text)))
    return b"".join(OPENAI_CHAT.write_answer(request, own))


def test_a_whole_answer_counts_what_it_used() -> None:
    found = json.loads(written("one two"))
    assert found["usage"] == {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    assert (found["id"], found["object"], found["created"], found["model"]) == (
        "chatcmpl-1",
        "chat.completion",
        17,
        "m",
    )
    (choice,) = found["choices"]
    assert choice["message"]["content"] == "one two"
    assert choice["finish_reason"] == "stop"


def events(answer: str, **options: object) -> list[Any]:
    stream = written(answer, stream=True, **options)
    assert stream.endswith(b"data: [DONE]\n\n")
    return [json.loads(event.removeprefix(b"data: ")) for event in stream.split(b"\n\n")[:-2]]


@pytest.mark.parametrize("answer", ["one two", "  a  b\n\n- “c é 🍵”\n ", "", "x\n"])
def test_the_contents_of_the_stream_together_are_the_answer(answer: str) -> None:
    found = events(answer)
    assert found[0]["choices"][0]["delta"] == {"role": "assistant", "content": ""}
    assert "".join(event["choices"][0]["delta"].get("content", "") for event in found) == answer
    assert [event["choices"][0]["finish_reason"] for event in found] == [None] * (len(found) - 1) + ["stop"]
    assert {(event["id"], event["created"], event["object"]) for event in found} == {
        ("chatcmpl-1", 17, "chat.completion.chunk")
    }
    assert all("usage" not in event for event in found)


def test_the_usage_comes_last_and_only_when_asked_for() -> None:
    *before, last = events("one two", stream_options={"include_usage": True})
    assert last["choices"] == []
    assert last["usage"] == {"prompt_tokens": 5, "completion_tokens": 2, "total_tokens": 7}
    assert all(event["usage"] is None for event in before)
