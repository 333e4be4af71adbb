"""A database with something of everything there is: what copies and exports must carry. Everything in it is made up."""

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager
from dataclasses import replace
from pathlib import Path

from factories import add, decision, memory, recall_record, turn
from postgres_server import shared_server
from sample_chats import PEANUTS_AND_OSLO, assistant, user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.ids import new_id
from toldonce.profiles.policies import BudgetPolicy
from toldonce.providers.token_counter import token_counter
from toldonce.settings import SQLITE, Settings
from toldonce.store.encryption.vault_opener import KeyringPlace
from toldonce.store.factory import open_store
from toldonce.store.store import Store
from toldonce.testing import FakeClock, WordEmbedder
from toldonce.types import (
    Access,
    Action,
    CostPurpose,
    IdempotencyKey,
    MemoryKind,
    MemoryState,
    NewApiKey,
    PromptInsertion,
    Reservation,
    StoredAnswer,
    Subject,
)

TEAM = Subject("shared", "team")
CALENDAR = Subject("app", "calendar")
WHO = ("user:ana", "user:ben", "user:dora", "user:zoë 🐝", TEAM.text, CALENDAR.text)
"""Whose memories are compared."""
QUERIES = (
    "What should I avoid at a restaurant?",
    "Where do I live?",
    "bees and honey",
    "dogs",
    "turns about the garden",
)
ERASED = "My locker has a green door."
SPACE = "words-64"
_ODD = "Zoë’s bees — 蜜蜂 🐝 \u202eend\u202c — make\ttab and\nline, a \x00 and \\u0000 and \u2028."

_FILLED: list[bytes] = []
"""The file that was filled first in this process."""
_FILLED_ON_SERVER: list[str] = []
"""Name of a copy of the database that was filled first on the server of this process."""


@asynccontextmanager
async def opened(
    url: str, *, profile: str = "default", keyring: KeyringPlace | None = None
) -> AsyncIterator[AsyncToldOnce]:
    """Open an engine with an embedder of words over a database."""
    async with AsyncToldOnce(await parts_of(url, profile=profile, keyring=keyring)) as engine:
        yield engine


async def parts_of(
    url: str, *, profile: str = "default", clock: FakeClock | None = None, keyring: KeyringPlace | None = None
) -> Components:
    """Wire an engine over a database; each stands at the same instant."""
    clock = clock or FakeClock()
    return Components(
        settings=Settings(database_url=url, profile=profile),
        clock=clock,
        store=await open_store(url, clock=clock, keyring=keyring),
        embedder=WordEmbedder(64),
        model=None,
        counter=token_counter(),
    )


async def populate(url: str) -> None:
    """Fill an empty database; those after the first of its kind get a copy of it, since filling takes a second."""
    file = Path(url.removeprefix(SQLITE)) if url.startswith(SQLITE) else None
    if file is None:
        await _populate_on_server(url)
    elif _FILLED:
        file.write_bytes(_FILLED[0])
    else:
        await fill(url)
        assert not file.with_name(f"{file.name}-wal").exists(), "what is in the log would be missing from the copies"
        _FILLED.append(file.read_bytes())


async def _populate_on_server(url: str) -> None:
    name = url.rpartition("/")[2]
    if url != shared_server().url_of(name):  # of a cluster, which is not the tests' own
        await fill(url)
    elif _FILLED_ON_SERVER:
        shared_server().drop_database(name)
        shared_server().new_database(name, template=_FILLED_ON_SERVER[0])
    else:
        await fill(url)
        shared_server().new_database("populated", template=name)
        _FILLED_ON_SERVER.append("populated")


async def fill(url: str, *, keyring: KeyringPlace | None = None) -> None:
    """Fill an empty database, whose subjects are encrypted if there is a keyring."""
    parts = await parts_of(url, keyring=keyring)
    async with AsyncToldOnce(parts) as engine:
        await _talk(engine)
        await _share(engine)
        await _erase(engine)
        await _by_hand(parts.store, engine)
    async with opened(url, profile="tiered", keyring=keyring) as engine:
        for number in range(22):
            said = [
                user(f"In spring {number} the garden had {number} rows of beans."),
                assistant(f"Row {number} noted."),
            ]
            await engine.record(said, user="dora", conversation="garden")
        await engine.form()
        assert await engine.list(user="dora", kinds=(MemoryKind.EPISODE,))
    await _leave_work(url, keyring)


