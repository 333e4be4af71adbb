"""Hooks as processes: they remember, and whatever fails stays silent and short."""

import os
import signal
import socket
import stat
import subprocess
from collections.abc import Iterator
from itertools import count
from pathlib import Path

import pytest

from integration.database_reader import Database
from integration.hook_process import HookProcess, event
from integration.raw_client import eventually
from integration.server_process import ServerProcess
from patience import PATIENCE_S
from soak import SOAK

PNPM = "We use pnpm in this project, never npm. I'm allergic to peanuts."
ASKED = "Which package manager do we use?"
# Each that begins before the first has its lock imports all that a resident process needs.
SESSIONS = range(6 if SOAK else 3)


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[HookProcess]:
    process = HookProcess(tmp_path / "home")
    yield process
    process.close()


def formed(hook: HookProcess) -> bool:
    """Wait until memories are formed: on a busy machine, and after the lease of a killed process."""
    return eventually(lambda: Database(hook.database).settled("local"))


def test_a_new_session_knows_what_an_earlier_one_said(hook: HookProcess) -> None:
    assert (first := hook.prompt(PNPM)).code == 0
    assert first.output == b""
    assert hook.stop("Noted.").output == b""
    assert formed(hook)

    added = hook.prompt(ASKED, session="s2", turn="2").added
    elsewhere = hook.prompt(ASKED, session="s3", turn="3", folder="/work/bank").added

    assert "We use pnpm" in added
    assert "peanuts" in added
    assert "peanuts" in elsewhere
    assert "pnpm" not in elsewhere
    assert hook.prompt("And in CI, which package manager?", session="s2", turn="4").added == ""
    shown = hook.run(b'{"session_id": "s2", "model": {"id": "claude-opus-5"}}', "--status-line").output.decode()
    assert shown.startswith("ToldOnce: ")
    assert "We use pnpm" in shown
    assert hook.log == ""


def test_what_was_said_survives_the_death_of_the_resident_process(hook: HookProcess) -> None:
    hook.prompt(PNPM)
    assert hook.end_resident(signal.SIGKILL) == 1

    hook.stop("Noted.")

    # Where the next process could not start in time, the hook after that starts it.
    turns = count(2)
    assert eventually(lambda: "We use pnpm" in hook.prompt(ASKED, session="s2", turn=str(next(turns))).added)


def test_sessions_that_begin_at_once_share_one_process_and_lose_nothing(hook: HookProcess) -> None:
    raw = [event("UserPromptSubmit", session=f"s{n}", prompt=f"Fix bug number {n}.", cwd="/work/a") for n in SESSIONS]
    running = [
        subprocess.Popen(hook.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=hook.env) for _ in raw
    ]
    for process, sent in zip(running, raw, strict=True):
        assert process.stdin is not None
        process.stdin.write(sent)
        process.stdin.close()
    assert [process.wait(PATIENCE_S) for process in running] == [0] * len(raw)
    for process in running:
        assert process.stdout is not None
        process.stdout.close()

    assert hook.end_resident() == 1
    said = {message.text for message in Database(hook.database).messages("local")}
    assert said == {f"Fix bug number {n}." for n in SESSIONS}


def test_the_socket_is_the_users_alone(hook: HookProcess) -> None:
    hook.prompt("Hello there.")

    [path] = (hook.runtime / "toldonce").glob("*.sock")
    assert stat.S_IMODE(path.parent.stat().st_mode) == 0o700
    assert stat.S_IMODE(path.stat().st_mode) & 0o077 == 0


def test_a_server_answers_hooks(hook: HookProcess, tmp_path: Path) -> None:
    server = ServerProcess(tmp_path / "server")
    server.start()
    try:
        at = ("--url", f"http://127.0.0.1:{server.port}/v1", "--user", "ana")
        assert hook.run(event("UserPromptSubmit", prompt=PNPM, cwd="/work/shop"), *at).output == b""
        hook.run(event("Stop", last_assistant_message="Noted.", cwd="/work/shop"), *at)
        assert eventually(lambda: Database(server.database).settled("ana"))
        asked = event("UserPromptSubmit", session="s2", turn="2", prompt=ASKED, cwd="/work/shop")
        assert "We use pnpm" in hook.run(asked, *at).added
        assert b"We use pnpm" in hook.run(b'{"session_id": "s2"}', *at, "--status-line").output
        assert hook.log == ""
        assert hook.end_resident() == 0
    finally:
        server.stop()


