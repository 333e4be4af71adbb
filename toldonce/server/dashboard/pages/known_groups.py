"""What is known about a subject, in groups: facts under the headings that a prompt has, the rest by month. Pure."""

from collections.abc import Iterable, Mapping
from datetime import datetime
from typing import Any

from toldonce.dates import written
from toldonce.prompt.sentences import headings, place_under_heading

Group = dict[str, Any]


def by_heading(facts: Iterable[Mapping[str, Any]]) -> list[Group]:
    """Return facts under their headings, in the order of a profile block: `{"name": heading, "memories": […]}`."""
    under: dict[int, list[tuple[int, str, str, Mapping[str, Any]]]] = {}
    for fact in facts:
        group, row = place_under_heading(fact["key"], fact["category"])
        under.setdefault(group, []).append((row, fact["key"], fact["id"], fact))
    return [
        {"name": headings()[group].heading.rstrip(":"), "memories": [row[-1] for row in sorted(rows, key=_place)]}
        for group, rows in sorted(under.items())
    ]


def _place(row: tuple[int, str, str, Mapping[str, Any]]) -> tuple[int, str, str]:
    return row[:-1]


def by_month(memories: Iterable[Mapping[str, Any]]) -> list[Group]:
    """Return memories by the month in which their words were said, the newest month first.

    >>> [group["name"] for group in by_month([{"evidence": [], "valid_from": "2026-05-03T10:00:00Z"}])]
    ['May 2026']
    """
    months: dict[str, list[Mapping[str, Any]]] = {}
    for memory in memories:
        at = memory["evidence"][0]["said_at"] if memory["evidence"] else memory["valid_from"]
        months.setdefault(at[: len("2026-05")], []).append(memory)
    return [
        {"name": written(datetime.fromisoformat(f"{month}-01")).partition(" ")[2], "memories": found}
        for month, found in sorted(months.items(), reverse=True)
    ]
