"""What is exported is imported as it was: export(import(x)) is x, letter by letter, from either store into either."""

import asyncio
import io
import json
import os
import random
import signal
from collections.abc import Callable
from itertools import product
from pathlib import Path
from typing import Any

import pytest

from factories import ANA
from forked_processes import run_python
from household import Household
from patience import PATIENCE_S
from populated import ERASED, QUERIES, WHO, opened, parts_of, populate
from sample_chats import ALL_KINDS, assistant, tell, user
from soak import whole_only
from stores import DURABLE, url_of
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.store.failpoint import VARIABLE
from toldonce.types import MemoryKind, MemoryState, Subject

TESTS = Path(__file__).parent.parent
SCRIPT = TESTS / "engine" / "import_process.py"
# From one database into the other both are read and written; from one into its own kind, in a long run.
WAYS = [
    pytest.param(ways, marks=whole_only if len(set(ways)) < min(2, len(DURABLE)) else (), id="-to-".join(ways))
    for ways in product(DURABLE, DURABLE)
]
SECRET = "sk-proj-Qm3vT9xLr2WzK8bYd5NcHj7Pf4Gs6Ea1Ru0Ti"  # made up


class NoBar:
    """Shows nothing."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Show nothing."""

    def reach(self, done: int) -> None:
        """Show nothing."""


async def exported(url: str, who: str | Subject | None = None) -> bytes:
    file = io.BytesIO()
    async with opened(url) as engine:
        lines = await engine.transfer.export_to(file, user=who, everybody=who is None)
    assert file.getvalue().count(b"\n") == lines
    return file.getvalue()


async def take_in(url: str, data: bytes, *, only_missing: bool = False) -> tuple[int, int]:
    async with opened(url) as engine:
        carried = await engine.transfer.import_from(io.BytesIO(data), progress=NoBar(), only_missing=only_missing)
    return carried.subjects, carried.present


def place(kind: str, folder: Path, name: str) -> str:
    (folder / name).mkdir(exist_ok=True)
    return url_of(kind, folder / name)


def records(data: bytes, kind: str) -> list[Any]:
    return [record[kind] for line in data.split(b"\n") if line and kind in (record := json.loads(line))]


async def asked(url: str) -> dict[object, Any]:
    """Ask for what is known, and what is found."""
    found: dict[object, Any] = {}
    async with opened(url) as engine:
        for name in WHO:
            who = Subject.parse(name)
            found[name, "list"] = await engine.list(user=who, kinds=ALL_KINDS, closed=True, limit=1000)
            found[name, "decisions"] = await engine.history.decisions(user=who)
            found[name, "held"] = await engine.reviews.list(user=who)
            for query in QUERIES:
                items = (await engine.search(query, user=who)).items
                found[name, query] = [(item.memory.id, item.word_share) for item in items]
                # A summary is embedded statement by statement; anew, sentence by sentence of what it says.
                if not any(item.memory.kind is MemoryKind.EPISODE for item in items):
                    found[name, query, "scores"] = [item.score for item in items]
        assert (await engine.admin.stats(check=True)).problems == ()
    return found


@pytest.mark.parametrize("ways", WAYS)
async def test_v16_an_imported_export_exports_the_same_letter_by_letter(ways: tuple[str, str], tmp_path: Path) -> None:
    here, there = place(ways[0], tmp_path, "here"), place(ways[1], tmp_path, "there")
    await populate(here)
    first = await exported(here)
    states = {memory["state"] for memory in records(first, "memory")}
    kinds = {memory["kind"] for memory in records(first, "memory")}
    assert (states, kinds) == (set(MemoryState), set(MemoryKind))
    assert {memory["erased"] for memory in records(first, "message")} == {0, 1, 2}
    for kind in ("conversation", "decision", "formation", "subscription", "app", "erased", "ledger", "insertion"):
        assert records(first, kind), kind
    assert [memory for memory in records(first, "memory") if memory["linked"]]
    assert [memory for memory in records(first, "memory") if memory["tags"]]
    assert "蜜蜂 🐝".encode() in first
    assert "a \ufffd and \\\\u0000".encode() in first, "what no database can hold was replaced when it was said"

    assert await take_in(there, first) == (len(records(first, "subject")), 0)
    assert await exported(there) == first
    assert await asked(there) == await asked(here)


@pytest.fixture(params=DURABLE)
def where(request: pytest.FixtureRequest, tmp_path: Path) -> str:
    return place(request.param, tmp_path, "there")


@pytest.fixture
async def source(tmp_path: Path) -> str:
    url = place("file", tmp_path, "here")
    await populate(url)
    return url


