"""Every example of README and docs does what it says: Python is run, commands, settings, headers and links exist.

The client examples talk to a real server process over a real socket.
"""

import os
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from forked_processes import run_python
from integration.server_process import ServerProcess
from patience import PATIENCE_S
from sample_chats import PEANUTS_AND_OSLO, user
from tables import check_each
from toldonce import ToldOnce
from toldonce.chat import identity
from toldonce.cli.main import app
from toldonce.settings import PREFIX, Settings
from toldonce.settings.all_settings import FILE_SUFFIX, secret_settings

pytestmark = pytest.mark.process

ROOT = Path(__file__).parents[2]
PAGES = (ROOT / "README.md", *sorted((ROOT / "docs").glob("*.md")))
_BLOCK = re.compile(r"(?ms)^```(?P<language>\w*)\n(?P<code>.*?)^```$")


def blocks(page: Path, *languages: str) -> list[str]:
    found = _BLOCK.finditer(page.read_text("utf-8"))
    return [block["code"] for block in found if block["language"] in languages]


def python_examples() -> Iterator[tuple[str, str]]:
    for page in PAGES:
        for place, code in enumerate(blocks(page, "python"), start=1):
            yield f"{page.name} {place}", code


EXAMPLES = dict(python_examples())
[LIBRARY] = [name for name, code in EXAMPLES.items() if "from toldonce import" in code and name.startswith("README")]
CLIENTS = [name for name, code in EXAMPLES.items() if "from openai import" in code]


def newcomer(folder: Path) -> dict[str, str]:
    """Return the environment of a person who has just installed ToldOnce."""
    env = {name: value for name, value in os.environ.items() if not name.startswith(PREFIX)}
    return env | {"HOME": str(folder), "XDG_DATA_HOME": str(folder)}


def run(code: str, folder: Path) -> list[str]:
    """Run code as a newcomer would, and return the lines that it prints."""
    (folder / "example.py").write_text(code, "utf-8")
    done = run_python("example.py", env=newcomer(folder), cwd=folder, timeout=PATIENCE_S)
    assert done.returncode == 0, done.stderr
    return done.stdout.splitlines()


def test_every_python_example_is_run_here_or_with_its_page() -> None:
    elsewhere = {name for name, code in EXAMPLES.items() if name.startswith(("library.md ", "frameworks.md "))}
    elsewhere |= {name for name, code in EXAMPLES.items() if "from anthropic import" in code}
    assert {LIBRARY, *CLIENTS} == set(EXAMPLES) - elsewhere


def test_the_library_example_remembers_and_says_why_without_settings(tmp_path: Path) -> None:
    lines = run(EXAMPLES[LIBRARY], tmp_path)
    assert [path.name for path in tmp_path.rglob("*.sqlite3")] == ["toldonce.sqlite3"]
    assert re.fullmatch(r"0\.\d\d  The user said: \"I'm allergic to peanuts\"  \(.+\)", lines[0])
    assert any("Oslo" in line for line in lines)
    assert len(run(EXAMPLES[LIBRARY], tmp_path)) == len(lines), "said twice is known once"


def test_the_library_example_has_ten_lines() -> None:
    assert len(EXAMPLES[LIBRARY].splitlines()) <= 10


@pytest.fixture
def server(tmp_path: Path) -> Iterator[ServerProcess]:
    server = ServerProcess(tmp_path / "data")
    server.start()
    yield server
    server.stop()


@pytest.mark.parametrize("name", CLIENTS)
def test_a_client_example_chats_with_memory_unchanged(name: str, server: ServerProcess) -> None:
    code = EXAMPLES[name]
    assert "http://127.0.0.1:8765/v1" in code
    code = code.replace("http://127.0.0.1:8765/v1", server.base_url).replace("client.chat", "answer = client.chat", 1)
    settings = Settings(database_url=f"sqlite:///{server.database}")
    with ToldOnce(settings) as memory:
        memory.record([user(PEANUTS_AND_OSLO)], user="ana")
        memory.form()
        before = len(memory.conversations.list(user="ana"))
        names: dict[str, Any] = {}
        exec(code, names)  # the page's own code; in a process of its own, it would import the SDK once more
        assert "peanuts" in names["answer"].choices[0].message.content
        names["client"].close()
        assert len(memory.conversations.list(user="ana")) == before + 1
        assert memory.conversations.list(user="local") == []


@check_each("page", PAGES)
def test_every_make_target_and_command_shown_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    targets = set(re.findall(r"(?m)^([a-z]+):", (ROOT / "Makefile").read_text("utf-8")))
    assert set(re.findall(r"(?m)(?:^|`|\$ |&& |/v1 )make ([a-z]+)\b", text)) - targets == set()
    commands = {info.name or (info.callback.__name__ if info.callback else "") for info in app.registered_commands}
    commands |= {group.name or "" for group in app.registered_groups}
    shown = {
        name
        for code in blocks(page, "", "console", "sh")
        for name in re.findall(r"\btoldonce ([a-z]+(?:-[a-z]+)*)\b", code)
    }
    shown |= set(re.findall(r"`toldonce ([a-z]+(?:-[a-z]+)*)\b", text))
    assert shown - commands == set()


# Of clients of a server, which read no settings.
CLIENTS_VARIABLES = {"TOLDONCE_URL", "TOLDONCE_KEY"}


@check_each("page", PAGES)
def test_every_setting_and_header_named_exists(page: Path) -> None:
    text = page.read_text("utf-8")
    settings = {f"{PREFIX}{name.upper()}" for name in Settings.model_fields}
    settings |= {f"{PREFIX}{name.upper()}{FILE_SUFFIX}" for name in secret_settings()} | CLIENTS_VARIABLES
    assert set(re.findall(r"\bTOLDONCE_[A-Z_]+\b", text)) - settings == set()
    known = {value for value in vars(identity).values() if isinstance(value, str)}
    known |= {"x-toldonce-show", "x-toldonce-subject"}
    assert set(re.findall(r"\bx-(?:toldonce|openwebui)-[a-z-]+\b", text)) - known == set()


@check_each("page", PAGES)
def test_every_link_within_the_project_leads_somewhere(page: Path) -> None:
    lost = []
    for link in re.findall(r"\]\(([^)\s]+)\)", page.read_text("utf-8")):
        if re.match(r"[a-z]+:", link):
            continue
        path, _, anchor = link.partition("#")
        target = (page.parent / path) if path else page
        if not target.exists() or (anchor and anchor not in anchors(target)):
            lost.append(link)
    assert lost == []


def anchors(page: Path) -> set[str]:
    """Return the anchors that GitHub makes of a page's headings."""
    headings = re.findall(r"(?m)^#+ +(.+)$", page.read_text("utf-8"))
    return {re.sub(r"[^\w -]", "", heading).strip().lower().replace(" ", "-") for heading in headings}
