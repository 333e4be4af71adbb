"""`python -m benchmarks.many_users`: PostgreSQL with few and with many users. Starts a server, or uses one."""

import argparse
import asyncio
import sys
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path

from benchmarks import among_users, giant
from benchmarks.postgres_server import PostgresServer, programs
from benchmarks.report import measure
from benchmarks.rows import Row

# As an operator would set them on such a machine; what is not named is PostgreSQL's own default.
SERVER = {"shared_buffers": "1GB", "max_wal_size": "8GB", "checkpoint_timeout": "30min", "max_connections": "100"}


def main(arguments: Sequence[str] | None = None) -> int:
    """Measure what was asked for."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.many_users", description=__doc__)
    parser.add_argument("--quick", action="store_true", help="a few users, to see that it runs")
    parser.add_argument(
        "--users", type=int, metavar="N", help=f"how many are many (default: {among_users.FULL.many:,})"
    )
    parser.add_argument("--giant", type=int, metavar="N", help="one user with so many memories instead")
    parser.add_argument(
        "--url", help="a PostgreSQL server with pgvector; databases toldonce_bench_… are created again there"
    )
    parser.add_argument("--json", type=Path, metavar="FILE", help="where to write (default: bench-results/TIME.json)")
    asked = parser.parse_args(arguments)

    def run(quick: bool) -> list[Row]:
        with serving(asked.url) as url:
            if asked.giant:
                return asyncio.run(giant.run(url, asked.giant))
            sizes = among_users.QUICK if quick else among_users.FULL
            return asyncio.run(among_users.run(url, replace(sizes, many=asked.users or sizes.many)))

    measure({"giant" if asked.giant else "many users": run}, quick=asked.quick, file=asked.json)
    return 0


@contextmanager
def serving(url: str | None, folder: Path | None = None) -> Iterator[str]:
    """Hand out the URL of the server that was named, or of a new one in a folder, removed at the end."""
    if url is not None:
        yield url
        return
    if programs() is None:
        raise SystemExit("PostgreSQL's programs are not installed: name a server with --url")
    server = PostgresServer(SERVER, folder)
    try:
        server.start()
        yield server.url
    finally:
        server.remove()


if __name__ == "__main__":
    sys.exit(main())
