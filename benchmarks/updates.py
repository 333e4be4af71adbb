"""Whether a prompt shows the newest value: what a user said, changed later in plain words, among many other messages.

    python -m benchmarks.updates [--held-out] [--messages N] [--tokens N,N] [--misses]

The updates are our own (`corpora/updates.toml`; `--held-out`: those that nothing was tuned with). Each language has a
memory of its own, in which the updates are said among our labelled messages of that language, months apart. Every
question asks for a value that was changed. Nothing is kept: the databases are temporary.
"""

import argparse
import asyncio
import random
import tempfile
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path

from pydantic import BaseModel, ConfigDict

from benchmarks.progress import steps
from toldonce.engine import AsyncToldOnce
from toldonce.engine.components import Components, open_components
from toldonce.engine.context_builder import PromptContext
from toldonce.evaluation.instrumentation import ConversationClock
from toldonce.settings import Settings
from toldonce.types import ConversationId, Subject
from tools.corpus import LabelledMessage, read_corpus

_CORPORA = Path(__file__).parents[1] / "corpora"
_START = datetime(2026, 1, 5, 9, tzinfo=UTC)
_STEP = timedelta(hours=7)
# Least number of messages of a memory, and of messages between what was said and what changes it, as a share of all.
_MIN_MESSAGES, _MIN_APART = 100, 0.15
_SEED = 1
# Labels of sentences that may become standing facts, or end some: wishes, preferences, requests to forget.
_STANDING = frozenset("WPF")

Place = tuple[ConversationId, int]


class Update(BaseModel):
    """What a user said, what changes it, and how they ask for it afterwards."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    language: str
    old: str
    new: str
    questions: tuple[str, ...]
    old_words: tuple[str, ...]
    new_words: tuple[str, ...]


@dataclass(slots=True)
class Counts:
    """What prompts showed."""

    asked: int = 0
    new: int = 0
    old: int = 0
    old_alone: int = 0
    newer_first: int = 0
    """Prompts with both, the newer one first."""
    tokens: int = 0
    misses: list[str] = field(default_factory=list)

    def add(self, question: str, shown: Sequence[str], tokens: int) -> None:
        """Count a prompt, by which of "old" and "new" it shows, in its order."""
        self.asked += 1
        self.tokens += tokens
        self.new += "new" in shown
        self.old += "old" in shown
        self.old_alone += "old" in shown and "new" not in shown
        self.newer_first += shown == ["new", "old"]
        if "new" not in shown or shown == ["old", "new"]:
            self.misses.append(f"{' before '.join(shown) or 'neither'}: {question}")

    def join(self, other: "Counts") -> None:
        """Add another's counts."""
        for name in ("asked", "new", "old", "old_alone", "newer_first", "tokens"):
            setattr(self, name, getattr(self, name) + getattr(other, name))
        self.misses += other.misses

    def row(self, name: str) -> str:
        """Return a line of the table: shares of the questions, and of the prompts with both."""
        both = self.old - self.old_alone
        shares = [
            (self.new, self.asked),
            (self.old, self.asked),
            (self.old_alone, self.asked),
            (self.newer_first, both),
        ]
        cells = "  ".join(f"{100 * part / whole:8.1f}" if whole else f"{'–':>8}" for part, whole in shares)
        return f"{name:16}  {self.asked:5}  {cells}  {self.tokens / max(1, self.asked):6.0f}"


def _share(part: int, whole: int) -> str:
    return f"{100 * part / whole:8.1f}" if whole else f"{'–':>8}"


class Memory:
    """A user's memory of one language's messages and updates."""

    def __init__(self, parts: Components, clock: ConversationClock, language: str) -> None:
        """Create an empty one."""
        self._parts = parts
        self._clock = clock
        self._language = language
        self._user = Subject("user", language)
        self._engine = AsyncToldOnce(parts)
        self._places: dict[Place, str] = {}

    async def tell(self, said: Sequence[tuple[str, str]]) -> None:
        """Record messages, each with a name that may be empty, and form memories after each."""
        for number, (name, text) in enumerate(steps(f"told in {self._language}", said)):
            self._clock.reach(_START + number * _STEP)
            recorded = await self._engine.record(
                [{"role": "user", "content": text}],
                user=self._user,
                conversation=f"{self._language}-{number}",
                said_at=[self._clock.now()],
            )
            await self._engine.form()
            self._places.update(dict.fromkeys(((recorded.conversation, seq) for seq in recorded.appended), name))

    async def ask(self, updates: Sequence[Update], tokens: int) -> Counts:
        """Ask for every update by a prompt of at most so many tokens of memory."""
        settings = self._parts.settings.model_copy(update={"recall_tokens": tokens})
        engine = AsyncToldOnce(replace(self._parts, settings=settings))
        counts = Counts()
        for number, update in enumerate(updates):
            for question in update.questions:
                context = await engine.context(question, user=self._user, use=False)
                counts.add(question, self._shown(context, number), context.tokens)
        return counts

    def _shown(self, context: PromptContext, number: int) -> list[str]:
        """Return which messages of an update a prompt shows, in its order."""
        found = (
            self._places.get((source.conversation, source.seq), "")
            for item in context.items
            for source in item.memory.evidence
        )
        names = {f"old {number}": "old", f"new {number}": "new"}
        return list(dict.fromkeys(names[name] for name in found if name in names))


