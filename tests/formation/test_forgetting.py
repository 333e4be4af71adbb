"""A request in the chat to forget something: the memories that mention it end, and the request leaves none."""

import json
import re

import pytest

from sample_chats import answer, note, tell, texts, with_model
from soak import sampled
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, MemoryKind

DISTILLED = (MemoryKind.NOTE, MemoryKind.FACT)


async def test_a_request_to_forget_closes_what_speaks_of_it(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "My boyfriend Tom is a drummer in a metal band.", "I work as a nurse in Graz.")
    clock.advance(days=1)
    await tell(engine, "Please forget what I told you about Tom.")
    assert await texts(engine, kinds=DISTILLED) == {'The user said: "I work as a nurse in Graz."'}
    closing = [line for line in await engine.history.decisions(user="ana") if line.action is Action.CLOSE]
    assert "it is to be forgotten" in {line.reason for line in closing}


async def test_the_memory_to_forget_is_found_by_its_words_among_many(engine: AsyncToldOnce, clock: FakeClock) -> None:
    cousins = [f"My cousin number {place} plays football in town {place} every week." for place in range(30)]
    await tell(engine, *cousins)
    await tell(engine, "I adopted a greyhound called Nala last year.")
    clock.advance(days=1)
    await tell(engine, "Could you delete Nala from your memory?")
    assert not [text for text in await texts(engine, kinds=DISTILLED) if "Nala" in text]
    assert len([text for text in await texts(engine, kinds=(MemoryKind.TURN,)) if "cousin" in text]) == 30


