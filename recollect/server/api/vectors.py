"""What is nearest to a query or vector, over HTTP. Serves through the engine."""

from typing import Annotated, Self

from pydantic import BaseModel, ConfigDict, Field, model_validator

from recollect.errors import BadIdentityError, BadRequestError
from recollect.server.api.operation import ApiRequest, Operation
from recollect.types import RecalledMemory, Subject

_Number = Annotated[float, Field(allow_inf_nan=False)]


class _Query(BaseModel):
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
    wanted = asked.read(_Query)
    if wanted.user_id is None and asked.engine.settings.strict_vectors:
        raise BadRequestError("userId is missing; RECOLLECT_STRICT_VECTORS demands it", param="userId")
    if wanted.user_id is not None and asked.who != Subject("user", wanted.user_id.removeprefix("user:")):
        raise BadIdentityError(f"userId is {wanted.user_id[:80]!r}, but who asks is another user; ask as that one")
    found = await asked.engine.nearest(query=wanted.query, vector=wanted.vector, user=asked.who, limit=wanted.limit)
    return 200, {"matches": [_match(item) for item in found]}


def _match(item: RecalledMemory) -> dict[str, object]:
    memory = item.memory
    return {
        "id": memory.id,
        "score": round(item.similarity, 6),
        "metadata": {"content": memory.text, "type": "memory", "created_at": memory.known_from.isoformat()},
    }


OPERATIONS = (Operation(method="POST", path="/v1/vectors/query", handler=_nearest),)
