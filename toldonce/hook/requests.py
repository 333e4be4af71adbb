"""Answer hooks' requests with an engine; their shape is `event.py`'s."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import datetime, timedelta

from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError
from toldonce.plural import plural
from toldonce.types import NO_SCOPE, Destination, Memory, RequestScope, Subject

# An agent does not say which model it asks.
_DESTINATION = Destination(client="hook")
# What was said later than this from now has a wrong clock.
_MAX_AHEAD = timedelta(minutes=5)
# Characters of a memory, and of the memories together, in a status line.
_MAX_SHOWN, _MAX_LINE = 48, 96


async def answer_request(
    engine: AsyncToldOnce,
    request: Mapping[str, str],
    *,
    user: Subject | None = None,
    scope: RequestScope = NO_SCOPE,
) -> str:
    """Answer a request with the context that memory adds, or a status line; empty where there is none.

    Args:
        engine: What remembers.
        request: `event`, `conversation`, `turn`, `text` and `app`, all of them strings; `at`, when it was said, where a
            turn comes late: it is recorded, and nothing is recalled for it.
        user: User of the agent; None: the request's `user`, else the default user.
        scope: Profile and app that the sender is bound to; the request names the app where it is not.

    Raises:
        BadRequestError: The request is of no known kind, or lacks something.
    """
    if not isinstance(request, Mapping) or not all(isinstance(value, str) for value in request.values()):
        raise BadRequestError("a hook's request is an object of strings")
    event, conversation = request.get("event"), request.get("conversation", "")
    if event == "warm":
        return ""
    if not conversation:
        raise BadRequestError("conversation is missing", param="conversation")
    home: Subject | str | None = user or request.get("user")
    scope = replace(scope, app=scope.app or request.get("app"), destination=_DESTINATION)
    agents, text, turn = engine.agents, request.get("text", ""), request.get("turn")
    said_at = _instant(request.get("at"), engine.clock.now())
    match event:
        case "prompt":
            return await agents.prompt(
                text, conversation=conversation, turn=turn, user=home, scope=scope, late_since=said_at
            )
        case "answer":
            await agents.answer(text, conversation=conversation, turn=turn, user=home, scope=scope, late_since=said_at)
            return ""
        case "resume":
            return await agents.resume(conversation=conversation, user=home, scope=scope)
        case "shown":
            return status_line(await agents.shown(conversation=conversation, user=home))
        case _:
            raise BadRequestError("event is none of prompt, answer, resume, shown and warm", param="event")


def status_line(memories: Sequence[Memory]) -> str:
    """Describe what a session was shown, newest first, in one line."""
    line, texts = f"ToldOnce: {plural(len(memories), 'memory')}", ""
    for memory in memories:
        text = " ".join(memory.text.split())
        cut = text if len(text) <= _MAX_SHOWN else f"{text[: _MAX_SHOWN - 1].rstrip()}…"
        if len(texts) + len(cut) > _MAX_LINE:
            break
        texts += f" · {cut}"
    return line + texts


def _instant(at: str | None, now: datetime) -> datetime | None:
    if at is None:
        return None
    try:
        said_at = datetime.fromisoformat(at)
        if said_at.tzinfo is None or said_at > now + _MAX_AHEAD:
            raise ValueError
    except (ValueError, OverflowError):
        raise BadRequestError(
            "at is no time of the past with an offset, such as 2026-05-03T08:00:00Z", param="at"
        ) from None
    return min(said_at, now)
