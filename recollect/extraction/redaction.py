"""Replace secrets and payment data in a text, found by shape and checksum and not by mention. Pure."""

import binascii
import math
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterable
from dataclasses import dataclass

from recollect.extraction import secrets
from recollect.extraction.spans import Span

_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# Numbers that issuers of cards begin with, by length: a device's or an article's number passes the same checksum.
_ISSUERS = {
    13: re.compile("4"),
    14: re.compile("3(?:0[0-5]|[689])"),
    15: re.compile("3[47]"),
    16: re.compile(r"4|5|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)|6(?:011|4[4-9]|5)|35(?:2[89]|[3-8])|62"),
    17: re.compile("62"),
    18: re.compile("62"),
    19: re.compile("4|6(?:011|4[4-9]|5|2)"),
}
# What stands for a value where there is none.
_NO_VALUE = re.compile(
    r"null|none|nil|true|false|undefined|required|optional|string|str|text|int|wrong|invalid|missing|empty|expired|hidden|"
    r"change_?me|value|placeholder|example|your[-_]?[a-z_-]*|my[-_](?:secret|password|api|key|token)[a-z_-]*|x{3,}|\*{3,}|\.{3,}|"
    r"(?:os|process|self|config|settings|env|secrets)\..*|getenv.*|<.*|\{.*|\[.*|\(.*|\$(?:[{(].*|[A-Z_]+)|%[\w(].*",
    re.IGNORECASE,
)

# Something of this stands in whatever any shape below matches: two digits in a row, a long run of characters, a word.
_TWO_DIGITS = re.compile(r"\d[ .-]?\d")
_WORDS = re.compile("pass|pwd|pw|pin|cv[vc]|secret|key|token|bearer|basic|begin|phrase|mnemonic|seed|://")
_MIN_RUN_CHARACTERS = 15

# Bits a character from which a long run of letters and digits is random rather than written; English and file names
# stay below 3.6, base64 of random bytes lies above 4.5, hexadecimal at most at 4.
RANDOM_BITS = 4.2


@dataclass(frozen=True, slots=True)
class Swap:
    """A stretch that a shape replaced, in the text as the shape found it."""

    start: int
    end: int
    length: int
    """Characters of what stands there instead."""


@dataclass(frozen=True, slots=True)
class Scrubbed:
    """A text without its secrets, and where they stood."""

    text: str
    shapes: tuple[str, ...] = ()
    """The shapes that were found, by name, once each time; never the values."""
    passes: tuple[tuple[Swap, ...], ...] = ()
    """What each shape replaced, in the order in which they were tried; from left to right."""

    def moved(self, span: Span) -> Span:
        """Return where a stretch of the original stands in the scrubbed text; one that cuts a secret takes all of it.

        >>> scrubbed("My PIN is 1234, I ski.").moved((16, 22))
        (20, 26)
        """
        start, end = span
        for swaps in self.passes:
            start, end = _forward(swaps, start, ends=False), _forward(swaps, end, ends=True)
        return start, max(start, end)

    @property
    def secrets(self) -> list[Span]:
        """Where secrets stand in the original.

        >>> scrubbed("My PIN is 1234, I ski.").secrets
        [(10, 14)]
        """
        found: list[Span] = []
        for place, swaps in enumerate(self.passes):
            before = self.passes[:place][::-1]
            found += [_original(before, (swap.start, swap.end)) for swap in swaps]
        return found


def _original(passes: Iterable[tuple[Swap, ...]], span: Span) -> Span:
    start, end = span
    for swaps in passes:
        start, end = _backward(swaps, start, ends=False), _backward(swaps, end, ends=True)
    return start, end


def _forward(swaps: tuple[Swap, ...], place: int, *, ends: bool) -> int:
    """Return where a place stands behind a pass; `ends`: the place is the end of a stretch."""
    shift = 0
    for swap in swaps:
        if place <= swap.start:
            break
        if place < swap.end:
            return swap.start + shift + (swap.length if ends else 0)
        shift += swap.length - (swap.end - swap.start)
    return place + shift


def _backward(swaps: tuple[Swap, ...], place: int, *, ends: bool) -> int:
    """Return where a place stood before a pass: the inverse of `_forward`."""
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
    """Scrub, and say which shapes were found, by name, once each time; never the values."""
    found = scrubbed(text)
    return found.text, found.shapes


def scrubbed(text: str) -> Scrubbed:
    """Scrub, and say which shapes were found, and where."""
    if not may_hold_secret(text):
        return Scrubbed(text)
    found: list[str] = []
    swaps: list[Swap] = []
    passes: list[tuple[Swap, ...]] = []

    def mark(shape: str, good: Callable[[re.Match[str]], bool]) -> Callable[[re.Match[str]], str]:
        label = f"[{shape if shape in _LABELS else 'secret'}]"

        def replaced(match: re.Match[str]) -> str:
            if not good(match):
                return match.group()
            found.append(shape)
            keep = match.groupdict().get("keep") or ""
            swaps.append(Swap(match.start() + len(keep), match.end(), len(label)))
            return keep + label

        return replaced

    for pattern, shape, good in _SHAPES:
        text = pattern.sub(mark(shape, good), text)
        if swaps:
            passes.append(tuple(swaps))
            swaps.clear()
    return Scrubbed(text, tuple(found), tuple(passes))


