"""`memory.history` over HTTP. Asks one server."""

from datetime import datetime
from typing import Any

from toldonce.engine.history import HistoryService
from toldonce.errors import BadRequestError, UnknownConversationError
from toldonce.remote import values
from toldonce.remote.client import Call, RestClient, written
from toldonce.remote.over_http import OF_MEMORY, RemoteService, over_http
from toldonce.resolution.undo_plan import RestoredMemory, UndoPlan
from toldonce.types import Decision, MemoryId, MessageRef, Subject, WeakenMemory


def _plan(raw: dict[str, Any], client: RestClient) -> UndoPlan:
    """Read what undoing changes."""
    reopened = values.memories(raw["reopened"], client)
    closings = [values.decision(line, client) for line in raw["closings"]]
    return UndoPlan(
        leaving=tuple(values.memories(raw["closed"], client)),
        returning=tuple(
            RestoredMemory(memory=memory, closed_by=line) for memory, line in zip(reopened, closings, strict=True)
        ),
        weakened=tuple(_weaker(item) for item in raw["weakened"]),
        unheard=tuple(values.decision(line, client) for line in raw["not_back"]),
        undone=frozenset(MemoryId(id_) for id_ in raw["undone"]),
    )


def _weaker(raw: dict[str, Any]) -> WeakenMemory:
    without = frozenset(values.read(MessageRef, (place["conversation"], place["seq"])) for place in raw["messages"])
    return values.read(WeakenMemory, {**raw, "without": without})


def _check_source(conversation: str | None, seq: int | None, since: datetime | None, **_: object) -> None:
    if (conversation is None) == (since is None) or (seq is not None and conversation is None):
        raise BadRequestError("undo takes either a conversation (with or without a message) or a time", param="undo")
    if since is not None and since.tzinfo is None:
        raise BadRequestError("the time to undo from needs a time zone", param="since")


class RemoteHistoryService(RemoteService, HistoryService):
    """Decisions about memories, and taking them back."""

    get = over_http("getMemoryHistory", values.history, **OF_MEMORY)
    explain = over_http("explainMemory", values.explanation, **OF_MEMORY)
    undo = over_http("undoDecision", _plan)
    _undo_source = over_http("undoSource", _plan, of="undo_source", check=_check_source)

    async def decisions(
        self, *, user: str | Subject | None = None, limit: int = 1000, after: tuple[datetime, str] | None = None
    ) -> list[Decision]:
        """Read the decision log, oldest first: see `HistoryService.decisions`."""
        at, id_ = after or (None, None)
        query = {"after": written(at), "after_id": id_}
        call = Call(method="GET", path=self._client.path(user, "decisions"), query=query)
        return [values.decision(raw, self._client) for raw in await self._client.pages(call, "decisions", limit)]

    async def undo_source(
        self,
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        seq: int | None = None,
        since: datetime | None = None,
        dry_run: bool = False,
    ) -> UndoPlan:
        """Undo everything that came from one source, or since a time: see `HistoryService.undo_source`."""
        try:
            plan: UndoPlan = await self._undo_source(
                user=user, conversation=conversation, seq=seq, since=since, dry_run=dry_run
            )
        except UnknownConversationError:  # in the library, which takes its own ids alone, it is one without memories
            why = f"nothing of conversation {conversation} is left to undo"
            raise BadRequestError(why, param="conversation") from None
        return plan
