"""Apps, their memories, and the end of their conversations over HTTP. Serves through the engine."""

from itertools import zip_longest
from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from toldonce.engine import PromptTrace
from toldonce.engine.scope import app_of_all_users
from toldonce.errors import BadIdentityError, BadRequestError, UnknownConversationError, UnknownMemoryError
from toldonce.server.api.operation import ApiRequest, Handler, Operation
from toldonce.server.status import ACCEPTED, CREATED, OK
from toldonce.types import Access, Conversation, Memory, RequestScope

# No number of a memory has more digits.
_MAX_NUMBER_DIGITS = 18
_MAX_PAGE_SIZE = 1000


class _NewApp(BaseModel):
    """Body of a request that registers an app."""

    model_config = ConfigDict(extra="forbid", strict=True)

    app_id: Annotated[str, Field(min_length=1, alias="appId")]


async def _register(request: ApiRequest) -> tuple[int, object]:
    new = request.parse(_NewApp)
    known = await request.engine.apps.register(new.app_id, user=request.user)
    return CREATED, {"appId": new.app_id, "createdAt": known.created_at.isoformat()}


async def _remove(request: ApiRequest) -> tuple[int, object]:
    app, purge = request.path["app"], request.flag("purgeMemories")
    if request.all_users:
        tenant = request.user.tenant
        deleted = await request.engine.apps.remove_for_all_users(app, purge=purge, tenant=tenant)
        await _note_act_of_all(request, "apps.remove", count=deleted)
    else:
        deleted = await request.engine.apps.remove(app, purge=purge, user=request.user)
    return OK, {"success": True, "deletedCount": deleted}


async def _list(request: ApiRequest) -> tuple[int, object]:
    if not request.all_users:
        memories = await request.engine.apps.memories(request.path["app"], user=request.user)
        return OK, {"memories": [_to_json(memory) for memory in memories]}
    page = await request.engine.apps.memories_of_all_users(
        request.path["app"],
        tenant=request.user.tenant,
        after=request.query.get("after", ""),
        limit=request.limit(_MAX_PAGE_SIZE, _MAX_PAGE_SIZE),
    )
    listed = [{**_to_json(memory), "subject": memory.subject.text} for memory in page.memories]
    return OK, {"memories": listed, "next": page.after}


async def _count(request: ApiRequest) -> tuple[int, object]:
    app = request.path["app"]
    if not request.all_users:
        return OK, {"count": await request.engine.apps.count(app, user=request.user)}
    count, after = 0, ""
    while True:
        page = await request.engine.apps.memories_of_all_users(app, tenant=request.user.tenant, after=after)
        count += len(page.memories)
        if page.after is None:
            return OK, {"count": count}
        after = page.after


async def _delete_all(request: ApiRequest) -> tuple[int, object]:
    app = request.path["app"]
    if not request.all_users:
        deleted = await request.engine.apps.delete_memories(app, user=request.user)
        return OK, {"success": True, "deletedCount": deleted}
    deleted = await request.engine.apps.delete_memories_of_all_users(app, tenant=request.user.tenant)
    await _note_act_of_all(request, "apps.purge", count=deleted)
    return OK, {"success": True, "deletedCount": deleted}


async def _note_act_of_all(request: ApiRequest, act: str, *, count: int) -> None:
    """Append what an administrator did to all users of an app to the audit log."""
    await request.engine.keys.note_act(
        act,
        actor=request.actor,
        tenant=request.user.tenant,
        target=str(app_of_all_users(request.user, request.path["app"]).key),
        count=count,
    )


async def _delete(request: ApiRequest) -> tuple[int, object]:
    number = request.path["memory"]
    if not (number.isascii() and number.isdigit() and len(number) <= _MAX_NUMBER_DIGITS):
        raise UnknownMemoryError(number)
    app = request.path["app"]
    if request.all_users:
        await request.engine.apps.delete_memory_of_all_users(app, int(number), tenant=request.user.tenant)
        await _note_act_of_all(request, "memories.erase", count=1)
    else:
        await request.engine.apps.delete_memory(app, int(number), user=request.user)
    return OK, {"success": True}


def _to_json(memory: Memory) -> dict[str, object]:
    return {
        "id": memory.number,
        "content": memory.text,
        "createdAt": memory.valid_from.isoformat(),
        "updatedAt": memory.known_from.isoformat(),
    }


class _Ending(BaseModel):
    """Body of a request that ends a conversation; all fields are optional.

    `conversationSummary`, `userMessages` and `assistantMessages` are of clients that tell of a whole conversation:
    the messages are taken by turns, the user first, and the summary as last words of a speaker `summary`.
    """

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Annotated[str, Field(min_length=1, max_length=500)] = "ended"
    app_id: Annotated[str, Field(min_length=1)] | None = Field(default=None, alias="appId")
    messages: list[dict[str, Any]] = Field(default_factory=list)
    conversation_id: str | None = Field(default=None, alias="conversationId")
    conversation_summary: str = Field(default="", alias="conversationSummary")
    user_messages: list[str] = Field(default_factory=list, alias="userMessages")
    assistant_messages: list[str] = Field(default_factory=list, alias="assistantMessages")

    def last_messages(self) -> list[dict[str, Any]]:
        """Return the conversation's last messages in their order.

        Raises:
            BadRequestError: They are given in both ways.
        """
        said = [
            {"role": role, "content": text}
            for turn in zip_longest(self.user_messages, self.assistant_messages)
            for role, text in zip(("user", "assistant"), turn, strict=True)
            if text
        ]
        if self.conversation_summary:
            said.append({"role": "assistant", "name": "summary", "content": self.conversation_summary})
        if said and self.messages:
            raise BadRequestError("give messages, or userMessages and assistantMessages, not both", param="messages")
        return said or self.messages


