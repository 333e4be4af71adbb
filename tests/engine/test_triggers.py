"""When messages are formed: every turn, every so many, on saving, at the end, after silence."""

from dataclasses import replace
from pathlib import Path

import pytest

from sample_chats import user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.registry import ProfileRegistry
from toldonce.testing import FakeClock
from toldonce.types import RequestScope

FACTS = ["I live in Oslo.", "I have a dog called Rex.", "I work at Equinor.", "I am vegan.", "My wife is called Mia."]


@pytest.fixture
def triggers(tmp_path: Path) -> ProfileRegistry:
    """Profiles that differ from `default` in their trigger alone."""
    for name, more in (("periodic", "every = 3"), ("on_save", ""), ("on_end", "idle_s = 600"), ("llm_triggered", "")):
        text = f'description = "{name}"\n[form]\nturns = false\n[trigger]\nwhen = "{name}"\n{more}\n'
        (tmp_path / f"{name.replace('_', '-')}.toml").write_text(text, "utf-8")
    return ProfileRegistry(tmp_path)


@pytest.fixture
async def engine(parts: Components, triggers: ProfileRegistry) -> AsyncToldOnce:
    return AsyncToldOnce(replace(parts, profiles=triggers))


async def say(engine: AsyncToldOnce, profile: str, *texts: str) -> None:
    for text in texts:
        await engine.record([user(text)], user="ana", conversation="c", scope=RequestScope(profile=profile))


async def known(engine: AsyncToldOnce) -> int:
    await engine.form()
    return len({source.seq for memory in await engine.list(user="ana") for source in memory.evidence})


async def test_c6_every_turn_forms_at_once(engine: AsyncToldOnce) -> None:
    await say(engine, "default", FACTS[0])
    assert await known(engine) == 1


async def test_c6_periodic_forms_every_so_many_turns_and_all_of_them(engine: AsyncToldOnce) -> None:
    await say(engine, "periodic", *FACTS[:2])
    assert await known(engine) == 0
    await say(engine, "periodic", FACTS[2])
    assert await known(engine) == 3
    await say(engine, "periodic", FACTS[3])
    assert await known(engine) == 3


async def test_c6_on_save_forms_when_the_conversation_is_saved(engine: AsyncToldOnce) -> None:
    await say(engine, "on-save", *FACTS)
    assert await known(engine) == 0
    assert await engine.conversations.save("c", user="ana", scope=RequestScope(profile="on-save")) == 1
    assert await known(engine) == 5
    assert await engine.conversations.save("c", user="ana", scope=RequestScope(profile="on-save")) == 0


async def test_a1_a_conversation_is_formed_when_it_ends(engine: AsyncToldOnce) -> None:
    await say(engine, "on-end", *FACTS[:2])
    assert await known(engine) == 0
    await engine.conversations.end("c", user="ana", scope=RequestScope(profile="on-end"))
    assert await known(engine) == 2


async def test_a1_a_conversation_that_was_left_ends_after_silence(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await say(engine, "on-end", FACTS[0])
    clock.advance(seconds=599)
    await say(engine, "on-end", FACTS[1])
    clock.advance(seconds=599)
    assert await known(engine) == 0
    clock.advance(seconds=1)
    assert await known(engine) == 2


async def test_c6_a_model_that_triggers_is_not_anticipated(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await say(engine, "llm-triggered", *FACTS)
    clock.advance(days=3)
    assert await known(engine) == 0


async def test_what_is_asked_for_while_it_forms_is_formed_too(engine: AsyncToldOnce, parts: Components) -> None:
    await say(engine, "on-save", *FACTS[:2])
    await engine.conversations.save("c", user="ana", scope=RequestScope(profile="on-save"))
    [key] = await parts.store.formations.due(engine.clock.now())
    lease = await parts.store.formations.lease(key, now=engine.clock.now(), lease_s=60)
    assert lease is not None
    await say(engine, "on-save", FACTS[2])
    await engine.conversations.save("c", user="ana", scope=RequestScope(profile="on-save"))
    await parts.store.formations.release(lease, error=None, retry_at=engine.clock.now(), now=engine.clock.now())
    assert await known(engine) == 3
