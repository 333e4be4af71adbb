"""The memories of one chat session or character over HTTP. Serves through the engine."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel

from recollect.errors import BadRequestError, ConflictError, UnknownMemoryError
from recollect.server.api.operation import ApiRequest, Operation
from recollect.server.status import CREATED, OK
from recollect.types import Conversation, Memory, MemoryKind, NewNote, RequestScope, Subject

SESSION = "session"
# Most memories of one listing; a session keeps fifty by default, and a profile of one's own may keep more.
_MAX_PAGE_SIZE = 1000
# Summaries and quotations of the chat are no memories of its list.
_LISTED = (MemoryKind.NOTE, MemoryKind.FACT)


class _NewMemory(BaseModel):
    """What is sent to add one."""

    model_config = ConfigDict(extra="forbid", strict=True)

    content: str
    type: Annotated[str, BeforeValidator(lambda given: given.lower() if isinstance(given, str) else given)] = "fact"
    importance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.5


class _NewMemories(RootModel[Annotated[list[_NewMemory], Field(min_length=1)]]):
    """What is sent to add several."""


class _NewSession(BaseModel):
    """What is sent to open one; all of it may be left out."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: Annotated[str, Field(min_length=1, max_length=512)] | None = None
    profile: str | None = None
    app: str | None = None
    settings: Mapping[str, Any] = Field(default_factory=dict)


async def _open(asked: ApiRequest) -> tuple[int, object]:
    new = asked.read(_NewSession)
    scope = RequestScope(profile=new.profile or asked.identity.scope.profile or SESSION, app=new.app)
    opened = await asked.engine.conversations.open(new.id, user=asked.who, scope=scope, options=new.settings)
    _refuse_other(new, opened)
    return CREATED, _session(opened)


def _refuse_other(new: _NewSession, opened: Conversation) -> None:
    """Refuse what a session that is there cannot become.

    Raises:
        ConflictError: it has another profile or app, or none, for which settings could hold.
    """
    wanted: list[tuple[str, object, object]] = [("profile", new.profile, opened.profile), ("app", new.app, opened.app)]
    wanted += [(f"settings.{name}", value, opened.options.get(name)) for name, value in new.settings.items()]
    for name, given, found in wanted:
        if given is not None and given != found and not (name == "profile" and found is None):
            why = f"session {new.id!r} is there with {name} {found!r}, which cannot become {given!r}"
            raise ConflictError(why, param=name)


async def _show(asked: ApiRequest) -> tuple[int, object]:
    return OK, _session(await _known(asked))


async def _list(asked: ApiRequest) -> tuple[int, object]:
    session, memory = await _memory(asked)
    found = await asked.engine.list(user=memory, kinds=_LISTED, limit=asked.limit(_MAX_PAGE_SIZE, _MAX_PAGE_SIZE))
    return OK, [_described(session, one) for one in found]


async def _add(asked: ApiRequest) -> tuple[int, object]:
    session, memory = await _memory(asked)
    several = isinstance(asked.body, list)
    sent = asked.read(_NewMemories).root if several else [asked.read(_NewMemory)]
    types = asked.engine.profile(SESSION).form.types
    for place, new in enumerate(sent):
        if new.type not in types:
            where = f"{place}.type" if several else "type"
            raise BadRequestError(f"{where} is {new.type[:40]!r}; it is one of {', '.join(types)}", param=where)
    notes = [NewNote(new.content, new.importance, new.type) for new in sent]
    kept = [_described(session, one) for one in await asked.add(notes, several, user=memory, profile=SESSION)]
    return CREATED, kept if several else kept[0]


async def _get(asked: ApiRequest) -> tuple[int, object]:
    session, memory = await _memory(asked)
    return OK, _described(session, await _listed(asked, memory))


async def _delete(asked: ApiRequest) -> tuple[int, object]:
    _, memory = await _memory(asked)
    await asked.engine.erase((await _listed(asked, memory)).id, user=memory, keep_messages=True)
    return OK, {"success": True}


async def _listed(asked: ApiRequest, memory: Subject) -> Memory:
    """Return the memory that the path names.

    Raises:
        UnknownMemoryError: It is none of the session's list.
    """
    found = await asked.engine.get(asked.path["memory"], user=memory)
    if found.kind not in _LISTED:
        raise UnknownMemoryError(found.id)
    return found


async def _known(asked: ApiRequest) -> Conversation:
    return await asked.engine.conversations.get(asked.path["session"], user=asked.who)


async def _memory(asked: ApiRequest) -> tuple[str, Subject]:
    """Return the session's id and whose memory it is; a session exists from its first message or its opening."""
    known = await _known(asked)
    name = known.external_id or known.id
    scope = RequestScope(profile=SESSION)
    return name, await asked.engine.conversations.subject(user=asked.who, conversation=name, scope=scope)


def _session(known: Conversation) -> dict[str, object]:
    return {
        "id": known.external_id or known.id,
        "profile": known.profile,
        "app": known.app,
        "settings": dict(known.options),
        "createdAt": known.created_at.isoformat(),
        "endedAt": known.ended_at.isoformat() if known.ended_at else None,
    }


def _described(session: str, memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "sessionId": session,
        "memoryContent": memory.text,
        "memoryType": memory.type or "fact",
        "importance": round(memory.importance, 6),
        "createdAt": memory.known_from.isoformat(),
        "lastAccessedAt": (memory.last_used_at or memory.known_from).isoformat(),
    }


async def _list_character(asked: ApiRequest) -> tuple[int, object]:
    # Whoever it talks with, a character's memories are one subject.
    scope = RequestScope(profile="character", characters=(asked.path["character"], "anybody"))
    memory = await asked.engine.conversations.subject(user=asked.who, scope=scope)
    limit, tag = asked.limit(_MAX_PAGE_SIZE, _MAX_PAGE_SIZE), asked.query.get("tag", "")
    found = await asked.engine.list(user=memory, tag=tag, limit=limit)
    return OK, {"subject": memory.text, "memories": [_character_memory(one) for one in found if _is_record(one)]}


def _is_record(memory: Memory) -> bool:
    return memory.kind is not MemoryKind.TURN


def _character_memory(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "content": memory.text,
        "summary": memory.detail.summary,
        "memoryType": memory.type or "NOTE",
        "importance": min(10, max(1, round(memory.importance * 10))),
        "sourceUri": memory.detail.source_uri,
        "sourceContext": memory.detail.source_context,
        "conversationId": memory.evidence[0].conversation if memory.evidence else None,
        "tags": list(memory.detail.tags),
        "createdAt": memory.known_from.isoformat(),
        "lastAccessedAt": memory.last_used_at.isoformat() if memory.last_used_at else None,
    }


_SESSION_PATH = "/api/sessions/{session}"
OPERATIONS = (
    Operation(method="POST", path="/api/sessions", handler=_open),
    Operation(method="GET", path=_SESSION_PATH, handler=_show),
    Operation(method="GET", path=f"{_SESSION_PATH}/memories", handler=_list),
    Operation(method="POST", path=f"{_SESSION_PATH}/memories", handler=_add),
    Operation(method="GET", path=f"{_SESSION_PATH}/memories/{{memory}}", handler=_get),
    Operation(method="DELETE", path=f"{_SESSION_PATH}/memories/{{memory}}", handler=_delete),
    Operation(method="GET", path="/api/characters/{character}/memories", handler=_list_character),
)
