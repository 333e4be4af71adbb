"""Servers whose prompts only grow: an upstream that binds its answers to their beginning refuses none of them."""

import json
from collections.abc import Callable, Mapping, Sequence
from contextlib import ExitStack
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from append_only import broken_prefix, prompt_of
from integration.fake_upstream import FakeUpstream
from integration.raw_client import assistant, chat, eventually, request, sent, user
from integration.server_process import ServerProcess, StartServer
from postgres_server import NEEDS_POSTGRES, shared_server

TAUGHT = "I'm allergic to peanuts. I live in Oslo. My sister Eva runs a restaurant in Lima."
LATER = "I moved to Bergen."
QUESTIONS = ("Where do I live?", "May I eat peanuts?", "Which restaurant does my sister run?", "Thanks!")


@dataclass(frozen=True)
class Api:
    """A format, as a client speaks it: an upstream's model of it binds its answers to the prompts."""

    path: str
    fields: Mapping[str, object]
    """A request's model, and what else it has beside its messages."""
    said: Callable[[Any], str]
    """What the assistant said, in an answer that is not streamed."""
    messages: str = "messages"


APIS = (
    Api("/v1/chat/completions", {"model": "binding"}, lambda body: body["choices"][0]["message"]["content"]),
    Api("/v1/messages", {"model": "claude-opus-5", "max_tokens": 9}, lambda body: body["content"][0]["text"]),
    Api(
        "/v1/responses",
        {"model": "gpt-5", "store": False},
        lambda body: body["output"][0]["content"][0]["text"],
        "input",
    ),
    Api("/api/chat", {"model": "qwen3", "stream": False}, lambda body: body["message"]["content"]),
)


def headers(name: str) -> Mapping[str, str]:
    return {"x-toldonce-user": name, "x-openwebui-chat-id": f"chat of {name}"}


def talk(servers: Sequence[ServerProcess], name: str, api: Api = APIS[0]) -> list[str]:
    """Chat through the servers in turn, with a change in another chat; return what memory did."""
    elsewhere = {"x-toldonce-user": name, "x-openwebui-chat-id": "another"}
    learn(servers, TAUGHT, elsewhere)
    messages: list[Mapping[str, object]] = []
    notes = []
    for number in range(8):
        if number == 4:
            learn(servers, LATER, elsewhere)
        messages.append(user(QUESTIONS[number % len(QUESTIONS)] + "!" * number))
        fields = {**api.fields, "model": f"{api.fields['model']}:{name}", api.messages: messages}
        answer = request(servers[number % len(servers)].port, api.path, json.dumps(fields).encode(), headers(name))
        assert answer.status == 200, "upstream saw another beginning"
        notes.append(answer.header("x-toldonce-memory") or "")
        messages.append(assistant(api.said(answer.json)))
    return notes


def learn(servers: Sequence[ServerProcess], text: str, named: Mapping[str, str]) -> None:
    """Say something that one of the servers forms memories of."""

    def formed() -> int:
        return sum(int(server.health()["worker"]["formed"]) for server in servers)

    before = formed()
    assert chat(servers[0].port, "echo", [user(text)], named).status == 200
    assert eventually(lambda: formed() >= before + 2)


def test_no_prompt_changes_what_upstream_has_seen(server: ServerProcess) -> None:
    first, *others = talk([server], "ana")
    assert "prefix=new" in first
    assert all("prefix=kept" in note for note in others)


@NEEDS_POSTGRES
def test_two_servers_on_one_database_repeat_each_others_prompts(upstream: FakeUpstream, tmp_path: Path) -> None:
    url = shared_server().new_database("append_only")
    with ExitStack() as running:
        servers = []
        for number in range(2):
            server = ServerProcess(tmp_path / str(number), upstream=upstream.url, settings={"DATABASE_URL": url})
            running.callback(server.kill)
            server.start()
            servers.append(server)
        notes = [talk(servers, f"ben{number}", api) for number, api in enumerate(APIS)]
    for first, *others in notes:
        assert "prefix=new" in first
        assert all("prefix=kept" in note for note in others)


def test_a_kill_in_the_middle_of_an_answer_changes_no_prompt(start_server: StartServer, upstream: FakeUpstream) -> None:
    server = start_server()
    learn([server], TAUGHT, headers("eva"))
    messages = [user("Where do I live, said Eva?")]
    body = json.dumps({"model": "slow", "messages": messages, "stream": True}).encode()
    with sent(server.port, "/v1/chat/completions", body, {"x-toldonce-user": "eva"}) as wire:
        received = b""
        while b'"0 "' not in received:
            received += wire.recv(1 << 16)
        server.kill()
    before = prompt_of(messages, upstream.having("said Eva?")[-1].body)
    assert before.sent != before.own

    server.start()
    messages += [assistant("0 "), user("Go on.")]
    answer = chat(server.port, "echo", messages, {"x-toldonce-user": "eva"})
    assert answer.status == 200
    after = prompt_of(messages, upstream.having("said Eva?")[-1].body)
    assert broken_prefix(before, after, named=False) == ""
    assert "toldonce-memory" in after.sent[0]
