"""What a model is asked for in each shape, and how its items are read."""

import pytest

from extractor_inputs import KNOWN, logged, source
from toldonce.extraction.llm import ModelExtraction, extract_by_model
from toldonce.extraction.schemas import OutputSchema, schema_for
from toldonce.extraction.sources import ExtractionInput
from toldonce.profiles.policies import FormPolicy
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.token_counter import token_counter
from toldonce.testing import ScriptedModel
from toldonce.types import Candidate, MemoryKind


def shape_of(profile: str) -> OutputSchema:
    found = ProfileRegistry().get(profile)
    return schema_for(found.form, max_characters=found.capacity.max_characters)


async def read(data: object, profile: str, given: ExtractionInput | None = None) -> ModelExtraction:
    return await extract_by_model(given or source(), ScriptedModel([data]), shape_of(profile))


async def one(item: object, profile: str, given: ExtractionInput | None = None) -> Candidate:
    found = await read({"memories": [item]}, profile, given)
    assert found.dropped == ()
    [candidate] = found.candidates
    return candidate


async def refused(item: object, profile: str) -> str:
    found = await read({"memories": [item]}, profile)
    assert found.candidates == ()
    [reason] = found.dropped
    return reason


# ---- versions and questions


def test_each_shape_has_a_version_of_its_own() -> None:
    profiles = ProfileRegistry()
    versions = {name: shape_of(name).version for name in profiles.names()}
    assert len(set(versions.values())) == 5
    assert versions["session"] == versions["character"] == "typed-1"


@pytest.mark.parametrize("name", ["default", "session", "character", "app", "user", "tiered"])
def test_the_rules_of_each_shape_leave_room_for_a_turn(name: str) -> None:
    shape = shape_of(name)
    assert "{" not in shape.system
    assert token_counter().count(shape.system) <= 720


@pytest.mark.parametrize("name", ["default", "session", "user", "tiered"])
async def test_neighbours_are_shown_by_small_numbers_in_every_shape(name: str) -> None:
    model = ScriptedModel([{"memories": []}])
    await extract_by_model(source(), model, shape_of(name))
    assert '[1] note: "The user lives in Rome."' in model.calls[0].user
    assert KNOWN.id not in model.calls[0].user


@pytest.mark.parametrize(
    ("interaction", "style"),
    [
        ("chat", "an open chat"),
        ("qa", "questions and answers"),
        ("summary", "summarises a text"),
        ("x/..", "open chat"),
    ],
)
async def test_s3_the_interaction_changes_the_style(interaction: str, style: str) -> None:
    model = ScriptedModel([{"memories": []}])
    await extract_by_model(source(interaction=interaction), model, shape_of("session"))
    assert style in model.calls[0].user


# ---- typed


async def test_s1_s3_a_typed_memory_has_a_type_content_and_importance() -> None:
    item = {
        "type": "preference",
        "content": "The user hates meetings.",
        "importance": 0.6,
        "message": 1,
        "quote": "I hate meetings",
        "updates": None,
    }
    candidate = await one(item, "session")
    assert (candidate.kind, candidate.type, candidate.importance) == (MemoryKind.NOTE, "preference", 0.6)
    assert (candidate.seq, candidate.quote) == (7, "I hate meetings")


async def test_s3_the_plain_list_without_sources_is_read_and_its_sources_are_found() -> None:
    plain = [
        {"type": "fact", "content": "The bridge opens on 3 May.", "importance": 0.7},
        {"type": "fact", "content": "The toll of the bridge will be 20 kroner.", "importance": 0.7},
        {"type": "preference", "content": "The user hates meetings.", "importance": 0.5},
    ]
    found = await read(plain, "session")
    assert [(each.seq, each.speaker) for each in found.candidates] == [(8, "assistant"), (8, "assistant"), (7, "user")]
    assert found.candidates[1].quote == "The toll will be 20 kroner."


async def test_s3_a_memory_has_at_most_two_sentences() -> None:
    item = {
        "type": "fact",
        "content": "Ana moved. It was to Oslo. It rained.",
        "importance": 0.5,
        "quote": "moved to Oslo",
    }
    assert (await one(item, "session")).text == "Ana moved. It was to Oslo."


@pytest.mark.parametrize(("said", "kept"), [(0.3, 0.3), (1, 1.0), (7, 0.7), ("8", 0.8), (10, 1.0), (None, 0.5)])
async def test_importance_may_come_in_tenths_or_of_ten(said: object, kept: float) -> None:
    item = {"type": "fact", "content": "The user moved to Oslo.", "importance": said, "quote": "I moved to Oslo"}
    assert (await one(item, "session")).importance == pytest.approx(kept)


@pytest.mark.parametrize(
    ("said", "kept"), [("PREFERENCE", "preference"), ("Insight", "insight"), ("opinion", "fact"), ("", "fact")]
)
async def test_a_type_that_is_none_of_the_profiles_is_its_last(said: str, kept: str) -> None:
    item = {"type": said, "content": "The user moved to Oslo.", "importance": 0.5, "quote": "I moved to Oslo"}
    assert (await one(item, "session")).type == kept


async def test_c8_a_characters_record_says_where_it_comes_from() -> None:
    given = source(
        logged(3, "I chose the red door.", "assistant", "Kira"),
        logged(4, "I was afraid.", name="Marcus"),
        tags=("pair:kira+marcus",),
    )
    item = {
        "type": "DECISION",
        "content": "Kira chose the red door.",
        "summary": "Kira chose red.",
        "importance": 8,
        "message": 1,
        "quote": "I chose the red door",
    }
    candidate = await one(item, "character", given)
    assert (candidate.type, candidate.speaker, candidate.importance) == ("DECISION", "Kira", 0.8)
    assert candidate.detail.summary == "Kira chose red."
    assert candidate.detail.source_uri == "toldonce://c/3"
    assert candidate.detail.source_context == "Kira and Marcus, 20 November 2026"
    assert candidate.detail.tags == ("pair:kira+marcus",)


