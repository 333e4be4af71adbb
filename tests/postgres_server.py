"""The PostgreSQL server that all tests of a process use, started when the first asks. Starts a process."""

from functools import cache

import pytest

from benchmarks.postgres_server import QUICK, PostgresServer, programs

__all__ = ["NEEDS_POSTGRES", "NO_PROGRAMS", "PostgresServer", "programs", "shared_server"]

NO_PROGRAMS = "PostgreSQL's programs are not installed"
NEEDS_POSTGRES = pytest.mark.skipif(programs() is None, reason=NO_PROGRAMS)
"""Marks what is skipped, and says so, where the package with the programs has none for this machine."""

# With hundreds of databases, autovacuum would start a process ten times a second.
NO_BACKGROUND_WORK = {"autovacuum": "off", "max_logical_replication_workers": "0", "io_method": "sync"}


@cache
def shared_server() -> PostgresServer:
    """Return it."""
    server = PostgresServer(QUICK | NO_BACKGROUND_WORK)
    server.start()
    return server
