"""The replay of observations counts what it says it counts; the conversation is our own."""

import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from benchmarks.observations_locomo import measure
from benchmarks.observer import Observer, empty, observations
from toldonce.extraction.llm import SCHEMA_NAME
from toldonce.providers.protocols import ModelAnswer, ModelUsage
from toldonce.settings import Settings

SAMPLE = {
    "sample_id": "c-1",
    "conversation": {
        "speaker_a": "Ana",
        "speaker_b": "Ben",
        "session_1_date_time": "1:56 pm on 8 May, 2023",
        "session_1": [
            {"speaker": "Ana", "dia_id": "D1:1", "text": "I keep bees, and I sold the car."},
            {"speaker": "Ben", "dia_id": "D1:2", "text": "Look!", "blip_caption": "a photo of a hive"},
            {"speaker": "Ana", "dia_id": "D1:3", "text": "Nice. My sister Mia will visit me in June."},
        ],
        "session_2_date_time": "9:00 am on 10 May, 2023",
        "session_2": [{"speaker": "Ben", "dia_id": "D2:1", "text": "I moved to Oslo yesterday."}],
    },
    "observation": {
        "session_1_observation": {
            "Ana": [
                ["Ana keeps bees.", "D1:1"],
                ["Ana sold her car.", "D1:1"],
                ["Mia will visit Ana in June.", ["D1:3"]],
            ],
            "Ben": [["Ben has a photo of a hive.", "D1:2"]],
        },
        "session_2_observation": {"Ben": [["Ben moved to Oslo on 9 May 2023.", "D2:1, D1:2"]]},
    },
    "qa": [],
}
DATA = json.dumps([SAMPLE]).encode()


class InProcess:
    """The observer without its server; one that `forgets` leaves out what was observed of Ana's sister."""

    name = "observations"

    def __init__(self, forgets: str = "") -> None:
        self._observer = Observer(DATA)
        self._forgets = forgets

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        if schema_name != SCHEMA_NAME:
            return ModelAnswer(data=empty(schema), usage=None, calls=1)
        items = [item for item in self._observer.answer(user) if not self._forgets or self._forgets not in item["text"]]
        usage = ModelUsage(prompt_tokens=len(system) + len(user), completion_tokens=1)
        return ModelAnswer(data={"memories": items}, usage=usage, calls=1)

    async def close(self) -> None:
        """Hold nothing."""


def settings(folder: Path) -> Settings:
    return Settings(database_url=f"sqlite:///{folder}/o.sqlite3", worker="off")


async def test_every_observation_is_kept_once_with_its_turn(tmp_path: Path) -> None:
    figures = await measure(DATA, settings(tmp_path), InProcess())
    assert figures["observations"] == figures["stored"] == 5
    assert (figures["lost"], figures["duplicates"], figures["parked"]) == ([], 0, 0)
    assert figures["turns"] == 5
    assert figures["decisions"] == {"add": 5}
    assert figures["memories"] == 5
    assert 0 < figures["calls"]["memories"] <= figures["turns"], "one call a turn at most"


async def test_an_observation_that_is_not_kept_is_named_by_its_turn(tmp_path: Path) -> None:
    figures = await measure(DATA, settings(tmp_path), InProcess(forgets="Mia"))
    assert figures["stored"] == 4
    assert figures["lost"] == ["c-1 D1:3"]


def test_observations_name_their_turns_however_they_are_written() -> None:
    assert [observation.turns for observation in observations(SAMPLE)] == [
        ("D1:1",),
        ("D1:1",),
        ("D1:3",),
        ("D1:2",),
        ("D2:1", "D1:2"),
    ]


def test_other_questions_get_the_emptiest_answer_of_their_form() -> None:
    schema = {"type": "object", "properties": {"a": {"type": "array"}, "b": {"type": ["string", "null"]}}}
    assert empty(schema) == {"a": [], "b": None}
