"""What a client learns when it connects: who it is, and whether the database answers, over HTTP. Through the engine."""

from importlib.metadata import version

from pydantic import Field

from toldonce.server.api.v1.fields import Answer, UrlQuery
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply
from toldonce.server.api.v1.request import ResourceRequest
from toldonce.types import Access


class ConnectionAnswer(Answer):
    """The server, and what this request's credential allows."""

    version: str = Field(description="The server's version.")
    profile: str = Field(description="The profile of requests that name none.")
    subject: str | None = Field(description="The request's own user (`me`); null: it has none.")
    tenant: str | None = Field(description="The only tenant, empty for none; null: all tenants.")
    access: Access = Field(description="Each access includes those before it.")


class DatabaseQuery(UrlQuery):
    """How much is checked."""

    all: bool = Field(default=False, description="Check that all subjects can be reached: every machine of a cluster.")


class DatabaseAnswer(Answer):
    """The database, which answers."""

    schema_version: int


async def _connection(request: ResourceRequest) -> ResourceReply:
    requester = request.requester
    own = requester.own_user()
    return ResourceReply(
        answer=ConnectionAnswer(
            version=version("toldonce"),
            profile=request.engine.settings.profile,
            subject=None if own is None else requester.shown(own),
            tenant=requester.tenant,
            access=Access.ADMIN if request.caller is None else request.caller.access,
        )
    )


async def _database(request: ResourceRequest) -> ResourceReply:
    admin = request.engine.admin
    await (admin.ping_all() if request.query_as(DatabaseQuery).all else admin.ping())
    return ResourceReply(answer=DatabaseAnswer(schema_version=await admin.schema_version()))


OPERATIONS = (
    ResourceOperation(
        "getConnection",
        summary="Show the server's version, and what this request's credential allows",
        handler=_connection,
        answer=ConnectionAnswer,
    ),
    ResourceOperation(
        "checkDatabase",
        summary="Check that the database answers",
        handler=_database,
        query=DatabaseQuery,
        answer=DatabaseAnswer,
    ),
)
