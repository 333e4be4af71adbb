"""One user with very many memories on PostgreSQL: with all vectors compared, and with an index. Writes a database."""

import asyncio
import os
import re
import time
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from dataclasses import dataclass
from multiprocessing import get_context
from pathlib import Path

import numpy as np
import psycopg

from benchmarks.among_users import parts_at
from benchmarks.crowd import Copier, Crowd, Templates, id_of, new_database, user
from benchmarks.made_up import SEED, Writer
from benchmarks.processes import rss_mb
from benchmarks.progress import steps
from benchmarks.recall import QUERY_WORDS
from benchmarks.rows import Row, spread
from toldonce.clock import SystemClock
from toldonce.engine import AsyncToldOnce
from toldonce.engine.databases import build_indexes
from toldonce.providers.static_embedder import SPACE, StaticEmbedder
from toldonce.store.postgres.connection import connect
from toldonce.store.sql.database import Row as Found
from toldonce.store.sql.snapshot_codec import size_of
from toldonce.types import NO_VECTORS, Recall, Vectors

TOP_K = 10
# How many candidates the index looks at; 40 is its default.
LOOKS = (40, 100, 200, 400)
_QUERIES = 100
# A recall that reads all of them takes seconds.
_COLD = 5
_SITTING = 2_500
_EXACT = """
SELECT memory FROM vector WHERE subject = {subject} AND space = {space}
 ORDER BY embedding <=> $1::public.vector LIMIT {nearest}
"""
_BY_INDEX = """
SELECT memory FROM vector WHERE subject = {subject} AND space = {space}
 ORDER BY embedding::public.vector({dim}) <=> $1::public.vector({dim}) LIMIT {nearest}
"""


