"""A chat that is sent whole again reads as if it were new, in each format, whatever else the client changed."""

import json
from collections.abc import Callable
from datetime import timedelta

import pytest

from toldonce.chat.formats.anthropic_messages import AnthropicMessages
from toldonce.chat.formats.base import ChatRequest, WireFormat
from toldonce.chat.formats.known_messages import ANCHOR, MIN_KEPT, KnownMessages, known_messages
from toldonce.chat.formats.ollama_chat import OllamaChat
from toldonce.chat.formats.openai_chat import OpenAIChat
from toldonce.chat.formats.openai_responses import OpenAIResponses
from toldonce.chat.formats.request_reader import MAX_MESSAGES
from toldonce.chat.messages import log_messages
from toldonce.errors import BadRequestError
from toldonce.testing import NEW_YEAR
from toldonce.text_caches import clear_text_caches

WIRES: dict[str, tuple[WireFormat, str]] = {
    "chat": (OpenAIChat(), "messages"),
    "messages": (AnthropicMessages(), "messages"),
    "responses": (OpenAIResponses(), "input"),
    "ollama": (OllamaChat(), "messages"),
}
each_wire = pytest.mark.parametrize(("wire", "name"), WIRES.values(), ids=WIRES)


def chat(turns: int) -> list[dict[str, object]]:
    said = ("I live in Oslo.", "Ich wohne in Köln. 🌊", "東京に住んでいます。", 'He said "no".\n')
    return [
        {"role": ("user", "assistant")[place % 2], "content": f"{place}: {said[place % len(said)]}"}
        for place in range(2 * turns)
    ]


def read(wire: WireFormat, name: str, messages: list[dict[str, object]], **fields: object) -> ChatRequest:
    body = {"model": "m", "max_tokens": 9, **fields, name: messages, "stream": True}
    return wire.read(json.dumps(body, ensure_ascii=False).encode())


def read_new(wire: WireFormat, name: str, messages: list[dict[str, object]], **fields: object) -> ChatRequest:
    clear_text_caches()
    return read(wire, name, messages, **fields)


CHANGES: dict[str, Callable[[list[dict[str, object]]], list[dict[str, object]]]] = {
    "grown": lambda messages: [*messages, {"role": "user", "content": "And now?"}],
    "shorter": lambda messages: messages[:-3],
    "edited at its end": lambda messages: [*messages[:-1], {"role": "assistant", "content": "No."}],
    "edited in the middle": lambda messages: [
        {**message, "content": "What?"} if place == ANCHOR + 3 else message for place, message in enumerate(messages)
    ],
    "edited at its start": lambda messages: [{"role": "user", "content": "Hi."}, *messages[1:]],
    "its last message longer": lambda messages: [
        *messages[:-1],
        {**messages[-1], "content": f"{messages[-1]['content']} More."},
    ],
}


@each_wire
@pytest.mark.parametrize("change", CHANGES.values(), ids=CHANGES)
def test_what_is_sent_again_reads_as_if_it_were_new(
    wire: WireFormat, name: str, change: Callable[[list[dict[str, object]]], list[dict[str, object]]]
) -> None:
    before = chat(MIN_KEPT)
    later = change(before)
    new = read_new(wire, name, later)
    first = read_new(wire, name, before)
    log_messages(first, said_at=NEW_YEAR - timedelta(days=1))

    again = read(wire, name, later)

    assert again == new
    assert log_messages(again, said_at=NEW_YEAR) == log_messages(new, said_at=NEW_YEAR)


@each_wire
def test_only_messages_that_are_new_are_read(wire: WireFormat, name: str) -> None:
    first = read_new(wire, name, chat(MIN_KEPT))
    again = read(wire, name, [*chat(MIN_KEPT), {"role": "user", "content": "And now?"}])
    other = read(wire, name, chat(MIN_KEPT), temperature=1)  # before the messages, which stand elsewhere then
    same = [message is before for before, message in zip(first.messages, again.messages, strict=False)]
    assert same == [False] * ANCHOR + [True] * (2 * MIN_KEPT - ANCHOR)
    assert not any(message is before for before, message in zip(first.messages, other.messages, strict=True))


def test_a_chat_grown_beyond_the_limit_is_refused_as_a_new_one() -> None:
    wire, name = WIRES["chat"]
    messages = chat(MAX_MESSAGES // 2)
    read_new(wire, name, messages)
    with pytest.raises(BadRequestError, match="more than 10,000 messages"):
        read(wire, name, [*messages, {"role": "user", "content": "And now?"}])


def test_what_is_kept_is_bounded_and_dropped_by_an_erasure() -> None:
    wire, name = WIRES["chat"]
    size = len(read(wire, name, chat(MIN_KEPT)).text)
    known = KnownMessages(max_characters=3 * size + 100)  # a name of a user is some characters longer
    for number in range(5):
        request = read(wire, name, chat(MIN_KEPT), user=f"{number}")
        known.keep(OpenAIChat, request.text, request.messages)
    assert len(known._kept) == 3
    assert known._characters == sum(len(kept.text) for kept in known._kept.values()) <= 3 * size + 100

    read(wire, name, chat(MIN_KEPT))
    assert known_messages._kept
    clear_text_caches()
    assert (known_messages._kept, known_messages._characters) == ({}, 0)
