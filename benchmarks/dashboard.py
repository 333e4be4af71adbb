"""How long the server takes for each page of the dashboard, for a user with very many memories.

Serves in the process, over a database in a temporary folder.
"""

import asyncio
import re
import time
from collections.abc import Mapping
from pathlib import Path
from tempfile import TemporaryDirectory

import httpx

from benchmarks.filler import Filler, parts_in, settings_for
from benchmarks.made_up import SEED, Writer
from benchmarks.progress import steps
from benchmarks.rows import Row, percentile
from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app
from toldonce.server.dashboard.pages import PAGES
from toldonce.types import Subject

USER = Subject("user", "giant")
SIZES, QUICK_SIZES = (10_000, 100_000), (500,)
BARS_MS: Mapping[int, float] = {10_000: 200.0, 100_000: 500.0}
"""The promise (issue 18) for each number of memories of one user."""
_SAMPLES, _QUICK_SAMPLES = 9, 2
_TURNS = 100
_REQUESTS = 60
"""Traced requests: more than a page of them has."""
_HTML = {"accept": "text/html"}


def run(quick: bool) -> list[Row]:
    """Open every page at several sizes."""
    rows: list[Row] = []
    for size in QUICK_SIZES if quick else SIZES:
        for _ in steps(f"dashboard: {size:,} memories", range(1)):
            with TemporaryDirectory(prefix="toldonce-bench-") as folder:
                rows += asyncio.run(pages_at(Path(folder), size, _QUICK_SAMPLES if quick else _SAMPLES))
    return rows


async def pages_at(
    folder: Path, size: int, samples: int, *, turns: int = _TURNS, requests: int = _REQUESTS
) -> list[Row]:
    """Measure every page for a user with `size` memories, turns and traced requests, each `samples` times."""
    async with parts_in(settings_for(folder)) as parts:
        await Filler(parts=parts).notes(USER, Writer(SEED).sentences(size))
        engine = AsyncToldOnce(parts)
        transport = httpx.ASGITransport(app=build_app(engine))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost", timeout=600) as http:
            paths = await _paths(engine, http, turns, requests)
            return [await _timed(http, name, path, size, samples) for name, path in paths.items()]


async def _paths(engine: AsyncToldOnce, http: httpx.AsyncClient, turns: int, requests: int) -> dict[str, str]:
    """Return an address of each page, by its path; of things that are there."""
    said = [
        {"role": role, "content": f"What about the garden, once more ({turn})?"}
        for turn in range(turns)
        for role in ("user", "assistant")
    ]
    await engine.record(said, user=USER, conversation="talk")
    await engine.form()
    sender = {"x-toldonce-user": USER.name, "x-toldonce-session": "asked"}
    for number in range(requests):
        asked = [{"role": "user", "content": f"What about the garden in year {number}?"}]
        chat = {"model": "toldonce/offline", "messages": asked}
        (await http.post("/v1/chat/completions", json=chat, headers=sender)).raise_for_status()
    [trace] = await engine.traces.list(user=USER, limit=1)
    [memory] = await engine.list(user=USER, limit=1)
    values = {
        "subject": "user%3Agiant",
        "memory": memory.id,
        "conversation": trace.conversation,
        "trace": trace.record.id,
        "app": "calendar",
        "list": "never-recalled",
    }
    paths = {
        page.path or "/": "/dashboard" + re.sub(r"{(\w+)}", lambda name: str(values[name[1]]), page.path)
        for page in PAGES
        if page.method == "GET"
    }
    subject = "/subjects/{subject}"
    paths[f"{subject}?q=…"] = f"{paths[subject]}?q=what+about+the+garden"
    paths[f"{subject}?order=uses"] = f"{paths[subject]}?order=uses"
    paths[f"{subject}/health/near-duplicates"] = f"{paths[subject]}/health/near-duplicates"
    return paths


async def _timed(http: httpx.AsyncClient, name: str, path: str, size: int, samples: int) -> Row:
    """Measure one page, after it was opened once."""
    (await http.get(path, headers=_HTML)).raise_for_status()
    times = []
    for _ in range(samples):
        begin = time.perf_counter()
        (await http.get(path, headers=_HTML)).raise_for_status()
        times.append((time.perf_counter() - begin) * 1000)
    return Row(
        name=f"{size:,} memories, {name}", value=percentile(times, 50), unit="ms", count=samples, bar=BARS_MS.get(size)
    )
