"""The end of an answer waits for its record, and reports a failure: another process locks the database."""

import json
from contextlib import ExitStack
from pathlib import Path

import pytest

from integration.database_reader import Database, held
from integration.fake_upstream import FakeUpstream
from integration.raw_client import RawAnswer, chat, eventually, parse, sent, user
from integration.server_process import ServerProcess, StartServer
from integration.upstream_shapes import DONE
from patience import PATIENCE_S

PATH = "/v1/chat/completions"
# Long beside the milliseconds a commit takes, short beside the seconds the server waits for a held database.
_WATCHED_S = 1.0


def body(text: str, *, stream: bool) -> bytes:
    return json.dumps({"model": "echo", "stream": stream, "messages": [user(text)]}).encode()


@pytest.mark.parametrize("stream", [True, False])
def test_the_end_of_an_answer_waits_until_the_turn_is_durable(
    server: ServerProcess, database: Database, name: str, stream: bool
) -> None:
    text, received = f"I am {name}.", b""
    with ExitStack() as holding:
        # Held before it is asked: what is recorded within a few milliseconds would be there before the lock is.
        holding.enter_context(held(server.database))
        with sent(server.port, PATH, body(text, stream=stream), {"x-toldonce-user": name}) as wire:
            while stream and b"You said" not in received:
                received += wire.recv(1 << 16)
            wire.settimeout(_WATCHED_S)
            with pytest.raises(TimeoutError):  # noqa: PT012  # it reads until nothing more comes
                while piece := wire.recv(1 << 16):
                    received += piece
            assert database.messages(name) == []
            assert (b"You said" in received) == stream
            assert b"[DONE]" not in received
            holding.close()
            wire.settimeout(PATIENCE_S)
            while piece := wire.recv(1 << 16):
                received += piece
    answer = parse(received)
    assert answer.whole
    assert answer.body.endswith(DONE) == stream
    assert [row.text for row in database.messages(name)] == [text, f"You said: {text}"]


@pytest.mark.parametrize("stream", [True, False])
def test_an_answer_whose_record_takes_too_long_ends_and_says_so(start_server: StartServer, stream: bool) -> None:
    server = start_server(settings={"COMMIT_TIMEOUT_S": "0.2"})
    database = Database(server.database)
    with held(server.database):
        answer = chat(server.port, "echo", [user("I like figs.")], stream=stream)
        assert answer.text == "You said: I like figs."
        assert database.messages("local") == []
        assert says_not_recorded(answer, stream)
    assert server.health()["proxy"]["not_recorded"] == 1
    # It was not given up: nobody could wait any longer, that is all.
    assert eventually(lambda: len(database.messages("local")) == 2)


def says_not_recorded(answer: RawAnswer, stream: bool) -> bool:
    if not stream:
        return (answer.header("x-toldonce-memory") or "").endswith("; not recorded in time")
    before, _, after = answer.body.partition(b": toldonce: not recorded in time\n\n")
    return answer.whole and DONE not in before and after.endswith(DONE)


def test_the_chat_goes_on_when_the_database_is_gone(
    start_server: StartServer, upstream: FakeUpstream, name: str
) -> None:
    server = start_server(settings={"COMMIT_TIMEOUT_S": "0.5"})
    chat(server.port, "echo", [user("I like figs.")])
    with server.database.open("r+b") as file:
        file.write(b"\0" * 4096)
    for suffix in ("-wal", "-shm"):
        Path(f"{server.database}{suffix}").unlink(missing_ok=True)
    answer = chat(server.port, "echo", [user(f"Are you there, {name}?")], {"x-toldonce-user": name}, stream=True)
    assert answer.status == 200
    assert answer.text == f"You said: Are you there, {name}?"
    assert upstream.having(f"there, {name}")