async def test_a_model_is_shown_what_an_end_names_by_a_word(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    await engine.add("Tom drums.", user="ana")
    for place in range(12):
        await engine.add(f"What was told about the {place}th thing.", user="ana")
    clock.advance(days=1)
    model = ScriptedModel(lambda _system, user: answer(_ended(user)))
    forming = with_model(parts, model)
    await tell(forming, "Tom drums no more, and so end the things about it.")
    assert '"Tom drums."' in model.calls[0].user
    assert "Tom drums." not in await texts(forming)


@pytest.mark.parametrize("target", [None, 99, 1])
async def test_what_a_model_makes_of_a_request_never_repeats_it(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock, target: int | None
) -> None:
    await engine.add("Ana nimmt seit Mai Lithium.", user="ana")
    clock.advance(days=1)
    wish = "Bitte vergiss, dass ich Lithium nehme."
    end = note("The user wants this forgotten: Ana nimmt seit Mai Lithium.", wish, updates=target) | {"ended": True}
    forming = with_model(parts, ScriptedModel([answer(end, end)]))
    await tell(forming, wish)
    assert [text for text in await texts(forming) if "wants" in text] == []


def _ended(question: str) -> dict[str, object]:
    [line] = [line for line in question.splitlines() if '"Tom drums."' in line]
    number = int(line.partition("]")[0].strip("["))
    return note("Tom drums no more.", "Tom drums no more") | {"updates": number, "ended": True}


# What was told, the request, what no memory may hold afterwards, and what must stay.
REQUESTS = [
    (
        ["I live in Rome, in Via Appia.", "I have two kids, Tom and Mia."],
        "Please forget where I live.",
        "Rome Appia",
        "Tom",
    ),
    (["My boyfriend Kevin plays the drums. I play chess."], "Stop bringing up Kevin.", "Kevin drums", "chess"),
    (["I'm allergic to peanuts.", "I work as a plumber."], "You can forget about my allergy", "peanut", "plumber"),
    (["I had surgery on my knee in March. I love jazz."], "Don't mention the knee surgery ever again", "knee", "jazz"),
    (["I'm seeing a therapist called Dr. Moss."], "Forget what I just said.", "Moss therapist", ""),
    (["I like tea.", "My PIN for the shed is 4321. Please don't remember that."], "Thanks!", "4321", "tea"),
    (["I like tea.", "I live in Oslo."], "Forget everything you know about me.", "tea Oslo", ""),
    (["I owe my brother 3,000 euros. I play the cello."], "Delete what I said about the money I owe", "3,000", "cello"),
    (
        ["My divorce from Paul came through in May. I like owls."],
        "I don't want to be reminded of the divorce",
        "Paul",
        "owls",
    ),
    (["Ich wohne in Hamburg. Ich mag Tee."], "Vergiss bitte, wo ich wohne.", "Hamburg", "Tee"),
    (["J'habite à Lyon. J'aime le jazz."], "Oublie que j'habite à Lyon.", "Lyon", "jazz"),
    (["Vivo en Madrid. Me gusta el café."], "Olvida que vivo en Madrid", "Madrid", "café"),
    (["Abito a Milano. Mi piace il caffè."], "Dimentica che abito a Milano.", "Milano", "caffè"),
    (["我对花生过敏。我住在南京。"], "忘掉我对花生过敏这件事。", "花生", "南京"),
    (["我的猫叫豆豆。我住在南京。"], "忘掉我的猫。", "豆豆", "南京"),
    (["私は京都に住んでいます。猫が好きです。"], "京都に住んでいることは忘れてください。", "京都", "猫"),
    (["저는 부산에 살아요. 커피를 좋아해요."], "내가 부산에 산다는 것을 잊어줘.", "부산", "커피"),
    (["У меня аллергия на орехи. Я живу в Туле."], "Забудь о моей аллергии на орехи.", "орех", "Туле"),
    (["أنا أعيش في حلب. أحب القهوة."], "انسَ أنني أعيش في حلب.", "حلب", "القهوة"),
]


# The rules read each request, with a model, too.
READ = [
    *(pytest.param(*request, False, id=f"rules-{request[1]}") for request in REQUESTS),
    *(pytest.param(*request, True, id=f"model-{request[1]}") for request in sampled(REQUESTS, 3)),
]


@pytest.mark.parametrize(("told", "request_", "gone", "kept", "by_model"), READ)
async def test_after_a_request_nothing_holds_it(  # noqa: PLR0913  (fixtures and the columns of the table)
    parts: Components, clock: FakeClock, told: list[str], request_: str, gone: str, kept: str, by_model: bool
) -> None:
    # A model that never speaks of requests: they are honoured all the same.
    model = ScriptedModel(lambda _system, user: answer(*_repeated(user)))
    engine = with_model(parts, model) if by_model else AsyncToldOnce(parts)
    for said in (*told, request_):
        await engine.record([{"role": "user", "content": said}], user="ana", conversation="one")
        await engine.form()
        clock.advance(days=1)
    held = " ".join(await texts(engine))
    assert not [word for word in gone.split() if word in held]
    assert kept in held


async def test_a_request_that_states_a_fact_means_its_slot_in_whatever_words(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await tell(engine, "I can't stand opera. I play chess.")
    clock.advance(days=1)
    await tell(engine, "Please forget that I hate opera.")
    held = " ".join(await texts(engine))
    assert "opera" not in held
    assert "chess" in held


def _repeated(question: str) -> list[dict[str, object]]:
    """Note what each new message says, but for requests, as a model does that keeps everything."""
    shown = question.rpartition("Messages:\n")[2].splitlines()
    said = [json.loads(line.partition('": ')[2]) for line in shown]
    requests = {request for _, request, _, _ in REQUESTS}
    return [
        note(f"The user says: {sentence}", sentence, message=number)
        for number, text in enumerate(said, start=1)
        if text not in requests
        for sentence in filter(None, re.split(r"(?<=[^\W\d])(?:[.!] |。)", text))
    ]


async def test_forgetting_by_hand_reaches_what_says_the_same(engine: AsyncToldOnce) -> None:
    await tell(engine, "I live in Rome. I play the cello.")
    [fact] = [memory for memory in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if memory.value == "Rome"]
    await engine.forget(fact.id, user="ana")
    held = await texts(engine)
    assert not [text for text in held if "Rome" in text]
    assert [text for text in held if "cello" in text]


async def test_forgetting_a_quotation_reaches_what_rests_on_it_alone(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I keep bees on the roof.")
    clock.advance(days=1)
    await tell(engine, "I play the cello.")
    [quotation] = [
        memory for memory in await engine.list(user="ana", kinds=(MemoryKind.TURN,)) if "bees" in memory.text
    ]
    await engine.forget(quotation.id, user="ana")
    assert not [text for text in await texts(engine) if "bees" in text]
    assert [text for text in await texts(engine) if "cello" in text]


async def test_what_was_forgotten_by_hand_comes_back_as_a_whole(engine: AsyncToldOnce) -> None:
    await tell(engine, "I live in Rome. I play the cello.")
    before = await texts(engine)
    [fact] = [memory for memory in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if memory.value == "Rome"]
    await engine.forget(fact.id, user="ana")
    [line] = [
        line
        for line in await engine.history.decisions(user="ana")
        if line.memory_id == fact.id and line.action is Action.CLOSE
    ]
    await engine.history.undo(line.id, user="ana")
    assert await texts(engine) == before


async def test_another_extractor_does_not_bring_back_what_was_forgotten_by_hand(
    parts: Components, engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await engine.record(
        [{"role": "user", "content": "I live in Rome. I play the cello."}], user="ana", conversation="c"
    )
    await engine.form()
    [fact] = [memory for memory in await engine.list(user="ana", kinds=(MemoryKind.FACT,)) if memory.value == "Rome"]
    await engine.forget(fact.id, user="ana")
    clock.advance(days=1)
    model = ScriptedModel(lambda _system, user: answer(*_repeated(user)))
    forming = with_model(parts, model)
    await forming.record([{"role": "user", "content": "I adopted a dog."}], user="ana", conversation="c")
    await forming.form()
    held = " ".join(await texts(forming))
    assert "dog" in held
    assert "cello" in held
    assert "Rome" not in held
