"""Put the messages of an exported conversation in the order in which they are recorded. Pure.

Each message comes after its parent, and the branch that the product showed last comes last, as the log takes the newest
message for the current one. What is not recorded (tools, system messages, pictures) is taken out of the tree. A file
may be wrong: parents may be missing, or form a ring.
"""

from collections import defaultdict
from collections.abc import Mapping
from dataclasses import dataclass
from datetime import UTC, datetime

from toldonce.importers.records import SourceConversation, SourceMessage

ROLES = frozenset({"user", "assistant"})
# No chat is older than the first chat programs; a date before is a placeholder such as 1970.
_FIRST_DATE = datetime(1980, 1, 1, tzinfo=UTC)


@dataclass(frozen=True, slots=True, kw_only=True)
class OrderedMessage:
    """A message with its place in the order."""

    message: SourceMessage
    parent: int
    """Index of its parent; -1: it is a first message."""
    said_at: datetime
    """Its date, or that of the message before it."""


def order_messages(conversation: SourceConversation, now: datetime) -> list[OrderedMessage]:
    """Return the messages to record; dates are not after `now`, which is also that of a chat without any date."""
    by_id: dict[str, SourceMessage] = {}
    for message in conversation.messages:
        by_id.setdefault(message.id, message)
    above = {id_: message.parent if message.parent in by_id else None for id_, message in by_id.items()}
    _cut_rings(above)
    parents = _kept_parents(above, by_id)
    children: defaultdict[str | None, list[str]] = defaultdict(list)
    for id_, parent in parents.items():
        children[parent].append(id_)
    current = _current_branch(conversation.current, above, parents)
    for siblings in children.values():
        siblings.sort(key=lambda id_: id_ in current)
    first_date = _first_date(conversation, now)
    places: dict[str | None, int] = {}
    ordered: list[OrderedMessage] = []
    waiting = children[None][::-1]
    while waiting:
        id_ = waiting.pop()
        place = places.get(parents[id_], -1)
        before = ordered[place].said_at if place >= 0 else first_date
        said_at = _date(by_id[id_].said_at, now) or before
        places[id_] = len(ordered)
        ordered.append(OrderedMessage(message=by_id[id_], parent=place, said_at=said_at))
        waiting.extend(reversed(children[id_]))
    return ordered


def _is_kept(message: SourceMessage) -> bool:
    return message.role in ROLES and bool(message.text.strip())


def _cut_rings(above: dict[str, str | None]) -> None:
    """Make one message of each ring a first message."""
    seen: dict[str, str] = {}
    for start in above:
        id_: str | None = start
        while id_ is not None and id_ not in seen:
            seen[id_] = start
            id_ = above[id_]
        if id_ is not None and seen[id_] == start:
            above[id_] = None


def _kept_parents(above: Mapping[str, str | None], by_id: Mapping[str, SourceMessage]) -> dict[str, str | None]:
    """Return the nearest message above each kept one that is kept, too."""
    nearest: dict[str, str | None] = {}
    for start in above:
        path: list[str] = []
        id_: str | None = start
        while id_ is not None and id_ not in nearest:
            path.append(id_)
            id_ = above[id_]
        for each in reversed(path):
            parent = above[each]
            nearest[each] = parent if parent is None or _is_kept(by_id[parent]) else nearest[parent]
    return {id_: nearest[id_] for id_, message in by_id.items() if _is_kept(message)}


def _current_branch(
    current: str | None, above: Mapping[str, str | None], parents: dict[str, str | None]
) -> set[str | None]:
    """Return the messages from the one that was shown last up to the first."""
    id_ = current if current in above else next(reversed(parents), None)
    branch: set[str | None] = set()
    while id_ is not None:
        branch.add(id_)
        id_ = above[id_]
    return branch


def _first_date(conversation: SourceConversation, now: datetime) -> datetime:
    dates = (conversation.created_at, *(message.said_at for message in conversation.messages))
    return next((date for given in dates if (date := _date(given, now)) is not None), now)


def _date(given: datetime | None, now: datetime) -> datetime | None:
    return None if given is None or given < _FIRST_DATE else min(given, now)
