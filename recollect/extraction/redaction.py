"""Replace secrets and payment data in a text, found by shape and checksum, not by mention. Pure.

'My password is hunter2' becomes 'My password is [secret]'; 'I forgot my password' stays. `Redaction` maps spans of
the original to the redacted text and back.
"""

import re
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from recollect.extraction.secret_patterns import LABELS, SHAPES
from recollect.extraction.spans import Span
from recollect.lazy_pattern import LazyPattern
from recollect.memo import remembered

# Every match of a shape contains one of these: two digits in a row, a long run of characters, or a word.
_TWO_DIGITS = LazyPattern(r"\d[ .-]?\d")
_WORDS = LazyPattern("pass|pwd|pw|pin|cv[vc]|secret|key|token|bearer|basic|begin|phrase|mnemonic|seed|://")
_MIN_RUN_CHARACTERS = 15


@dataclass(frozen=True, slots=True)
class Replacement:
    """A span that a shape replaced, in the text as the shape found it."""

    start: int
    end: int
    length: int
    """Characters of the replacement."""


@dataclass(frozen=True, slots=True)
class Redaction:
    """A text without its secrets, and where they were."""

    text: str
    shapes: tuple[str, ...] = ()
    """Names of the shapes that were found, once per occurrence; never the values."""
    replacements_by_pattern: tuple[tuple[Replacement, ...], ...] = ()
    """Replacements of each pattern that matched, in the order the patterns were tried; each from left to right."""

    def map_span(self, span: Span) -> Span:
        """Map a span of the original to the redacted text; one that cuts a secret is widened to all of it.

        >>> build_redaction("My PIN is 1234, I ski.").map_span((16, 22))
        (20, 26)
        """
        start, end = span
        for replacements in self.replacements_by_pattern:
            start, end = _map_forward(replacements, start, is_end=False), _map_forward(replacements, end, is_end=True)
        return start, max(start, end)

    @property
    def secrets(self) -> list[Span]:
        """Spans of the secrets in the original.

        >>> build_redaction("My PIN is 1234, I ski.").secrets
        [(10, 14)]
        """
        spans: list[Span] = []
        for number, replacements in enumerate(self.replacements_by_pattern):
            earlier = self.replacements_by_pattern[:number][::-1]
            spans += [_map_to_original(earlier, (replaced.start, replaced.end)) for replaced in replacements]
        return spans


def _map_to_original(by_pattern: Iterable[tuple[Replacement, ...]], span: Span) -> Span:
    start, end = span
    for replacements in by_pattern:
        start, end = _map_back(replacements, start, is_end=False), _map_back(replacements, end, is_end=True)
    return start, end


def _map_forward(replacements: tuple[Replacement, ...], index: int, *, is_end: bool) -> int:
    """Map the index of a character to where it is after the replacements of one pattern.

    Args:
        replacements: The replacements, from left to right.
        index: The index before them.
        is_end: Whether it is the end of a span: inside a secret it becomes the end of the replacement.
    """
    shift = 0
    for replaced in replacements:
        if index <= replaced.start:
            break
        if index < replaced.end:
            return replaced.start + shift + (replaced.length if is_end else 0)
        shift += replaced.length - (replaced.end - replaced.start)
    return index + shift


def _map_back(replacements: tuple[Replacement, ...], index: int, *, is_end: bool) -> int:
    """Map an index back to where it was before the replacements of one pattern: the inverse of `_map_forward`."""
    shift = 0
    for replaced in replacements:
        start = replaced.start + shift
        if index <= start:
            break
        if index < start + replaced.length:
            return replaced.end if is_end else replaced.start
        shift += replaced.length - (replaced.end - replaced.start)
    return index - shift


def redact(text: str) -> str:
    """Replace secrets by `[secret]`, cards by `[card]`, accounts by `[iban]`, US social security numbers by `[ssn]`.

    >>> redact("my password is hunter2, see you")
    'my password is [secret], see you'
    >>> redact("No Firebase API key in the build")
    'No Firebase API key in the build'
    """
    return build_redaction(text).text


def redact_with_shapes(text: str) -> tuple[str, tuple[str, ...]]:
    """Redact a text; return it and the names of the shapes, once per occurrence, never the values."""
    redaction = build_redaction(text)
    return redaction.text, redaction.shapes


@remembered
def build_redaction(text: str) -> Redaction:
    """Redact a text; return it with the shapes and the spans of what was replaced."""
    if not may_hold_secret(text):
        return Redaction(text)
    shapes: list[str] = []
    replacements: list[Replacement] = []
    by_pattern: list[tuple[Replacement, ...]] = []

    def make_replacer(shape: str, is_valid: Callable[[re.Match[str]], bool]) -> Callable[[re.Match[str]], str]:
        label = f"[{shape if shape in LABELS else 'secret'}]"

        def replace(match: re.Match[str]) -> str:
            if not is_valid(match):
                return match.group()
            shapes.append(shape)
            keep = match.groupdict().get("keep") or ""
            replacements.append(Replacement(match.start() + len(keep), match.end(), len(label)))
            return keep + label

        return replace

    for pattern, shape, is_valid in SHAPES:
        text = pattern.sub(make_replacer(shape, is_valid), text)
        if replacements:
            by_pattern.append(tuple(replacements))
            replacements.clear()
    return Redaction(text, tuple(shapes), tuple(by_pattern))


def may_hold_secret(text: str) -> bool:
    """Return cheaply whether a text needs a closer look; most do not.

    >>> may_hold_secret("She tore a ligament in January."), may_hold_secret("My PIN is 1234.")
    (False, True)
    """
    if _TWO_DIGITS.search(text) or _WORDS.search(text.casefold()):
        return True
    return max(map(len, text.split()), default=0) >= _MIN_RUN_CHARACTERS
