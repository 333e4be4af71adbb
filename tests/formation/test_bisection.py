"""A turn that the model refuses, or answers with nonsense, costs only itself."""

import re
from collections.abc import Callable
from dataclasses import replace
from pathlib import Path

import pytest

from sample_chats import answer, assistant, note, slots, texts, user, with_model
from soak import SOAK, sampled
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components
from toldonce.errors import ModelError, ModelFault
from toldonce.formation.bisection import BY_RULES
from toldonce.profiles.registry import ProfileRegistry
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, FormationStatus, MemoryKind

BAD = "My landlord Viktor threatened me with a knife, and I am allergic to latex."
TALK = [
    "I keep bees on the roof of my house.",
    "My daughter Ines plays the trombone.",
    BAD,
    "I drive a blue van from 1988.",
    "My brother Tomasz repairs church organs.",
]
NONSENSE: dict[str, Callable[[], object]] = {
    "refuses": lambda: ModelError("the model refused, in 40 characters without JSON"),
    "says nothing": lambda: ModelError("the model's answer is empty"),
    "answers an empty text": lambda: "",
    "answers null": lambda: None,
    "answers in prose": lambda: "I'm sorry, but I can't help with that.",
    "answers in another schema": lambda: {"facts": [{"subject": "user"}]},
    "answers with items of another schema": lambda: {"memories": [{"claim": "x"}, "y", 3]},
}


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


def perfect(system: str, asked: str) -> object:
    """Answer with a note of each user message shown."""
    shown = re.findall(r'(?m)^\[(\d+)\] (?:\w+ [^,\n]+, )?"user": "(.*)"$', asked.split("essages", 1)[-1])
    return answer(*(note(f"{text.rstrip('.')}!", text, message=int(place)) for place, text in shown))


def failing(bad: str, fails: Callable[[], object]) -> ScriptedModel:
    """Answer perfectly, but fail wherever a text is shown."""
    return ScriptedModel(lambda system, asked: fails() if bad in asked else perfect(system, asked))


async def told(engine: AsyncToldOnce, clock: FakeClock, *said: str, apart: bool = False) -> None:
    """Say it in one go or turn by turn, and let the worker work for some minutes."""
    for text in said:
        await engine.record([user(text), assistant("I see.")], user="ana", conversation="c")
        if apart:
            await passed(engine, clock)
    await passed(engine, clock)


async def passed(engine: AsyncToldOnce, clock: FakeClock, *, minutes: int = 10) -> None:
    for _ in range(minutes):
        await engine.form()
        clock.advance(minutes=1)


async def reasons(engine: AsyncToldOnce) -> list[tuple[int | None, str]]:
    lines = await engine.history.decisions(user="ana")
    return [(line.seq, line.reason) for line in lines if line.action is Action.IGNORE]


async def extraction(engine: AsyncToldOnce) -> FormationStatus:
    listed = await engine.admin.formations(limit=1000)
    [status] = [
        formation for formation in listed if formation.key.stage == "extract" and formation.key.subject.name == "ana"
    ]
    return status


# Turn by turn, the model is asked about each of them alone, so one way to fail is enough.
@pytest.mark.parametrize(
    ("how", "apart"), [*((how, False) for how in NONSENSE), *((how, True) for how in sampled(NONSENSE, len(NONSENSE)))]
)
async def test_only_the_bad_turn_is_read_by_the_rules(
    parts: Components, clock: FakeClock, how: str, *, apart: bool
) -> None:
    engine = with_model(parts, failing("Viktor", NONSENSE[how]))
    await told(engine, clock, *TALK, apart=apart)
    known = await texts(engine)
    assert {f"{text.rstrip('.')}!" for text in TALK if text != BAD} <= known, "the model read all other turns"
    assert "latex" in (await slots(engine)).values(), "the rules read this one"
    why = [(seq, reason) for seq, reason in await reasons(engine) if reason.startswith(BY_RULES)]
    assert [seq for seq, _ in why] == [2 * TALK.index(BAD) + 1]
    status = await extraction(engine)
    assert (status.formed_seq, status.parked, status.error, status.due_at) == (2 * len(TALK), False, None, None)


async def test_what_no_slot_holds_of_the_bad_turn_is_kept_in_its_words(parts: Components, clock: FakeClock) -> None:
    bad = "My knee has hurt since Viktor pushed me down the stairs."
    engine = with_model(parts, failing("Viktor", NONSENSE["refuses"]))
    await told(engine, clock, TALK[0], bad)
    assert [kept.text for kept in await engine.list(user="ana") if kept.kind is MemoryKind.TURN] == [bad]


@pytest.mark.parametrize("place", range(5))
async def test_the_bad_turn_may_be_anywhere(parts: Components, clock: FakeClock, place: int) -> None:
    said = [text for text in TALK if text != BAD]
    said.insert(place, BAD)
    engine = with_model(parts, failing("Viktor", NONSENSE["refuses"]))
    await told(engine, clock, *said)
    assert {f"{text.rstrip('.')}!" for text in TALK if text != BAD} <= await texts(engine)
    assert "latex" in (await slots(engine)).values()


