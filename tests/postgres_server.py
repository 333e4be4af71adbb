"""The PostgreSQL server that all tests of a process use, started when the first asks. Starts a process."""

from functools import cache

from benchmarks.postgres_server import QUICK, PostgresServer, programs

__all__ = ["PostgresServer", "programs", "shared_server"]


@cache
def shared_server() -> PostgresServer:
    """Return it."""
    server = PostgresServer(QUICK)
    server.start()
    return server
