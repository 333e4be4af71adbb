"""Replay of recorded conversations through the engine. Reads a file, writes through the engine."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta, tzinfo
from pathlib import Path

from toldonce.chat.formats.openai_chat import request_of
from toldonce.cli.backlog import count_new, form_backlog
from toldonce.datasets.locomo import LocomoSample, locomo_samples, locomo_sessions, user_names
from toldonce.datasets.recordings import (
    HEAD_BYTES,
    BadRecord,
    BadRecordError,
    Format,
    Recording,
    detect,
    openai_lines,
)
from toldonce.engine import AsyncToldOnce, gather_or_cancel
from toldonce.errors import BadRequestError, RequestError
from toldonce.types import Conversation, ConversationId, ProgressReporter, Subject

# Conversations recorded concurrently: the store commits concurrent writes together.
MAX_CONCURRENT_CONVERSATIONS = 32
# Rows read per call.
_PAGE = 1000


@dataclass(frozen=True, slots=True, kw_only=True)
class ReplayPlan:
    """Recordings to replay."""

    recordings: tuple[Recording, ...]
    bad: tuple[BadRecord, ...]

    @property
    def messages(self) -> int:
        """Total number of messages."""
        return sum(len(recording.messages) for recording in self.recordings)


@dataclass(slots=True)
class ReplayOutcome:
    """Result of a replay."""

    conversations: int = 0
    messages: int = 0
    known: int = 0
    """Conversations that already existed completely."""
    formations: int = 0
    waiting: int = 0
    """Formations still due after a model failed; they will be retried."""
    parked: int = 0
    bad: list[BadRecord] = field(default_factory=list)
    memories: Counter[str] = field(default_factory=Counter)
    """New memories by kind."""


def read_plan(path: Path, form: Format, *, as_speaker: str | None, limit: int | None, zone: tzinfo) -> ReplayPlan:
    """Read the file.

    Args:
        path: The file.
        form: Its format.
        as_speaker: LoCoMo only: the speaker to treat as the user; None: each in turn.
        limit: Maximum number of lines (OpenAI) or samples (LoCoMo); None: all.
        zone: Time zone of dates without one.

    Raises:
        BadRequestError: The file is missing or unreadable, or has no speaker `as_speaker`.
    """
    try:
        with path.open("rb") as file:
            first = file.readline()
            form = detect(first + file.read(HEAD_BYTES)) if form is Format.AUTO else form
            file.seek(0)
            if form is Format.LOCOMO:
                return _plan_locomo(locomo_samples(file.read())[:limit], as_speaker=as_speaker, zone=zone)
            if as_speaker is not None:
                raise BadRequestError("--as is only for LoCoMo files: OpenAI messages have roles")
            return _plan(_first(openai_lines(file, zone), limit))
    except BadRecordError as error:
        raise BadRequestError(f"{path}: {error}") from None
    except OSError as error:
        raise BadRequestError(f"{path}: {error.strerror or error}") from None


def _first(items: Iterable[Recording | BadRecord], limit: int | None) -> Iterator[Recording | BadRecord]:
    for count, item in enumerate(items):
        if limit is not None and count >= limit:
            return
        yield item


def _plan(items: Iterable[Recording | BadRecord]) -> ReplayPlan:
    recordings: list[Recording] = []
    bad: list[BadRecord] = []
    for item in items:
        if isinstance(item, Recording):
            recordings.append(item)
        else:
            bad.append(item)
    if not recordings and not bad:
        raise BadRecordError("it contains no conversations")
    return ReplayPlan(recordings=tuple(recordings), bad=tuple(bad))


def _plan_locomo(found: Sequence[LocomoSample | BadRecord], *, as_speaker: str | None, zone: tzinfo) -> ReplayPlan:
    samples = [item for item in found if isinstance(item, LocomoSample)]
    items: list[Recording | BadRecord] = [item for item in found if isinstance(item, BadRecord)]
    names = user_names(samples)
    speakers = sorted({name for sample in samples for name in sample.speakers})
    if as_speaker is not None and as_speaker not in speakers:
        raise BadRequestError(f"no speaker {as_speaker!r}; speakers are {', '.join(speakers)}")
    for sample in samples:
        for speaker in sample.speakers:
            if as_speaker in (None, speaker):
                user = names[sample.id, speaker]
                items += locomo_sessions(sample, as_speaker=speaker, user=user, zone=zone)
    return _plan(items)


class Replay:
    """One run of a plan."""

    def __init__(
        self, engine: AsyncToldOnce, plan: ReplayPlan, *, whose: Callable[[Recording], Subject], bar: ProgressReporter
    ) -> None:
        self._engine = engine
        self._plan = plan
        self._whose = whose
        self._bar = bar
        self._seen = 0
        self.outcome = ReplayOutcome(bad=list(plan.bad))

    async def run(self) -> ReplayOutcome:
        """Record missing messages, then process due formations.

        Conversations of one subject are recorded in order, those of different subjects concurrently.
        """
        began = self._engine.clock.now()
        groups: defaultdict[Subject, list[Recording]] = defaultdict(list)
        for recording in self._plan.recordings:
            groups[self._whose(recording)].append(recording)
        self._bar.begin("recording", "messages", self._plan.messages)
        room = asyncio.Semaphore(MAX_CONCURRENT_CONVERSATIONS)
        await gather_or_cancel(self._record_all(subject, recordings, room) for subject, recordings in groups.items())
        formed = await form_backlog(self._engine, self._bar)
        self.outcome.formations, self.outcome.waiting, self.outcome.parked = formed
        for subject in groups:
            self.outcome.memories += await count_new(self._engine, subject, since=began)
        return self.outcome

    async def _record_all(self, subject: Subject, recordings: Sequence[Recording], room: asyncio.Semaphore) -> None:
        known = await self._known(subject)
        seen: set[str] = set()
        first = []
        for recording in recordings:
            if recording.id in seen:
                self._skip(recording)
            else:
                first.append(recording)
            seen.add(recording.id)
        await gather_or_cancel(
            self._record_within(room, subject, recording, known.get(recording.id)) for recording in first
        )

    async def _record_within(
        self, room: asyncio.Semaphore, subject: Subject, recording: Recording, known: Conversation | None
    ) -> None:
        async with room:  # admits in order of arrival
            await self._record(subject, recording, known)

    async def _known(self, subject: Subject) -> dict[str, Conversation]:
        """Read the subject's conversations by external id."""
        found: dict[ConversationId, Conversation] = {}
        before: datetime | None = None
        while True:
            page = await self._engine.conversations.list(user=subject, limit=_PAGE, before=before)
            new = [conversation for conversation in page if conversation.id not in found]
            found.update((conversation.id, conversation) for conversation in new)
            if len(page) < _PAGE or not new:
                return {
                    conversation.external_id: conversation
                    for conversation in found.values()
                    if conversation.external_id is not None
                }
            before = page[-1].updated_at + timedelta(microseconds=1)

    async def _record(self, subject: Subject, recording: Recording, known: Conversation | None) -> None:
        try:
            start = 0 if known is None else await self._agrees(subject, recording, known)
            if start == len(recording.messages):
                self._skip(recording)
                return
            now = self._engine.clock.now()
            recorded = await self._engine.record(
                recording.messages[start:],
                user=subject,
                conversation=recording.id,
                said_at=[date or now for date in recording.dates[start:]],
            )
        except RequestError as error:
            self.outcome.bad.append(BadRecord(where=recording.where, reason=str(error)))
        else:
            self.outcome.conversations += 1
            self.outcome.messages += len(recorded.appended)
        self._advance(recording)

    async def _agrees(self, subject: Subject, recording: Recording, known: Conversation) -> int:
        """Return how many messages of the recording are already stored.

        Raises:
            BadRequestError: The stored messages are not the beginning of the recording.
        """
        there = [
            (message.role, message.text)
            for after in range(0, known.last_seq, _PAGE)
            for message in await self._engine.conversations.messages(
                known.id, user=subject, after_seq=after, limit=_PAGE
            )
        ]
        said = request_of(recording.messages).messages
        logged = [place for place, message in enumerate(said) if not message.is_system]
        here = [(said[place].role, said[place].text) for place in logged]
        if there != here[: len(there)]:
            raise BadRequestError(f"a conversation {recording.id!r} with other messages already exists")
        return len(recording.messages) if len(there) == len(here) else logged[len(there)]

    def _skip(self, recording: Recording) -> None:
        self.outcome.known += 1
        self._advance(recording)

    def _advance(self, recording: Recording) -> None:
        self._seen += len(recording.messages)
        self._bar.reach(self._seen)
