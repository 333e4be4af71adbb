"""Compares memory with what a case expects. Pure.

What quotes its speaker, dated, states what was said then: it is no false memory where something has ended it that is
held as well. A fact is judged by its slot where its text quotes a sentence that says more.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum
from zoneinfo import ZoneInfo

from toldonce.text.source_marks import words_said
from toldonce.types import Memory, MemoryKind, RecalledMemory

from .cases import Asked, Case, Entry, Item, all_in, line_of, slot_of
from .playback import Played

# A question's words must be among so many results behind the standing facts.
AMONG = 5


class Flaw(StrEnum):
    """Kinds of mistakes."""

    FALSE = "false"
    """A memory is wrong, or was never said, or has ended without the statement that ended it: the worst mistake."""
    KEPT = "kept"
    """A quotation is listed among the memories that states nothing to be held: it was said so, and weighs too much."""
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
        expected = any(entry.matches(memory) for entry in (*store.holds, *store.may))
        refused = next((words for words in store.absent if all_in(words, _stated(memory))), None)
        if _is_told_with_its_end(played, memory):
            continue
        if memory.kind is MemoryKind.TURN:
            if not expected and (store.only or refused is not None):
                yield Finding(Flaw.KEPT, line)
        elif refused is not None:
            yield Finding(Flaw.FALSE, line, f"says {' + '.join(refused)}")
        elif store.only and not expected:
            yield Finding(Flaw.FALSE, line, "is not to be held")


def _stated(memory: Memory) -> str:
    """Return what a memory states: of a fact that quotes a sentence, its slot."""
    is_quoting_fact = memory.kind is MemoryKind.FACT and words_said(memory.text) is not None
    return slot_of(memory) if is_quoting_fact else line_of(memory)


def _is_told_with_its_end(played: Played, memory: Memory) -> bool:
    """Return whether a memory quotes what ended later, and a memory is held that rests on the message that ended it."""
    if memory.kind is not MemoryKind.TURN and words_said(memory.text) is None:
        return False
    held = {turn for other in played.active for turn in played.rests_on(other)}
    ended = [entry for entry in played.case.store.closed if entry.matches(memory)]
    if ended:
        return all(_ending(played.case, entry) & held for entry in ended)
    return memory.kind is MemoryKind.TURN and bool(_later_values(played, memory) & held)


def _ending(case: Case, entry: Entry) -> set[str]:
    """Return the turns that end what an entry says."""
    return {turn for turn, item in _items(case) if item.ends and entry.says_all(item.ends.lower())}


def _later_values(played: Played, memory: Memory) -> set[str]:
    """Return the turns that give a slot another value than the quoted turn."""
    items = list(_items(played.case))
    old = [(place, item) for place, (turn, item) in enumerate(items) if turn in played.rests_on(memory) and item.key]
    return {
        turn
        for place, item in old
        for turn, other in items[place + 1 :]
        if other.key == item.key and other.value != item.value
    }


def _items(case: Case) -> Iterator[tuple[str, Item]]:
    """Yield the items of a good model with their turns ("2.1"), in order."""
    for number, session in enumerate(case.session, start=1):
        yield from ((f"{number}.{item.turn}", item) for item in session.model)


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
    seen: dict[tuple[MemoryKind, str, tuple[Entry, ...]], Memory] = {}
    for memory in played.active:
        matched = tuple(entry for entry in store.holds if entry.matches(memory))
        if not matched or memory.kind is MemoryKind.TURN:  # what is said twice is quoted twice
            continue
        # Two slots that one sentence states are two things.
        slot = memory.key if words_said(memory.text) else ""
        other = seen.setdefault((memory.kind, slot, matched), memory)
        if other is not memory:
            yield Finding(
                Flaw.DOUBLE, " and ".join(map(str, matched)), f"{line_of(memory)!r} beside {line_of(other)!r}"
            )


def _closed(played: Played) -> Iterator[Finding]:
    for entry in played.case.store.closed:
        quoted = any(entry.matches(memory) and _is_told_with_its_end(played, memory) for memory in played.active)
        if not quoted and not any(entry.matches(memory) for memory in played.closed):
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
