"""Our own labelled messages, as `corpora/README.md` describes them. Reads files; run it to check one.

.venv/bin/python -m tools.corpus corpora/messages/*.txt
"""

import sys
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

from tools.label_messages import LABELS, NONE

SLOTS = frozenset(
    "name age birthday pronouns location origin nationality language native_language job employer school "
    "field_of_study partner marital_status child parent sibling pet allergy condition medication diet food "
    "hobby vehicle time_zone appointment".split()
)
_VALUES, _ENDS, _LINE_FEED = " ⇒ ", "-", "/"


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledSentence:
    """A sentence of our own."""

    text: str
    labels: frozenset[str]
    sets: tuple[tuple[str, str], ...] = ()
    """Slots with the values that the sentence states."""
    ends: tuple[tuple[str, str], ...] = ()
    """Slots with the values that it ends."""
    on_new_line: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class LabelledMessage:
    """A message of our own."""

    language: str
    writer: str
    topic: str
    reply: str
    """What the assistant said before; empty where nothing is given."""
    sentences: tuple[LabelledSentence, ...]

    @property
    def text(self) -> str:
        """The whole message."""
        first, *others = self.sentences
        return first.text + "".join(("\n" if each.on_new_line else " ") + each.text for each in others)


def read_corpus(path: Path) -> Iterator[LabelledMessage]:
    """Read the messages of a file; its stem is their language.

    Raises:
        ValueError: A line is none of the four forms; the message names it.
    """
    writer = topic = reply = ""
    block: list[LabelledSentence] = []
    lines = [*path.read_text(encoding="utf-8").splitlines(), ""]
    for number, line in enumerate(lines, start=1):
        where = f"{path}:{number}"
        if not line.strip() or line.startswith("@"):
            if block:
                yield LabelledMessage(
                    language=path.stem, writer=writer, topic=topic, reply=reply, sentences=tuple(block)
                )
            block, reply = [], ""
            if line.startswith("@"):
                writer, _, topic = line[1:].strip().partition(" ")
                if not topic:
                    raise ValueError(f"{where}: a writer and a topic are expected after '@': {line!r}")
        elif line.startswith("<"):
            reply = line[1:].strip()
        elif "|" in line:
            block.append(_sentence(line, where))
            if not writer:
                raise ValueError(f"{where}: no '@ writer topic' stands before the first message")
        else:
            raise ValueError(f"{where}: neither '@', '<' nor 'LABELS | words': {line!r}")


def _sentence(line: str, where: str) -> LabelledSentence:
    head, _, rest = line.partition("|")
    labels, on_new_line = head.strip(), head.strip().startswith(_LINE_FEED)
    labels = labels.removeprefix(_LINE_FEED).strip()
    if not labels or (labels != NONE and set(labels) - set(LABELS)):
        raise ValueError(f"{where}: labels are of {LABELS} or {NONE!r}, not {labels!r}")
    text, _, values = rest.partition(_VALUES)
    if not text.strip():
        raise ValueError(f"{where}: no words")
    sets: list[tuple[str, str]] = []
    ends: list[tuple[str, str]] = []
    for value in filter(None, (each.strip() for each in values.split(";"))):
        slot, equals, words = (part.strip() for part in value.partition("="))
        if slot not in SLOTS or not equals or not words:
            raise ValueError(f"{where}: {value!r} is no slot=value")
        (ends if words.startswith(_ENDS) else sets).append((slot, words.removeprefix(_ENDS)))
        if words.removeprefix(_ENDS).casefold() not in text.casefold():
            raise ValueError(f"{where}: the value {words!r} is not in the words")
    return LabelledSentence(
        text=text.strip(),
        labels=frozenset(labels) - {NONE},
        sets=tuple(sets),
        ends=tuple(ends),
        on_new_line=on_new_line,
    )


def main(paths: Sequence[str]) -> int:
    """Check files and print what they hold."""
    for path in map(Path, paths):
        try:
            messages = list(read_corpus(path))
        except ValueError as error:
            print(error)
            return 1
        counts = Counter(label for each in messages for sentence in each.sentences for label in sentence.labels or "-")
        writers = len({each.writer for each in messages})
        print(
            f"{path}: {len(messages)} messages of {writers} writers, "
            + " ".join(f"{k} {counts[k]}" for k in LABELS + NONE)
        )
    return 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
