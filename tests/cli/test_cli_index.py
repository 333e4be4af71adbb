"""`toldonce db index`: giant users are searched by an index from then on, and every explanation says so."""

from pathlib import Path

import pytest

from cli.conftest import CommandLine
from postgres_server import NEEDS_POSTGRES, shared_server
from toldonce.engine.databases import MIN_INDEXED_VECTORS
from toldonce.store.postgres import hnsw_search
from toldonce.store.postgres.connection import connect

pytestmark = NEEDS_POSTGRES
COUNT = 60


@pytest.fixture
def url(cli: CommandLine, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A database in which Ana said sixty things."""
    monkeypatch.setattr(hnsw_search, "EXACT_SEARCH_THRESHOLD", 10)
    monkeypatch.setattr(hnsw_search, "SAMPLE", 10)
    made = shared_server().new_database(f"cli_index_{tmp_path.name}")
    lines = "".join(f"Ana likes town number {number}.\n" for number in range(COUNT))
    cli("add", "-", "--user", "ana", "--database", made, stdin=lines.encode())
    return made


def test_a_giant_is_indexed_searched_approximately_and_exactly_again(cli: CommandLine, url: str) -> None:
    exact = cli("search", "town 7", "--user", "ana", "--database", url, "--json").json
    done = cli("db", "index", "--from", "50", "--database", url)
    assert (done.code, done.err) == (0, "")
    assert done.out.splitlines()[0].split("\t")[:2] == ["built", "user:ana"]
    found = cli("search", "town 7", "--user", "ana", "--database", url, "--json").json
    assert exact["compared"] is None
    assert 10 < found["compared"] <= COUNT
    assert found["items"][0]["memory"]["text"] == exact["items"][0]["memory"]["text"]
    told = cli("search", "town 7", "--user", "ana", "--database", url, "--explain").out
    assert f"approximate: an index picked {found['compared']} vectors" in told
    context = cli("context", "town 7", "--user", "ana", "--database", url, "--json").json
    assert context["compared"] > 10
    doctor = cli("doctor", "--database", url, "--json").json
    [line] = [finding for finding in doctor["findings"] if finding["what"] == "index"]
    assert (line["state"], "user:ana: 60 vectors" in line["text"]) == ("ok", True)
    assert cli("db", "index", "--from", "50", "--database", url, "--json").json["built"] == []

    gone = cli("db", "index", "--drop", "--database", url)
    assert gone.out.splitlines()[0] == "dropped: user:ana"
    assert "no subject has an index" in gone.out.splitlines()[1]
    assert cli("search", "town 7", "--user", "ana", "--database", url, "--json").json["compared"] is None
    acts = cli("keys", "audit", "--database", url, "--json").json["entries"]
    assert [(act["action"], act["count"]) for act in acts] == [("databases.unindex", 1), ("databases.index", 1)]


def test_an_index_that_is_not_asked_is_warned_of(cli: CommandLine, url: str) -> None:
    cli("db", "index", "--from", "50", "--database", url)
    with connect(url) as db:
        db.execute("UPDATE subject SET near = NULL")
    findings = cli("doctor", "--database", url, "--json").json["findings"]
    [line] = [finding for finding in findings if finding["what"] == "index"]
    assert line["state"] == "warn"
    assert "`toldonce db index`" in line["todo"]
    assert cli("db", "index", "--from", "50", "--database", url, "--json").json["before"][0]["used"] is True


def test_few_memories_need_no_index_and_sqlite_has_none(cli: CommandLine, url: str) -> None:
    few = cli("db", "index", "--database", url)
    assert few.code == 0
    assert "no subject has an index" in few.out
    refused = cli("db", "index")
    assert refused.code == 1
    assert "SQLite compares all vectors" in refused.err
    assert MIN_INDEXED_VECTORS == 100_000
