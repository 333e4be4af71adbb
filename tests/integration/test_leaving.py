"""A client that disconnects, in each phase of its request: upstream is closed within a second."""

import json
import socket
import time
from pathlib import Path

import pytest

from integration.database_reader import Database
from integration.fake_upstream import FakeUpstream
from integration.raw_client import chat, eventually, sent, user
from integration.server_process import ServerProcess

PATH = "/v1/chat/completions"
WITHIN_S = 1.0


def body(model: str, text: str, *, stream: bool) -> bytes:
    return json.dumps({"model": model, "stream": stream, "messages": [user(text)]}).encode()


def open_sockets(server: ServerProcess) -> int:
    """Count the server's established connections to or from anybody, as the kernel sees them."""
    inodes = set()
    with open("/proc/net/tcp", encoding="ascii") as table:
        for line in table.readlines()[1:]:
            fields = line.split()
            if fields[3] == "01":
                inodes.add(f"socket:[{fields[9]}]")
    held = 0
    for descriptor in Path(f"/proc/{server.pid}/fd").iterdir():
        try:
            held += str(descriptor.readlink()) in inodes
        except OSError:
            continue
    return held


PHASES = {
    "before the headers": ("shape:hang-at-headers", True),
    "in the stream": ("slow", True),
    "without a stream": ("slow", False),
    "in a body without a stream": ("shape:silence", False),
}


@pytest.mark.timing
@pytest.mark.parametrize("memory", ["on", "off"])
@pytest.mark.parametrize("phase", PHASES)
def test_upstream_is_let_go_when_the_client_leaves(
    server: ServerProcess, upstream: FakeUpstream, name: str, memory: str, phase: str
) -> None:
    model, stream = PHASES[phase]
    assert upstream.wait_idle()
    headers = {"x-toldonce-user": name, "x-toldonce-memory": memory}
    with sent(server.port, PATH, body(model, name, stream=stream), headers) as wire:
        assert eventually(lambda: bool(upstream.having(name)) and upstream.answering == 1)
        if model == "slow" and stream:
            assert b"200" in wire.recv(200)
    assert upstream.wait_idle(within_s=WITHIN_S)


def test_a_client_that_leaves_within_its_request_reaches_no_upstream(
    server: ServerProcess, upstream: FakeUpstream, name: str
) -> None:
    whole = body("echo", name, stream=True)
    with sent(server.port, PATH, whole[:-5], {"Content-Length": str(len(whole))}):
        time.sleep(0.1)
    assert chat(server.port, "echo", [user("Still there?")]).status == 200
    assert upstream.having(name) == []


def test_what_was_said_until_the_client_left_is_kept_as_incomplete(
    server: ServerProcess, database: Database, name: str
) -> None:
    with sent(server.port, PATH, body("slow", f"Count for {name}.", stream=True), {"x-toldonce-user": name}) as wire:
        received = b""
        while received.count(b"content") < 4:
            received += wire.recv(1 << 16)
    assert eventually(lambda: len(database.messages(name)) == 2)
    said, answered = database.messages(name)
    assert (said.text, answered.complete) == (f"Count for {name}.", False)
    assert answered.text.startswith("0 1 2 ")


@pytest.mark.soak
def test_many_that_leave_leave_no_socket_behind(
    server: ServerProcess, upstream: FakeUpstream, name: str, soak: int | None
) -> None:
    assert upstream.wait_idle()
    chat(server.port, "echo", [user("Warm up.")])
    before = open_sockets(server)
    wires: list[socket.socket] = []
    for number in range(soak or 24):
        model = ("slow", "shape:hang-at-headers", "shape:silence")[number % 3]
        with sent(server.port, PATH, body(model, f"{name}-{number}.", stream=number % 2 == 0)) as wire:
            wires.append(wire.dup())
    assert eventually(lambda: upstream.answering >= 16)
    for wire in wires:
        wire.close()
    assert upstream.wait_idle()
    assert eventually(lambda: open_sockets(server) <= before)
