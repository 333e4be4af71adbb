"""Replace secrets and payment data in a text, found by shape, checksum or name, not by mention. Pure.

'My password is hunter2' becomes 'My password is [secret]'; 'I forgot my password' stays. `Redaction` maps spans of
the original to the redacted text. What is a secret is decided in `secret_kinds`.
"""

from collections.abc import Iterator
from dataclasses import dataclass

from toldonce.extraction.own_text.spans import Span
from toldonce.extraction.secret_kinds.checked_numbers import find_numbers
from toldonce.extraction.secret_kinds.commands import find_in_commands, find_in_tables
from toldonce.extraction.secret_kinds.found import FoundSecret
from toldonce.extraction.secret_kinds.keys import find_keys, may_hold_key
from toldonce.extraction.secret_kinds.named import find_named
from toldonce.extraction.secret_kinds.phrases import find_phrases, may_hold_phrase
from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered

# Shapes whose replacement names them; all others become `[secret]`.
LABELS = frozenset({"iban", "card", "ssn", "account", "id"})
_SCRUBBED = LazyPattern(rf"\[(?:secret|{'|'.join(sorted(LABELS))})\]")
# Digits enough for the shortest number that is found without a name.
_DIGITS = LazyPattern(r"(?:\d\D{0,3}){8}")


@dataclass(frozen=True, slots=True)
class Replacement:
    """A span of the original that was replaced."""

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
    replacements: tuple[Replacement, ...] = ()
    """What was replaced, from left to right."""

    def map_span(self, span: Span) -> Span:
        """Map a span of the original to the redacted text; one that cuts a secret is widened to all of it.

        >>> build_redaction("My PIN is 1234, I ski.").map_span((16, 22))
        (20, 26)
        """
        start = _map_forward(self.replacements, span[0], is_end=False)
        return start, max(start, _map_forward(self.replacements, span[1], is_end=True))

    @property
    def secrets(self) -> list[Span]:
        """Spans of the secrets in the original.

        >>> build_redaction("My PIN is 1234, I ski.").secrets
        [(10, 14)]
        """
        return [(replaced.start, replaced.end) for replaced in self.replacements]


def _map_forward(replacements: tuple[Replacement, ...], index: int, *, is_end: bool) -> int:
    """Map the index of a character to where it is after the replacements.

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


def redact(text: str) -> str:
    """Replace secrets by `[secret]`, or by `[card]`, `[iban]`, `[account]`, `[ssn]` and `[id]`.

    >>> redact("my password is hunter2, see you")
    'my password is [secret], see you'
    >>> redact("No Firebase API key in the build")
    'No Firebase API key in the build'
    """
    return build_redaction(text).text


def is_scrubbed(text: str) -> bool:
    """Return whether a secret was struck out of a text.

    >>> is_scrubbed("my password is [secret]"), is_scrubbed("my password is long")
    (True, False)
    """
    return bool(_SCRUBBED.search(text))


def redact_with_shapes(text: str) -> tuple[str, tuple[str, ...]]:
    """Redact a text; return it and the names of the shapes, once per occurrence, never the values."""
    redaction = build_redaction(text)
    return redaction.text, redaction.shapes


@remembered
def build_redaction(text: str) -> Redaction:
    """Redact a text; return it with the shapes and the spans of what was replaced."""
    found = _merge([*_find(text)])
    if not found:
        return Redaction(text)
    pieces: list[str] = []
    replacements: list[Replacement] = []
    at = 0
    for start, end, shape in found:
        label = f"[{shape if shape in LABELS else 'secret'}]"
        pieces += [text[at:start], label]
        replacements.append(Replacement(start, end, len(label)))
        at = end
    return Redaction("".join((*pieces, text[at:])), tuple(secret.shape for secret in found), tuple(replacements))


def _find(text: str) -> Iterator[FoundSecret]:
    """Yield what each detector finds; the first of two that overlap names the shape."""
    if may_hold_key(text):
        yield from find_keys(text)
    if _DIGITS.search(text):
        yield from find_numbers(text)
    yield from find_named(text)
    yield from find_in_commands(text)
    if "\n" in text:
        yield from find_in_tables(text)
    if may_hold_phrase(text):
        yield from find_phrases(text)


def _merge(found: list[FoundSecret]) -> list[FoundSecret]:
    """Sort secrets, and make one of those that overlap."""
    merged: list[FoundSecret] = []
    rank = {secret: place for place, secret in reversed([*enumerate(found)])}
    for secret in sorted(rank):
        if merged and secret.start < merged[-1].end:
            shape = min(merged[-1], secret, key=lambda each: rank.get(each, 0)).shape
            merged[-1] = FoundSecret(merged[-1].start, max(merged[-1].end, secret.end), shape)
        else:
            merged.append(secret)
    return merged
