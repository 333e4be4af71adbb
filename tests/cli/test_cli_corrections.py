"""`why` and `undo` through the front door, and the past in `list` and `search`."""

import json
from pathlib import Path

import pytest

from cli.conftest import CommandLine


@pytest.fixture
def moved(cli: CommandLine, tmp_path: Path) -> CommandLine:
    """Replay two chats: Rome in May, Oslo in June."""
    chats = [
        {"id": "may", "date": "2026-05-01T10:00:00Z", "messages": [{"role": "user", "content": "I live in Rome."}]},
        {"id": "june", "date": "2026-06-01T10:00:00Z", "messages": [{"role": "user", "content": "I moved to Oslo."}]},
    ]
    for chat in chats:  # one after the other, so that the second replaces
        path = tmp_path / f"{chat['id']}.jsonl"
        path.write_text(json.dumps(chat), "utf-8")
        assert cli("replay", str(path)).code == 0
    return cli


def facts(cli: CommandLine, *more: str) -> dict[str, str]:
    listed = cli("list", "--kind", "fact", "--json", *more).json["memories"]
    return {memory["value"]: memory["id"] for memory in listed}


def test_why_tells_who_said_what_and_what_was_decided(moved: CommandLine) -> None:
    told = moved("why", facts(moved)["Oslo"]).out
    assert "It is based on what user said on 2026-06-01" in told
    assert "“I moved to Oslo" in told
    assert "the decision was replace, because: a newer value of the same slot" in told
    assert "It replaced “" in told
    assert "It was never put into a prompt." in told
    described = moved("why", facts(moved)["Oslo"], "--json").json
    assert described["replaced"] == [facts(moved, "--closed")["Rome"]]
    assert described["last_recalled"] is None
    assert described["sources"][0]["text"] == "I moved to Oslo."


def test_a_decision_named_by_why_is_taken_back_and_not_twice(moved: CommandLine) -> None:
    decisions = moved("why", facts(moved)["Oslo"], "--json").json["decisions"]
    [made] = [decision["id"] for decision in decisions if decision["action"] == "replace"]
    assert "Rome" in moved("undo", made, "--dry-run").out
    assert set(facts(moved)) == {"Oslo"}
    undone = moved("undo", made)
    assert "closed" in undone.out
    assert "reopened" in undone.out
    assert set(facts(moved)) == {"Rome"}
    again = moved("undo", made)
    assert (again.code, "was undone already" in again.err) == (1, True)


def test_a_conversation_is_taken_back_by_the_clients_own_id(moved: CommandLine) -> None:
    done = moved("undo", "--conversation", "june", "--json").json
    assert set(facts(moved)) == {"Rome"}
    assert {memory["value"] for memory in done["reopened"] if memory["kind"] == "fact"} == {"Rome"}
    assert done["dry_run"] is False


def test_everything_since_a_time_is_taken_back(moved: CommandLine) -> None:
    assert moved("undo", "--since", "2026-01-01").code == 0
    assert facts(moved) == {}


def test_the_past_is_listed_and_searched(moved: CommandLine) -> None:
    assert set(facts(moved, "--at", "2026-05-15")) == {"Rome"}
    assert set(facts(moved, "--at", "2026-06-15")) == {"Oslo"}
    assert facts(moved, "--known-at", "2026-05-15T08:00") == {}, "all of it was stored today"
    found = moved("search", "where do I live", "--at", "2026-05-15", "--json").json["items"]
    assert found
    assert all("Rome" in item["memory"]["text"] for item in found)


@pytest.mark.parametrize(
    ("arguments", "says"),
    [
        (("undo",), "say what to undo"),
        (("undo", "x", "--since", "2026-01-01"), "say what to undo"),
        (("undo", "--since", "yesterday"), "--since is 'yesterday'"),
        (("undo", "x", "--message", "1"), "--message requires --conversation"),
        (("list", "--at", "May"), "--at is 'May'"),
    ],
)
def test_what_was_typed_wrongly_is_said(cli: CommandLine, arguments: tuple[str, ...], says: str) -> None:
    result = cli(*arguments)
    assert result.code == 2
    assert says in " ".join(result.err.replace("│", " ").split())


def test_what_was_wrong_was_never_true_and_can_come_back(cli: CommandLine) -> None:
    dog = cli("add", "Ana has a dog.", "--json").json["memories"][0]["id"]
    done = cli("correct", dog, "Ana has a cat.")
    assert "Ana has a dog. (never true)" in done.out
    assert "Ana has a cat. (true from " in done.out
    assert "never true" in cli("show", dog).out
    assert "was wrong" in cli("why", dog).out
    [made] = [line["id"] for line in cli("why", dog, "--json").json["decisions"] if line["action"] == "replace"]
    assert "reopened" in cli("undo", made).out
    closed = cli("correct", dog, "--true-until", "now", "--json").json
    assert (closed["closed"]["id"], closed["memory"]) == (dog, None)
    assert closed["closed"]["valid_to"] > closed["closed"]["valid_from"]
    assert (
        "which is still to come"
        in cli("correct", cli("add", "It rains.", "--json").json["memories"][0]["id"], "--true-until", "2999-01-01").err
    )


def test_a_reason_to_forget_is_in_the_history(cli: CommandLine) -> None:
    dog = cli("add", "Ana has a dog.", "--json").json["memories"][0]["id"]
    assert cli("forget", dog, "--yes", "--reason", "she asked").code == 0
    assert "forgotten by hand: she asked" in cli("show", dog).out
    assert cli("forget", dog, "--yes", "--erase", "--reason", "she asked").code == 2
