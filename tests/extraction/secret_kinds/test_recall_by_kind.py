"""Secrets of 260 kinds in all wordings of their family are struck, and ordinary sentences stay as they are."""

from collections import Counter
from functools import cache

import pytest

from extraction.secret_kinds.made_kinds import cases, kinds, wordings
from recollect.extraction.redaction import redact

SEEDS = range(2)
MIN_RECALL = 0.95
MAX_FALSE_POSITIVES = 0.01


@cache
def counted(file: str) -> tuple[Counter[str], Counter[str]]:
    """Return how many cases of each family there are, and how many of them are struck."""
    asked, struck = Counter[str](), Counter[str]()
    for seed in SEEDS:
        for kind, _, text, secret in cases(file, seed):
            asked[kind.family] += 1
            struck[kind.family] += secret not in redact(text)
    return asked, struck


def test_there_are_many_kinds_and_wordings() -> None:
    assert len(kinds()) >= 250
    assert sum(map(len, wordings("wordings.toml").values())) >= 150


@pytest.mark.parametrize("family", sorted(wordings("wordings.toml")))
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


@pytest.mark.parametrize("family", sorted(wordings("wordings.toml")))
def test_what_is_redacted_once_stays_so(family: str) -> None:
    for kind, wording, text, _ in cases("wordings.toml"):
        if kind.family == family:
            once = redact(text)
            assert redact(once) == once, wording
