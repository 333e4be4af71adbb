"""Shapes of secrets and payment data: a pattern, the name it is counted under, and a check of each match. Pure.

'4111 1111 1111 1111' matches `card` and passes its checksum; an article number of 16 digits does not.
"""

import binascii
import math
import re
from base64 import b64decode
from collections import Counter
from collections.abc import Callable

from recollect.lazy_pattern import LazyPattern

_I = re.IGNORECASE

# Keys that are recognised by their prefix alone.
_PREFIXED = LazyPattern(
    r"(?<![A-Za-z0-9_])(?:"
    # models and their hosts
    r"sk-(?:ant-|proj-|or-v1-|live-)?[A-Za-z0-9_-]{16,}|hf_[A-Za-z0-9]{20,}|gsk_[A-Za-z0-9]{20,}|xai-[A-Za-z0-9]{20,}"
    r"|r8_[A-Za-z0-9]{20,}|pplx-[A-Za-z0-9]{32,}"
    # payment
    r"|(?:sk|pk|rk)_(?:live|test)_[A-Za-z0-9]{10,}|whsec_[A-Za-z0-9+/=]{20,}|sq0(?:atp|csp|idp)-[A-Za-z0-9_-]{20,}|EAAA[A-Za-z0-9_-]{40,}"
    r"|access_token\$(?:production|sandbox)\$[a-z0-9]{10,}\$[a-f0-9]{20,}|shp(?:at|ca|pa|ss)_[a-fA-F0-9]{24,}"
    # code and packages
    r"|gh[pousr]_[A-Za-z0-9]{20,}|github_pat_[A-Za-z0-9_]{20,}|gl(?:pat|rt|ptt|dt|oas|cbt|ft|agent|sa|c)[-_][A-Za-z0-9_-]{16,}"
    r"|ATBB[A-Za-z0-9]{24,}|ATATT3[A-Za-z0-9_=-]{20,}|npm_[A-Za-z0-9]{30,}|pypi-[A-Za-z0-9_-]{20,}|rubygems_[a-f0-9]{32,}"
    r"|dckr_(?:pat|oat)_[A-Za-z0-9_-]{20,}"
    # clouds and operations
    r"|(?:AKIA|ASIA)[A-Z0-9]{16}|AIza[A-Za-z0-9_-]{30,}|ya29\.[A-Za-z0-9_-]{20,}|do[opr]_v1_[a-f0-9]{32,}"
    r"|[A-Za-z0-9_~.-]{3}8Q~[A-Za-z0-9_~.-]{30,}|[A-Za-z0-9]{14}\.atlasv1\.[A-Za-z0-9_=-]{40,}|hv[sbr]\.[A-Za-z0-9_-]{20,}"
    r"|dapi[a-f0-9]{32}|dp\.(?:pt|st|ct|sa)\.[A-Za-z0-9]{32,}|pscale_(?:tkn|pw|oauth)_[A-Za-z0-9_.-]{20,}|sbp_[a-f0-9]{32,}"
    r"|NRAK-[A-Z0-9]{20,}|PMAK-[a-f0-9]{20,}-[a-f0-9]{20,}|sntry[su]_[A-Za-z0-9+/=_-]{20,}"
    # chat, mail, offices
    r"|xox[abeprs]-[A-Za-z0-9-]{10,}|xapp-[A-Za-z0-9-]{20,}|\d{8,10}:AA[A-Za-z0-9_-]{30,}|SK[a-f0-9]{32}"
    r"|[MNO][A-Za-z0-9_-]{22,27}\.[A-Za-z0-9_-]{6}\.[A-Za-z0-9_-]{27,}|SG\.[A-Za-z0-9_-]{16,}\.[A-Za-z0-9_-]{16,}"
    r"|key-[a-f0-9]{32}|[a-f0-9]{32}-us\d{1,2}|lin_(?:api|oauth)_[A-Za-z0-9]{30,}|(?:ntn|secret)_[A-Za-z0-9]{40,}"
    r"|pat[A-Za-z0-9]{14}\.[a-f0-9]{40,}|figd_[A-Za-z0-9_-]{20,}"
    # wallets and files
    r"|AGE-SECRET-KEY-1[A-Z0-9]{50,}|[xyz]prv[A-Za-z0-9]{90,}"
    r")(?![A-Za-z0-9])"
)
_JWT = LazyPattern(r"(?<![\w-])eyJ[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}+\.[A-Za-z0-9_-]{8,}")
_PEM = LazyPattern(
    r"-----BEGIN [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----.{0,20000}?"
    r"(?:-----END [A-Z0-9 ]{0,40}PRIVATE KEY(?: BLOCK)?-----|\Z)",
    re.S,
)
_URL_PASSWORD = LazyPattern(r"(?P<keep>\b[a-z][a-z0-9+.-]{1,20}://[^\s:/@]{0,100}:)(?P<value>[^\s/@]{3,200})(?=@)", _I)
_URL_TOKEN = LazyPattern(
    r"(?P<keep>[?&](?:sig|signature|(?:access_?|auth_?|id_?)?token|api_?key|key|secret|password|pwd|code|x-amz-"
    r"(?:signature|credential|security-token))=)(?P<value>[^\s&#\"'<>]{12,2000})",
    _I,
)
_WEBHOOK = LazyPattern(
    r"(?P<keep>https://(?:hooks\.slack\.com/(?:services|workflows)|(?:[a-z]+\.)?discord(?:app)?\.com/api/webhooks)/)"
    r"(?P<value>[\w/-]{20,200})",
    _I,
)
_BEARER = LazyPattern(r"(?P<keep>\bbearer\s++)(?P<value>[A-Za-z0-9._~+/=-]{16,})", _I)
_BASIC = LazyPattern(r"(?P<keep>\bbasic\s++)(?P<value>[A-Za-z0-9+/]{8,400}={0,2})", _I)
_NAMES = (
    r"password|passwd|passphrase|passcode|pwd|pw|pin(?:\s++code)?|cvv|cvc|secret(?:[\s_-]?key)?|(?:api|access|private|wallet|"
    r"signing|encryption|master|account|storage|license)[\s_-]?key|(?:auth|access|refresh|session|bot|id)[\s_-]?token|"
    r"client[\s_-]?secret|token|accountkey|sharedaccesskey"
)
# 'password: hunter2', 'my pin is 4821', 'API_KEY=abc…': a name of a secret, then its value.
_ASSIGNED = LazyPattern(
    rf"(?P<keep>\b(?:[A-Za-z0-9_]{{0,40}}[_-])?(?:{_NAMES})\b[\"']?"
    r"\s*+(?P<tie>(?:(?:is|was)\s*+)?[:=]|\b(?:is|was)\b(?:\s++(?:now|still|currently|set\s++to))?)\s*+[\"'`“]?)"
    r"(?P<value>[^\s\"',;`”]{3,300})",
    _I,
)
# A password in quotation marks may have blanks in it.
_QUOTED = LazyPattern(
    r"(?P<keep>\b(?:password|passphrase|passcode|pass\s++phrase)\b\s*+(?:is|was|[:=])(?:\s++now)?\s*+[\"“'‘])"
    r"(?P<value>[^\"”'’\n]{4,120})(?=[\"”'’])",
    _I,
)
# 'I changed my password to hunter2', 'password hunter2', 'cvv 123'.
_NAMED = LazyPattern(
    r"(?P<keep>\b(?:password|passwd|pwd|pw|passcode|passphrase|pin(?:\s++code)?|cvv|cvc)\b(?:[^.\n:=]{0,30}?\bto)?\s++[\"'`“]?)"
    r"(?P<value>[^\s\"',;`”]{3,100})",
    _I,
)
_ONE_TIME = LazyPattern(
    r"(?P<keep>\b(?:one[\s-]?time|verification|security|login|log-in|sign-?in|auth(?:entication)?|confirmation|backup|recovery|"
    r"access|2fa|sms|door|gate|alarm)[\s-]++(?:pass)?(?:code|pin|password|passcode)s?\b\s*+(?:is|was|are|[:=-])?\s*+(?:now\s++)?"
    r"|\b(?:otp|tan)\s*+(?:is|was|[:=])?\s*+)(?P<value>\d{3}[ -]?\d{3}|\d{4,8})(?!\d)",
    _I,
)
_SEED = LazyPattern(
    r"(?P<keep>\b(?:(?:seed|recovery|backup|secret|mnemonic|wallet)\s++(?:phrase|words)|mnemonic|seed)\b\s*+(?:is|are|was|[:=])?"
    r"\s*+[\"'“]?)(?P<value>[a-z]{3,8}(?:[\s,]++[a-z]{3,8}){11,23})",
    _I,
)
_ACCOUNT = LazyPattern(
    r"(?P<keep>\baccount\s++(?:number|no\.?|nr\.?)\s*+(?:is|was|[:=#])?\s*+)(?P<value>\d[\d .-]{6,18}\d)(?![\w-])", _I
)
_ROUTED_SSN = LazyPattern(
    r"(?P<keep>\b(?:ssn|social\s++security(?:\s++number|\s++no\.?)?)\b\D{0,12})"
    r"(?P<value>(?!000|666|9\d\d)\d{3}[ -]?(?!00)\d{2}[ -]?(?!0000)\d{4})(?!\d)",
    _I,
)
_DIGITS = LazyPattern(r"(?<![\w.])(?:\d[ -]?){12,18}\d(?![\w.]*\d)")
_IBAN = LazyPattern(r"\b[A-Z]{2}\d{2}(?:[ ]?[A-Z0-9]{4}){2,7}(?:[ ]?[A-Z0-9]{1,3})?\b")
_SSN = LazyPattern(r"(?<![\w-])(?!000|666|9\d\d)\d{3}-(?!00)\d{2}-(?!0000)\d{4}(?![\w-])")
_LONG_RUN = LazyPattern(
    r"(?<![\w/.@+-])(?=[A-Za-z0-9_+/-]*\d)(?=[A-Za-z0-9_+/-]*[A-Za-z])[A-Za-z0-9_+/-]{32,200}={0,2}(?![\w/.@])"
)
_UUID = LazyPattern(r"[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}", re.IGNORECASE)
# Prefixes of card issuers, by length: numbers of devices and articles can pass the same checksum.
_ISSUERS = {
    13: LazyPattern("4"),
    14: LazyPattern("3(?:0[0-5]|[689])"),
    15: LazyPattern("3[47]"),
    16: LazyPattern(r"4|5|2(?:22[1-9]|2[3-9]\d|[3-6]\d\d|7[01]\d|720)|6(?:011|4[4-9]|5)|35(?:2[89]|[3-8])|62"),
    17: LazyPattern("62"),
    18: LazyPattern("62"),
    19: LazyPattern("4|6(?:011|4[4-9]|5|2)"),
}
# Placeholders and words that are no value.
_NO_VALUE = LazyPattern(
    r"null|none|nil|true|false|undefined|required|optional|string|str|text|int|wrong|invalid|missing|empty|expired|hidden|"
    r"change_?me|value|placeholder|example|your[-_]?[a-z_-]*|my[-_](?:secret|password|api|key|token)[a-z_-]*|x{3,}|\*{3,}|\.{3,}|"
    r"(?:os|process|self|config|settings|env|secrets)\..*|getenv.*|<.*|\{.*|\[.*|\(.*|\$(?:[{(].*|[A-Z_]+)|%[\w(].*",
    re.IGNORECASE,
)