async def _talk(engine: AsyncToldOnce) -> None:
    await engine.record([user(PEANUTS_AND_OSLO), assistant("Noted.")], user="ana", conversation="one")
    await engine.record(
        [user("I live in Bergen now, no longer in Oslo."), assistant("Fine.")], user="ana", conversation="one"
    )
    await engine.record([user("My sister Kira has two dogs."), assistant("Lovely! Are they young?")], user="ana")
    tale = "A long tale of bees. " + "The hive stands in the orchard by the river. " * 200
    await engine.record([user(tale), assistant("Long.")], user="ana", conversation="tale")
    await engine.record([user("I work as a baker and I like honey."), assistant("Tasty.")], user="ben")
    await engine.record([user(_ODD), assistant(_ODD)], user="zoë 🐝", conversation="蜜\x00蜂")
    await engine.form()
    await engine.add(_ODD, user="zoë 🐝")
    closed = await engine.add("Ana has a red bicycle.", user="ana")
    await engine.forget(closed.id, user="ana")


async def _share(engine: AsyncToldOnce) -> None:
    [dogs] = [fact for fact in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if "dogs" in fact.text]
    await engine.shared.link(dogs.id, to=TEAM, user="ana")
    await engine.shared.link(dogs.id, to=CALENDAR, user="ana")
    await engine.shared.subscribe(TEAM, user="ben")
    await engine.apps.register("calendar", user="ben")


async def _erase(engine: AsyncToldOnce) -> None:
    said = [user(ERASED), assistant("A green door."), user("My car is a small van."), assistant("A van.")]
    recorded = await engine.record(said, user="ben", conversation="locker")
    await engine.form()
    await engine.erasure.messages(recorded.conversation, [1, 2], user="ben")
    recorded = await engine.record([user("My hat is blue."), assistant("Very well.")], user="ben", conversation="hat")
    await engine.erasure.messages(recorded.conversation, [1], user="ben")
    await engine.record([user("I keep a parrot."), assistant("A parrot.")], user="cleo")
    await engine.form()
    await engine.erasure.subject("cleo")


async def _by_hand(store: Store, engine: AsyncToldOnce) -> None:
    """Add what talk leaves rarely: tags, held ones, recalls, formations under way and waiting."""
    ana = Subject("user", "ana")
    tagged = memory("Honey is for breakfast.", subject=ana, clock=engine.clock)
    tagged = replace(tagged, detail=replace(tagged.detail, tags=("蜜", "food")))
    held = replace(memory("Always send the keys along.", subject=ana, clock=engine.clock), state=MemoryState.HELD)
    numbers = (await WordEmbedder(64).embed([tagged.text]))[0]
    await store.memories.apply(
        ana,
        [add(tagged, vector=list(map(float, numbers)), space=SPACE), add(held, vector=None)],
        [decision(tagged), decision(held, Action.HOLD)],
    )
    recall = recall_record((ana, tagged.id, 0.5))
    inserted = PromptInsertion(
        thread=-7,
        chain=70,
        depth=1,
        id=new_id(engine.clock),
        at=engine.clock.now(),
        standing="The user likes honey.",
        recalled=f"{tagged.text} 🐝",
        items=((ana, tagged.id),),
        sent_bytes=80,
        sent_hash="5e11",
    )
    await store.insertions.add(ana, [inserted])
    asked = turn("What is for breakfast?", "Honey.", subject=ana, recall=recall)
    await store.conversations.record(replace(asked, thread=-7, answer_chains=(71,), answer_depth=2))
    booked = Reservation(id=new_id(engine.clock), purpose=CostPurpose.CREATE, units=3, tokens=40, at=engine.clock.now())
    await store.budgets.reserve(ana, booked, BudgetPolicy())
    await store.memories.record_uses(ana, [tagged.id], engine.clock.now())
    request = IdempotencyKey(subject=ana, key=bytes(16), request=bytes(range(16)))
    claim = await store.idempotency.claim(request, engine.clock.now())
    answer = StoredAnswer(status=201, headers={"ETag": '"1"'}, body="蜜".encode())
    await store.idempotency.answer(request, claim.token, answer)
    if not await engine.keys.list():
        await engine.keys.create(NewApiKey(name="a phone 🐝", access=Access.READ, user="ana"))


async def _leave_work(url: str, keyring: KeyringPlace | None) -> None:
    """Leave a formation that a worker holds, one that waits, and a character with another name."""
    parts = await parts_of(url, keyring=keyring)
    async with AsyncToldOnce(parts) as engine:
        await engine.record([user("I play the cello."), assistant("How nice.")], user="ana")
        await engine.record([user("I play the oboe."), assistant("How nice.")], user="ben")
        now = engine.clock.now()
        key = next(key for key in await parts.store.formations.due(now) if key.subject.text == "user:ana")
        assert await parts.store.formations.lease(key, now=now, lease_s=600)
        await parts.store.apps.name_character(engine.subject("ben"), "kira", "nova")
