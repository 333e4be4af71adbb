"""Several people write in one conversation: each has facts of their own, and asks to forget their own words."""

import json
import re
from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from sample_chats import answer, with_model
from soak import whole_only
from stores import DURABLE
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Memory, MemoryKind, MemoryState, RequestScope

FACT, TURN = MemoryKind.FACT, MemoryKind.TURN
# Slots that the rules read in each language; the other statements are kept as notes or quotations.
SLOTS = {
    "en": set("name location job diet allergy answer_language time_zone dog partner indentation answer_length".split()),
    "de": set("name location job diet allergy answer_language time_zone dog partner answer_length".split()),
    "es": set("name location job diet allergy answer_language time_zone dog partner".split()),
}
# A statement of each kind of slot by Ana, and one by Ben that takes its place or denies it.
STATEMENTS: Mapping[str, Mapping[str, tuple[str, str]]] = {
    "en": {
        "name": ("My name is Ana Ruiz.", "My name is Ben Moss."),
        "location": ("I live in Oslo.", "I live in Rome."),
        "job": ("I work as a nurse.", "I work as a baker."),
        "diet": ("I'm vegan.", "I'm not vegan."),
        "allergy": ("I'm allergic to nuts.", "I'm not allergic to nuts."),
        "answer_language": ("Please always answer in German.", "Please always answer in French."),
        "time_zone": ("My time zone is Europe/Oslo.", "My time zone is Europe/Rome."),
        "dog": ("My dog is called Rex.", "My dog is called Bo."),
        "partner": ("My wife is called Lena.", "My wife is called Mia."),
        "indentation": ("I prefer tabs over spaces in my code.", "I prefer spaces over tabs in my code."),
        "answer_length": ("Always keep your answers short.", "Always keep your answers long."),
    },
    "de": {
        "name": ("Ich heiße Ana Ruiz.", "Ich heiße Ben Moss."),
        "location": ("Ich wohne in Oslo.", "Ich wohne in Rom."),
        "job": ("Ich arbeite als Krankenschwester.", "Ich arbeite als Bäcker."),
        "diet": ("Ich bin Veganerin.", "Ich bin nicht mehr vegan."),
        "allergy": ("Ich bin allergisch gegen Nüsse.", "Ich bin nicht mehr allergisch gegen Nüsse."),
        "answer_language": ("Antworte mir bitte immer auf Deutsch.", "Antworte mir bitte immer auf Französisch."),
        "time_zone": ("Meine Zeitzone ist Europe/Oslo.", "Meine Zeitzone ist Europe/Rome."),
        "dog": ("Mein Hund heißt Rex.", "Mein Hund heißt Bo."),
        "partner": ("Meine Frau heißt Lena.", "Meine Frau heißt Mia."),
        "indentation": ("Ich rücke Code mit Tabs ein.", "Ich rücke Code mit Leerzeichen ein."),
        "answer_length": ("Antworte mir immer kurz.", "Antworte mir immer ausführlich."),
    },
    "es": {
        "name": ("Me llamo Ana Ruiz.", "Me llamo Ben Moss."),
        "location": ("Vivo en Oslo.", "Vivo en Roma."),
        "job": ("Trabajo como enfermera.", "Trabajo como panadero."),
        "diet": ("Soy vegana.", "Ya no soy vegano."),
        "allergy": ("Soy alérgica a las nueces.", "Ya no soy alérgico a las nueces."),
        "answer_language": ("Respóndeme siempre en español.", "Respóndeme siempre en francés."),
        "time_zone": ("Mi zona horaria es Europe/Oslo.", "Mi zona horaria es Europe/Rome."),
        "dog": ("Mi perro se llama Rex.", "Mi perro se llama Bo."),
        "partner": ("Mi mujer se llama Lena.", "Mi mujer se llama Mia."),
        "indentation": ("Uso tabuladores en mi código.", "Uso espacios en mi código."),
        "answer_length": ("Respóndeme siempre con respuestas cortas.", "Respóndeme siempre con respuestas largas."),
    },
}


def said(text: str, name: str | None = None) -> dict[str, Any]:
    return {"role": "user", "content": text} | ({"name": name} if name else {})


