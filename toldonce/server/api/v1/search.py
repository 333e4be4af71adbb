"""Search of a subject's memories over HTTP: by words and meaning, or by similarity alone. Serves through the engine."""

from pydantic import Field

from toldonce.server.api.v1.fields import Body, Instant, ProfileName
from toldonce.server.api.v1.memory_answers import NearestAnswer, RecallAnswer
from toldonce.server.api.v1.message_bodies import DestinationBody
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply
from toldonce.server.api.v1.request import ResourceRequest

_MAX_QUERY, _MAX_FOUND, _MAX_DIMENSIONS = 200_000, 200, 16_000


class SearchRequest(Body):
    """What to search for."""

    query: str = Field(max_length=_MAX_QUERY, description="Words, a question, dates.")
    limit: int = Field(default=10, ge=1, le=_MAX_FOUND)
    profile: ProfileName | None = None
    at: Instant | None = Field(default=None, description="Search what was true at this instant; null: now.")
    known_at: Instant | None = Field(default=None, description="Search what was known at this instant; null: now.")
    destination: DestinationBody | None = Field(
        default=None, description="The model that reads the answer; null: a person, from whom nothing is kept."
    )
    explain: bool | None = Field(default=None, description="Also say of which parts each score is made (`parts`).")


class NearestRequest(Body):
    """A text or a vector, of which exactly one is given."""

    query: str | None = Field(default=None, max_length=_MAX_QUERY)
    vector: list[float] | None = Field(default=None, min_length=1, max_length=_MAX_DIMENSIONS)
    limit: int = Field(default=10, ge=1, le=_MAX_FOUND)


async def _search(request: ResourceRequest) -> ResourceReply:
    body = request.body_as(SearchRequest)
    found = await request.engine.search(
        body.query,
        user=request.target,
        limit=body.limit,
        profile=request.profile(body.profile),
        at=body.at,
        known_at=body.known_at,
        destination=body.destination.plain if body.destination else None,
        explain=bool(body.explain),
        time_zone=request.requester.identity.scope.time_zone,
    )
    return request.reply(RecallAnswer, found)


OPERATIONS = (
    ResourceOperation(
        "searchMemories",
        summary="Find the memories relevant to a query, with the reasons",
        handler=_search,
        body=SearchRequest,
        answer=RecallAnswer,
    ),
    ResourceOperation(
        "nearestMemories",
        summary="Find the notes and episodes nearest in meaning to a text or a vector",
        calls=lambda engine: engine.vectors.nearest,
        body=NearestRequest,
        answer=NearestAnswer,
    ),
)
