"""One user with very many memories on PostgreSQL: all ranked, or the nearest by an HNSW index. Writes a database."""

import asyncio
import time
from collections.abc import Sequence

import numpy as np
import psycopg

from benchmarks.among_users import parts_at
from benchmarks.copying import Copier, Crowd, Templates, id_of, new_database, user
from benchmarks.made_up import SEED, Writer
from benchmarks.progress import steps
from benchmarks.recall import QUERY_WORDS
from benchmarks.rows import Row, spread
from recollect.clock import SystemClock
from recollect.engine import AsyncRecollect
from recollect.providers.static import SPACE, StaticEmbedder
from recollect.store.postgres.connection import connect
from recollect.store.relational.database import Row as Found
from recollect.types import Vectors

NEAREST = 10
# How many candidates the index looks at; 40 is its default.
LOOKS = (40, 100, 200, 400)
_QUERIES = 100
# A recall that reads all of them takes seconds.
_COLD = 5
_SITTING = 2_500
_BUILD = """
CREATE INDEX vector_of_giant ON vector USING hnsw ((embedding::public.vector({dim})) vector_cosine_ops)
 WHERE subject = {subject} AND space = {space}
"""
_EXACT = """
SELECT memory FROM vector WHERE subject = {subject} AND space = {space}
 ORDER BY embedding <=> $1::public.vector LIMIT {nearest}
"""
_BY_INDEX = """
SELECT memory FROM vector WHERE subject = {subject} AND space = {space}
 ORDER BY embedding::public.vector({dim}) <=> $1::public.vector({dim}) LIMIT {nearest}
"""


async def run(server_url: str, count: int) -> list[Row]:
    """Give one user so many memories, and ask for the nearest in each way."""
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
    places = crowd.picked(0)
    mine = crowd.vectors[places]
    nearest = [{id_of(0, int(at)) for at in np.argsort(-(mine @ query))[:NEAREST]} for query in asked]
    rows = await _by_engine(url, queries, count)
    with connect(url) as db:
        rows += await asyncio.to_thread(_by_database, db, asked, nearest, count)
    return rows


async def _by_engine(url: str, queries: Sequence[str], count: int) -> list[Row]:
    rows: list[Row] = []
    for name, cache, asked in (("read whole", 0, queries[:_COLD]), ("cached", 4 * 2**30, queries)):
        parts = await parts_at(url, queries, SystemClock(), cache=cache)
        async with AsyncRecollect(parts) as engine:
            await engine.search(queries[0], user=user(0))
            took = [
                (await engine.search(query, user=user(0))).took_ms for query in steps(f"recall of {count:,}", asked)
            ]
        note = "all ranked, by meaning, words and weight"
        rows += spread(f"{count:,} of one user, the engine, {name}", took, "ms", note=note)
    return rows


class Database:
    """Nearest neighbours as the database finds them, in vectors of one subject and space."""

    def __init__(self, db: psycopg.Connection[Found], dim: int) -> None:
        """Look at the space that is there."""
        self._db = db
        ((space,),) = db.execute("SELECT id FROM space WHERE name = $1", (SPACE,)).fetchall()
        self._names = {"subject": user(0).key, "space": space, "dim": dim, "nearest": NEAREST}

    def measured(self, asked: Vectors, nearest: Sequence[set[bytes]], name: str, statement: str) -> list[Row]:
        """Ask for the nearest of each; say how long it took, and how many of the truly nearest were found."""
        took, found = [], 0
        for vector, true in zip(asked, nearest, strict=True):
            text = "[" + ",".join(f"{number:.7g}" for number in vector.tolist()) + "]"
            start = time.perf_counter()
            rows = self._db.execute(statement.format(**self._names), (text,), binary=True).fetchall()
            took.append((time.perf_counter() - start) * 1000)
            found += len(true & {row[0] for row in rows})
        share = found / (NEAREST * len(nearest))
        return [
            *spread(name, took, "ms"),
            Row(name=f"{name}, recall@{NEAREST}", value=share, unit="", count=len(nearest)),
        ]

    def build(self, name: str) -> list[Row]:
        """Build the index of one subject."""
        self._db.execute("SET maintenance_work_mem = '1GB'")
        start = time.perf_counter()
        self._db.execute(_BUILD.format(**self._names))
        took_s = time.perf_counter() - start
        ((size,),) = self._db.execute("SELECT pg_relation_size('vector_of_giant')").fetchall()
        return [
            Row(name=f"{name}, building", value=took_s, unit="s", note="m 16, ef_construction 64, as is its default"),
            Row(name=f"{name}, size", value=size / 1e6, unit="MB"),
        ]


def _by_database(db: psycopg.Connection[Found], asked: Vectors, nearest: Sequence[set[bytes]], count: int) -> list[Row]:
    db.execute("SET statement_timeout = 0")
    tables = Database(db, asked.shape[1])
    rows = tables.measured(asked, nearest, f"{count:,} of one user, pgvector, exact", _EXACT)
    hnsw = f"{count:,} of one user, HNSW"
    rows += tables.build(hnsw)
    db.execute("SET hnsw.iterative_scan = 'strict_order'")
    for looks in LOOKS:
        db.execute(f"SET hnsw.ef_search = {looks}")
        rows += tables.measured(asked, nearest, f"{hnsw}, ef_search {looks}", _BY_INDEX)
    return rows
