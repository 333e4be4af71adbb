"""The memories of one chat session or character over HTTP. Serves through the engine."""

from collections.abc import Mapping
from typing import Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, RootModel

from toldonce.errors import BadRequestError, ConflictError, UnknownConversationError, UnknownMemoryError
from toldonce.profiles.overrides import default_options
from toldonce.server.api.operation import ApiRequest, Operation
from toldonce.server.status import CREATED, OK
from toldonce.types import Access, Conversation, Memory, MemoryKind, NewNote, RequestScope, Subject

SESSION = "session"
# A session keeps fifty memories by default; a custom profile may keep more.
_MAX_PAGE_SIZE = 1000
# The list of a session leaves out summaries and quotations of the chat.
_LISTED_KINDS = (MemoryKind.NOTE, MemoryKind.FACT)


class _NewMemory(BaseModel):
    """Body of a request that adds one memory."""

    model_config = ConfigDict(extra="forbid", strict=True)

    content: str
    type: Annotated[str, BeforeValidator(lambda given: given.lower() if isinstance(given, str) else given)] = "fact"
    importance: Annotated[float, Field(ge=0, le=1, allow_inf_nan=False)] = 0.5


class _NewMemories(RootModel[Annotated[list[_NewMemory], Field(min_length=1)]]):
    """Body of a request that adds several memories."""


class _NewSession(BaseModel):
    """Body of a request that opens a session; all fields are optional."""

    model_config = ConfigDict(extra="forbid", strict=True)

    id: Annotated[str, Field(min_length=1, max_length=512)] | None = None
    profile: str | None = None
    app: str | None = None
    settings: Mapping[str, Any] = Field(default_factory=dict)


async def _open(request: ApiRequest) -> tuple[int, object]:
    new = request.parse(_NewSession)
    known = await _opened_before(request, new.id) if new.id else None
    profile = known.profile if known else request.identity.scope.profile or SESSION
    scope = RequestScope(profile=new.profile or profile, app=new.app)
    opened = await request.engine.conversations.open(new.id, user=request.user, scope=scope, options=new.settings)
    _refuse_other(new, opened)
    return CREATED, _session(opened, request)


async def _opened_before(request: ApiRequest, session: str) -> Conversation | None:
    """Return the session that the client gave this id, if there is one: it keeps its profile."""
    try:
        known = await request.engine.conversations.get(session, user=request.user)
    except UnknownConversationError:
        return None
    return known if known.external_id == session else None


def _refuse_other(new: _NewSession, opened: Conversation) -> None:
    """Refuse a profile, app or settings that differ from those of the existing session.

    Raises:
        ConflictError: One of them differs.
    """
    wanted: list[tuple[str, object, object]] = [("profile", new.profile, opened.profile), ("app", new.app, opened.app)]
    wanted += [(f"settings.{name}", value, opened.options.get(name)) for name, value in new.settings.items()]
    for name, given, existing in wanted:
        if given is not None and given != existing and not (name == "profile" and existing is None):
            message = f"session {new.id!r} exists with {name} {existing!r}, which cannot become {given!r}"
            raise ConflictError(message, param=name)


async def _show(request: ApiRequest) -> tuple[int, object]:
    return OK, _session(await _known(request), request)


async def _list(request: ApiRequest) -> tuple[int, object]:
    session, memory = await _memory(request)
    memories = await request.engine.list(
        user=memory, kinds=_LISTED_KINDS, limit=request.limit(_MAX_PAGE_SIZE, _MAX_PAGE_SIZE)
    )
    return OK, [_to_json(session, listed) for listed in memories]


