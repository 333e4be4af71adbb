"""`memory.vectors` over HTTP. Asks one server."""

from collections.abc import Sequence

from toldonce.engine.embedder import VectorService
from toldonce.engine.memories import require_limit
from toldonce.remote import values
from toldonce.remote.client import RestClient
from toldonce.remote.over_http import RemoteService, each, field, over_http


def _check(limit: int, **_: object) -> None:
    require_limit(limit)


def _numbers(vector: Sequence[float] | None, client: RestClient) -> list[float] | None:
    return None if vector is None else [float(number) for number in vector]


class RemoteVectorService(RemoteService, VectorService):
    """Nearest neighbours among memories' vectors."""

    nearest = over_http(
        "nearestMemories", field("items", each(values.recalled)), check=_check, send={"vector": _numbers}
    )