@pytest.mark.parametrize(
    "raw",
    [b"", b"{", b"[1]", b"\xff\xfe\x00", b'{"hook_event_name": "Stop"}', b'{"hook_event_name": 5}', b"[" * 100_000],
)
def test_broken_input_adds_nothing(hook: HookProcess, raw: bytes) -> None:
    ran = hook.run(raw)

    assert (ran.code, ran.output, ran.errors) == (0, b"", b"")


def test_a_huge_prompt_is_taken(hook: HookProcess) -> None:
    raw = event("UserPromptSubmit", prompt="I live in Oslo. " + "x " * 5_000_000, cwd="/work/shop")

    ran = hook.run(raw.replace(b"Oslo", b"\xff\xfeOslo"))

    assert (ran.code, ran.errors) == (0, b"")
    assert hook.log == ""


@pytest.mark.parametrize("habit", ["closed", "silent", "garbage", "refusing"])
def test_a_bad_server_adds_nothing_and_takes_no_time(hook: HookProcess, habit: str) -> None:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port = listener.getsockname()[1]
        if habit == "closed":
            listener.close()
        answer = {"garbage": b"SSH-2.0\r\n\r\n", "refusing": b"HTTP/1.1 500 No\r\ncontent-length: 0\r\n\r\n"}.get(habit)
        process = subprocess.Popen(
            [*hook.command("--url", f"http://127.0.0.1:{port}"), "--timeout", "1"],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            env=hook.env,
        )
        if answer is not None:
            process.stdin.write(event("UserPromptSubmit", prompt="I live in Oslo."))  # type: ignore[union-attr]
            process.stdin.close()  # type: ignore[union-attr]
            process.stdin = None
            connection, _ = listener.accept()
            connection.recv(4096)
            connection.sendall(answer)
            connection.close()
            output, _ = process.communicate(timeout=PATIENCE_S)
        else:
            output, _ = process.communicate(event("UserPromptSubmit", prompt="I live in Oslo."), timeout=PATIENCE_S)

    assert (process.returncode, output) == (0, b"")
    assert hook.log.count("\n") == 1
    assert "Oslo" not in hook.log


def test_stdin_that_never_ends_is_given_up(hook: HookProcess) -> None:
    process = subprocess.Popen([*hook.command(), "--timeout", "0.5"], stdin=subprocess.PIPE, env=hook.env)
    try:
        assert process.wait(PATIENCE_S) == 0
    finally:
        assert process.stdin is not None
        process.stdin.close()
    assert "too long" in hook.log


def test_a_database_that_cannot_be_opened_adds_nothing(hook: HookProcess) -> None:
    hook.database.write_bytes(b"no database " * 1000)

    ran = hook.run(event("UserPromptSubmit", prompt="I live in Oslo."), "--timeout", "3")

    assert (ran.code, ran.output, ran.errors) == (0, b"", b"")
    assert "did not start in time" in hook.log
    assert "Oslo" not in hook.log


def test_without_home_and_where_nothing_can_be_written_it_is_silent(hook: HookProcess) -> None:
    env = {name: value for name, value in hook.env.items() if name in ("PATH", "TMPDIR")}
    env |= {"XDG_RUNTIME_DIR": "/proc/none", "XDG_STATE_HOME": "/proc/none", "TMPDIR": "/proc/none"}
    done = subprocess.run(
        [*hook.command("--database", "sqlite:////proc/none/x.db"), "--timeout", "1"],
        input=event("UserPromptSubmit", prompt="I live in Oslo."),
        capture_output=True,
        env=env | {"HOME": "/proc/none"},
        timeout=PATIENCE_S,
        cwd="/",
    )

    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    assert os.path.exists("/proc")
