"""Save and end conversations over HTTP, and ask whose app one is. Serves through the engine."""

from typing import Annotated, Any

from pydantic import BaseModel, ConfigDict, Field

from recollect.server.api.operation import ApiRequest, Operation
from recollect.types import RequestScope


class _Ending(BaseModel):
    """What is sent to end one; all of it may be left out."""

    model_config = ConfigDict(extra="forbid", strict=True)

    reason: Annotated[str, Field(min_length=1, max_length=500)] = "ended"
    app_id: Annotated[str, Field(min_length=1)] | None = Field(default=None, alias="appId")
    messages: list[dict[str, Any]] = Field(default_factory=list)


async def _end(asked: ApiRequest) -> tuple[int, object]:
    ending = asked.read(_Ending)
    ended = await asked.engine.end_conversation(
        asked.path["conversation"],
        reason=ending.reason,
        messages=ending.messages,
        user=asked.who,
        scene=_scene(asked, ending.app_id),
    )
    return 202, {
        "id": ended.external_id or ended.id,
        "endedAt": ended.ended_at.isoformat() if ended.ended_at else None,
        "reason": ended.end_reason,
    }


async def _save(asked: ApiRequest) -> tuple[int, object]:
    asked_for = await asked.engine.save_conversation(
        asked.path["conversation"], user=asked.who, scene=_scene(asked, None)
    )
    return 202, {"formations": asked_for}


async def _app(asked: ApiRequest) -> tuple[int, object]:
    found = await asked.engine.conversation(asked.path["conversation"], user=asked.who)
    return 200, {"conversationId": found.external_id or found.id, "appId": found.app}


def _scene(asked: ApiRequest, app: str | None) -> RequestScope:
    named = asked.identity.scene
    app = app or named.app
    return RequestScope(
        profile=named.profile or ("app" if app else None),
        otherwise=named.otherwise,
        app=app,
        characters=named.characters,
        interaction=named.interaction,
    )


OPERATIONS = (
    Operation(method="POST", path="/conversations/{conversation}/end", handler=_end),
    Operation(method="POST", path="/conversations/{conversation}/save", handler=_save),
    Operation(method="GET", path="/conversations/{conversation}/app", handler=_app),
)
