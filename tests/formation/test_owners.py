"""In a conversation of a project: what belongs to the user, and what to the project."""

import pytest

from sample_chats import user
from toldonce.engine import AsyncToldOnce
from toldonce.types import MemoryKind, RequestScope, Subject

PROJECT = RequestScope(profile="project", app="shop-1")
APP = Subject("app", "ana/shop-1")


async def formed(engine: AsyncToldOnce, said: str) -> tuple[list[str], list[str]]:
    await engine.record([user(said)], user="ana", conversation="c", scope=PROJECT)
    await engine.form()
    mine, apps = [await engine.list(user=owner) for owner in ("ana", APP)]
    return [memory.text for memory in mine], [memory.text for memory in apps if memory.text != said or not mine]


@pytest.mark.parametrize(
    "said",
    [
        "We use pnpm in this project, never npm.",
        "We decided to use PostgreSQL 16 instead of SQLite for the backend.",
        "Always use type hints in this repo.",
    ],
)
async def test_what_is_said_of_the_project_stays_with_it(engine: AsyncToldOnce, said: str) -> None:
    mine, apps = await formed(engine, said)

    assert apps
    assert not mine


@pytest.mark.parametrize("said", ["I'm allergic to peanuts.", "I live in Bergen.", "I prefer short answers."])
async def test_what_is_said_of_the_user_goes_everywhere(engine: AsyncToldOnce, said: str) -> None:
    mine, apps = await formed(engine, said)

    assert mine
    assert not apps


async def test_quotations_belong_to_the_project(engine: AsyncToldOnce) -> None:
    await formed(engine, "I usually work late at night.")

    assert not await engine.list(user="ana", kinds=[MemoryKind.TURN])
    assert len(await engine.list(user=APP, kinds=[MemoryKind.TURN])) == 1


async def test_without_a_project_all_is_the_users(engine: AsyncToldOnce) -> None:
    await engine.record([user("We use pnpm, never npm.")], user="ana", scope=RequestScope(profile="project"))
    await engine.form()

    assert {memory.kind for memory in await engine.list(user="ana", kinds=list(MemoryKind))} >= {MemoryKind.TURN}


async def test_a_request_to_forget_reaches_both(engine: AsyncToldOnce) -> None:
    await formed(engine, "I'm allergic to peanuts. We use peanuts as the name of the test database in this project.")
    await engine.record([user("Forget everything about peanuts.")], user="ana", conversation="c", scope=PROJECT)
    await engine.form()

    for owner in ("ana", APP):
        assert not [
            memory for memory in await engine.list(user=owner, kinds=list(MemoryKind)) if "eanut" in memory.text
        ]