# Bits per character from which a long run of letters and digits counts as random. English and file names stay below
# 3.6, base64 of random bytes is above 4.5, hexadecimal is at most 4.
RANDOM_BITS = 4.2


def _is_match(match: re.Match[str]) -> bool:
    return bool(match.group())


def _looks_secret(match: re.Match[str]) -> bool:
    """Tell 'password is hunter2' from 'password is wrong': after a verb, a plain word is no value."""
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


def _is_quoted(match: re.Match[str]) -> bool:
    return not match["value"].startswith("[") and not _NO_VALUE.fullmatch(match["value"])


def _is_unlike_a_word(match: re.Match[str]) -> bool:
    """Tell 'password hunter2' from 'password rules': without a verb or sign, the value must not look like a word."""
    value, name = match["value"].rstrip(".!?)"), match["keep"].casefold()
    digits = sum(c.isdigit() for c in value)
    if name.startswith(("pin", "cvv", "cvc", "passcode")):
        return value.isdigit() and 3 <= digits <= 8 and not re.fullmatch(r"(?:19|20)\d\d", value)
    letters = sum(c.isalpha() for c in value)
    return len(value) >= 6 and bool(digits) and bool(letters) and not _NO_VALUE.fullmatch(value)


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


def _is_card(match: re.Match[str]) -> bool:
    digits = "".join(c for c in match.group() if c.isdigit())
    issued = _ISSUERS.get(len(digits))
    if issued is None or not issued.match(digits) or len(set(digits)) == 1:
        return False
    numbers = [int(c) for c in digits]
    doubled = [d * 2 - 9 if d > 4 else d * 2 for d in numbers[-2::-2]]
    return (sum(numbers[-1::-2]) + sum(doubled)) % 10 == 0


