"""Part of the API: keep what is said, and form memories of it. Writes through the store."""

import json
from collections.abc import Mapping, Sequence
from contextlib import suppress
from datetime import datetime
from functools import partial
from typing import Any

from recollect.chat.request import read_request
from recollect.concurrency import run_in_thread_if_large
from recollect.curation.edits import ManualNote, add_note, add_notes
from recollect.engine.base import Wired
from recollect.engine.message_dates import dated_log, said_dates
from recollect.engine.turn import charges
from recollect.errors import BadRequestError, StoreUnavailableError
from recollect.extraction.sentences import HARD_FACTOR
from recollect.profiles.policies import Profile
from recollect.text import clean, squeeze
from recollect.types import NO_SCENE, Memory, NewNote, RecordedTurn, RequestScope, Subject, Turn
from recollect.worker.bulk import BulkWorker
from recollect.worker.loop import WorkerCounters

# Longest text that is kept as one memory by hand, in characters: a note is a sentence or two, not a document.
MAX_NOTE_CHARACTERS = 10_000
# Most notes of one call: they are one transaction, for which other writing waits.
MAX_NOTES = 1_000


class RecorderService(Wired):
    """Keeps and forms."""

    async def add(
        self,
        text: str,
        *,
        user: str | Subject | None = None,
        importance: float = 0.7,
        type: str = "",
        profile: str | None = None,
    ) -> Memory:
        """Keep a sentence as a note, word for word. What is known already is strengthened and returned.

        Args:
            text: What to remember, up to 10,000 characters.
            user: Whose memory.
            importance: 0 to 1.
            type: Its class, such as `preference`; empty for none.
            profile: Whose rules of age and room it is kept by; None is the settings'.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: the text is empty or too long, or the importance out of range.
        """
        of = self.profile(profile or self.settings.profile)
        return await add_note(self._tools, self.subject(user), _wanted(NewNote(text, importance, type), of))

    async def add_all(
        self, notes: Sequence[str | NewNote], *, user: str | Subject | None = None, profile: str | None = None
    ) -> list[Memory]:
        """Keep many sentences as `add` keeps one, in one commit: all of them or none.

        They are embedded in one go, and each meets what is known and those before it: what says the same but for case
        and punctuation is kept once.

        Args:
            notes: Up to 1,000 of them; a text alone has importance 0.7 and no type.
            user: Whose memory.
            profile: Whose rules of age and room they are kept by; None is the settings'.

        Returns:
            A memory for each, in their order; the same one for those that say the same.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: there are too many, or one cannot be kept: the message says which. Nothing was kept.
        """
        if len(notes) > MAX_NOTES:
            raise BadRequestError(f"there are {len(notes):,} notes, one call takes {MAX_NOTES:,}: send them in parts")
        of = self.profile(profile or self.settings.profile)
        wanted = []
        for place, note in enumerate(notes):
            try:
                wanted.append(_wanted(note if isinstance(note, NewNote) else NewNote(note), of))
            except BadRequestError as error:
                why = f"note {place + 1} of {len(notes)}: {error}; none was kept"
                raise BadRequestError(why, param=f"{place}.{error.param}") from None
        return await add_notes(self._tools, self.subject(user), wanted)

    async def record(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        said_at: datetime | Sequence[datetime] | None = None,
        scene: RequestScope = NO_SCENE,
    ) -> RecordedTurn:
        """Log messages (OpenAI's shape: role, content, name) and form memories of them behind the call.

        Durable when it returns. `form` waits for the memories.

        Args:
            messages: New messages, or the whole history with them: known ones are not logged twice.
            user: Whose conversation.
            conversation: Your id of it; None finds it by its messages, or begins one.
            said_at: When they were said (aware): one instant, or one for each message; None is now.
            scene: Under which profile, and for which app or characters; by default the settings' profile.

        Raises:
            BadRequestError: the messages cannot be read, or `said_at` has no time zone or another length.
        """
        dates = said_dates(messages, self.clock.now() if said_at is None else said_at)
        try:
            body = json.dumps({"messages": list(messages)}).encode()
        except (TypeError, ValueError) as error:
            raise BadRequestError(f"messages must be JSON objects: {error}", param="messages") from None
        request = await run_in_thread_if_large(
            len(body), partial(read_request, body, most_messages=max(1, len(messages)))
        )
        log = await run_in_thread_if_large(len(body), partial(dated_log, request, dates))
        if not log:
            raise BadRequestError("there is nothing to log: system messages alone", param="messages")
        subject = self.subject(user)
        scope = await self.turns.scope(subject, scene, conversation)
        reply = log[-1] if log[-1].role == "assistant" else None
        return await self.turns.record(
            Turn(
                subject=subject,
                external_id=conversation,
                append=conversation is not None,
                messages=log[:-1] if reply else log,
                reply=reply,
                said_at=max(message.said_at for message in log),
                formations=self.turns.formations(scope),
                charges=charges(scope),
                opening=scope.opening,
            )
        )

    async def form(self, *, many: bool = False) -> int:
        """Form everything that is due now; returns how many formations it took, those of a running `work` included.

        Args:
            many: Many conversations wait and nobody chats meanwhile: users are worked on side by side, and what they
                ask of the embedder goes to it together. What is formed is the same.
        """
        if many:
            return await BulkWorker(self._tools, self._stages, counters=self._worker.counters).drain()
        return await self._worker.drain()

    async def work(self) -> None:
        """Form memories until `stop_work` is called: the worker."""
        try:
            await self._worker.run()
        finally:
            with suppress(StoreUnavailableError):  # another process goes on when the lease has run out
                await self._tending.close()

    def stop_work(self) -> None:
        """End `work` after what is under way."""
        self._worker.stop()

    @property
    def worker_counters(self) -> WorkerCounters:
        """What the worker did since it started."""
        return self._worker.counters


def _wanted(note: NewNote, of: Profile) -> ManualNote:
    """Make of a note what is kept by the rules of a profile.

    Raises:
        BadRequestError: the text is empty or too long, or the importance out of range.
    """
    text = squeeze(clean(note.text))
    if not text:
        raise BadRequestError("there is nothing to remember: the text is empty", param="text")
    if len(text) > MAX_NOTE_CHARACTERS:
        raise BadRequestError(
            f"the text has {len(text)} characters, a note at most {MAX_NOTE_CHARACTERS}", param="text"
        )
    if not 0 <= note.importance <= 1:
        raise BadRequestError(f"importance is {note.importance}, it goes from 0 to 1", param="importance")
    longest = HARD_FACTOR * of.capacity.max_characters
    if longest and len(text) > longest:
        raise BadRequestError(
            f"the text has {len(text)} characters, a memory of profile {of.name} at most {longest}", param="text"
        )
    return ManualNote(text, note.importance, note.type, of.name)
