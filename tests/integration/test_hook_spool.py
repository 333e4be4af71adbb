"""What a hook cannot deliver waits and is delivered once: without a server, behind a lock, after kills anywhere."""

import json
import os
import random
import signal
import socket
import subprocess
import sys
import time
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

import pytest

from forked_processes import forked_script
from integration.database_reader import Database, held
from integration.hook_process import HookProcess, event
from integration.raw_client import eventually
from integration.server_process import ServerProcess
from patience import PATIENCE_S

KILLED = Path(__file__).with_name("killed_hook.py")
_MAX_STEPS = 200


@pytest.fixture
def hook(tmp_path: Path) -> Iterator[HookProcess]:
    process = HookProcess(tmp_path / "home")
    yield process
    process.close()


def waiting(hook: HookProcess) -> list[Path]:
    return sorted((hook.home / "state" / "toldonce" / "spool").glob("*"))


def said(database: Path, user: str = "local") -> list[tuple[str, str]]:
    if not database.exists():
        return []
    return [(message.role, message.text) for message in Database(database).messages(user)]


def free_port() -> int:
    with socket.create_server(("127.0.0.1", 0)) as listener:
        port: int = listener.getsockname()[1]
        return port


def test_what_was_said_without_a_server_is_delivered_in_order(hook: HookProcess, tmp_path: Path) -> None:
    port = free_port()
    at = ("--url", f"http://127.0.0.1:{port}", "--user", "ana")
    for number in (1, 2):
        hook.run(event("UserPromptSubmit", turn=f"{number}", prompt=f"Fix bug {number}.", cwd="/work/a"), *at)
        hook.run(event("Stop", turn=f"{number}", last_assistant_message=f"Fixed {number}.", cwd="/work/a"), *at)
    hook.run(event("UserPromptSubmit", session="other", turn="9", prompt="Where is it?", cwd="/work/b"), *at)
    assert len(waiting(hook)) == 5
    assert all(path.stat().st_mode & 0o077 == 0 for path in waiting(hook))

    server = ServerProcess(tmp_path / "server", settings={"PORT": str(port)})
    server.start()
    try:
        hook.run(event("UserPromptSubmit", turn="3", prompt="Fix bug 3.", cwd="/work/a"), *at)
        assert eventually(lambda: waiting(hook) == [])
    finally:
        server.stop()

    expected = [
        *(("user", "Fix bug 1."), ("assistant", "Fixed 1."), ("user", "Fix bug 2."), ("assistant", "Fixed 2.")),
        ("user", "Fix bug 3."),
    ]
    own = {message.conversation for message in Database(server.database).messages("ana") if "bug" in message.text}
    assert len(own) == 1
    log = Database(server.database).messages("ana")
    assert [(message.role, message.text) for message in log if message.conversation in own] == expected
    assert ("user", "Where is it?") in said(server.database, "ana")


def test_what_waits_for_a_locked_database_comes_later(hook: HookProcess) -> None:
    hook.prompt("Hello there.")
    assert eventually(lambda: waiting(hook) == [])
    with held(hook.database):
        ran = hook.run(event("UserPromptSubmit", session="s2", prompt="I live in Oslo."), "--timeout", "1")

        assert (ran.code, ran.output) == (0, b"")
        assert len(waiting(hook)) == 1
    assert eventually(lambda: waiting(hook) == [])
    assert Counter(said(hook.database))[("user", "I live in Oslo.")] == 1


def test_a_turn_that_the_server_refuses_is_put_aside(hook: HookProcess, tmp_path: Path) -> None:
    port = free_port()
    at = ("--url", f"http://127.0.0.1:{port}", "--user", "ana")
    hook.run(event("UserPromptSubmit", turn="1", prompt="I live in Oslo.", cwd="/work/a"), *at)
    [late] = waiting(hook)
    # As a newer version may write it.
    late.write_text(json.dumps(json.loads(late.read_text("utf-8")) | {"event": "dream"}), "utf-8")
    server = ServerProcess(tmp_path / "server", settings={"PORT": str(port)})
    server.start()
    try:
        hook.run(event("UserPromptSubmit", turn="2", prompt="I row.", cwd="/work/a"), *at)
    finally:
        server.stop()

    assert [path.name for path in waiting(hook)] == [late.with_suffix(".refused").name]
    assert [text for _, text in said(server.database, "ana")] == ["I row."]
    assert "put aside: the server answered 400" in hook.log


def test_what_waits_for_one_key_is_not_given_to_another(hook: HookProcess, tmp_path: Path) -> None:
    port = free_port()
    url = ("--url", f"http://127.0.0.1:{port}")
    hook.run(event("UserPromptSubmit", turn="1", prompt="I live in Oslo.", cwd="/work/a"), *url, TOLDONCE_KEY="rk_a")
    server = ServerProcess(tmp_path / "server", settings={"PORT": str(port)})
    server.start()
    try:
        hook.run(event("UserPromptSubmit", turn="2", prompt="I row.", cwd="/work/a"), *url)
    finally:
        server.stop()

    assert len(waiting(hook)) == 1
    assert [text for _, text in said(server.database)] == ["I row."]


