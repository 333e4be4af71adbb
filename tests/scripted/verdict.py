"""Compares memory with what a case expects. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from zoneinfo import ZoneInfo

from recollect.types import Memory, MemoryKind, RecalledMemory

from .cases import Asked, Case, Entry, all_in, line_of
from .playback import Played

# A question's words must be among so many results behind the standing facts.
AMONG = 5


class Flaw(StrEnum):
    """Kinds of mistakes."""

    FALSE = "false"
    """A memory is wrong, or was never said: the worst mistake."""
    MISSING = "missing"
    DOUBLE = "double"
    SOURCE = "source"
    """A memory does not have the right turn as its evidence."""
    CLOSED = "closed"
    """A memory that ended is not in the history as ended."""
    RECALL = "recall"
    """A memory is not recalled, or one that ended is shown as active."""


@dataclass(frozen=True, slots=True)
class Finding:
    """One mistake."""

    flaw: Flaw
    about: str
    """The entry, question or memory it is about."""
    what: str = ""
    """What was there instead."""

    def __str__(self) -> str:
        return f"{self.flaw}: {self.about}{' ' * bool(self.what)}{self.what}"


def findings(played: Played) -> list[Finding]:
    """Return all mistakes after a conversation; empty if memory is right."""
    case = played.case
    return [
        *_false(played),
        *_missing(played),
        *_doubles(played),
        *_closed(played),
        *(
            finding
            for asked, items in zip(case.recall, played.recalls, strict=True)
            for finding in _asked(case, asked, items)
        ),
    ]


def _false(played: Played) -> Iterator[Finding]:
    store = played.case.store
    for memory in played.active:
        line = line_of(memory)
        refused = next((words for words in store.absent if all_in(words, line)), None)
        expected = any(entry.matches(memory) for entry in (*store.holds, *store.may))
        if refused is not None:
            yield Finding(Flaw.FALSE, line, f"says {' + '.join(refused)}")
        elif store.only and not expected:
            yield Finding(Flaw.FALSE, line, "is not to be held")


def _missing(played: Played) -> Iterator[Finding]:
    for entry in played.case.store.holds:
        matching = [memory for memory in played.active if entry.matches(memory)]
        if not matching:
            yield Finding(Flaw.MISSING, str(entry))
            continue
        rests_on = {turn for memory in matching for turn in played.rests_on(memory)}
        for turn in entry.turn:
            if turn not in rests_on:
                yield Finding(Flaw.SOURCE, f"{entry} on {turn}", f"rests on {sorted(rests_on)}")


def _doubles(played: Played) -> Iterator[Finding]:
    store = played.case.store
    seen: dict[tuple[MemoryKind, tuple[Entry, ...]], Memory] = {}
    for memory in played.active:
        matched = tuple(entry for entry in store.holds if entry.matches(memory))
        if not matched:
            continue
        other = seen.setdefault((memory.kind, matched), memory)
        if other is not memory:
            yield Finding(
                Flaw.DOUBLE, " and ".join(map(str, matched)), f"{line_of(memory)!r} beside {line_of(other)!r}"
            )


def _closed(played: Played) -> Iterator[Finding]:
    for entry in played.case.store.closed:
        if not any(entry.matches(memory) for memory in played.closed):
            yield Finding(Flaw.CLOSED, str(entry), "is said by nothing that ended")


def _asked(case: Case, asked: Asked, items: Sequence[RecalledMemory]) -> Iterator[Finding]:
    standing = [_shown(case, item) for item in items if item.standing]
    others = [_shown(case, item) for item in items if not item.standing]
    if asked.first and not any(all_in(asked.first, line) for line in (*standing, *others[:1])):
        best = others[0] if others else "nothing"
        yield Finding(Flaw.RECALL, asked.ask, f"finds {best!r} first, not {' + '.join(asked.first)}")
    for words in asked.finds:
        if not any(all_in(words, line) for line in (*standing, *others[:AMONG])):
            yield Finding(Flaw.RECALL, asked.ask, f"does not find {' + '.join(words)}")
    yield from _stale(case, asked, items)


def _shown(case: Case, item: RecalledMemory) -> str:
    """Write a result as a prompt shows it: a quotation with its day."""
    if item.memory.kind is not MemoryKind.TURN:
        return line_of(item.memory)
    return f"{line_of(item.memory)} ({item.memory.valid_from.astimezone(ZoneInfo(case.time_zone)).date()})"


def _stale(case: Case, asked: Asked, items: Sequence[RecalledMemory]) -> Iterator[Finding]:
    """Find ended memories that are shown: statements anywhere, quotations before the active memory."""
    answered = not asked.first
    for item in items:
        line = _shown(case, item)
        told = item.memory.kind is not MemoryKind.TURN
        stale = next((words for words in asked.never if all_in(words, line)), None)
        if stale is not None and (told or not answered):
            yield Finding(Flaw.RECALL, asked.ask, f"shows {line!r}")
        answered = answered or all_in(asked.first, line)
