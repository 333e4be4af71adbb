"""What memory adds to prompts, over HTTP. Serves through the engine."""

from pydantic import Field

from toldonce.server.api.v1.conversation_answers import ContextAnswer, PromptAnswer
from toldonce.server.api.v1.fields import Body, Name, ProfileName
from toldonce.server.api.v1.message_bodies import MAX_MESSAGES, DestinationBody, NewMessage, scope_of
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.types import Access

_MAX_QUERY, _MAX_SYSTEM = 200_000, 200_000


class ContextRequest(Body):
    """What memory would add to a prompt."""

    query: str = Field(max_length=_MAX_QUERY, description="The newest message.")
    conversation: Name | None = None
    messages: list[NewMessage] = Field(default_factory=list, max_length=MAX_MESSAGES, description="The chat before.")
    use: bool = Field(default=False, description="Count the memories as used; this needs write access.")
    profile: ProfileName | None = None
    app: Name | None = None
    destination: DestinationBody | None = None


class PromptRequest(Body):
    """The message to answer, for a client without a history of its own."""

    query: str = Field(max_length=_MAX_QUERY)
    system: str = Field(default="", max_length=_MAX_SYSTEM)
    one_system: bool = False
    profile: ProfileName | None = None
    app: Name | None = None
    destination: DestinationBody | None = None


async def _context(request: ResourceRequest) -> ResourceReply:
    body = request.body_as(ContextRequest)
    user = request.subject(request.path["subject"], Access.WRITE) if body.use else request.target
    context = await request.engine.context(
        body.query,
        user=user,
        conversation=body.conversation,
        scope=scope_of(request, body.profile, body.app, body.destination),
        messages=[message.plain for message in body.messages],
        use=body.use,
    )
    return request.reply(ContextAnswer, context)


OPERATIONS = (
    ResourceOperation(
        "getContext",
        summary="Return what memory would add to a prompt",
        handler=_context,
        body=ContextRequest,
        answer=ContextAnswer,
    ),
    ResourceOperation(
        "writePrompt",
        summary="Write the messages of a chat request: what is remembered, the summary, the window, the query",
        calls=lambda engine: engine.prompt,
        body=PromptRequest,
        answer=PromptAnswer,
    ),
)
