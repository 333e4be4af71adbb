"""How well turns worth a memory are found without a model, against the observations of a LoCoMo file. Reads the file.

Each speaker of each conversation is the user in turn. A turn counts as found when it leaves a fact or a kept sentence;
one is stray when the file's `observation` names its turn nowhere.
"""

import argparse
import json
import re
import sys
import time
from collections.abc import Iterator
from dataclasses import asdict, dataclass
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any
from zoneinfo import ZoneInfo

from toldonce.extraction.rules import read_by_rules
from toldonce.extraction.sources import ExtractionInput
from toldonce.types import ConversationId, LoggedMessage, Subject

_TURN_ID = re.compile(r"D\d+:\d+")
# Time between turns of a session; the file dates sessions only.
_BETWEEN_TURNS = timedelta(seconds=30)
# Messages before the one at hand that an extractor may see.
_EARLIER = 6


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """What one speaker's turns left."""

    conversation: str
    user: str
    turns: int
    observed: int
    """Turns that an observation rests on."""
    found: int
    """Of these, the ones that left a memory."""
    memories: int
    stray: int
    """Memories from turns without an observation."""

    @property
    def found_share(self) -> float:
        """Share of observed turns that left a memory."""
        return self.found / max(self.observed, 1)

    @property
    def stray_share(self) -> float:
        """Share of memories from turns without an observation."""
        return self.stray / max(self.memories, 1)


def sessions(conversation: dict[str, Any]) -> Iterator[tuple[datetime, list[dict[str, Any]]]]:
    """Yield a conversation's sessions with their dates, in order."""
    number = 1
    while f"session_{number}_date_time" in conversation:
        said = datetime.strptime(conversation[f"session_{number}_date_time"], "%I:%M %p on %d %B, %Y").replace(
            tzinfo=UTC
        )
        yield said, conversation.get(f"session_{number}", [])
        number += 1


def logged(conversation: dict[str, Any], user: str) -> list[tuple[str, LoggedMessage]]:
    """Turn a conversation into log messages with their turn ids; `user` speaks as the user."""
    found: list[tuple[str, LoggedMessage]] = []
    for started, turns in sessions(conversation):
        for place, turn in enumerate(turns):
            seq = len(found) + 1
            said = started + place * _BETWEEN_TURNS
            message = LoggedMessage(
                conversation=ConversationId("locomo"),
                seq=seq,
                parent_seq=seq - 1,
                role="user" if turn["speaker"] == user else "assistant",
                text=turn["text"],
                name=turn["speaker"],
                said_at=said,
                recorded_at=said,
                complete=True,
                hash=seq,
            )
            found.append((turn["dia_id"], message))
    return found


def observed_turns(sample: dict[str, Any]) -> set[str]:
    """Collect the turns that the observations of a sample rest on."""
    return set(_TURN_ID.findall(json.dumps(sample["observation"])))


def measure(sample: dict[str, Any], user: str) -> Row:
    """Extract from the turns of one speaker and compare with the observations."""
    messages = logged(sample["conversation"], user)
    observed = observed_turns(sample)
    turns = hits = memories = stray = mine = 0
    for place, (turn, message) in enumerate(messages):
        if message.role != "user":
            continue
        earlier = tuple(message for _, message in messages[max(0, place - _EARLIER) : place])
        source = ExtractionInput(
            messages=(message,),
            earlier=earlier,
            subject=Subject("user", user),
            time_zone=ZoneInfo("UTC"),
            keeps_sentences=True,
        )
        candidates = read_by_rules(source).candidates
        turns += 1
        mine += turn in observed
        hits += turn in observed and bool(candidates)
        memories += len(candidates)
        stray += 0 if turn in observed else len(candidates)
    return Row(
        conversation=sample["sample_id"],
        user=user,
        turns=turns,
        observed=mine,
        found=hits,
        memories=memories,
        stray=stray,
    )


def main() -> int:
    """Measure a file and print a table, or JSON."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("file", type=Path, help="a LoCoMo data file")
    parser.add_argument("--json", action="store_true", help="print JSON instead of a table")
    arguments = parser.parse_args()
    samples = json.loads(arguments.file.read_text("utf-8"))
    begun = time.perf_counter()
    rows = [
        measure(sample, sample["conversation"][speaker]) for sample in samples for speaker in ("speaker_a", "speaker_b")
    ]
    took_s = time.perf_counter() - begun
    sums = {
        name: sum(getattr(row, name) for row in rows) for name in ("turns", "observed", "found", "memories", "stray")
    }
    total = Row(conversation="all", user="", **sums)
    if arguments.json:
        shares = {"found_share": total.found_share, "stray_share": total.stray_share, "took_s": took_s}
        print(json.dumps({"rows": [asdict(row) for row in rows], "total": asdict(total) | shares}, indent=2))
        return 0
    print(f"{'conversation':14}{'user':12}{'turns':>6}{'observed':>10}{'found':>8}{'memories':>10}{'stray':>8}")
    for row in [*rows, total]:
        print(
            f"{row.conversation:14}{row.user:12}{row.turns:6}{row.observed:10}{row.found_share:8.1%}{row.memories:10}"
            f"{row.stray_share:8.1%}"
        )
    print(f"{took_s:.2f} s for {total.turns} turns")
    return 0


if __name__ == "__main__":
    sys.exit(main())
