"""Pairs of sentences with a human judgment, and other ways of writing one sentence. Reads the files it is given."""

import csv
import gzip
import random
import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import TextIO, cast

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


# Column of the score in STS-B's own files.
STSB_SCORE = 4


def sick(path: Path) -> list[Pair]:
    """Read a file of SICK, packed or not: tab-separated, with a header."""
    with _opened(path) as file:
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
    """Read a file of STS, packed or not: score, sentence, sentence, separated by tabs.

    The benchmark's own files have four columns before these: genre, file, year and number.
    """
    with _opened(path) as file:
        rows = [line.split("\t") for line in file.read().split("\n") if line.strip()]
    first = STSB_SCORE if len(rows[0]) > STSB_SCORE else 0
    return [Pair(one=row[first + 1], other=row[first + 2], score=float(row[first])) for row in rows]


def _opened(path: Path) -> TextIO:
    """Open a text file, unpacked where its name ends in `.gz`."""
    if path.suffix == ".gz":
        return cast(TextIO, gzip.open(path, "rt", encoding="utf-8", newline=""))
    return path.open(encoding="utf-8", newline="")


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
