"""A user with a canary in every place where anything of a user can be kept. Everything is made up."""

import random
from dataclasses import dataclass, field, replace
from typing import Any

from canaries import canary
from factories import add, decision, memory, recall_record, turn
from sample_chats import assistant, user, with_model
from toldonce.engine import AsyncToldOnce, Components
from toldonce.engine.scope import owned_subject
from toldonce.errors import BadRequestError, ModelError
from toldonce.ids import new_id
from toldonce.profiles.policies import BudgetPolicy
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, CostPurpose, MemoryState, RequestScope, Reservation, Subject


@dataclass
class Household:
    """One user and the subjects within."""

    engine: AsyncToldOnce
    parts: Components
    who: str
    luck: random.Random
    words: dict[str, str] = field(default_factory=dict)
    """Each canary, with where it was planted."""

    @property
    def home(self) -> Subject:
        """The user."""
        return Subject("user", self.who)

    def word(self, where: str) -> str:
        """Make a canary."""
        made = canary(self.luck, accented=self.luck.random() < 0.3)
        self.words[made] = where
        return made

    async def plant(self) -> list[Subject]:
        """Fill every kind of subject; return those within the user's."""
        inner = [await self._session(), await self._app(), await self._character(), await self._by_hand()]
        inner.append(await self._nested(inner[1]))
        inner += [await self._failed(error) for error in (BadRequestError, ModelError)]
        assert any((status.error or "") != "" for status in await self.engine.admin.formations(parked=True))
        for subject in inner:
            await self._rows(subject)
        await self._rows(self.home)
        await self.engine.shared.subscribe(Subject("shared", self.word("shared name")), user=self.who)
        return inner

    def _talk(self, where: str) -> list[dict[str, Any]]:
        call = {"id": self.word(where), "type": "function", "function": {"name": self.word(where), "arguments": "{}"}}
        return [
            {"role": "user", "name": self.word(where), "content": f"I'm allergic to {self.word(where)}."},
            {"role": "assistant", "content": None, "tool_calls": [call]},
            {"role": "tool", "tool_call_id": call["id"], "content": f"found {self.word(where)}"},
            assistant(f"I noted that you are allergic to {self.word(where)}. I decided to go to {self.word(where)}."),
        ]

    async def _session(self) -> Subject:
        name, scope = self.word("session id"), RequestScope(profile="session")
        await self.engine.conversations.open(name, user=self.who, scope=scope)
        await self.engine.record(self._talk("session"), user=self.who, conversation=name, scope=scope)
        await self.engine.form()
        return await self.engine.conversations.subject(user=self.who, conversation=name, scope=scope)

    async def _app(self) -> Subject:
        scope = RequestScope(profile="app", app=self.word("app name"))
        assert scope.app
        await self.engine.apps.register(scope.app, user=self.who)
        await self.engine.conversations.end(
            self.word("app conversation"),
            user=self.who,
            reason=self.word("end reason"),
            messages=self._talk("app"),
            scope=scope,
        )
        await self.engine.form()
        return await self.engine.conversations.subject(user=self.who, scope=scope)

    async def _character(self) -> Subject:
        scope, name = RequestScope(profile="character"), self.word("character conversation")
        options = {"systemCharacter": self.word("character"), "userCharacter": self.word("other character")}
        await self.engine.conversations.open(name, user=self.who, scope=scope, options={**options, "useMemory": True})
        for _ in range(5):
            await self.engine.record(self._talk("character"), user=self.who, conversation=name, scope=scope)
        await self.engine.conversations.save(name, user=self.who, scope=scope)
        await self.engine.form()
        return await self.engine.conversations.subject(user=self.who, conversation=name, scope=scope)

    async def _by_hand(self) -> Subject:
        subject = owned_subject("session", self.home, self.word("session by hand"))
        await self.engine.add(f"Keep {self.word('note by hand')} in mind.", user=subject, type="note")
        return subject

    async def _nested(self, app: Subject) -> Subject:
        name, scope = self.word("nested session id"), RequestScope(profile="session")
        await self.engine.record(self._talk("nested"), user=app, conversation=name, scope=scope)
        await self.engine.form()
        return await self.engine.conversations.subject(user=app, conversation=name, scope=scope)

    async def _failed(self, kind: type[Exception]) -> Subject:
        """Let a model fail with words in its errors until the work is parked, or the rules do it."""
        word, clock = self.word("error"), self.parts.clock
        assert isinstance(clock, FakeClock)
        failing = with_model(self.parts, ScriptedModel(lambda *_: kind(f"cannot read {word}")))
        name = self.word("parked session id")
        said = [user(f"I adore {self.word('parked')}, always."), assistant("Fine.")]
        await failing.record(said, user=self.who, conversation=name, scope=RequestScope(profile="session"))
        for _ in range(12):
            await failing.form()
            clock.advance(seconds=1_000)
        return owned_subject("session", self.home, name)

    async def _rows(self, subject: Subject) -> None:
        """Add what talk leaves rarely: tags, what is held, reviews, closed ones, recalls, energy, linked copies."""
        clock, store = self.parts.clock, self.parts.store
        assert isinstance(clock, FakeClock)
        known = memory(f"Honey of {self.word('memory')}.", subject=subject, clock=clock)
        known = replace(known, detail=replace(known.detail, tags=(self.word("tag"),), summary=self.word("summary")))
        held = replace(memory(f"Send {self.word('held')}.", subject=subject, clock=clock), state=MemoryState.HELD)
        [vector] = await self.parts.embedder.embed([known.text])
        why = replace(decision(known), reason=self.word("reason"), text=self.word("decision"))
        space = self.parts.embedder.space
        await store.memories.apply(
            subject,
            [add(known, vector=[float(number) for number in vector], space=space), add(held, vector=None)],
            [why],
        )
        await store.memories.apply(subject, [], [decision(held, Action.HOLD)])
        asked = turn(
            f"Of {self.word('asked')}?", "So.", subject=self.home, recall=recall_record((subject, known.id, 1))
        )
        await store.conversations.record(asked)
        now = clock.now()
        await store.budgets.reserve(
            subject,
            Reservation(id=new_id(clock), purpose=CostPurpose.CREATE, units=3, tokens=40, at=now),
            BudgetPolicy(),
        )
        await self.engine.admin.energy(user=subject, poller=self.word("poller"))
        await self.engine.forget(known.id, user=subject)
        again = await self.engine.add(f"Bees near {self.word('closed twice')}.", user=subject)
        await self.engine.forget(again.id, user=subject)
