"""The caller's memories over HTTP: add, search by vector, statistics, and review. Serves through the engine."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from toldonce.engine import HeldMemory
from toldonce.errors import BadIdentityError, BadRequestError
from toldonce.metrics import dedup_rate, replacement_rate, share
from toldonce.server.api.operation import ApiRequest, Handler, Operation
from toldonce.server.status import CREATED, OK
from toldonce.types import Access, Memory, NewNote, RecalledMemory, Subject

_MAX_PAGE_SIZE = 1000
_Number = Annotated[float, Field(allow_inf_nan=False)]


class _NewMemory(BaseModel):
    """Body of a request that adds one note."""

    model_config = ConfigDict(extra="forbid", strict=True)

    content: str
    type: Annotated[str, Field(max_length=40)] = ""
    importance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.7


class _NewMemories(RootModel[Annotated[list[_NewMemory], Field(min_length=1)]]):
    """Body of a request that adds several notes."""


async def _add(request: ApiRequest) -> tuple[int, object]:
    is_list = isinstance(request.body, list)
    sent = request.parse(_NewMemories).root if is_list else [request.parse(_NewMemory)]
    notes = [NewNote(new.content, new.importance, new.type) for new in sent]
    kept = await request.add(notes, is_list, user=request.user, profile=request.identity.scope.profile)
    return CREATED, [_to_json(memory) for memory in kept] if is_list else _to_json(kept[0])


async def _totals(request: ApiRequest) -> tuple[int, object]:
    totals = await request.engine.admin.subject_totals(user=request.user)
    return OK, {
        "userId": request.user.name,
        "memory_total_count": totals.memories,
        "memory_replacement_rate": replacement_rate(totals.decisions),
        "memory_dedup_rate": dedup_rate(totals.decisions),
        "retrieval_hit_rate": share(totals.hits, totals.recalled),
        "decisions": dict(totals.decisions),
    }


async def _held(request: ApiRequest) -> tuple[int, object]:
    held = await request.engine.reviews.list(user=request.user, limit=request.limit(100, _MAX_PAGE_SIZE))
    return OK, {"memories": [_held_to_json(memory) for memory in held]}


async def _approve(request: ApiRequest) -> tuple[int, object]:
    return OK, _to_json(await request.engine.reviews.approve(request.path["memory"], user=request.user))


async def _reject(request: ApiRequest) -> tuple[int, object]:
    return OK, _to_json(await request.engine.reviews.reject(request.path["memory"], user=request.user))


def _held_to_json(held: HeldMemory) -> dict[str, object]:
    return {**_to_json(held.memory), "reason": held.reason}


def _to_json(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "kind": memory.kind.value,
        "type": memory.type,
        "content": memory.text,
        "state": memory.state.value,
        "speaker": memory.speaker,
        "evidence": [
            {
                "conversation": source.conversation,
                "seq": source.seq,
                "role": source.role,
                "speaker": source.speaker,
                "quote": source.quote,
                "saidAt": source.said_at.isoformat(),
            }
            for source in memory.evidence
        ],
        "createdAt": memory.known_from.isoformat(),
    }


class _VectorQuery(BaseModel):
    """Body of a vector query."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: Annotated[str, Field(min_length=1)] | None = None
    vector: Annotated[list[_Number], Field(min_length=1, max_length=16_000)] | None = None
    user_id: Annotated[str, Field(min_length=1)] | None = Field(default=None, alias="userId")
    limit: Annotated[int, Field(ge=1, le=200)] = 10

    @model_validator(mode="after")
    def _has_query_or_vector(self) -> Self:
        if (self.query is None) is (self.vector is None):
            raise ValueError("send either query or vector")
        return self


async def _nearest(request: ApiRequest) -> tuple[int, object]:
    query = request.parse(_VectorQuery)
    if query.user_id is None and request.engine.settings.strict_vectors:
        raise BadRequestError("userId is missing; TOLDONCE_STRICT_VECTORS demands it", param="userId")
    if query.user_id is not None and request.user != Subject(
        "user", query.user_id.removeprefix("user:"), request.user.tenant
    ):
        raise BadIdentityError(
            f"userId is {query.user_id[:80]!r}, but the request is another user's; send it as that user"
        )
    nearest = await request.engine.vectors.nearest(
        query=query.query, vector=query.vector, user=request.user, limit=query.limit
    )
    return OK, {"matches": [_match(item) for item in nearest]}


def _match(item: RecalledMemory) -> dict[str, object]:
    memory = item.memory
    return {
        "id": memory.id,
        "score": round(item.similarity, 6),
        "metadata": {"content": memory.text, "type": "memory", "created_at": memory.known_from.isoformat()},
    }


def _review(verdict: str, handler: Handler) -> Operation:
    path, act = f"/api/memory/{{memory}}/{verdict}", f"reviews.{verdict}"
    return Operation(method="POST", path=path, access=Access.WRITE, handler=handler, act=act)


OPERATIONS = (
    Operation(method="POST", path="/api/memory", access=Access.WRITE, handler=_add),
    Operation(method="GET", path="/api/memory/stats", access=Access.READ, handler=_totals),
    Operation(method="GET", path="/api/memory/held", access=Access.READ, handler=_held),
    _review("approve", _approve),
    _review("reject", _reject),
    Operation(method="POST", path="/v1/vectors/query", access=Access.READ, handler=_nearest),
)
