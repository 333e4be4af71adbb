"""Speakers of other languages than English have a profile, too: from the message to the prompt, without a model."""

import pytest

from chats import tiered_parts
from sample_chats import slots, tell
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock
from toldonce.types import MemoryKind

LIVES = {
    "german": (
        ["Ich heiße Tomke und wohne in Leipzig.", "bin allergisch gegen walnüsse", "ich wohne jetzt in Halle"],
        {"name": "Tomke", "location": "Halle", "allergy:walnüsse": "walnüsse"},
        '"ich wohne jetzt in Halle"',
    ),
    "spanish": (
        ["me llamo Itziar y soy vegana", "vivo en Bilbao", "nos mudamos a Cuenca", "respondeme siempre en español"],
        {"name": "Itziar", "diet": "vegan", "location": "Cuenca", "answer_language": "Spanish"},
        '"respondeme siempre en español"',
    ),
    "russian": (
        ["Меня зовут Глафира.", "Живу в Самаре.", "Моего мужа зовут Артур."],
        {"name": "Глафира", "location": "Самаре", "partner": "Артур"},
        '"Моего мужа зовут Артур."',
    ),
    "chinese": (
        ["我叫沈若琳。", "我住在昆明。", "我对芒果过敏", "我搬到了厦门"],
        {"name": "沈若琳", "location": "厦门", "allergy:芒果": "芒果"},
        '"我搬到了厦门"',
    ),
    "japanese": (
        ["私の名前は野村さくらです。", "金沢に住んでいます", "看護師をしています"],
        {"name": "野村さくら", "location": "金沢", "job": "看護師"},
        '"金沢に住んでいます"',
    ),
    "arabic": (
        ["اسمي رنا", "أسكن في طنجة", "عندي حساسية من السمك"],
        {"name": "رنا", "location": "طنجة", "allergy:السمك": "السمك"},
        '"عندي حساسية من السمك"',
    ),
}


@pytest.mark.parametrize(("told", "known", "sentence"), LIVES.values(), ids=LIVES)
async def test_the_profile_block_knows_speakers_of_other_languages(
    engine: AsyncToldOnce, clock: FakeClock, told: list[str], known: dict[str, str], sentence: str
) -> None:
    for message in told:
        await tell(engine, message)
        clock.advance(days=1)

    assert await slots(engine) == known
    context = await engine.context("Hello again!", user="ana")
    assert sentence in context.text


async def test_the_tiered_profile_knows_speakers_of_other_languages(parts: Components) -> None:
    async with AsyncToldOnce(tiered_parts(parts)) as engine:
        for message in ("Je m'appelle Corentin.", "J'habite à Rennes.", "je suis allergique aux arachides"):
            await tell(engine, message)

        context = await engine.context("Salut !", user="ana")

    for line in ("name: Corentin", "location: Rennes", "allergy: arachides"):
        assert line in context.text


async def test_a_memory_of_another_language_is_as_it_was_said(engine: AsyncToldOnce) -> None:
    await tell(engine, "wohne seit kurzem in rostock, was kann man da machen?")

    assert await slots(engine) == {"location": "rostock"}
    [fact] = await engine.list(user="ana", kinds=(MemoryKind.FACT,))
    assert fact.text == 'The user said: "wohne seit kurzem in rostock, was kann man da machen?"'


@pytest.mark.parametrize(
    ("says", "denies", "key"),
    [
        ("ich wohne in ulm und bin vegetarier", "ich bin kein vegetarier mehr", "diet"),
        ("vivo en Soria y soy vegano", "ya no soy vegano", "diet"),
        ("je suis végétarienne", "je ne suis plus végétarienne", "diet"),
        ("I'm vegan.", "I'm not vegan for the animals.", "diet"),
        (
            "Soy alérgico a los cacahuetes.",
            "Mi hermana dice que no soy alérgico a los cacahuetes.",
            "allergy:cacahuetes",
        ),
        ("私はえびアレルギーです。", "夢の中で私はえびアレルギーではなかった。", "allergy:えび"),
        ("我对花生过敏。", "我不再对花生过敏。", "allergy:花生"),
        ("I work at Nokia.", "I no longer work at Nokia on Fridays.", "employer"),
        ("Moro em Braga.", "No meu romance já não moro em Braga.", "location"),
    ],
)
async def test_a_denial_ends_no_fact_and_is_shown_with_it(
    engine: AsyncToldOnce, clock: FakeClock, says: str, denies: str, key: str
) -> None:
    await tell(engine, says)
    assert key in await slots(engine)
    clock.advance(days=1)
    await tell(engine, denies)

    assert key in await slots(engine)
    prompt = await engine.prompt("Any ideas for tomorrow?", conversation="new", user="ana")
    assert any(denies in message["content"] for message in prompt)
