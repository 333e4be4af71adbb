"""The caller's memories over HTTP: add, search by vector, sums, and review. Serves through the engine."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, RootModel, model_validator

from recollect.engine import HeldMemory
from recollect.errors import BadIdentityError, BadRequestError
from recollect.metrics import dedup_rate, replacement_rate, share
from recollect.server.api.operation import ApiRequest, Operation
from recollect.server.status import CREATED, OK
from recollect.types import Memory, NewNote, RecalledMemory, Subject

# Most held memories of one listing.
_MAX_PAGE_SIZE = 1000
_Number = Annotated[float, Field(allow_inf_nan=False)]


class _NewMemory(BaseModel):
    """What is sent to add one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    content: str
    type: Annotated[str, Field(max_length=40)] = ""
    importance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.7


class _NewMemories(RootModel[Annotated[list[_NewMemory], Field(min_length=1)]]):
    """What is sent to add several."""


async def _add(asked: ApiRequest) -> tuple[int, object]:
    several = isinstance(asked.body, list)
    sent = asked.read(_NewMemories).root if several else [asked.read(_NewMemory)]
    notes = [NewNote(new.content, new.importance, new.type) for new in sent]
    kept = await asked.add(notes, several, user=asked.who, profile=asked.identity.scope.profile)
    return CREATED, [_described(one) for one in kept] if several else _described(kept[0])


async def _sums(asked: ApiRequest) -> tuple[int, object]:
    sums = await asked.engine.admin.subject_totals(user=asked.who)
    return OK, {
        "userId": asked.who.name,
        "memory_total_count": sums.memories,
        "memory_replacement_rate": replacement_rate(sums.decisions),
        "memory_dedup_rate": dedup_rate(sums.decisions),
        "retrieval_hit_rate": share(sums.hits, sums.recalled),
        "decisions": dict(sums.decisions),
    }


async def _held(asked: ApiRequest) -> tuple[int, object]:
    found = await asked.engine.reviews.list(user=asked.who, limit=asked.limit(100, _MAX_PAGE_SIZE))
    return OK, {"memories": [_waiting(one) for one in found]}


async def _approve(asked: ApiRequest) -> tuple[int, object]:
    return OK, _described(await asked.engine.reviews.approve(asked.path["memory"], user=asked.who))


async def _reject(asked: ApiRequest) -> tuple[int, object]:
    return OK, _described(await asked.engine.reviews.reject(asked.path["memory"], user=asked.who))


def _waiting(one: HeldMemory) -> dict[str, object]:
    return {**_described(one.memory), "reason": one.reason}


def _described(memory: Memory) -> dict[str, object]:
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
    """What is asked."""

    model_config = ConfigDict(extra="forbid", strict=True)

    query: Annotated[str, Field(min_length=1)] | None = None
    vector: Annotated[list[_Number], Field(min_length=1, max_length=16_000)] | None = None
    user_id: Annotated[str, Field(min_length=1)] | None = Field(default=None, alias="userId")
    limit: Annotated[int, Field(ge=1, le=200)] = 10

    @model_validator(mode="after")
    def _one_of_both(self) -> Self:
        if (self.query is None) is (self.vector is None):
            raise ValueError("send either query or vector")
        return self


async def _nearest(asked: ApiRequest) -> tuple[int, object]:
    wanted = asked.read(_VectorQuery)
    if wanted.user_id is None and asked.engine.settings.strict_vectors:
        raise BadRequestError("userId is missing; RECOLLECT_STRICT_VECTORS demands it", param="userId")
    if wanted.user_id is not None and asked.who != Subject("user", wanted.user_id.removeprefix("user:")):
        raise BadIdentityError(f"userId is {wanted.user_id[:80]!r}, but who asks is another user; ask as that one")
    found = await asked.engine.vectors.nearest(
        query=wanted.query, vector=wanted.vector, user=asked.who, limit=wanted.limit
    )
    return OK, {"matches": [_match(item) for item in found]}


def _match(item: RecalledMemory) -> dict[str, object]:
    memory = item.memory
    return {
        "id": memory.id,
        "score": round(item.similarity, 6),
        "metadata": {"content": memory.text, "type": "memory", "created_at": memory.known_from.isoformat()},
    }


OPERATIONS = (
    Operation(method="POST", path="/api/memory", handler=_add),
    Operation(method="GET", path="/api/memory/stats", handler=_sums),
    Operation(method="GET", path="/api/memory/held", handler=_held),
    Operation(method="POST", path="/api/memory/{memory}/approve", handler=_approve),
    Operation(method="POST", path="/api/memory/{memory}/reject", handler=_reject),
    Operation(method="POST", path="/v1/vectors/query", handler=_nearest),
)
