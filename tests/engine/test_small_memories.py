"""What bears on a message is in its prompt, and what does not stays out, however little is known."""

import pytest

from soak import sampled
from toldonce import AsyncToldOnce
from toldonce.recall.recall import MIN_SHOWN_OF_FEW
from toldonce.testing import FakeClock

TOLD = {
    "en": (
        ["My sister Clara paints landscapes.", "I bake sourdough every weekend.", "I sold the old canoe."],
        ["The boiler broke again.", "I have a meeting with the bank.", "I painted the kitchen green."],
        ["Our neighbour drums at night.", "I finished my pottery course.", "I read a book about whales."],
    ),
    "de": (
        ["Meine Schwester Clara malt Landschaften.", "Ich backe jedes Wochenende Brot.", "Das alte Kanu ist verkauft."],
        ["Die Heizung ist wieder kaputt.", "Ich habe einen Termin bei der Bank.", "Die Küche ist jetzt grün."],
        ["Unser Nachbar trommelt nachts.", "Der Töpferkurs ist vorbei.", "Ich habe ein Buch über Wale gelesen."],
    ),
    "es": (
        ["Mi hermana Clara pinta paisajes.", "Hago pan cada fin de semana.", "Vendí la vieja canoa."],
        ["La caldera se rompió otra vez.", "Tengo una cita en el banco.", "Pinté la cocina de verde."],
        ["El vecino toca el tambor de noche.", "Terminé el curso de cerámica.", "Leí un libro sobre ballenas."],
    ),
}
ASKED = {
    "en": ("Any gift ideas for my sister?", "Clara"),
    "de": ("Hast du Geschenkideen für meine Schwester?", "Clara"),
    "es": ("¿Qué le regalo a mi hermana?", "Clara"),
}


@pytest.mark.parametrize("language", TOLD)
async def test_a_question_brings_what_bears_on_it_and_not_all_there_is(language: str) -> None:
    said = [text for session in TOLD[language] for text in session]
    question, wanted = ASKED[language]
    async with await AsyncToldOnce.open("sqlite:///:memory:", clock=FakeClock()) as engine:
        for number, session in enumerate(TOLD[language]):
            for text in session:
                told = [{"role": "user", "content": text}, {"role": "assistant", "content": "I see."}]
                await engine.record(told, user="ana", conversation=f"chat {number}")
        await engine.form()
        prompt = await engine.prompt(question, conversation="new", user="ana")
        everything = await engine.prompt("What do you know about me?", conversation="other", user="ana")

    shown = [text for text in said if any(text in message["content"] for message in prompt)]
    assert any(wanted in text for text in shown)
    assert len(shown) <= MIN_SHOWN_OF_FEW
    known = [text for text in said if any(text in message["content"] for message in everything)]
    assert len(known) > len(shown)


SAID = [
    ("我现在住在卑尔根。", "我住哪里？"),
    ("我搬到了卑尔根。", "我现在住在哪个城市？"),
    ("私は今ベルゲンに住んでいます。", "どこに住んでる？"),
    ("Ich wohne jetzt in Bergen.", "Wo wohne ich?"),
]
THINGS = "茶 花 书 车 猫 狗 琴 伞 灯 表 鞋 帽 船 刀 碗 杯 笔 纸 画 球 糖 盐 米 豆 鱼 虾 鸡 鸭 牛 羊 马 鸟".split()


@pytest.mark.parametrize(("told", "question"), sampled(SAID, 3))
async def test_among_many_memories_what_was_said_a_moment_ago_is_known(told: str, question: str) -> None:
    clock = FakeClock()
    async with await AsyncToldOnce.open("sqlite:///:memory:", clock=clock) as engine:
        for number, thing in enumerate(THINGS):
            said = [
                {"role": "user", "content": f"我昨天看见一{thing}，很喜欢。"},
                {"role": "assistant", "content": "嗯。"},
            ]
            await engine.record(said, user="ana", conversation=f"chat {number // 8}")
        await engine.form()
        clock.advance(days=1)
        await engine.record([{"role": "user", "content": told}], user="ana", conversation="before")
        prompt = await engine.prompt(question, conversation="new", user="ana")

    assert any(told in message["content"] for message in prompt)
