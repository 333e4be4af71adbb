"""T-EXT: whatever a model or its server answers, in every shape, ends in memories or a reason."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

import pytest
from aiohttp import web

from integration.malformed import CASES, PROFILES, SAID, Ends, Good, Reply, good
from patience import PATIENCE_S
from sample_chats import user
from soak import SOAK
from toldonce.engine import AsyncToldOnce, Components
from toldonce.formation.bisection import BY_RULES
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.openai_models import OpenAIChatModel
from toldonce.testing import FakeClock
from toldonce.types import Action, FormationStatus, Memory, MemoryState, RequestScope, Subject

ATTEMPTS = 2
# In the first profile each answer; every sixth one in one of the others, too; and where it ends otherwise.
ANSWERED = [
    (name, profile)
    for number, (name, case) in enumerate(CASES.items())
    for place, profile in enumerate(PROFILES)
    if SOAK or place in (0, 1 + number % (6 * len(PROFILES) - 6)) or profile in case.but
]


class Server:
    """A server on loopback that answers every question alike; what it answers can be changed."""

    def __init__(self, reply: Reply) -> None:
        self.reply = reply
        self.asked = 0
        self.url = ""

    async def handle(self, request: web.Request) -> web.StreamResponse:
        await request.read()
        self.asked += 1
        if self.reply.then == "hang":
            await asyncio.sleep(60)
        body = self.reply.bytes()
        if self.reply.then == "reset":
            response = web.StreamResponse(headers={"Content-Length": str(len(body) + 100)})
            await response.prepare(request)
            await response.write(body)
            if request.transport is not None:
                request.transport.abort()
            return response
        kind = {"Content-Type": "application/json"}
        return web.Response(body=body, status=self.reply.status, headers={**kind, **self.reply.headers})


@asynccontextmanager
async def serving(reply: Reply) -> AsyncIterator[Server]:
    server = Server(reply)
    app = web.Application()
    app.router.add_post("/{path:.*}", server.handle)
    runner = web.AppRunner(app, shutdown_timeout=0.05)
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    server.url = f"http://127.0.0.1:{runner.addresses[0][1]}/v1"
    try:
        yield server
    finally:
        await runner.cleanup()


@pytest.fixture(scope="module")
def profiles(tmp_path_factory: pytest.TempPathFactory) -> ProfileRegistry:
    """Each shipped profile, formed after every turn, read by the rules after two tries, whatever it costs."""
    folder: Path = tmp_path_factory.mktemp("profiles")
    for name in PROFILES:
        text = (
            f'extends = "{name}"\n[trigger]\nwhen = "every_turn"\n[budget]\ncapacity = 0\nmax_share = 1\n'
            f'[form]\nturns = false\non_error = "retry"\nmax_attempts = {ATTEMPTS}\n'
        )
        (folder / f"{name}.toml").write_text(text, "utf-8")
    return ProfileRegistry(folder)


class Asked:
    """An engine that asks a server, one conversation in a profile, and what became of it."""

    def __init__(self, parts: Components, profile: str, model: OpenAIChatModel, clock: FakeClock) -> None:
        self.engine = AsyncToldOnce(replace(parts, model=model))
        self.scope = RequestScope(profile=profile, app="calendar", characters=("Kira", "user"))
        self._clock = clock

    async def tell(self) -> None:
        """Say something, and let the worker try as often as it will."""
        await self.engine.record([user(SAID)], user="ana", conversation="c", scope=self.scope)
        for _ in range(ATTEMPTS + 1):
            await self.engine.form()
            self._clock.advance(minutes=5)

    async def subject(self) -> Subject:
        return await self.engine.conversations.subject(user="ana", conversation="c", scope=self.scope)

    async def kept(self) -> list[Memory]:
        return [
            memory for memory in await self.engine.list(user=await self.subject()) if memory.state is MemoryState.ACTIVE
        ]

    async def reasons(self) -> list[str]:
        lines = await self.engine.history.decisions(user=await self.subject())
        return [line.reason for line in lines if line.action is Action.IGNORE]

    async def formation(self) -> FormationStatus:
        [status] = [formation for formation in await self.engine.admin.formations() if formation.key.stage == "extract"]
        return status


@asynccontextmanager
async def asking(
    reply: Reply, profile: str, parts: Components, clock: FakeClock
) -> AsyncIterator[tuple[Asked, Server]]:
    async with serving(reply) as server:
        model = OpenAIChatModel(server.url, "m", timeout_s=PATIENCE_S if reply.then != "hang" else 0.1)
        try:
            yield Asked(parts, profile, model, clock), server
        finally:
            await model.close()


def test_there_are_at_least_forty_bad_answers() -> None:
    assert len(CASES) >= 40
    assert {case.ends for case in CASES.values()} == {"kept", "refused", "rules", "waits", "nothing"}


@pytest.mark.soak
@pytest.mark.parametrize(("name", "profile"), ANSWERED)
async def test_a_bad_answer_ends_in_memories_or_a_reason(
    name: str, profile: str, parts: Components, clock: FakeClock, profiles: ProfileRegistry
) -> None:
    case = CASES[name]
    ends = case.but.get(profile, case.ends)
    async with asking(case.make(good(profile)), profile, replace(parts, profiles=profiles), clock) as (asked, server):
        await asked.tell()
        status = await asked.formation()
        kept, reasons = await asked.kept(), await asked.reasons()
        assert _end(status, kept, reasons) == ends, (status.error, reasons, [memory.text for memory in kept])
        assert 1 <= server.asked <= 3 * 2 * ATTEMPTS, "three ways of asking, a second request each"
        if profile not in case.but and case.why:
            assert any(case.why in told for told in [*reasons, status.error or ""]), (reasons, status.error)
        assert await asked.engine.admin.formations(parked=True) == []
        assert not any(SAID in told for told in reasons)
        for memory in kept:
            assert memory.evidence, "nothing is kept without its source"
            assert "\x00" not in memory.text
            memory.text.encode()


def _end(status: FormationStatus, kept: list[Memory], reasons: list[str]) -> Ends:
    if status.error:
        assert (kept, reasons, status.formed_seq) == ([], [], 0)
        assert status.due_at is not None, "it comes again by itself"
        return "waits"
    assert status.formed_seq == status.last_seq == 1
    if any(told.startswith(BY_RULES) for told in reasons):
        return "rules"
    if kept:
        return "kept"
    return "refused" if reasons else "nothing"


@pytest.mark.parametrize("profile", PROFILES)
async def test_a_good_answer_is_kept_in_every_shape(
    profile: str, parts: Components, clock: FakeClock, profiles: ProfileRegistry
) -> None:
    reply = Reply(content=good(profile).json)
    async with asking(reply, profile, replace(parts, profiles=profiles), clock) as (asked, server):
        await asked.tell()
        assert len(await asked.kept()) == 1
        assert server.asked == 1


@pytest.mark.parametrize("profile", PROFILES)
async def test_a_server_that_recovers_is_asked_again_and_nothing_is_lost(
    profile: str, parts: Components, clock: FakeClock, profiles: ProfileRegistry
) -> None:
    broken = Reply(content="{oops")
    async with asking(broken, profile, replace(parts, profiles=profiles), clock) as (asked, server):
        await asked.engine.record([user(SAID)], user="ana", conversation="c", scope=asked.scope)
        await asked.engine.form()
        assert not (await asked.formation()).parked
        server.reply = Reply(content=good(profile).json)
        clock.advance(minutes=5)
        await asked.engine.form()
        assert len(await asked.kept()) == 1


async def test_a_bad_answer_about_one_user_delays_no_other(
    parts: Components, clock: FakeClock, profiles: ProfileRegistry
) -> None:
    async with asking(Reply(content="no"), "default", replace(parts, profiles=profiles), clock) as (asked, server):
        await asked.tell()
        server.reply = Reply(content=good("default").json)
        await asked.engine.record([user(SAID)], user="ben")
        await asked.engine.form()
        assert len(await asked.engine.list(user="ben")) == 1


@pytest.mark.parametrize("profile", PROFILES)
async def test_an_answer_cut_off_anywhere_ends_well(
    profile: str, parts: Components, clock: FakeClock, profiles: ProfileRegistry
) -> None:
    whole: Good = good(profile)
    async with asking(Reply(), profile, replace(parts, profiles=profiles), clock) as (asked, server):
        for end in range(1, len(whole.json), 7 if SOAK else 41):
            server.reply = Reply(content=whole.json[:end], finish="length")
            asked.scope = replace(asked.scope, app=f"a{end}")
            await asked.engine.record([user(SAID)], user=f"ana{end}", conversation="c", scope=asked.scope)
            await asked.engine.form()
            subject = await asked.engine.conversations.subject(user=f"ana{end}", conversation="c", scope=asked.scope)
            told = await asked.engine.history.decisions(user=subject)
            waits = [
                formation
                for formation in await asked.engine.admin.formations()
                if formation.key.subject == subject and formation.error
            ]
            assert told or waits, whole.json[:end]


async def test_an_app_as_shipped_passes_over_what_a_model_cannot_write_and_says_so(
    parts: Components, clock: FakeClock
) -> None:
    async with asking(Reply(content="no"), "app", parts, clock) as (asked, _):
        await asked.engine.record([user(SAID)], user="ana", conversation="c", scope=asked.scope)
        await asked.engine.conversations.end("c", user="ana", scope=asked.scope)
        await asked.engine.form()
        status = await asked.formation()
        assert (status.parked, status.formed_seq) == (False, 1)
        [reason] = await asked.reasons()
        assert reason.startswith("not formed: ")
