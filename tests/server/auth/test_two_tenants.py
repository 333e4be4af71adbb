"""Random steps of one tenant have the same answers, prompts, errors and log lines whatever another tenant does.

Both have users, apps, sessions and shared subjects of the same names, and say the same words. `make soak` runs
`TOLDONCE_SOAK` walks instead of a few: 200 walks are 50,000 steps of the first tenant, and as many of the other.
"""

import io
import json
import logging
import os
import random
import re
from collections.abc import Awaitable, Callable, Sequence
from dataclasses import dataclass, field, replace
from pathlib import Path
from typing import Any

import httpx
import pytest

from sample_chats import user
from soak import SOAK
from stores import DURABLE, new_store, url_of
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import ToldOnceError
from toldonce.ids import new_id
from toldonce.providers.token_counter import token_counter
from toldonce.server.app import build_app
from toldonce.settings import Settings
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import Access, Identity, Memory, MemoryKind, MemoryMode, NewApiKey, RequestScope, Subject

WALKS = SOAK or 1
FIRST_SEED = int(os.environ.get("SOAK_SEED", "0"))
STEPS = 250 if SOAK else 30
MINE, THEIRS = "acme", "bolt"
CANARY = "Zyxquorn"
NAMES, APPS, CHATS = ("ana", "bob"), ("calendar", "notes"), ("c1", "c2", "c3")
CITIES, FOODS, TASTES = ("Rome", "Oslo", "Lima"), ("peanuts", "eggs"), ("jazz", "chess")
QUESTIONS = ("Where do I live?", "What may I not eat?", "What do I like?", "When does the team meet?", "And Eva?")
EVERY_KIND = tuple(MemoryKind)
_ID = re.compile(r"[0-9a-f]{8}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{4}-[0-9a-f]{12}")
# Of an export: hashes keyed by the database.
_VAGUE = re.compile(r"-?[0-9a-f]{12,}")
# What each database makes by chance: ids of keys, marks of blocks (and so their tokens), hashes of what was erased.
_RANDOM = re.compile(
    r'(?<="tokens": )\d+|k_[0-9a-f]{12}|rk_[\w-]{43}|(?<="key": ")[0-9a-f]{128}|(?<="mark": )-?\d+'
    r'|(?<=memory id=")[0-9a-f]{12}|(?<=memory id=\\")[0-9a-f]{12}|(?<=memory id=\\\\")[0-9a-f]{12}'
    r"|(?<=count=)\d+(?=, text='texts that were inserted)"
    r"|(?<=frozenset\(\{)[^}]*"  # in the order of the ids' hashes
)


@dataclass(frozen=True)
class Step:
    """What a tenant does, with the dice of its choices: the same dice choose the same of the same lists."""

    tenant: str
    name: str
    dice: tuple[float, ...]


def steps_of(tenant: str, seed: int) -> list[Step]:
    draw = random.Random(f"{tenant} {seed}")
    names = [name for name in dir(Tenant) if name.startswith("do_") and (tenant == MINE or name != "do_form")]
    weights = [WEIGHTS.get(name, 2) for name in names]
    return [
        Step(tenant, name, tuple(draw.random() for _ in range(20))) for name in draw.choices(names, weights, k=STEPS)
    ]


def interleaved(seed: int) -> list[Step]:
    """Return the steps of both, in a random order that keeps each one's own."""
    mine, theirs = steps_of(MINE, seed), steps_of(THEIRS, seed)
    turns = [MINE] * len(mine) + [THEIRS] * len(theirs)
    random.Random(seed).shuffle(turns)
    waiting = {MINE: iter(mine), THEIRS: iter(theirs)}
    return [next(waiting[tenant]) for tenant in turns]


class Shown:
    """Texts without what differs by chance: ids are numbered in the order in which they are seen."""

    def __init__(self) -> None:
        self._ids: dict[str, str] = {}

    def of(self, value: object) -> str:
        text = _RANDOM.sub("…", str(value))
        return _ID.sub(lambda found: self._ids.setdefault(found[0], f"id{len(self._ids)}"), text)


@dataclass
class World:
    """A server with its engine, and what its log says."""

    engine: AsyncToldOnce
    client: httpx.AsyncClient
    clock: FakeClock
    lines: list[str] = field(default_factory=list)


WEIGHTS = {"do_record": 14, "do_chat": 8, "do_form": 5, "do_search": 6, "do_rest_search": 4, "do_add": 5,
           "do_remove_app": 1, "do_purge_app": 1, "do_erase": 1, "do_erase_conversation": 1}  # fmt: skip
"""How often the steps are taken; all others: 2."""


