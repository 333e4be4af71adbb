"""S1: what the command line exports holds no secret; the message log alone does."""

from pathlib import Path

from cli.conftest import CommandLine
from extraction.made_secrets import SECRETS, Luck
from sample_chats import user
from soak import sampled
from toldonce import ToldOnce
from toldonce.settings import Settings

# That none of any kind leaves the log is in tests/engine/test_secret_shapes.py.
MADE = {name: make(Luck(len(name))) for name, make in sampled(SECRETS.items(), 6)}


def spilt(where: str) -> list[str]:
    """Name the secrets that stand in a text; very short ones stand in any by chance."""
    return [name for name, (_, secret) in MADE.items() if len(secret) >= 6 and secret in where.replace("\\n", "\n")]


def test_s1_what_is_exported_as_json_holds_none_but_the_log_itself(cli: CommandLine, database: Path) -> None:
    with ToldOnce(Settings(database_url=f"sqlite:///{database}")) as memory:
        for said, _ in MADE.values():
            memory.record([user(f"I live in Oslo. {said}")], user="ana")
        memory.form()
        assert memory.list(user="ana")
    for command in (
        ("list", "--limit", "2000"),
        ("list", "--kind", "turn", "--limit", "2000"),
        ("list", "--closed", "--limit", "2000"),
        ("search", "password card key Oslo", "--limit", "100"),
        ("context", "What are my passwords?"),
        ("review",),
        ("conversations",),
    ):
        result = cli(*command, "--user", "ana", "--json")
        assert result.code == 0
        assert spilt(result.out) == [], command
