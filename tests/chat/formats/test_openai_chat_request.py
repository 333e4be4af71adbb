import json
from typing import Any

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from soak import SOAK, fuzzed
from tables import check_each
from toldonce.chat.formats.base import ChatMessage, ChatRequest, ContentKind
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.json_scanner import MAX_DEPTH
from toldonce.chat.messages import is_background_task
from toldonce.chat.splice import apply_insertions
from toldonce.errors import BadRequestError

FUZZ = fuzzed(25 * (SOAK or 4))
HELLO = b'{"role":"user","content":"hello"}'


def refusal(body: bytes) -> BadRequestError:
    with pytest.raises(BadRequestError) as caught:
        OPENAI_CHAT.read(body)
    return caught.value


def only_message(source: str) -> ChatMessage:
    request = OPENAI_CHAT.read(f'{{"messages": [ {source} ]}}'.encode())
    assert len(request.messages) == 1
    return request.messages[0]


def test_a_request_is_read_with_its_fields() -> None:
    body = b'{"model":"m","stream":true,"user":"ana","messages":[{"role":"user","name":"Ana","content":"hi"}]}'
    request = OPENAI_CHAT.read(body)
    assert (request.model, request.stream, request.user) == ("m", True, "ana")
    assert [(m.role, m.name, m.text, m.payload) for m in request.messages] == [("user", "Ana", "hi", None)]


@pytest.mark.parametrize("value", ["1", '"true"', "null", "false", "[]"])
def test_only_a_true_true_asks_for_a_stream(value: str) -> None:
    assert OPENAI_CHAT.read(b'{"stream":%s,"messages":[%s]}' % (value.encode(), HELLO)).stream is False


def test_model_and_user_of_another_type_are_upstreams_business() -> None:
    request = OPENAI_CHAT.read(b'{"model":7,"user":{"id":"x"},"messages":[%s]}' % HELLO)
    assert (request.model, request.user) == (None, None)


def test_unknown_roles_and_fields_pass() -> None:
    request = OPENAI_CHAT.read(b'{"messages":[{"role":"narrator","mood":{"a":[1]},"content":"Once"}],"zzz":[{}]}')
    assert request.messages[0].role == "narrator"


@pytest.mark.parametrize("text", ["", "hi", 'a \\"quote\\" and a \\\\', "caf\\u00e9\\n", "é 🙂", "\\u0000", "[[{{"])
@pytest.mark.parametrize("blank", ["", " ", "\r\n\t"])
def test_a_message_reads_the_same_however_its_fields_are_ordered(text: str, blank: str) -> None:
    role, content, end = '"role":"user"', f'"content":{blank}"{text}"', f"{blank}}}"
    plain = only_message(f"{{{blank}{role}{blank},{content}{end}")
    turned = only_message(f"{{{content},{blank}{role}{end}")
    longer = only_message(f'{{{role},{blank}{content}{blank},"mood":null{end}')

    assert plain.text == turned.text == longer.text == json.loads(f'"{text}"').replace("\0", "\ufffd")
    assert {message.content_kind for message in (plain, turned, longer)} == {ContentKind.STRING}
    for message, source in (
        (plain, f"{{{blank}{role}{blank},{content}{end}"),
        (turned, f"{{{content},{blank}{role}{end}"),
    ):
        start = message.start
        assert source[message.content_start - start : message.content_end - start] == text
        assert message.end - start == len(source)


