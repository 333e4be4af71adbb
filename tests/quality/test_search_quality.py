"""What a search over replayed conversations finds: in our own ones, and in published ones where they are present."""

import json
from pathlib import Path

import pytest

from benchmarks.search_locomo import measure
from published import published
from soak import only_whole
from toldonce.datasets.load import read_bytes

OURS = Path(__file__).parent / "stand_in.json"
LOCOMO = "locomo_dev.json.gz"


async def test_our_own_conversations_are_found_again() -> None:
    figures = await measure(OURS, OURS.read_bytes())
    assert figures["messages"] == 2 * 61
    assert figures["hit"]["1-5"] >= 85


async def test_questions_on_a_few_locomo_sessions_find_their_evidence(tmp_path: Path) -> None:
    [sample, *_] = json.loads(read_bytes(published(LOCOMO)))
    conversation = sample["conversation"]
    for name in [name for name in conversation if name.startswith("session_") and int(name.split("_")[1]) > 4]:
        del conversation[name]
    data = json.dumps([sample]).encode()
    path = tmp_path / "sample.json"
    path.write_bytes(data)

    figures = await measure(path, data)

    assert figures["messages"] > 100
    assert figures["questions"]["4"] >= 20
    assert figures["hit"]["1-4"] >= 60


# A few of its sessions are searched in every run.
@pytest.mark.soak
@only_whole
@pytest.mark.campaign
async def test_locomos_questions_find_an_evidence_turn_in_ten_results(tmp_path: Path) -> None:
    path = tmp_path / "locomo.json"
    path.write_bytes(read_bytes(published(LOCOMO)))
    figures = await measure(path, path.read_bytes())
    assert figures["hit"]["1-4"] >= 60
