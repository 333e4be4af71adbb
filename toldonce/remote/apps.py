"""`memory.apps` over HTTP. Asks one server."""

from typing import Any

from toldonce.engine.apps import AppService
from toldonce.engine.results import AppMemoryPage
from toldonce.remote import values
from toldonce.remote.client import RestClient
from toldonce.remote.over_http import RemoteService, each, field, number, over_http, plain
from toldonce.types import AppRecord, AppSummary, Subject


def _record(raw: dict[str, Any], client: RestClient) -> AppRecord:
    return values.read(AppRecord, {**raw, "subject": client.parsed(raw["subject"])})


def _page(raw: dict[str, Any], client: RestClient) -> AppMemoryPage:
    following = raw["next_cursor"]
    return AppMemoryPage(
        memories=tuple(values.memories(raw["memories"], client)),
        after=None if following is None else client.parsed(following).text,
    )


def _tenant(given: str, client: RestClient) -> str:
    """Return the tenant that is meant: without a name, that of the credential."""
    return given or client.tenant or ""


def _subject(after: str, client: RestClient) -> str | None:
    return client.named(Subject.parse(after)) if after else None


_ERASED = field("erased", number)


class RemoteAppService(RemoteService, AppService):
    """Apps and their memories."""

    register = over_http("registerApp", _record)
    list = over_http(
        "listApps",
        field("apps", each(plain(AppSummary))),
        names={"after": "cursor"},
        send={"tenant": _tenant, "after": lambda after, client: after or None},
    )
    remove = over_http("removeApp", _ERASED)
    memories = over_http("listAppMemories", field("memories", each(values.memory)))
    delete_memory = over_http("eraseAppMemory")
    delete_memories = over_http("eraseAppMemories", _ERASED)
    memories_of_all_users = over_http(
        "listAppMemoriesOfAllUsers", _page, names={"after": "cursor"}, send={"tenant": _tenant, "after": _subject}
    )
    delete_memories_of_all_users = over_http("eraseAppMemoriesOfAllUsers", _ERASED, send={"tenant": _tenant})
    delete_memory_of_all_users = over_http("eraseAppMemoryOfAllUsers", send={"tenant": _tenant})
    remove_for_all_users = over_http("removeAppForAllUsers", _ERASED, send={"tenant": _tenant})

    async def count(self, app: str, *, user: str | Subject | None = None) -> int:
        """Count an app's active memories: see `AppService.count`."""
        return len(await self.memories(app, user=user))
