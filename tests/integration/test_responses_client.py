"""The official OpenAI SDK's Responses with its base URL changed, against an upstream that keeps its answers by id.

The SDK is imported when a test runs: each worker would need seconds for that only to collect.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import pytest

from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.raw_client import chat, eventually, user
from integration.responses_upstream import REFUSALS, kept_items
from integration.server_process import ServerProcess

if TYPE_CHECKING:
    from openai import APIStatusError, OpenAI
    from openai.types.responses import FunctionToolParam, Response, ResponseInputParam

ASKS, HOME = "What am I allergic to?", "Where do I live?"
TOOL: FunctionToolParam = {
    "type": "function",
    "name": "weather",
    "parameters": {"type": "object", "properties": {"a": {"type": "integer"}}},
    "strict": False,
}
PICTURE: Any = {"type": "input_image", "image_url": "data:image/png;base64,iVBORw0KGgo=", "detail": "auto"}


@pytest.fixture
def known(server: ServerProcess, database: Database, name: str) -> str:
    """A user whose allergy is known, so that something is put into each request."""
    chat(server.port, "echo", [user("I am allergic to almonds. I live in Turku.")], {"x-toldonce-user": name})
    assert eventually(lambda: database.settled(name))
    return name


@pytest.fixture
def client(server: ServerProcess, known: str) -> Iterator[OpenAI]:
    from openai import OpenAI

    named = {"x-toldonce-user": known}
    with OpenAI(base_url=server.base_url, api_key="sk-client", max_retries=0, default_headers=named) as opened:
        yield opened


def refused() -> pytest.RaisesExc[APIStatusError]:
    from openai import APIStatusError

    return pytest.raises(APIStatusError)


@pytest.fixture(params=[False, True], ids=["whole", "stream"])
def stream(request: pytest.FixtureRequest) -> bool:
    wanted: bool = request.param
    return wanted


def ask(client: OpenAI, stream: bool, input: ResponseInputParam | str, **more: Any) -> tuple[Response, str]:
    """Ask; return the answer, and what it says of memories."""
    if not stream:
        response: Response = client.responses.create(input=input, **more)
        return response, str((response.model_extra or {})["memories"])
    with client.responses.create(input=input, stream=True, **more) as streamed:
        events = list(streamed)
    assert [event.sequence_number for event in events] == list(range(len(events)))
    return events[-1].response, str((events[0].response.model_extra or {})["memories"])


def result(calling: Response) -> Any:
    """Return the result of an answer's call."""
    [call] = [item for item in calling.output if item.type == "function_call"]
    assert call.arguments == '{"a": 1}'
    return {"type": "function_call_output", "call_id": call.call_id, "output": "Sun."}


def shown(kept: str) -> list[str]:
    """Return the memories that were added to what upstream keeps."""
    added = [str(item["content"][0]["text"]) for item in kept_items(kept) if item.get("role") == "developer"]
    return [line for text in added for line in text.split("\n") if line.startswith("- ")]


def has_each_once(kept: str) -> bool:
    """Return whether upstream has the allergy, and no memory twice."""
    memories = shown(kept)
    return '- "I am allergic to almonds."' in str(memories) and len(set(memories)) == len(memories)


def test_a_chat_sent_whole_with_tools_reasoning_and_images_goes_on(
    client: OpenAI, upstream: FakeUpstream, database: Database, known: str, stream: bool
) -> None:
    options = {"model": f"gpt-5:{known}", "store": False, "include": ["reasoning.encrypted_content"]}
    items: Any = [{"role": "developer", "content": "Be brief."}, {"role": "user", "content": ASKS}]
    calling, memories = ask(client, stream, items, tools=[TOOL], **options)
    assert "almonds" in memories
    assert [item.type for item in calling.output] == ["reasoning", "function_call"]
    items += [*calling.output, result(calling)]
    items += ask(client, stream, items, tools=[TOOL], **options)[0].output
    items.append({"role": "user", "content": [PICTURE, {"type": "input_text", "text": HOME}]})
    last, _ = ask(client, stream, items, **options)
    assert last.output_text == f"You said: {HOME}"
    assert last.usage is not None
    assert last.usage.output_tokens == 4
    assert all(b"c2VhbGVk" in request.body for request in upstream.having(str(options["model"]))[1:])
    log = database.messages(known)[2:]
    assert [message.role for message in log] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert len({message.conversation for message in log}) == 1


