"""Apps and their memories over HTTP, in the names of their interface. Serves through the engine."""

from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field

from recollect.errors import UnknownMemoryError
from recollect.server.api.operation import ApiRequest, Operation
from recollect.types import Memory

# More digits than any number of a memory has.
_MAX_NUMBER_DIGITS = 18


class _NewApp(BaseModel):
    """What is sent to announce one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    app_id: Annotated[str, Field(min_length=1, alias="appId")]


async def _announce(asked: ApiRequest) -> tuple[int, object]:
    new = asked.read(_NewApp)
    known = await asked.engine.announce_app(new.app_id, user=asked.who)
    return 201, {"appId": new.app_id, "createdAt": known.created_at.isoformat()}


async def _remove(asked: ApiRequest) -> tuple[int, object]:
    purge = asked.flag("purgeMemories")
    deleted = await asked.engine.remove_app(asked.path["app"], purge=purge, user=asked.who)
    return 200, {"success": True, "deletedCount": deleted}


async def _list(asked: ApiRequest) -> tuple[int, object]:
    found = await asked.engine.app_memories(asked.path["app"], user=asked.who)
    return 200, {"memories": [_described(memory) for memory in found]}


async def _delete_all(asked: ApiRequest) -> tuple[int, object]:
    return 200, {
        "success": True,
        "deletedCount": await asked.engine.delete_app_memories(asked.path["app"], user=asked.who),
    }


async def _delete(asked: ApiRequest) -> tuple[int, object]:
    number = asked.path["memory"]
    if not (number.isascii() and number.isdigit() and len(number) <= _MAX_NUMBER_DIGITS):
        raise UnknownMemoryError(number)
    await asked.engine.delete_app_memory(asked.path["app"], int(number), user=asked.who)
    return 200, {"success": True}


def _described(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.number,
        "content": memory.text,
        "createdAt": memory.valid_from.isoformat(),
        "updatedAt": memory.known_from.isoformat(),
    }


OPERATIONS = (
    Operation(method="POST", path="/apps", handler=_announce),
    Operation(method="DELETE", path="/apps/{app}", handler=_remove),
    Operation(method="GET", path="/apps/{app}/memories", handler=_list),
    Operation(method="DELETE", path="/apps/{app}/memories", handler=_delete_all),
    Operation(method="DELETE", path="/apps/{app}/memories/{memory}", handler=_delete),
)