def lay_out(updates: Sequence[Update], messages: Sequence[str]) -> list[tuple[str, str]]:
    """Return all that is said in its order: each update's new message long after its old one, among the others."""
    chance = random.Random(_SEED)
    spots: list[tuple[float, str, str]] = [(chance.random(), "", text) for text in messages]
    for number, update in enumerate(updates):
        first = chance.uniform(0, 1 - 2 * _MIN_APART)
        spots.append((first, f"old {number}", update.old))
        spots.append((chance.uniform(first + _MIN_APART, 1), f"new {number}", update.new))
    return [(name, text) for _, name, text in sorted(spots)]


def read_updates(*, held_out: bool) -> list[Update]:
    """Read the updates of all languages."""
    folder = _CORPORA / "held_out" if held_out else _CORPORA
    return [
        Update.model_validate(each) for each in tomllib.loads((folder / "updates.toml").read_text("utf-8"))["update"]
    ]


def other_messages(language: str, count: int, *, held_out: bool) -> list[str]:
    """Return so many of our own messages of a language that state no standing fact, in a random order.

    They are of many writers, whose facts together would fill every prompt.
    """
    folder = _CORPORA / ("held_out" if held_out else "messages")
    texts = sorted({message.text for message in read_corpus(folder / f"{language}.txt") if not _stands(message)})
    random.Random(_SEED).shuffle(texts)
    return texts[:count]


def _stands(message: LabelledMessage) -> bool:
    return any(each.sets or each.ends or each.labels & _STANDING for each in message.sentences)


def by_language(updates: Sequence[Update]) -> Iterator[tuple[str, list[Update]]]:
    """Group updates by language, in the order of the file."""
    for language in dict.fromkeys(update.language for update in updates):
        yield language, [update for update in updates if update.language == language]


async def main(arguments: Sequence[str] | None = None) -> None:
    """Print the table, and with `--misses` each question whose prompt lacks the newer message or has it second."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.updates", description=__doc__)
    parser.add_argument("--held-out", action="store_true", help="ask for the updates that nothing was tuned with")
    parser.add_argument("--messages", type=int, default=640, help="messages beside the updates of the largest memory")
    parser.add_argument("--tokens", default="800", help="sizes of prompts, in tokens")
    parser.add_argument("--misses", action="store_true", help="list the questions that go wrong")
    asked = parser.parse_args(arguments)
    sizes = [int(size) for size in asked.tokens.split(",")]
    groups = dict(by_language(read_updates(held_out=asked.held_out)))
    largest = max(map(len, groups.values()))
    found: dict[int, dict[str, Counts]] = {size: {} for size in sizes}
    for language, updates in groups.items():
        clock = ConversationClock(_START)
        count = max(_MIN_MESSAGES, asked.messages * len(updates) // largest)
        with tempfile.TemporaryDirectory(prefix="toldonce-updates-") as folder:
            settings = Settings().model_copy(update={"database_url": f"sqlite:///{Path(folder) / 'memory.sqlite3'}"})
            parts = await open_components(settings, clock)
            try:
                memory = Memory(parts, clock, language)
                await memory.tell(lay_out(updates, other_messages(language, count, held_out=asked.held_out)))
                for size in sizes:
                    found[size][language] = await memory.ask(updates, size)
            finally:
                await parts.store.close()
                await parts.embedder.close()
    print("prompt, language  asked       new       old  old alone  newer first  tokens")
    for size, counts in found.items():
        whole = Counts()
        for language, each in counts.items():
            print(each.row(f"{size} {language}"))
            whole.join(each)
        print(whole.row(f"{size} all"))
        for miss in whole.misses if asked.misses else ():
            print(f"    {miss}")


if __name__ == "__main__":
    asyncio.run(main())
