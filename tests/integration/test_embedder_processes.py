"""A running server notices that another process changes the embedder of its database, without a restart."""

import os
from pathlib import Path

import pytest

from forked_processes import run_python
from integration.raw_client import chat, eventually
from integration.server_process import ServerProcess, StartServer
from patience import PATIENCE_S
from tiny_onnx import write_folder

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def toldonce(server: ServerProcess, *arguments: str) -> str:
    """Run a command line on the server's database."""
    kept = ("PATH", "PYTHONPATH", "TMPDIR")
    env = {name: os.environ[name] for name in kept if name in os.environ}
    env |= {"HOME": str(server.folder), "TOLDONCE_DATABASE_URL": f"sqlite:///{server.database}"}
    done = run_python("-m", "toldonce", *arguments, env=env, cwd=server.folder, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return done.stdout


def recalled(server: ServerProcess, text: str) -> list[str]:
    answer = chat(server.port, "toldonce/offline", [{"role": "user", "content": text}])
    assert answer.status == 200
    return [item["text"] for item in answer.json.get("memories", [])]


def test_a_running_server_uses_the_new_embedder_at_once(start_server: StartServer, tmp_path: Path) -> None:
    server = start_server(offline=True)
    chat(server.port, "toldonce/offline", [{"role": "user", "content": "I live in Oslo and Ben likes tea."}])
    assert eventually(lambda: any("Oslo" in text for text in recalled(server, "Where do I live?")))

    folder = write_folder(tmp_path / "tiny")
    shown = toldonce(server, "embedder", "use", str(folder), "--yes")
    assert "re-embedded" in shown
    assert any("Oslo" in text for text in recalled(server, "Where do I live?"))
    chat(server.port, "toldonce/offline", [{"role": "user", "content": "My sister Mira restores old clocks in Ghent."}])
    assert eventually(lambda: any("Mira" in text for text in recalled(server, "What does Mira restore?")))

    state = toldonce(server, "embedder")
    assert "wait to be embedded" not in state
    spaces = [line.split("\t") for line in state.splitlines() if "\t" in line]
    assert [(name.startswith("tiny-48-"), int(subjects)) for name, _, subjects in spaces] == [(True, 1)]
    assert "Traceback" not in server.output()