@pytest.mark.parametrize(
    ("body", "param"),
    [
        pytest.param(b"", "body", id="no body"),
        pytest.param(b" \r\n", "body", id="blank body"),
        pytest.param(b'{"messages":[{"role":"user","content":"\xff"}]}', "body", id="not UTF-8"),
        pytest.param(b'{"messages":[{"role":"user","content":"\xed\xa0\xbd"}]}', "body", id="a surrogate in UTF-8"),
        pytest.param(b"hello", "body", id="not JSON"),
        pytest.param(b'{"messages":[%s]' % HELLO, "body", id="cut off"),
        pytest.param(b'{"messages":[%s]} {}' % HELLO, "body", id="something behind"),
        pytest.param(b'{"messages":[%s,]}' % HELLO, "body", id="a comma too many"),
        pytest.param(b'{"messages":[%s %s]}' % (HELLO, HELLO), "body", id="a comma too few"),
        pytest.param(b'{"messages":[%s],}' % HELLO, "body", id="a comma before the brace"),
        pytest.param(b"{messages:[%s]}" % HELLO, "body", id="a bare key"),
        pytest.param(b'{"messages" [%s]}' % HELLO, "body", id="no colon"),
        pytest.param(b'{"messages":[{"role":"user","content":"a\nb"}]}', "body", id="a raw line feed in a string"),
        pytest.param(b'{"messages":[%s],"a":nul}' % HELLO, "body", id="a half null"),
        pytest.param(b"[]", "body", id="a list"),
        pytest.param(b'"messages"', "body", id="a string"),
        pytest.param(b"\xef\xbb\xbf", "body", id="a byte order mark alone"),
        pytest.param(b'{"a":%s,"messages":[%s]}' % (b"[" * 1000 + b"]" * 1000, HELLO), "body", id="1,000 deep"),
        pytest.param(b'{"a":%s}' % (b'{"a":' * 100_000), "body", id="100,000 deep and cut off"),
        pytest.param(b'{"a":%s,"messages":[%s]}' % (b"7" * 5000, HELLO), "body", id="5,000 digits"),
        pytest.param(b"{}", "messages", id="no messages"),
        pytest.param(b'{"messages":[]}', "messages", id="empty messages"),
        pytest.param(b'{"messages":null}', "messages", id="null messages"),
        pytest.param(b'{"messages":{"role":"user"}}', "messages", id="messages as an object"),
        pytest.param(b'{"messages":[%s],"messages":[%s]}' % (HELLO, HELLO), "messages", id="messages twice"),
        pytest.param(b'{"messages":[%s],"\\u006dessages":[]}' % HELLO, "messages", id="twice, once escaped"),
        pytest.param(b'{"messages":[%s,"hi"]}' % HELLO, "messages[1]", id="a string for a message"),
        pytest.param(b'{"messages":[null]}', "messages[0]", id="null for a message"),
        pytest.param(b'{"messages":[{"content":"hi"}]}', "messages[0].role", id="no role"),
        pytest.param(b'{"messages":[%s,{"role":7}]}' % HELLO, "messages[1].role", id="a number for a role"),
    ],
)
def test_what_cannot_be_understood_is_refused_and_the_part_at_fault_named(body: bytes, param: str) -> None:
    assert refusal(body).param == param


def test_nesting_is_read_down_to_the_limit_and_no_deeper() -> None:
    inside = b"[" * MAX_DEPTH + b"]" * MAX_DEPTH
    assert OPENAI_CHAT.read(b'{"a":%s,"messages":[%s]}' % (inside, HELLO)).messages[0].text == "hello"
    deeper = b'{"a":[[%s]],"messages":[%s]}' % (inside, HELLO)
    assert "deeper" in str(refusal(deeper))


def test_many_values_side_by_side_are_not_deep() -> None:
    body = b'{"a":[%s{}],"messages":[%s]}' % (b"[[]]," * 1000, HELLO)
    assert OPENAI_CHAT.read(body).messages[0].text == "hello"


def test_a_byte_order_mark_stays_and_offsets_count_it() -> None:
    body = b'\xef\xbb\xbf{"messages":[%s]}' % HELLO
    request = OPENAI_CHAT.read(body)
    assert request.text.encode() == body
    assert request.text[request.messages[0].content_start : request.messages[0].content_end] == "hello"


def test_parts_are_read_as_their_text_joined_by_line_feeds() -> None:
    source = '{"role":"user","content":[{"type":"text","text":"a"}, {"type":"text","text":"b"}]}'
    message = only_message(source)
    assert (message.content_kind, message.text, message.payload) == (ContentKind.PARTS, "a\nb", None)


def test_a_message_with_an_image_keeps_its_source_as_payload() -> None:
    source = '{"role":"user", "content":[{"type":"text","text":"See"},{"type":"image_url","image_url":{"url":"x"}}]}'
    message = only_message(source)
    assert (message.text, message.payload) == ("See", source)


