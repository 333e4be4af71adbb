"""A language model with a script: it answers with the observations that a LoCoMo file records. Opens a port.

`python -m benchmarks.observer FILE` prints its port and serves OpenAI's chat completions until its standard input ends.
"""

import asyncio
import json
import re
import sys
from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC
from pathlib import Path
from typing import Any

from aiohttp import web

from toldonce.datasets.locomo import LocomoSample, locomo_samples, locomo_sessions
from toldonce.datasets.recordings import Recording
from toldonce.dates.mention import written
from toldonce.extraction.llm import SCHEMA_NAME
from toldonce.extraction.sources import readable_text, speaker_kind
from toldonce.providers.token_counter import token_counter
from toldonce.text import squeeze

MODEL = "observations"
_TURN_ID = re.compile(r"D\d+:\d+")
MESSAGE_LINE = re.compile(r"\[(\d+)\] (?:\w+ (\d+ \w+ \d+), )?(\"(?:[^\"\\]|\\.)*\"): (\".*\")")
_SPEAKERS = "Only these speakers' messages give memories: "
_MAX_QUOTE_CHARACTERS = 200


@dataclass(frozen=True, slots=True)
class Observation:
    """What the file says was remembered of a turn."""

    sample: str
    text: str
    turns: tuple[str, ...]
    """The turns it rests on."""


def observations(sample: Mapping[str, Any]) -> list[Observation]:
    """List the observations of a sample, in the file's order; of one that is there twice, the first."""
    found: dict[tuple[str, tuple[str, ...]], Observation] = {}
    for session in sample["observation"].values():
        for listed in session.values():
            for text, evidence in listed:
                turns = tuple(dict.fromkeys(_TURN_ID.findall(json.dumps(evidence))))
                found.setdefault((squeeze(text), turns), Observation(sample["sample_id"], squeeze(text), turns))
    return list(found.values())


def speakers_of(sample: Mapping[str, Any]) -> dict[str, str]:
    """Map each turn of a sample to who speaks in it."""
    sessions = [value for key, value in sample["conversation"].items() if re.fullmatch(r"session_\d+", key)]
    return {turn["dia_id"]: turn["speaker"] for session in sessions for turn in session}


class Observer:
    """Answers a question of the extractor by what the file observed of the messages in it."""

    def __init__(self, data: bytes) -> None:
        """Index the turns of a file by speaker, day and words."""
        self._turns: defaultdict[tuple[str, str, str], list[tuple[str, str]]] = defaultdict(list)
        self._seen: defaultdict[tuple[str, str, str], list[Observation]] = defaultdict(list)
        raw = {sample["sample_id"]: sample for sample in json.loads(data)}
        for sample in locomo_samples(data):
            if isinstance(sample, LocomoSample):
                self._index(sample)
                self._observe(raw[sample.id])

    def answer(self, question: str) -> list[dict[str, Any]]:
        """List the memories of the messages in a question, as an extractor's items; none for other questions."""
        named = next((line for line in question.splitlines() if line.startswith(_SPEAKERS)), f"{_SPEAKERS}.")
        heard = set(json.loads(f"[{named.removeprefix(_SPEAKERS).removesuffix('.')}]"))
        items: list[dict[str, Any]] = []
        day = ""
        for line in question.partition("\nMessages:\n")[2].splitlines():
            found = MESSAGE_LINE.fullmatch(line)
            if found is None:
                continue
            day = found[2] or day  # a message of the same day as the one before is shown without it
            number, speaker, words = int(found[1]), json.loads(found[3]), json.loads(found[4])
            if speaker not in heard:
                continue
            for sample, turn in self._turns[speaker, day, words]:
                items += [noted(observation.text, number, words) for observation in self._seen[sample, turn, speaker]]
        return items

    def _index(self, sample: LocomoSample) -> None:
        for recording in locomo_sessions(sample, as_speaker=sample.speakers[0], user="", zone=UTC):
            if not isinstance(recording, Recording):
                continue
            session = sample.conversation[recording.id.rpartition("/")[2]]
            turns = [turn["dia_id"] for turn in session if turn["text"].strip() or turn.get("blip_caption")]
            for turn, message, said_at in zip(turns, recording.messages, recording.dates, strict=True):
                day = written(said_at.date()) if said_at else ""
                key = (
                    message["name"],
                    day,
                    readable_text(message["content"], speaker=speaker_kind(message["role"], message["name"])),
                )
                self._turns[key].append((sample.id, turn))

    def _observe(self, sample: Mapping[str, Any]) -> None:
        speakers = speakers_of(sample)
        for observation in observations(sample):
            # Of several turns by one speaker the last: then all of it was said.
            last = {speakers[turn]: turn for turn in observation.turns if turn in speakers}
            for speaker, turn in last.items():
                self._seen[observation.sample, turn, speaker].append(observation)


def noted(text: str, number: int, words: str) -> dict[str, Any]:
    """Make the item of a note that rests on a message: its number in the question, and its words."""
    return {
        "kind": "note",
        "text": text,
        "category": "",
        "key": "",
        "value": "",
        "type": "fact",
        "importance": 0.6,
        "confidence": 0.9,
        "message": number,
        "quote": words[:_MAX_QUOTE_CHARACTERS],
        "repeats": None,
        "updates": None,
        "ended": False,
        "valid_from": None,
    }


def empty(schema: Mapping[str, Any]) -> Any:
    """Make the emptiest value of a schema: what this model answers to questions other than the extractor's."""
    kind = schema.get("type")
    kind = kind[-1] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: empty(part) for name, part in schema.get("properties", {}).items()}
    return {"array": [], "string": "", "integer": 0, "number": 0, "boolean": False}.get(str(kind))


def serve(observer: Observer) -> web.Application:
    """Make the server; it counts tokens as the built-in counter does, the schema with them."""
    counter = token_counter()

    async def complete(request: web.Request) -> web.Response:
        body = await request.json()
        form = body["response_format"]["json_schema"]
        words = [message["content"] for message in body["messages"]]
        asked = form["name"] == SCHEMA_NAME
        data = {"memories": observer.answer(words[-1])} if asked else empty(form["schema"])
        content = json.dumps(data)
        usage = {
            "prompt_tokens": sum(map(counter.count, words)) + counter.count(json.dumps(form["schema"])),
            "completion_tokens": counter.count(content),
        }
        message = {"role": "assistant", "content": content}
        return web.json_response({"choices": [{"message": message, "finish_reason": "stop"}], "usage": usage})

    app = web.Application(client_max_size=64 * 1024 * 1024)
    app.router.add_post("/v1/chat/completions", complete)
    return app


async def main(data: bytes) -> None:
    """Serve until standard input ends."""
    runner = web.AppRunner(serve(Observer(data)))
    await runner.setup()
    await web.TCPSite(runner, "127.0.0.1", 0).start()
    print(runner.addresses[0][1], flush=True)
    await asyncio.to_thread(sys.stdin.read)
    await runner.cleanup()


if __name__ == "__main__":
    asyncio.run(main(Path(sys.argv[1]).read_bytes()))
