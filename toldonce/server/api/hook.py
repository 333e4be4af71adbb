"""Hooks of coding agents over HTTP. Serves through the engine."""

from typing import Annotated, Literal

from pydantic import BaseModel, ConfigDict, Field

from toldonce.errors import BadRequestError
from toldonce.hook.requests import answer_request
from toldonce.server.api.operation import ApiRequest, Operation
from toldonce.server.status import OK
from toldonce.types import Access, MemoryMode

_MAX_ID_CHARACTERS = 512
_MAX_TIME_CHARACTERS = 40


class _HookRequest(BaseModel):
    """Body of a hook's request."""

    model_config = ConfigDict(extra="forbid", strict=True)

    event: Literal["prompt", "answer", "resume", "shown"]
    conversation: Annotated[str, Field(min_length=1, max_length=_MAX_ID_CHARACTERS)]
    turn: Annotated[str, Field(max_length=_MAX_ID_CHARACTERS)] = ""
    app: Annotated[str, Field(max_length=_MAX_ID_CHARACTERS)] = ""
    text: str = ""
    at: Annotated[str, Field(max_length=_MAX_TIME_CHARACTERS)] = ""
    """When a turn that comes late was said."""


async def _answer(request: ApiRequest) -> tuple[int, object]:
    asked = request.parse(_HookRequest)
    if request.identity.memory is not MemoryMode.ON:
        raise BadRequestError("x-toldonce-memory must be on: a hook reads and records")
    fields = {name: value for name, value in asked.model_dump().items() if value}
    context = await answer_request(request.engine, fields, user=request.user, scope=request.identity.scope)
    return OK, {"context": context}


OPERATIONS = (Operation(method="POST", path="/api/hook", access=Access.WRITE, handler=_answer),)
