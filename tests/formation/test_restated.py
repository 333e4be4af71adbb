"""What a model put into words of its own ends with news that it refuses and the rules read."""

import pytest

from recollect.engine import AsyncRecollect, Components
from recollect.errors import ModelError
from recollect.testing import FakeClock, ScriptedModel
from recollect.text.updates import contradicts, read_update
from recollect.types import MemoryState
from sample_chats import answer, note, texts, user, with_model
from stores import STORES


@pytest.fixture(params=STORES)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def told(parts: Components, clock: FakeClock, said: str, text: str, news: str) -> AsyncRecollect:
    """Let a model note one message in its own words, and refuse the next one."""

    def read(_system: str, asked: str) -> object:
        shown = asked.rpartition("Messages:\n")[2]
        if news in shown:
            return ModelError("the model refused")
        return answer(note(text, said)) if said in shown else answer()

    engine = with_model(parts, ScriptedModel(read))
    for words in (said, news):
        await engine.record([user(words)], user="ana", conversation=words[:5])
        for _ in range(12):
            await engine.form()
            clock.advance(minutes=5)
    return engine


ENDED = [
    ("i take 20 mg of citalopram at breakfast", "Mira takes 20 mg of citalopram.", "I take 30 mg of citalopram now."),
    ("we live in Bruges, above a bakery", "Mira's home is in Bruges.", "I moved to Ostend last week."),
    ("I work at Telia", "Telia employs Mira.", "I work at Ericsson now."),
    (
        "the parking permit is 80 a year",
        "A parking permit costs Mira 80 a year.",
        "the parking permit is 95 a year now.",
    ),
]
KEPT = [
    ("i take 20 mg of citalopram at breakfast", "Mira takes 20 mg of citalopram.", "I take 5 mg of ramipril now."),
    ("my mum lives in Bruges", "Mira's mother lives in Bruges.", "I moved to Ostend last week."),
    ("I pay 80 for the parking permit", "Mira's parking permit costs 80.", "I pay 40 for the gym now."),
    ("I work as a nurse", "Mira is a nurse.", "I also work as a tutor now."),
    ("I'm 41 and my dog Bo is a beagle", "Mira's dog Bo is a beagle.", "I'm 42 since yesterday."),
    ("the parking permit is 80 a year", "A parking permit costs Mira 80 a year.", "the gym is 95 a year now."),
]


@pytest.mark.parametrize(("said", "text", "news"), ENDED)
async def test_a_note_in_other_words_ends_with_news_that_the_model_refuses(
    parts: Components, clock: FakeClock, said: str, text: str, news: str
) -> None:
    engine = await told(parts, clock, said, text, news)
    assert text not in await texts(engine)
    [closed] = [memory for memory in await engine.list(user="ana", closed=True) if memory.text == text]
    assert closed.state is MemoryState.CLOSED
    prompt = await engine.context(said, user="ana")
    assert text not in prompt.text


@pytest.mark.parametrize(("said", "text", "news"), KEPT)
async def test_a_note_of_something_else_stays(
    parts: Components, clock: FakeClock, said: str, text: str, news: str
) -> None:
    assert text in await texts(await told(parts, clock, said, text, news))


@pytest.mark.parametrize(
    ("news", "before", "is_over"),
    [
        ("I take 5 mg of ramipril now.", "i take 20 mg of citalopram at breakfast", False),
        ("I take 30 mg of citalopram now.", "i take 20 mg of citalopram at breakfast", True),
        ("I pay 40 for the gym now.", "i pay 80 for the parking permit", False),
        ("I pay 95 for the parking permit now.", "i pay 80 for the parking permit", True),
        ("I get 300 for the blog now.", "I get 900 from the clinic", False),
        ("I drink 2 coffees a day now.", "I drink 3 coffees a day", True),
        ("I drink 2 coffees a day now.", "I drink 3 litres of water a day", False),
    ],
)
def test_an_amount_of_one_thing_is_none_of_another(news: str, before: str, is_over: bool) -> None:
    update = read_update(news)
    assert (update is not None and contradicts(update, before)) is is_over
