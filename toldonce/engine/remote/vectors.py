"""`memory.vectors` over HTTP. Asks one server."""

from collections.abc import Sequence

from toldonce.engine.memories import require_limit
from toldonce.engine.remote import values
from toldonce.engine.remote.client import Call, RestClient
from toldonce.engine.vectors import VectorService
from toldonce.types import RecalledMemory, Subject


class RemoteVectorService(VectorService):
    """Nearest neighbours among memories' vectors."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def nearest(
        self,
        *,
        query: str | None = None,
        vector: Sequence[float] | None = None,
        user: str | Subject | None = None,
        limit: int = 10,
    ) -> list[RecalledMemory]:
        """Find what is nearest to a text or a vector: see `VectorService.nearest`."""
        require_limit(limit)
        numbers = None if vector is None else [float(number) for number in vector]
        body = {"query": query, "vector": numbers, "limit": limit}
        raw = await self._client.ask(Call(method="POST", path=self._client.path(user, "nearest"), body=body))
        return [values.recalled(item, self._client) for item in raw["items"]]
