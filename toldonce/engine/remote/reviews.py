"""`memory.reviews` over HTTP. Asks one server."""

from toldonce.engine.memories import parse_memory_id
from toldonce.engine.remote import values
from toldonce.engine.remote.client import Call, RestClient
from toldonce.engine.results import HeldMemory, ListOf
from toldonce.engine.reviews import ReviewService
from toldonce.types import Memory, Subject


class RemoteReviewService(ReviewService):
    """Memories that were held back, and decisions on them."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def list(
        self, *, user: str | Subject | None = None, limit: int = 100, after: str | None = None
    ) -> ListOf[HeldMemory]:
        """List memories that wait for review: see `ReviewService.list`."""
        call = Call(method="GET", path=self._client.path(user, "reviews"))
        cursor = parse_memory_id(after) if after else None
        raws = await self._client.pages(call, "reviews", limit, cursor=cursor)
        return [values.held(raw, self._client) for raw in raws]

    async def approve(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Activate a held memory: see `ReviewService.approve`."""
        return await self._decide(memory_id, user, "approve")

    async def reject(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Close a held memory: see `ReviewService.reject`."""
        return await self._decide(memory_id, user, "reject")

    async def _decide(self, memory_id: str, user: str | Subject | None, step: str) -> Memory:
        path = self._client.path(user, "reviews", parse_memory_id(memory_id), step)
        return values.memory(await self._client.ask(Call(method="POST", path=path, writes=True)), self._client)