def _is_iban(match: re.Match[str]) -> bool:
    compact = match.group().replace(" ", "")
    turned = compact[4:] + compact[:4]
    return 15 <= len(compact) <= 34 and int("".join(str(int(c, 36)) for c in turned)) % 97 == 1


def _is_random(match: re.Match[str]) -> bool:
    run = match.group()
    if _UUID.fullmatch(run) or run.count("/") > len(run) / 12:
        return False
    bits = -sum(n / len(run) * math.log2(n / len(run)) for n in Counter(run).values())
    return bits >= RANDOM_BITS


# Shapes whose replacement names them; all others become `[secret]`.
LABELS = frozenset({"iban", "card", "ssn", "account"})
SHAPES: tuple[tuple[LazyPattern[str], str, Callable[[re.Match[str]], bool]], ...] = (
    (_PEM, "private_key", _is_match),
    (_JWT, "jwt", _is_match),
    (_WEBHOOK, "webhook", _is_match),
    (_PREFIXED, "key", _is_match),
    (_URL_PASSWORD, "url_password", _is_match),
    (_URL_TOKEN, "url_token", _is_token),
    (_BEARER, "bearer", _is_match),
    (_BASIC, "basic_auth", _is_basic_auth),
    (_SEED, "seed_phrase", _is_match),
    (_IBAN, "iban", _is_iban),
    (_DIGITS, "card", _is_card),
    (_ROUTED_SSN, "ssn", _is_match),
    (_SSN, "ssn", _is_match),
    (_ACCOUNT, "account", _is_match),
    (_QUOTED, "password", _is_quoted),
    (_ASSIGNED, "password", _looks_secret),
    (_NAMED, "password", _is_unlike_a_word),
    (_ONE_TIME, "one_time_code", _is_match),
    (_LONG_RUN, "random", _is_random),
)
