"""Which known memories an item of an answer was compared with."""

from dataclasses import replace
from typing import Any

import pytest

from extractor_inputs import KNOWN, source
from toldonce.extraction.llm import extract_by_model
from toldonce.extraction.redaction import redact
from toldonce.extraction.schemas import schema_for
from toldonce.extraction.schemas.output_schema import MAX_SHOWN_MEMORY
from toldonce.profiles.registry import ProfileRegistry
from toldonce.testing import ScriptedModel
from toldonce.types import NO_COMPARISON, Comparison, Memory

ITEM: dict[str, Any] = {"text": "The user moved to Oslo.", "message": 1, "quote": "I moved to Oslo in May"}


async def compared(profile: str, *neighbours: Memory, **named: object) -> Comparison:
    given = replace(source(), neighbours=neighbours or (KNOWN,))
    shape = schema_for(ProfileRegistry().get(profile).form)
    found = await extract_by_model(given, ScriptedModel([{"memories": [ITEM | named]}]), shape)
    [candidate] = found.candidates
    return candidate.comparison


@pytest.mark.parametrize("profile", ["default", "user", "session", "character"])
async def test_an_item_with_both_numbers_was_compared_with_all_that_was_shown(profile: str) -> None:
    said = await compared(profile, repeats=None, updates=None)
    assert said == Comparison(seen=frozenset({KNOWN.id}))
    assert (await compared(profile, repeats=1, updates=None)).repeats == KNOWN.id


@pytest.mark.parametrize("named", [{}, {"updates": None}, {"repeats": None}])
async def test_an_item_that_lacks_a_number_was_compared_with_nothing(named: dict[str, object]) -> None:
    assert await compared("default", **named) == NO_COMPARISON


@pytest.mark.parametrize("number", [2, 0, -1, 99, "the first", True, 1e300, KNOWN.id])
@pytest.mark.parametrize("field", ["repeats", "updates"])
async def test_a_number_that_was_not_shown_is_not_used_and_noted(field: str, number: object) -> None:
    said = await compared("default", **({"repeats": None, "updates": None} | {field: number}))
    assert said == Comparison(has_unshown_target=True)


@pytest.mark.parametrize("nothing", [None, "", "null", "none"])
async def test_every_spelling_of_no_number_is_an_answer(nothing: object) -> None:
    assert (await compared("default", repeats=nothing, updates=nothing)).seen == {KNOWN.id}


async def test_a_memory_that_is_shown_in_part_was_not_compared() -> None:
    long = replace(KNOWN, text="x" * (MAX_SHOWN_MEMORY + 1))
    assert (await compared("default", long, repeats=None, updates=None)).seen == frozenset()


async def test_a_memory_counts_by_its_length_without_secrets_as_it_is_shown() -> None:
    secret = "The PIN is 1234."
    longer_shown = replace(KNOWN, text=f"{'x' * (MAX_SHOWN_MEMORY - len(secret) - 1)} {secret}")
    assert len(longer_shown.text) == MAX_SHOWN_MEMORY < len(redact(longer_shown.text))
    assert (await compared("default", longer_shown, repeats=None, updates=None)).seen == frozenset()
    shorter_shown = replace(KNOWN, text=f"{'x' * (MAX_SHOWN_MEMORY - 20)} sk-{'abcdefghij' * 4}12345678")
    assert len(shorter_shown.text) > MAX_SHOWN_MEMORY >= len(redact(shorter_shown.text))
    assert (await compared("default", shorter_shown, repeats=None, updates=None)).seen == {KNOWN.id}


@pytest.mark.parametrize("profile", ["default", "user", "session", "character", "tiered"])
async def test_an_item_may_update_an_earlier_one_numbered_on_from_those_shown(profile: str) -> None:
    shape = schema_for(ProfileRegistry().get(profile).form)
    fact = {"category": "identity", "key": "location", "value": "Oslo"}
    items = [ITEM | fact | {"repeats": None, "updates": number} for number in (2, 2, 4, 5, 3)]
    found = await extract_by_model(source(), ScriptedModel([{"memories": ["nonsense", *items]}]), shape)
    # The answer's first item, 2, is none that could be read, but counts.
    candidates = found.candidates[-5:]
    assert [(each.item, each.replaces_item) for each in candidates] == [(3, 2), (4, 2), (5, 4), (6, 5), (7, 3)]
    assert {each.replaces for each in candidates} == {None}
    assert not any(each.comparison.has_unshown_target for each in candidates)