async def tell(engine: AsyncToldOnce, clock: FakeClock, *messages: Mapping[str, Any], profile: str = "default") -> None:
    """Record the next messages of one conversation, and form them."""
    await engine.record(messages, user="x", conversation="c", scope=RequestScope(profile=profile))
    await engine.form()
    clock.advance(minutes=1)


async def known(engine: AsyncToldOnce, speaker: str, *kinds: MemoryKind) -> list[Memory]:
    """Return a speaker's memories of some kinds, closed ones too, oldest first."""
    listed = await engine.list(user="x", kinds=kinds or tuple(MemoryKind), closed=True, limit=999)
    return [memory for memory in reversed(listed) if memory.speaker == speaker]


async def held(engine: AsyncToldOnce, speaker: str, *kinds: MemoryKind) -> list[str]:
    """Return the texts of those that hold."""
    return [memory.text for memory in await known(engine, speaker, *kinds) if memory.state is MemoryState.ACTIVE]


def slots(memories: Sequence[Memory]) -> set[str]:
    return {memory.key.partition("@")[0].partition(":")[0] for memory in memories}


@pytest.mark.parametrize(
    ("language", "profile"),
    [
        pytest.param(language, profile, marks=() if language == "en" or profile == "default" else whole_only)
        for language in STATEMENTS
        for profile in ("default", "tiered", "user")
    ],
)
async def test_what_a_second_speaker_says_ends_nothing_of_the_first(
    engine: AsyncToldOnce, clock: FakeClock, language: str, profile: str
) -> None:
    pairs = STATEMENTS[language].values()
    await tell(engine, clock, *(said(mine, "Ana") for mine, _ in pairs), profile=profile)
    before = await known(engine, "Ana")

    await tell(engine, clock, *(said(theirs, "Ben") for _, theirs in pairs), profile=profile)

    assert before
    assert await known(engine, "Ana") == before
    assert {memory.state for memory in before} == {MemoryState.ACTIVE}
    facts = await known(engine, "Ana", FACT)
    assert profile == "user" or slots(facts) >= SLOTS[language]
    assert all(memory.key.endswith("@ana") for memory in facts)
    assert profile == "user" or slots(await known(engine, "Ben", FACT)) >= SLOTS[language] - {"diet", "allergy"}


@pytest.mark.parametrize("kind", DURABLE)
async def test_the_user_without_a_name_is_a_speaker_too(engine: AsyncToldOnce, clock: FakeClock) -> None:
    pairs = STATEMENTS["en"].values()
    await tell(engine, clock, *(said(mine) for mine, _ in pairs))

    await tell(engine, clock, *(said(theirs, "Ben") for _, theirs in pairs))

    mine, theirs = await known(engine, "user", FACT), await known(engine, "Ben", FACT)
    assert {memory.state for memory in (*mine, *theirs)} == {MemoryState.ACTIVE}
    assert {"location", "allergy:nuts"} <= {memory.key for memory in mine}
    assert {"location@ben", "dog:bo@ben"} <= {memory.key for memory in theirs}


