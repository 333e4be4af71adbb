"""Form each everyday message by itself through the engine, without a model, and count what is remembered.

A message that states something is found if the quote of one of its notes or facts contains at least half of the stated
letters, or if its own quotation is kept. A message that states nothing is false if it leaves any of these.
"""

import asyncio
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime

from benchmarks.everyday.messages import LANGUAGES, EverydayMessage, read_messages
from benchmarks.rows import Row
from toldonce.engine import AsyncToldOnce
from toldonce.settings import Settings
from toldonce.types import Memory, MemoryKind

# Share of the stated letters that a quote contains where the statement counts as found.
COVERED_THRESHOLD = 0.5
# Messages of a language that are read when only asked whether it runs.
MAX_QUICK = 6
_SAID_AT = datetime(2026, 3, 10, 12, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class Outcome:
    """What one message left."""

    message: EverydayMessage
    memories: Sequence[Memory]

    @property
    def is_found(self) -> bool:
        """Whether what the message states is remembered."""
        quotes = (source.quote or memory.text for memory in self.memories for source in memory.evidence)
        return any(self.message.covered(quote) >= COVERED_THRESHOLD for quote in quotes)

    @property
    def is_right(self) -> bool:
        """Whether the statement was found, or nothing is remembered where nothing was stated."""
        return self.is_found if self.message.states else not self.memories


async def remember(messages: Sequence[EverydayMessage]) -> list[Outcome]:
    """Record each message as the only one of a user, form them all, and read what is remembered."""
    settings = Settings.load(database_url="sqlite:///:memory:", worker="off")
    async with await AsyncToldOnce.open(settings) as engine:
        for number, message in enumerate(messages):
            said = [{"role": "user", "content": message.text}]
            await engine.record(said, user=f"speaker-{number}", said_at=_SAID_AT)
        await engine.bulk.form()
        return [
            Outcome(message=message, memories=await engine.list(user=f"speaker-{number}"))
            for number, message in enumerate(messages)
        ]


def figures(language: str, outcomes: Sequence[Outcome]) -> list[Row]:
    """Sum up the outcomes of a language."""
    stating = [outcome for outcome in outcomes if outcome.message.states]
    other = [outcome for outcome in outcomes if not outcome.message.states]
    groups: Mapping[str, Sequence[bool]] = {
        "found": [outcome.is_found for outcome in stating],
        "found, open half": [outcome.is_found for outcome in stating if not outcome.message.held_out],
        "found, held out": [outcome.is_found for outcome in stating if outcome.message.held_out],
        "a fact among it": [outcome.is_found and _has_fact(outcome) for outcome in stating],
        "false": [bool(outcome.memories) for outcome in other],
        "false, held out": [bool(outcome.memories) for outcome in other if outcome.message.held_out],
    }
    return [
        Row(name=name, value=100 * sum(hits) / max(len(hits), 1), unit="%", count=len(hits), of=language)
        for name, hits in groups.items()
    ]


def listing(outcomes: Sequence[Outcome], *, held_out: bool) -> str:
    """Write messages with what is remembered of them, for reading; `✗` marks a miss or a false memory."""
    lines: list[str] = []
    for outcome in outcomes:
        if outcome.message.held_out and not held_out:
            continue
        lines.append(f"{' ' if outcome.is_right else '✗'} [{outcome.message.topic}] {outcome.message.text}")
        for memory in outcome.memories:
            slot = f"  ({memory.key} = {memory.value})" if memory.key else ""
            lines.append(f"      {memory.text}{slot}")
    return "\n".join(lines)


def run(
    quick: bool, *, languages: Sequence[str] = tuple(LANGUAGES), show: bool = False, held_out: bool = False
) -> list[Row]:
    """Measure languages; with `show`, print the open half for reading, with `held_out` the other half as well."""
    rows: list[Row] = []
    for language in languages:
        messages = read_messages(language)
        outcomes = asyncio.run(remember(messages[:MAX_QUICK] if quick else messages))
        rows += figures(LANGUAGES[language], outcomes)
        if show:
            print(f"\n{LANGUAGES[language]}\n{listing(outcomes, held_out=held_out)}")
    return rows


def _has_fact(outcome: Outcome) -> bool:
    return any(memory.kind is MemoryKind.FACT for memory in outcome.memories)