async def test_v16_an_export_holds_one_subject_and_nothing_of_others(source: str, where: str) -> None:
    data = await exported(source, "ben")
    assert records(data, "subject") == ["user:ben", "app:ben/calendar"]
    assert b"honey" in data
    assert b"peanuts" not in data
    assert await take_in(where, data) == (2, 0)
    assert await exported(where, "ben") == data


async def test_v16_a_users_export_has_every_inner_subject_and_is_imported_whole(where: str, tmp_path: Path) -> None:
    here = place("file", tmp_path, "house")
    parts = await parts_of(here)
    async with AsyncToldOnce(parts) as engine:
        luck = random.Random(5)
        inner = await Household(engine, parts, "ana/x ü", luck).plant()
        await Household(engine, parts, "ana", luck).plant()
    data = await exported(here, "ana/x ü")
    assert sorted(records(data, "subject")) == sorted(["user:ana/x ü", *(subject.text for subject in inner)])
    assert await take_in(where, data) == (1 + len(inner), 0)
    assert await exported(where, "ana/x ü") == data
    async with opened(where) as engine:
        await engine.erasure.subject("ana/x ü")
        assert {subject.text for subject in await engine.admin.subjects()} <= {"user:ana"}
        with pytest.raises(BadRequestError, match="nothing is kept"):
            await engine.transfer.export_to(io.BytesIO(), user="ana/x ü")


async def test_what_was_erased_stays_erased_where_it_is_imported(source: str, where: str) -> None:
    data = await exported(source)
    assert b"green door" not in data
    await take_in(where, data)
    again = [user(ERASED), assistant("A green door."), user("My car is a small van."), assistant("A van.")]
    async with opened(where) as engine:
        recorded = await engine.record(
            [*again, user("It is blue."), assistant("Blue.")], user="ben", conversation="locker"
        )
        assert recorded.appended == (5, 6)
        fresh = await engine.record([*again, user("It is red."), assistant("Red.")], user="ben")
        texts = [message.text for message in await engine.conversations.messages(fresh.conversation, user="ben")]
        assert (texts[:3], texts[-2:]) == (["", "", "My car is a small van."], ["It is red.", "Red."])
        gone = await engine.record(
            [user("I keep a parrot."), assistant("A parrot."), user("Hi."), assistant("Hi.")], user="cleo"
        )
        assert [message.text for message in await engine.conversations.messages(gone.conversation, user="cleo")][
            :2
        ] == ["", ""]
        await engine.form()
        assert not [memory for memory in await engine.list(user="ben", kinds=ALL_KINDS) if "door" in memory.text]


async def test_what_is_erased_after_an_import_is_masked_by_the_ledgers_own_key(source: str, where: str) -> None:
    await take_in(where, await exported(source))
    async with opened(where) as engine:
        said = [user("My boat is called Otter."), assistant("Otter.")]
        recorded = await engine.record(said, user="ben", conversation="boat")
        await engine.erasure.conversation(recorded.conversation, user="ben")
    data = await exported(where)
    other = f"{where.removesuffix('toldonce.sqlite3')}again.sqlite3" if where.startswith("sqlite") else ""
    if other:
        await take_in(other, data)
        assert await exported(other) == data


async def test_what_is_there_is_not_imported_over_unless_told_to_leave_it_out(source: str, where: str) -> None:
    data = await exported(source)
    async with opened(where) as engine:
        await tell(engine, "I play chess in the park.", who="ana")
    before = await exported(where)
    with pytest.raises(BadRequestError, match="user:ana is there already"):
        await take_in(where, data)
    assert await exported(where) == before
    subjects = len(records(data, "subject"))
    assert await take_in(where, data, only_missing=True) == (subjects - 1, 1)
    assert await take_in(where, data, only_missing=True) == (0, subjects)
    assert b"chess" in await exported(where, "ana")


async def test_an_import_does_not_bring_back_whom_this_database_erased(source: str, where: str) -> None:
    data = await exported(source, "ben")
    await take_in(where, data)
    async with opened(where) as engine:
        await engine.erasure.subject("ben")
    with pytest.raises(BadRequestError, match="there already"):
        await take_in(where, data)


async def test_secrets_are_struck_out_of_an_export_and_stay_out(where: str, tmp_path: Path) -> None:
    here = place("file", tmp_path, "here")
    call = {"id": "c", "type": "function", "function": {"name": "open", "arguments": json.dumps({"key": SECRET})}}
    async with opened(here) as engine:
        said: list[dict[str, Any]] = [
            user(f"My api key is {SECRET}."),
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": "c", "content": "done"},
        ]
        await engine.record(said, user="ana")
        await engine.form()
    data = await exported(here)
    assert SECRET.encode() not in data
    assert data.count(b"[secret]") >= 2
    assert records(data, "message")[1]["calls"]
    await take_in(where, data)
    assert await exported(where) == data


