"""T-EXT at random: a good answer of any shape, damaged anywhere, is read, remarked upon or refused; nothing else."""

import json
import random

import pytest

from extractor_inputs import logged, source
from integration.malformed import PROFILES, SAID, good
from soak import SOAK
from toldonce.errors import ModelError
from toldonce.extraction.evidence import check_evidence
from toldonce.extraction.llm import extract_by_model
from toldonce.extraction.schemas import schema_for
from toldonce.extraction.sources import ExtractionInput
from toldonce.extraction.summary_evidence import check_summary
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.model_output import parse_model_output
from toldonce.providers.openai_wire import near, wanted
from toldonce.testing import ScriptedModel

MUTATIONS = 250 if SOAK else 20
_PIECES = ('"', "'", "{", "}", "[", "]", ":", ",", "\\", "null", "NaN", "1e999", "\x00", "\ud800", "\u2028", "```", "-")


def damaged(text: str, chance: random.Random) -> str:
    """Cut, double, swap or overwrite a few stretches."""
    for _ in range(chance.randint(1, 4)):
        start = chance.randrange(len(text) + 1)
        end = min(len(text), start + chance.randint(0, 20))
        piece = chance.choice(["", chance.choice(_PIECES), text[start:end] * 2, text[start:end][::-1]])
        text = text[:start] + piece + text[end:]
        if chance.random() < 0.1:
            text = text[: chance.randrange(len(text) + 1)]
    return text


@pytest.mark.parametrize("profile", PROFILES)
@pytest.mark.parametrize("seed", range(5))
async def test_a_damaged_answer_never_raises_anything_but_a_model_error(profile: str, seed: int) -> None:
    found = ProfileRegistry().get(profile)
    shape = schema_for(found.form, max_characters=found.capacity.max_characters)
    given: ExtractionInput = source(logged(1, SAID))
    chance = random.Random(f"{profile} {seed}")
    for _ in range(MUTATIONS):
        text = damaged(good(profile).json, chance)
        try:
            answer = parse_model_output(text, wanted(shape.schema), near(shape.schema))
        except ModelError:
            continue  # the formation is tried again, and parked with what the error says
        extracted = await extract_by_model(given, ScriptedModel([answer.value]), shape)
        for candidate in extracted.candidates:
            assert candidate.text.strip()
            assert 0 <= candidate.importance <= 1
            assert 0 <= candidate.confidence <= 1
            json.dumps([candidate.text, candidate.quote]).encode()
            if candidate.sums_up:
                checked = check_summary(candidate, given.messages, given.sources)
                assert bool(checked.evidence) != bool(checked.reason)
            else:
                proof = check_evidence(candidate, given.messages, given.sources)
                assert (proof.evidence is None) == bool(proof.reason)
