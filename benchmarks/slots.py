"""Slots that the rules read from our own labelled messages: precision and recall by language and slot.

.venv/bin/python -m benchmarks.slots [-v] [--held-out] [LANGUAGE ...]
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from datetime import UTC, datetime
from pathlib import Path

from toldonce.extraction.rules import read_by_rules
from toldonce.extraction.sources import ExtractionInput
from toldonce.text.normalize import fold
from toldonce.types import ConversationId, LoggedMessage, MemoryKind, Subject
from tools.corpus import LabelledMessage, read_corpus

# Messages that the tables were written with, and those that they were not.
_KNOWN, _HELD_OUT = Path("corpora/messages"), Path("corpora/held_out")
_FLAGS = frozenset({"-v", "--held-out"})
# Slots whose values are stored by English names, whatever was written.
_CLOSED = frozenset({"diet", "marital_status", "nationality"})
# Keys of relatives and pets, and the slots of the corpus that they are.
_SAME = {
    **dict.fromkeys(("son", "daughter", "child"), "child"),
    **dict.fromkeys(("sister", "brother"), "sibling"),
    **dict.fromkeys(("mother", "father"), "parent"),
    **dict.fromkeys(("dog", "cat", "horse", "rabbit", "parrot", "hamster", "turtle"), "pet"),
    "address_as": "name",
}
COMPARED = frozenset(
    """name age location origin nationality language native_language job employer school field_of_study partner child
    sibling parent pet allergy condition medication diet marital_status""".split()
)
_AT = datetime(2026, 11, 2, 9, tzinfo=UTC)


def main(arguments: Sequence[str]) -> None:
    """Print a table; with `-v`, every slot that is wrong or missing."""
    asked = set(arguments) - _FLAGS
    folder = _HELD_OUT if "--held-out" in arguments else _KNOWN
    paths = [path for path in sorted(folder.glob("*.txt")) if not asked or path.stem in asked]
    tables = {path.stem: list(read_corpus(path)) for path in paths}
    by_slot: dict[str, Counter[str]] = {}
    print("language   gold  found  right  precision  recall")
    for language, messages in tables.items():
        counted = Counter[str]()
        for message in messages:
            for outcome, slot, value in _compared(message):
                counted[outcome] += 1
                by_slot.setdefault(slot, Counter())[outcome] += 1
                if "-v" in arguments and outcome != "right":
                    print(f"{outcome:8} {language} {slot}={value} | {' / '.join(message.text.splitlines())}")
        print(_row(language, counted))
    for slot, counted in sorted(by_slot.items()):
        print(_row(slot, counted))
    print(_row("all", sum(by_slot.values(), Counter())))


def _row(name: str, counted: Counter[str]) -> str:
    right, found, gold = counted["right"], counted["right"] + counted["wrong"], counted["right"] + counted["missing"]
    return f"{name:16} {gold:5} {found:6} {right:6} {right / max(1, found):9.1%} {right / max(1, gold):7.1%}"


def _compared(message: LabelledMessage) -> Iterator[tuple[str, str, str]]:
    gold = [pair for sentence in message.sentences for pair in sentence.sets if pair[0] in COMPARED]
    for slot, value in _found(message):
        near = next((pair for pair in gold if pair[0] == slot and (slot in _CLOSED or _alike(pair[1], value))), None)
        if near:
            gold.remove(near)
            yield "right", slot, value
        else:
            yield "wrong", slot, value
    for slot, value in gold:
        yield "missing", slot, value


def _found(message: LabelledMessage) -> set[tuple[str, str]]:
    source = ExtractionInput(
        messages=(_logged(2, "user", message.text),),
        earlier=(_logged(1, "assistant", message.reply),) if message.reply else (),
        subject=Subject("user", "writer"),
        time_zone=UTC,
    )
    read = read_by_rules(source)
    facts = [each for each in read.candidates if each.kind is MemoryKind.FACT and not each.forgets]
    named = {(each.key.partition(":")[0], each.value) for each in facts}
    return {(_SAME.get(key, key), value) for key, value in named if _SAME.get(key, key) in COMPARED}


def _logged(seq: int, role: str, text: str) -> LoggedMessage:
    return LoggedMessage(
        conversation=ConversationId("corpus"),
        seq=seq,
        parent_seq=seq - 1,
        role=role,
        text=text,
        name=None,
        said_at=_AT,
        recorded_at=_AT,
        complete=True,
        hash=seq,
    )


def _alike(value: str, other: str) -> bool:
    """Return whether one value holds the other, or both begin alike: 'vegetarian' and 'vegetarisch'."""
    mine, theirs = (fold(text.casefold()).strip() for text in (value, other))
    return mine in theirs or theirs in mine or mine[:4] == theirs[:4]


if __name__ == "__main__":
    main(sys.argv[1:])
