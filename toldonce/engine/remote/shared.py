"""`memory.shared` over HTTP. Asks one server."""

from toldonce.engine.arguments import shared_subject
from toldonce.engine.memories import parse_memory_id
from toldonce.engine.remote import values
from toldonce.engine.remote.client import Call, RestClient
from toldonce.engine.shared import SharedMemoryService
from toldonce.types import Memory, Subject


class RemoteSharedMemoryService(SharedMemoryService):
    """Memories that several subjects read."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def link(self, memory_id: str, *, to: Subject, user: str | Subject | None = None) -> Memory:
        """Share a memory with another subject: see `SharedMemoryService.link`."""
        path = self._client.path(user, "memories", parse_memory_id(memory_id), "links")
        body = {"to": self._client.named(to)}
        raw = await self._client.ask(Call(method="POST", path=path, body=body, writes=True))
        return values.memory(raw, self._client)

    async def unlink(self, memory_id: str, *, user: str | Subject | None = None) -> None:
        """Remove a memory from this user alone: see `SharedMemoryService.unlink`."""
        path = self._client.path(user, "memories", parse_memory_id(memory_id), "unlink")
        await self._client.ask(Call(method="POST", path=path, writes=True))

    async def subscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> list[Subject]:
        """Let a user read a shared subject: see `SharedMemoryService.subscribe`."""
        path = self._client.path(user, "subscriptions")
        body = {"shared": self._shared(shared, user)}
        raw = await self._client.ask(Call(method="POST", path=path, body=body, writes=True))
        return values.subjects(raw["subscriptions"], self._client)

    async def unsubscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> bool:
        """End a user's subscription: see `SharedMemoryService.unsubscribe`."""
        path = self._client.path(user, "subscriptions", self._shared(shared, user))
        return bool((await self._client.ask(Call(method="DELETE", path=path, writes=True)))["ended"])

    async def subscriptions(self, *, user: str | Subject | None = None) -> list[Subject]:
        """List the shared subjects that a user reads: see `SharedMemoryService.subscriptions`."""
        raw = await self._client.ask(Call(method="GET", path=self._client.path(user, "subscriptions")))
        return values.subjects(raw["subscriptions"], self._client)

    def _shared(self, shared: str | Subject, user: str | Subject | None) -> str:
        """Return the text of a shared subject that was given by its name, too."""
        if isinstance(shared, str):
            shared = shared_subject(shared, self._client.subject(user).tenant)
        return self._client.named(shared)
