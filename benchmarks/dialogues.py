"""Conversations with questions whose evidence is known: LoCoMo's file, BEAM's folders. Reads what it is given.

Both become one shape, so that one configuration is measured on both. LoCoMo's two speakers are each the user once, as
when the file is replayed, and each question is asked in both memories. Only BEAM's 100K conversations are read: where a
folder holds `chat_trunecated.json`, that is the one.
"""

import json
import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import Any

from benchmarks.observer import observations

# BEAM's user messages end with their position in the script.
_SCRIPT_MARK = re.compile(r"\s*->->\s*[\d,.\s]*$")
_MINUTE = timedelta(minutes=1)


@dataclass(frozen=True, slots=True, kw_only=True)
class Said:
    """One message."""

    name: str
    """What evidence calls it."""
    text: str
    said_at: datetime
    role: str = "user"
    speaker: str = ""
    """The name of who says it; empty where only the role is known."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Observed:
    """A sentence that was noted of some messages."""

    text: str
    turns: tuple[str, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """A question."""

    text: str
    category: str
    evidence: frozenset[str]
    """Names of the messages that hold the answer; at least one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Dialogue:
    """All that was said with one user, and what is asked about it."""

    id: str
    sessions: tuple[tuple[Said, ...], ...]
    questions: tuple[Asked, ...]
    observed: tuple[Observed, ...] = ()

    @property
    def turns(self) -> list[Said]:
        """All messages, in order."""
        return [said for session in self.sessions for said in session]


def read_dialogues(path: Path) -> list[Dialogue]:
    """Read a file in LoCoMo's format, or a folder of BEAM's conversations, of which each is a folder."""
    if path.is_dir():
        return [_beam(folder) for folder in sorted(path.iterdir(), key=lambda each: each.name.zfill(8))]
    samples = json.loads(path.read_text("utf-8"))
    return [_locomo(sample, user) for sample in samples for user in ("speaker_a", "speaker_b")]


def sessions(conversation: Mapping[str, Any]) -> Iterator[tuple[datetime, dict[str, Any]]]:
    """Read LoCoMo's turns in order, each with the time of its session."""
    number = 1
    while f"session_{number}" in conversation or f"session_{number}_date_time" in conversation:
        written = conversation[f"session_{number}_date_time"] + " +0000"
        held = datetime.strptime(written, "%I:%M %p on %d %B, %Y %z")
        for turn in conversation.get(f"session_{number}", []):
            yield held, turn
        number += 1


def _locomo(sample: dict[str, Any], user: str) -> Dialogue:
    owner = sample["conversation"][user]
    held: dict[datetime, list[Said]] = {}
    for at, turn in sessions(sample["conversation"]):
        role = "user" if turn["speaker"] == owner else "assistant"
        said = Said(name=turn["dia_id"], text=turn["text"], said_at=at, role=role, speaker=turn["speaker"])
        held.setdefault(at, []).append(said)
    spread = tuple(tuple(_minutes(session)) for session in held.values())
    names = frozenset(said.name for session in spread for said in session)
    return Dialogue(
        id=f"{sample['sample_id']} of {owner}",
        sessions=spread,
        questions=_with_evidence(
            Asked(text=item["question"], category=str(item["category"]), evidence=names & set(item["evidence"]))
            for item in sample["qa"]
        ),
        observed=tuple(
            Observed(text=observation.text, turns=kept)
            for observation in observations(sample)
            if (kept := tuple(turn for turn in observation.turns if turn in names))
        ),
    )


def _minutes(session: list[Said]) -> Iterator[Said]:
    """Space the messages of a session, whose beginning alone is dated, as the product's replay does."""
    for number, said in enumerate(session):
        yield replace(said, said_at=said.said_at + number * _MINUTE)


def _beam(folder: Path) -> Dialogue:
    cut = folder / "chat_trunecated.json"
    batches = json.loads((cut if cut.exists() else folder / "chat.json").read_text("utf-8"))
    held = [tuple(_batch(batch)) for batch in batches]
    names = frozenset(said.name for session in held for said in session)
    probing = json.loads((folder / "probing_questions" / "probing_questions.json").read_text("utf-8"))
    return Dialogue(
        id=f"beam-{folder.name}",
        sessions=tuple(held),
        questions=_with_evidence(
            Asked(
                text=item["question"], category=ability, evidence=names & set(map(str, _ids(item["source_chat_ids"])))
            )
            for ability, items in probing.items()
            for item in items
            if item.get("source_chat_ids")
        ),
    )


def _batch(batch: Mapping[str, Any]) -> Iterator[Said]:
    """Read a batch's messages; a date applies to the messages after it."""
    at = _anchor(batch.get("time_anchor")) or datetime(2024, 1, 1, tzinfo=UTC)
    for message in (message for turn in batch["turns"] for message in turn):
        at = _anchor(message.get("time_anchor")) or at + _MINUTE
        text = _SCRIPT_MARK.sub("", message["content"])
        yield Said(name=str(message["id"]), text=text, said_at=at, role=message["role"])


def _anchor(written: object) -> datetime | None:
    """Read 'March-15-2024'."""
    if not isinstance(written, str) or not written:
        return None
    return datetime.strptime(written + " +0000", "%B-%d-%Y %z")


def _ids(value: object) -> Iterator[int]:
    """List the numbers in a value of any shape."""
    if isinstance(value, int):
        yield value
    elif isinstance(value, Mapping):
        for inner in value.values():
            yield from _ids(inner)
    elif isinstance(value, list):
        for inner in value:
            yield from _ids(inner)


def _with_evidence(asked: Iterator[Asked]) -> tuple[Asked, ...]:
    return tuple(question for question in asked if question.evidence)
