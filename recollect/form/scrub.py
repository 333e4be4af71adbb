"""Replace secrets and payment data in a text, found by shape and checksum and not by mention. Pure."""

import math
import re
from collections import Counter
from collections.abc import Callable

# Shapes whose prefix alone gives them away.
_PREFIXED = re.compile(
    r"\b(?:sk-(?:ant-|proj-|or-v1-|live-)?[A-Za-z0-9_-]{16,}|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}"
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|glpat-[A-Za-z0-9_-]{16,}|xox[abeprs]-[A-Za-z0-9-]{10,}"
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|hf_[A-Za-z0-9]{20,}|"
    r"npm_[A-Za-z0-9]{30,}"
    r"|pypi-[A-Za-z0-9_-]{20,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}|dop_v1_[a-f0-9]{32,}|shpat_[a-fA-F0-9]{24,}"
    r"|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}|r8_[A-Za-z0-9]{20,}|whsec_[A-Za-z0-9+/=]{20,})(?![A-Za-z0-9])"
)
_JWT = re.compile(r"\beyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{8,}")
_PEM = re.compile(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY-----.{0,20000}?(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY-----|\Z)", re.S
)
_URL_PASSWORD = re.compile(r"(?P<keep>\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{1,100}:)(?P<value>[^\s/@]{3,200})(?=@)", re.I)
_BEARER = re.compile(r"(?P<keep>\bbearer\s+)(?P<value>[A-Za-z0-9._~+/=-]{16,})", re.IGNORECASE)
# 'password: hunter2', 'my pin is 4821', 'API_KEY=abc…': a name of a secret, then its value.
_ASSIGNED = re.compile(
    r"(?P<keep>\b(?:[A-Za-z0-9_]{0,40}[_-])?(?:password|passwd|passphrase|passcode|pwd|pin(?:\s+code)"
    r"?|cvv|cvc|secret(?:[\s_-]?key)?"
    r"|api[\s_-]?key|access[\s_-]?key|auth[\s_-]?token|access[\s_-]?token|private[\s_-]?key|token)\b[\"']?"
    r"\s*(?P<tie>(?:(?:is|was)\s*)?[:=]|\bis\b|\bwas\b)\s*[\"']?)(?P<value>[^\s\"',;]{3,300})",
    re.IGNORECASE,
)
_DIGITS = re.compile(r"(?<![\w.])(?:\d[ -]?){12,18}\d(?![\w.]*\d)")
_IBAN = re.compile(r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?\b")
_SSN = re.compile(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_LONG_RUN = re.compile(
    r"(?<![\w/.@-])(?=[A-Za-z0-9_+/-]*\d)(?=[A-Za-z0-9_+/-]*[A-Za-z])[A-Za-z0-9_+/-]{32,200}={0,2}(?![\w/.@])"
)
_UUID = re.compile(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)

# Something of this stands in whatever any shape below matches: two digits in a row, a long run of characters, a word.
_TWO_DIGITS = re.compile(r"\d[ -]?\d")
_WORDS = re.compile("pass|pwd|pin|cv[vc]|secret|key|token|bearer|begin|://")
_SHORTEST_RUN = 15

# Bits a character from which a long run of letters and digits is random rather than written; English and file names
# stay below 3.6, base64 of random bytes lies above 4.5, hexadecimal at most at 4.
RANDOM_BITS = 4.2
# Card lengths in use (ISO/IEC 7812).
_CARD_DIGITS = range(13, 20)


def scrub(text: str) -> str:
    """Replace secrets by `[secret]`, cards by `[card]`, accounts by `[iban]`, US social security numbers by `[ssn]`.

    >>> scrub("my password is hunter2, see you")
    'my password is [secret], see you'
    >>> scrub("No Firebase API key in the build")
    'No Firebase API key in the build'
    """
    return scrub_report(text)[0]


def scrub_report(text: str) -> tuple[str, tuple[str, ...]]:
    """Scrub, and say which kinds were found, in order of their kind; never the values."""
    if not may_hold_secret(text):
        return text, ()
    found: list[str] = []

    def mark(kind: str, good: Callable[[re.Match[str]], bool]) -> Callable[[re.Match[str]], str]:
        def replaced(match: re.Match[str]) -> str:
            if not good(match):
                return match.group()
            found.append(kind)
            return f"{match.groupdict().get('keep') or ''}[{kind}]"

        return replaced

    for pattern, kind, good in _SHAPES:
        text = pattern.sub(mark(kind, good), text)
    return text, tuple(found)


def may_hold_secret(text: str) -> bool:
    """Tell cheaply that a text needs a closer look; most do not.

    >>> may_hold_secret("She tore a ligament in January."), may_hold_secret("My PIN is 1234.")
    (False, True)
    """
    if _TWO_DIGITS.search(text) or _WORDS.search(text.casefold()):
        return True
    return max(map(len, text.split()), default=0) >= _SHORTEST_RUN


def _always(match: re.Match[str]) -> bool:
    return bool(match.group())


def _looks_secret(match: re.Match[str]) -> bool:
    """Tell 'password is hunter2' from 'password is wrong': a sign alone ties anything, a verb only what no word is."""
    value = match["value"].rstrip(".!?)")
    if value.startswith("[") or len(value) < 3:
        return False
    mixed = any(c.isdigit() for c in value) or (
        not value.isalnum() and not re.fullmatch(r"[A-Za-z]+(?:[-'’][A-Za-z]+)*", value)
    )
    if match["tie"].endswith((":", "=")):
        return mixed or (len(value) >= 8 and not value.isdigit())
    return mixed and any(c.isalnum() for c in value)


def _luhn(match: re.Match[str]) -> bool:
    digits = [int(c) for c in match.group() if c.isdigit()]
    if len(digits) not in _CARD_DIGITS or len(set(digits)) == 1 or digits[0] not in (2, 3, 4, 5, 6):
        return False
    doubled = [d * 2 - 9 if d > 4 else d * 2 for d in digits[-2::-2]]
    return (sum(digits[-1::-2]) + sum(doubled)) % 10 == 0


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


_SHAPES: tuple[tuple[re.Pattern[str], str, Callable[[re.Match[str]], bool]], ...] = (
    (_PEM, "secret", _always),
    (_JWT, "secret", _always),
    (_PREFIXED, "secret", _always),
    (_URL_PASSWORD, "secret", _always),
    (_BEARER, "secret", _always),
    (_IBAN, "iban", _iban),
    (_DIGITS, "card", _luhn),
    (_SSN, "ssn", _always),
    (_ASSIGNED, "secret", _looks_secret),
    (_LONG_RUN, "secret", _random),
)
