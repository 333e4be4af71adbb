"""What a search over replayed conversations finds: always in our own, in the published ones where they are at hand."""

import os
from pathlib import Path

import pytest

from benchmarks.search_locomo import measure

OURS = Path(__file__).parent / "stand_in.json"
# The folder with the evaluation's data lies beside the checkout; it is not part of the project.
DATA = Path(os.environ.get("RECOLLECT_TEST_DATA", Path(__file__).parents[3] / "shared" / "data"))


async def test_our_own_conversations_are_found_again() -> None:
    figures = await measure(OURS, OURS.read_bytes())
    assert figures["messages"] == 2 * 61
    assert figures["hit"]["1-5"] >= 85


async def test_locomos_questions_find_an_evidence_turn_in_ten_results() -> None:
    path = DATA / "locomo_dev.json"
    if not path.exists():
        pytest.skip(f"LoCoMo's development half is not at hand ({path.name} in the data folder beside the checkout)")
    figures = await measure(path, path.read_bytes())
    assert figures["hit"]["1-4"] >= 60
