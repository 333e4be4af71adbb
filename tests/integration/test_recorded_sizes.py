"""Messages larger than what is read or recorded: the client gets every byte, and the log a part with a mark."""

import json
import re
from collections.abc import Iterator

import pytest

from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.raw_client import assistant, chat, eventually, request, user
from integration.server_process import ServerProcess

LIMIT = 2000
READ = 20_000


@pytest.fixture(scope="module")
def small(tmp_path_factory: pytest.TempPathFactory, upstream: FakeUpstream) -> Iterator[ServerProcess]:
    """A server that reads and records little."""
    running = ServerProcess(
        tmp_path_factory.mktemp("small"),
        upstream=upstream.url,
        settings={
            "MAX_MESSAGE_CHARACTERS": str(LIMIT),
            "MAX_READ_BYTES": str(READ),
            "MAX_ANSWER_BYTES": str(READ),
        },
    )
    try:
        running.start()
        yield running
        running.stop()
        assert "Traceback" not in running.output()
    finally:
        running.kill()


def cut_messages(server: ServerProcess) -> dict[str, float]:
    text = request(server.port, "/metrics", method="GET").body.decode()
    return {role: float(count) for role, count in re.findall(r'memory_messages_cut_total\{role="(\w+)"\} (\S+)', text)}


def recorded(server: ServerProcess, name: str) -> list[str]:
    return [row.text for row in Database(server.database).messages(name)]


@pytest.mark.parametrize("stream", [True, False])
def test_long_messages_are_passed_on_whole_and_recorded_in_part(
    small: ServerProcess, upstream: FakeUpstream, name: str, stream: bool
) -> None:
    said = f"{name} " + "word " * 1000
    before = cut_messages(small)
    headers = {"x-toldonce-user": name, "x-openwebui-chat-id": name}
    answer = chat(small.port, "echo", [user(said)], headers, stream=stream)

    assert answer.text.endswith(f"You said: {said.strip()}")
    assert said in upstream.having(name)[-1].json["messages"][0]["content"]
    mark = "[… cut: the first 2,000 of"
    assert [(len(text) < LIMIT + 100, mark in text) for text in recorded(small, name)] == [(True, True)] * 2
    after = cut_messages(small)
    assert {role: after[role] - before.get(role, 0) for role in after} == {"user": 1, "assistant": 1}

    chat(small.port, "echo", [user(said), assistant(answer.text), user("And now?")], headers, stream=stream)
    assert len(recorded(small, name)) == 4


def test_a_whole_answer_that_is_not_read_is_recorded_as_a_mark(small: ServerProcess, name: str) -> None:
    said = f"{name} " + "word " * 3940
    answer = chat(small.port, "echo", [user(said)], {"x-toldonce-user": name})

    assert answer.text == f"You said: {said.strip()}"
    assert answer.whole
    assert (answer.header("x-toldonce-memory") or "").endswith("; answer too large to be read")
    assert recorded(small, name)[1].startswith("[… an answer of ")


@pytest.mark.parametrize("size", [READ, READ * 60])
def test_a_request_that_is_not_read_is_passed_on_without_memory(
    small: ServerProcess, upstream: FakeUpstream, name: str, size: int
) -> None:
    body = json.dumps({"model": "echo", "messages": [user(f"{name} " + "x" * size)]}).encode()
    answer = request(small.port, "/v1/chat/completions", body, {"x-toldonce-user": name})

    assert (answer.status, answer.header("x-toldonce-memory")) == (200, "skipped")
    assert upstream.having(name)[-1].body == body
    assert upstream.having(name)[-1].header("content-length") == str(len(body))
    assert recorded(small, name) == []
    assert eventually(lambda: "passed on without memory" in small.output())
