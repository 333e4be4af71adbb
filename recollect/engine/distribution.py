"""Part of the API: a PostgreSQL database spread over the nodes of Citus. Opens it."""

from recollect.errors import BadRequestError
from recollect.store.factory import distribute_store
from recollect.store.operators import CitusReport

__all__ = ["SHARDS", "CitusReport", "distribute_database"]

# What Citus chooses by itself: enough for as many nodes.
SHARDS = 32
_MAX_SHARDS = 1024


def distribute_database(url: str, *, shards: int = SHARDS) -> CitusReport:
    """Lay all rows of a subject on one node, and the few tables that belong to nobody on each.

    What lies so already stays: after an interruption, or a migration that made a table, it goes on. Servers and workers
    are better stopped meanwhile: each table is locked while its rows move.

    Args:
        url: Of the coordinator's database; the schema is made where it is not there.
        shards: Into how many parts the subjects are divided, where they are not divided yet, 1 to 1024.

    Raises:
        BadRequestError: it is no PostgreSQL database, or the number is out of range.
        SetupError: it cannot be distributed; the message says why.
        StoreUnavailableError: the server does not answer.
    """
    if not 1 <= shards <= _MAX_SHARDS:
        raise BadRequestError(f"{shards} shards are asked for, it goes from 1 to {_MAX_SHARDS}", param="shards")
    return distribute_store(url, shards=shards)
