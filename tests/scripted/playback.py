"""Plays a scripted conversation through the public API, and reads the memories. Opens a store in memory."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.multilingual_embedder import MultilingualEmbedder
from toldonce.providers.token_counter import token_counter
from toldonce.settings import Settings
from toldonce.store.factory import open_store
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Memory, MemoryState, RecalledMemory, RequestScope

from .cases import Case, Session
from .script import script

# Questions are asked so long after the last session.
AFTERWARDS = timedelta(days=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Played:
    """What memory holds after a conversation."""

    case: Case
    active: Sequence[Memory]
    """Active notes and facts."""
    closed: Sequence[Memory]
    """Notes and facts that have ended."""
    turns: Mapping[tuple[str, int], str]
    """Session and turn ("2.1") of each message, by its conversation and place."""
    recalls: Sequence[Sequence[RecalledMemory]]
    """Memories in the prompt of each question, in order."""

    def rests_on(self, memory: Memory) -> set[str]:
        """Return the turns that are a memory's evidence."""
        return {self.turns[said.conversation, said.seq] for said in memory.evidence}


async def play(case: Case, embedder: MultilingualEmbedder, *, scripted: bool) -> Played:
    """Record the sessions turn by turn, form after each, and ask the questions a day after the last."""
    clock = FakeClock(case.session[0].said_at(0))
    settings = Settings(database_url="sqlite:///:memory:", time_zone=case.time_zone, profile=case.profile)
    parts = Components(
        settings=settings,
        clock=clock,
        store=await open_store(settings.database_url, clock=clock),
        embedder=embedder,
        model=_model(case) if scripted else None,
        counter=token_counter(),
        profiles=ProfileRegistry(),
    )
    async with AsyncToldOnce(parts) as engine:
        turns: dict[tuple[str, int], str] = {}
        for number, session in enumerate(case.session, start=1):
            for exchange in session.exchanges:
                clock.set(session.said_at(exchange[-1]))
                turns.update(await _record(engine, case, number, exchange))
                await engine.form()
        clock.set(clock.now() + AFTERWARDS)
        await _nothing_is_stuck(engine)
        held = await engine.list(user=case.user, closed=True, limit=1000)
        return Played(
            case=case,
            active=[memory for memory in held if memory.state is MemoryState.ACTIVE],
            closed=[memory for memory in held if memory.state is MemoryState.CLOSED],
            turns=turns,
            recalls=[await _recalled(engine, case, recall.ask) for recall in case.recall],
        )


def _model(case: Case) -> ScriptedModel:
    return ScriptedModel(script(case))


async def _record(
    engine: AsyncToldOnce, case: Case, number: int, exchange: Sequence[int]
) -> dict[tuple[str, int], str]:
    session = case.session[number - 1]
    messages: list[dict[str, Any]] = []
    labels: list[str] = []
    for place in exchange:
        said = _messages(session, place)
        messages += said
        labels += [f"{number}.{place + 1}"] * len(said)
    recorded = await engine.record(
        messages,
        user=case.user,
        conversation=f"session-{number}",
        said_at=session.said_at(exchange[0]),
        scope=RequestScope(profile=case.profile),
    )
    seqs = [*recorded.appended]
    assert len(seqs) == len(labels), f"{case.name}: {len(labels)} messages were said, {len(seqs)} recorded"
    return {(recorded.conversation, seq): label for seq, label in zip(seqs, labels, strict=True)}


def _messages(session: Session, place: int) -> list[dict[str, Any]]:
    """Write a turn as a client sends it: a tool's answer follows its call."""
    said = session.turns[place]
    if said.role != "tool":
        return [{"role": said.role, "content": said.text} | ({"name": said.name} if said.name else {})]
    name, call = said.name or "lookup", f"call_{place}"
    asked = {"id": call, "type": "function", "function": {"name": name, "arguments": "{}"}}
    return [
        {"role": "assistant", "content": None, "tool_calls": [asked]},
        {"role": "tool", "tool_call_id": call, "content": said.text},
    ]


async def _recalled(engine: AsyncToldOnce, case: Case, ask: str) -> Sequence[RecalledMemory]:
    found = await engine.context(ask, user=case.user, scope=RequestScope(profile=case.profile), use=False)
    return found.items


async def _nothing_is_stuck(engine: AsyncToldOnce) -> None:
    parked = await engine.admin.formations(parked=True)
    assert not parked, f"a formation failed: {parked[0]}"
