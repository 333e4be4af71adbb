"""A formation asks a model what the rules leave open, once."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import numpy.typing as npt
import pytest

from sample_chats import answer, note, tell
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.registry import ProfileRegistry
from toldonce.testing import ScriptedModel, WordEmbedder
from toldonce.types import CostPurpose


class Alike(WordEmbedder):
    """Holds all texts that share a word for similar."""

    def relevance(self, cosine: npt.NDArray[np.float32]) -> npt.NDArray[np.float32]:
        return np.where(cosine > 0, np.float32(0.95), np.float32(0))


async def test_what_is_open_costs_one_more_call_and_its_word_is_followed(
    engine: AsyncToldOnce, parts: Components
) -> None:
    known = "The user has a garden on the roof."
    await engine.add(known, user="ana")
    parts.clock.advance(days=1)  # type: ignore[attr-defined]  # the tests' clock
    item = note("The user now grows tomatoes instead of herbs up on the roof.", "tomatoes instead of herbs")
    model = ScriptedModel([answer(item), {"decisions": [{"candidate": 1, "action": "replace", "target": 1}]}])
    asking = AsyncToldOnce(replace(parts, model=model, embedder=Alike()))
    await tell(asking, "On the roof I grow tomatoes instead of herbs.")
    assert [call.schema_name for call in model.calls] == ["memories", "judge"]
    assert known in model.calls[1].user
    [line] = [decision for decision in await engine.history.decisions(user="ana") if "tomatoes" in decision.text]
    assert (line.action.value, line.reason) == ("replace", "a model says that it corrects this")
    today = (await engine.admin.energy(user="ana")).today
    assert {purpose: (spent.calls, spent.units) for purpose, spent in today.items()} == {
        CostPurpose.CREATE: (1, 12),
        CostPurpose.JUDGE: (1, 0),
    }


async def test_where_the_judge_may_not_be_asked_the_rules_decide_and_costs_stay(
    engine: AsyncToldOnce, parts: Components, tmp_path: Path
) -> None:
    (tmp_path / "capped.toml").write_text('description = "x"\n[budget]\ntokens_per_day = 20\n', "utf-8")
    capped = parts.settings.model_copy(update={"profile": "capped"})
    await engine.add("The user has a garden on the roof.", user="ana")
    item = note("The user now grows tomatoes instead of herbs up on the roof.", "tomatoes instead of herbs")
    model = ScriptedModel([answer(item)])
    asking = AsyncToldOnce(
        replace(parts, model=model, embedder=Alike(), settings=capped, profiles=ProfileRegistry(tmp_path))
    )
    await tell(asking, "On the roof I grow tomatoes instead of herbs.")
    assert [call.schema_name for call in model.calls] == ["memories"]
    assert "tomatoes" in " ".join([memory.text for memory in await engine.list(user="ana")])
    assert (await engine.admin.energy(user="ana")).today[CostPurpose.CREATE].calls == 1


async def test_a2_a8_where_energy_is_rationed_a_judge_that_is_asked_costs_some(
    engine: AsyncToldOnce, parts: Components, tmp_path: Path
) -> None:
    (tmp_path / "rationed.toml").write_text('description = "x"\n[budget]\ncapacity = 100\njudge = 0.6\n', "utf-8")
    rationed = parts.settings.model_copy(update={"profile": "rationed"})
    await engine.add("The user gets up at dawn.", user="ana")
    item = note("The user is a night owl.", "I'm a night owl") | {"updates": 1}
    model = ScriptedModel([answer(item), {"decisions": [{"candidate": 1, "action": "add", "target": None}]}])
    asking = AsyncToldOnce(replace(parts, model=model, settings=rationed, profiles=ProfileRegistry(tmp_path)))
    await tell(asking, "I'm a night owl, and I hate mornings.")
    status = await asking.admin.energy(user="ana")
    assert (status.today[CostPurpose.JUDGE].calls, status.today[CostPurpose.JUDGE].units) == (1, 0.6)
    assert status.level == pytest.approx(100 - 12 - 0.6)
    assert ProfileRegistry().get("app").budget.judge > 0


async def test_without_a_model_nothing_is_asked_and_the_rules_decide(engine: AsyncToldOnce, parts: Components) -> None:
    await engine.add("The user has a garden on the roof.", user="ana")
    ruled = AsyncToldOnce(replace(parts, embedder=Alike()))
    await tell(ruled, "I have a small dog that sleeps on the roof.")
    assert {line.reason for line in await engine.history.decisions(user="ana")} <= {"added by hand", "new"}


@pytest.mark.parametrize(("word", "stands"), [("replace", False), ("add", True)])
async def test_a_correction_of_something_unlike_is_asked_and_the_answer_followed(
    engine: AsyncToldOnce, parts: Components, word: str, stands: bool
) -> None:
    known = "The user gets up at dawn."
    await engine.add(known, user="ana")
    parts.clock.advance(days=1)  # type: ignore[attr-defined]  # the tests' clock
    item = note("The user is a night owl.", "I'm a night owl") | {"updates": 1}
    target = 1 if word == "replace" else None
    model = ScriptedModel([answer(item), {"decisions": [{"candidate": 1, "action": word, "target": target}]}])
    await tell(AsyncToldOnce(replace(parts, model=model)), "I'm a night owl, and I hate mornings.")
    assert [call.schema_name for call in model.calls] == ["memories", "judge"]
    assert known in model.calls[1].user
    texts = [memory.text for memory in await engine.list(user="ana")]
    assert "The user is a night owl." in texts
    assert (known in texts) is stands


async def test_a_correction_of_the_same_matter_needs_no_second_question(
    engine: AsyncToldOnce, parts: Components
) -> None:
    await engine.add("The user's editor is Helix.", user="ana")
    parts.clock.advance(days=1)  # type: ignore[attr-defined]  # the tests' clock
    item = note("The user writes all code in Zed.", "write all code in Zed") | {"updates": 1}
    model = ScriptedModel([answer(item)])
    await tell(AsyncToldOnce(replace(parts, model=model)), "I dropped Helix and write all code in Zed.")
    assert [call.schema_name for call in model.calls] == ["memories"]
    assert [memory.text for memory in await engine.list(user="ana")] == ["The user writes all code in Zed."]


ROOF = "The user has a garden on the roof."
TOMATOES = note("The user now grows tomatoes instead of herbs up on the roof.", "tomatoes instead of herbs")


async def test_what_the_extractor_was_shown_costs_no_second_call(engine: AsyncToldOnce, parts: Components) -> None:
    await engine.add(ROOF, user="ana")
    model = ScriptedModel([answer(TOMATOES | {"repeats": None})])
    asking = AsyncToldOnce(replace(parts, model=model, embedder=Alike()))
    await tell(asking, "On the roof I grow tomatoes instead of herbs.")
    assert [call.schema_name for call in model.calls] == ["memories"]
    assert ROOF in model.calls[0].user
    assert len(await engine.list(user="ana")) == 2
    today = (await engine.admin.energy(user="ana")).today
    assert {purpose: spent.calls for purpose, spent in today.items()} == {CostPurpose.CREATE: 1}


async def test_a_repetition_that_the_extractor_names_strengthens_what_is_known(
    engine: AsyncToldOnce, parts: Components
) -> None:
    await engine.add(ROOF, user="ana")
    item = note("There is a garden on the user's roof.", "There is a garden on my roof") | {"repeats": 1}
    model = ScriptedModel([answer(item)])
    await tell(AsyncToldOnce(replace(parts, model=model, embedder=Alike())), "There is a garden on my roof.")
    assert [call.schema_name for call in model.calls] == ["memories"]
    [memory] = await engine.list(user="ana")
    assert (memory.text, len(memory.evidence)) == (ROOF, 1)


@pytest.mark.parametrize("wrong", [{"repeats": 7}, {"repeats": None, "updates": 7}])
async def test_a_number_that_was_not_shown_is_logged_and_the_judge_is_asked(
    engine: AsyncToldOnce, parts: Components, wrong: dict[str, object]
) -> None:
    await engine.add(ROOF, user="ana")
    model = ScriptedModel(
        [answer(TOMATOES | wrong), {"decisions": [{"candidate": 1, "action": "add", "target": None}]}]
    )
    asking = AsyncToldOnce(replace(parts, model=model, embedder=Alike()))
    await tell(asking, "On the roof I grow tomatoes instead of herbs.")
    assert [call.schema_name for call in model.calls] == ["memories", "judge"]
    [line] = [decision for decision in await engine.history.decisions(user="ana") if "tomatoes" in decision.text]
    assert line.reason.endswith("the extractor names a known memory that it was not shown")
    assert len(await engine.list(user="ana")) == 2


async def test_after_a_question_without_known_memories_the_judge_is_asked(
    engine: AsyncToldOnce, parts: Components
) -> None:
    await engine.add(ROOF, user="ana")
    refused = {"error": "content_filter"}
    verdict = {"decisions": [{"candidate": 1, "action": "add", "target": None}]}
    model = ScriptedModel([refused, answer(TOMATOES | {"repeats": None}), verdict])
    asking = AsyncToldOnce(replace(parts, model=model, embedder=Alike()))
    await tell(asking, "On the roof I grow tomatoes instead of herbs.")
    assert [call.schema_name for call in model.calls] == ["memories", "memories", "judge"]
    assert ROOF not in model.calls[1].user


async def test_s5_a_wrong_repetition_neither_drops_nor_closes_anything(
    engine: AsyncToldOnce, parts: Components
) -> None:
    await engine.add(ROOF, user="ana")
    wrong = note("The user has a small dog that sleeps on the roof.", "small dog that sleeps") | {"repeats": 1}
    unusable = {"decisions": "none"}
    model = ScriptedModel([answer(wrong), unusable])
    await tell(
        AsyncToldOnce(replace(parts, model=model, embedder=Alike())), "I have a small dog that sleeps on the roof."
    )
    assert {memory.text for memory in await engine.list(user="ana")} == {ROOF, wrong["text"]}


async def test_s5_an_opposite_is_kept_though_the_extractor_calls_it_known(
    engine: AsyncToldOnce, parts: Components
) -> None:
    known = "The user passed the practical driving test in Bergen."
    await engine.add(known, user="ana")
    parts.clock.advance(days=1)  # type: ignore[attr-defined]  # the tests' clock
    wrong = note("The user failed the practical driving test in Bergen.", "I failed the practical") | {"repeats": 1}
    verdict = {"decisions": [{"candidate": 1, "action": "add", "target": None}]}
    model = ScriptedModel([answer(wrong), verdict])
    asking = AsyncToldOnce(replace(parts, model=model, embedder=Alike()))
    await tell(asking, "I failed the practical driving test in Bergen.")
    assert [call.schema_name for call in model.calls] == ["memories", "judge"]
    assert {memory.text for memory in await engine.list(user="ana")} == {known, wrong["text"]}


async def test_paraphrases_do_not_pile_up_if_no_repetition_is_named(engine: AsyncToldOnce, parts: Components) -> None:
    herbs = "The user grows herbs on the balcony at home."
    await engine.add(herbs, user="ana")
    for verb in ("keep", "cultivate", "tend", "raise"):
        parts.clock.advance(days=1)  # type: ignore[attr-defined]  # the tests' clock
        item = note(f"The user {verb}s herbs at home on the balcony.", f"I {verb} herbs") | {"repeats": None}
        verdict = {"decisions": [{"candidate": 1, "action": "ignore", "target": 1}]}
        model = ScriptedModel([answer(item), verdict])
        asking = AsyncToldOnce(replace(parts, model=model, embedder=Alike()))
        await tell(asking, f"I {verb} herbs at home on the balcony.")
        assert [call.schema_name for call in model.calls] == ["memories", "judge"]
    assert [memory.text for memory in await engine.list(user="ana")] == [herbs]


FATHER = "The user's father Karl, 71, lives in Graz, has high blood pressure and takes 5 mg of ramipril."
ANEW = "The user's father Karl, 71, lives in Graz, has high blood pressure and takes 10 mg of ramipril."


@pytest.mark.parametrize("kind", DIALECTS)
async def test_a_new_dose_leaves_the_illness_the_age_and_the_home(parts: Components, kind: str) -> None:
    """The model names what changed and leaves out the rest: the judge writes the memory anew."""
    del kind  # read by the fixture of the store
    item = note("The user's father takes 10 mg of ramipril.", "Dad takes 10 mg now") | {"updates": 1, "repeats": None}
    amended = {"decisions": [{"candidate": 1, "action": "amend", "target": 1, "text": ANEW}]}
    model = ScriptedModel([answer(item), amended])
    asking = AsyncToldOnce(replace(parts, model=model))
    await asking.add(FATHER, user="ana")
    parts.clock.advance(days=1)  # type: ignore[attr-defined]  # the tests' clock
    await tell(asking, "Dad takes 10 mg now.")
    assert [call.schema_name for call in model.calls] == ["memories", "judge"]
    assert f'note: "{FATHER}"' in model.calls[0].user
    assert 'said as "Dad takes 10 mg now"' in model.calls[1].user
    [memory] = await asking.list(user="ana")
    assert memory.text == ANEW
    [line] = [line for line in await asking.history.decisions(user="ana") if line.text == ANEW]
    assert (line.action.value, line.memory_id) == ("replace", memory.id)
    found = await asking.search("Which dose of ramipril?", user="ana")
    assert ANEW in [recalled.memory.text for recalled in found.items], "it has vectors of its own"
