"""A client that sends its history as a new conversation does not bring back what was forgotten or erased."""

import json

import pytest

from sample_chats import answer, assistant, note, texts, user, with_model
from soak import SOAK, sampled
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components
from toldonce.extraction.forget_requests import asks_to_forget
from toldonce.formation import extract, index_turns
from toldonce.reading.sentences import sentences
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, MemoryKind

BEFORE = [user("I play the cello in an orchestra."), assistant("A fine instrument.")]
NEXT = user("What should I cook tonight?")


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def say(engine: AsyncToldOnce, clock: FakeClock, *said: dict[str, str], conversation: str = "one") -> None:
    await engine.record(list(said), user="ana", conversation=conversation)
    await engine.form()
    clock.advance(hours=1)


async def held(engine: AsyncToldOnce, *queries: str) -> str:
    found = [await engine.search(query, user="ana", limit=50) for query in ("cello", *queries)]
    quoted = [item.memory.text for recall in found for item in recall.items]
    return " | ".join(" ".join(text.split()) for text in (*await texts(engine), *quoted))


def _kept(_system: str, asked: str) -> object:
    """Note each sentence of the new messages word for word, but for requests."""
    shown = asked.rpartition("Messages:\n")[2].splitlines()
    said = [json.loads(line.partition('": ')[2]) for line in shown if '": ' in line]
    pieces = ((place, piece.text) for place, text in enumerate(said, start=1) for piece in sentences(text))
    return answer(*(note(text, text, message=place) for place, text in pieces if not asks_to_forget(text)))


# What was told, what the assistant said, the request, and words that may not come back.
FORGOTTEN = [
    (
        "My boyfriend Tom plays the drums.",
        "A drummer, how loud.",
        "Please forget what I told you about Tom.",
        "Tom drum",
    ),
    ("im pregnant, 9 weeks", "Then skip the sushi.", "pls forget that im pregnant", "pregnant sushi"),
    ("I live in Rome, near the station.", "Trains all day long.", "Forget where I live.", "Rome Trains"),
    ("I'm seeing a therapist called Dr. Moss.", "A weekly slot helps.", "Forget what I just said.", "Moss weekly"),
    ("Ich wohne in Hamburg.", "Schön am Wasser.", "Vergiss bitte, wo ich wohne.", "Hamburg Wasser"),
    ("debo 3000 euros a mi primo Iván", "Devuélvelos a plazos.", "olvida lo que te dije de Iván", "Iván plazos"),
    (
        "j'ai un cancer du sein depuis mars",
        "Prends soin de toi.",
        "oublie ce que je t'ai dit sur le cancer",
        "cancer soin",
    ),
]


# What decides is no query: one database is enough.
@pytest.mark.parametrize("kind", ["memory"])
@pytest.mark.parametrize(
    ("told", "reply", "wish", "gone", "by_model"),
    [(*case, False) for case in FORGOTTEN] + [(*case, True) for case in sampled(FORGOTTEN, 3)],
)
async def test_what_was_forgotten_stays_so_in_a_fork(  # noqa: PLR0913  (the columns of the table)
    parts: Components, clock: FakeClock, told: str, reply: str, wish: str, gone: str, by_model: bool
) -> None:
    engine = with_model(parts, ScriptedModel(_kept)) if by_model else AsyncToldOnce(parts)
    history = [*BEFORE, user(told), assistant(reply), user(wish), assistant("Done.")]
    await say(engine, clock, *BEFORE)
    await say(engine, clock, user(told), assistant(reply))
    before = await held(engine, told)
    assert any(word in before for word in gone.split())
    await say(engine, clock, user(wish), assistant("Done."))
    for fork in ("two", "three"):
        await say(engine, clock, *history, NEXT, assistant("Rice."), conversation=fork)
        found = await held(engine, told, reply)
        assert not [word for word in gone.split() if word in found]
        assert "cello" in found


@pytest.mark.parametrize("way", ["by hand", "quotation", "erased"])
async def test_what_was_taken_away_by_hand_stays_so_in_a_fork(
    engine: AsyncToldOnce, clock: FakeClock, way: str
) -> None:
    told = [user("My boyfriend Tom plays the drums. I adore rainy days."), assistant("Drummers are loud neighbours.")]
    await say(engine, clock, *BEFORE, *told)
    wanted = MemoryKind.TURN if way == "quotation" else MemoryKind.FACT
    [memory] = [known for known in await engine.list(user="ana", kinds=(wanted,)) if "Tom" in known.text]
    if way == "erased":
        await engine.erase(memory.id, user="ana")
    else:
        await engine.forget(memory.id, user="ana")
    clock.advance(hours=1)
    assert "Tom" not in await held(engine, "Tom drums")
    await say(engine, clock, *BEFORE, *told, NEXT, assistant("Rice."), conversation="two")
    found = await held(engine, "Tom drums", "loud neighbours")
    assert "Tom" not in found
    assert "neighbours" not in found
    assert "cello" in found


