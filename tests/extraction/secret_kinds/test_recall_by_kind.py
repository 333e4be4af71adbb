"""Secrets of 260 kinds in all wordings of their family are struck, and ordinary sentences stay as they are."""

import tomllib
from collections import Counter
from collections.abc import Iterator
from functools import cache
from pathlib import Path

import pytest

from extraction.secret_kinds.made_kinds import cases, kinds, wordings
from soak import SOAK, sampled
from tables import check_each
from toldonce.extraction import redaction

SEEDS = range(2 if SOAK else 1)
MIN_RECALL = 0.95
MAX_FALSE_POSITIVES = 0.01
redact = cache(redaction.redact)


@cache
def counted(file: str) -> tuple[Counter[str], Counter[str]]:
    """Return how many cases of each family there are, and how many of them are struck."""
    asked, struck = Counter[str](), Counter[str]()
    for seed in SEEDS:
        for kind, _, text, secret in sampled(cases(file, seed), 3):
            asked[kind.family] += 1
            struck[kind.family] += secret not in redact(text)
    return asked, struck


def test_there_are_many_kinds_and_wordings() -> None:
    assert len(kinds()) >= 250
    assert sum(map(len, wordings("wordings.toml").values())) >= 150


@check_each("family", sorted(wordings("wordings.toml")))
def test_secrets_of_a_family_are_struck_in_nearly_all_wordings(family: str) -> None:
    asked, struck = counted("wordings.toml")
    assert struck[family] >= MIN_RECALL * asked[family], (family, struck[family], asked[family])


def test_secrets_are_struck_in_wordings_written_before_the_patterns() -> None:
    asked, struck = counted("held_out.toml")
    assert struck.total() >= MIN_RECALL * asked.total(), (struck, asked)


@pytest.mark.parametrize("part", ["open", "held"])
def test_hardly_an_ordinary_sentence_is_changed(part: str) -> None:
    sentences = wordings("ordinary.toml")[part]
    changed = [sentence for sentence in sentences if redact(sentence) != sentence]
    assert len(changed) <= MAX_FALSE_POSITIVES * len(sentences), changed


def texts_in(value: object) -> Iterator[str]:
    if isinstance(value, str):
        yield value
    elif isinstance(value, list | dict):
        for part in value.values() if isinstance(value, dict) else value:
            yield from texts_in(part)


def test_no_message_of_everyday_life_is_changed_in_any_language() -> None:
    files = sorted((Path(__file__).parents[3] / "benchmarks" / "everyday").glob("*.toml"))
    messages = [text for file in files for text in texts_in(tomllib.loads(file.read_text("utf-8"))) if " " in text]
    assert (len(files), len(messages) > 1_000) == (11, True)
    assert [text for text in messages if redact(text) != text] == []


def test_what_is_redacted_once_stays_so() -> None:
    said = sampled(cases("wordings.toml"), 3)
    changed = [wording for _, wording, text, _ in said if redact(redact(text)) != redact(text)]
    assert changed == []
