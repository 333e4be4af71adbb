"""Keys, tokens and private keys that their own form gives away. Pure."""

import binascii
import math
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable, Iterator

from toldonce.extraction.secret_kinds.formats import Place, key_formats, read_shape, shape_pattern
from toldonce.extraction.secret_kinds.found import FoundSecret
from toldonce.lazy_pattern import LazyPattern

_I = re.IGNORECASE
# Bits per character from which a long run of letters and digits counts as random. English and file names stay below
# 3.6, base64 of random bytes is above 4.5, hexadecimal is at most 4.
RANDOM_BITS = 4.2
# No form below is shorter than this without a blank.
MIN_RUN_CHARACTERS = 11


def _prefixed_pattern() -> str:
    """Put all formats into one expression; those with the same first letter share one branch."""
    branches: dict[str, list[str]] = {}
    for known in key_formats():
        parts = read_shape(known.shape)
        pattern, last = shape_pattern(known.shape), parts[-1]
        if isinstance(last, Place) and last.most > last.least:
            pattern = pattern[: pattern.rindex("{")] + f"{{{last.least},}}+"
        first = parts[0][0] if isinstance(parts[0], str) else ""
        branches.setdefault(first, []).append(pattern)
    together = (
        f"(?={re.escape(first)})(?:{'|'.join(own)})" if first else "|".join(own) for first, own in branches.items()
    )
    return rf"(?<![A-Za-z0-9_])(?:{'|'.join(together)})(?![A-Za-z0-9])"


_PREFIXED = LazyPattern(_prefixed_pattern())
_JWT = LazyPattern(r"(?<![\w-])eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}")
_PEM = LazyPattern(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.{0,20000}?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)"
    r"|^Private-Lines: \d{1,4}$.{0,20000}?(?=^Private-MAC|\Z)",
    re.S | re.M,
)
_URL_PASSWORD = LazyPattern(r"\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:(?P<value>[^\s/@]{3,200})(?=@)", _I)
_URL_TOKEN = LazyPattern(
    r"[?&#;](?:sig|signature|(?:access_?|auth_?|id_?|refresh_?|reset_?)?token|api_?key|key|secret|password|"
    r"passwd|pwd|pass|code|"
    r"x-amz-(?:signature|credential|security-token))=(?P<value>[^\s&#\"'<>]{6,2000})",
    _I,
)
_WEBHOOK = LazyPattern(
    r"https://(?:hooks\.slack\.com/(?:services|workflows|triggers)|"
    r"(?:[a-z]{1,20}\.)?discord(?:app)?\.com/api/webhooks"
    r"|[a-z0-9-]{1,60}\.webhook\.office\.com/webhookb2|hooks\.zapier\.com/hooks/catch|"
    r"maker\.ifttt\.com/trigger/\w{1,60}/with/key"
    r"|hook\.[a-z0-9.]{1,20}make\.com|chat\.googleapis\.com/v1/spaces)/(?P<value>[\w/@?&=%-]{16,500})",
    _I,
)
_BEARER = LazyPattern(r"\b(?:bearer|token)\s++(?P<value>[A-Za-z0-9._~+/=-]{16,})", _I)
_BASIC = LazyPattern(r"\bbasic\s++(?P<value>[A-Za-z0-9+/]{8,400}={0,2})", _I)
# 'otpauth://totp/ana?secret=ABC', 'WIFI:T:WPA;S:net;P:pass;;': what the QR codes of authenticators and of wifi say.
_QR_CODE = LazyPattern(
    r"\botpauth://[^\s?]{1,200}\?[^\s]{0,200}?secret=(?P<otp>[A-Z2-7=]{8,})|"
    r"\bWIFI:[^\n]{0,80}?P:(?P<wifi>[^;\n]{3,80})",
    _I,
)
_LONG_RUN = LazyPattern(
    r"(?<![\w/.@+-])(?!sha\d{1,3}-)(?=[A-Za-z0-9_+/-]{0,200}\d)(?=[A-Za-z0-9_+/-]{0,200}[A-Za-z])[A-Za-z0-9_+/-]{32,200}={0,2}(?![\w/.@])"
)
_UNPLAIN = LazyPattern(r"\d|://|\w{4}[A-Z]|WIFI:")
_UUID = LazyPattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", _I)
# Wallet import format: a private key of Bitcoin in base 58. Microsoft's product keys. Both have no prefix.
_WIF = LazyPattern(r"(?<![A-Za-z0-9_])[5KL][1-9A-HJ-NP-Za-km-z]{50,51}(?![A-Za-z0-9_])")
_PRODUCT = LazyPattern(r"(?<![A-Za-z0-9_-])(?:[A-Z0-9]{5}-){4}[A-Z0-9]{5}(?![A-Za-z0-9_-])")
_ETH = LazyPattern(r"(?<![A-Za-z0-9_])0x[a-fA-F0-9]{64}(?!\w)")


