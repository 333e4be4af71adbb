"""`toldonce db rls`: it guards, shows and ends; what cannot be guarded is refused with the reason."""

import pytest

from cli.conftest import CommandLine
from postgres_server import NEEDS_POSTGRES, shared_server


@NEEDS_POSTGRES
def test_a_database_whose_user_bypasses_it_is_refused_and_shown_as_it_is(cli: CommandLine) -> None:
    url = shared_server().new_database("cli_rls")
    refused = cli("db", "rls", "enable", "--database", url)
    assert refused.code == 3
    assert "bypasses row-level security" in refused.err
    shown = cli("db", "rls", "status", "--database", url, "--json").json
    assert shown["guarded"] == []
    assert "memory" in shown["unguarded"]
    assert "0 tables guarded" in cli("db", "rls", "disable", "--database", url).out
    acts = cli("keys", "audit", "--database", url, "--json").json["entries"]
    assert [act["action"] for act in acts] == ["row_security.disable"]


@pytest.mark.parametrize(("arguments", "said"), [(("enable",), "no PostgreSQL database"), (("on",), "enable, disable")])
def test_mistakes_are_explained(cli: CommandLine, arguments: tuple[str, ...], said: str) -> None:
    answered = cli("db", "rls", *arguments)
    assert answered.code != 0
    assert said in answered.err
