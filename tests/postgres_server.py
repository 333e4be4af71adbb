"""The PostgreSQL server that all tests of a process use, started when the first asks. Starts a process."""

from functools import cache
from urllib.parse import urlsplit

import psycopg
import pytest

from benchmarks.postgres_server import QUICK, PostgresServer, programs
from toldonce.store.postgres.migrate import _require_session as require_session
from toldonce.store.sql.database import Row

__all__ = ["NEEDS_POSTGRES", "NO_PROGRAMS", "QUICK", "PostgresServer", "programs", "shared_server"]

NO_PROGRAMS = "PostgreSQL's programs are not installed"
NEEDS_POSTGRES = pytest.mark.skipif(programs() is None, reason=NO_PROGRAMS)
"""Marks what is skipped, and says so, where the package with the programs has none for this machine."""

# With hundreds of databases, autovacuum would start a process ten times a second.
NO_BACKGROUND_WORK = {"autovacuum": "off", "max_logical_replication_workers": "0", "io_method": "sync"}


_servers_with_sessions: set[str] = set()


def require_session_once(db: psycopg.Connection[Row], url: str, where: str) -> None:
    """Look once for each server whether a pooler stands before it: that takes a connection more for each store."""
    server = urlsplit(url).netloc
    if server not in _servers_with_sessions:
        require_session(db, url, where)
        _servers_with_sessions.add(server)


@cache
def shared_server() -> PostgresServer:
    """Return it."""
    server = PostgresServer(QUICK | NO_BACKGROUND_WORK)
    server.start()
    return server
