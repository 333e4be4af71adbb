"""The commands over memories, through the front door, on a file of their own."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from append_only import ScriptedChat
from cli.conftest import CommandLine
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.engine.bulk import BulkService
from toldonce.types import Identity, Memory, NewNote, Subject

PEANUTS = "Ana is allergic to peanuts."
BEES = "Ana keeps bees."


def add(cli: CommandLine, *texts: str) -> list[str]:
    return [cli("add", text, "--json").json["memories"][0]["id"] for text in texts]


def test_what_was_added_is_listed_and_found(cli: CommandLine) -> None:
    assert cli("add", PEANUTS, "--importance", "0.9").code == 0
    add(cli, BEES)

    listed = cli("list")
    assert [line.split("\t")[-1] for line in listed.out.splitlines()] == [BEES, PEANUTS]
    found = cli("search", "what about peanuts?").out.splitlines()
    assert found[0].endswith(PEANUTS)


@pytest.mark.parametrize("form", ["{}", "sqlite:///{}"])
def test_a_database_is_named_by_path_or_url(cli: CommandLine, tmp_path: Path, form: str) -> None:
    named = form.format(tmp_path / "Zoë's notes.db")
    assert cli("add", PEANUTS, "--database", named).code == 0

    assert cli("list", "--database", named).out.endswith(f"{PEANUTS}\n")
    assert cli("list").out == ""


@pytest.mark.parametrize("command", [("search", "bees"), ("list",), ("conversations",), ("export", "-"), ("embedder",)])
def test_a_mistyped_database_is_refused_and_not_begun(
    cli: CommandLine, tmp_path: Path, command: tuple[str, ...]
) -> None:
    missing = tmp_path / "no" / "memroy.db"
    result = cli(*command, "--database", str(missing))

    assert result.code == 3
    assert f"--database='{missing}': there is no such file" in result.err
    assert not missing.parent.exists()


def test_each_line_of_stdin_is_one_memory_and_a_bad_one_costs_no_other(cli: CommandLine) -> None:
    text = f"{PEANUTS}\n\n{'x' * 10_001}\n{BEES}\n".encode()
    result = cli("add", "-", stdin=text)

    assert result.code == 1
    assert [line.split("  ")[1] for line in result.out.splitlines()] == [PEANUTS, BEES]
    assert result.err.startswith("line 3: the text has 10001 characters")


@pytest.mark.parametrize("kind", DURABLE)
def test_many_lines_go_in_together_and_what_is_said_twice_is_kept_once(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch, tmp_path: Path, kind: str
) -> None:
    calls: list[int] = []
    add_all = BulkService.add

    async def told(bulk: BulkService, notes: Sequence[str | NewNote], *, user: Subject) -> list[Memory]:
        calls.append(len(notes))
        return await add_all(bulk, notes, user=user)

    monkeypatch.setattr(BulkService, "add", told)
    monkeypatch.setenv("TOLDONCE_DATABASE_URL", url_of(kind, tmp_path))
    lines = [f"Shelf {number} holds boxes." for number in range(300)]
    result = cli("add", "--importance", "0.4", "--json", stdin="\n".join([*lines, lines[0].upper()]).encode())

    assert result.code == 0
    assert calls == [250, 51]
    kept = result.json["memories"]
    assert [memory["text"] for memory in kept] == [*lines, lines[0]]
    assert kept[-1]["id"] == kept[0]["id"]
    assert {memory["importance"] for memory in kept} == {0.4}
    assert len(cli("list", "--limit", "1000", "--json").json["memories"]) == 300


@pytest.mark.parametrize(
    ("arguments", "stdin", "code", "says"),
    [
        (("add", ""), b"", 1, "the text is empty"),
        (("add", "x", "--importance", "2"), b"", 1, "importance is 2.0"),
        (("add", "-"), b"\n", 1, "stdin is empty"),
        (("add", "-"), b"\xff\xfe", 1, "not UTF-8 at byte 1"),
        (("search", "x", "--limit", "0"), b"", 1, "limit is 0"),
        (("list", "--limit", "-1"), b"", 2, "--limit"),
        (("list", "--kind", "dream"), b"", 2, "'dream' is not a kind of memory"),
        (("list", "--user", "a", "--subject", "user:b"), b"", 2, "cannot be combined"),
        (("list", "--subject", "planet:mars"), b"", 1, "'planet:mars' cannot be a subject"),
        (("list", "--user", ""), b"", 1, "the name is empty"),
        (("list", "--database", "mongodb://x"), b"", 3, "TOLDONCE_DATABASE_URL"),
        (("show", "nothing-like-it"), b"", 1, "no memory 'nothing-like-it' here"),
        (("show", "abc"), b"", 1, "too short"),
        (("forget", "01234567-0000-7000-8000-000000000000", "--yes"), b"", 1, "no memory"),
        (("messages", "nowhere"), b"", 1, "no conversation 'nowhere' here"),
        (("nonsense",), b"", 2, "No such command"),
    ],
)
def test_a_call_that_cannot_be_done_says_why_in_one_line(
    cli: CommandLine, arguments: tuple[str, ...], stdin: bytes, code: int, says: str
) -> None:
    result = cli(*arguments, stdin=stdin)

    assert (result.code, result.out) == (code, "")
    assert says in result.err
    assert "Traceback" not in result.err
    assert code == 2 or len(result.err.splitlines()) == 1


def test_a_file_that_is_no_database_is_a_matter_of_setup(cli: CommandLine, database: Path) -> None:
    database.write_bytes(b"These are words, not a database. " * 200)
    result = cli("list")

    assert result.code == 3
    assert str(database) in result.err
    assert database.read_bytes().startswith(b"These are words")


def test_users_and_subjects_see_their_own_alone(cli: CommandLine) -> None:
    cli("add", PEANUTS, "--user", "ana")
    cli("add", BEES, "--subject", "shared:garden")

    assert [memory["text"] for memory in cli("list", "--json", "--subject", "user:ana").json["memories"]] == [PEANUTS]
    assert [memory["text"] for memory in cli("list", "--json", "--subject", "shared:garden").json["memories"]] == [BEES]
    assert cli("list", "--json").json == {"memories": [], "next": None}


def test_a_long_list_names_the_command_that_goes_on(cli: CommandLine) -> None:
    ids = add(cli, "Ana has a cat.", "Ben plays chess.", "Cleo sails boats.")

    first = cli("list", "--limit", "2", "--kind", "note")
    assert [line.split("\t")[0] for line in first.out.splitlines()] == [ids[2], ids[1]]
    assert first.err == f"more: toldonce list --kind note --limit 2 --after {ids[1]}\n"
    rest = cli(*first.err.split()[2:])
    assert rest.out.split("\t")[0] == ids[0]
    assert rest.err == ""


def test_part_of_an_id_will_do_if_one_memory_has_it(cli: CommandLine) -> None:
    first, second = add(cli, PEANUTS, BEES)

    assert cli("show", first[-8:], "--json").json["memory"]["text"] == PEANUTS
    assert cli("show", second.upper()[-12:], "--json").json["memory"]["text"] == BEES
    begin = first[:8]
    both = cli("show", begin)
    shared = second.startswith(begin)  # made within a minute of one another: nearly always
    assert (both.code, "2 memories match" in both.err) == (int(shared), shared)


def test_a_forgotten_memory_is_found_no_more_and_shown_with_its_end(cli: CommandLine) -> None:
    (memory_id,) = add(cli, PEANUTS)

    refused = cli("forget", memory_id)
    assert refused.code == 2
    assert "--yes" in refused.err
    done = cli("forget", memory_id, "--yes")
    assert done.code == 0
    assert "`toldonce forget --erase` removes it permanently" in done.out
    assert cli("search", "peanuts", "--json").json["items"] == []
    assert cli("list").out == ""
    assert "\tclosed\t" in cli("list", "--closed").out
    shown = cli("show", memory_id)
    assert "state       closed since" in shown.out
    assert "close:" in shown.out


def test_no_memory_is_forgotten_if_one_of_the_ids_is_unknown(cli: CommandLine) -> None:
    (memory_id,) = add(cli, PEANUTS)

    assert cli("forget", memory_id, "ffffffff", "--yes").code == 1
    assert len(cli("list", "--json").json["memories"]) == 1


def test_an_explained_search_gives_reasons_for_found_and_left_out(cli: CommandLine) -> None:
    add(cli, PEANUTS, "Ben likes peanuts.")
    result = cli("search", "peanuts", "--limit", "1", "--explain")

    assert 'shares the word "peanuts"' in result.out
    assert "2 compared in" in result.out
    assert "near matches left out: 1" in result.out
    left_out = cli("search", "peanuts", "--limit", "1", "--json").json["left_out"]
    assert left_out[0]["reason"] in result.out


def test_times_are_shown_in_the_settings_zone_and_json_carries_the_offset(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    add(cli, PEANUTS)
    utc = cli("list").out.split("\t")[2]
    monkeypatch.setenv("TOLDONCE_TIME_ZONE", "Pacific/Kiritimati")

    assert cli("list").out.split("\t")[2] > utc
    assert cli("list", "--json").json["memories"][0]["valid_from"].endswith("+00:00")


def test_stored_words_cannot_steer_the_terminal(cli: CommandLine) -> None:
    cli("add", "Ana likes \x1b[2Jred\u202e.")

    for command in (("list",), ("search", "red"), ("search", "red", "--explain")):
        out = cli(*command).out
        assert "\x1b" not in out
        assert "\u202e" not in out


def test_an_error_of_the_settings_is_one_line_with_exit_code_3(
    cli: CommandLine, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("TOLDONCE_TIME_ZONE", "Europe/Atlantis")
    result = cli("list")

    assert result.code == 3
    assert result.err.startswith("toldonce: TOLDONCE_TIME_ZONE='Europe/Atlantis'")
    assert len(result.err.splitlines()) == 1


def test_a_trace_shows_what_memory_did_for_each_request(cli: CommandLine, database: Path) -> None:
    [peanuts] = add(cli, PEANUTS)

    async def talk() -> None:
        async with await AsyncToldOnce.open(f"sqlite:///{database}") as engine:
            chat = ScriptedChat(engine, Identity(subject=engine.subject(None), conversation="lunch"))
            await chat.ask("May I eat peanuts?", "No.")
            await chat.ask("Really no peanuts?", "No.")

    asyncio.run(talk())
    lines = cli("trace", "lunch").out.splitlines()
    assert ", 1 replayed, prefix kept" in lines[0]
    assert any(line.startswith("  left out  ") for line in lines)
    assert any(line.startswith("  added     ") and PEANUTS in line for line in lines)
    second, first = cli("trace", "lunch", "--json").json["prompts"]
    assert [memory["id"] for memory in first["memories"]] == [peanuts]
    assert (second["memories"], second["replayed"], second["prefix"]) == ([], 1, "kept")
    assert cli("trace", "lunch", "--limit", "1", "--json").json["prompts"] == [second]
    assert cli("trace", "dinner").code == 1
    cli("forget", peanuts, "--yes")
    [forgotten] = cli("trace", "lunch", "--json").json["prompts"][1]["memories"]
    assert (forgotten["id"], forgotten["state"], forgotten["text"]) == (peanuts, "closed", "")
    assert any("forgotten  (closed)" in line for line in cli("trace", "lunch").out.splitlines())
