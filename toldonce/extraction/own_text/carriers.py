"""Marks of what a message only carries, and how far it reaches: carriers.toml as patterns. Reads it once."""

import re
import tomllib
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from importlib.resources import files
from itertools import islice
from typing import Any, Literal

from toldonce.extraction.own_text.marked_text import Origin
from toldonce.extraction.own_text.spans import NOTHING, RemovedParts, Span
from toldonce.lazy_pattern import LazyPattern

# Characters before a mark that may take it back.
_BEFORE = 80
_DATA: Mapping[str, Any] = tomllib.loads((files(__package__) / "carriers.toml").read_text("utf-8"))


def words(table: str, key: str) -> frozenset[str]:
    """Return the words of an entry of carriers.toml."""
    return frozenset(_DATA[table][key].split())


def pattern(table: str, key: str, *, case: bool = False) -> LazyPattern[str]:
    """Return an entry of carriers.toml as a pattern in which `^` and `$` mean lines."""
    return _pattern(_DATA[table][key], case=case)


def _pattern(source: str | Sequence[str], *, case: bool = False) -> LazyPattern[str]:
    alternatives = [source] if isinstance(source, str) else source
    first, *others = "|".join(map(_with_parts, alternatives)).split("(?P<who>")
    joined = first + "".join(f"(?P<who{number}>{other}" for number, other in enumerate(others))
    return LazyPattern(joined, re.MULTILINE if case else re.MULTILINE | re.IGNORECASE)


def _with_parts(source: str) -> str:
    """Join the lines of a pattern, and put parts where they are named, and parts of these."""
    joined = "".join(line.lstrip() for line in source.split("\n"))
    for name, part in _DATA["parts"].items():
        if f"{{{name}}}" in joined:
            joined = joined.replace(f"{{{name}}}", _with_parts(part))
    return joined


@dataclass(frozen=True, slots=True, kw_only=True)
class Carrier:
    """Marks of one kind of carried text; the fields are those of carriers.toml."""

    origin: Origin
    marks: LazyPattern[str]
    reach: Literal["self", "end", "speech", "sentence", "paragraph", "whole"]
    least: int
    turns: Literal["", "yes", "strict", "pair"]
    unless: frozenset[str]
    unless_before: LazyPattern[str] | None
    then: LazyPattern[str] | None
    late: bool
    prompt: bool
    weak: bool

    @classmethod
    def read(cls, entry: Mapping[str, Any]) -> "Carrier":
        """Read an entry of carriers.toml."""
        return cls(
            origin=Origin(entry["origin"]),
            marks=_pattern(entry["marks"], case=entry.get("case", False)),
            reach=entry.get("reach", "end"),
            least=entry.get("least", 1),
            turns=entry.get("turns", ""),
            unless=frozenset(entry.get("unless", "").split()),
            unless_before=_pattern(entry["unless_before"]) if "unless_before" in entry else None,
            then=_pattern(entry["then"]) if "then" in entry else None,
            late=entry.get("late", False),
            prompt=entry.get("prompt", True),
            weak=entry.get("weak", False),
        )

    def find(self, text: str, removed: RemovedParts = NOTHING) -> list[Span]:
        """Find what its marks carry.

        Args:
            text: A message, without what it wraps.
            removed: What was found before; a late carrier's mark within or before it marks nothing more.
        """
        marks = (found for found in self.marks.finditer(text) if self._counts(found, text, removed))
        found = list(marks if self.turns or self.reach not in ("end", "whole") else islice(marks, self.least))
        if len(found) < self.least or (self.turns and not self._take_turns(found)):
            return []
        if self.then and not self.then.search(text, found[0].end()):
            return []
        if self.reach == "end":
            return [(found[0].start(), len(text))]
        spans: list[Span] = []
        for mark in found:
            if not spans or mark.start() >= spans[-1][1]:
                spans.append(self._reached(mark, text))
        return spans

    def _counts(self, mark: "re.Match[str]", text: str, removed: RemovedParts) -> bool:
        if self.unless and not self.unless.isdisjoint(word.strip(".!") for word in _who(mark).casefold().split()):
            return False
        if self.late and (removed.holds(mark.start()) or removed.follows(text, mark.end())):
            return False
        line = text[max(0, mark.start() - _BEFORE) : mark.start()].rpartition("\n")[2]
        return self.unless_before is None or not self.unless_before.search(line)

    def _take_turns(self, marks: Sequence["re.Match[str]"]) -> bool:
        names = [_who(mark).casefold() for mark in marks]
        if self.turns == "strict":
            return 1 < len(set(names)) < len(names)
        return is_dialogue(names) or (self.turns == "pair" and len(set(names)) > 1)

    def _reached(self, mark: "re.Match[str]", text: str) -> Span:
        start, end = mark.span()
        if self.reach == "self":
            return start, end
        if self.reach == "whole":
            return 0, len(text)
        if self.reach == "paragraph":
            after = text.find("\n\n", end)
            return text.rfind("\n\n", 0, start) + 1, len(text) if after < 0 else after
        stop = (_SENTENCE_END if self.reach == "sentence" else _LINE_END).search(text, end)
        until = stop.end() if stop else len(text)
        is_below = self.reach == "speech" and not text[end:until].strip()
        return end, len(text) if is_below else until


_SENTENCE_END = LazyPattern(r"[.!?](?=\s|$)|\n")
_LINE_END = LazyPattern(r"\n")
_ROLES = words("speakers", "roles")


def is_dialogue(names: Sequence[str]) -> bool:
    """Return whether labels are those of a dialogue: two speakers, one of whom speaks twice.

    >>> is_dialogue(["Ben", "Ann", "Ben"]), is_dialogue(["Breakfast", "Lunch", "Dinner"]), is_dialogue(["User", "AI"])
    (True, False, True)
    """
    apart = {name.casefold() for name in names}
    return len(apart) > 1 and (
        len(apart) < len(names) or _ROLES.issuperset(name.rstrip("0123456789 _") for name in apart)
    )


def _who(mark: "re.Match[str]") -> str:
    """Return the speaker whom a mark names; empty if it names none."""
    return next((name for group, name in mark.groupdict().items() if name and group.startswith("who")), "")


CARRIERS = tuple(Carrier.read(entry) for entry in _DATA["carrier"])
"""All carriers, in the order in which the origins of overlapping spans count."""
