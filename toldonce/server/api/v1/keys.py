"""API keys and the log of administrative acts over HTTP. Serves through the engine.

An administrator of one tenant sees and makes keys of that tenant alone.
"""

from dataclasses import asdict
from datetime import datetime

from pydantic import AliasPath, Field

from toldonce.errors import UnknownKeyError
from toldonce.server.api.v1.fields import (
    BY_NAME,
    MAX_NAME_CHARACTERS,
    Answer,
    Body,
    Instant,
    Name,
    PageAnswer,
    SubjectName,
    TenantPage,
)
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.server.api.v1.problems import ProblemError
from toldonce.server.status import CREATED, FORBIDDEN
from toldonce.types import Access, ApiKey, AuditFilter, KeyLimits, NewApiKey

_MAX_LIMIT = 2**31 - 1
_ALL_TENANTS = "*"


class KeyRequest(Body):
    """A key to make."""

    name: str = Field(min_length=1, max_length=100, description="What it is for.")
    access: Access = Field(default=Access.WRITE, description="Each access includes those before it.", strict=False)
    tenant: str | None = Field(
        default=None,
        max_length=63,
        description="The only tenant, empty for none, `*` for all of them; null: the one of the request's credential.",
    )
    user: str | None = Field(
        default=None, max_length=MAX_NAME_CHARACTERS, description="The only user; null: any user of the tenant."
    )
    app: str | None = Field(
        default=None, max_length=MAX_NAME_CHARACTERS, description="The only app; null: no app is required."
    )
    expires_at: Instant | None = None
    requests_per_minute: int | None = Field(default=None, ge=1, le=_MAX_LIMIT)
    concurrent_requests: int | None = Field(default=None, ge=1, le=_MAX_LIMIT)
    body_bytes: int | None = Field(default=None, ge=1, le=_MAX_LIMIT)


class KeyAnswer(Answer):
    """A key, without its secret."""

    id: str
    name: str
    access: Access
    tenant: str | None = Field(description="Null: all tenants.")
    user: str | None
    app: str | None
    requests_per_minute: int | None = Field(validation_alias=AliasPath("limits", "requests_per_minute"))
    concurrent_requests: int | None = Field(validation_alias=AliasPath("limits", "concurrent_requests"))
    body_bytes: int | None = Field(validation_alias=AliasPath("limits", "body_bytes"))
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None = Field(description="Exact to a minute.")


class AuditQuery(TenantPage):
    """Which administrative acts to list."""

    actor: Name | None = Field(default=None, description="Only acts of this actor, such as `key:k_…` or `cli`.")
    action: Name | None = Field(default=None, description="Only acts of this name, such as `subjects.erase`.")
    target: Name | None = Field(default=None, description="Only acts on the key, memory or subject with this id.")
    subject: SubjectName | None = Field(default=None, description="In place of `target`: acts on this subject.")


class NewKeyAnswer(KeyAnswer):
    """A key that was made, with its secret."""

    key: str = Field(description="The secret, which is shown this once.")


class KeyPage(PageAnswer):
    """Keys by id."""

    keys: list[KeyAnswer]


class AuditAnswer(Answer):
    """One administrative act."""

    id: str
    at: datetime
    actor: str = Field(description="Who did it: the id of a credential, `cli`, or `local` for a trusted request.")
    action: str
    tenant: str
    target: str = Field(description="Id of what was changed.")
    count: int


class AuditPage(PageAnswer):
    """Administrative acts, newest first."""

    entries: list[AuditAnswer]


async def _create(request: ResourceRequest) -> ResourceReply:
    own, body = request.requester.require_all_subjects(), request.body_as(KeyRequest)
    wanted = None if body.tenant == _ALL_TENANTS else body.tenant if body.tenant is not None else own or ""
    if own is not None and wanted != own:
        raise ProblemError(FORBIDDEN, "forbidden", "this request makes keys of its own tenant alone")
    new = NewApiKey(
        name=body.name,
        access=body.access,
        tenant=wanted,
        user=body.user,
        app=body.app,
        expires_at=body.expires_at,
        limits=KeyLimits(
            requests_per_minute=body.requests_per_minute,
            concurrent_requests=body.concurrent_requests,
            body_bytes=body.body_bytes,
        ),
    )
    key, secret = await request.engine.keys.create(new, actor=request.requester.actor)
    return request.reply(NewKeyAnswer, {**asdict(key), "key": secret})


async def _get(request: ResourceRequest) -> ResourceReply:
    return request.reply(KeyAnswer, await _known(request))


async def _revoke(request: ResourceRequest) -> ResourceReply:
    key = await _known(request)
    revoked = await request.engine.keys.revoke(key.id, actor=request.requester.actor)
    return request.reply(KeyAnswer, revoked)


async def _audit(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(AuditQuery)
    tenant = request.requester.require_tenant(query.tenant)
    target = query.target or ""
    if query.subject is not None:
        target = str(request.subject(query.subject, Access.ADMIN).key)
    wanted = AuditFilter(actor=query.actor or "", action=query.action or "", target=target)
    found = await request.engine.keys.audit(wanted, tenant=tenant, before=query.cursor, limit=query.limit)
    following = found[-1].id if len(found) == query.limit else None
    return request.page(AuditPage, found, following)


async def _known(request: ResourceRequest) -> ApiKey:
    """Return the key of the path; one of another tenant is an unknown one."""
    tenant = request.requester.require_all_subjects()
    key = await request.engine.keys.get(request.path["key"])
    if tenant is not None and key.tenant != tenant:
        raise UnknownKeyError(request.path["key"])
    return key


OPERATIONS = (
    ResourceOperation(
        "listKeys",
        summary="List API keys, without their secrets",
        calls=lambda engine: engine.keys.list,
        paging=BY_NAME,
        query=TenantPage,
        answer=KeyPage,
    ),
    ResourceOperation(
        "createKey",
        summary="Make an API key; its secret is shown this once",
        handler=_create,
        body=KeyRequest,
        answer=NewKeyAnswer,
        status=CREATED,
    ),
    ResourceOperation(
        "getKey",
        summary="Read an API key, without its secret",
        handler=_get,
        answer=KeyAnswer,
    ),
    ResourceOperation(
        "revokeKey",
        summary="Revoke an API key",
        description="This server refuses it at once, others within five seconds. It stays listed.",
        handler=_revoke,
        answer=KeyAnswer,
    ),
    ResourceOperation(
        "listAudit",
        summary="List administrative acts, newest first",
        handler=_audit,
        query=AuditQuery,
        answer=AuditPage,
    ),
)
