"""`toldonce replay` through the front door; the conversations are our own."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.conftest import CommandLine


def bees(**more: Any) -> dict[str, Any]:
    return {
        "id": "bees",
        "date": "2026-05-03T08:00:00+00:00",
        "messages": [
            {"role": "system", "content": "Be brief."},
            {"role": "user", "content": "I keep bees in Oslo."},
            {"role": "assistant", "content": "How many hives?"},
            {"role": "user", "content": "Three hives, all of them painted blue."},
        ],
        **more,
    }


def sample(sample_id: str, a: str, b: str) -> dict[str, Any]:
    return {
        "sample_id": sample_id,
        "conversation": {
            "speaker_a": a,
            "speaker_b": b,
            "session_1_date_time": "1:56 pm on 8 May, 2023",
            "session_1": [
                {"speaker": a, "dia_id": "D1:1", "text": f"Hello {b}, I have adopted a grey parrot."},
                {"speaker": b, "dia_id": "D1:2", "text": f"Lovely, {a}! I am learning to play the cello."},
            ],
            "session_2_date_time": "9:10 am on 1 June, 2023",
            "session_2": [{"speaker": b, "dia_id": "D2:1", "text": "My cello teacher comes from Lisbon."}],
        },
    }


@pytest.fixture
def jsonl(tmp_path: Path) -> Path:
    file = tmp_path / "history.jsonl"
    file.write_text(
        json.dumps(bees()) + "\n" + json.dumps([{"role": "user", "content": "I like green tea a lot."}]) + "\n"
    )
    return file


@pytest.fixture
def locomo(tmp_path: Path) -> Path:
    file = tmp_path / "samples.json"
    file.write_text(json.dumps([sample("c-1", "Ana", "Ben"), sample("c-2", "Cleo", "Ben")]))
    return file


def said(cli: CommandLine, conversation: str, user: str) -> list[tuple[str, str, str]]:
    messages = cli("messages", conversation, "--user", user, "--json").json["messages"]
    return [(message["said_at"], message["role"], message["text"]) for message in messages]


def test_a_conversation_is_recorded_with_its_own_dates_and_remembered(cli: CommandLine, jsonl: Path) -> None:
    result = cli("replay", jsonl, "--user", "ana", "--json")

    assert result.code == 0
    assert result.json["conversations"] == 2
    assert result.json["messages"] == 4
    assert result.json["memories"]["turn"] >= 1
    assert (result.json["waiting"], result.json["parked"], result.json["bad"]) == (0, 0, [])
    assert said(cli, "bees", "ana") == [
        ("2026-05-03T08:00:00+00:00", "user", "I keep bees in Oslo."),
        ("2026-05-03T08:00:00+00:00", "assistant", "How many hives?"),
        ("2026-05-03T08:00:00+00:00", "user", "Three hives, all of them painted blue."),
    ]
    found = cli("search", "what colour are the hives?", "--user", "ana", "--json").json["items"]
    assert "blue" in found[0]["memory"]["text"]
    assert found[0]["memory"]["valid_from"] == "2026-05-03T08:00:00+00:00"


def test_a_second_replay_adds_nothing(cli: CommandLine, jsonl: Path) -> None:
    cli("replay", jsonl)
    before = cli("conversations", "--json").json
    again = cli("replay", jsonl)

    assert again.code == 0
    assert "2 conversations already exist" in again.out
    assert cli("conversations", "--json").json == before


def test_a_conversation_that_has_grown_is_continued(cli: CommandLine, jsonl: Path, tmp_path: Path) -> None:
    cli("replay", jsonl)
    grown = bees()
    grown["messages"] += [
        {"role": "assistant", "content": "A fine colour."},
        {"role": "user", "content": "It was my sister's idea.", "created_at": "2026-05-04T09:00:00Z"},
    ]
    later = tmp_path / "later.jsonl"
    later.write_text(json.dumps(grown))
    result = cli("replay", later, "--json")

    assert (result.json["conversations"], result.json["messages"]) == (1, 2)
    assert said(cli, "bees", "local")[3:] == [
        ("2026-05-03T08:00:00+00:00", "assistant", "A fine colour."),
        ("2026-05-04T09:00:00+00:00", "user", "It was my sister's idea."),
    ]


def test_another_conversation_under_a_known_id_is_left_alone_and_reported(
    cli: CommandLine, jsonl: Path, tmp_path: Path
) -> None:
    cli("replay", jsonl)
    other = tmp_path / "other.jsonl"
    other.write_text(json.dumps(bees(messages=[{"role": "user", "content": "I keep sheep."}])))
    result = cli("replay", other)

    assert result.code == 1
    assert result.err == "line 1: a conversation 'bees' with other messages already exists\n"
    assert len(said(cli, "bees", "local")) == 3


def test_a_bad_line_is_named_and_costs_no_other(cli: CommandLine, jsonl: Path) -> None:
    with jsonl.open("a") as file:
        file.write('{"messages": 7}\n' + json.dumps({"messages": [{"role": "system", "content": "Alone."}]}) + "\n")
        file.write(json.dumps(bees(id="more")) + "\n")
    result = cli("replay", jsonl)

    assert result.code == 1
    assert result.err.splitlines() == [
        "line 3: neither a list of messages nor an object with `messages`",
        "line 4: there is nothing to log: system messages alone",
    ]
    assert result.out.startswith("3 conversations, 7 messages in ")
    assert "2 records could not be replayed" in result.out


def test_of_many_bad_lines_the_first_are_named_and_the_rest_counted(cli: CommandLine, tmp_path: Path) -> None:
    file = tmp_path / "prose.txt"
    file.write_text("Nothing here is JSON.\n" * 30)
    result = cli("replay", file)

    assert result.code == 1
    assert len(result.err.splitlines()) == 21
    assert result.err.endswith("… and 10 more\n")


def test_both_sides_of_a_sample_are_replayed_each_as_a_user(cli: CommandLine, locomo: Path) -> None:
    result = cli("replay", locomo, "--json")

    assert result.code == 0
    assert (result.json["conversations"], result.json["messages"]) == (8, 12)
    assert said(cli, "c-1/session_1", "Ana")[1] == (
        "2023-05-08T13:57:00+00:00",
        "assistant",
        "Lovely, Ana! I am learning to play the cello.",
    )
    assert [role for _, role, _ in said(cli, "c-1/session_1", "Ben-c-1")] == ["assistant", "user"]
    assert [role for _, role, _ in said(cli, "c-2/session_1", "Ben-c-2")] == ["assistant", "user"]
    assert cli("replay", locomo, "--json").json["known"] == 8


def test_one_speaker_alone_can_be_the_user_under_any_name(cli: CommandLine, locomo: Path) -> None:
    result = cli("replay", locomo, "--as", "Ana", "--user", "me", "--json")

    assert (result.json["conversations"], result.json["messages"]) == (2, 3)
    assert len(cli("conversations", "--user", "me", "--json").json["conversations"]) == 2
    assert cli("conversations", "--user", "Ana", "--json").json["conversations"] == []


def test_a_limit_takes_the_first_samples_and_the_first_lines(cli: CommandLine, locomo: Path, jsonl: Path) -> None:
    assert cli("replay", locomo, "--limit", "1", "--as", "Ana", "--json").json["conversations"] == 2
    assert cli("replay", jsonl, "--limit", "1", "--json").json["messages"] == 3


@pytest.mark.parametrize(
    ("content", "says"),
    [(b"", "the file is empty"), (b"\n\n", "the file is empty"), (b"\x7fELF\x02\0\0", "not a text file in UTF-8")],
)
def test_a_file_without_conversations_is_refused_in_one_line(
    cli: CommandLine, database: Path, tmp_path: Path, content: bytes, says: str
) -> None:
    file = tmp_path / "file"
    file.write_bytes(content)
    result = cli("replay", file)

    assert (result.code, result.out) == (1, "")
    assert result.err == f"toldonce: {file}: {result.err.partition(f'{file}: ')[2]}"
    assert says in result.err
    assert len(result.err.splitlines()) == 1
    assert not database.exists()


def test_a_missing_file_and_a_folder_are_refused_in_one_line(cli: CommandLine, tmp_path: Path) -> None:
    assert cli("replay", tmp_path / "none").err == f"toldonce: {tmp_path / 'none'}: No such file or directory\n"
    assert cli("replay", tmp_path).err == f"toldonce: {tmp_path}: Is a directory\n"


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("--as", "Zoe"), 1, "no speaker 'Zoe'; speakers are Ana, Ben, Cleo"),
        (("--user", "me"), 2, "--as NAME"),
        (("--format", "csv"), 2, "csv"),
        (("--limit", "0"), 2, "--limit"),
    ],
)
def test_options_that_do_not_fit_the_file_are_refused(
    cli: CommandLine, locomo: Path, arguments: tuple[str, ...], code: int, says: str
) -> None:
    result = cli("replay", locomo, *arguments)

    assert result.code == code
    assert says in result.err


def test_a_speaker_cannot_be_chosen_where_messages_say_their_role(cli: CommandLine, jsonl: Path) -> None:
    result = cli("replay", jsonl, "--as", "Ana")

    assert result.code == 1
    assert "--as is only for LoCoMo files" in result.err
