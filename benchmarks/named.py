"""Whether a request that names a known person recalls what was said of them, and an unrelated one recalls nothing.

`python -m benchmarks.named` measures prompts over made-up memories of several sizes in four languages; `--test` asks
for the entities that nothing was fitted on. No store: memories are laid out as recall reads them, with the embedder
that the settings name. Reads its own file.
"""

import argparse
import asyncio
import random
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from datetime import timedelta
from importlib.resources import files
from itertools import product
from zoneinfo import ZoneInfo

from pydantic import BaseModel, ConfigDict

from toldonce.clock import Clock
from toldonce.engine.context_builder import memory_limit
from toldonce.ids import new_id
from toldonce.profiles.policies import RecallPolicy
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.model_factory import open_embedder
from toldonce.providers.protocols import Embedder
from toldonce.providers.token_counter import token_counter
from toldonce.recall.as_of import SnapshotItem, build_snapshot
from toldonce.recall.finalize import finalize
from toldonce.recall.query import RecallRequest, make_query
from toldonce.recall.recall import rank_subjects
from toldonce.settings import Settings
from toldonce.testing import FakeClock
from toldonce.text import terms
from toldonce.types import ConversationId, Evidence, Memory, MemoryId, MemoryKind, Subject, SubjectSnapshot

SIZES = (5, 20, 40, 400, 4_000)
ABOUT_THE_USER = {
    "en": ("What do you know about me?", "Tell me everything you remember about me."),
    "de": ("Was weißt du über mich?",),
    "es": ("¿Qué sabes de mí?",),
    "zh": ("你知道我什么？",),
}
_SUBJECT = Subject("user", "ana")
_SALT = b"named"
_CONVERSATION = ConversationId("0198c0de-0000-7000-8000-00000000000a")


class Requests(BaseModel):
    """How entities are asked for."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    person: tuple[str, ...]
    thing: tuple[str, ...]


class Entities(BaseModel):
    """Names, each with what was said of it."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    persons: tuple[tuple[str, str], ...]
    things: tuple[tuple[str, str], ...]


class Unrelated(BaseModel):
    """Requests that have to do with nothing known."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    dev: tuple[str, ...]
    test: tuple[str, ...]


class Language(BaseModel):
    """What users say and ask in a language."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    statements: tuple[str, ...]
    values: dict[str, tuple[str, ...]]
    ask: Requests
    dev: Entities
    test: Entities
    unrelated: Unrelated

    def fillers(self, count: int, seed: int) -> list[str]:
        """Return so many ordinary statements, none twice as long as there are enough."""
        made = sorted({text for statement in self.statements for text in self._filled(statement)})
        random.Random(seed).shuffle(made)
        return [made[number % len(made)] for number in range(count)]

    def _filled(self, statement: str) -> Iterator[str]:
        names = [name for name in self.values if f"{{{name}}}" in statement]
        for chosen in product(*(self.values[name] for name in names)):
            yield statement.format(**dict(zip(names, chosen, strict=True)))


@dataclass(frozen=True, slots=True)
class Known:
    """A user's memories, as recall reads them."""

    snapshot: SubjectSnapshot
    memories: dict[MemoryId, Memory]


@dataclass(slots=True)
class Counts:
    """How many of the requests recalled what they should."""

    asked: int = 0
    recalled: int = 0
    misses: list[str] | None = None

    def add(self, recalled: bool, text: str, *, wanted: bool) -> None:
        """Count a request."""
        self.asked += 1
        self.recalled += recalled
        if recalled is not wanted:
            self.misses = [*(self.misses or []), text]

    @property
    def share(self) -> float:
        """Per cent that recalled something."""
        return 100 * self.recalled / max(1, self.asked)