async def test_several_bad_turns_cost_only_themselves(parts: Components, clock: FakeClock) -> None:
    worse = "I was born in Tallinn, and Viktor knows it."
    engine = with_model(parts, failing("Viktor", NONSENSE["answers in prose"]))
    await told(engine, clock, TALK[0], BAD, worse, TALK[1], TALK[3], TALK[4], BAD)
    assert {f"{text.rstrip('.')}!" for text in (TALK[0], TALK[1], TALK[3], TALK[4])} <= await texts(engine)
    by_rules = [seq for seq, reason in await reasons(engine) if reason.startswith(BY_RULES)]
    assert sorted(seq or 0 for seq in by_rules) == [3, 5, 13]


async def test_the_bad_turn_and_its_memory_spoil_no_later_question(parts: Components, clock: FakeClock) -> None:
    """The turn is shown as context of the next ones, and its memory as known: the model refuses those, too."""
    engine = with_model(parts, failing("latex", NONSENSE["refuses"]))
    later = ["I bought gloves without latex-like smell at Karlsson's.".replace("latex-like", "rubber"), *TALK[3:]]
    await told(engine, clock, BAD, apart=True)
    await told(engine, clock, *later, apart=True)
    assert {f"{text.rstrip('.')}!" for text in later} <= await texts(engine)
    assert [seq for seq, reason in await reasons(engine) if reason.startswith(BY_RULES)] == [1]


async def test_a_passing_fluke_is_asked_again_and_read_by_the_model(parts: Components, clock: FakeClock) -> None:
    failures = [ModelError("a fluke")]
    engine = with_model(parts, ScriptedModel(lambda *asked: failures.pop() if failures else perfect(*asked)))
    await told(engine, clock, BAD)
    assert f"{BAD.rstrip('.')}!" in await texts(engine)
    assert [reason for _, reason in await reasons(engine)] == []


async def test_an_outage_defers_all_of_it_and_the_rules_read_nothing(parts: Components, clock: FakeClock) -> None:
    down = True

    def says(system: str, asked: str) -> object:
        return ModelError("cannot be reached", fault=ModelFault.SERVER) if down else perfect(system, asked)

    engine = with_model(parts, ScriptedModel(says))
    await told(engine, clock, *TALK)
    status = await extraction(engine)
    assert (status.formed_seq, status.parked, status.attempts) == (0, False, 0)
    assert await slots(engine) == {}
    down = False
    await passed(engine, clock)
    assert {f"{text.rstrip('.')}!" for text in TALK} <= await texts(engine)
    assert [reason for _, reason in await reasons(engine) if reason.startswith(BY_RULES)] == []


async def test_a_turn_that_times_out_every_time_costs_only_itself(parts: Components, clock: FakeClock) -> None:
    def hangs(system: str, asked: str) -> object:
        late = ModelError("no answer in time", fault=ModelFault.UNKNOWN)
        return late if "Viktor" in asked else perfect(system, asked)

    engine = with_model(parts, ScriptedModel(hangs))
    for number, text in enumerate(TALK):
        await engine.record([user(text), assistant("I see.")], user="ana", conversation="c")
        # Other users are served meanwhile, so that it does not look like an outage.
        await engine.record([user(f"I live at {number} Elm Road.")], user=f"user{number}")
    for number in range(30 if SOAK else 18):
        await engine.record([user(f"I have {number} cousins.")], user=f"later{number}")
        await passed(engine, clock, minutes=1)
    assert {f"{text.rstrip('.')}!" for text in TALK[3:]} <= await texts(engine), "what came afterwards is formed"
    assert "latex" in (await slots(engine)).values()
    assert await engine.admin.formations(parked=True) == []


async def test_the_rules_write_the_paragraph_where_the_model_refuses(
    parts: Components, clock: FakeClock, tmp_path: Path
) -> None:
    text = 'extends = "app"\n[subject]\nkind = "user"\n[budget]\ncapacity = 0\nmax_share = 1\n'
    text += '[form]\non_error = "retry"\n'
    (tmp_path / "diary.toml").write_text(text, "utf-8")
    settings = parts.settings.model_copy(update={"profile": "diary"})
    diary = replace(parts, profiles=ProfileRegistry(tmp_path), settings=settings)
    engine = with_model(diary, failing("Viktor", NONSENSE["refuses"]))
    await told(engine, clock, *TALK)
    await engine.conversations.end("c", user="ana")
    await passed(engine, clock)
    [paragraph] = await texts(engine)
    assert "The user said: " in paragraph
    assert len([reason for _, reason in await reasons(engine) if reason.startswith(BY_RULES)]) == 1
