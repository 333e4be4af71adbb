"""`toldonce top`: requests as they come, in a terminal, in a pipe and as JSON."""

import asyncio
import io
from datetime import UTC, datetime
from pathlib import Path
from zoneinfo import ZoneInfo

import pytest
from rich.console import Console

from append_only import ScriptedChat
from cli.conftest import CommandLine
from toldonce.cli import top as top_module
from toldonce.engine import AsyncToldOnce
from toldonce.settings import Settings
from toldonce.types import Identity, Subject


async def chat(database: Path, question: str, who: str = "ana") -> None:
    async with await AsyncToldOnce.open(Settings(database_url=f"sqlite:///{database}")) as engine:
        await engine.add(f"{who} plays the cello.", user=who)
        await ScriptedChat(engine, Identity(subject=Subject("user", who), conversation="c1")).ask(question, "Well.")


def test_an_empty_database_has_counters_and_no_requests(cli: CommandLine) -> None:
    result = cli("top", "--once", "--json")
    assert (result.code, result.err) == (0, "")
    assert result.json["requests"] == []
    assert result.json["counters"]["memories"] == 0
    assert cli("top", "--once").out.startswith("0 memories · formations: 0 due, 0 parked")


def test_requests_are_printed_newest_first_with_what_happened(cli: CommandLine, database: Path) -> None:
    asyncio.run(chat(database, "What does Ana play?"))
    asyncio.run(chat(database, "What does Ben play?", "ben"))
    found = cli("top", "--once", "--json").json
    assert [each["subject"] for each in found["requests"]] == ["user:ben", "user:ana"]
    assert all(each["injected"] and each["considered"] and each["took_ms"] is not None for each in found["requests"])
    assert found["counters"]["memories"] == 2
    assert found["counters"]["prompts_today"] == 2
    own = cli("top", "--once", "--user", "ana").out.splitlines()
    assert own[0].startswith("1 memories")
    assert [line.split("\t")[1:5] for line in own[1:]] == [["user:ana", "c1", "1", "1"]]
    assert "\x1b" not in "".join(own)
    assert len(cli("top", "--once", "--limit", "1", "--json").json["requests"]) == 1


def test_a_pipe_gets_a_line_for_each_request_as_it_comes(
    cli: CommandLine, database: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    asyncio.run(chat(database, "What does Ana play?"))
    pauses = []

    async def pause(_: float) -> None:
        pauses.append(1)
        if len(pauses) == 3:
            raise KeyboardInterrupt
        if len(pauses) == 1:
            await chat(database, "What does Ben play?", "ben")

    monkeypatch.setattr(asyncio, "sleep", pause)
    result = cli("top")
    assert (result.code, result.err) == (0, "")
    assert [line.split("\t")[1] for line in result.out.splitlines()] == ["user:ana", "user:ben"]


def test_options_that_contradict_each_other_are_refused(cli: CommandLine) -> None:
    assert "--json needs --once" in cli("top", "--json").err
    assert "cannot be combined" in cli("top", "--url", "http://x", "--database", "postgresql:///y").err


async def test_the_screen_has_the_counters_and_the_newest_first(database: Path) -> None:
    await chat(database, "What does Ana play?\x1b[31m")
    async with await AsyncToldOnce.open(Settings(database_url=f"sqlite:///{database}")) as engine:
        view = top_module._View(only=None, zone=ZoneInfo("UTC"), limit=20)
        await view.count(engine)
        assert len(await view.refresh(engine)) == 1
        assert await view.refresh(engine) == []  # what comes again is known
    console = Console(width=160, record=True, file=io.StringIO())
    console.print(top_module._screen(view, 24))
    shown = console.export_text()
    assert "1 memories" in shown
    assert "q quits" in shown
    assert "user:ana" in shown
    assert view.traces[0].recorded_at <= datetime.now(UTC)
