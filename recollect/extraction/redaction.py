"""Replace secrets and payment data in a text, found by shape and checksum, not by mention. Pure.

'My password is hunter2' becomes 'My password is [secret]'; 'I forgot my password' stays. `Scrubbed` maps places of
the original to the scrubbed text and back.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from recollect.extraction.secret_patterns import LABELS, SHAPES
from recollect.extraction.spans import Span

# Every match of a shape contains one of these: two digits in a row, a long run of characters, or a word.
_TWO_DIGITS = re.compile(r"\d[ .-]?\d")
_WORDS = re.compile("pass|pwd|pw|pin|cv[vc]|secret|key|token|bearer|basic|begin|phrase|mnemonic|seed|://")
_MIN_RUN_CHARACTERS = 15


@dataclass(frozen=True, slots=True)
class Replacement:
    """A span that a shape replaced, in the text as the shape found it."""

    start: int
    end: int
    length: int
    """Characters of the replacement."""


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text without its secrets, and where they were."""

    text: str
    shapes: tuple[str, ...] = ()
    """Names of the shapes that were found, once per occurrence; never the values."""
    passes: tuple[tuple[Replacement, ...], ...] = ()
    """Replacements of each shape, in the order the shapes were tried; each from left to right."""

    def moved(self, span: Span) -> Span:
        """Map a span of the original to the scrubbed text; one that cuts a secret is widened to all of it.

        >>> scrubbed("My PIN is 1234, I ski.").moved((16, 22))
        (20, 26)
        """
        start, end = span
        for swaps in self.passes:
            start, end = _forward(swaps, start, ends=False), _forward(swaps, end, ends=True)
        return start, max(start, end)

    @property
    def secrets(self) -> list[Span]:
        """Spans of the secrets in the original.

        >>> scrubbed("My PIN is 1234, I ski.").secrets
        [(10, 14)]
        """
        found: list[Span] = []
        for place, swaps in enumerate(self.passes):
            before = self.passes[:place][::-1]
            found += [_original(before, (swap.start, swap.end)) for swap in swaps]
        return found


def _original(passes: Iterable[tuple[Replacement, ...]], span: Span) -> Span:
    start, end = span
    for swaps in passes:
        start, end = _backward(swaps, start, ends=False), _backward(swaps, end, ends=True)
    return start, end


def _forward(swaps: tuple[Replacement, ...], place: int, *, ends: bool) -> int:
    """Map a place through a pass; `ends`: the place is the end of a span."""
    shift = 0
    for swap in swaps:
        if place <= swap.start:
            break
        if place < swap.end:
            return swap.start + shift + (swap.length if ends else 0)
        shift += swap.length - (swap.end - swap.start)
    return place + shift


def _backward(swaps: tuple[Replacement, ...], place: int, *, ends: bool) -> int:
    """Map a place back through a pass: the inverse of `_forward`."""
    shift = 0
    for swap in swaps:
        start = swap.start + shift
        if place <= start:
            break
        if place < start + swap.length:
            return swap.end if ends else swap.start
        shift += swap.length - (swap.end - swap.start)
    return place - shift


def scrub(text: str) -> str:
    """Replace secrets by `[secret]`, cards by `[card]`, accounts by `[iban]`, US social security numbers by `[ssn]`.

    >>> scrub("my password is hunter2, see you")
    'my password is [secret], see you'
    >>> scrub("No Firebase API key in the build")
    'No Firebase API key in the build'
    """
    return scrubbed(text).text


def scrub_report(text: str) -> tuple[str, tuple[str, ...]]:
    """Scrub; return the text and the names of the shapes, once per occurrence, never the values."""
    found = scrubbed(text)
    return found.text, found.shapes


def scrubbed(text: str) -> Scrubbed:
    """Scrub; return the text, the shapes and their places."""
    if not may_hold_secret(text):
        return Scrubbed(text)
    found: list[str] = []
    swaps: list[Replacement] = []
    passes: list[tuple[Replacement, ...]] = []

    def mark(shape: str, good: Callable[[re.Match[str]], bool]) -> Callable[[re.Match[str]], str]:
        label = f"[{shape if shape in LABELS else 'secret'}]"

        def replaced(match: re.Match[str]) -> str:
            if not good(match):
                return match.group()
            found.append(shape)
            keep = match.groupdict().get("keep") or ""
            swaps.append(Replacement(match.start() + len(keep), match.end(), len(label)))
            return keep + label

        return replaced

    for pattern, shape, good in SHAPES:
        text = pattern.sub(mark(shape, good), text)
        if swaps:
            passes.append(tuple(swaps))
            swaps.clear()
    return Scrubbed(text, tuple(found), tuple(passes))


def may_hold_secret(text: str) -> bool:
    """Return cheaply whether a text needs a closer look; most do not.

    >>> may_hold_secret("She tore a ligament in January."), may_hold_secret("My PIN is 1234.")
    (False, True)
    """
    if _TWO_DIGITS.search(text) or _WORDS.search(text.casefold()):
        return True
    return max(map(len, text.split()), default=0) >= _MIN_RUN_CHARACTERS
