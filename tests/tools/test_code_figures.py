"""`tools/code_figures.py` counts what a tree has, and traces a chat turn through the proxy of that tree."""

import runpy
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

from soak import only_whole

ROOT = Path(__file__).parents[2]
SCRIPT = ROOT / "tools" / "code_figures.py"


def figure(table: str, name: str) -> float:
    [line] = [line for line in table.splitlines() if line.startswith(f"{name}  ")]
    return float(line.removeprefix(name).replace(",", ""))


@pytest.mark.soak
@only_whole
def test_a_chat_turn_is_traced() -> None:
    done = subprocess.run([sys.executable, str(SCRIPT), "--files", str(ROOT)], capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    table = done.stdout
    assert figure(table, "modules (without __init__)") > 100
    assert "server/chat_completions.py" in table.split("until the answer ends:\n")[1]
    assert 50 < figure(table, "until the answer ends: files executed") < figure(table, "with formation: files executed")
    assert 10 < figure(table, "until the answer ends: of it frames of toldonce") < 100


def test_a_planted_gerund_is_counted(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "toldonce" / "chat", tmp_path / "toldonce" / "chat")
    tree_figures = runpy.run_path(str(SCRIPT))["tree_figures"]
    before = tree_figures(tmp_path)
    (tmp_path / "toldonce" / "chat" / "planting.py").write_text("for one in ():\n    MAX_ROWS = 1\n", "utf-8")
    after = tree_figures(tmp_path)
    for name in ("gerund modules", "loop variables `one`", "MAX_/MIN_ constants", "modules (without __init__)"):
        assert after[name] == before[name] + 1, name
