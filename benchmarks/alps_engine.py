"""Forms memories of AlpsBench's chats with the engine: without a model, or with one that repeats what was recorded.

Each chat is one conversation of a user of its own, in a database in memory; it is recorded whole, then formed.
"""

import json
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from hashlib import sha256
from typing import Any

from benchmarks.alps_chats import AlpsChat, AlpsItem
from benchmarks.alps_evidence import FoundEvidence
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import open_components
from toldonce.evaluation.extraction_modes import emptiest, item
from toldonce.evaluation.instrumentation import ConversationClock
from toldonce.extraction.llm import SCHEMA_NAME
from toldonce.extraction.own_text.marked_text import without_marks
from toldonce.extraction.own_text.quotes import OTHERS_CLOSE, OTHERS_OPEN
from toldonce.lazy_pattern import LazyPattern
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.model_factory import OpenedModel
from toldonce.providers.protocols import ModelAnswer
from toldonce.settings import Settings
from toldonce.text import bare
from toldonce.types import Decision, Memory

PROFILE = "default"
# The data set dates nothing. Each message has a day of its own: a question names the days, so that the stand-in model
# knows which messages it is shown, whatever is left of their words.
_FIRST_DAY, _STEP = datetime(2026, 1, 1, 12, tzinfo=UTC), timedelta(days=1)
# A message in the question: its number, its day where the one before has another, the speaker, the words.
_SHOWN = LazyPattern(r'\[(\d+)\] (?:\w+ (\d+ \w+ \d+), )?"(?:[^"\\]|\\.)*"(?:, invented)?: (".*")')
_MAX_LISTED = 10_000
# Types of our schema by the beginning of the data set's labels; any other is a fact.
_TYPES = {
    "Preferences/Interaction_Preferences": "instruction",
    "Constraints_and_Boundaries": "instruction",
    "Preferences": "preference",
    "Thoughts/Goals": "plan",
    "Plans": "plan",
    "Social_Relationships": "relation",
    "States_Experiences": "event",
}


@dataclass(frozen=True, slots=True, kw_only=True)
class FormedChat:
    """What the engine made of a chat."""

    memories: Sequence[Memory]
    """Notes, facts and kept quotations, closed ones as well, held ones not."""
    decisions: Sequence[Decision]
    """Oldest first."""
    sources: Sequence[frozenset[int]]
    """For each memory the places of the messages it rests on."""


class RecordedModel:
    """A language model that answers the extractor with the recorded items that the shown messages are evidence for."""

    name = "recorded"

    def __init__(self) -> None:
        """Create a model that knows nothing; see `learn`."""
        self._items: Sequence[tuple[AlpsItem, FoundEvidence]] = ()

    def learn(self, items: Sequence[tuple[AlpsItem, FoundEvidence]]) -> None:
        """Take the items of the next chat: each is answered where the last message of its evidence is shown."""
        self._items = items

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Answer the extractor with items, and any other question with an empty value of its schema."""
        data = {"memories": self._memories(user)} if schema_name == SCHEMA_NAME else emptiest(schema)
        return ModelAnswer(data=data, usage=None, calls=1)

    async def close(self) -> None:
        """Do nothing."""

    def _memories(self, question: str) -> list[dict[str, Any]]:
        lines = [*filter(None, map(_SHOWN.fullmatch, question.partition("\nMessages:\n")[2].splitlines()))]
        numbers = {_place_of(found[2]): int(found[1]) for found in lines}
        shown: dict[int, str] = {}
        for found in lines:
            words = bare(without_marks(json.loads(found[3])).replace(OTHERS_OPEN, "").replace(OTHERS_CLOSE, ""))
            shown[_place_of(found[2])] = f"{shown.get(_place_of(found[2]), '')}\n{words}"
        return [
            item(known.text, numbers[found.place], "") | {"quote": found.quoted(shown), "type": type_of(known.label)}
            for known, found in self._items
            if found.place in shown
        ]


def type_of(label: str) -> str:
    """Return the type that an extractor would give to an item of a label.

    >>> type_of("Preferences/Food"), type_of("Personal_Background/Age")
    ('preference', 'fact')
    """
    return next((type_ for beginning, type_ in _TYPES.items() if label.startswith(beginning)), "fact")


class EngineRun:
    """An engine that forms chats, one after the other."""

    def __init__(self, engine: AsyncToldOnce, clock: ConversationClock) -> None:
        """Take an engine over a new database, and its clock."""
        self._engine = engine
        self._clock = clock

    async def form(self, chat: AlpsChat) -> FormedChat:
        """Record a chat as a user's conversation and form it.

        Raises:
            RuntimeError: a formation failed, so that its memories are missing.
        """
        user = sha256(chat.id.encode()).hexdigest()[:16]
        self._clock.reach(_said_at(len(chat.messages)))
        recorded = await self._engine.record(
            [{"role": message.role, "content": message.text} for message in chat.messages],
            user=user,
            conversation=chat.id,
            said_at=[_said_at(place) for place in range(len(chat.messages))],
        )
        await self._engine.form()
        if await self._engine.admin.formations(parked=True):
            raise RuntimeError(f"{chat.id}: a formation failed and was parked")
        places = dict(zip(recorded.appended, range(len(chat.messages)), strict=True))
        memories = await self._engine.list(user=user, closed=True, limit=_MAX_LISTED)
        return FormedChat(
            memories=memories,
            decisions=await self._engine.history.decisions(user=user, limit=_MAX_LISTED),
            sources=[frozenset(places[source.seq] for source in memory.evidence) for memory in memories],
        )


@asynccontextmanager
async def engine_run(model: OpenedModel | None = None) -> AsyncIterator[EngineRun]:
    """Open an engine over a database in memory.

    Args:
        model: Asked by the extractor. Then messages are not quoted: a model's notes rest on none of the quotations, and
            a chat is formed in less time. None: nothing is asked, and what is kept are quotations.
    """
    clock = ConversationClock(_FIRST_DAY)
    settings = Settings.load(database_url="sqlite:///:memory:", profile=PROFILE, worker="off")
    parts = await open_components(settings, clock)
    profiles = parts.profiles if model is None else _ProfilesWithoutTurns()
    async with AsyncToldOnce(replace(parts, model=model, profiles=profiles)) as engine:
        yield EngineRun(engine, clock)


class _ProfilesWithoutTurns(ProfileRegistry):
    """The shipped profiles; the default one quotes no messages."""

    def __init__(self) -> None:
        super().__init__()
        default = self.get(PROFILE)
        form = default.form.model_copy(update={"turns": False})
        self._profiles[PROFILE] = default.model_copy(update={"form": form})


def _said_at(place: int) -> datetime:
    return _FIRST_DAY + place * _STEP


def _place_of(day: str) -> int:
    return (datetime.strptime(day, "%d %B %Y").replace(tzinfo=UTC).date() - _FIRST_DAY.date()).days