# ---- facts


def slot(**changes: object) -> dict[str, object]:
    fact: dict[str, object] = {
        "category": "constraint",
        "key": "allergy:peanuts",
        "value": "peanuts",
        "confidence": 0.9,
        "importance": 0.95,
        "message": 1,
        "quote": "I'm allergic to peanuts",
        "updates": None,
    }
    return fact | changes


async def test_t4_a_fact_has_category_key_value_confidence_and_importance() -> None:
    fact = await one(slot(), "tiered")
    assert (fact.kind, fact.category, fact.key, fact.value) == (
        MemoryKind.FACT,
        "constraint",
        "allergy:peanuts",
        "peanuts",
    )
    assert (fact.confidence, fact.importance) == (0.9, 0.95)
    assert fact.text == "The user's allergy: peanuts."


async def test_t4_confidence_is_1_and_importance_08_where_nothing_is_said_of_them() -> None:
    fact = await one({"category": "constraint", "key": "allergy:peanuts", "value": "peanuts"}, "tiered")
    assert (fact.confidence, fact.importance, fact.quote) == (1.0, 0.8, "I'm allergic to peanuts, and I hate meetings.")


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"category": "work"}, "category"),
        ({"key": ""}, "key and value"),
        ({"value": None}, "key and value"),
        ({"key": "current_task", "value": "Oslo"}, "passes with it"),
        ({"value": "x" * 3000}, "longer than"),
    ],
)
async def test_t5_weak_and_malformed_facts_are_refused_with_the_reason(changes: dict[str, object], why: str) -> None:
    assert why in await refused(slot(**changes), "tiered")


@pytest.mark.parametrize(
    "quote", ["we discussed the budget", "I'm currently working on the login page", "As discussed, Oslo it is"]
)
async def test_t5_talk_of_the_task_at_hand_is_refused(quote: str) -> None:
    given = source(logged(1, f"{quote}."))
    found = await read({"memories": [slot(quote=quote, key="project", value="login")]}, "tiered", given)
    assert found.candidates == ()
    assert "passes with it" in found.dropped[0]


# ---- sentences


async def test_u4_bare_strings_are_sentences_whose_source_is_found() -> None:
    found = await read({"memories": ["The user moved to Oslo.", "The user is allergic to peanuts."]}, "user")
    assert [(each.text, each.seq) for each in found.candidates] == [
        ("The user moved to Oslo.", 7),
        ("The user is allergic to peanuts.", 7),
    ]
    assert found.candidates[0].quote == "I moved to Oslo."


async def test_u4_a_bare_string_without_a_source_is_refused_with_the_reason() -> None:
    assert "none holds its words" in await refused("The user owns a yacht in Monaco.", "user")


async def test_u4_a_quote_is_found_without_the_messages_number() -> None:
    candidate = await one({"text": "The user moved to Oslo.", "quote": "I moved to Oslo"}, "user")
    assert (candidate.seq, candidate.quote) == (7, "I moved to Oslo")


async def test_a_quote_that_stands_nowhere_is_refused() -> None:
    assert "is in none" in await refused({"text": "The user moved.", "quote": "I left for Paris"}, "user")


# ---- paragraph


async def test_a1_a_paragraph_rests_on_the_messages_it_sums_up() -> None:
    data = {
        "text": "The user moved to Oslo. The bridge opens on 3 May.",
        "messages": [1, 2],
        "importance": 7,
        "tags": ["oslo"],
    }
    [candidate] = (await read(data, "app")).candidates
    assert (candidate.sums_up, candidate.seq, candidate.importance) == ((7, 8), 7, 0.7)
    assert candidate.detail.tags == ("oslo",)
    assert candidate.detail.source_uri == "toldonce://c/8"


async def test_a_paragraph_without_numbers_rests_on_the_whole_conversation() -> None:
    [candidate] = (await read({"text": "The user moved to Oslo."}, "app")).candidates
    assert candidate.sums_up == (7, 8)


async def test_a6_a_paragraph_is_held_to_its_sentences_and_characters() -> None:
    sentence = "The user moved to the city of Oslo in the north. "
    [candidate] = (await read({"text": sentence * 9}, "app")).candidates
    assert candidate.text == (sentence * 4).strip()
    [shortened] = (
        await read({"text": "The user moved " + "and moved " * 40 + "to Oslo. Then more."}, "app")
    ).candidates
    assert len(shortened.text) <= 200
    assert shortened.text.endswith("moved and…")


async def test_an_empty_paragraph_says_that_nothing_is_worth_a_memory() -> None:
    found = await read({"text": "", "messages": [], "importance": 0, "tags": []}, "app")
    assert found.candidates == ()
    assert "worth a memory" in found.dropped[0]


async def test_a_long_conversation_is_shown_whole_and_each_message_only_begins() -> None:
    model = ScriptedModel([{"text": ""}])
    messages = tuple(logged(seq, f"Line {seq} " + "and so on " * 40) for seq in range(1, 201))
    await extract_by_model(source(*messages), model, shape_of("app"))
    assert all(f"Line {seq} " in model.calls[0].user for seq in (1, 100, 200))
    assert len(model.calls[0].user) < 60_000


def test_a_policy_of_ones_own_has_its_own_types() -> None:
    shape = schema_for(FormPolicy(extractor="typed", types=("recipe", "note"), max_sentences=3))
    assert "recipe; note (anything else worth keeping)" in shape.system
    assert "at most 3 sentences" in shape.system
    assert "summary" not in shape.schema["properties"]["memories"]["items"]["properties"]