async def _add(request: ApiRequest) -> tuple[int, object]:
    session, memory = await _memory(request)
    is_list = isinstance(request.body, list)
    sent = request.parse(_NewMemories).root if is_list else [request.parse(_NewMemory)]
    types = request.engine.profile(SESSION).form.types
    for place, new in enumerate(sent):
        if new.type not in types:
            where = f"{place}.type" if is_list else "type"
            raise BadRequestError(f"{where} is {new.type[:40]!r}; it is one of {', '.join(types)}", param=where)
    notes = [NewNote(new.content, new.importance, new.type) for new in sent]
    kept = [_to_json(session, added) for added in await request.add(notes, is_list, user=memory, profile=SESSION)]
    return CREATED, kept if is_list else kept[0]


async def _get(request: ApiRequest) -> tuple[int, object]:
    session, memory = await _memory(request)
    return OK, _to_json(session, await _listed(request, memory))


async def _delete(request: ApiRequest) -> tuple[int, object]:
    _, memory = await _memory(request)
    await request.engine.erase((await _listed(request, memory)).id, user=memory, keep_messages=True)
    return OK, {"success": True}


async def _listed(request: ApiRequest, memory: Subject) -> Memory:
    """Return the memory that the path names.

    Raises:
        UnknownMemoryError: The session's list does not hold it.
    """
    listed = await request.engine.get(request.path["memory"], user=memory)
    if listed.kind not in _LISTED_KINDS:
        raise UnknownMemoryError(listed.id)
    return listed


async def _known(request: ApiRequest) -> Conversation:
    return await request.engine.conversations.get(request.path["session"], user=request.user)


async def _memory(request: ApiRequest) -> tuple[str, Subject]:
    """Return the session's id and the subject of its memories; a session exists once it is opened or has a message."""
    known = await _known(request)
    name = known.external_id or known.id
    scope = RequestScope(profile=SESSION)
    return name, await request.engine.conversations.subject(user=request.user, conversation=name, scope=scope)


def _session(known: Conversation, request: ApiRequest) -> dict[str, object]:
    profile = request.engine.profile(known.profile or request.engine.settings.profile)
    return {
        "id": known.external_id or known.id,
        "profile": known.profile,
        "app": known.app,
        "settings": dict(known.options),
        "defaults": default_options(profile),
        "createdAt": known.created_at.isoformat(),
        "endedAt": known.ended_at.isoformat() if known.ended_at else None,
    }


def _to_json(session: str, memory: Memory) -> dict[str, object]:
    return {
        "id": memory.id,
        "sessionId": session,
        "memoryContent": memory.text,
        "memoryType": memory.type or "fact",
        "importance": round(memory.importance, 6),
        "createdAt": memory.known_from.isoformat(),
        "lastAccessedAt": (memory.last_used_at or memory.known_from).isoformat(),
    }


async def _list_character(request: ApiRequest) -> tuple[int, object]:
    # A character's memories are one subject, whatever user it talks with.
    scope = RequestScope(profile="character", characters=(request.path["character"], "anybody"))
    memory = await request.engine.conversations.subject(user=request.user, scope=scope)
    limit, tag = request.limit(_MAX_PAGE_SIZE, _MAX_PAGE_SIZE), request.query.get("tag", "")
    memories = await request.engine.list(user=memory, tag=tag, limit=limit)
    return OK, {
        "subject": memory.text,
        "memories": [_character_memory(listed) for listed in memories if _is_record(listed)],
    }


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
    Operation(method="POST", path="/api/sessions", access=Access.WRITE, handler=_open),
    Operation(method="GET", path=_SESSION_PATH, access=Access.READ, handler=_show),
    Operation(method="GET", path=f"{_SESSION_PATH}/memories", access=Access.READ, handler=_list),
    Operation(method="POST", path=f"{_SESSION_PATH}/memories", access=Access.WRITE, handler=_add),
    Operation(method="GET", path=f"{_SESSION_PATH}/memories/{{memory}}", access=Access.READ, handler=_get),
    Operation(method="DELETE", path=f"{_SESSION_PATH}/memories/{{memory}}", access=Access.WRITE, handler=_delete),
    Operation(method="GET", path="/api/characters/{character}/memories", access=Access.READ, handler=_list_character),
)
