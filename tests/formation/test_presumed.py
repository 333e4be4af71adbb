"""What an assistant makes up about the user never comes back into a prompt."""

import pytest

from sample_chats import assistant, tell, texts, user
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce
from toldonce.types import MemoryKind


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


async def quoted(engine: AsyncToldOnce) -> list[str]:
    return [" ".join(text.split()) for text in await texts(engine, kinds=(MemoryKind.TURN,))]


INVENTED = "As you live in Ghent and have two greyhounds, take the ground floor. The ferry to Antwerp leaves at 9."


async def test_an_invention_is_in_no_prompt_and_the_rest_of_the_answer_is(engine: AsyncToldOnce) -> None:
    await tell(engine, user("Which flat should I take?"), assistant(INVENTED))

    assert "greyhounds" not in " ".join(await quoted(engine))
    assert any("ferry to Antwerp" in text for text in await quoted(engine))
    for question in ("Do I have dogs, greyhounds?", "Where do I live, in Ghent?"):
        context = await engine.context(question, user="ana")
        assert "greyhounds" not in context.text
        assert "Ghent" not in context.text


async def test_what_the_user_says_to_it_is_the_users_word(engine: AsyncToldOnce) -> None:
    await tell(engine, user("Which flat should I take?"), assistant(INVENTED), user("Right, I have two greyhounds."))

    context = await engine.context("Do I have dogs, greyhounds?", user="ana")
    assert "greyhounds" in context.text
    assert "ground floor" not in context.text


async def test_small_talk_of_the_assistant_is_no_quotation(engine: AsyncToldOnce) -> None:
    await tell(engine, user("I sold the mill in Damme."), assistant("Great, with the five nephews then."))
    assert not [text for text in await quoted(engine) if "nephews" in text]


@pytest.mark.parametrize(
    "said",
    [
        "I mark the essays of year 9. I just LOVE marking on sundays /s",
        "Ich korrigiere Aufsätze der 9b. Sonntags am liebsten, haha 😂",
        "Corrijo redacciones de noveno. Me encanta los domingos, jajaja",
    ],
)
async def test_what_a_user_says_in_jest_is_quoted_whole(engine: AsyncToldOnce, said: str) -> None:
    await tell(engine, user(said), assistant("Hm."))
    assert said in (await engine.context(said.partition(".")[0] + " Really so?", user="ana")).text
