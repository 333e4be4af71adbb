"""Have real messages labelled by readers: writes what they are to read, and turns their labels into a file of offsets.

    .venv/bin/python -m tools.label_messages ask DATA --out TASKS          # TASKS/000.txt …, and TASKS/places.jsonl
    .venv/bin/python -m tools.label_messages read TASKS --out corpora/labels
    .venv/bin/python -m tools.label_messages agree TASKS OTHER_TASKS       # agreement of two readers, by label

DATA is a folder with `alpsbench_dev.jsonl.gz`, `beam_100K_dev.jsonl.gz` and `locomo_dev.json.gz`. A reader answers
`000.txt` in `000.labels`: a line a message, its number and the labels of its sentences in order, as
`corpora/README.md` describes them: `17 KQ - Q`. The files that `read` writes hold no word of the messages.
"""

import argparse
import gzip
import json
import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from hashlib import sha256
from pathlib import Path
from typing import Any

from benchmarks.alps_chats import read_chats
from toldonce.reading.sentences import TextSpan, sentences

LABELS = "KPWFXUOQCHG"
NONE = "-"
# Messages in one file, and of each set in all: of AlpsBench some that are evidence for a memory, and some that are not.
_IN_FILE = 100
_ALPS_EVIDENCE, _ALPS_OTHER, _BEAM, _LOCOMO = 1_500, 1_900, 400, 200
# Sentences of a message that a reader sees, from its beginning and its end; characters of each, and of the reply.
_FIRST, _LAST, _MAX_SENTENCE, _MAX_REPLY = 10, 3, 260, 240


@dataclass(frozen=True, slots=True, kw_only=True)
class RealMessage:
    """A user's message of a public set."""

    data: str
    chat: str
    place: int
    """Its place among the messages of the chat, from 0."""
    text: str
    reply: str
    """What the other side said before it; empty for the first message."""
    is_evidence: bool = False

    @property
    def order(self) -> bytes:
        """A place in a random order, the same in every run."""
        return sha256(f"{self.data} {self.chat} {self.place}".encode()).digest()


def real_messages(folder: Path) -> Iterator[RealMessage]:
    """Read the users' messages of the three sets."""
    for chat in read_chats(folder / "alpsbench_dev.jsonl.gz"):
        said = [(message.role, message.text) for message in chat.messages]
        yield from _of_chat("alpsbench", chat.id, said, chat.gold_utterances)
    with gzip.open(folder / "beam_100K_dev.jsonl.gz", "rt", encoding="utf-8") as lines:
        for line in lines:
            chat_read = json.loads(line)
            said = [(each["role"], each["content"]) for each in chat_read["messages"]]
            yield from _of_chat("beam", str(chat_read["conv"]), said)
    with gzip.open(folder / "locomo_dev.json.gz", "rt", encoding="utf-8") as file:
        for talk in json.load(file):
            turns = talk["conversation"]
            sessions = (turns[name] for name in turns if name.startswith("session_") and name[8:].isdigit())
            both = [("user", turn["text"]) for session in sessions for turn in session]
            yield from _of_chat("locomo", talk["sample_id"], both)


def _of_chat(
    data: str, chat: str, said: Sequence[tuple[str, str]], evidence: frozenset[int] = frozenset()
) -> Iterator[RealMessage]:
    before = ""
    for place, (role, text) in enumerate(said):
        if role == "user" and text.strip():
            yield RealMessage(data=data, chat=chat, place=place, text=text, reply=before, is_evidence=place in evidence)
        if role != "user" or data == "locomo":
            before = text


def chosen(messages: Sequence[RealMessage]) -> list[RealMessage]:
    """Choose messages for the readers, in a random order; of AlpsBench, those in rarer languages are not fewer."""
    ordered = sorted(messages, key=lambda message: message.order)
    kinds = {
        ("alpsbench", True): _ALPS_EVIDENCE,
        ("alpsbench", False): _ALPS_OTHER,
        ("beam", False): _BEAM,
        ("locomo", False): _LOCOMO,
    }
    picked: list[RealMessage] = []
    for (data, is_evidence), count in kinds.items():
        picked += [each for each in ordered if each.data == data and each.is_evidence is is_evidence][:count]
    return sorted(picked, key=lambda message: message.order)


def seen_sentences(text: str) -> list[TextSpan]:
    """Return the sentences of a message that a reader is shown."""
    pieces = sentences(text)
    return pieces if len(pieces) <= _FIRST + _LAST else [*pieces[:_FIRST], *pieces[-_LAST:]]


def _shown(message: RealMessage, number: int) -> str:
    lines = [f"### {number}"]
    if message.reply:
        lines.append("< " + " ".join(message.reply[-_MAX_REPLY:].split()))
    for place, piece in enumerate(seen_sentences(message.text), start=1):
        text = " ".join(piece.text.split())
        if len(text) > _MAX_SENTENCE:
            text = f"{text[: _MAX_SENTENCE * 2 // 3]} […] {text[-_MAX_SENTENCE // 3 :]}"
        lines.append(f"{place}| {text}")
    return "\n".join(lines)