class Tenant:
    """One tenant's steps. Each returns what it is answered."""

    def __init__(self, world: World, name: str, keys: dict[str, str]) -> None:
        self.engine, self.client = world.engine, world.client
        self.name, self.keys = name, keys
        self.dice: list[float] = []
        self.foreign = ""
        """Id of a memory of the other tenant."""

    async def take(self, step: Step) -> object:
        self.dice = list(step.dice)
        doing: Callable[[], Awaitable[object]] = getattr(self, step.name)
        try:
            return await doing()
        except ToldOnceError as error:
            return f"{type(error).__name__}: {error}"

    # ---- choices

    def pick(self, items: Sequence[Any]) -> Any:
        return items[int(self.dice.pop() * len(items))]

    def chance(self, share: float) -> bool:
        return self.dice.pop() < share

    def user(self) -> Subject:
        return Subject("user", self.pick(NAMES), self.name)

    def said(self) -> str:
        value = {"city": self.pick(CITIES), "food": self.pick(FOODS), "taste": self.pick(TASTES)}
        if self.name == THEIRS and self.chance(0.4):
            value = dict.fromkeys(value, CANARY)
        city, food, taste = value.values()
        return str(
            self.pick(
                [f"I live in {city}.", f"I moved to {city}.", f"I am allergic to {food}.", f"I like {taste}.",
                 f"I am no longer allergic to {food}.", f"I hate {taste}.", f"My sister lives in {city}.",
                 f"Please forget where I live, and that I like {taste}.", "The team meets on Tuesday."]
            )
        )  # fmt: skip

    def subject(self) -> Subject:
        name = self.pick(NAMES)
        kinds = [f"user:{name}", f"user:{name}", f"app:{name}/{self.pick(APPS)}", f"session:{name}/{self.pick(CHATS)}",
                 "shared:team", "global", f"app:{self.pick(APPS)}"]  # fmt: skip
        return Subject.parse(f"@{self.name}/{self.pick(kinds)}")

    def scope(self) -> RequestScope:
        name = self.pick(["user", "user", "app", "session", "character"])
        app = self.pick(APPS) if name == "app" else None
        characters = ("Kira", "Marcus") if name == "character" else None
        return RequestScope(profile=name, app=app, characters=characters)

    async def memory(self) -> tuple[Subject, Memory | None]:
        subject = self.subject()
        known = await self.engine.list(user=subject, kinds=EVERY_KIND, closed=self.chance(0.3))
        return subject, self.pick(known) if known else None

    async def ask(self, key: str, method: str, path: str, body: object = None, **named: str) -> object:
        headers = {"authorization": f"Bearer {self.keys[key]}"}
        headers |= {name.replace("_", "-"): value for name, value in named.items()}
        content = None if body is None else json.dumps(body).encode()
        if content is not None:
            headers["content-type"] = "application/json"
        answer = await self.client.request(method, path, content=content, headers=headers)
        shown = [f"{name}: {value}" for name, value in answer.headers.items() if name != "content-length"]
        return answer.status_code, shown, answer.text

    # ---- the library

    async def do_record(self) -> object:
        chat = self.pick([*CHATS, None])
        return await self.engine.record([user(self.said())], user=self.user(), conversation=chat, scope=self.scope())

    async def do_form(self) -> object:
        await self.engine.form()
        return None  # how many were formed is the operator's to know

    async def do_add(self) -> object:
        return await self.engine.add(self.said(), user=self.subject())

    async def do_search(self) -> object:
        found = await self.engine.search(self.pick(QUESTIONS), user=self.subject(), profile="user")
        return [(item.memory.text, item.memory.id, round(item.score, 9), item.similarity) for item in found.items]

    async def do_list(self) -> object:
        return await self.engine.list(user=self.subject(), kinds=EVERY_KIND, closed=self.chance(0.5))

    async def do_forget(self) -> object:
        subject, memory = await self.memory()
        return memory and await self.engine.forget(memory.id, user=subject)

    async def do_erase(self) -> object:
        subject, memory = await self.memory()
        return memory and await self.engine.erase(memory.id, user=subject, everywhere=self.chance(0.5))

    async def do_erase_conversation(self) -> object:
        who = self.user()
        chats = await self.engine.conversations.list(user=who)
        return chats and await self.engine.erasure.conversation(self.pick(chats).id, user=who, everywhere=True)

    async def do_correct(self) -> object:
        subject, memory = await self.memory()
        return memory and await self.engine.correct(memory.id, self.said(), user=subject)

    async def do_undo(self) -> object:
        who = self.subject()
        decisions = await self.engine.history.decisions(user=who)
        return decisions and await self.engine.history.undo(self.pick(decisions).id, user=who)

    async def do_undo_source(self) -> object:
        who = self.user()
        chats = await self.engine.conversations.list(user=who)
        return chats and await self.engine.history.undo_source(user=who, conversation=self.pick(chats).id)

    async def do_explain(self) -> object:
        subject, memory = await self.memory()
        return memory and await self.engine.history.explain(memory.id, user=subject)

    async def do_share(self) -> object:
        subject, memory = await self.memory()
        to = Subject("shared", "team", self.pick([MINE, THEIRS]))
        return memory and await self.engine.shared.link(memory.id, to=to, user=subject)

    async def do_subscribe(self) -> object:
        change = self.engine.shared.subscribe if self.chance(0.7) else self.engine.shared.unsubscribe
        return await change(self.pick(["team", Subject("shared", "team", self.pick([MINE, THEIRS]))]), user=self.user())

    async def do_prompt(self) -> object:
        """Prepare a prompt, whose bytes the model would read."""
        body = json.dumps({"model": "m", "messages": [{"role": "user", "content": self.pick(QUESTIONS)}]}).encode()
        identity = Identity(
            subject=self.user(),
            tenant=self.name,
            memory=MemoryMode.READ,
            scope=self.scope(),
            conversation=self.pick(CHATS),
        )
        prepared = await self.engine.turns.prepare(OPENAI_CHAT.read(body), identity)
        return prepared.body.decode(), prepared.injected, prepared.failure

    async def do_remove_app(self) -> object:
        return await self.engine.apps.remove(self.pick(APPS), purge=self.chance(0.5), user=self.user())

    async def do_export(self) -> object:
        file = io.BytesIO()
        await self.engine.transfer.export_to(file, user=self.subject())
        lines = [_VAGUE.sub("…", _ID.sub("id", line)) for line in file.getvalue().decode().splitlines()]
        # A thread of prompts has a random number, by which the next prompt chooses among equal ones.
        return sorted(line for line in lines if not line.startswith('{"insertion"')), CANARY in str(lines)

    # ---- HTTP

    async def do_chat(self) -> object:
        body = {"model": "toldonce/offline", "messages": [{"role": "user", "content": self.said()}]}
        named = {"x_toldonce_session": self.pick(CHATS)} if self.chance(0.8) else {}
        key = self.pick(["ana", "any"])
        if key == "any":
            named["x_toldonce_user"] = self.pick(NAMES)
        return await self.ask(key, "POST", "/v1/chat/completions", body, **named)

    async def do_routes(self) -> object:
        method, path, body = self.pick([
            ("GET", "/api/memory/stats", None), ("GET", "/api/memory/held", None), ("GET", "/api/sessions/c1", None),
            ("GET", "/api/sessions/c1/memories", None), ("POST", "/api/sessions", {"id": "c1"}),
            ("GET", "/api/characters/Kira/memories", None), ("POST", "/apps", {"appId": "calendar"}),
            ("GET", "/apps/calendar/memories", None), ("GET", "/conversations/c1/app", None),
            ("GET", "/api/conversations/c1/trace", None), ("POST", "/conversations/c2/end", {"reason": "done"}),
            ("POST", "/v1/vectors/query", {"query": self.pick(QUESTIONS)}), ("GET", "/metrics", None),
            ("POST", "/api/memory", {"content": self.said()}),
            ("DELETE", f"/apps/{self.pick(APPS)}/memories/{int(self.dice.pop() * 50)}", None),
        ])  # fmt: skip
        return await self.ask(self.pick(["ana", "any"]), method, path, body, x_toldonce_user="ana")

    async def do_status(self) -> object:
        return await self.ask(
            "admin", "GET", self.pick(["/livez", "/readyz", "/", "/metrics", "/v1/models", "/nowhere"])
        )

    async def do_read_app(self) -> object:
        return await self.ask("admin", "GET", f"/apps/{self.pick(APPS)}/memories?limit={self.pick([1, 100])}")

    async def do_purge_app(self) -> object:
        return await self.ask("admin", "DELETE", f"/apps/{self.pick(APPS)}/memories")

    async def do_rest_list(self) -> object:
        subject = replace(self.subject(), tenant="").text.replace("/", "%2F")
        return await self.ask(
            "admin", "GET", f"/v1/subjects/{subject}/memories?limit={self.pick([2, 50])}&state=closed"
        )

    async def do_rest_search(self) -> object:
        subject = replace(self.subject(), tenant="").text.replace("/", "%2F")
        body = {"query": self.pick(QUESTIONS)}
        return await self.ask(self.pick(["any", "ana", "app"]), "POST", f"/v1/subjects/{subject}/search", body)

    async def do_rest_reach(self) -> object:
        """Ask for a memory of the other tenant: it is as unknown as an id that was never given."""
        path = f"/v1/subjects/{self.pick(['user:ana', 'shared:team', 'global'])}/memories/{self.foreign}"
        method, path = self.pick(
            [("GET", path), ("GET", f"{path}/why"), ("DELETE", f"{path}?everywhere=true"), ("POST", f"{path}/close"),
             ("POST", f"{path}/unlink"), ("GET", f"{path}/history")]
        )  # fmt: skip
        return await self.ask("admin", method, path)


