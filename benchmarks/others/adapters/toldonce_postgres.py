"""ToldOnce on PostgreSQL, through its blocking library. The folder it is given has the database's URL."""

from pathlib import Path

from benchmarks.others.adapters.adapter_server import serve
from benchmarks.others.adapters.toldonce import Ours
from benchmarks.others.systems import URL_FILE


def opened(folder: Path, dim: int) -> Ours:
    """Open the database whose URL the folder has."""
    return Ours(folder, dim, (folder / URL_FILE).read_text("utf-8"))


if __name__ == "__main__":
    serve(opened)
