"""Erasing on the command line, and what the receipt says."""

from pathlib import Path

import pytest

from cli.conftest import CommandLine
from toldonce.hook.places import target_name
from toldonce.hook.spool import SpooledTurn, add_turn, undelivered_turns

PEANUTS = "Ana is allergic to peanuts."
CHAT = '{"id": "chat-one", "messages": [{"role": "user", "content": "My sister Kira keeps bees."}]}\n'


@pytest.fixture
def told(cli: CommandLine, tmp_path: Path) -> CommandLine:
    """A command line whose memory holds one conversation and one note by hand."""
    file = tmp_path / "chat.jsonl"
    file.write_text(CHAT)
    assert cli("replay", file, "--user", "local").code == 0
    assert cli("add", PEANUTS).code == 0
    return cli


def test_an_erased_memory_is_in_no_listing_and_its_receipt_is_a_table(told: CommandLine) -> None:
    [memory_id] = [memory["id"] for memory in told("list", "--json").json["memories"] if memory["text"] == PEANUTS]
    refused = told("forget", memory_id, "--erase")
    assert (refused.code, "--yes" in refused.err) == (2, True)
    done = told("forget", memory_id[-8:], "--erase", "--yes")
    assert done.code == 0
    lines = [line.split("\t") for line in done.out.splitlines()]
    assert ["reached", "memories", "1", "memories with their earlier versions"] in lines
    assert {line[0] for line in lines} == {"reached", "out of reach"}
    assert PEANUTS not in told("list", "--closed").out
    assert told("show", memory_id).code == 1


def test_a_conversation_is_erased_by_the_clients_id_and_reads_as_erased(told: CommandLine) -> None:
    done = told("erase", "--conversation", "chat-one", "--yes", "--json").json
    [receipt] = done["receipts"]
    assert receipt["done"]
    assert {place["count"] for place in receipt["places"] if place["name"] == "messages"} == {1}
    assert told("messages", "chat-one").out.split("\t")[-1] == "(erased)\n"
    assert [message["erased"] for message in told("messages", "chat-one", "--json").json["messages"]] == [True]
    assert "bees" not in told("list", "--closed", "--kind", "note", "--kind", "turn").out


def test_one_message_is_erased_alone(told: CommandLine) -> None:
    assert told("erase", "--conversation", "chat-one", "--message", "1", "--yes").code == 0
    assert told("erase", "--conversation", "chat-one", "--message", "9", "--yes").code == 0
    assert "(erased)" in told("messages", "chat-one").out


def test_all_of_a_user_is_erased(told: CommandLine, database: Path) -> None:
    assert told("add", "Ben likes tea.", "--user", "ben").code == 0
    assert told("erase", "--user", "local", "--all", "--yes").code == 0
    assert told("list").out == ""
    assert "tea" in told("list", "--user", "ben").out
    assert b"bees" not in database.read_bytes()
    assert b"user:local" not in database.read_bytes()
    finished = told("erase", "--finish")
    assert (finished.code, "Nothing is pending" in finished.out) == (0, True)
    assert told("erase", "--finish", "--json").json == {"done": True}


def test_i13_a_user_is_erased_with_all_subjects_and_only_once(told: CommandLine, database: Path) -> None:
    for subject in ("session:local/lyzbaqid", "app:local/wmgropht", "character:local/kevzanuq"):
        assert told("add", "The heron xilqophu nests here.", "--subject", subject).code == 0
    assert told("add", "The heron is grey.", "--subject", "session:local2/x").code == 0
    assert told("add", "The heron is shy.", "--subject", "app:wetland").code == 0
    shown = told("erase", "--user", "local", "--all", "--yes")
    lines = [line.split("\t") for line in shown.out.splitlines()]
    erased = {
        place: int(count) for _, place, count, _ in lines if place.partition(":")[0] in ("session", "app", "character")
    }
    assert erased.keys() == {"session:local/lyzbaqid", "app:local/wmgropht", "character:local/kevzanuq"}
    assert all(erased.values())
    kept = b"".join(file.read_bytes() for file in database.parent.glob("memory.sqlite3*"))
    assert [word for word in (b"xilqophu", b"lyzbaqid", b"wmgropht", b"kevzanuq", b"user:local") if word in kept] == []
    again = told("erase", "--user", "local", "--all", "--everywhere", "--yes", "--json").json
    [receipt] = again["receipts"]
    assert receipt["done"]
    assert [place for place in receipt["places"] if place["count"]] == []
    assert "grey" in told("list", "--subject", "session:local2/x").out
    assert "shy" in told("list", "--subject", "app:wetland").out


@pytest.mark.parametrize(
    ("arguments", "code", "says"),
    [
        (("erase",), 2, "give one of"),
        (("erase", "--all", "--yes"), 2, "requires --user NAME"),
        (("erase", "--all", "--user", "local"), 2, "add --yes"),
        (("erase", "--all", "--conversation", "chat-one", "--user", "local"), 2, "give one of"),
        (("erase", "--all", "--message", "1", "--user", "local"), 2, "--message requires --conversation"),
        (("erase", "--conversation", "nowhere", "--yes"), 1, "no conversation 'nowhere' here"),
        (("forget", "00000000", "--keep-messages"), 2, "require --erase"),
    ],
)
def test_what_cannot_be_meant_is_refused(told: CommandLine, arguments: tuple[str, ...], code: int, says: str) -> None:
    result = told(*arguments)
    assert (result.code, says in " ".join(result.err.split())) == (code, True), result.err
    assert PEANUTS in told("list").out


def spooled(text: str, *, user: str | None = None, url: str | None = None) -> SpooledTurn:
    request = {"event": "prompt", "conversation": "s1", "turn": text, "text": text} | ({"user": user} if user else {})
    turn = add_turn(request, target_name(url=url, database=None, user=None))
    assert turn is not None
    return turn


def test_erasing_a_user_reaches_turns_that_hooks_could_not_deliver(
    told: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    spooled("I live in Oslo.").keep()
    spooled("I am in debt.").refuse()
    spooled("I live in Rome.", user="ben").keep()
    spooled("I live in Lima.", url="http://127.0.0.1:1").keep()

    [receipt] = told("erase", "--user", "local", "--all", "--yes", "--json").json["receipts"]

    [place] = [place for place in receipt["places"] if place["name"] == "spool of hooks"]
    assert (place["reach"], place["count"], receipt["done"]) == ("reached", 2, True)
    left = "".join(Path(path).read_text("utf-8") for path in undelivered_turns())
    assert [city for city in ("Oslo", "debt", "Rome", "Lima") if city in left] == ["Rome", "Lima"]


def test_a_turn_that_is_being_delivered_makes_the_erasure_pending(
    told: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("XDG_STATE_HOME", str(tmp_path / "state"))
    monkeypatch.setattr("toldonce.cli.erase._SPOOL_WAIT_S", 0.05)
    turn = spooled("I live in Oslo.")

    [receipt] = told("erase", "--user", "local", "--all", "--yes", "--json").json["receipts"]

    assert not receipt["done"]
    assert "spool of hooks" in {place["name"] for place in receipt["places"] if place["reach"] == "pending"}
    turn.remove()
