"""`tools/code_figures.py` counts what a tree has, and traces a chat turn through the proxy of that tree."""

import shutil
import subprocess
import sys
from pathlib import Path

ROOT = Path(__file__).parents[2]


def figure(table: str, name: str) -> float:
    [line] = [line for line in table.splitlines() if line.startswith(f"{name}  ")]
    return float(line.removeprefix(name).replace(",", ""))


def test_a_chat_turn_is_traced_and_a_planted_gerund_is_counted(tmp_path: Path) -> None:
    shutil.copytree(ROOT / "recollect", tmp_path / "recollect", ignore=shutil.ignore_patterns("__pycache__"))
    command = [sys.executable, str(ROOT / "tools" / "code_figures.py"), "--files"]
    here = subprocess.run([*command, str(ROOT)], capture_output=True, text=True, check=True).stdout
    (tmp_path / "recollect" / "chat" / "planting.py").write_text("for one in ():\n    MAX_ROWS = 1\n", "utf-8")
    there = subprocess.run([*command, str(tmp_path)], capture_output=True, text=True, check=True).stdout
    for name in ("gerund modules", "loop variables `one`", "MAX_/MIN_ constants", "modules (without __init__)"):
        assert figure(there, name) == figure(here, name) + 1, name
    assert "server/chat_completions.py" in here.split("until the answer ends:\n")[1]
    assert 50 < figure(here, "until the answer ends: files executed") < figure(here, "with formation: files executed")
    assert 10 < figure(here, "until the answer ends: of it frames of recollect") < 100
