"""Decisions about a memory in plain sentences, as its page tells them. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from toldonce.types import Action


@dataclass(frozen=True, slots=True)
class _Phrases:
    """How an action is told. `…` is the place of the other memory."""

    alone: str
    to_other: str = ""
    """It happened to this memory because of another one; empty: as `alone`."""
    by_other: str = ""
    """It happened to another memory because of this one; empty: as `alone`."""


_PHRASES: Mapping[Action, _Phrases] = {
    Action.ADD: _Phrases("Added", by_other="… was added"),
    Action.MERGE: _Phrases("Said again, which made it stronger", "… says the same and went into it", "Taken into …"),
    Action.REPLACE: _Phrases("Added in the place of another", "Added in the place of …", "Replaced by …"),
    Action.IGNORE: _Phrases("Heard again, with nothing new", "Left out, as … is known", "… was left out"),
    Action.HOLD: _Phrases("Held for review", by_other="… is held for review"),
    Action.ABANDON: _Phrases("Taken back", "Taken back because of …", "… was taken back"),
    Action.CLOSE: _Phrases("Closed", "Closed because of …", "… was closed with it"),
    Action.UNDO: _Phrases("A decision was undone"),
    Action.LINK: _Phrases("Shared from another subject"),
    Action.UNLINK: _Phrases("Removed from this subject alone"),
    Action.EXPIRE: _Phrases("Ended by itself", by_other="… ended by itself"),
    Action.EVICT: _Phrases("Closed to make room", "Closed to make room for …", "… was closed to make room for it"),
    Action.FOLD: _Phrases("Merged to make room", "Merged into … to make room", "… was merged into it to make room"),
    Action.APPROVE: _Phrases("Approved on review", "Approved on review; … says the same", "Confirmed by …, on review"),
    Action.REJECT: _Phrases("Rejected on review", by_other="… was rejected on review"),
}
_OTHER = "…"
# What undoing one would close must be open, and what it would open must be closed.
_UNDONE_BY_CLOSING = (Action.ADD, Action.REPLACE, Action.APPROVE, Action.MERGE)
_UNDONE_BY_OPENING = (Action.CLOSE, Action.ABANDON)
_CLOSED = "closed"


def told_decisions(why: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Tell the decisions about a memory, oldest first.

    Args:
        why: The memory's explanation, as the API gives it.

    Returns:
        Of each decision: `id`, `at`, `action`, its sentence as `before` and `after` the `other` memory, which is None
        if there is none, `reason`, `conversation` and `seq` of the message that caused it, `can_undo` and `was_undone`.
    """
    known = {memory["id"]: memory for memory in (why["memory"], *why["related"])}
    undone = {line["target_id"] for line in why["decisions"] if line["action"] == Action.UNDO}
    return [_told(line, why["memory"]["id"], known, undone) for line in why["decisions"]]


def newest_undoable(told: Sequence[Mapping[str, Any]], memory: str) -> str:
    """Return the id of the last decision of a memory's that can be undone; empty: there is none."""
    return next((line["id"] for line in reversed(told) if line["can_undo"] and line["memory_id"] == memory), "")


def _told(
    line: Mapping[str, Any], memory: str, known: Mapping[str, Mapping[str, Any]], undone: set[str]
) -> dict[str, Any]:
    action = Action(line["action"])
    phrases, is_own = _PHRASES[action], line["memory_id"] == memory
    other_id = line["target_id"] if is_own else line["memory_id"]
    if action is Action.UNDO or other_id == memory:
        other_id = None
    sentence = (
        phrases.alone if other_id is None else (phrases.to_other if is_own else phrases.by_other) or phrases.alone
    )
    before, mark, after = sentence.partition(_OTHER)
    return {
        "id": line["id"],
        "memory_id": line["memory_id"],
        "at": line["at"],
        "action": line["action"],
        "before": before.strip(),
        "other": _other(other_id, known) if mark and other_id else None,
        "after": after.strip(),
        "reason": line["reason"],
        "conversation": line["conversation"],
        "seq": line["seq"],
        "was_undone": line["id"] in undone,
        "can_undo": line["id"] not in undone and _is_undoable(line, action, known),
    }


def _other(id_: str, known: Mapping[str, Mapping[str, Any]]) -> dict[str, Any]:
    memory = known.get(id_)
    return {"id": id_, "text": (memory["text"] or memory["summary"]) if memory else "", "is_known": memory is not None}


def _is_undoable(line: Mapping[str, Any], action: Action, known: Mapping[str, Mapping[str, Any]]) -> bool:
    touched = line["target_id"] if action is Action.MERGE else line["memory_id"]
    memory = known.get(touched or "")
    if memory is None:
        return False
    is_closed = memory["state"] == _CLOSED
    return action in (_UNDONE_BY_OPENING if is_closed else _UNDONE_BY_CLOSING)
