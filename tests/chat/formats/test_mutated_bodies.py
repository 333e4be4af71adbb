"""Bodies of all formats with anything in them, and with bytes lost or added: read or refused, and never changed."""

import json
from typing import Any, get_args

import pytest
from hypothesis import given
from hypothesis import strategies as st

from soak import fuzzed
from toldonce.chat.formats.anthropic_messages import ANTHROPIC_MESSAGES
from toldonce.chat.formats.base import ChatRequest, Insertion, WireFormat
from toldonce.chat.formats.ollama_chat import OLLAMA_CHAT
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.formats.openai_responses import OPENAI_RESPONSES
from toldonce.chat.splice import apply_insertions
from toldonce.errors import BadRequestError
from toldonce.types import InjectionMode

WIRES: dict[str, WireFormat] = {
    "chat": OPENAI_CHAT,
    "messages": ANTHROPIC_MESSAGES,
    "responses": OPENAI_RESPONSES,
    "ollama": OLLAMA_CHAT,
}
SCALAR = st.sampled_from(
    [None, True, 7, 1.5e300, "", "Hi", 'a "quote"\\', "☕\u2028", "<system-reminder>x</system-reminder>"]
)
ANYTHING = st.recursive(
    SCALAR, lambda inner: st.lists(inner, max_size=2) | st.dictionaries(SCALAR.map(str), inner, max_size=2)
)
TYPES = (
    *("text", "image", "thinking", "tool_use", "tool_result", "input_text", "output_text", "input_image"),
    *("message", "reasoning", "function_call", "function_call_output", "item_reference", "compaction"),
)
FIELDS = (
    *("text", "content", "output", "summary", "tool_calls", "tool_use_id", "tool_call_id", "call_id", "id", "images"),
    *("thinking", "signature", "input", "arguments", "name", "phase", "cache_control", "encrypted_content"),
)


TYPED = st.fixed_dictionaries({}, optional={"type": st.sampled_from(TYPES)})
SPOKEN = st.fixed_dictionaries({"role": st.sampled_from(["user", "user", "assistant", "system", "tool"])})


def objects(kind: st.SearchStrategy[Any], inner: st.SearchStrategy[Any]) -> st.SearchStrategy[Any]:
    """Return objects that look like parts and messages of some format, with any values."""
    more = st.dictionaries(st.sampled_from(FIELDS), inner, max_size=3)
    return st.builds(lambda told, other: {**other, **told}, kind, more)


PARTS = objects(TYPED, ANYTHING)
CONTENT = st.fixed_dictionaries({"content": st.lists(PARTS, max_size=3) | SCALAR})
MESSAGES = st.lists(objects(st.builds(dict.__or__, SPOKEN, CONTENT), ANYTHING), min_size=1, max_size=4)
MODELS = st.sampled_from(["claude-opus-5", "claude-haiku-4-5", "qwen3", None, 7])
HEADS = st.dictionaries(
    st.sampled_from(["stream", "system", "tools", "metadata", "user", "store", "conversation", "instructions"]),
    ANYTHING,
)


@st.composite
def bodies(draw: st.DrawFn) -> bytes:
    said = draw(MESSAGES)
    fields = {"model": draw(MODELS), **draw(HEADS), "messages": said}
    text = json.dumps(fields, ensure_ascii=draw(st.booleans()), indent=draw(st.sampled_from([None, 0, 3])))
    body = text.encode()
    if draw(st.integers(0, 3)) == 0:
        at = draw(st.integers(0, len(body)))
        body = body[:at] + draw(st.binary(max_size=2)) + body[at + draw(st.integers(0, 3)) :]
    return body


def without(text: str, insertions: list[Insertion]) -> str:
    """Take the insertions out again; each must be where it was to go."""
    for insertion in insertions:
        assert text[insertion.offset :].startswith(insertion.text)
        text = text[: insertion.offset] + text[insertion.offset + len(insertion.text) :]
    return text


def is_json(body: bytes) -> bool:
    try:
        json.loads(body.decode())
    except ValueError:
        return False
    return True


def read(wire: WireFormat, body: bytes) -> ChatRequest | None:
    try:
        return wire.read(body)
    except BadRequestError:
        return None


def check(wire: WireFormat, body: bytes, mode: InjectionMode) -> None:
    request = read(wire, body)
    if request is None:
        return
    assert is_json(body)
    assert request.text.encode() == body
    users = {index: "Likes tea." for index, message in enumerate(request.messages) if message.role == "user"}
    for insertions in (
        wire.place(request, standing="Be kind.", recalled="Likes tea.", mode=mode),
        wire.place_at_messages(request, standing="Be kind.", appended=users),
        wire.place_at_messages(request, standing="", appended=users, in_user_message=True),
    ):
        changed = apply_insertions(request, insertions)
        assert without(changed.decode(), insertions).encode() == body
        for message in wire.read(changed).messages:
            wire.identity(message.payload)


@pytest.mark.parametrize("wire", WIRES)
@fuzzed(200)
@given(body=bodies(), mode=st.sampled_from(get_args(InjectionMode)))
def test_any_body_is_refused_or_differs_by_the_insertions_alone(wire: str, body: bytes, mode: InjectionMode) -> None:
    check(WIRES[wire], body.replace(b'"messages"', b'"input"') if wire == "responses" else body, mode)
