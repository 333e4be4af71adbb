"""What a model answered to a message that is forgotten, or repeated of it later, is quoted no more."""

import pytest

from sample_chats import answer, assistant, texts, user, with_model
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, MemoryKind, MemoryState

TURNS = (MemoryKind.TURN,)


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def exchange(engine: AsyncToldOnce, clock: FakeClock, said: str, reply: str, conversation: str = "one") -> None:
    await engine.record([user(said), assistant(reply)], user="ana", conversation=conversation)
    await engine.form()
    clock.advance(hours=1)


async def held(engine: AsyncToldOnce) -> str:
    return " | ".join(sorted(" ".join(text.split()) for text in await texts(engine)))


# What was told, the answer, the request, what no memory may hold afterwards.
FORGOTTEN = [
    (
        "I started therapy with Dr. Moss in May, how do I tell my boss?",
        "Say that you have a weekly appointment.",
        "Forget what I told you about the therapy.",
        "appointment",
    ),
    ("im pregnant, 9 weeks", "Then skip the sushi and rest a lot.", "pls forget that im pregnant", "sushi"),
    (
        "I owe my brother 3,000 euros. How can I bring it up?",
        "Offer him small monthly rates.",
        "delete what i said about the money i owe",
        "rates",
    ),
    (
        "My boyfriend Tom plays the drums in a band.",
        "Earplugs will keep you sane then.",
        "Please forget Tom.",
        "Earplugs",
    ),
    ("I got fired from the bakery last week.", "Ask for a reference letter.", "Forget what I just said.", "reference"),
    (
        "Ich habe eine Affäre mit Jonas aus der Buchhaltung.",
        "Bleib im Büro diskret.",
        "Vergiss bitte, was ich dir über Jonas erzählt habe.",
        "diskret",
    ),
    (
        "j'ai commencé une thérapie, comment l'expliquer à ma chef ?",
        "Parle d'un rendez-vous hebdomadaire.",
        "oublie ce que je t'ai dit sur la thérapie",
        "rendez-vous",
    ),
    (
        "le debo 300 euros a mi primo Iván",
        "Devuélveselos a plazos cada mes.",
        "olvida lo que te dije de Iván",
        "plazos",
    ),
    (
        "ho litigato con mia suocera Rosa a Natale",
        "Mandale un mazzo di fiori per la pace.",
        "dimentica quello che ti ho detto su Rosa",
        "fiori",
    ),
    (
        "estou grávida de três meses e ninguém sabe",
        "Toma ácido fólico todos os dias.",
        "esquece que estou grávida",
        "fólico",
    ),
    (
        "I failed my driving test again, third time.",
        "Book a lesson on roundabouts first.",
        "don't mention the driving test again",
        "roundabouts",
    ),
]


@pytest.mark.parametrize(("told", "reply", "wish", "gone"), FORGOTTEN)
async def test_the_answer_to_what_is_forgotten_is_quoted_no_more(
    engine: AsyncToldOnce, clock: FakeClock, told: str, reply: str, wish: str, gone: str
) -> None:
    await exchange(engine, clock, "I play the cello on Sundays.", "The cello is a fine instrument.")
    await exchange(engine, clock, told, reply)
    assert gone in await held(engine)
    await exchange(engine, clock, wish, "All right, it is gone.")
    found = await held(engine)
    assert gone not in found
    assert "a fine instrument" in found


async def test_an_answer_keeps_what_concerns_the_rest_of_the_message(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await exchange(
        engine,
        clock,
        "I started therapy in May. My tomatoes in the greenhouse have black spots.",
        "Black spots on tomatoes are blight. Cut the leaves in the greenhouse off. A weekly slot is a good start.",
    )
    await exchange(engine, clock, "Forget what I told you about the therapy.", "Done.")
    found = await held(engine)
    assert "blight" in found
    assert "leaves" in found
    assert "weekly" not in found


@pytest.mark.parametrize("later", ["As Lurdes said, sleep early.", "In May, Lurdes will ask about your sleep."])
async def test_a_later_answer_that_names_who_was_forgotten_goes_too(
    engine: AsyncToldOnce, clock: FakeClock, later: str
) -> None:
    await exchange(engine, clock, "I started therapy with Dr. Lurdes in May.", "Good for you and your health.")
    await exchange(engine, clock, "I play the cello on Sundays.", f"The cello calms the nerves. {later}", "two")
    await exchange(engine, clock, "Forget what I told you about the therapy.", "Done.", "three")
    found = await held(engine)
    assert "Lurdes" not in found
    assert "calms the nerves" in found


async def test_the_answer_to_the_request_is_not_quoted(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await exchange(engine, clock, "My boyfriend Tom plays the drums.", "Lovely, a drummer at home.")
    await exchange(
        engine, clock, "Please forget what I told you about Tom.", "I will not speak of your boyfriend Tom any more."
    )
    assert "Tom" not in await held(engine)


async def test_an_answer_to_another_message_stays(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await exchange(engine, clock, "My boyfriend Tom plays the drums.", "Lovely, a drummer at home.")
    await exchange(engine, clock, "What is a good book on Rust?", "Try the one by Klabnik.")
    await exchange(engine, clock, "Please forget Tom.", "Done.")
    found = await held(engine)
    assert "Klabnik" in found
    assert "drummer" not in found


async def test_a_model_that_forms_memories_changes_nothing_of_it(parts: Components, clock: FakeClock) -> None:
    engine = with_model(parts, ScriptedModel(lambda _system, _user: answer()))
    told, reply, wish, gone = FORGOTTEN[0]
    await exchange(engine, clock, told, reply)
    assert gone in await held(engine)
    await exchange(engine, clock, wish, "Done.")
    assert gone not in await held(engine)


async def test_forgetting_by_hand_takes_the_answer_and_undoing_brings_it_back(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await exchange(engine, clock, "My boyfriend Tom plays the drums in a band.", "Earplugs will keep you sane then.")
    before = await texts(engine)
    [fact] = [memory for memory in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if "Tom" in memory.text]
    await engine.forget(fact.id, user="ana")
    assert "Earplugs" not in await held(engine)
    [line] = [
        decision
        for decision in await engine.history.decisions(user="ana")
        if decision.memory_id == fact.id and decision.action is Action.CLOSE
    ]
    clock.advance(hours=1)
    await engine.history.undo(line.id, user="ana")
    assert await texts(engine) == before


async def test_the_history_of_the_answer_stays(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await exchange(engine, clock, "My boyfriend Tom plays the drums in a band.", "Earplugs will keep you sane then.")
    await exchange(engine, clock, "Please forget Tom.", "Done.")
    listed = await engine.list(user="ana", kinds=TURNS, closed=True)
    assert any("Earplugs" in memory.text and memory.state is MemoryState.CLOSED for memory in listed)
