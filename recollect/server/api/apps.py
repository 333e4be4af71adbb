"""Apps, their memories, and the end of their conversations over HTTP. Serves through the engine."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from recollect.errors import UnknownMemoryError
from recollect.server.api.operation import ApiRequest, Operation
from recollect.server.status import ACCEPTED, CREATED, OK
from recollect.types import Memory, RequestScope

# More digits than any number of a memory has.
_MAX_NUMBER_DIGITS = 18


class _NewApp(BaseModel):
    """What is sent to announce one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    app_id: Annotated[str, Field(min_length=1, alias="appId")]


async def _announce(asked: ApiRequest) -> tuple[int, object]:
    new = asked.read(_NewApp)
    known = await asked.engine.apps.register(new.app_id, user=asked.who)
    return CREATED, {"appId": new.app_id, "createdAt": known.created_at.isoformat()}


async def _remove(asked: ApiRequest) -> tuple[int, object]:
    purge = asked.flag("purgeMemories")
    deleted = await asked.engine.apps.remove(asked.path["app"], purge=purge, user=asked.who)
    return OK, {"success": True, "deletedCount": deleted}


async def _list(asked: ApiRequest) -> tuple[int, object]:
    found = await asked.engine.apps.memories(asked.path["app"], user=asked.who)
    return OK, {"memories": [_described(memory) for memory in found]}


async def _delete_all(asked: ApiRequest) -> tuple[int, object]:
    return OK, {
        "success": True,
        "deletedCount": await asked.engine.apps.delete_memories(asked.path["app"], user=asked.who),
    }


async def _delete(asked: ApiRequest) -> tuple[int, object]:
    number = asked.path["memory"]
    if not (number.isascii() and number.isdigit() and len(number) <= _MAX_NUMBER_DIGITS):
        raise UnknownMemoryError(number)
    await asked.engine.apps.delete_memory(asked.path["app"], int(number), user=asked.who)
    return OK, {"success": True}


def _described(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.number,
        "content": memory.text,
        "createdAt": memory.valid_from.isoformat(),
        "updatedAt": memory.known_from.isoformat(),
    }


class _Ending(BaseModel):
    """What is sent to end one; all of it may be left out."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Annotated[str, Field(min_length=1, max_length=500)] = "ended"
    app_id: Annotated[str, Field(min_length=1)] | None = Field(default=None, alias="appId")
    messages: list[dict[str, Any]] = Field(default_factory=list)


async def _end(asked: ApiRequest) -> tuple[int, object]:
    ending = asked.read(_Ending)
    ended = await asked.engine.conversations.end(
        asked.path["conversation"],
        reason=ending.reason,
        messages=ending.messages,
        user=asked.who,
        scope=_scope(asked, ending.app_id),
    )
    return ACCEPTED, {
        "id": ended.external_id or ended.id,
        "endedAt": ended.ended_at.isoformat() if ended.ended_at else None,
        "reason": ended.end_reason,
    }


async def _save(asked: ApiRequest) -> tuple[int, object]:
    asked_for = await asked.engine.conversations.save(
        asked.path["conversation"], user=asked.who, scope=_scope(asked, None)
    )
    return ACCEPTED, {"formations": asked_for}


async def _app(asked: ApiRequest) -> tuple[int, object]:
    found = await asked.engine.conversations.get(asked.path["conversation"], user=asked.who)
    return OK, {"conversationId": found.external_id or found.id, "appId": found.app}


def _scope(asked: ApiRequest, app: str | None) -> RequestScope:
    named = asked.identity.scope
    app = app or named.app
    return RequestScope(
        profile=named.profile or ("app" if app else None),
        key_profile=named.key_profile,
        app=app,
        characters=named.characters,
        interaction=named.interaction,
    )


OPERATIONS = (
    Operation(method="POST", path="/apps", handler=_announce),
    Operation(method="DELETE", path="/apps/{app}", handler=_remove),
    Operation(method="GET", path="/apps/{app}/memories", handler=_list),
    Operation(method="DELETE", path="/apps/{app}/memories", handler=_delete_all),
    Operation(method="DELETE", path="/apps/{app}/memories/{memory}", handler=_delete),
    Operation(method="POST", path="/conversations/{conversation}/end", handler=_end),
    Operation(method="POST", path="/conversations/{conversation}/save", handler=_save),
    Operation(method="GET", path="/conversations/{conversation}/app", handler=_app),
)
