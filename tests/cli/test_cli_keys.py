"""`toldonce keys`: the secret is printed once and alone, and mistakes are explained."""

from pathlib import Path

import pytest

from cli.conftest import CommandLine
from toldonce.types import Subject

NOTES = ("My bird is the heron.", "My tree is the ash.")
ANA = ("keys", "create", "--name", "phone", "--user", "ana")


def test_a_key_is_printed_alone_so_that_scripts_can_keep_it(cli: CommandLine) -> None:
    made = cli(*ANA, "--tenant", "acme", "--access", "read")
    assert made.code == 0
    assert made.out.startswith("rk_")
    assert made.out.count("\n") == 1
    assert "@acme/user:ana" in made.err
    assert "only this once" in made.err
    listed = cli("keys", "list")
    assert made.out.strip() not in listed.out + listed.err
    assert "@acme/user:ana" in listed.out


def test_keys_are_listed_and_revoked_as_json(cli: CommandLine) -> None:
    made = cli(*ANA, "--expires", "90d", "--requests-per-minute", "60", "--json").json
    assert made.pop("key").startswith("rk_")
    assert (made["user"], made["access"], made["requests_per_minute"]) == ("ana", "write", 60)
    assert made["expires_at"] > made["created_at"]
    cli("keys", "create", "--name", "root", "--everything", "--access", "admin")
    listed = cli("keys", "list", "--json").json["keys"]
    assert made in listed
    assert {key["tenant"] for key in listed} == {"", None}
    assert cli("keys", "revoke", made["id"]).out == f"revoked {made['id']} (phone)\n"
    [revoked] = [key for key in cli("keys", "list", "--json").json["keys"] if key["id"] == made["id"]]
    assert revoked["revoked_at"] is not None
    acts = [
        (entry["actor"], entry["action"], entry["target"]) for entry in cli("keys", "audit", "--json").json["entries"]
    ]
    assert acts[0] == ("cli", "keys.revoke", made["id"])
    assert acts[-1] == ("cli", "keys.create", made["id"])


def test_acts_of_other_commands_are_noted_without_names_or_texts(cli: CommandLine, tmp_path: Path) -> None:
    note, other = (cli("add", text, "--user", "ana", "--json").json["memories"][0]["id"] for text in NOTES)
    cli("forget", note, "--yes", "--user", "ana")
    cli("forget", other, "--erase", "--yes", "--user", "ana")
    cli("export", str(tmp_path / "all.jsonl"), "--all")
    cli("formations", "--retry-parked")
    cli("subscribe", "shared:team", "--user", "ana")
    cli("subscribe", "--remove", "shared:team", "--user", "ana")
    cli("subscribe", "--remove", "shared:team", "--user", "ana")
    cli("maintain", "--dry-run")
    cli("maintain")
    cli("reembed")
    cli("erase", "--finish")
    cli("erase", "--all", "--yes", "--user", "ana")
    entries = cli("keys", "audit", "--json").json["entries"]
    ana = str(Subject.parse("user:ana").key)
    assert [(entry["action"], entry["target"]) for entry in reversed(entries)] == [
        ("memories.close", note),
        ("memories.erase", other),
        ("subjects.export", ""),
        ("formations.retry", ""),
        ("subscriptions.add", ana),
        ("subscriptions.remove", ana),
        ("maintenance.run", ""),
        ("embedder.reembed", ""),
        ("erasures.finish", ""),
        ("subjects.erase", ana),
    ]
    assert {entry["actor"] for entry in entries} == {"cli"}
    found = cli("keys", "audit", "--action", "memories.erase", "--actor", "cli", "--target", other, "--json").json
    assert [entry["target"] for entry in found["entries"]] == [other]


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        ((), "--any-user"),
        (("--user", "ana", "--everything"), "--any-user"),
        (("--everything", "--tenant", "acme"), "all tenants"),
        (("--user", "ana", "--access", "root"), "read, write, admin"),
        (("--user", "ana", "--expires", "soon"), "90d"),
        (("--user", "ana", "--expires", "2020-01-01"), "has passed"),
        (("--user", "ana", "--access", "admin"), "bound to no user"),
        (("--any-user", "--tenant", "Acme Inc"), "a tenant's name"),
    ],
)
def test_what_makes_no_key_is_explained(cli: CommandLine, arguments: tuple[str, ...], said: str) -> None:
    refused = cli("keys", "create", "--name", "x", *arguments)
    assert refused.code != 0
    assert said in " ".join(refused.err.split())
    assert cli("keys", "list", "--json").json["keys"] == []


def test_an_unknown_key_and_no_keys_are_said(cli: CommandLine) -> None:
    assert "toldonce keys create" in cli("keys", "list").err
    unknown = cli("keys", "revoke", "k_none")
    assert unknown.code == 1
    assert "k_none" in unknown.err


def test_a_tenants_subject_can_be_named(cli: CommandLine) -> None:
    assert cli("add", "Meetings are at ten.", "--subject", "@acme/user:ana").code == 0
    assert cli("list", "--subject", "@acme/user:ana", "--json").json["memories"][0]["subject"] == "@acme/user:ana"
    assert cli("list", "--user", "ana", "--json").json["memories"] == []
    assert cli("list", "--subject", "@acme/ana").code != 0


def test_users_are_listed_page_by_page_with_the_command_for_the_next(cli: CommandLine) -> None:
    for name in ("ana", "ben of x"):
        assert cli("add", "Geese bite.", "--user", name).code == 0
    first = cli("users", "--limit", "1")
    assert (first.out, first.err) == ("ana\t1\t0\t\n", "more: toldonce users --limit 1 --after ana\n")
    last = cli("users", "--after", "ana", "--json").json
    assert [(user["subject"], user["memories"]) for user in last["users"]] == [("user:ben of x", 1)]
    assert last["next"] is None
    assert cli("users", "--tenant", "acme").err == "no users\n"


def test_merged_users_are_named_and_a_merge_is_undone(cli: CommandLine, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("toldonce.engine.user_merge.SETTLE_S", 0)
    for name in ("ana", "ana of x"):
        assert cli("add", f"{name} feeds geese.", "--user", name).code == 0
    merged = cli("merge-user", "ana of x", "ana")
    assert merged.out == "ana of x reads and writes the memory of ana now, which got 1 memory and 0 conversations\n"
    assert merged.err == "undo: toldonce merge-user --undo 'ana of x'\n"
    assert cli("users").out.splitlines() == ["ana\t2\t0\t\t", "ana of x\t1\t0\t\tana"]
    assert "ana of x feeds geese." in cli("list", "--user", "ana").out
    assert cli("merge-user", "ana of x").code == 2
    assert cli("merge-user", "--undo", "ana of x", "--json").json["memories"] == 1
    assert "ana of x feeds geese." not in cli("list", "--user", "ana").out