class _Quiet:
    """Shows no bar."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Do nothing."""

    def reach(self, done: int) -> None:
        """Do nothing."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Way:
    """One way of recalling."""

    name: str
    note: str
    cache: int | None
    """Bytes for cached subjects; None: the default."""


ALL = _Way(name="all vectors", note="all ranked, by meaning, words and weight", cache=4 * 2**30)
INDEX = _Way(name="with an index", note="near vectors by the index, the rest ranked as before", cache=None)


async def run(server_url: str, count: int) -> list[Row]:
    """Give one user so many memories, and ask for the best and for the nearest in each way."""
    crowd = await Crowd.made_up(count, count)
    templates = await Templates.written(new_database(server_url, "texts"), crowd)
    url = new_database(server_url, "giant")
    copier = Copier(url, crowd, templates)
    await asyncio.to_thread(copier.put, [0], sitting=_SITTING)
    copier.tidy()
    copier.close()
    writer = Writer(SEED + 1)
    queries = [" ".join(writer.words(QUERY_WORDS)) for _ in range(_QUERIES)]
    asked = await StaticEmbedder().embed(queries)
    mine = crowd.vectors[crowd.picked(0)]
    nearest = [{id_of(0, int(at)) for at in np.argsort(-(mine @ query))[:TOP_K]} for query in asked]
    del crowd, templates, copier, mine
    rows, exact = await _by_engine(url, queries, count, ALL)
    start = time.perf_counter()
    done = await asyncio.to_thread(build_indexes, url, progress=_Quiet(), minimum=count)
    name = f"{count:,} of one user, `toldonce db index`"
    rows += [
        Row(name=f"{name}, building", value=time.perf_counter() - start, unit="s", note="m 16, ef_construction 64"),
        Row(name=f"{name}, size", value=sum(entry.bytes for entry in done.built) / 1e6, unit="MB"),
    ]
    more, found = await _by_engine(url, queries, count, INDEX)
    rows += [*more, *_agreement(count, exact, found)]
    with connect(url) as db:
        rows += await asyncio.to_thread(_by_database, db, asked, nearest, count)
    return rows


async def _by_engine(url: str, queries: Sequence[str], count: int, way: _Way) -> tuple[list[Row], list[Recall]]:
    """Recall, each of the first times in a process of its own; return the recalls of what was read, too."""
    name = f"{count:,} of one user, {way.name}"
    first = []
    for query in queries[:_COLD]:
        with ProcessPoolExecutor(max_workers=1, mp_context=get_context("spawn")) as process:
            first.append(process.submit(_first, url, query).result())
    parts = await parts_at(url, queries, SystemClock(), cache=way.cache)
    async with AsyncToldOnce(parts) as engine:
        await engine.search(queries[0], user=user(0))
        found = [await engine.search(query, user=user(0)) for query in steps(f"{way.name}, {count:,}", queries)]
        size = size_of(await parts.store.snapshots.snapshot(user(0), SPACE, vectors=NO_VECTORS))
    rows = [
        *spread(f"{name}, first recall of a process", [took for took, _ in first], "ms", note=way.note),
        Row(
            name=f"{name}, first recall, peak", value=max(grown for _, grown in first), unit="MB", note="RSS, grown by"
        ),
        *spread(f"{name}, cached", [recall.took_ms for recall in found], "ms", note=way.note),
        Row(name=f"{name}, in the cache", value=size / 1e6, unit="MB", note="268 MB are the default, for all users"),
    ]
    return rows, found


def _first(url: str, query: str) -> tuple[float, float]:
    """Recall in a process that has not read the user yet; return the time, and by how many MB its memory grew."""

    async def recall() -> tuple[float, float]:
        async with AsyncToldOnce(await parts_at(url, [query], SystemClock(), cache=None)) as engine:
            await engine.search(query, user=user(1))  # opens connections
            before = rss_mb(os.getpid())
            took = (await engine.search(query, user=user(0))).took_ms
            return took, _peak_mb() - before

    return asyncio.run(recall())


def _peak_mb() -> float:
    """Read the most memory that this process ever held; where Linux does not tell, what it holds."""
    status = Path("/proc/self/status")
    found = re.search(r"^VmHWM:\s+(\d+) kB", status.read_text(), re.MULTILINE) if status.exists() else None
    return int(found[1]) * 1024 / 1e6 if found else rss_mb(os.getpid())


def _agreement(count: int, exact: Sequence[Recall], found: Sequence[Recall]) -> list[Row]:
    rows = []
    for most in (1, 3, TOP_K):
        shares = [
            len({item.memory.id for item in recall.items[:most]} & {item.memory.id for item in other.items[:most]})
            / max(1, len(recall.items[:most]))
            for recall, other in zip(exact, found, strict=True)
        ]
        name = f"{count:,} of one user, with an index, of the best {most} of all"
        rows.append(Row(name=name, value=float(np.mean(shares)), unit="", count=len(shares)))
    compared = [recall.vectors_compared or 0 for recall in found]
    rows.append(Row(name=f"{count:,} of one user, vectors compared", value=float(np.mean(compared)), unit=""))
    return rows


class Database:
    """Nearest neighbours as the database finds them, in vectors of one subject and space."""

    def __init__(self, db: psycopg.Connection[Found], dim: int) -> None:
        """Look at the space that is there."""
        self._db = db
        ((space,),) = db.execute("SELECT id FROM space WHERE name = $1", (SPACE,)).fetchall()
        self._names = {"subject": user(0).key, "space": space, "dim": dim, "nearest": TOP_K}

    def measured(self, asked: Vectors, nearest: Sequence[set[bytes]], name: str, statement: str) -> list[Row]:
        """Ask for the nearest of each; say how long it took, and how many of the truly nearest were found."""
        took, found = [], 0
        for vector, true in zip(asked, nearest, strict=True):
            text = "[" + ",".join(f"{number:.7g}" for number in vector.tolist()) + "]"
            start = time.perf_counter()
            rows = self._db.execute(statement.format(**self._names), (text,), binary=True).fetchall()
            took.append((time.perf_counter() - start) * 1000)
            found += len(true & {row[0] for row in rows})
        share = found / (TOP_K * len(nearest))
        return [
            *spread(name, took, "ms"),
            Row(name=f"{name}, recall@{TOP_K}", value=share, unit="", count=len(nearest)),
        ]


def _by_database(db: psycopg.Connection[Found], asked: Vectors, nearest: Sequence[set[bytes]], count: int) -> list[Row]:
    db.execute("SET statement_timeout = 0")
    tables = Database(db, asked.shape[1])
    rows = tables.measured(asked, nearest, f"{count:,} of one user, pgvector, exact", _EXACT)
    hnsw = f"{count:,} of one user, HNSW"
    db.execute("SET hnsw.iterative_scan = 'strict_order'")
    for looks in LOOKS:
        db.execute(f"SET hnsw.ef_search = {looks}")
        rows += tables.measured(asked, nearest, f"{hnsw}, ef_search {looks}", _BY_INDEX)
    return rows
