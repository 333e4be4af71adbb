"""One memory: what it says, since when it holds, where it comes from, what was decided; and what to do about it."""

from collections.abc import Mapping, Sequence
from dataclasses import asdict, dataclass
from difflib import SequenceMatcher
from itertools import pairwise
from typing import Any
from urllib.parse import parse_qsl

from toldonce.server.dashboard.filters import cut
from toldonce.server.dashboard.page import BadFormError, HtmlPage, PageRequest, PageRoute, SeeOther
from toldonce.server.dashboard.paths import page_path
from toldonce.server.dashboard.quotes import homes_of, read_quotes
from toldonce.server.dashboard.rest_client import RestError
from toldonce.server.dashboard.time_line import time_line
from toldonce.types import KEPT_IMPORTANCE, Action, MemoryKind

MAX_DECISIONS = 100
"""Decisions shown of a memory, the last ones."""
_SOURCE = "toldonce://"
_LINK, _HOLD = Action.LINK.value, Action.HOLD.value


async def _memory(request: PageRequest) -> HtmlPage:
    """Show a memory with its sources, decisions and versions."""
    steps = _steps(request)
    answer = await request.rest.send("GET", *steps)
    why = await request.rest.get(*steps, "why")
    memory, told = why["memory"], told_decisions(why)
    recalled = why["last_recalled"]
    data = {
        "subject": request.subject,
        "tag": answer.headers["etag"],
        "why": why,
        "home": homes_of(request.subject)[-1],
        "decisions": told[-MAX_DECISIONS:],
        "earlier_decisions": max(len(told) - MAX_DECISIONS, 0),
        "undo": next((line["id"] for line in told if line["id"] == request.query.get("undo") and line["can_undo"]), ""),
        "quotes": await read_quotes(request, memory),
        "versions": await read_versions(request, why),
        "time_line": asdict(time_line(memory, recalled["at"] if recalled else None, request.engine.clock.now())),
        "hold_reason": next((line["reason"] for line in reversed(told) if line["action"] == _HOLD), ""),
        "is_correctable": is_correctable(memory),
        "is_linked": any(line["action"] == _LINK for line in told),
        "summed_up": _summed_up(memory),
    }
    return HtmlPage(template="memory", title="Memory", data=data)


def is_correctable(memory: Mapping[str, Any]) -> bool:
    """Return whether a memory is of those that are corrected: active notes and facts, and quotations that are kept."""
    is_kept = memory["kind"] == MemoryKind.TURN and memory["importance"] >= KEPT_IMPORTANCE
    return memory["state"] == "active" and (is_kept or memory["kind"] in ("note", "fact"))


def _summed_up(memory: Mapping[str, Any]) -> dict[str, Any] | None:
    """Return which turns an episode sums up, and which part of each conversation; None for another memory."""
    evidence, uri, parts = memory["evidence"], memory["source_uri"], memory["parts"]
    if memory["first_seq"]:
        conversation = evidence[0]["conversation"] if evidence else ""
        if not conversation and uri.startswith(_SOURCE):
            conversation = uri.removeprefix(_SOURCE).partition("/")[0]
        parts = [{"conversation": conversation, **{name: memory[name] for name in ("first_seq", "last_seq")}}]
    return {"parts": parts, **{name: memory[name] for name in ("first_turn", "last_turn")}} if parts else None


async def _correct(request: PageRequest) -> SeeOther:
    """Say what holds in the memory's place: it was wrong, or is no longer true."""
    text, ended = request.field("text"), request.field("how") == "ended"
    body: dict[str, str] = {}
    if text:
        body["text"] = text
        if value := request.field("value"):
            body["value"] = await _corrected_value(request, text, value)
    if ended:
        day = request.field("true_until")
        if not day:
            raise BadFormError("Say until which day it was true.")
        body["true_until"] = f"{day}T00:00:00Z"
    answer = await request.rest.send("PATCH", *_steps(request), body=body, if_match=request.field("tag") or None)
    return await _shown_with_undo(request, answer.data["id"], "corrected")


async def _corrected_value(request: PageRequest, text: str, value: str) -> str:
    """Return the value of a fact that was corrected: who changes the sentence alone means its value, too.

    Raises:
        BadFormError: The sentence has another value, and it cannot be told which.
    """
    memory = await request.rest.get(*_steps(request))
    if value != memory["value"]:
        return value
    changed = changed_value(memory["text"], value, text)
    if changed is None:
        raise BadFormError(f"The new sentence does not say “{cut(value)}” any more: write the new value, too.")
    return changed


async def _forget(request: PageRequest) -> SeeOther:
    """Close the memory: its history stays."""
    body = {"reason": request.field("reason")}
    await request.rest.send("POST", *_steps(request), "close", body=body, if_match=request.field("tag") or None)
    return await _shown_with_undo(request, request.parameters["memory"], "forgot")


async def _shown_with_undo(request: PageRequest, memory: str, done: str) -> SeeOther:
    """Go to a memory's page, or back to the list if the form was there; both offer to undo the last decision."""
    why = await request.rest.get("subjects", request.subject, "memories", memory, "why")
    undo = newest_undoable(told_decisions(why), memory)
    query = {"done": done, **({"undo": undo} if undo else {})}
    if "list" in request.form:
        place = {**dict(parse_qsl(request.field("list"))), **query, "memory": memory}
        return SeeOther(page_path("subjects", request.subject, **place) + f"#m-{memory}")
    return SeeOther(page_path("subjects", request.subject, "memories", memory, **query))


