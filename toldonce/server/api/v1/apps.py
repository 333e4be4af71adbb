"""Apps and characters with a memory of their own, over HTTP. Serves through the engine.

An app has one for each user; an administrator sees those of all users. Keys that are bound to an app use the older
routes under `/apps`.
"""

from datetime import datetime

from pydantic import Field

from toldonce.errors import UnknownMemoryError
from toldonce.server.api.v1.fields import (
    BY_NAME,
    Answer,
    Body,
    Name,
    PageAnswer,
    SubjectText,
    TenantPage,
    TenantQuery,
    UrlQuery,
)
from toldonce.server.api.v1.memory_answers import MemoriesAnswer, MemoryAnswer
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.types import Subject

# Numbers of memories fit into the integers that JavaScript reads exactly.
_MAX_NUMBER_DIGITS = 15


class AppAnswer(Answer):
    """An app that was registered."""

    subject: SubjectText = Field(description="The subject that holds its memories.")
    created_at: datetime
    removed_at: datetime | None


class AppSummaryAnswer(Answer):
    """An app, over all its users."""

    id: str
    users: int = Field(description="With conversations, or with memories, whichever are more.")
    memories: int = Field(description="Active ones.")
    conversations: int
    installed_at: datetime | None = Field(description="When it was first registered; null if it never was.")
    removed_at: datetime | None = Field(description="When the last user uninstalled it.")
    last_used_at: datetime | None


class AppPageAnswer(PageAnswer):
    """Apps by name."""

    apps: list[AppSummaryAnswer]


class RemovalQuery(UrlQuery):
    """What becomes of an app's memories."""

    purge: bool = Field(default=False, description="Erase them; by default they stay.")


class TenantRemovalQuery(TenantQuery, RemovalQuery):
    """Of which tenant an app is removed, and what becomes of its memories."""


class ErasedCountAnswer(Answer):
    """How many memories were erased."""

    erased: int = Field(description="Active memories; closed and held ones were erased too.")


class AppMemoryPageAnswer(PageAnswer):
    """Memories of an app, subject by subject."""

    memories: list[MemoryAnswer]


async def _delete_memory(request: ResourceRequest) -> ResourceReply:
    await request.engine.apps.delete_memory(request.path["app"], _number(request), user=request.target)
    return ResourceReply()


def _number(request: ResourceRequest) -> int:
    number = request.path["number"]
    if not (number.isascii() and number.isdigit() and len(number) <= _MAX_NUMBER_DIGITS):
        raise UnknownMemoryError(number)
    return int(number)