def may_hold_secret(text: str) -> bool:
    """Tell cheaply that a text needs a closer look; most do not.

    >>> may_hold_secret("She tore a ligament in January."), may_hold_secret("My PIN is 1234.")
    (False, True)
    """
    if _TWO_DIGITS.search(text) or _WORDS.search(text.casefold()):
        return True
    return max(map(len, text.split()), default=0) >= _MIN_RUN_CHARACTERS


def _always(match: re.Match[str]) -> bool:
    return bool(match.group())


def _looks_secret(match: re.Match[str]) -> bool:
    """Tell 'password is hunter2' from 'password is wrong': a sign alone ties anything, a verb only what no word is."""
    value = match["value"].rstrip(".!?)")
    if value.startswith("[") or len(value) < 3 or _NO_VALUE.fullmatch(value):
        return False
    mixed = any(c.isdigit() for c in value) or (
        not value.isalnum() and not re.fullmatch(r"[A-Za-z]+(?:[-'’/][A-Za-z]+)*", value)
    )
    if match["tie"].endswith((":", "=")):
        assigned = match["keep"].rstrip("\"'`“").endswith("=") and len(value) >= 4
        return mixed or assigned or (len(value) >= 8 and not value.isdigit())
    return mixed and any(c.isalnum() for c in value)


def _quoted(match: re.Match[str]) -> bool:
    return not match["value"].startswith("[") and not _NO_VALUE.fullmatch(match["value"])


def _named(match: re.Match[str]) -> bool:
    """Tell 'password hunter2' from 'password rules': nothing ties them, so the value itself must be no word."""
    value, name = match["value"].rstrip(".!?)"), match["keep"].casefold()
    digits = sum(c.isdigit() for c in value)
    if name.startswith(("pin", "cvv", "cvc", "passcode")):
        return value.isdigit() and 3 <= digits <= 8 and not re.fullmatch(r"(?:19|20)\d\d", value)
    letters = sum(c.isalpha() for c in value)
    return len(value) >= 6 and bool(digits) and bool(letters) and not _NO_VALUE.fullmatch(value)


def _basic(match: re.Match[str]) -> bool:
    """Tell a user and password from a word behind 'basic'."""
    try:
        plain = b64decode(match["value"] + "=" * (-len(match["value"]) % 4))
    except binascii.Error:
        return False
    return b":" in plain and all(32 <= byte < 127 for byte in plain)


def _token(match: re.Match[str]) -> bool:
    """Tell a signature in an address from a word."""
    value = match["value"]
    return not value.startswith("[") and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _luhn(match: re.Match[str]) -> bool:
    digits = "".join(c for c in match.group() if c.isdigit())
    issued = _ISSUERS.get(len(digits))
    if issued is None or not issued.match(digits) or len(set(digits)) == 1:
        return False
    numbers = [int(c) for c in digits]
    doubled = [d * 2 - 9 if d > 4 else d * 2 for d in numbers[-2::-2]]
    return (sum(numbers[-1::-2]) + sum(doubled)) % 10 == 0


def _iban(match: re.Match[str]) -> bool:
    compact = match.group().replace(" ", "")
    turned = compact[4:] + compact[:4]
    return 15 <= len(compact) <= 34 and int("".join(str(int(c, 36)) for c in turned)) % 97 == 1


def _random(match: re.Match[str]) -> bool:
    run = match.group()
    if _UUID.fullmatch(run) or run.count("/") > len(run) / 12:
        return False
    bits = -sum(n / len(run) * math.log2(n / len(run)) for n in Counter(run).values())
    return bits >= RANDOM_BITS


# What is put in its place says what it was, where people want to know.
_LABELS = frozenset({"iban", "card", "ssn", "account"})
_SHAPES: tuple[tuple[re.Pattern[str], str, Callable[[re.Match[str]], bool]], ...] = (
    (secrets.PEM, "private_key", _always),
    (secrets.JWT, "jwt", _always),
    (secrets.WEBHOOK, "webhook", _always),
    (secrets.PREFIXED, "key", _always),
    (secrets.URL_PASSWORD, "url_password", _always),
    (secrets.URL_TOKEN, "url_token", _token),
    (secrets.BEARER, "bearer", _always),
    (secrets.BASIC, "basic_auth", _basic),
    (secrets.SEED, "seed_phrase", _always),
    (secrets.IBAN, "iban", _iban),
    (secrets.DIGITS, "card", _luhn),
    (secrets.ROUTED_SSN, "ssn", _always),
    (secrets.SSN, "ssn", _always),
    (secrets.ACCOUNT, "account", _always),
    (secrets.QUOTED, "password", _quoted),
    (secrets.ASSIGNED, "password", _looks_secret),
    (secrets.NAMED, "password", _named),
    (secrets.ONE_TIME, "one_time_code", _always),
    (secrets.LONG_RUN, "random", _random),
)