async def _erase(request: PageRequest) -> HtmlPage:
    """Erase the memory for good, and show the receipt."""
    request.require_sure()
    query = {"keep_messages": request.field("keep_messages") == "yes"}
    if request.field("everywhere") == "yes":
        query["everywhere"] = True
    receipt = (await request.rest.send("DELETE", *_steps(request), query=query)).data
    return HtmlPage(template="receipt", title="Erased", data={"subject": request.subject, "receipt": receipt})


async def _undo(request: PageRequest) -> SeeOther:
    """Reverse a decision about the memory."""
    await request.rest.post("subjects", request.subject, "decisions", request.field("decision"), "undo")
    return SeeOther(page_path(*_steps(request), done="undone"))


async def _link(request: PageRequest) -> SeeOther:
    """Share the memory with another subject."""
    await request.rest.post(*_steps(request), "links", body={"to": request.field("to")})
    return SeeOther(page_path(*_steps(request), done="shared"))


async def _unlink(request: PageRequest) -> SeeOther:
    """Remove a memory that was shared with this subject from it; the others keep it."""
    request.require_sure("it leaves this memory, with its history here")
    await request.rest.post(*_steps(request), "unlink")
    return SeeOther(page_path("subjects", request.subject, done="unlinked"))


async def _review(request: PageRequest) -> SeeOther:
    """Approve or reject a held memory."""
    action = request.field("action")
    if action not in ("approve", "reject"):
        raise BadFormError("Choose to approve or to reject it.")
    id_ = request.parameters["memory"]
    answer = await request.rest.post("subjects", request.subject, "reviews", id_, action)
    done = "approved" if action == "approve" else "rejected"
    return SeeOther(page_path("subjects", request.subject, "memories", answer["id"], done=done))


def _steps(request: PageRequest) -> tuple[str, ...]:
    return ("subjects", request.subject, "memories", request.parameters["memory"])


_MEMORY = "/subjects/{subject}/memories/{memory}"
PAGES = (
    PageRoute("GET", _MEMORY, _memory),
    PageRoute("POST", f"{_MEMORY}/correct", _correct),
    PageRoute("POST", f"{_MEMORY}/forget", _forget),
    PageRoute("POST", f"{_MEMORY}/erase", _erase),
    PageRoute("POST", f"{_MEMORY}/undo", _undo),
    PageRoute("POST", f"{_MEMORY}/share", _link),
    PageRoute("POST", f"{_MEMORY}/unlink", _unlink),
    PageRoute("POST", f"{_MEMORY}/review", _review),
)


_END = ' .!。"'


def changed_value(old_text: str, old_value: str, text: str) -> str | None:
    """Return the words of a corrected sentence in the place where the old one had the fact's value.

    The value stays as it was if the old sentence did not name it, or the new one still does.

    Returns:
        The value; None if the new sentence cannot be compared with the old one.

    >>> changed_value("The user lives in Bergen.", "Bergen", "The user lives in Oslo.")
    'Oslo'
    >>> changed_value('The user said: "I live in Bergen."', "Bergen", 'The user said: "I live in Oslo"')
    'Oslo'
    >>> changed_value("The user lives in Bergen.", "Bergen", "Bergen is the user's home.")
    'Bergen'
    """
    before, found, after = old_text.partition(old_value)
    if not found:
        return old_value
    words, after = text.rstrip(_END), after.rstrip(_END)
    if words.startswith(before) and words.endswith(after):
        changed = words[len(before) : len(words) - len(after)].strip()
        if changed:
            return changed
    return old_value if old_value in text else None


MAX_STEPS = 8
"""How far it goes back, and forward."""


async def read_versions(request: PageRequest, why: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a memory replaced, the memory, and what replaced it, oldest first; empty if it is the only version.

    Each is a memory with `pieces`: its words, and those of the version before that are gone.
    """
    earlier = await _walk(request, why, "replaced")
    later = await _walk(request, why, "replaced_by")
    chain = [*reversed(earlier), why["memory"], *later]
    if len(chain) == 1:
        return []
    versions = [{"memory": chain[0], "pieces": [("same", _words(chain[0]))]}]
    for old, new in pairwise(chain):
        versions.append({"memory": new, "pieces": word_diff(_words(old), _words(new))})
    return versions


async def _walk(request: PageRequest, why: Mapping[str, Any], direction: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    seen = {why["memory"]["id"]}
    while len(found) < MAX_STEPS:
        ids = [id_ for id_ in why[direction] if id_ not in seen]
        if not ids:
            break
        seen.add(ids[-1])
        try:
            why = await request.rest.get("subjects", request.subject, "memories", ids[-1], "why")
        except RestError:  # erased meanwhile
            break
        found.append(why["memory"])
    return found


def _words(memory: Mapping[str, Any]) -> str:
    return str(memory["text"] or memory["summary"])


# Comparing takes up to the cube of the number of words, 5 ms for so many: longer texts are shown whole.
MAX_WORDS = 100
Piece = tuple[str, str]
"""`same`, `gone` or `new`, and the words."""


def word_diff(old: str, new: str) -> list[Piece]:
    """Return the words of both texts in order, each run with what became of it.

    >>> word_diff("Ana drinks green tea.", "Ana drinks black tea.")
    [('same', 'Ana drinks'), ('gone', 'green'), ('new', 'black'), ('same', 'tea.')]
    """
    before, after = old.split(), new.split()
    if max(len(before), len(after)) > MAX_WORDS:
        return [("gone", old), ("new", new)]
    pieces: list[Piece] = []
    for kind, i1, i2, j1, j2 in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if kind == "equal":
            pieces.append(("same", " ".join(before[i1:i2])))
            continue
        if i1 < i2:
            pieces.append(("gone", " ".join(before[i1:i2])))
        if j1 < j2:
            pieces.append(("new", " ".join(after[j1:j2])))
    return pieces


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