def ask(folder: Path, out: Path) -> None:
    """Write what readers are to label."""
    picked = [message for message in chosen(list(real_messages(folder))) if seen_sentences(message.text)]
    out.mkdir(parents=True, exist_ok=True)
    with (out / "places.jsonl").open("w", encoding="utf-8") as places:
        for number, message in enumerate(picked):
            spans = [[piece.start, piece.end] for piece in seen_sentences(message.text)]
            row = {"n": number, "set": message.data, "chat": message.chat, "place": message.place, "spans": spans}
            places.write(json.dumps(row) + "\n")
    for start in range(0, len(picked), _IN_FILE):
        shown = [_shown(message, start + at) for at, message in enumerate(picked[start : start + _IN_FILE])]
        (out / f"{start // _IN_FILE:03}.txt").write_text("\n\n".join(shown) + "\n", encoding="utf-8")


def answers(tasks: Path) -> dict[int, list[str]]:
    """Read the labels of a folder's readers, by the number of the message.

    Raises:
        SystemExit: a line is no answer, with the reason; all such lines are told at once.
    """
    spans = {row["n"]: len(row["spans"]) for row in _places(tasks)}
    found: dict[int, list[str]] = {}
    problems: list[str] = []
    for path in sorted(tasks.glob("*.labels")):
        for at, line in enumerate(path.read_text(encoding="utf-8").splitlines(), start=1):
            parts = line.split()
            if not parts:
                continue
            number = int(parts[0]) if parts[0].isdigit() else -1
            if number not in spans:
                problems.append(f"{path.name}:{at}: {parts[0]!r} is no message")
            elif len(parts) - 1 != spans[number]:
                problems.append(f"{path.name}:{at}: {len(parts) - 1} labels for {spans[number]} sentences")
            elif unknown := {each for part in parts[1:] if part != NONE for each in part} - set(LABELS):
                problems.append(f"{path.name}:{at}: no such label: {' '.join(sorted(unknown))}")
            else:
                found[number] = parts[1:]
    if problems:
        raise SystemExit("\n".join(problems))
    return found


def _places(tasks: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in (tasks / "places.jsonl").read_text(encoding="utf-8").splitlines()]


def read(tasks: Path, out: Path) -> None:
    """Write the label file of each set: a line a message, with the offsets and labels of its sentences."""
    found = answers(tasks)
    by_set: dict[str, list[str]] = {}
    for row in _places(tasks):
        if row["n"] in found:
            judged = zip(row["spans"], found[row["n"]], strict=True)
            spans = " ".join(f"{start}-{end}:{labels}" for (start, end), labels in judged)
            by_set.setdefault(row["set"], []).append(f"{row['chat']} {row['place']} {spans}")
    for name, lines in by_set.items():
        (out / f"{name}.txt").write_text("\n".join(sorted(lines)) + "\n", encoding="utf-8")


def agree(one: Path, other: Path) -> None:
    """Print by label how often two readers agree on the sentences that both judged, and Cohen's kappa."""
    first, second = answers(one), answers(other)
    pairs = [
        pair for number in first.keys() & second.keys() for pair in zip(first[number], second[number], strict=True)
    ]
    print(f"{len(first.keys() & second.keys())} messages, {len(pairs)} sentences")
    for label in LABELS:
        both = sum(label in a and label in b for a, b in pairs)
        ones, others = sum(label in a for a, _ in pairs), sum(label in b for _, b in pairs)
        same = 1 - (ones + others - 2 * both) / len(pairs)
        chance = (ones * others + (len(pairs) - ones) * (len(pairs) - others)) / len(pairs) ** 2
        kappa = (same - chance) / (1 - chance) if chance < 1 else 1.0
        print(f"{label}: {ones:4} and {others:4}, both {both:4}; the same {100 * same:5.1f} %, kappa {kappa:.2f}")


def main(arguments: Sequence[str] | None = None) -> int:
    """Read the arguments and run one of the three steps."""
    parser = argparse.ArgumentParser(
        prog="python -m tools.label_messages", description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("step", choices=("ask", "read", "agree"))
    parser.add_argument("folder", type=Path, help="data for ask, tasks for the others")
    parser.add_argument("other", type=Path, nargs="?", help="the other reader's tasks")
    parser.add_argument("--out", type=Path, default=Path("corpora/labels"))
    given = parser.parse_args(arguments)
    if given.step == "ask":
        ask(given.folder, given.out)
    elif given.step == "read":
        read(given.folder, given.out)
    else:
        agree(given.folder, given.other)
    return 0


if __name__ == "__main__":
    sys.exit(main())
