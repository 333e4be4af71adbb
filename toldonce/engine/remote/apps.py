"""`memory.apps` over HTTP. Asks one server."""

from toldonce.engine.apps import AppService
from toldonce.engine.remote import values
from toldonce.engine.remote.client import Call, RestClient, segment
from toldonce.engine.results import AppMemoryPage, ListOf
from toldonce.types import AppRecord, AppSummary, Memory, Subject


class RemoteAppService(AppService):
    """Apps and their memories."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def register(self, app: str, *, user: str | Subject | None = None) -> AppRecord:
        """Register an app: see `AppService.register`."""
        raw = await self._client.ask(Call(method="PUT", path=self._client.path(user, "apps", app), writes=True))
        return values.read(AppRecord, {**raw, "subject": self._client.parsed(raw["subject"])})

    async def list(self, *, tenant: str = "", after: str = "", limit: int = 100) -> ListOf[AppSummary]:
        """List the apps of all users: see `AppService.list`."""
        query = {"tenant": self._tenant(tenant), "cursor": after or None, "limit": limit}
        raw = await self._client.ask(Call(method="GET", path="/v1/apps", query=query))
        return [values.read(AppSummary, app) for app in raw["apps"]]

    async def remove(self, app: str, *, purge: bool = False, user: str | Subject | None = None) -> int:
        """Remove an app: see `AppService.remove`."""
        path, query = self._client.path(user, "apps", app), {"purge": purge}
        raw = await self._client.ask(Call(method="DELETE", path=path, query=query, writes=True))
        return int(raw["erased"])

    async def memories(self, app: str, *, user: str | Subject | None = None) -> ListOf[Memory]:
        """List an app's active memories: see `AppService.memories`."""
        raw = await self._client.ask(Call(method="GET", path=self._client.path(user, "apps", app, "memories")))
        return values.memories(raw["memories"], self._client)

    async def count(self, app: str, *, user: str | Subject | None = None) -> int:
        """Count an app's active memories: see `AppService.count`."""
        return len(await self.memories(app, user=user))

    async def delete_memory(self, app: str, number: int, *, user: str | Subject | None = None) -> None:
        """Erase the memory with this number: see `AppService.delete_memory`."""
        path = self._client.path(user, "apps", app, "memories", str(number))
        await self._client.ask(Call(method="DELETE", path=path, writes=True))

    async def delete_memories(self, app: str, *, user: str | Subject | None = None) -> int:
        """Erase all memories of an app: see `AppService.delete_memories`."""
        path = self._client.path(user, "apps", app, "memories")
        return int((await self._client.ask(Call(method="DELETE", path=path, writes=True)))["erased"])

    async def memories_of_all_users(
        self, app: str, *, tenant: str = "", after: str = "", limit: int = 1000
    ) -> AppMemoryPage:
        """List an app's memories of all users: see `AppService.memories_of_all_users`."""
        cursor = self._client.named(Subject.parse(after)) if after else None
        query = {"tenant": self._tenant(tenant), "cursor": cursor, "limit": limit}
        raw = await self._client.ask(Call(method="GET", path=_path_of_all(app), query=query))
        following = raw["next_cursor"]
        return AppMemoryPage(
            memories=tuple(values.memories(raw["memories"], self._client)),
            after=None if following is None else self._client.parsed(following).text,
        )

    async def delete_memories_of_all_users(self, app: str, *, tenant: str = "") -> int:
        """Erase all memories of an app in a tenant: see `AppService.delete_memories_of_all_users`."""
        query = {"tenant": self._tenant(tenant)}
        call = Call(method="DELETE", path=_path_of_all(app), query=query, writes=True)
        return int((await self._client.ask(call))["erased"])

    async def delete_memory_of_all_users(self, app: str, number: int, *, tenant: str = "") -> None:
        """Erase the memory with this number: see `AppService.delete_memory_of_all_users`."""
        path, query = f"{_path_of_all(app)}/{number}", {"tenant": self._tenant(tenant)}
        await self._client.ask(Call(method="DELETE", path=path, query=query, writes=True))

    async def remove_for_all_users(self, app: str, *, purge: bool = False, tenant: str = "") -> int:
        """Remove an app for all users: see `AppService.remove_for_all_users`."""
        query = {"tenant": self._tenant(tenant), "purge": purge}
        call = Call(method="DELETE", path=f"/v1/apps/{segment(app)}", query=query, writes=True)
        return int((await self._client.ask(call))["erased"])

    def _tenant(self, given: str) -> str:
        """Return the tenant that is meant: without a name, that of the credential."""
        return given or self._client.tenant or ""


def _path_of_all(app: str) -> str:
    return f"/v1/apps/{segment(app)}/memories"
