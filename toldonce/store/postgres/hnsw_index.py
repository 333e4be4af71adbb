"""Give giant subjects an index of their vectors each, and take away what is not wanted any more. Network, a thread.

The name of an index says whose it is; `subject.near` says that recall may use it, and is set last and cleared first.
So the next run repairs what an interrupted one left, and recall never uses an index that is not
there.
"""

import time
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor, wait
from typing import NamedTuple

import psycopg

from toldonce.errors import StoreUnavailableError, UnreadableStoreError
from toldonce.lazy_pattern import LazyPattern
from toldonce.settings import shown_url
from toldonce.store.encryption.mark import needs_keyring, read_mark
from toldonce.store.failpoint import Failpoint
from toldonce.store.postgres.connection import PostgresConnection, connect
from toldonce.store.postgres.dialect import dialect_statements
from toldonce.store.postgres.errors import fault
from toldonce.store.postgres.hnsw_search import MAX_HALVED_DIMENSIONS, MAX_WHOLE_DIMENSIONS, type_of
from toldonce.store.postgres.migrate import prepare
from toldonce.store.sql.database import SqlConnection
from toldonce.store.sql.rows import fetch, fetch_value
from toldonce.store.store_reports import IndexReport, SubjectIndex
from toldonce.types import ProgressReporter

SQL, TEMPLATES = dialect_statements("index"), dialect_statements("near")
# "Rclt" and "near": the lock of processes that build indexes.
_LOCK = 0x52636C746E656172
_NAME = LazyPattern(r"near_(-?\d+)_(\d+)")
# Iterative scans, without which an index finds less than was asked for, came with this version.
_MIN_PGVECTOR = (0, 8)
# Building is many times as fast where the graph fits into `maintenance_work_mem`: so many bytes a vector beside its
# numbers. More than this is not taken of the server's memory unless its own setting gives more.
_GRAPH_BYTES, _NUMBER_BYTES = 800, 4
MAX_MEMORY_BYTES = 2**30
_LOOK_S = 0.5
# The server drops the lock of a run that was interrupted when it notices the closed connection: moments later.
_LOCK_WAIT_S, _LOCK_RETRY_S = 3.0, 0.1


class _Giant(NamedTuple):
    """A subject that is to have an index."""

    key: int
    space: int
    subject: str
    space_name: str
    dim: int
    vectors: int


def name_of(subject: int, space: int) -> str:
    """Return the quoted name of the index of a subject's vectors.

    >>> name_of(-5, 1)
    '"near_-5_1"'
    """
    return f'"near_{subject}_{space}"'


def index(url: str, *, least: int | None, bar: ProgressReporter) -> IndexReport:
    """Build what is missing, drop what is not wanted: see `build_indexes`. Idempotent."""
    where = shown_url(url)
    try:
        prepare(url)
        with connect(url) as db:
            return _Run(PostgresConnection(db), url, bar).run(least)
    except psycopg.Error as error:
        raise fault(error, where) from error


def indexes(db: SqlConnection) -> tuple[SubjectIndex, ...]:
    """List the indexes there are."""
    found = []
    for name, valid, size in fetch(db, SQL["indexes"]):
        if whose := _NAME.fullmatch(name):
            subject, space, vectors, used = fetch(db, SQL["whose"], *map(int, whose.groups()))[0]
            found.append(
                SubjectIndex(subject=subject, space=space, vectors=vectors, bytes=size, used=bool(valid and used))
            )
    return tuple(found)


def require_no_indexes(db: SqlConnection, where: str) -> None:
    """Refuse to encrypt subjects while recall uses indexes of plain vectors.

    Raises:
        UnreadableStoreError: It does.
    """
    if fetch(db, SQL["marked"]):
        raise UnreadableStoreError(
            f"vectors of {where} are indexed, and encrypted ones cannot be: run `toldonce db index --drop` first, or "
            "leave the subjects as they are"
        )