@pytest.mark.parametrize("way", ["forgotten", "erased"])
async def test_the_same_sentence_in_another_message_of_a_history_stays_away(
    engine: AsyncToldOnce, clock: FakeClock, way: str
) -> None:
    await say(engine, clock, user("My boyfriend Tom plays the drums."), assistant("How loud."))
    [memory] = [known for known in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if "Tom" in known.text]
    await (engine.erase if way == "erased" else engine.forget)(memory.id, user="ana")
    clock.advance(hours=1)
    other = user("Hi again! I keep bees in the garden. My boyfriend  Tom plays the drums.")
    await say(engine, clock, other, assistant("Nice."), NEXT, assistant("Rice."), conversation="two")
    found = await held(engine, "Tom drums", "bees")
    assert "Tom" not in found
    assert "bees" in found


@pytest.mark.parametrize("way", ["forgotten", "erased"])
async def test_what_the_newest_message_repeats_is_kept(engine: AsyncToldOnce, clock: FakeClock, way: str) -> None:
    told = [user("My boyfriend Tom plays the drums."), assistant("How loud.")]
    await say(engine, clock, *BEFORE, *told)
    [memory] = [known for known in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if "Tom" in known.text]
    await (engine.erase if way == "erased" else engine.forget)(memory.id, user="ana")
    clock.advance(hours=1)
    await say(engine, clock, *BEFORE, user("My boyfriend Tom plays the drums."), conversation="two")
    assert "Tom" in " ".join(await texts(engine, kinds=(MemoryKind.FACT,)))


async def test_an_old_request_in_a_history_forgets_nothing_said_since(engine: AsyncToldOnce, clock: FakeClock) -> None:
    history = [user("I live in Rome."), assistant("Ciao."), user("Forget where I live."), assistant("Done.")]
    await say(engine, clock, *history[:2])
    await say(engine, clock, *history[2:])
    await say(engine, clock, user("I live in Oslo."), assistant("Cold."), conversation="two")
    await say(engine, clock, *history, NEXT, assistant("Rice."), conversation="three")
    found = await held(engine, "Rome Oslo")
    assert "Oslo" in found
    assert "Rome" not in found


async def test_what_is_undone_may_come_again(engine: AsyncToldOnce, clock: FakeClock) -> None:
    told = [user("My boyfriend Tom plays the drums."), assistant("How loud.")]
    await say(engine, clock, *BEFORE, *told)
    [memory] = [known for known in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if "Tom" in known.text]
    await engine.forget(memory.id, user="ana")
    [line] = [
        decision
        for decision in await engine.history.decisions(user="ana")
        if decision.memory_id == memory.id and decision.action is Action.CLOSE
    ]
    clock.advance(hours=1)
    await engine.history.undo(line.id, user="ana")
    await say(engine, clock, *BEFORE, *told, NEXT, assistant("Rice."), conversation="two")
    turns = [known for known in await engine.list(user="ana", kinds=(MemoryKind.TURN,)) if "Tom" in known.text]
    assert len(turns) == 2


@pytest.mark.parametrize("kind", ["memory"])
async def test_a_history_longer_than_a_batch_is_history_to_its_end(
    engine: AsyncToldOnce, clock: FakeClock, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(index_turns, "BATCH", 16)
    monkeypatch.setattr(extract, "RULES_BATCH", 8)
    await say(engine, clock, user("My boyfriend Tom plays the drums."), assistant("How loud."))
    await say(engine, clock, user("Please forget what I told you about Tom."), assistant("Done."))
    for place in range(10, 16) if SOAK else (11, 14):  # wherever a batch is cut
        walks = [user(f"The walk to the mill takes {number} minutes, said miller {place}.") for number in range(place)]
        told = [user("My boyfriend Tom plays the drums."), assistant("How loud."), *walks[:9], NEXT]
        await say(engine, clock, *walks, *told, conversation=f"fork {place}")
        assert "Tom" not in await held(engine, "Tom drums")