def may_hold_key(text: str) -> bool:
    """Return cheaply whether a text has a word that may be a key: long, with a digit, a capital inside or an address.

    >>> may_hold_key("Understanding each other's misunderstandings."), may_hold_key("It is ghp_abcdefghi1")
    (False, True)
    """
    return any(len(word) >= MIN_RUN_CHARACTERS and _UNPLAIN.search(word) for word in text.split()) or "-----" in text


def find_keys(text: str) -> Iterator[FoundSecret]:
    """Yield the keys and tokens in a text.

    >>> [found.shape for found in find_keys("use hf_abcdefghijABCDEFGH12")]
    ['key']
    """
    for pattern, shape, is_valid in _SHAPES:
        for match in pattern.finditer(text):
            if is_valid(match):
                name = match.lastgroup or 0
                yield FoundSecret(match.start(name), match.end(name), shape)


def _is_match(match: re.Match[str]) -> bool:
    return bool(match.group())


def _is_mixed(match: re.Match[str]) -> bool:
    """Tell a key from words with hyphens: it has a digit, or small and capital letters, after its prefix."""
    run = match.group()
    return any(char.isdigit() for char in run[4:]) or (
        any(char.isupper() for char in run[8:]) and any(char.islower() for char in run[8:]) and run.count("-") < 4
    )


def _is_basic_auth(match: re.Match[str]) -> bool:
    """Tell an encoded user and password from a word after 'basic'."""
    try:
        plain = b64decode(match["value"] + "=" * (-len(match["value"]) % 4))
    except binascii.Error:
        return False
    return b":" in plain and all(32 <= byte < 127 for byte in plain)


def _is_token(match: re.Match[str]) -> bool:
    """Tell a signature in a URL from a word."""
    value = match["value"]
    return not value.startswith("[") and any(c.isdigit() for c in value) and any(c.isalpha() for c in value)


def _is_random(match: re.Match[str]) -> bool:
    run = match.group()
    if _UUID.fullmatch(run) or run.count("/") > len(run) / 12 or run.count("-") + run.count("_") > len(run) / 10:
        return False
    bits = -sum(n / len(run) * math.log2(n / len(run)) for n in Counter(run).values())
    return bits >= RANDOM_BITS


def _has_digit_and_letter(match: re.Match[str]) -> bool:
    return any(char.isdigit() for char in match.group()) and any(char.isalpha() for char in match.group())


_SHAPES: tuple[tuple[LazyPattern[str], str, Callable[[re.Match[str]], bool]], ...] = (
    (_PEM, "private_key", _is_match),
    (_JWT, "jwt", _is_match),
    (_WEBHOOK, "webhook", _is_match),
    (_PREFIXED, "key", _is_mixed),
    (_URL_PASSWORD, "url_password", _is_match),
    (_URL_TOKEN, "url_token", _is_token),
    (_QR_CODE, "qr_code", _is_match),
    (_BEARER, "bearer", _has_digit_and_letter),
    (_BASIC, "basic_auth", _is_basic_auth),
    (_WIF, "wallet_key", _has_digit_and_letter),
    (_ETH, "wallet_key", _is_match),
    (_PRODUCT, "product_key", _has_digit_and_letter),
    (_LONG_RUN, "random", _is_random),
)
