"""What was made under the project's former name is found; what would be ignored under it is refused."""

import io
import json
import re
from pathlib import Path

import platformdirs
import pytest

import toldonce
from keyed_server import keyed_server
from populated import opened
from toldonce.chat.content import without_memory
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError, BadSettingError
from toldonce.extraction.own_text.own_words import own_words
from toldonce.hook.clients import CLIENTS
from toldonce.hook.config_file import apply_edit, installed_commands, plan_install, plan_uninstall
from toldonce.hook.places import spool_folder
from toldonce.prompt.escape import escape_quotation
from toldonce.settings import Settings
from toldonce.store.sql.rows import read_detail

FORMER_HOOK = "/venv/bin/python -E -P /venv/bin/recollect hook --client claude-code"


def test_a_former_variable_is_refused_with_its_new_name_and_without_its_value(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    monkeypatch.setenv("RECOLLECT_API_KEY", "of another product")
    Settings.load()
    for name in ("UPSTREAM_KEY", "upstream_key_file", "URL", "SUBJECT_KEYS"):
        monkeypatch.setenv(f"RECOLLECT_{name}", "geheim")
        with pytest.raises(
            BadSettingError, match=f"RECOLLECT_{name.upper()}.*is TOLDONCE_{name.upper()} now"
        ) as refused:
            Settings.load()
        assert "geheim" not in str(refused.value)
        monkeypatch.delenv(f"RECOLLECT_{name}")


def test_a_former_variable_beside_the_new_one_is_left_alone(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RECOLLECT_PORT", "1")
    monkeypatch.setenv("TOLDONCE_PORT", "1234")
    assert Settings.load().port == 1234


def test_the_default_database_is_the_former_one_where_that_alone_is_there(
    monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("TOLDONCE_DATABASE_URL", raising=False)
    monkeypatch.setattr(platformdirs, "user_data_dir", lambda name: str(tmp_path / name))
    former, present = tmp_path / "recollect" / "recollect.sqlite3", tmp_path / "toldonce" / "toldonce.sqlite3"
    assert Settings.load().database_url == f"sqlite:///{present}"
    for path in (former, present):
        path.parent.mkdir()
        path.touch()
        assert Settings.load().database_url == f"sqlite:///{path}"


def test_turns_that_hooks_could_not_deliver_are_kept(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path))
    waiting = tmp_path / "recollect" / "spool" / "turn.json"
    waiting.parent.mkdir(parents=True)
    waiting.write_text("{}", "utf-8")
    assert [file.name for file in Path(spool_folder()).iterdir()] == ["turn.json"]
    assert spool_folder() == str(tmp_path / "toldonce" / "spool")


def test_an_installed_hook_is_replaced_and_taken_out(tmp_path: Path) -> None:
    path, other = tmp_path / "settings.json", {"type": "command", "command": "beep"}
    hooks = {"Stop": [{"hooks": [other, {"type": "command", "command": FORMER_HOOK, "timeout": 10}]}]}
    path.write_text(json.dumps({"hooks": hooks}), "utf-8")
    apply_edit(plan_install(path, CLIENTS["claude-code"].entries([])), installs=True)
    assert "recollect" not in "".join(installed_commands(path))
    assert FORMER_HOOK not in path.read_text("utf-8")

    path.write_text(json.dumps({"hooks": hooks}), "utf-8")
    apply_edit(plan_uninstall(path), installs=False)
    assert json.loads(path.read_bytes()) == {"hooks": {"Stop": [{"hooks": [other]}]}}


@pytest.mark.parametrize("path", ["/v1/chat/completions", "/v1/models", "/v1/subjects/me", "/api/memory/stats", "/mcp"])
async def test_a_former_header_is_refused_on_every_route(engine: AsyncToldOnce, path: str) -> None:
    async with keyed_server(engine) as server:
        for who in ("none", "any user"):
            refused = await server.ask(who, "POST", path, {}, **{"X_Recollect_User": "ana"})
            assert refused.status_code == 400, "ignored, one person's memory would become another's"
            assert "x-recollect-user is x-toldonce-user now" in refused.text.lower()
        problem = await server.ask("any user", "GET", "/v1/subjects/me", x_recollect_user="ana")
        assert problem.json()["type"] == "/docs#bad-request"
        assert (await server.ask("any user", "GET", "/livez", x_recollect_user="ana")).status_code == 200


async def test_an_export_of_the_former_name_is_imported(tmp_path: Path) -> None:
    file = io.BytesIO()
    async with opened(f"sqlite:///{tmp_path}/here.sqlite3") as here:
        await here.add("The bird is the heron.", user="ana")
        await here.transfer.export_to(file, user="ana")
    head, _, rest = file.getvalue().partition(b"\n")
    assert head.startswith(b'{"toldonce":')
    async with opened(f"sqlite:///{tmp_path}/there.sqlite3") as there:
        with pytest.raises(BadRequestError, match="no export"):
            await there.transfer.import_from(io.BytesIO(head.replace(b"toldonce", b"told") + b"\n" + rest))
        await there.transfer.import_from(io.BytesIO(head.replace(b"toldonce", b"recollect") + b"\n" + rest))
        assert [memory.text for memory in await there.list(user="ana")] == ["The bird is the heron."]


def test_no_advice_names_a_package_that_is_not_ours() -> None:
    root = Path(toldonce.__file__).parents[1]
    files = [*root.glob("*.md"), *root.glob("docs/**/*.md"), *root.glob("toldonce/**/*.py"), *root.glob("deploy/*")]
    said = "\n".join(file.read_text("utf-8") for file in files if file.is_file())
    assert not re.findall(r"(?:pip install|pipx|uvx|uv add|uv tool)[^\n]{0,80}(?:toldonce|recollect)\b", said)
    assert "make extras" in said


def test_addresses_of_messages_are_read_as_they_are_written_now() -> None:
    detail = read_detail('{"source_uri": "recollect://c/3", "source_context": "recollect://c/3 said he"}')
    assert (detail.source_uri, detail.source_context) == ("toldonce://c/3", "recollect://c/3 said he")
    assert detail.context_source == ""


@pytest.mark.parametrize("name", ["recollect-memory", "toldonce-memory"])
def test_blocks_of_either_name_are_not_the_users_words(name: str) -> None:
    text = f"<{name} 1f>- likes tea</{name} 1f>What now?"
    assert without_memory(text) == "What now?"
    assert own_words(text) == "What now?"
    assert own_words(f"What now? <{name[:9]}") == "What now?"
    assert f"<{name}" not in escape_quotation(text)
