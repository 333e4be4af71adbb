"""Stretches of a message that its quotation leaves out. Pure."""

from collections.abc import Iterable, Sequence
from dataclasses import replace

from toldonce.extraction.redaction import build_redaction
from toldonce.types import Withheld


def disjoint(stretches: Iterable[Withheld]) -> tuple[Withheld, ...]:
    """Sort stretches and remove overlaps: the second of two begins where the first ends."""
    found: list[Withheld] = []
    for stretch in sorted(stretches, key=lambda stretch: (stretch.start, -stretch.end)):
        start = max(stretch.start, found[-1].end if found else 0)
        if start < stretch.end:
            found.append(replace(stretch, start=start))
    return tuple(found)


def with_secrets(text: str, stretches: Sequence[Withheld]) -> tuple[Withheld, ...]:
    """Add the secrets of a text to its stretches: the words that mark a secret may be in a stretch that is left out."""
    if not stretches:
        return ()
    secrets = [Withheld(start=start, end=end) for start, end in build_redaction(text).secrets]
    return disjoint((*stretches, *secrets))
