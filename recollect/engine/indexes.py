"""Part of the API: indexes of giant subjects' vectors in a PostgreSQL database. Opens it."""

from recollect.errors import BadRequestError
from recollect.store.factory import index_store
from recollect.store.operators import IndexReport, SubjectIndex
from recollect.types import ProgressReporter

__all__ = ["MIN_INDEXED_VECTORS", "IndexReport", "SubjectIndex", "drop_indexes", "index_database"]

# Below it, comparing all is as quick as asking an index and finds all: see docs/benchmarks.md.
MIN_INDEXED_VECTORS = 100_000


def index_database(url: str, *, bar: ProgressReporter, least: int = MIN_INDEXED_VECTORS) -> IndexReport:
    """Give each subject with very many vectors an index, by which recall finds the near ones without reading all.

    What is there already stays; indexes of subjects that fell below, or are read in another space by now, are dropped.
    After an interruption it goes on. Others may use the database meanwhile.

    Args:
        url: Of a PostgreSQL database; the schema is made where it is not there.
        bar: Shows how far it is.
        least: From how many vectors on a subject gets one, 1 or more.

    Raises:
        BadRequestError: it is no PostgreSQL database, or the number is out of range.
        SetupError: it cannot have any; the message says why.
        StoreUnavailableError: the server does not answer, or another call is under way.
    """
    if least < 1:
        raise BadRequestError(f"indexes are asked for from {least} vectors on, it takes 1 or more", param="least")
    return index_store(url, least=least, bar=bar)


def drop_indexes(url: str, *, bar: ProgressReporter) -> IndexReport:
    """Drop them all: each recall compares all vectors of its subject again.

    Raises:
        BadRequestError: it is no PostgreSQL database.
        StoreUnavailableError: the server does not answer, or another call is under way.
    """
    return index_store(url, least=None, bar=bar)
