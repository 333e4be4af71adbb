"""`memory.health` over HTTP. Asks one server."""

from datetime import datetime
from typing import Any

from toldonce.clock import to_micros
from toldonce.engine.health import HealthService
from toldonce.engine.memories import parse_memory_id
from toldonce.engine.remote import values
from toldonce.engine.remote.client import Call, RestClient
from toldonce.types import Memory, MemoryPair, NearDuplicates, Subject


class RemoteHealthService(HealthService):
    """Memories that may need a look."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def never_recalled(
        self, *, user: str | Subject | None = None, after: str | None = None, limit: int = 100
    ) -> list[Memory]:
        """List what no prompt has used: see `HealthService.never_recalled`."""
        raws = await self._pages("never-recalled", "memories", user, _id(after), limit)
        return values.memories(raws, self._client)

    async def idle(
        self, *, user: str | Subject | None = None, after: str | None = None, limit: int = 100
    ) -> list[Memory]:
        """List idle notes: see `HealthService.idle`."""
        return values.memories(await self._pages("idle", "memories", user, _id(after), limit), self._client)

    async def replaced(
        self, *, user: str | Subject | None = None, before: tuple[datetime, str] | None = None, limit: int = 100
    ) -> list[MemoryPair]:
        """List what took the place of what: see `HealthService.replaced`."""
        cursor = None if before is None else f"{to_micros(before[0])}.{before[1]}"
        return [self._pair(raw) for raw in await self._pages("replaced", "pairs", user, cursor, limit)]

    async def held_conflicts(
        self, *, user: str | Subject | None = None, after: str | None = None, limit: int = 100
    ) -> list[MemoryPair]:
        """List held facts with the active ones: see `HealthService.held_conflicts`."""
        return [self._pair(raw) for raw in await self._pages("held-conflicts", "pairs", user, _id(after), limit)]

    async def near_duplicates(
        self,
        *,
        user: str | Subject | None = None,
        min_similarity: float = 0.8,
        after: str | None = None,
        limit: int = 100,
    ) -> NearDuplicates:
        """List notes that say nearly the same: see `HealthService.near_duplicates`."""
        query = {"min_similarity": min_similarity, "cursor": _id(after), "limit": limit}
        path = self._client.path(user, "health", "near-duplicates")
        raw = await self._client.ask(Call(method="GET", path=path, query=query))
        return NearDuplicates(
            pairs=tuple(self._pair(pair) for pair in raw["pairs"]), compared=raw["compared"], after=raw["next_cursor"]
        )

    async def _pages(
        self, what: str, items: str, user: str | Subject | None, cursor: str | None, limit: int
    ) -> list[dict[str, Any]]:
        call = Call(method="GET", path=self._client.path(user, "health", what))
        return await self._client.pages(call, items, limit, cursor=cursor)

    def _pair(self, raw: dict[str, Any]) -> MemoryPair:
        both = {name: values.memory(raw[name], self._client) for name in ("newer", "older")}
        return values.read(MemoryPair, {**raw, **both})


def _id(after: str | None) -> str | None:
    return parse_memory_id(after) if after else None
