"""Replay conversations in LoCoMo's format through the whole pipeline, then search. Reads the file it is given.

Each conversation is replayed twice, once with each speaker as the user; each question is asked in both memories. A
result counts as an evidence turn when it rests on it: the turn itself, or a note or fact formed from it. `hit` is
the share of questions (asked in one memory) with at least one evidence turn among ten results, `recall` the mean share
of a question's evidence turns.
"""

import argparse
import asyncio
import json
import sys
import tempfile
import time
from collections import defaultdict
from datetime import UTC
from pathlib import Path
from typing import Any

from benchmarks.quiet import errors_only
from toldonce.cli.replay_run import Replay, read_plan
from toldonce.datasets.locomo import LocomoSample, locomo_samples, user_names
from toldonce.datasets.recordings import Format, Recording
from toldonce.engine import AsyncToldOnce
from toldonce.settings import Settings
from toldonce.types import Subject

LIMIT = 10


class Quiet:
    """A progress reporter without output."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Say which phase begins."""
        print(f"{phase} {total:,} {unit} …", file=sys.stderr)

    def reach(self, done: int) -> None:
        """Show nothing."""


async def turn_names(engine: AsyncToldOnce, subject: Subject, sample: dict[str, Any]) -> dict[tuple[str, int], str]:
    """Map (conversation, seq) to the file's name of the turn."""
    names: dict[tuple[str, int], str] = {}
    for conversation in await engine.conversations.list(user=subject, limit=1000):
        session = str(conversation.external_id).rpartition("/")[2]
        turns = [turn for turn in sample["conversation"][session] if turn["text"].strip() or turn.get("blip_caption")]
        if len(turns) != conversation.last_seq:
            raise SystemExit(f"{conversation.external_id}: {len(turns)} turns, {conversation.last_seq} messages")
        names.update({(conversation.id, seq): turn["dia_id"] for seq, turn in enumerate(turns, start=1)})
    return names


async def measure(path: Path, data: bytes, *, limit: int = LIMIT) -> dict[str, Any]:
    """Replay and ask for `limit` results each; return the figures."""
    with tempfile.TemporaryDirectory() as folder:
        settings = Settings.load(database_url=f"sqlite:///{folder}/locomo.sqlite3", worker="off")
        async with await AsyncToldOnce.open(settings) as engine:
            plan = read_plan(path, Format.LOCOMO, as_speaker=None, limit=None, zone=UTC)
            began = time.monotonic()

            def whose(recording: Recording) -> Subject:
                return Subject("user", recording.user or "nobody")

            outcome = await Replay(engine, plan, whose=whose, bar=Quiet()).run()
            seconds = time.monotonic() - began
            raw = {sample["sample_id"]: sample for sample in json.loads(data)}
            samples = [sample for sample in locomo_samples(data) if isinstance(sample, LocomoSample)]
            hits: defaultdict[int, list[tuple[float, float]]] = defaultdict(list)
            for (sample_id, _), user in user_names(samples).items():
                subject = Subject("user", user)
                names = await turn_names(engine, subject, raw[sample_id])
                for item in raw[sample_id]["qa"]:
                    evidence = set(item["evidence"]) & set(names.values())
                    if evidence:
                        found = await engine.search(item["question"], user=subject, limit=limit)
                        shown = {
                            names.get((said.conversation, said.seq))
                            for item in found.items
                            for said in item.memory.evidence
                        }
                        share = len(evidence & shown) / len(evidence)
                        hits[item["category"]].append((float(share > 0), share))
    return {
        "messages": outcome.messages,
        "memories": dict(outcome.memories),
        "replay_seconds": round(seconds, 1),
        "questions": {str(category): len(found) for category, found in sorted(hits.items())},
        "hit": _means(hits, 0),
        "recall": _means(hits, 1),
    }


def _means(hits: dict[int, list[tuple[float, float]]], which: int) -> dict[str, float]:
    groups = {str(category): found for category, found in sorted(hits.items())}
    groups["1-4"] = [hit for category, found in hits.items() if category <= 4 for hit in found]
    groups["1-5"] = [hit for found in hits.values() for hit in found]
    return {
        name: round(100 * sum(hit[which] for hit in found) / len(found), 1) for name, found in groups.items() if found
    }


@errors_only()
def main() -> None:
    """Read the arguments, measure, print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("path", type=Path, help="a file in LoCoMo's format")
    parser.add_argument("--json", type=Path, help="write the figures there too")
    given = parser.parse_args()
    figures = asyncio.run(measure(given.path, given.path.read_bytes()))
    text = json.dumps(figures, indent=2)
    print(text)
    if given.json:
        given.json.write_text(text + "\n", "utf-8")


if __name__ == "__main__":
    main()
