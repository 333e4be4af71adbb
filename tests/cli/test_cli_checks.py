"""`toldonce doctor`, and how the front door treats what nobody foresaw."""

from pathlib import Path

import pytest

from cli.conftest import CommandLine
from pretended_migration import pretend_migration
from toldonce.cli.main import command_line
from toldonce.server.doctor import database_file, destination_finding, settings_in_effect, upstream_finding
from toldonce.server.findings import FindingState
from toldonce.settings import Settings
from toldonce.store.sqlite.migrate import newest_schema


@pytest.fixture(autouse=True)
def _no_port(database: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """No unit test opens a port: 0 means any free one, and is not tried."""
    assert database.parent.exists()
    monkeypatch.setenv("TOLDONCE_PORT", "0")


def states(cli: CommandLine, *options: str) -> dict[str, str]:
    findings = cli("doctor", "--json", *options).json["findings"]
    return {finding["what"]: finding["state"] for finding in findings}


def test_before_the_first_use_all_is_well_and_no_database_is_made(cli: CommandLine, database: Path) -> None:
    result = cli("doctor")

    assert result.code == 0
    assert "is created on first use" in result.out
    assert [line for line in result.out.splitlines() if not line.startswith("ok ")] == []
    assert not database.exists()


def test_a_database_is_counted_and_checked(cli: CommandLine) -> None:
    cli("add", "Ana keeps bees.")
    result = cli("doctor", "--check", "--json")

    assert result.code == 0
    assert result.json["ok"] is True
    texts = {finding["what"]: finding["text"] for finding in result.json["findings"]}
    assert texts["integrity"] == "files and indexes are consistent"
    assert "1 subject, 0 conversations, 0 messages, 1 memory" in texts["database"]
    assert texts["formations"] == "0 due, none parked"


def test_a_file_that_others_can_read_is_a_warning_with_what_to_do(cli: CommandLine, database: Path) -> None:
    cli("add", "Ana keeps bees.")
    database.chmod(0o644)

    result = cli("doctor")
    assert result.code == 0
    assert f"chmod 600 {database}" in result.out
    assert states(cli)["file"] == "warn"


def test_the_copy_of_before_a_migration_is_a_warning_with_what_to_do(
    cli: CommandLine, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("add", "Ana keeps bees.")
    copy = f"{database}.schema-{newest_schema()}"
    pretend_migration(monkeypatch)
    cli("list")
    assert f"rm {copy}" in cli("doctor").out
    assert states(cli)["copy"] == "warn"


def test_a_file_that_is_not_a_database_fails_and_the_other_checks_run(cli: CommandLine, database: Path) -> None:
    database.write_bytes(b"words " * 2000)
    result = cli("doctor", "--json")

    assert result.code == 1
    assert result.json["ok"] is False
    found = {finding["what"]: finding["state"] for finding in result.json["findings"]}
    assert found["database"] == "fail"
    assert found["address"] == "ok"


def test_settings_are_shown_without_their_secrets(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOLDONCE_JWT_SECRET", "very-secret-and-long-enough-to-sign")
    result = cli("doctor")

    assert "TOLDONCE_JWT_SECRET=…" in result.out
    assert "very-secret-and-long-enough-to-sign" not in result.out
    assert settings_in_effect(Settings.load())["TOLDONCE_PORT"] == "0"


@pytest.mark.parametrize(
    ("status", "has_key", "state"),
    [
        (200, False, FindingState.OK),
        (401, False, FindingState.OK),
        (401, True, FindingState.FAIL),
        (404, True, FindingState.WARN),
        (500, False, FindingState.WARN),
    ],
)
def test_an_upstream_is_judged_by_its_answer_and_by_whose_key_it_wants(
    status: int, has_key: bool, state: FindingState
) -> None:
    assert upstream_finding("http://127.0.0.1:1/v1", status, has_key=has_key).state is state


def test_a_relative_database_url_is_a_file_of_the_working_folder(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)

    assert database_file("sqlite:///memory.db") == tmp_path / "memory.db"


def test_nothing_waits_in_a_new_database_and_there_is_nothing_to_retry(cli: CommandLine) -> None:
    assert cli("formations").err == "no pending or parked formations\n"
    assert cli("formations", "--parked").err == "no parked formations\n"
    assert cli("formations", "--retry-parked", "--json").json == {"formations": [], "retried": 0}


def test_a_model_that_reads_all_messages_is_named_if_a_rule_is_against_it(tmp_path: Path) -> None:
    rule = '[[destinations]]\nmemories = { topics = ["health"] }\nonly = [{ upstreams = ["localhost"] }]\n'
    (tmp_path / "own.toml").write_text(f'description = "x"\n{rule}', "utf-8")
    settings = Settings(profiles=tmp_path, profile="own", form_model="gpt-5", form_url="https://api.example.com/v1")
    found = destination_finding(settings)
    assert found is not None
    assert found.state is FindingState.WARN
    assert "TOLDONCE_FORM_MODEL (upstream api.example.com, model gpt-5)" in found.text
    local = destination_finding(settings.model_copy(update={"form_url": "http://localhost:8080/v1"}))
    assert local is not None
    assert local.state is FindingState.OK
    assert destination_finding(Settings()) is None


@pytest.mark.parametrize("words", [["list"], ["import"], ["rename-character"], ["keys", "create"], ["hook", "install"]])
def test_a_command_that_is_read_alone_is_the_one_among_all(
    cli: CommandLine, words: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    with pytest.raises(SystemExit):
        command_line("")(args=[*words, "--help"], prog_name="toldonce")
    among_all = capsys.readouterr().out

    assert cli(*words, "--help").out == among_all
    assert "--help" in among_all
    assert "No such command 'lost'" in cli("lost").err
