"""`memory.admin.users`: the list of users, page by page, over tenants, with bounded counts."""

import pytest

from sample_chats import tell
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce
from toldonce.store.sql import stats
from toldonce.testing import FakeClock
from toldonce.types import Subject, UserSummary

NAMES = ("@acme.org/user:eve", "@acme/user:cid", "@acme/user:dan", "user:ana", "user:ben")


async def paged(engine: AsyncToldOnce, *, tenant: str | None = None) -> list[UserSummary]:
    found: list[UserSummary] = []
    while page := await engine.admin.users(after=found[-1].subject.text if found else "", limit=2, tenant=tenant):
        found += page
    return found


@pytest.mark.parametrize("kind", DIALECTS)
async def test_users_are_listed_by_name_with_what_is_kept_of_each(
    engine: AsyncToldOnce, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    for name in (*NAMES, "@acme/app:todo", "@acme/session:cid/1", "app:todo", "session:ana/1", "shared:team"):
        await engine.add("Somebody keeps bees.", user=Subject.parse(name))
    for day in range(3):
        clock.advance(days=day)
        said = clock.now()
        await engine.record([{"role": "user", "content": f"I saw {day + 2} owls."}], user="ana", conversation=str(day))
    gone = await engine.add("Ana rows.", user="ana")
    await engine.forget(gone.id, user="ana")
    await tell(engine, "I am allergic to peanuts.", who="ben")
    clock.advance(days=1)

    listed = await paged(engine)
    assert [user.subject.text for user in listed] == sorted(NAMES)
    assert [user.subject.text for user in await paged(engine, tenant="acme")] == list(NAMES[1:3])
    assert [user.subject.text for user in await paged(engine, tenant="")] == list(NAMES[3:])
    ana, ben = listed[-2:]
    assert (ana.conversations, ana.last_seen, ana.is_partial, ben.conversations) == (3, said, False, 1)
    for user in (ana, ben):
        assert user.memories == len(await engine.list(user=user.subject)) > 1
    assert listed[0] == UserSummary(subject=Subject.parse(NAMES[0]), memories=1, conversations=0)

    monkeypatch.setattr(stats, "MAX_COUNTED", 2)
    [ana] = await engine.admin.users(limit=1, tenant="")
    assert (ana.conversations, ana.is_partial) == (2, True)