@pytest.mark.parametrize(
    "source",
    [
        '{"role":"assistant","content":null,"tool_calls":[{"id":"call_1","function":{"name":"f","arguments":"{}"}}]}',
        '{"role":"tool","tool_call_id":"call_1","content":"sunny"}',
        '{"role":"assistant","content":null,"function_call":{"name":"f","arguments":"{}"}}',
        '{"role":"user","content":{"no":"API describes this"}}',
        '{"role":"user","content":["a",7]}',
    ],
)
def test_what_text_alone_does_not_say_is_kept_as_payload(source: str) -> None:
    assert only_message(source).payload == source


@pytest.mark.parametrize("extra", ['"tool_calls":null', '"tool_calls":[]', '"tool_call_id":null', '"refusal":null'])
def test_empty_fields_make_no_payload(extra: str) -> None:
    assert only_message(f'{{"role":"assistant","content":"hi",{extra}}}').payload is None


def test_ids_of_tool_calls_are_read_as_far_as_they_are_strings() -> None:
    source = '{"role":"assistant","tool_calls":[{"id":"a"},{"id":7},null,{"function":{}},{"id":""},{"id":"b"}]}'
    assert only_message(source).call_ids == ("a", "b")
    assert only_message('{"role":"assistant","tool_calls":{"id":"a"}}').call_ids == ()


@check_each(
    ("content", "kind"),
    [
        ('"content":""', ContentKind.STRING),
        ('"content":[ ]', ContentKind.EMPTY_PARTS),
        ('"content":[{"type":"image_url"}]', ContentKind.PARTS),
        ('"content":null', ContentKind.OTHER),
        ('"content":7', ContentKind.OTHER),
        ('"content":{}', ContentKind.OTHER),
        ('"contents":"x"', ContentKind.OTHER),
        ('"content":"a","content":"b"', ContentKind.OTHER),
    ],
)
def test_the_kind_of_content_says_what_can_be_spliced(content: str, kind: ContentKind) -> None:
    message = only_message(f'{{"role":"user",{content}}}')
    assert message.content_kind is kind
    assert (message.content_start < 0) == (message.content_end < 0) == (kind is ContentKind.OTHER)


def test_a_lone_surrogate_escape_survives_in_bytes_and_storable_text() -> None:
    body = rb'{"messages":[{"role":"user","content":"a\ud83d \u0000b"}]}'
    request = OPENAI_CHAT.read(body)
    assert request.messages[0].text == "a\ufffd \ufffdb"
    assert apply_insertions(request, []) == body
    assert request.text.encode() == body


def test_ten_megabytes_are_read_with_the_right_offsets() -> None:
    words = 'I said "no" – peanuts.\n' * 400_000
    body = json.dumps({"messages": [{"role": "user", "content": words}]}, ensure_ascii=False).encode()
    message = OPENAI_CHAT.read(body).messages[0]
    assert len(body) > 10_000_000
    assert message.text == words
    assert (message.content_start, message.end) == (
        len('{"messages": [{"role": "user", "content": "'),
        len(body.decode()) - 2,
    )


# ---- any body at all

SCALARS = st.none() | st.booleans() | st.integers(-9, 10**20) | st.floats() | st.text(max_size=8)
ANYTHING = st.recursive(
    SCALARS,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3),
    max_leaves=8,
)
PART = (
    st.fixed_dictionaries({"type": st.sampled_from(["text", "image_url"]) | ANYTHING, "text": st.text(max_size=8)})
    | ANYTHING
)
MESSAGE = st.fixed_dictionaries(
    {"role": st.sampled_from(["system", "user", "assistant", "tool", "narrator"])},
    optional={
        "content": st.text() | st.lists(PART, max_size=3) | ANYTHING,
        "name": SCALARS,
        "tool_calls": ANYTHING | st.lists(st.fixed_dictionaries({"id": SCALARS}), max_size=2),
        "tool_call_id": SCALARS,
        "function_call": ANYTHING,
    },
)
BODY = st.fixed_dictionaries(
    {"messages": st.lists(MESSAGE, min_size=1, max_size=4) | st.lists(MESSAGE | ANYTHING, max_size=3) | ANYTHING},
    optional={"model": SCALARS, "stream": SCALARS, "user": SCALARS, "tools": ANYTHING},
)
TOKENS = st.sampled_from(
    [
        "{",
        "}",
        "[",
        "]",
        ":",
        ",",
        '"',
        "\\",
        "\\ud83d",
        "\ufeff",
        " ",
        "\n",
        "1",
        "-",
        "1e999",
        "NaN",
        "null",
        "true",
        "é",
    ]
) | st.sampled_from(['"messages"', '"role"', '"content"', '"user"', "\x00", "\u2028", '{"role":"user","content":"x"}'])


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    value = draw(BODY)
    text = json.dumps(value, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 0, 3])))
    body = (draw(st.sampled_from(["", " ", "\ufeff"])) + text).encode("utf-8", "surrogatepass")
    if draw(st.booleans()):
        at = draw(st.integers(0, len(body)))
        body = body[:at] + draw(st.binary(max_size=2)) + body[at + draw(st.integers(0, 3)) :]
    return body