def changed(data: bytes, kind: str, **to: object) -> bytes:
    """Change the last record of a kind."""
    lines = data.splitlines(keepends=True)
    at = max(number for number, line in enumerate(lines) if line.startswith(f'{{"{kind}"'.encode()))
    record = json.loads(lines[at])
    record[kind].update(to)
    lines[at] = json.dumps(record).encode() + b"\n"
    return b"".join(lines)


BROKEN: dict[str, Callable[[bytes], bytes]] = {
    "is no JSON": lambda data: data.replace(b'{"decision"', b'{"decision', 1),
    "begins with its header": lambda data: data.split(b"\n", 1)[1],
    "has version 2": lambda data: data.replace(b'"version": 1', b'"version": 2', 1),
    "a part of it is missing": lambda data: data[: data.rindex(b'{"end"')],
    "something follows the end": lambda data: data + b'{"subject": "user:zed"}\n',
    "subjects, not 99": lambda data: data[: data.rindex(b'{"end"')] + b'{"end": 99}\n',
    "no record is called 'dream'": lambda data: data.replace(b'{"decision"', b'{"dream"', 1),
    "importance is no number": lambda data: changed(data, "memory", importance="high"),
    "state is none of": lambda data: changed(data, "memory", state="asleep"),
    "is no instant": lambda data: changed(data, "message", said_at="yesterday"),
    "without a time zone": lambda data: changed(data, "message", said_at="2026-05-03T08:00:00"),
    "is no id": lambda data: changed(data, "decision", id="7"),
    "whole number of 64 bits": lambda data: changed(data, "message", hash=2**63),
    "too much or too little: colour": lambda data: changed(data, "conversation", colour="red"),
    "has not the messages": lambda data: changed(data, "conversation", last_seq=99),
    "position that does not exist": lambda data: changed(data, "message", parent_seq=99),
    "comes a second time": lambda data: data.replace(
        b'{"end": 1}', data.split(b"\n", 1)[1].replace(b'{"end": 1}', b'{"end": 2}')
    ),
    "cannot be a subject": lambda data: data.replace(b'"user:ben"', b'"user:"', 1),
    "home is no whole number": lambda data: changed(data, "formation", home=True),
}


async def test_a_line_that_cannot_be_read_is_named_and_nothing_is_written(tmp_path: Path) -> None:
    here, there = place("file", tmp_path, "here"), place("file", tmp_path, "there")
    async with opened(here) as engine:
        await tell(engine, "I work as a baker and I like honey.", assistant("Tasty."), who="ben")
    data = await exported(here, "ben")
    async with opened(there) as engine:
        for why, spoil in BROKEN.items():
            with pytest.raises(BadRequestError, match=why) as raised:
                await engine.transfer.import_from(io.BytesIO(spoil(data)), progress=NoBar())
            assert str(raised.value).startswith("line ") or "missing" in why
            assert await engine.admin.subjects() == [], why


@pytest.mark.process
async def test_a_killed_import_leaves_whole_subjects_and_resumes_the_missing_ones(
    source: str, where: str, tmp_path: Path
) -> None:
    data = await exported(source)
    file = tmp_path / "all.jsonl"
    file.write_bytes(data)
    await (await parts_of(where)).store.close()
    environment = {**os.environ, "PYTHONPATH": f"{TESTS}{os.pathsep}{TESTS.parent}", VARIABLE: "before-commit:2"}
    killed = await asyncio.to_thread(run_python, str(SCRIPT), where, str(file), env=environment, timeout=PATIENCE_S)
    assert killed.returncode == -signal.SIGKILL, killed.stderr
    async with opened(where) as engine:
        assert (await engine.admin.stats(check=True)).problems == ()
    imported, present = await take_in(where, data, only_missing=True)
    assert present == 2
    assert imported + present == len(records(data, "subject"))
    assert await exported(where) == data


async def test_what_is_in_memory_alone_is_not_exported(engine: AsyncToldOnce) -> None:
    if engine.settings.database_url.endswith(":memory:"):
        with pytest.raises(BadRequestError, match="one process alone"):
            await engine.transfer.export_to(io.BytesIO(), everybody=True)
    else:
        with pytest.raises(BadRequestError, match="nothing is kept of user:ana"):
            await engine.transfer.export_to(io.BytesIO(), user=ANA)