class Lines(logging.Handler):
    """Keeps what is logged, with what it is about."""

    def __init__(self, kept: list[str]) -> None:
        super().__init__()
        self._kept = kept

    def emit(self, record: logging.LogRecord) -> None:
        about = {name: value for name, value in vars(record).items() if name in ("error", "subject", "target")}
        self._kept.append(f"{record.levelname} {record.name} {record.getMessage()} {about}")


async def keys_of(engine: AsyncToldOnce, tenant: str) -> dict[str, str]:
    new = NewApiKey(name="k", access=Access.WRITE, tenant=tenant)
    wanted = {
        "any": new,
        "ana": replace(new, user="ana"),
        "app": replace(new, app="calendar"),
        "admin": replace(new, access=Access.ADMIN),
    }
    return {name: (await engine.keys.create(key))[1] for name, key in wanted.items()}


async def walk(kind: str, folder: Path, steps: Sequence[Step], *, alone: bool) -> list[tuple[Step, str]]:
    """Take the steps, of the first tenant alone or of both; return what the first one sees."""
    clock = FakeClock()
    store = await new_store(kind, folder, clock)
    settings = Settings(
        database_url=url_of(kind, folder), auth="required", recall_timeout_s=60.0, commit_timeout_s=60.0
    )
    parts = Components(
        settings=settings, clock=clock, store=store, embedder=WordEmbedder(), model=None, counter=token_counter()
    )
    seen: list[tuple[Step, str]] = []
    shown = Shown()
    async with AsyncToldOnce(parts) as engine:
        transport = httpx.ASGITransport(app=build_app(engine))
        async with httpx.AsyncClient(transport=transport, base_url="http://localhost") as client:
            world = World(engine, client, clock)
            names = [MINE] if alone else [MINE, THEIRS]
            tenants = {name: Tenant(world, name, await keys_of(engine, name)) for name in names}
            logging.getLogger("toldonce").addHandler(log := Lines(world.lines))
            try:
                for step in steps:
                    clock.advance(minutes=7)
                    if alone and step.tenant == THEIRS:
                        continue
                    tenants[MINE].foreign = await _foreign(engine, tenants)
                    world.lines.clear()
                    answer = await tenants[step.tenant].take(step)
                    await engine.turns.close()  # what goes on after an answer
                    if step.tenant == MINE:
                        lines = [] if step.name == "do_form" else list(world.lines)
                        seen.append((step, shown.of(str((answer, lines)).replace(tenants[MINE].foreign, "foreign"))))
                    assert not any(CANARY in line for line in world.lines)
            finally:
                logging.getLogger("toldonce").removeHandler(log)
    return seen


async def _foreign(engine: AsyncToldOnce, tenants: dict[str, Tenant]) -> str:
    """Return the id of a memory of the other tenant, or one that was never given."""
    if THEIRS in tenants:
        theirs = await engine.list(user=Subject("user", "ana", THEIRS), limit=1)
        if theirs:
            return theirs[0].id
    return new_id(engine.clock)


@pytest.mark.soak
@pytest.mark.parametrize("kind", DURABLE)
@pytest.mark.parametrize("seed", range(FIRST_SEED, FIRST_SEED + WALKS))
async def test_another_tenants_steps_change_nothing(
    kind: str, seed: int, tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch
) -> None:
    steps = interleaved(seed)
    monkeypatch.setattr("toldonce.ids._last", (0, 0))  # ids begin with the walk's time, not after those of another
    beside = await walk(kind, tmp_path_factory.mktemp("beside"), steps, alone=False)
    assert not any(CANARY in seen for _, seen in beside)
    monkeypatch.setattr("toldonce.ids._last", (0, 0))
    alone = await walk(kind, tmp_path_factory.mktemp("alone"), steps, alone=True)
    for place, ((step, wanted), (_, seen)) in enumerate(zip(alone, beside, strict=True)):
        assert seen == wanted, (place, step)
