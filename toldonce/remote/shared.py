"""`memory.shared` over HTTP. Asks one server."""

from toldonce.engine.arguments import shared_subject
from toldonce.engine.shared import SharedMemoryService
from toldonce.remote import values
from toldonce.remote.client import Call, RestClient
from toldonce.remote.over_http import RemoteService, field, over_http
from toldonce.types import Subject


def _named(subject: Subject, client: RestClient) -> str:
    return client.named(subject)


class RemoteSharedMemoryService(RemoteService, SharedMemoryService):
    """Memories that several subjects read."""

    link = over_http("linkMemory", values.memory, names={"memory_id": "memory"}, send={"to": _named})
    unlink = over_http("unlinkMemory", names={"memory_id": "memory"})
    subscriptions = over_http("listSubscriptions", field("subscriptions", values.subjects))

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

    def _shared(self, shared: str | Subject, user: str | Subject | None) -> str:
        """Return the text of a shared subject that was given by its name, too."""
        if isinstance(shared, str):
            shared = shared_subject(shared, self._client.subject(user).tenant)
        return self._client.named(shared)