class _Run:
    """One call."""

    def __init__(self, session: PostgresConnection, url: str, bar: ProgressReporter) -> None:
        self._db = session
        self._url = url
        self._where = shown_url(url)
        self._bar = bar
        self._failpoint = Failpoint.from_environment()
        self._dropped: list[str] = []

    def run(self, least: int | None) -> IndexReport:
        self._db.execute("SET statement_timeout = 0")
        if least is not None:
            self._require_means()
            if needs_keyring(read_mark(self._db)):
                raise UnreadableStoreError(
                    f"the subjects of {self._where} are encrypted, and encrypted vectors cannot be indexed: each "
                    "recall compares all vectors of a subject (nothing was changed)"
                )
        self._lock()
        giants = [] if least is None else [_Giant(*row) for row in fetch(self._db, SQL["giants"], least)]
        wanted = [giant for giant in giants if giant.dim <= MAX_HALVED_DIMENSIONS]
        there = self._drop_others({(giant.key, giant.space) for giant in wanted})
        missing = [giant for giant in wanted if (giant.key, giant.space) not in there]
        for giant in missing:
            self._build(giant)
        for giant in wanted:
            self._mark(giant.key, giant.space)
        names = {(giant.subject, giant.space_name) for giant in missing}
        known = [index for index in indexes(self._db) if index.used]
        return IndexReport(
            where=self._where,
            least=least or 0,
            built=tuple(index for index in known if (index.subject, index.space) in names),
            before=tuple(index for index in known if (index.subject, index.space) not in names),
            dropped=tuple(self._dropped),
            refused=tuple(
                f"{giant.subject}: its vectors have {giant.dim:,} numbers, "
                f"pgvector indexes up to {MAX_HALVED_DIMENSIONS:,}"
                for giant in giants
                if giant not in wanted
            ),
        )

    def _lock(self) -> None:
        """Take the lock of index builders; an interrupted builder may hold it for another moment.

        Raises:
            StoreUnavailableError: another process still holds it after `_LOCK_WAIT_S`.
        """
        deadline = time.monotonic() + _LOCK_WAIT_S
        while not fetch_value(self._db, SQL["lock"], _LOCK):
            if time.monotonic() > deadline:
                raise StoreUnavailableError(f"another process is building indexes in {self._where}: wait for it")
            time.sleep(_LOCK_RETRY_S)

    def _require_means(self) -> None:
        """Refuse what has no indexes of this kind.

        Raises:
            UnreadableStoreError: pgvector is too old, or the vectors are on several nodes.
        """
        version = str(fetch_value(self._db, SQL["pgvector"]))
        if tuple(int(part) for part in version.split(".")[:2]) < _MIN_PGVECTOR:
            raise refused(
                self._where, f"its pgvector is {version}: install 0.8 or later and run `ALTER EXTENSION vector UPDATE`"
            )
        if fetch_value(self._db, SQL["is_distributed"]) and fetch(self._db, SQL["distributed"]):
            raise refused(
                self._where,
                "its tables are spread over the nodes of Citus, where the index of one subject would be made on the "
                "parts of all others, too: there each recall compares all vectors of its subject",
            )

    def _drop_others(self, wanted: set[tuple[int, int]]) -> set[tuple[int, int]]:
        """Drop unwanted and unfinished indexes with their marks; return the rest."""
        valid = dict[tuple[int, int], bool]()
        for name, whole, _ in fetch(self._db, SQL["indexes"]):
            if whose := _NAME.fullmatch(name):
                valid[int(whose[1]), int(whose[2])] = bool(whole)
        stays = {whose for whose, whole in valid.items() if whole and whose in wanted}
        for key, space in fetch(self._db, SQL["marked"]):
            if (key, space) not in stays:
                self._mark(key, None)
        for key, space in valid:
            if (key, space) not in stays:
                self._dropped.append(self._drop(key, space))
        return stays

    def _drop(self, key: int, space: int) -> str:
        subject = fetch(self._db, SQL["whose"], key, space)[0][0]
        self._db.execute(TEMPLATES["drop"].format(name=name_of(key, space)))
        return subject or name_of(key, space).strip('"')

    def _mark(self, key: int, space: int | None) -> None:
        """Let recall use the index, or stop it; the version moves, so that cached snapshots are read again."""

        def mark(db: SqlConnection) -> None:
            known = {subject: near for subject, near in fetch(db, SQL["marked"])}
            if known.get(key) != space:
                db.execute(SQL["mark"], (key, space))

        self._db.write(mark, (key,), self._failpoint)

    def _build(self, giant: _Giant) -> None:
        room = min(giant.vectors * (giant.dim * _NUMBER_BYTES + _GRAPH_BYTES), MAX_MEMORY_BYTES)
        if room > int(fetch_value(self._db, SQL["memory"])):
            self._db.execute(f"SET maintenance_work_mem = '{room // 1024}kB'")
        schema = str(fetch_value(self._db, TEMPLATES["vectors_schema"]))
        name, operators = name_of(giant.key, giant.space), "vector" if giant.dim <= MAX_WHOLE_DIMENSIONS else "halfvec"
        statement = TEMPLATES["build"].format(
            name=name,
            type=type_of(schema, giant.dim),
            operators=f'"{schema}".{operators}_cosine_ops',
            subject=giant.key,
            space=giant.space,
        )
        try:
            self._watched(statement, giant)
        except psycopg.errors.DiskFull as error:
            if "shared memory" not in str(error):
                raise
            # Several processes build it in shared memory, of which a container has little: one process needs none.
            self._drop(giant.key, giant.space)
            self._db.execute("SET max_parallel_maintenance_workers = 0")
            self._watched(statement, giant)
        self._db.execute(TEMPLATES["no_samples"].format(name=name))

    def _watched(self, statement: str, giant: _Giant) -> None:
        """Run what takes minutes in another thread, and show how far it is."""
        with connect(self._url) as beside, ThreadPoolExecutor(max_workers=1) as thread:
            other, process = PostgresConnection(beside), self._db.connection.info.backend_pid
            building = thread.submit(self._db.execute, statement)
            try:
                shown: Sequence[object] = ()
                while not wait((building,), timeout=_LOOK_S).done:
                    for phase, done, total in fetch(other, SQL["progress"], process):
                        if shown != (phase, total):
                            shown = (phase, total)
                            self._bar.begin(f"{giant.subject}: {phase}", "blocks", int(total or 0))
                        self._bar.reach(int(done or 0))
            finally:
                if not building.done():  # interrupted: the server must not go on building
                    self._db.connection.cancel_safe()
            building.result()


def refused(where: str, why: str) -> UnreadableStoreError:
    """Say why a database has no indexes of subjects."""
    return UnreadableStoreError(f"{where} cannot have indexes of subjects' vectors: {why}")
