"""The command line as processes: chat, serve and worker, signals, pipes."""

import json
import signal

import pytest

from integration.server_process import ServerProcess
from integration.shell import Shell
from patience import PATIENCE_S


def test_a_piped_chat_remembers_across_conversations_and_processes(shell: Shell) -> None:
    process = shell.start("chat")
    said = b"I am allergic to peanuts.\n/new\nWhat about peanuts?\n/memories\n"
    out, err = (printed.decode() for printed in process.communicate(said, timeout=PATIENCE_S))

    assert process.returncode == 0, err
    recalled = [line for line in out.splitlines() if line.startswith("  · ")]
    assert recalled, out
    assert out.index("I recall nothing about this yet.") < out.index(recalled[0])
    assert any("allergic to peanuts" in line and 'shares the word "peanuts"' in line for line in recalled)
    _, again, _ = shell.run("chat", stdin="Tell me about peanuts.\n")
    assert "allergic to peanuts" in again
    _, other, _ = shell.run("chat", "--user", "ben", stdin="Tell me about peanuts.\n")
    assert "allergic to peanuts" not in other


def test_c11_line_commands_of_a_chat_are_handled_before_memory_is(shell: Shell) -> None:
    code, _, err = shell.run("chat", stdin="/memories\n/new\nI am allergic to peanuts.\n/quit\nI live in Rome.\n")
    assert code == 0, err
    _, listed, _ = shell.run("list", "--kind", "turn", "--kind", "fact", "--json")
    texts = [memory["text"] for memory in json.loads(listed)["memories"]]
    assert "I am allergic to peanuts." in texts
    assert not [text for text in texts if text.startswith("/") or "Rome" in text]


def test_a_chat_talks_to_the_server_that_runs(shell: Shell) -> None:
    server = ServerProcess(shell.folder)
    try:
        server.start()
        shell.environment["TOLDONCE_PORT"] = str(server.port)
        code, _, err = shell.run("chat", "--user", "cleo", stdin="I am learning the cello.\n")
        assert code == 0, err
        assert server.health()["proxy"]["recorded"] == 1
        code, out, err = shell.run("doctor", "--json")
        assert code == 0, err
        (address,) = [line for line in json.loads(out)["findings"] if line["what"] == "address"]
        assert address["text"].startswith("a ToldOnce server answers")
        server.stop()
    finally:
        server.kill()


def test_a_chat_with_keys_sends_one_or_makes_its_own(shell: Shell) -> None:
    code, secret, err = shell.run("keys", "create", "--name", "laptop", "--user", "cleo")
    assert code == 0, err
    code, out, err = shell.run("chat", "--user", "cleo", stdin="I am learning the cello.\n")
    assert (code, "remembered" in out) == (0, True), err
    _, listed, _ = shell.run("keys", "list", "--json")
    states = {key["name"]: key["revoked_at"] is None for key in json.loads(listed)["keys"]}
    assert states == {"laptop": True, "toldonce chat": False}
    server = ServerProcess(shell.folder, settings={"DATABASE_URL": shell.environment["TOLDONCE_DATABASE_URL"]})
    try:
        server.start()
        url = f"http://127.0.0.1:{server.port}"
        code, _, err = shell.run("chat", "--url", url, "--user", "cleo", stdin="What do I learn?\n")
        assert (code, "401" in err) == (1, True)
        shell.environment["TOLDONCE_KEY"] = secret.strip()
        code, out, err = shell.run("chat", "--url", url, "--user", "cleo", stdin="What am I learning? The cello?\n")
        assert (code, "cello" in out) == (0, True), err
    finally:
        server.kill()


def test_a_chat_without_a_reachable_server_says_so_in_one_line(shell: Shell) -> None:
    code, out, err = shell.run("chat", "--url", "http://127.0.0.1:1", stdin="Hello?\n")

    assert (code, out) == (1, "")
    assert len(err.splitlines()) == 1
    assert "http://127.0.0.1:1" in err


@pytest.mark.parametrize(("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 0)])
def test_a_server_told_to_stop_closes_its_database_and_ends_quietly(
    shell: Shell, number: signal.Signals, code: int
) -> None:
    process = shell.start("serve", "--port", "0", fresh=number == signal.SIGINT)
    assert process.stdout is not None
    while b"Ctrl-C" not in process.stdout.readline():
        assert process.poll() is None
    process.send_signal(number)
    _, err = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == code
    assert b"Traceback" not in err
    # The last connection copies the log into the file and removes it: its absence shows that it was closed.
    assert not (shell.folder / "memory.sqlite3-wal").exists()


def test_a_worker_forms_what_waits_and_ends_when_told(shell: Shell) -> None:
    said = {"id": "c", "messages": [{"role": "user", "content": "I keep bees in Oslo."}]}
    (shell.folder / "one.jsonl").write_text(json.dumps(said))
    assert shell.run("replay", "one.jsonl")[0] == 0
    process = shell.start("worker")
    assert process.stdout is not None
    assert b"Forming memories in sqlite:///" in process.stdout.readline()
    process.send_signal(signal.SIGTERM)
    out, err = process.communicate(timeout=PATIENCE_S)

    assert process.returncode == 0, err
    assert out.startswith(b"formed ")


def test_a_reader_that_closes_the_pipe_causes_no_error_message(shell: Shell) -> None:
    lines = "".join(f"Ana has read book number {number} of the long series.\n" for number in range(300))
    assert shell.run("add", "-", stdin=lines)[0] == 0
    with shell.start("list", "--json", "--limit", "300", fresh=True) as process:
        assert process.stdout is not None
        assert process.stderr is not None
        process.stdout.readline()
        process.stdout.close()
        err = process.stderr.read()

    assert err == b""


def test_a_port_in_use_is_a_setup_error(shell: Shell) -> None:
    server = ServerProcess(shell.folder / "other")
    try:
        server.start()
        code, out, err = shell.run("serve", "--port", str(server.port))
    finally:
        server.kill()

    assert (code, out) == (3, "")
    assert f"127.0.0.1:{server.port} is taken" in err
    assert len(err.splitlines()) == 1