def test_a_chat_that_goes_on_from_an_answer_has_each_memory_once(
    client: OpenAI, database: Database, known: str, stream: bool
) -> None:
    calling, memories = ask(client, stream, ASKS, model="gpt-5", tools=[TOOL])
    assert "almonds" in memories
    after = {"model": "gpt-5", "previous_response_id": calling.id}
    answered, _ = ask(client, stream, [result(calling)], tools=[TOOL], **after)
    assert answered.output_text == f"You said: {ASKS}"
    asked = f"Does {ASKS.lower()}"
    last, _ = ask(client, stream, asked, model="gpt-5", previous_response_id=answered.id)
    assert last.output_text == f"You said: {asked}"
    assert has_each_once(last.id)
    [log] = database.conversations(known)[1:]
    assert [role for _, _, role, _ in log] == ["user", "assistant", "tool", "assistant", "user", "assistant"]
    assert [parent for _, parent, _, _ in log] == [0, 1, 2, 3, 4, 5]


def test_an_answer_can_be_gone_on_from_twice(client: OpenAI, database: Database, known: str) -> None:
    first, _ = ask(client, False, ASKS, model="gpt-5")
    others = ["And what else?", "Since when?"]
    branches = [ask(client, False, text, model="gpt-5", previous_response_id=first.id)[0] for text in others]
    assert all(has_each_once(branch.id) for branch in branches)
    [log] = database.conversations(known)[1:]
    assert [(parent, text) for _, parent, role, text in log if role == "user"] == [
        (0, ASKS),
        *((2, text) for text in others),
    ]


def test_a_conversation_of_upstreams_has_each_memory_once(
    client: OpenAI, database: Database, known: str, stream: bool
) -> None:
    kept = client.conversations.create().id
    calling, memories = ask(client, stream, ASKS, model="gpt-5", tools=[TOOL], conversation=kept)
    assert "almonds" in memories
    ask(client, stream, [result(calling)], model="gpt-5", tools=[TOOL], conversation={"id": kept})
    content: Any = [{"role": "user", "content": [PICTURE, {"type": "input_text", "text": "Are almonds in it?"}]}]
    last, _ = ask(client, stream, content, model="gpt-5", conversation=kept)
    assert last.output_text == "You said: Are almonds in it?"
    assert has_each_once(kept)
    log = database.messages(known)[2:]
    assert {message.external_id for message in log} == {kept}
    assert [message.role for message in log] == ["user", "assistant", "tool", "assistant", "user", "assistant"]


def test_a_stateless_answer_is_not_gone_on_from(client: OpenAI, known: str) -> None:
    first, _ = ask(client, False, ASKS, model=f"gpt-5:{known}", store=False)
    with refused() as raised:
        client.responses.create(model="gpt-5", input=HOME, previous_response_id=first.id)
    assert (raised.value.status_code, raised.value.code) == (400, "previous_response_not_found")


@pytest.mark.parametrize("model", REFUSALS)
def test_refusals_pass_with_the_time_to_wait(client: OpenAI, database: Database, known: str, model: str) -> None:
    status, code, after = REFUSALS[model]
    with refused() as raised:
        client.responses.create(model=model, input=ASKS)
    assert (raised.value.status_code, raised.value.response.headers["retry-after"]) == (status, after.decode())
    assert raised.value.response.json()["error"] == {"message": "Later.", "type": "error", "param": None, "code": code}
    assert len(database.messages(known)) == 2


def test_what_the_server_refuses_reads_as_openais(client: OpenAI) -> None:
    with refused() as raised:
        client.responses.create(
            model="gpt-5", input=ASKS, extra_headers={"x-toldonce-user": "", "x-toldonce-memory": "maybe"}
        )
    assert raised.value.status_code == 400
    assert raised.value.type == "invalid_request_error"