def test_a_kill_at_any_point_neither_loses_nor_doubles_a_turn(hook: HookProcess) -> None:
    """Each hook is killed a step later than the one before, until one lives to its end."""
    hook.prompt("Hello there.", session="first")
    spooled: list[str] = []
    for step in range(1, _MAX_STEPS):
        text = f"Fix bug {step} of the parser."
        raw = event("UserPromptSubmit", session=f"k{step}", turn=f"t{step}", prompt=text, cwd="/work/a")
        command = [sys.executable, str(KILLED), str(step), "--timeout", "20"]
        done = subprocess.run(command, input=raw, capture_output=True, env=hook.env, cwd=hook.home, timeout=PATIENCE_S)
        if any(text in path.read_text("utf-8") for path in waiting(hook) if path.suffix == ".json"):
            spooled.append(text)
        if done.returncode != -signal.SIGKILL:
            break
    assert done.returncode == 0
    assert step > 15
    assert len(spooled) > 3
    assert eventually(lambda: [path for path in waiting(hook) if path.suffix == ".json"] == [])

    counted = Counter(said(hook.database))
    assert {counted[("user", text)] for text in spooled} == {1}
    assert counted[("user", text)] == 1
    assert max(counted.values()) == 1


def test_a_kill_while_an_answer_is_delivered_does_not_double_it(hook: HookProcess) -> None:
    for step in range(1, _MAX_STEPS):
        hook.prompt(f"Fix bug {step}.", session="s1", turn=f"t{step}")
        raw = event("Stop", session="s1", turn=f"t{step}", last_assistant_message=f"Fixed {step}.", cwd="/work/shop")
        command = [sys.executable, str(KILLED), str(step), "--timeout", "20"]
        done = subprocess.run(command, input=raw, capture_output=True, env=hook.env, cwd=hook.home, timeout=PATIENCE_S)
        if done.returncode != -signal.SIGKILL:
            break
    assert done.returncode == 0
    log = said(hook.database)
    assert Counter(log).most_common(1)[0][1] == 1
    for role, text in log:
        if role == "assistant":  # each below its own prompt
            assert log[log.index((role, text)) - 1] == ("user", text.replace("Fixed", "Fix bug"))
    assert ("assistant", f"Fixed {step}.") in log


def test_kills_of_the_background_process_lose_and_double_nothing(hook: HookProcess) -> None:
    chance = random.Random(17)
    texts = [f"Fix bug {number} of the lexer." for number in range(4)]
    for number, text in enumerate(texts):
        raw = event("UserPromptSubmit", session=f"s{number % 2}", turn=f"t{number}", prompt=text, cwd="/work/a")
        process = subprocess.Popen(hook.command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, env=hook.env)
        assert process.stdin is not None
        process.stdin.write(raw)
        process.stdin.close()
        time.sleep(chance.uniform(0, 1.5))
        hook.end_resident(signal.SIGKILL)
        assert process.wait(PATIENCE_S) == 0
        assert process.stdout is not None
        process.stdout.close()
    for number in range(5):  # what meets an ending process waits for the next prompt
        hook.prompt("Thanks.", session="s0", turn=f"last{number}")
        if eventually(lambda: waiting(hook) == [], within_s=30):
            break
    assert waiting(hook) == []

    counted = Counter(said(hook.database))
    assert {counted[("user", text)] for text in texts} == {1}


def test_an_encrypted_database_has_no_spool(hook: HookProcess) -> None:
    raw = event("UserPromptSubmit", prompt="I live in Oslo.")

    hook.run(raw, "--url", "http://127.0.0.1:1", TOLDONCE_DATABASE_KEY="correct horse battery")

    assert waiting(hook) == []
    assert "Oslo" not in hook.log


def test_the_status_says_what_waits(hook: HookProcess) -> None:
    hook.run(event("UserPromptSubmit", prompt="I live in Oslo."), "--url", "http://127.0.0.1:1")

    script = str(forked_script())
    told = subprocess.run([script, "hook", "status", "--json"], capture_output=True, env=hook.env, cwd=hook.home)
    past = time.time() - 3600
    os.utime(waiting(hook)[0], (past, past))
    doctor = subprocess.run([script, "doctor"], capture_output=True, text=True, env=hook.env, cwd=hook.home)

    assert json.loads(told.stdout)["undelivered"] == [str(path) for path in waiting(hook)]
    assert "1 turn could not be delivered" in doctor.stdout
    assert "Oslo" not in doctor.stdout
