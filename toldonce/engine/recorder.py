"""Record messages: log them, and request the formations they make due. Writes through the store."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime, tzinfo
from functools import partial
from numbers import Real
from typing import Any

from toldonce.chat.formats.base import ChatRequest
from toldonce.chat.formats.openai_chat import OPENAI_CHAT, body_of
from toldonce.chat.messages import log_messages
from toldonce.concurrency import run_in_thread_if_large
from toldonce.curation.new_notes import ManualNote
from toldonce.engine.components import Components
from toldonce.engine.scope import requested_zone
from toldonce.engine.turn import TurnService, charges
from toldonce.errors import BadRequestError
from toldonce.extraction.own_text.chat_bridges import named_by_bridge
from toldonce.profiles.policies import Profile
from toldonce.reading.sentences import HARD_FACTOR
from toldonce.text import clean, squeeze
from toldonce.time_zones import in_own_zone
from toldonce.types import Message, NewNote, RecordedTurn, RequestScope, Subject, Turn

# Maximum length of a note added by hand, in characters: a note is a sentence or two, not a document.
MAX_NOTE_CHARACTERS = 10_000


class RecorderService:
    """Logs messages of conversations."""

    def __init__(self, components: Components, turns: TurnService) -> None:
        self._clock = components.clock
        self._turns = turns

    async def record(
        self,
        messages: Sequence[Mapping[str, Any]],
        subject: Subject,
        *,
        conversation: str | None,
        said_at: datetime | Sequence[datetime] | None,
        scope: RequestScope,
    ) -> RecordedTurn:
        """Log messages; durable when it returns. Memories are formed in the background.

        Raises:
            BadRequestError: the messages are malformed, or `said_at` has no time zone or another length.
        """
        zone = requested_zone(scope) or UTC
        dates = message_dates(messages, self._clock.now() if said_at is None else said_at, zone)
        body = body_of(messages)
        read = partial(OPENAI_CHAT.read, body, max_messages=max(1, len(messages)))
        request = await run_in_thread_if_large(len(body), read)
        log = await run_in_thread_if_large(len(body), partial(dated_log, request, dates))
        if not log:
            raise BadRequestError("there is nothing to log: system messages alone", param="messages")
        memory_scope = await self._turns.memory_scope(subject, scope, conversation)
        reply = log[-1] if log[-1].role == "assistant" else None
        return await self._turns.record(
            Turn(
                subject=subject,
                external_id=conversation,
                append=conversation is not None,
                messages=log[:-1] if reply else log,
                reply=reply,
                said_at=max(message.said_at for message in log),
                formations=self._turns.formations(memory_scope),
                charges=charges(memory_scope),
                opening=memory_scope.opening,
                only_app=scope.only_app,
            )
        )


def message_dates(
    messages: Sequence[Mapping[str, Any]], said_at: datetime | Sequence[datetime], zone: tzinfo = UTC
) -> tuple[datetime, ...]:
    """Return a date for each message, in its own time zone, else in `zone`.

    Raises:
        BadRequestError: a date has no time zone, or their number is not that of the messages.
    """
    dates = (said_at,) * len(messages) if isinstance(said_at, datetime) else tuple(said_at)
    if len(dates) != len(messages):
        raise BadRequestError(f"said_at has {len(dates)} dates for {len(messages)} messages", param="said_at")
    naive = next((date for date in dates if date.tzinfo is None), None)
    if naive is not None:
        raise BadRequestError(f"said_at is {naive.isoformat()} without a time zone", param="said_at")
    try:
        return tuple(in_own_zone(date, zone) for date in dates)
    except OverflowError as error:
        raise BadRequestError(f"said_at is out of range: {dates[0].isoformat()}", param="said_at") from error


def dated_log(request: ChatRequest, dates: Sequence[datetime]) -> tuple[Message, ...]:
    """Return a request's messages for the log; `dates` has one for each message, system messages included."""
    kept = [date for message, date in zip(request.messages, dates, strict=True) if not message.is_system]
    log = named_by_bridge(log_messages(request, said_at=max(dates)))
    return tuple(replace(message, said_at=date) for message, date in zip(log, kept, strict=True))


def manual_note(note: NewNote, profile: Profile) -> ManualNote:
    """Check a note and return it as a profile stores it.

    Raises:
        BadRequestError: the text is empty or too long, the importance out of range, or one has a wrong type.
    """
    if not isinstance(note.text, str):
        raise BadRequestError(f"the text is {type(note.text).__name__}, not a string", param="text")
    if not isinstance(note.type, str):
        raise BadRequestError(f"the type is {type(note.type).__name__}, not a string", param="type")
    importance: object = note.importance
    if not isinstance(importance, Real):
        raise BadRequestError(f"importance is {type(importance).__name__}, not a number", param="importance")
    text = squeeze(clean(note.text))
    if not text:
        raise BadRequestError("there is nothing to remember: the text is empty", param="text")
    if len(text) > MAX_NOTE_CHARACTERS:
        raise BadRequestError(
            f"the text has {len(text)} characters, a note at most {MAX_NOTE_CHARACTERS}", param="text"
        )
    if not 0 <= note.importance <= 1:
        raise BadRequestError(f"importance is {note.importance}, it goes from 0 to 1", param="importance")
    longest = HARD_FACTOR * profile.capacity.max_characters
    if longest and len(text) > longest:
        raise BadRequestError(
            f"the text has {len(text)} characters, a memory of profile {profile.name} at most {longest}", param="text"
        )
    return ManualNote(text, note.importance, note.type, profile.name)
