"""With a model the gate hides nothing but courtesies and bare code, and an answer is read with its question."""

from dataclasses import replace

import pytest

from sample_chats import answer, assistant, note, tell, user
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import ScriptedModel


def reading(parts: Components, *items: dict[str, object]) -> tuple[AsyncToldOnce, ScriptedModel]:
    model = ScriptedModel(lambda _system, _asked: answer(*items))
    return AsyncToldOnce(replace(parts, model=model)), model


@pytest.mark.parametrize(
    "text",
    [
        "The vet says the limp is gone.",
        "The grant proposal closes on April 2nd",
        "It's Noor, not Nora.",
        "Two boys and a girl.",
        "Which shoes suit a nurse on her feet all day?",
        "Sono celiaca",
        "花生过敏",
        "I'm celiac, what can I eat in Rome?",
        "Was kann ich als Vegetarierin in Rom essen?",
        "Soy celíaca, ¿qué puedo comer en Roma?",
        "我对花生过敏，在罗马能吃什么？",
        "У меня целиакия, что мне есть в Риме?",
        "セリアック病なんですが、ローマで何を食べられますか？",
        "Can you always answer in French?",
    ],
)
async def test_s3_what_tells_without_i_or_my_reaches_the_model(
    engine: AsyncToldOnce, parts: Components, text: str
) -> None:
    asking, model = reading(parts)
    await tell(asking, text)
    assert len(model.calls) == 1
    assert text in model.calls[0].user


@pytest.mark.parametrize("text", ["富士山の高さは？", "Who wrote Faust?", "¿Puedes explicarlo otra vez?"])
async def test_a_question_that_tells_nothing_costs_no_call(engine: AsyncToldOnce, parts: Components, text: str) -> None:
    asking, model = reading(parts)
    await tell(asking, text)
    assert model.calls == []
    assert parts.metrics.skipped["question"] == 1


async def test_courtesies_and_code_cost_no_call_and_are_counted(engine: AsyncToldOnce, parts: Components) -> None:
    asking, model = reading(parts)
    for text in ("Hi!", "Merci beaucoup !", "ok", "```\nx = 5\n```", "def f(x):\n    return x", "👍"):
        await tell(asking, text)
    assert model.calls == []
    counts = {"courtesy": 3, "code": 2, "empty": 1, "carried": 0}
    assert {reason: parts.metrics.skipped[reason] for reason in counts} == counts


@pytest.mark.parametrize(
    "text", ["Im Keller habe ich ein Labor für C++", "new roleplay, I am still the cat (cats can type here)"]
)
async def test_what_only_looks_like_code_is_shown(engine: AsyncToldOnce, parts: Components, text: str) -> None:
    asking, model = reading(parts)
    await tell(asking, text)
    assert len(model.calls) == 1
    assert parts.metrics.skipped["code"] == 0


async def test_a_message_with_words_of_others_alone_is_counted_as_such(parts: Components) -> None:
    asking, model = reading(parts)
    await tell(asking, "> I live in Oslo.")
    assert model.calls == []
    assert parts.metrics.skipped["carried"] == 1


GAME = "Let's role-play! I'm the captain and you're my mate."


@pytest.mark.parametrize(
    ("text", "quote", "taken"),
    [
        ("The user likes role plays on ships in which they are the captain.", "I'm the captain", True),
        ("The user likes stories about Tortuga.", "I was born in Tortuga", True),
        ("I was born in Tortuga.", "I was born in Tortuga", False),
        ("The user likes role plays in Nassau.", "I was born in Nassau", False),
    ],
)
async def test_what_is_said_in_a_game_is_evidence_for_the_game_alone(
    parts: Components, text: str, quote: str, taken: bool
) -> None:
    message = 3 if "Tortuga" in quote else 1
    asking, model = reading(parts, note(text, quote, message=message))
    await tell(asking, GAME, assistant("Aye!"), "I was born in Tortuga.")
    assert 'invented: "I was born in Tortuga."' in model.calls[-1].user
    assert "is part of a game, a story or a supposition" in model.calls[-1].user
    assert ([memory.text for memory in await asking.list(user="ana")] == [text]) is taken


async def test_a_game_is_no_fact_and_forgets_nothing(parts: Components) -> None:
    fact = {
        **note("The user likes stories.", "I was born in Tortuga"),
        "kind": "fact",
        "category": "name",
        "key": "birthplace",
        "value": "Tortuga",
    }
    asking, _ = reading(parts, fact)
    await tell(asking, f"{GAME} I was born in Tortuga.")
    assert await asking.list(user="ana") == []


async def test_a_short_answer_is_shown_after_its_question(engine: AsyncToldOnce, parts: Components) -> None:
    item = note("The user is allergic to shellfish.", "shellfish")
    asking, model = reading(parts, item)
    long = "Here is what I would pack for the trip. " * 20
    await asking.record([user("Plan my dinner"), assistant(f"{long}Any allergies I should know of?")], user="ana")
    await asking.form()
    await asking.record(
        [
            user("Plan my dinner"),
            assistant(f"{long}Any allergies I should know of?"),
            user("Yes, shellfish."),
        ],
        user="ana",
    )
    await asking.form()
    assert "Any allergies I should know of?" in model.calls[-1].user
    assert "The user is allergic to shellfish." in [memory.text for memory in await engine.list(user="ana")]


@pytest.mark.parametrize(
    ("question", "said", "text", "taken"),
    [
        ("Are you allergic to shellfish?", "Yes.", "The user is allergic to shellfish.", True),
        ("Are you allergic to shellfish?", "yes I am", "The user is allergic to shellfish.", True),
        ("Do you smoke cigars?", "No.", "The user does not smoke cigars.", True),
        ("Do you smoke cigars?", "No.", "The user smokes cigars.", False),
        ("As you keep three cats, shall I add a vet?", "Yes.", "The user keeps three cats.", False),
        ("You keep three cats.", "Yes.", "The user keeps three cats.", False),
        ("Shall I book the table?", "Yes.", "The user lives in Antwerp.", False),
    ],
)
async def test_a_bare_answer_is_evidence_for_what_was_asked_alone(
    engine: AsyncToldOnce, parts: Components, question: str, said: str, text: str, taken: bool
) -> None:
    asking, _ = reading(parts, note(text, said, message=3))
    await tell(asking, "I need help with the week", assistant(question), said)
    assert (text in [memory.text for memory in await engine.list(user="ana")]) is taken


async def test_a_whole_answer_may_be_shorter_than_a_quote(engine: AsyncToldOnce, parts: Components) -> None:
    asking, _ = reading(parts, note("The user wears shoes of size 42.", "42", message=3))
    await tell(asking, "I want new boots", assistant("What is your shoe size?"), "42")
    assert "The user wears shoes of size 42." in [memory.text for memory in await engine.list(user="ana")]


async def test_a_bare_question_costs_no_call_and_one_that_tells_something_is_shown(
    engine: AsyncToldOnce, parts: Components
) -> None:
    asking, model = reading(parts)
    await tell(asking, "Is it?")
    assert (len(model.calls), parts.metrics.skipped["question"]) == (0, 1)
    for text in (
        "What can I cook for my vegan daughter?",
        "Was koche ich für meine vegane Tochter?",
        "我对花生过敏可以吃什么？",
    ):
        await tell(asking, text)
        assert text in model.calls[-1].user
    assert parts.metrics.skipped["question"] == 1
