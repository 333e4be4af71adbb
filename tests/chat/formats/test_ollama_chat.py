import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soak import fuzzed
from tables import check_each
from toldonce.chat.formats.base import ChatRequest, Insertion, OwnAnswer
from toldonce.chat.formats.ollama_chat import OLLAMA_CHAT
from toldonce.chat.messages import log_messages, query_of
from toldonce.chat.splice import apply_insertions
from toldonce.errors import BadRequestError
from toldonce.testing import FakeClock
from toldonce.types import InjectionMode as Mode

MODES: tuple[Mode, ...] = get_args(Mode)
STANDING, RECALLED = "Facts:\u2028- Ana", 'Likes "tea" ☕'
BOTH = f"{STANDING}\n\n{RECALLED}"
BE_KIND = {"role": "system", "content": "Be kind."}
PICTURE = {"role": "user", "content": "What is it?", "images": ["iVBORw0KGgo="]}
RESULT = {"role": "tool", "content": '{"data": 21}', "tool_name": "look"}


def user(content: Any) -> dict[str, Any]:
    return {"role": "user", "content": content}


def said(content: str, **more: Any) -> dict[str, Any]:
    return {"role": "assistant", "content": content, **more}


def calling(arguments: Any, **more: Any) -> dict[str, Any]:
    return said("", tool_calls=[{**more, "function": {"name": "look", "arguments": arguments}}])


def read(*messages: dict[str, Any], **more: Any) -> ChatRequest:
    return OLLAMA_CHAT.read(json.dumps({"model": "qwen3", **more, "messages": messages}, indent=1).encode())


def hashes(clock: FakeClock, *messages: dict[str, Any]) -> list[int]:
    return [message.hash for message in log_messages(read(*messages), said_at=clock.now())]


# ---- requests


def test_a_request_is_read_as_ollama_reads_it() -> None:
    request = read(BE_KIND, {**PICTURE, "role": "User"}, calling({"room": "hall"}, id="call_1"), RESULT, said("21."))
    assert [(message.role, message.text) for message in request.messages] == [
        ("system", "Be kind."),
        ("user", "What is it?"),
        ("assistant", ""),
        ("tool", '{"data": 21}'),
        ("assistant", "21."),
    ]
    assert [message.payload is None for message in request.messages] == [True, False, False, False, True]
    assert not any(message.call_ids for message in request.messages), "not all clients send them back"
    assert query_of(request) == "What is it?"
    assert (request.model, request.user, request.continues) == ("qwen3", None, True)


@pytest.mark.parametrize(("more", "stream"), [({}, True), ({"stream": None}, True), ({"stream": False}, False)])
def test_an_answer_is_streamed_unless_the_client_says_otherwise(more: dict[str, Any], stream: bool) -> None:
    assert read(user("Hi"), **more).stream is stream


def test_a_chat_without_messages_only_loads_a_model() -> None:
    for body in (b'{"model":"m"}', b'{"model":"m","messages":[],"keep_alive":0}'):
        with pytest.raises(BadRequestError) as raised:
            OLLAMA_CHAT.read(body)
        assert raised.value.param == "messages"


def test_what_a_model_thought_is_no_part_of_its_answer(clock: FakeClock) -> None:
    assert hashes(clock, said("21.", thinking="Hm.")) == hashes(clock, said("21.", thinking=""))


@check_each(
    ("arguments", "sent_back"),
    [
        ({"room": "hall", "n": 1}, {"n": 1, "room": "hall"}),
        ({"room": "hall", "floor": None, "name": ""}, {"room": "hall"}),
        ({"rooms": '["hall"]', "text": "[sic"}, {"rooms": ["hall"], "text": "[sic"}),
        ({}, None),
        ({"room": "hall"}, '{"room": "hall"}'),
    ],
)
def test_a_call_is_the_same_as_clients_send_it_back(arguments: Any, sent_back: Any) -> None:
    asked, given = json.dumps(calling(arguments, id="call_1")), json.dumps(calling(sent_back))
    assert OLLAMA_CHAT.identity(asked) == OLLAMA_CHAT.identity(given)


def test_messages_differ_by_what_was_called_answered_and_shown(clock: FakeClock) -> None:
    for before, after in (
        (calling({"n": 0}), calling({"n": 1})),
        (calling({"n": 0}), calling({})),
        (calling({}), said("")),
        (RESULT, {**RESULT, "tool_name": "see"}),
        (PICTURE, {**PICTURE, "images": ["AAAA"]}),
        (PICTURE, user("What is it?")),
    ):
        assert hashes(clock, before) != hashes(clock, after)


# ---- places of memory


def placed(*messages: dict[str, Any], mode: Mode = "split", standing: str = STANDING, recalled: str = RECALLED) -> Any:
    request = read(*messages)
    insertions = OLLAMA_CHAT.place(request, standing=standing, recalled=recalled, mode=mode)
    return json.loads(apply_insertions(request, insertions))["messages"]


def at_messages(*messages: dict[str, Any], appended: dict[int, str], standing: str = "") -> Any:
    request = read(*messages)
    insertions = OLLAMA_CHAT.place_at_messages(request, standing=standing, appended=appended)
    return json.loads(apply_insertions(request, insertions))["messages"]


