"""`memory.history` over HTTP. Asks one server."""

from datetime import datetime
from typing import Any

from toldonce.engine.history import HistoryService
from toldonce.engine.memories import parse_memory_id
from toldonce.engine.remote import values
from toldonce.engine.remote.client import Call, RestClient, written
from toldonce.engine.results import MemoryExplanation, MemoryHistory
from toldonce.errors import BadRequestError, UnknownConversationError
from toldonce.resolution.undo_plan import RestoredMemory, UndoPlan
from toldonce.types import Decision, MemoryId, MessageRef, Subject, WeakenMemory


class RemoteHistoryService(HistoryService):
    """Decisions about memories, and taking them back."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def get(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryHistory:
        """Read one memory with its decisions and sources: see `HistoryService.get`."""
        path = self._client.path(user, "memories", parse_memory_id(memory_id), "history")
        return values.history(await self._client.ask(Call(method="GET", path=path)), self._client)

    async def explain(self, memory_id: str, *, user: str | Subject | None = None) -> MemoryExplanation:
        """Explain a memory: see `HistoryService.explain`."""
        path = self._client.path(user, "memories", parse_memory_id(memory_id), "why")
        return values.explanation(await self._client.ask(Call(method="GET", path=path)), self._client)

    async def decisions(
        self, *, user: str | Subject | None = None, limit: int = 1000, after: tuple[datetime, str] | None = None
    ) -> list[Decision]:
        """Read the decision log, oldest first: see `HistoryService.decisions`."""
        at, id_ = after or (None, None)
        query = {"after": written(at), "after_id": id_}
        call = Call(method="GET", path=self._client.path(user, "decisions"), query=query)
        return [values.decision(raw, self._client) for raw in await self._client.pages(call, "decisions", limit)]

    async def undo(self, decision: str, *, user: str | Subject | None = None, dry_run: bool = False) -> UndoPlan:
        """Reverse a decision: see `HistoryService.undo`."""
        path = self._client.path(user, "decisions", decision, "undo")
        return self._plan(
            await self._client.ask(Call(method="POST", path=path, body={"dry_run": dry_run}, writes=True))
        )

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
        if (conversation is None) == (since is None) or (seq is not None and conversation is None):
            why = "undo takes either a conversation (with or without a message) or a time"
            raise BadRequestError(why, param="undo")
        if since is not None and since.tzinfo is None:
            raise BadRequestError("the time to undo from needs a time zone", param="since")
        body = {"conversation": conversation, "seq": seq, "since": written(since), "dry_run": dry_run}
        call = Call(method="POST", path=self._client.path(user, "undo"), body=body, writes=True)
        try:
            return self._plan(await self._client.ask(call))
        except UnknownConversationError:  # in the library, which takes its own ids alone, it is one without memories
            why = f"nothing of conversation {conversation} is left to undo"
            raise BadRequestError(why, param="conversation") from None

    def _plan(self, raw: dict[str, Any]) -> UndoPlan:
        """Read what undoing changes."""
        reopened = values.memories(raw["reopened"], self._client)
        closings = [values.decision(line, self._client) for line in raw["closings"]]
        return UndoPlan(
            leaving=tuple(values.memories(raw["closed"], self._client)),
            returning=tuple(
                RestoredMemory(memory=memory, closed_by=line) for memory, line in zip(reopened, closings, strict=True)
            ),
            weakened=tuple(_weaker(item) for item in raw["weakened"]),
            unheard=tuple(values.decision(line, self._client) for line in raw["not_back"]),
            undone=frozenset(MemoryId(id_) for id_ in raw["undone"]),
        )


def _weaker(raw: dict[str, Any]) -> WeakenMemory:
    without = frozenset(values.read(MessageRef, (place["conversation"], place["seq"])) for place in raw["messages"])
    return values.read(WeakenMemory, {**raw, "without": without})