async def _end(request: ApiRequest) -> tuple[int, object]:
    ending = request.parse(_Ending)
    if ending.conversation_id not in (None, request.path["conversation"]):
        raise BadRequestError("conversationId is not the one of the path", param="conversationId")
    await _refuse_other_app(request)
    ended = await request.engine.conversations.end(
        request.path["conversation"],
        reason=ending.reason,
        messages=ending.last_messages(),
        user=request.user,
        scope=_scope(request, ending.app_id),
    )
    return ACCEPTED, {
        "id": ended.external_id or ended.id,
        "endedAt": ended.ended_at.isoformat() if ended.ended_at else None,
        "reason": ended.end_reason,
    }


async def _save(request: ApiRequest) -> tuple[int, object]:
    await _refuse_other_app(request)
    formations = await request.engine.conversations.save(
        request.path["conversation"], user=request.user, scope=_scope(request, None)
    )
    return ACCEPTED, {"formations": formations}


async def _refuse_other_app(request: ApiRequest) -> None:
    """Check for a credential of one app that the conversation that the path names is new, or of this app.

    Raises:
        UnknownConversationError: It is another app's.
    """
    if not request.identity.scope.only_app:
        return
    name = request.path["conversation"]
    try:
        known = await request.engine.conversations.get(name, user=request.user)
    except UnknownConversationError:
        return
    if known.app != request.identity.scope.app:
        raise UnknownConversationError(name)


async def _app(request: ApiRequest) -> tuple[int, object]:
    conversation = await _conversation(request)
    return OK, {"conversationId": conversation.external_id or conversation.id, "appId": conversation.app}


async def _conversation(request: ApiRequest) -> Conversation:
    """Return the conversation that the path names; for a credential of one app, only one of this app."""
    conversation = await request.engine.conversations.get(request.path["conversation"], user=request.user)
    scope = request.identity.scope
    if scope.only_app and conversation.app != scope.app:
        raise UnknownConversationError(request.path["conversation"])
    return conversation


async def _trace(request: ApiRequest) -> tuple[int, object]:
    conversation = await _conversation(request)
    traces = await request.engine.conversations.trace(
        conversation.id, user=request.user, limit=request.limit(100, _MAX_PAGE_SIZE)
    )
    return OK, {
        "conversationId": conversation.external_id or conversation.id,
        "prompts": [_trace_to_json(trace) for trace in traces],
    }


def _trace_to_json(trace: PromptTrace) -> dict[str, object]:
    record = trace.record
    scores = {memory: score for _, memory, score in record.items}
    return {
        "at": record.at.isoformat(),
        "seq": record.seq,
        "prefix": record.prefix or None,
        "replayed": record.replayed,
        "tokens": record.tokens,
        "failure": record.failure or None,
        "memories": [
            {
                "id": memory.id,
                "content": memory.text,
                "state": memory.state.value,
                "score": round(scores[memory.id], 6),
                "used": None if record.hits is None else memory.id in record.hits,
            }
            for memory in trace.memories
        ],
        "omitted": [{"id": memory.id, "reason": memory.reason} for memory in record.omitted],
    }


def _scope(request: ApiRequest, app: str | None) -> RequestScope:
    scope = request.identity.scope
    if scope.only_app and app not in (None, scope.app):
        raise BadIdentityError("appId names another app than the credential is for")
    app = app or scope.app
    return RequestScope(
        profile=scope.profile or ("app" if app else None),
        key_profile=scope.key_profile,
        app=app,
        only_app=scope.only_app,
        characters=scope.characters,
        interaction=scope.interaction,
    )


def _operation(
    method: str,
    path: str,
    handler: Handler,
    access: Access = Access.READ,
    *,
    for_administrators: bool = False,
    act: str = "",
) -> Operation:
    """Declare an operation that a credential for one app may use."""
    return Operation(
        method=method,
        path=path,
        handler=handler,
        access=access,
        for_apps=True,
        for_administrators=for_administrators,
        act=act,
    )


_MEMORIES = "/apps/{app}/memories"
_CONVERSATION = "/conversations/{conversation}"
OPERATIONS = (
    Operation(method="POST", path="/apps", handler=_register, access=Access.WRITE),
    _operation("DELETE", "/apps/{app}", _remove, Access.WRITE, for_administrators=True, act="apps.remove"),
    _operation("GET", _MEMORIES, _list, for_administrators=True),
    _operation("GET", f"{_MEMORIES}/count", _count, for_administrators=True),
    _operation("DELETE", _MEMORIES, _delete_all, Access.WRITE, for_administrators=True, act="apps.purge"),
    _operation(
        "DELETE", f"{_MEMORIES}/{{memory}}", _delete, Access.WRITE, for_administrators=True, act="memories.erase"
    ),
    _operation("POST", f"{_CONVERSATION}/end", _end, Access.WRITE),
    _operation("POST", f"{_CONVERSATION}/save", _save, Access.WRITE),
    _operation("GET", f"{_CONVERSATION}/app", _app),
    _operation("GET", f"/api{_CONVERSATION}/trace", _trace),
)
