"""`memory.vectors` over HTTP. Asks one server."""

from collections.abc import Sequence

from toldonce.engine.memories import require_limit
from toldonce.engine.remote import values
from toldonce.engine.remote.client import RestClient
from toldonce.engine.remote.over_http import RemoteService, each, field, over_http
from toldonce.engine.vectors import VectorService


def _check(limit: int, **_: object) -> None:
    require_limit(limit)


def _numbers(vector: Sequence[float] | None, client: RestClient) -> list[float] | None:
    return None if vector is None else [float(number) for number in vector]


class RemoteVectorService(RemoteService, VectorService):
    """Nearest neighbours among memories' vectors."""

    nearest = over_http(
        "nearestMemories", field("items", each(values.recalled)), check=_check, send={"vector": _numbers}
    )
