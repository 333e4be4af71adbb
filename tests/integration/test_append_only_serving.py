"""Servers whose prompts only grow: an upstream that binds its answers to their beginning refuses none of them."""

import json
from collections.abc import Mapping, Sequence
from contextlib import ExitStack
from pathlib import Path

from append_only import broken_prefix, prompt_of
from integration.fake_upstream import FakeUpstream
from integration.raw_client import assistant, chat, eventually, sent, user
from integration.server_process import ServerProcess, StartServer
from postgres_server import NEEDS_POSTGRES, shared_server

TAUGHT = "I'm allergic to peanuts. I live in Oslo. My sister Eva runs a restaurant in Lima."
LATER = "I moved to Bergen."
QUESTIONS = ("Where do I live?", "May I eat peanuts?", "Which restaurant does my sister run?", "Thanks!")


def headers(name: str) -> Mapping[str, str]:
    return {"x-toldonce-user": name, "x-openwebui-chat-id": f"chat of {name}"}


def talk(servers: Sequence[ServerProcess], name: str) -> list[str]:
    """Chat through the servers in turn, with a change in another chat; return what memory did."""
    elsewhere = {"x-toldonce-user": name, "x-openwebui-chat-id": "another"}
    learn(servers, TAUGHT, elsewhere)
    messages: list[Mapping[str, object]] = []
    notes = []
    for number in range(8):
        if number == 4:
            learn(servers, LATER, elsewhere)
        messages.append(user(QUESTIONS[number % len(QUESTIONS)] + "!" * number))
        answer = chat(servers[number % len(servers)].port, f"binding:{name}", messages, headers(name))
        assert answer.status == 200, "upstream saw another beginning"
        notes.append(answer.header("x-toldonce-memory") or "")
        messages.append(assistant(answer.text))
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
        first, *others = talk(servers, "ben")
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
