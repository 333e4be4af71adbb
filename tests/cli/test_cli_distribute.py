"""`toldonce db distribute` says why it does not, before anything is made."""

from pathlib import Path

import psycopg

from cli.conftest import CommandLine
from postgres_server import NEEDS_POSTGRES, shared_server

pytestmark = NEEDS_POSTGRES


def test_a_database_without_citus_is_refused_with_what_to_do(cli: CommandLine) -> None:
    url = shared_server().new_database("cli_distribute")

    done = cli("db", "distribute", "--database", url)

    assert done.code == 3
    assert "cannot be distributed: it has no Citus: put citus into shared_preload_libraries" in done.err
    with psycopg.connect(url) as db:
        assert db.execute("SELECT to_regnamespace('toldonce')").fetchone() == (None,)


def test_what_is_no_postgresql_is_refused(cli: CommandLine) -> None:
    done = cli("db", "distribute")

    assert done.code == 1
    assert "is no PostgreSQL database: only one with Citus can be distributed" in done.err


def test_a_spread_database_is_told_of_as_text_and_as_json(cli: CommandLine) -> None:
    url = shared_server().new_database("cli_distribute_double")
    double = (Path(__file__).parents[1] / "store" / "citus_double.sql").read_text("utf-8")
    with psycopg.connect(url, autocommit=True) as db:
        db.execute(double)
        db.execute("INSERT INTO pg_dist_node VALUES ('primary', true, true)")

    first, again = cli("db", "distribute", "--database", url), cli("db", "distribute", "--database", url, "--json")

    assert first.out.splitlines()[0].startswith(
        "distributed by subject: app, app_number, character_name, conversation, "
    )
    assert first.out.splitlines()[1] == "replicated to each node: api_key, audit, meta, migration, space, user_alias"
    assert first.out.splitlines()[2].endswith(": Citus 0-double, 1 node with shards")
    assert again.json["distributed"] == again.json["copied"] == []
    assert len(again.json["before"]) > 20
    acts = cli("keys", "audit", "--database", url, "--json").json["entries"]
    assert [act["action"] for act in acts] == ["databases.distribute"] * 2
