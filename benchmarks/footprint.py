"""What ToldOnce takes before and beside its work: start, memory, disk. Starts processes."""

import asyncio
import http.client
import json
import subprocess
import sys
import time
from dataclasses import dataclass
from pathlib import Path
from tempfile import TemporaryDirectory

from benchmarks.filler import Filler, parts_in, settings_for
from benchmarks.made_up import Writer
from benchmarks.processes import Running, environment, server
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile
from toldonce.engine import AsyncToldOnce
from toldonce.types import LoggedMessage, Subject

# The promise (issue 2) for the server's memory after its start.
BAR_RSS_MB = 200.0
USERS = 20
USER = Subject("user", "bench")
# Messages recorded in one call when a log is filled.
LOG_BATCH = 200


@dataclass(frozen=True, slots=True, kw_only=True)
class Sizes:
    """How much is measured."""

    starts: int
    chats: int
    memories: tuple[int, ...]
    """Memories in a file when its bytes are counted."""


FULL = Sizes(starts=5, chats=1000, memories=(10_000, 100_000))
QUICK = Sizes(starts=2, chats=100, memories=(2_000,))


def run(quick: bool) -> list[Row]:
    """Measure starts and memory, then bytes on disk."""
    sizes = QUICK if quick else FULL
    rows = [*starting(sizes.starts), *resident(sizes.chats)]
    for count in sizes.memories:
        for _ in steps(f"footprint: {count:,} memories on disk", range(1)):
            rows += asyncio.run(on_disk(count))
    return rows


def starting(times: int) -> list[Row]:
    """Start the server on an empty folder, and ask for the version, several times."""
    healthy, versions = [], []
    for _ in steps("footprint: starting", range(times)):
        with TemporaryDirectory(prefix="toldonce-bench-") as name:
            folder = Path(name)
            with server(folder) as running:
                healthy.append(running.started_s)
            start = time.perf_counter()
            subprocess.run(
                [sys.executable, "-m", "toldonce", "--version"],
                env=environment(folder, {}),
                cwd=folder,
                check=True,
                stdout=subprocess.DEVNULL,
            )
            versions.append(time.perf_counter() - start)
    note = "files in the page cache; the database is made"
    return [
        Row(
            name="start of the server to healthy, median",
            value=percentile(healthy, 50),
            unit="s",
            note=note,
            count=times,
        ),
        Row(name="toldonce --version, median", value=percentile(versions, 50), unit="s", count=times),
    ]


def resident(chats: int) -> list[Row]:
    """Read the server's memory after its start, after its first chat, and after many."""
    writer = Writer()
    with TemporaryDirectory(prefix="toldonce-bench-") as name, server(Path(name)) as running:
        connection = http.client.HTTPConnection("127.0.0.1", running.port, timeout=60)
        started = running.rss_mb
        _chat(connection, writer, 0)
        first = running.rss_mb
        begin = time.perf_counter()
        for number in steps("footprint: chatting", range(1, chats)):
            _chat(connection, writer, number)
        took = time.perf_counter() - begin
        connection.close()
        _wait_formed(running)
        after = running.rss_mb
    return [
        Row(name="RSS after start", value=started, unit="MB", bar=BAR_RSS_MB),
        Row(name="RSS after the first chat", value=first, unit="MB"),
        Row(name=f"RSS after {chats:,} chats", value=after, unit="MB", note=f"{USERS} users, all formed", count=chats),
        Row(
            name="chats with the built-in model, one client",
            value=(chats - 1) / took,
            unit="chats/s",
            note="recall, answer, record; forming beside",
            count=chats - 1,
        ),
    ]


async def on_disk(count: int) -> list[Row]:
    """Count the bytes of notes, of logged messages, and of making these recallable, each by itself."""
    writer = Writer()
    texts = writer.sentences(count)
    mean = sum(map(len, texts)) / count
    with TemporaryDirectory(prefix="toldonce-bench-") as name:
        folder = Path(name)
        empty = await _filled(folder, [])
        notes = (await _filled(folder, texts) - empty) / count
    with TemporaryDirectory(prefix="toldonce-bench-") as name:
        folder = Path(name)
        messages = await _logged(folder, texts)
        logged = bytes_in(folder) - empty
        async with parts_in(settings_for(folder)) as parts:
            await Filler(parts=parts).turns(USER, messages)
        turns = bytes_in(folder) - empty - logged
    where = f"at {count:,}"
    text = f"texts of {mean:.0f} characters"
    note = f"{text}; vector, terms, source and decision with it"
    return [
        Row(name=f"a note {where}", value=notes, unit="bytes", note=note, count=count),
        Row(name=f"a logged message {where}", value=logged / count, unit="bytes", note=text, count=count),
        Row(
            name=f"a turn {where}, beside its message",
            value=turns / count,
            unit="bytes",
            note="vector, terms and source; no text of its own",
            count=count,
        ),
    ]


def bytes_in(folder: Path) -> int:
    """Count the bytes of a closed database, with its write-ahead log if one is left."""
    return sum(path.stat().st_size for path in folder.glob("toldonce.sqlite3*"))


async def _filled(folder: Path, texts: list[str]) -> int:
    async with parts_in(settings_for(folder)) as parts:
        await Filler(parts=parts).notes(USER, texts)
    return bytes_in(folder)


async def _logged(folder: Path, texts: list[str]) -> list[LoggedMessage]:
    messages: list[LoggedMessage] = []
    async with parts_in(settings_for(folder)) as parts:
        engine = AsyncToldOnce(parts)
        for start in range(0, len(texts), LOG_BATCH):
            said = [
                {"role": "assistant" if place % 2 else "user", "content": text}
                for place, text in enumerate(texts[start : start + LOG_BATCH])
            ]
            recorded = await engine.record(said, user=USER, conversation=f"chat-{start}")
            messages += await parts.store.conversations.messages(USER, recorded.conversation)
    return messages


def _chat(connection: http.client.HTTPConnection, writer: Writer, number: int) -> None:
    message = {"role": "user", "content": f"{writer.statement()} What do you remember?"}
    body = json.dumps({"model": "toldonce/offline", "messages": [message]})
    headers = {"content-type": "application/json", "x-toldonce-user": f"bench-{number % USERS}"}
    connection.request("POST", "/v1/chat/completions", body, headers)
    answer = connection.getresponse()
    told = answer.read()
    if answer.status != 200:
        raise ConnectionError(f"chat {number}: {answer.status} {told[:200]!r}")


def _wait_formed(running: Running) -> None:
    """Wait until a second has passed in which nothing was formed."""
    before = -1
    while (now := running.formed()) != before:
        before = now
        time.sleep(1)