class Measurement:
    """Asks for memories as a chat does."""

    def __init__(self, embedder: Embedder, clock: Clock, policy: RecallPolicy, kind: MemoryKind) -> None:
        """Measure with an embedder, the recall policy of a profile, and memories of one kind."""
        self._embedder = embedder
        self._clock = clock
        self._policy = policy
        self._kind = kind
        self._count = token_counter().count

    async def known(self, texts: Sequence[str]) -> Known:
        """Lay out what a user said, one message a minute."""
        vectors = await self._embedder.embed(texts)
        items = [
            SnapshotItem(memory=self._memory(text, number), vectors=[vector], terms=terms(text))
            for number, (text, vector) in enumerate(zip(texts, vectors, strict=True), start=1)
        ]
        snapshot = build_snapshot(_SUBJECT, items, salt=_SALT, dim=self._embedder.dim)
        return Known(snapshot, {item.memory.id: item.memory for item in items})

    def _memory(self, text: str, number: int) -> Memory:
        said_at = self._clock.now() - timedelta(days=30) + timedelta(minutes=number)
        source = Evidence(
            conversation=_CONVERSATION,
            seq=number,
            hash=number,
            role="user",
            speaker="user",
            quote="",
            said_at=said_at,
        )
        return Memory(
            id=MemoryId(new_id(self._clock)),
            subject=_SUBJECT,
            kind=self._kind,
            text=text,
            speaker="user",
            valid_from=said_at,
            known_from=said_at,
            evidence=(source,),
        )

    async def recalled(self, known: Known, text: str) -> list[str]:
        """Return what a prompt with this message shows."""
        [vector] = await self._embedder.embed_queries([text])
        request = RecallRequest(
            text=text,
            subject=_SUBJECT,
            policy=self._policy,
            limit=memory_limit(self._policy, Settings()),
            for_prompt=True,
            budget_tokens=self._policy.tokens,
        )
        query = make_query(
            request, vector=vector if vector.any() else None, now=self._clock.now(), zone=ZoneInfo("UTC")
        )
        ranking = rank_subjects(query, [known.snapshot], self._embedder.relevance)
        return [item.memory.text for item in finalize(ranking, known.memories, count_tokens=self._count).items]


async def measure(measurement: Measurement, code: str, language: Language, size: int, *, test: bool) -> list[Counts]:
    """Count over one user: requests that name a known person, as written and typed small, unrelated ones, and ones
    about the user.
    """
    named, small, unrelated, general = Counts(), Counts(), Counts(), Counts()
    entities = language.test if test else language.dev
    told = [*entities.persons, *entities.things]
    # No more of them than half of a small memory, a part at a time.
    portion = max(1, min(len(told), size // 2))
    for start in range(0, len(told), portion):
        some = told[start : start + portion]
        statements = [*language.fillers(size - len(some), seed=size + start), *(said for _, said in some)]
        random.Random(size + start).shuffle(statements)
        known = await measurement.known(statements)
        for name, said in some:
            asked = language.ask.person if (name, said) in entities.persons else language.ask.thing
            for request in asked:
                text = request.format(name=name)
                named.add(said in await measurement.recalled(known, text), text, wanted=True)
                small.add(said in await measurement.recalled(known, text.lower()), text.lower(), wanted=True)
        for text in language.unrelated.test if test else language.unrelated.dev:
            for written in {text, text.lower()}:
                unrelated.add(bool(await measurement.recalled(known, written)), written, wanted=False)
        for text in ABOUT_THE_USER[code]:
            general.add(bool(await measurement.recalled(known, text)), text, wanted=True)
    return [named, small, unrelated, general]


def languages() -> dict[str, Language]:
    """Read the memories and requests."""
    read = tomllib.loads(files(__package__).joinpath("named.toml").read_text("utf-8"))
    return {code: Language.model_validate(found) for code, found in read.items()}


async def main(arguments: Sequence[str] | None = None) -> None:
    """Print the figures of each language and size, in per cent of the requests."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.named", description=__doc__)
    parser.add_argument("--test", action="store_true", help="ask for the entities that nothing was fitted on")
    parser.add_argument("--kind", choices=("turn", "note"), default="turn", help="kind of the memories")
    parser.add_argument("--misses", action="store_true", help="list the requests that recalled what they should not")
    parser.add_argument("--sizes", type=int, nargs="+", default=SIZES, help="numbers of memories")
    asked = parser.parse_args(arguments)
    embedder = open_embedder(Settings())
    policy = ProfileRegistry().get("default").recall
    measurement = Measurement(embedder, FakeClock(), policy, MemoryKind(asked.kind))
    print("language  memories  named  named small  unrelated  about the user")
    for code, language in languages().items():
        for size in asked.sizes:
            counts = await measure(measurement, code, language, size, test=asked.test)
            named, small, unrelated, general = (count.share for count in counts)
            print(f"{code:8}  {size:8}  {named:5.1f}  {small:11.1f}  {unrelated:9.1f}  {general:14.1f}")
            for text in [text for count in counts for text in count.misses or ()] if asked.misses else ():
                print(f"    {text}")
    await embedder.close()


if __name__ == "__main__":
    asyncio.run(main())