@pytest.mark.parametrize("mode", MODES)
def test_no_system_message_takes_the_place_of_the_models_own(mode: Mode) -> None:
    answer = said("Hello.")
    assert placed(user("Hi"), answer, user("So?"), mode=mode) == [user("Hi"), answer, user(f"{BOTH}\n\nSo?")]
    assert placed(user(None), mode=mode) == [user(None)]
    assert placed(RESULT, mode=mode) == [RESULT]


def test_the_clients_own_system_message_takes_memory() -> None:
    assert placed(BE_KIND, user("Hi"), mode="system_append") == [
        {**BE_KIND, "content": f"Be kind.\n\n{BOTH}"},
        user("Hi"),
    ]


def test_a_chat_takes_the_profile_at_its_first_question_and_texts_at_theirs() -> None:
    chat = [BE_KIND, user("Hi"), calling({}), RESULT, said("Hello."), PICTURE]
    assert at_messages(*chat, appended={1: "a", 5: RECALLED, 3: ""}, standing=STANDING) == [
        *(BE_KIND, user(f"Hi\n\n{STANDING}\n\na"), calling({}), RESULT, said("Hello.")),
        {**PICTURE, "content": f"What is it?\n\n{RECALLED}"},
    ]
    assert at_messages(user(""), appended={0: "a"}) == [user("a")]
    assert at_messages(user(None), appended={0: "a"}, standing=STANDING) == [user(None)]
    assert at_messages(RESULT, appended={}, standing=STANDING) == [RESULT]


def test_texts_at_several_messages_depend_on_their_message_alone() -> None:
    chat, texts = [BE_KIND, user("Hi"), said("Hello."), PICTURE, calling({}), RESULT], {1: "a", 3: RECALLED}
    bodies = []
    for end, appended in ((2, {1: "a"}), (4, texts), (6, texts)):
        request = OLLAMA_CHAT.read(json.dumps({"messages": chat[:end]}).encode())
        insertions = OLLAMA_CHAT.place_at_messages(request, standing=STANDING, appended=appended)
        bodies.append(apply_insertions(request, insertions).removesuffix(b"]}"))
    assert bodies[1].startswith(bodies[0])
    assert bodies[2].startswith(bodies[1])


TEXT = st.sampled_from(["", "Hi", 'a "quote"\\', "☕\u2028"])
CONTENT: st.SearchStrategy[Any] = st.none() | TEXT | st.just([]) | st.just([{"type": "text", "text": "Hi"}])
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "USER", "assistant", "tool"])},
    optional={"content": CONTENT, "images": st.just(["AAAA"]), "thinking": TEXT, "tool_calls": st.just([{"a": 1}])},
)
BLOCK = st.sampled_from(["", STANDING, '"]}', "\\", "\ud83d"])


def without(text: str, insertions: list[Insertion]) -> str:
    """Take the insertions out again; each must be where it was to go."""
    for insertion in insertions:
        assert text[insertion.offset :].startswith(insertion.text)
        text = text[: insertion.offset] + text[insertion.offset + len(insertion.text) :]
    return text


@fuzzed(300)
@given(st.lists(MESSAGE, min_size=1, max_size=5), BLOCK, BLOCK, st.sampled_from(MODES), st.sampled_from([None, 0, 2]))
def test_any_body_stays_json_and_differs_by_the_insertions_alone(
    messages: list[dict[str, Any]], standing: str, recalled: str, mode: Mode, indent: int | None
) -> None:
    body = {"options": {"num_ctx": 8192}, "keep_alive": "5m", "messages": messages, "format": {}, "think": "low"}
    source = json.dumps(body, indent=indent, ensure_ascii=indent == 0).encode()
    request = OLLAMA_CHAT.read(source)
    assert request.text.encode() == source
    users = [index for index, message in enumerate(request.messages) if message.role == "user"]
    for insertions in (
        OLLAMA_CHAT.place(request, standing=standing, recalled=recalled, mode=mode),
        OLLAMA_CHAT.place_at_messages(request, standing=standing, appended=dict.fromkeys(users, recalled)),
    ):
        changed = apply_insertions(request, insertions)
        assert without(changed.decode(), insertions) == request.text
        found = OLLAMA_CHAT.read(changed)
        assert found.messages[0].role == request.messages[0].role
        for message in found.messages:
            OLLAMA_CHAT.identity(message.payload)


# ---- answers of our own


@pytest.mark.parametrize("stream", [False, True])
def test_an_own_answer_is_read_back(stream: bool) -> None:
    own = OwnAnswer(id="1", created=1_700_000_000, model="m", text="You like tea ☕.", count=len)
    body = b"".join(OLLAMA_CHAT.write_answer(read(user("Hi"), stream=stream), own))
    relay = OLLAMA_CHAT.splice_stream(None, 1000)
    relay.feed(body)
    reply = relay.reply() if stream else OLLAMA_CHAT.read_answer(body)
    assert reply is not None
    assert (reply.text, reply.payload, reply.complete) == ("You like tea ☕.", None, True)
    assert reply.usage is not None
    assert (reply.usage.prompt_tokens, reply.usage.completion_tokens) == (2, 15)
    assert [json.loads(line)["done"] for line in body.splitlines()] == ([False, True] if stream else [True])
