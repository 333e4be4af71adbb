"""Pairs of sentences with a human judgment, and other ways of writing one sentence. Reads the files it is given."""

import csv
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path

_PLACED = re.compile(r"^(\S+(?: \S+){2,}) ((?:in|on|at|near|with|through|behind|under|across) (?:\S+ ){0,3}\S+?)(\W*)$")
_JOINED = re.compile(r"^((?:(?! and | is | are ).)+) and ((?:(?! and | is | are ).)+) ((?:is|are) .+?)(\W*)$")


@dataclass(frozen=True, slots=True, kw_only=True)
class Pair:
    """Two sentences and what people said of them."""

    one: str
    other: str
    score: float
    """How much they mean the same: SICK's goes from 1 to 5, STS's from 0 to 5."""
    judgment: str = ""
    """SICK's: `ENTAILMENT`, `NEUTRAL` or `CONTRADICTION`."""


def sick(path: Path) -> list[Pair]:
    """Read a file of SICK: tab-separated, with a header."""
    with path.open(encoding="utf-8", newline="") as file:
        return [
            Pair(
                one=row["sentence_A"],
                other=row["sentence_B"],
                score=float(row["relatedness_score"]),
                judgment=row["entailment_judgment"],
            )
            for row in csv.DictReader(file, delimiter="\t", quoting=csv.QUOTE_NONE)
        ]


def sts(path: Path) -> list[Pair]:
    """Read a file of STS: score, sentence, sentence, separated by tabs."""
    rows = [line.split("\t") for line in path.read_text("utf-8").split("\n") if line.strip()]
    return [Pair(one=row[1], other=row[2], score=float(row[0])) for row in rows]


def variants(sentence: str, seed: random.Random) -> Iterator[tuple[str, str]]:
    """Write a sentence in other ways that mean the same: (the kind of change, the sentence).

    >>> dict(variants("A man and a dog are running in the park", random.Random(1)))["word order: joined swapped"]
    'A dog and a man are running in the park'
    """
    bare = sentence.rstrip(" .!?")
    yield "case: upper", sentence.upper()
    yield "case: lower", sentence.lower()
    yield "case: title", " ".join(word[:1].upper() + word[1:] for word in sentence.split(" "))
    yield "punctuation: full stop", f"{bare}."
    yield "punctuation: none", re.sub(r"[^\w\s]", "", sentence)
    yield "punctuation: quoted", f"“{bare}” …"
    words = sentence.split(" ")
    place = seed.randrange(1, max(2, len(words)))
    yield "punctuation: a comma", f"{' '.join(words[:place])}, {' '.join(words[place:])}"
    yield "spacing: double", "  ".join(words)
    yield "spacing: tabs and ends", "\t" + "\u00a0".join(words) + " \n"
    placed = _PLACED.match(sentence)
    if placed:
        head, tail, end = placed.groups()
        yield "word order: place first", f"{_opening(tail)}, {_inside(head)}{end}"
    joined = _JOINED.match(sentence)
    if joined:
        first, second, rest, end = joined.groups()
        yield "word order: joined swapped", f"{_opening(second)} and {_inside(first)} {rest}{end}"


def shuffled(sentence: str, seed: random.Random) -> str:
    """Put the words in any order: no sentence, but the same words."""
    words = sentence.split(" ")
    seed.shuffle(words)
    return " ".join(words)


def sentences(pairs: Sequence[Pair]) -> list[str]:
    """List the sentences of pairs, each once, in their order."""
    return list(dict.fromkeys(text for pair in pairs for text in (pair.one, pair.other)))


def _opening(text: str) -> str:
    return text[:1].upper() + text[1:]


def _inside(text: str) -> str:
    return text[:1].lower() + text[1:]
