"""`toldonce export --markdown` and the way back, through the front door."""

from pathlib import Path

from cli.conftest import CommandLine


def test_an_edited_document_shows_its_changes_and_then_makes_them(cli: CommandLine, tmp_path: Path) -> None:
    file, edited = tmp_path / "ana.md", tmp_path / "edited.md"
    cli("add", "Ana keeps *bees*.", "--user", "ana")
    assert cli("export", file, "--markdown", "--user", "ana").out == f"1 memory written to {file}\n"
    assert cli("import", file).out == "0 corrected, 0 added, 0 forgotten; 1 unchanged\n"

    edited.write_text(file.read_text("utf-8").replace("\\*bees\\*", "wasps") + "- Ana rows.\n", "utf-8")
    would = cli("import", edited, "--dry-run")
    changes = [line.partition(": ")[2] for line in would.out.splitlines()[:2]]
    assert changes == ["correct Ana keeps *bees*. → Ana keeps wasps.", "add Ana rows."]
    assert would.out.endswith("would be 1 corrected, 1 added, 0 forgotten; 0 unchanged\n")
    assert (cli("import", edited).code, cli("list", "--user", "ana", "--json").json["memories"][0]["text"]) == (
        0,
        "Ana rows.",
    )

    stale = cli("import", file, "--forget-removed", "--json").json
    assert (stale["skipped_count"], stale["lost_count"], stale["forgotten"]) == (1, 0, 0)
    edited.write_text(file.read_text("utf-8").replace("\\*bees\\*", "hens"), "utf-8")
    refused = cli("import", edited)
    assert (refused.code, "has ended since" in refused.err) == (1, True)
    for wrong in (["--trusted"], ["--record-only"], ["--user", "ben"]):
        assert cli("import", file, *wrong).code in (1, 2), wrong
    assert cli("import", tmp_path / "ana.jsonl", "--forget-removed").code == 2
    assert cli("export", tmp_path / "nobody.md", "--markdown", "--user", "nobody").code == 1
    assert not list(tmp_path.glob("nobody.md*"))
    assert "subjects.import" in cli("keys", "audit").out