async def _memories_of_all_users(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(TenantPage)
    tenant = request.requester.require_tenant(query.tenant)
    after = query.cursor or ""
    if after and request.requester.tenant:
        after = f"@{request.requester.tenant}/{after}"
    page = await request.engine.apps.memories_of_all_users(
        request.path["app"], tenant=tenant or "", after=after, limit=query.limit
    )
    following = None if page.after is None else request.requester.shown(Subject.parse(page.after))
    return request.page(AppMemoryPageAnswer, page.memories, following)


async def _delete_memories_of_all_users(request: ResourceRequest) -> ResourceReply:
    tenant = _tenant(request)
    erased = await request.engine.apps.delete_memories_of_all_users(request.path["app"], tenant=tenant)
    await _note_act_of_all(request, "apps.purge", tenant, erased)
    return ResourceReply(answer=ErasedCountAnswer(erased=erased))


async def _delete_memory_of_all_users(request: ResourceRequest) -> ResourceReply:
    tenant = _tenant(request)
    await request.engine.apps.delete_memory_of_all_users(request.path["app"], _number(request), tenant=tenant)
    await _note_act_of_all(request, "memories.erase", tenant, 1)
    return ResourceReply()


async def _remove_for_all_users(request: ResourceRequest) -> ResourceReply:
    query, tenant = request.query_as(TenantRemovalQuery), _tenant(request)
    erased = await request.engine.apps.remove_for_all_users(request.path["app"], purge=query.purge, tenant=tenant)
    await _note_act_of_all(request, "apps.remove", tenant, erased)
    return ResourceReply(answer=ErasedCountAnswer(erased=erased))


def _tenant(request: ResourceRequest) -> str:
    return request.requester.require_tenant(request.query_as(TenantQuery).tenant) or ""


async def _note_act_of_all(request: ResourceRequest, act: str, tenant: str, count: int) -> None:
    target = str(Subject("app", request.path["app"], tenant).key)
    await request.engine.keys.note_act(act, actor=request.requester.actor, tenant=tenant, target=target, count=count)


class NewCharacterName(Body):
    """The new name of a character."""

    to: Name
    join: bool = Field(default=False, description="Take over the active memories of a character of the new name.")


class RenamedCharacterAnswer(Answer):
    """A character under its new name."""

    subject: SubjectText = Field(description="The subject that holds its memories, as before.")
    joined: int = Field(description="Memories taken over from a character that had the new name.")


OPERATIONS = (
    ResourceOperation(
        "listApps",
        summary="List the apps of all users of a tenant, with their memories and conversations counted",
        calls=lambda engine: engine.apps.list,
        paging=BY_NAME,
        query=TenantPage,
        answer=AppPageAnswer,
    ),
    ResourceOperation(
        "registerApp",
        summary="Register an app; one that was removed returns with the memories it had",
        calls=lambda engine: engine.apps.register,
        answer=AppAnswer,
    ),
    ResourceOperation(
        "removeApp",
        summary="Remove an app; with `purge`, erase its memories",
        calls=lambda engine: engine.apps.remove,
        query=RemovalQuery,
        answer=ErasedCountAnswer,
        act="apps.remove",
    ),
    ResourceOperation(
        "listAppMemories",
        summary="List an app's active memories, last updated first",
        calls=lambda engine: engine.apps.memories,
        answer=MemoriesAnswer,
    ),
    ResourceOperation(
        "eraseAppMemories",
        summary="Erase all memories of an app; the messages they were formed from stay",
        calls=lambda engine: engine.apps.delete_memories,
        answer=ErasedCountAnswer,
        act="apps.purge",
    ),
    ResourceOperation(
        "eraseAppMemory",
        summary="Erase the memory that an app knows by this number; its messages stay",
        handler=_delete_memory,
        act="memories.erase",
    ),
    ResourceOperation(
        "listAppMemoriesOfAllUsers",
        summary="List an app's active memories of all users of a tenant, subject by subject",
        description="The memories of the last subject of a page are complete, so that it may have more than `limit`.",
        handler=_memories_of_all_users,
        query=TenantPage,
        answer=AppMemoryPageAnswer,
    ),
    ResourceOperation(
        "eraseAppMemoriesOfAllUsers",
        summary="Erase all memories of an app in a tenant; the audit log notes it",
        handler=_delete_memories_of_all_users,
        query=TenantQuery,
        answer=ErasedCountAnswer,
    ),
    ResourceOperation(
        "eraseAppMemoryOfAllUsers",
        summary="Erase the memory that an app knows by this number, whosever it is; the audit log notes it",
        handler=_delete_memory_of_all_users,
        query=TenantQuery,
        is_lookup=True,
    ),
    ResourceOperation(
        "removeAppForAllUsers",
        summary="Remove an app for all users of a tenant; with `purge`, erase its memories; the audit log notes it",
        handler=_remove_for_all_users,
        query=TenantRemovalQuery,
        answer=ErasedCountAnswer,
        is_lookup=True,
    ),
    ResourceOperation(
        "renameCharacter",
        summary="Give a character a new name; it keeps its memories",
        description="409 where a character of the new name has memories, unless `join` says to take them over.",
        calls=lambda engine: engine.characters.rename,
        body=NewCharacterName,
        answer=RenamedCharacterAnswer,
        act="characters.rename",
    ),
)
