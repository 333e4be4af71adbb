"""An engine with a profile of the test's own, and what tests ask of a memory that has little room."""

from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from sample_chats import answer, note, user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.model_factory import OpenedModel
from toldonce.testing import ScriptedModel
from toldonce.types import Action, Decision, Memory, MemoryKind, MemoryState, Subject

OWN = "own"
"""The profile's name; requests that name none have it."""
CLOSING = {Action.EXPIRE, Action.EVICT, Action.FOLD, Action.MERGE, Action.CLOSE, Action.REPLACE, Action.ABANDON}


def with_profile(parts: Components, folder: Path, toml: str, *, model: OpenedModel | None = None) -> AsyncToldOnce:
    """Open another engine over the same store, whose profile is `toml`; the store is the first one's to close."""
    (folder / f"{OWN}.toml").write_text(f'description = "for a test"\n{toml}', "utf-8")
    settings = parts.settings.model_copy(update={"profile": OWN, "profiles": folder})
    return AsyncToldOnce(replace(parts, settings=settings, profiles=ProfileRegistry(folder), model=model))


async def held(engine: AsyncToldOnce, whose: Subject | str) -> list[Memory]:
    """Return the active notes and facts, oldest first."""
    listed = await engine.list(user=whose, kinds=(MemoryKind.NOTE, MemoryKind.FACT), limit=1000)
    return [memory for memory in reversed(listed) if memory.state is MemoryState.ACTIVE]


async def held_texts(engine: AsyncToldOnce, whose: Subject | str) -> list[str]:
    """Return their words."""
    return [memory.text for memory in await held(engine, whose)]


async def decided(engine: AsyncToldOnce, whose: Subject | str, *actions: Action) -> list[Decision]:
    """Return the decisions of some kinds, oldest first."""
    return [line for line in await engine.history.decisions(user=whose, limit=9999) if line.action in actions]


async def unexplained(engine: AsyncToldOnce, whose: Subject | str) -> list[str]:
    """Return the closed memories that no decision speaks of."""
    listed = await engine.list(user=whose, kinds=tuple(MemoryKind), closed=True, limit=9999)
    lines = await decided(engine, whose, *CLOSING)
    named = {id_ for line in lines for id_ in (line.memory_id, line.target_id)}
    return [memory.text for memory in listed if memory.state is MemoryState.CLOSED and memory.id not in named]


def numbered(count: int, *, start: int = 1) -> Sequence[str]:
    """Make sentences that nothing takes for one another."""
    return [f"My box {number} holds the {_THINGS[number % len(_THINGS)]}." for number in range(start, start + count)]


_THINGS = "violin kettle globe lantern anchor compass drum ladder mirror basket".split()


def delete(target: int) -> dict[str, object]:
    """Let a model delete a memory."""
    return {"action": "delete", "targetMemoryId": target, "newContent": "", "reason": "it is the least useful"}


def edit(target: int, text: str) -> dict[str, object]:
    """Let a model fold the new memory into another."""
    return {"action": "edit", "targetMemoryId": target, "newContent": text, "reason": "they speak of one thing"}


class Answering:
    """A model that extracts a note of each message, and answers compactions from a script."""

    def __init__(self, *verdicts: object) -> None:
        self.verdicts = list(verdicts)
        self.model = ScriptedModel(self._answer)

    @property
    def asked(self) -> int:
        return sum(call.schema_name == "compaction" for call in self.model.calls)

    def _answer(self, system: str, said: str) -> object:
        if "full" in system:
            return self.verdicts.pop(0)
        quotes = [
            line.rsplit(": ", 1)[1].strip('"')
            for line in said.splitlines()
            if line.startswith("[") and '"user": ' in line
        ]
        return answer(*(note(quote, quote, message=place) for place, quote in enumerate(quotes, start=1)))


async def tell_each(engine: AsyncToldOnce, *texts: str) -> None:
    """Say each thing in a turn of its own."""
    for text in texts:
        await engine.record([user(text)], user="ana", conversation="one")
        await engine.form()
