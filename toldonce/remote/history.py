"""`memory.history`, `health`, `reviews`, `shared`, `bulk` and `vectors` over HTTP. Asks one server."""

from collections.abc import Sequence
from datetime import datetime
from typing import Any

from toldonce.clock import to_micros
from toldonce.engine.arguments import shared_subject
from toldonce.engine.bulk import BulkService, new_notes
from toldonce.engine.embedder import VectorService
from toldonce.engine.health import HealthService
from toldonce.engine.history import HistoryService, ReviewService, require_one_source
from toldonce.engine.memories import require_limit
from toldonce.engine.shared import SharedMemoryService
from toldonce.errors import BadRequestError, UnknownConversationError
from toldonce.remote import values
from toldonce.remote.client import LONG_TIMEOUT_S, Call, RestClient, written
from toldonce.remote.over_http import AFTER_ID, OF_MEMORY, RemoteService, each, field, number, over_http
from toldonce.resolution.undo_plan import RestoredMemory, UndoPlan
from toldonce.types import (
    Decision,
    Memory,
    MemoryId,
    MemoryPair,
    MessageRef,
    NearDuplicates,
    NewNote,
    Subject,
    WeakenMemory,
)


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


class RemoteHistoryService(RemoteService, HistoryService):
    """Decisions about memories, and taking them back."""

    get = over_http("getMemoryHistory", values.history, **OF_MEMORY)
    explain = over_http("explainMemory", values.explanation, **OF_MEMORY)
    undo = over_http("undoDecision", _plan)
    _undo_source = over_http("undoSource", _plan, of="undo_source", check=require_one_source)

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


def _pair(raw: dict[str, Any], client: RestClient) -> MemoryPair:
    both = {name: values.memory(raw[name], client) for name in ("newer", "older")}
    return values.read(MemoryPair, {**raw, **both})


def _near_duplicates(raw: dict[str, Any], client: RestClient) -> NearDuplicates:
    pairs = tuple(_pair(pair, client) for pair in raw["pairs"])
    return NearDuplicates(pairs=pairs, compared=raw["compared"], after=raw["next_cursor"])


def _place(before: tuple[datetime, str] | None, client: RestClient) -> str | None:
    return None if before is None else f"{to_micros(before[0])}.{before[1]}"


class RemoteHealthService(RemoteService, HealthService):
    """Memories that may need a look."""

    never_recalled = over_http("listNeverRecalled", values.memory, pages="memories", **AFTER_ID)
    idle = over_http("listIdle", values.memory, pages="memories", **AFTER_ID)
    replaced = over_http("listReplaced", _pair, pages="pairs", names={"before": "cursor"}, send={"before": _place})
    held_conflicts = over_http("listHeldConflicts", _pair, pages="pairs", **AFTER_ID)
    near_duplicates = over_http("listNearDuplicates", _near_duplicates, **AFTER_ID)


class RemoteReviewService(RemoteService, ReviewService):
    """Memories that were held back, and decisions on them."""

    list = over_http("listReviews", values.held, pages="reviews", **AFTER_ID)
    approve = over_http("approveMemory", values.memory, **OF_MEMORY)
    reject = over_http("rejectMemory", values.memory, **OF_MEMORY)


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


class RemoteBulkService(RemoteService, BulkService):
    """Work on many texts or conversations at once."""

    async def add(
        self, notes: Sequence[str | NewNote], *, user: str | Subject | None = None, profile: str | None = None
    ) -> list[Memory]:
        """Store many sentences as notes in one commit: see `BulkService.add`."""
        new = new_notes(notes)
        if not new:
            return []
        body = {
            "memories": [{"text": note.text, "importance": note.importance, "type": note.type} for note in new],
            "profile": profile,
        }
        call = Call(method="POST", path=self._client.path(user, "memories"), body=body, writes=True)
        return values.memories((await self._client.ask(call))["memories"], self._client)

    form = over_http("runFormations", field("formations", number), more={"bulk": True}, timeout_s=LONG_TIMEOUT_S)


def _check(limit: int, **_: object) -> None:
    require_limit(limit)


def _numbers(vector: Sequence[float] | None, client: RestClient) -> list[float] | None:
    return None if vector is None else [float(number) for number in vector]


class RemoteVectorService(RemoteService, VectorService):
    """Nearest neighbours among memories' vectors."""

    nearest = over_http(
        "nearestMemories", field("items", each(values.recalled)), check=_check, send={"vector": _numbers}
    )
