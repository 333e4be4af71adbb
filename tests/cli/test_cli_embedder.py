"""`toldonce embedder` and `reembed`: what is in use, changing it, going on with it."""

from pathlib import Path

import pytest

from cli.conftest import CommandLine
from tiny_onnx import write_folder

pytest.importorskip("onnxruntime", reason="onnxruntime is not installed")


def test_the_embedder_is_changed_to_a_model_in_a_folder_and_back(cli: CommandLine, tmp_path: Path) -> None:
    for text in ("Ana is allergic to peanuts.", "Ben lives in Oslo."):
        cli("add", text)
    first = cli("embedder", "--json").json
    assert (first["kind"], first["chosen_at"], first["waiting"]) == (
        "multilingual",
        None,
        {"subjects": 0, "memories": 0},
    )

    folder = write_folder(tmp_path / "tiny")
    tried = cli("embedder", "use", folder, "--dry-run", "--json").json
    counted = {"dim": 48, "dry_run": True, "subjects": 1, "memories": 2, "dropped": 0}
    assert {name: tried[name] for name in counted} == counted
    assert cli("embedder", "--json").json == first

    used = cli("embedder", "use", folder, "--yes")
    assert used.code == 0
    assert "2 memories of 1 subject re-embedded" in used.out
    shown = cli("embedder", "--json").json
    assert (shown["kind"], shown["where"], shown["model"]) == ("onnx", str(folder), "tiny")
    assert shown["spaces"] == [{"space": shown["space"], "dim": 48, "memories": 2, "subjects": 1}]
    assert shown["chosen_at"] is not None
    [best, _] = cli("search", "Where does Ben live?", "--json").json["items"]
    assert best["memory"]["text"] == "Ben lives in Oslo."
    assert f"{folder}" in cli("embedder").out
    assert {finding["what"]: finding["state"] for finding in cli("doctor", "--json").json["findings"]}[
        "embedder"
    ] == "ok"

    assert cli("embedder", "use", "multilingual", "--yes", "--json").json["memories"] == 2
    assert cli("embedder", "--json").json["space"] == first["space"]
    assert cli("reembed", "--json").json["memories"] == 0


def test_nothing_is_changed_without_a_yes_or_with_what_is_no_embedder(cli: CommandLine, tmp_path: Path) -> None:
    cli("add", "Ana keeps bees.")
    folder = write_folder(tmp_path / "tiny")
    refused = cli("embedder", "use", folder)
    assert (refused.code, "--yes" in refused.err) == (2, True)
    for arguments, code, said in (
        (("use", tmp_path / "nowhere", "--yes"), 3, "no such folder"),
        (("use", "http://127.0.0.1:9/v1", "--yes"), 2, "--model"),
        (("use", "http://127.0.0.1:9/v1", "--model", "m", "--yes"), 3, "cannot be reached"),
        (("use", "http://key@127.0.0.1:9/v1", "--model", "m", "--yes"), 3, "TOLDONCE_EMBED_URL"),
        (("use",), 2, "PATH|URL"),
        (("mend",), 2, "PATH|URL"),
    ):
        result = cli("embedder", *arguments)
        assert result.code == code, result.err
        assert said in result.err
    assert cli("embedder", "--json").json["chosen_at"] is None


def test_a_folder_that_is_gone_is_told_and_the_way_back_is_open(
    cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    cli("add", "Ana keeps bees.")
    folder = write_folder(tmp_path / "tiny")
    cli("embedder", "use", folder, "--yes")
    folder.rename(tmp_path / "moved")
    broken = cli("embedder")
    assert broken.code == 1
    assert "no such folder" in broken.err
    assert cli("doctor").code == 1
    assert "Ana keeps bees." in cli("list").out
    assert cli("reembed").code == 3
    # Somewhere else the same files are the same space: nothing need be embedded.
    assert cli("embedder", "use", tmp_path / "moved", "--model", "tiny", "--yes", "--json").json["memories"] == 0

    monkeypatch.setenv("TOLDONCE_EMBED_URL", "http://127.0.0.1:9/v1")
    monkeypatch.setenv("TOLDONCE_EMBED_MODEL", "m")
    monkeypatch.setenv("TOLDONCE_EMBED_DIM", "3")
    assert cli("list").code == 3
    back = cli("embedder", "use", "multilingual", "--yes")
    assert back.code == 0, back.err
    assert "unset it" in back.err