def expected_messages(body: bytes) -> list[dict[str, Any]] | None:
    """What the standard library reads, where it is a request at all."""
    keys: list[str] = []

    def remember(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
        keys[:] = [key for key, _ in pairs]  # the outermost object is whole last
        return dict(pairs)

    try:
        value = json.loads(body.decode().removeprefix("\ufeff"), object_pairs_hook=remember)
    except ValueError:
        return None
    messages = value.get("messages") if isinstance(value, dict) and keys.count("messages") == 1 else None
    if not isinstance(messages, list) or not messages:
        return None
    good = all(isinstance(m, dict) and isinstance(m.get("role"), str) for m in messages)
    return messages if good else None


def check(body: bytes) -> None:
    expected = expected_messages(body)
    if expected is None:
        assert refusal(body).param
        return
    request = OPENAI_CHAT.read(body)
    assert apply_insertions(request, []) == body == request.text.encode()
    # repr, because NaN is in play
    assert repr([json.loads(request.text[m.start : m.end]) for m in request.messages]) == repr(expected)
    for message, value in zip(request.messages, expected, strict=True):
        if message.content_kind is not ContentKind.OTHER:
            source = request.text[message.content_start - 1 : message.content_end + 1]
            assert repr(json.loads(source)) == repr(value["content"])


@pytest.mark.soak
@FUZZ
@given(bodies())
@example(b'{"messages":[{"role":"user","content":NaN}]}')
def test_any_body_is_read_as_the_standard_library_reads_it_or_refused(body: bytes) -> None:
    check(body)


@pytest.mark.soak
@FUZZ
@given(st.lists(TOKENS, max_size=30).map("".join))
def test_any_heap_of_tokens_is_read_or_refused(text: str) -> None:
    check(text.encode())
    check(b'{"messages":[' + text.encode() + b"]}")


TITLE = "### Task:\nGenerate a title.\n\n<chat_history>\nUSER: hi\n</chat_history>"


def chat_request(text: str, *, stream: bool = False, then: str | None = None) -> ChatRequest:
    messages = [{"role": "system", "content": TITLE}, {"role": "user", "content": text}]
    if then:
        messages.append({"role": "assistant", "content": then})
    return OPENAI_CHAT.read(json.dumps({"stream": stream, "messages": messages}).encode())


def test_a_housekeeping_prompt_that_does_not_stream_is_a_background_task() -> None:
    assert is_background_task(chat_request(TITLE))
    assert is_background_task(chat_request("\n" + TITLE))


@pytest.mark.parametrize(
    "request_",
    [
        pytest.param(chat_request(TITLE, stream=True), id="streams"),
        pytest.param(chat_request("What does '### Task:' mean? <chat_history>"), id="speaks of it"),
        pytest.param(chat_request("### Task:\nRespond using the context. <context>…</context>"), id="no chat in it"),
        pytest.param(chat_request("hello"), id="a chat"),
        pytest.param(
            OPENAI_CHAT.read(b'{"messages":[{"role":"system","content":"### Task: <chat_history>"}]}'), id="no user"
        ),
    ],
)
def test_anything_else_is_a_chat(request_: ChatRequest) -> None:
    assert not is_background_task(request_)