@pytest.mark.parametrize("kind", DURABLE)
async def test_a_speakers_own_new_value_takes_the_place_of_the_old(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for name, text in (("Ana", "I live in Oslo."), ("Ben", "I live in Rome."), ("Ana", "I live in Bergen now.")):
        await tell(engine, clock, said(text, name))

    assert await held(engine, "Ana", FACT) == ['Ana said: "I live in Bergen now."']
    assert await held(engine, "Ben", FACT) == ['Ben said: "I live in Rome."']


async def test_two_speakers_may_say_the_same(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for name in ("Ana", "Ben"):
        await tell(engine, clock, said("I'm allergic to nuts.", name))

    assert await held(engine, "Ana", FACT) == ['Ana said: "I\'m allergic to nuts."']
    assert await held(engine, "Ben", FACT) == ['Ben said: "I\'m allergic to nuts."']


@pytest.mark.parametrize("profile", ["default", "tiered", "user"])
async def test_a_prompt_says_whose_fact_it_is(engine: AsyncToldOnce, clock: FakeClock, profile: str) -> None:
    for name, text in (("Ana", "I'm vegan and I live in Oslo."), ("Ben", "I live in Rome.")):
        await tell(engine, clock, said(text, name), profile=profile)

    shown = await engine.context("Where do we live?", user="x", scope=RequestScope(profile=profile))

    lines = shown.text.splitlines()
    assert all("Ana" in line for line in lines if "Oslo" in line or "vegan" in line)
    assert all("Ben" in line for line in lines if "Rome" in line)
    assert "Oslo" in shown.text
    assert "The user lives" not in shown.text


@pytest.mark.parametrize(
    ("statement", "request_", "words"),
    [
        ("I'm allergic to nuts.", "Please forget what I told you about nuts.", "nuts"),
        ("I live in Oslo.", "Forget where I live.", "Oslo"),
        ("Ich wohne in Oslo.", "Vergiss bitte, dass ich in Oslo wohne.", "Oslo"),
        ("Vivo en Oslo.", "Por favor, olvida que vivo en Oslo.", "Oslo"),
        ("My sister is called Rosa.", "Forget everything about me.", "Rosa"),
    ],
)
@pytest.mark.parametrize("profile", ["default", "user"])
async def test_a_request_to_forget_ends_the_speakers_own_words(
    engine: AsyncToldOnce, clock: FakeClock, statement: str, request_: str, words: str, profile: str
) -> None:
    for name in ("Ana", "Ben"):
        await tell(engine, clock, said(statement, name), profile=profile)

    await tell(engine, clock, said(request_, "Ben"), profile=profile)

    assert await held(engine, "Ana") == [memory.text for memory in await known(engine, "Ana")] != []
    assert not any(words in text for text in await held(engine, "Ben"))


async def test_a_request_that_names_another_speaker_ends_their_words(engine: AsyncToldOnce, clock: FakeClock) -> None:
    for name in ("Ana", "Ben"):
        await tell(engine, clock, said("I'm allergic to nuts.", name))

    await tell(engine, clock, said("Please forget Ana's nut allergy.", "Ben"))

    assert await held(engine, "Ana") == []


async def test_the_user_without_a_name_may_have_anybodys_words_forgotten(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    await tell(engine, clock, said("I'm allergic to nuts.", "Ana"))

    await tell(engine, clock, said("Please forget what you know about nuts."))

    assert await held(engine, "Ana") == []


async def test_people_who_talk_to_each_other_ask_nothing_of_us(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(
        engine,
        clock,
        said("I'm allergic to nuts.", "Ana"),
        {"role": "assistant", "name": "Ben", "content": "I know."},
        said("Please forget what I told you about nuts.", "Ana"),
    )

    assert "I'm allergic to nuts." in await held(engine, "Ana", TURN)


_SHOWN = re.compile(r"^\[(\d+)\] .*?: (\".*\")$", re.MULTILINE)


def slot_of_each(_: str, shown: str) -> object:
    """Make a fact of each message that says 'X is Y.', as a model does that pays no heed to the speaker."""
    items = []
    for number, quoted in _SHOWN.findall(shown.partition("New messages")[2] or shown):
        quote = json.loads(quoted)
        if found := re.fullmatch(r"My (\w+) is (\w+)\.", quote):
            key, value = found.groups()
            fact = {"kind": "fact", "category": "identity", "key": key, "value": value, "confidence": 0.9}
            text = {"text": f"The {key} is {value}.", "importance": 0.8, "message": int(number), "quote": quote}
            items.append(fact | text)
    return answer(*items)


@pytest.mark.parametrize("kind", DURABLE)
@pytest.mark.parametrize("profile", ["default", "tiered"])
async def test_slots_that_a_model_fills_belong_to_their_speaker(
    parts: Components, clock: FakeClock, profile: str
) -> None:
    engine = with_model(parts, ScriptedModel(slot_of_each))
    spoken = [("Ana", "Oslo"), ("Ben", "Rome"), (None, "Lima"), ("Ana", "Bergen")]
    for name, home in spoken:
        await tell(engine, clock, said(f"My home is {home}.", name), profile=profile)

    facts = [memory for speaker in ("Ana", "Ben", "user") for memory in await known(engine, speaker, FACT)]

    assert {(memory.key, memory.value) for memory in facts if memory.state is MemoryState.ACTIVE} == {
        ("location@ana", "Bergen"),
        ("location@ben", "Rome"),
        ("location", "Lima"),
    }
    assert [memory.value for memory in facts if memory.state is MemoryState.CLOSED] == ["Oslo"]
