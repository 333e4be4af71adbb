"""`toldonce energy`: what was spent, and what the budget allows."""

from pathlib import Path

import pytest

from cli.conftest import CommandLine
from sample_chats import PEANUTS_AND_OSLO, assistant, user
from toldonce import ToldOnce
from toldonce.settings import Settings

TIGHT = """
description = "One creation, then none."
[budget]
capacity = 25
critical = 0.8
max_share = 0.1
"""


def test_without_a_budget_it_says_so(cli: CommandLine) -> None:
    result = cli("energy")
    assert (result.code, result.out) == (0, "no limit on units\n0 of 1000000 tokens today\n")


def test_a8_it_shows_what_was_spent_and_when_work_waits(cli: CommandLine, database: Path, tmp_path: Path) -> None:
    profiles = tmp_path / "profiles"
    profiles.mkdir()
    (profiles / "tight.toml").write_text(TIGHT, "utf-8")
    with ToldOnce(Settings(database_url=f"sqlite:///{database}", profiles=profiles, profile="tight")) as memory:
        memory.record([user(PEANUTS_AND_OSLO), assistant("Noted.")], user="ana")
        memory.form()
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("TOLDONCE_PROFILES", str(profiles))
        shown = cli("energy", "--user", "ana", "--profile", "tight", "--poller", "p").out.splitlines()
    assert shown[:4] == [
        "13 of 25 units, refilled by 0 a day; below 20 work waits",
        "memory work is 4.8% of all units (limit: below 10.0%)",
        "0 of 1000000 tokens today",
        "1 call, 12 units and 0 tokens up to this first poll",
    ]
    assert shown[4].startswith("work waits: energy is at 13 of 25 units, work runs from 20 on; next try by 20")
    assert shown[5:] == ["create\t1\t12\t0", "turn\t1\t240\t0"]


def test_a8_as_json_it_is_what_the_page_promises(cli: CommandLine) -> None:
    first = cli("energy", "--subject", "app:calendar", "--profile", "app", "--poller", "p", "--json").json
    assert (first["subject"], first["level"], first["capacity"], first["critical"]) == ("app:calendar", 1000, 1000, 200)
    assert first["since_poll"] == {"since": None, "calls": 0, "units": 0, "tokens": 0}
    second = cli("energy", "--subject", "app:calendar", "--profile", "app", "--poller", "p", "--json").json
    assert second["since_poll"]["since"].endswith("+00:00")
    assert cli("energy", "--json").json["since_poll"] is None


def test_a_profile_that_is_not_there_is_refused(cli: CommandLine) -> None:
    result = cli("energy", "--profile", "gone")
    assert result.code == 1
    assert "no profile 'gone'" in result.err
