"""Forms of the values that a name announces, and which of them are taken for a secret. Pure.

How much a value must look like a secret depends on how it is tied to its name: after ':' more is one than after 'is'.
"""

import re
from collections.abc import Callable, Mapping
from dataclasses import dataclass
from enum import Enum

from toldonce.extraction.secret_kinds.names import PLACEHOLDERS, VARIABLE_PARTS
from toldonce.extraction.secret_kinds.plain_words import NO_PASSWORDS, is_predicate
from toldonce.lazy_pattern import LazyPattern

_I = re.IGNORECASE


class Tie(Enum):
    """How a value is tied to its name, from the strictest sign to mere nearness."""

    SIGN = "sign"
    """':', '=', '->', a cell of a table."""
    VERB = "verb"
    """'is', 'lautet', '是'."""
    TO = "to"
    """'the password … to'."""
    CHANGED = "changed"
    """'changed the password to'."""
    COMMA = "comma"
    BLANK = "blank"
    GAP = "gap"
    """A few words between them: 'the tax number I gave was 12 345 678'."""
    FLAG = "flag"
    """`--password hunter2`."""
    BEFORE = "before"
    """The value comes first: 'hunter2 is my password'."""


@dataclass(frozen=True, slots=True)
class Named:
    """A value beside a name."""

    name: str
    tie: Tie
    sign: str = ""
    """The sign, if that is the tie."""
    value: str = ""
    after: str = ""
    """Up to 24 characters after the value."""
    is_quoted: bool = False


_TOKEN = LazyPattern(r"[^\s\"'`“”«»„|<>,;、。，；」』（）]{3,300}")
ASCII_TOKEN = LazyPattern(r"[!#$%&*+./0-9:=?@A-Z^_a-z~-]{3,300}")
_CODE = LazyPattern(r"#?\d(?:[ -]?\d){2,11}#?(?![\w]|[.,]\d)")
_ONE_TIME = LazyPattern(
    r"(?:[A-Z]{1,2}-)?\d{3}[ -]?\d{3,5}(?!\w)|\d{4,10}(?!\w)|(?-i:[A-Z0-9]{6,10})(?!\w)|"
    r"[a-z0-9]{4,6}(?:-[a-z0-9]{4,6}){1,4}(?!\w)",
    _I,
)
_KEY = LazyPattern(r"[A-Za-z0-9+/_=.~:!@#$%^&*-]{6,600}")
_ID = LazyPattern(
    r"(?=[^\n]{0,24}\d)(?:[A-Z]{1,6}[ .-]?){0,2}[A-Z0-9]{1,20}(?:[ ./–-]{1,2}(?=[A-Z]{0,6}\d)[A-Z0-9]{1,12}|"
    r"-[A-Z0-9]{1,3}|[ ][A-Z](?![\w’' ])){0,8}"
    r"|[a-z0-9]{6,24}"
)
_ACCOUNT = LazyPattern(r"[A-Z]{0,4}\d(?:[ ./-]{0,2}\d){4,28}(?!\w|[.,]\d)|[A-Z]{2}\d{2}(?:[ -]?[A-Z0-9]{1,4}){3,8}")
_PHRASE = LazyPattern(
    r"(?:\d{1,2}[.):]?\s{0,2})?[^\W\d_]{2,12}(?:[\s,、　]{1,3}(?:\d{1,2}[.):]\s{0,2})?[^\W\d_]{2,12}){11,23}|"
    r"[\u4e00-\u9fff](?:[\s,、　]?[\u4e00-\u9fff]){11,23}"
)
_NO_VALUE = LazyPattern(PLACEHOLDERS, _I)
_DATE = LazyPattern(
    r"\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[-./]\d{1,2}[-./](?:19|20)\d\d|(?:19|20)\d\d(?:\s?[-–/]\s?(?:19|20)?\d\d)?"
)
_ATTRIBUTE = LazyPattern(r"[A-Za-z_]\w{0,60}(?:\.[A-Za-z_]\w{0,60}){1,6}")
_IN_CAPITALS = LazyPattern(r"[A-Z0-9]{7,16}")
_ENDS = LazyPattern(
    r"[\"'`”’»)\]*_]{0,3}\s{0,2}(?:$|[\n\t.,;!?)|<（）。，、»]|[–—-]|(?:and|but|or|for|ok|okay|thanks|thank|"
    r"please|so|if|now|today|yesterday|last|since|until|"
    r"lol|haha|btw|und|für|aber|bitte|oder|y|et|pour|mais|e|ma|per|en|maar|voor|и|а|но|для|no)\b|です|だ|で|哦|"
    r"吧|了)",
    _I,
)
# What is counted is no code: 'tan 4500 steps', 'the code is 4000 lines'.
_COUNTED = LazyPattern(
    r"\s?(?:[%€$£°]|(?:years?|days?|weeks?|months?|hours?|minutes?|seconds?|steps?|lines?|pages?|times|people|"
    r"users?|words?|characters?|chars|"
    r"digits?|tokens?|km|miles?|meters?|metres?|kg|lbs?|pounds?|grams?|dollars?|euros?|bucks|usd|eur|gbp|views?|"
    r"followers?|points?|calories|"
    r"kcal|pm|am|percent|pictures|photos|stairs|schritte|euro|jahre|tage|zeilen|seiten|años|días|líneas|ans|"
    r"jours|lignes|anni|giorni|righe|"
    r"anos|dias|linhas|jaar|dagen|regels|лет|дней|строк|年|元|円|行)\b)",
    _I,
)


def _digits(text: str) -> int:
    return sum(char.isdigit() for char in text)


def _is_mixed(value: str) -> bool:
    """Tell 'hunter2' and 'let!me' from a word, also one with a hyphen or an apostrophe."""
    return any(char.isdigit() for char in value) or (
        any(char.isalnum() for char in value)
        and not value.isalnum()
        and not re.fullmatch(r"[^\W\d_]+(?:[-'’/][^\W\d_]+)*[.!?]?", value)
    )


def is_placeholder(value: str) -> bool:
    """Return whether a value is a placeholder for a secret: `<password>`, `hashed_password`, `$DB_PASSWORD`.

    >>> is_placeholder("<password>"), is_placeholder("hashed_password"), is_placeholder("my_dog2")
    (True, True, False)
    """
    if _NO_VALUE.fullmatch(value):
        return True
    parts = value.casefold().split("_")
    return len(parts) > 1 and all(part.isalpha() for part in parts) and not VARIABLE_PARTS.isdisjoint(parts)


def _is_far_script(name: str) -> bool:
    """Return whether a name is not in Latin letters: there a Latin word after it needs no verb."""
    return name[0] > "\u036f"


def _ends(named: Named) -> bool:
    return _ENDS.match(named.after.lstrip(" ")) is not None or not named.after


def _is_expression(named: Named) -> bool:
    """Tell `password = form.Text` and `token = data["x"]` from a value."""
    return not named.is_quoted and (named.after.startswith(("[", "(")) or _ATTRIBUTE.fullmatch(named.value) is not None)


def is_password(named: Named, *, is_weak: bool = False) -> bool:
    """Return whether a token is a password rather than a word about one."""
    value = named.value.rstrip(".!?")
    if len(value) < 3 or is_placeholder(value) or value.startswith("//") or value.endswith("="):
        return False
    if named.tie is Tie.FLAG or named.sign == "=":
        return (len(value) >= 4 or named.tie is Tie.FLAG) and not _is_expression(named)
    digits, letters = _digits(value), sum(char.isalpha() for char in value)
    if named.tie in (Tie.BLANK, Tie.COMMA, Tie.BEFORE):
        if named.is_quoted and named.tie is Tie.BLANK and not is_weak:
            return not is_predicate(value)
        if value.isascii() and named.tie is Tie.BLANK and _is_far_script(named.name):
            return True
        return (
            (len(value) >= 5 and bool(digits) and bool(letters))
            or (digits >= 5 and _ends(named))
            or (not is_weak and named.tie is not Tie.COMMA and len(value) >= 6 and _is_mixed(value) and bool(letters))
        )
    if named.tie is Tie.TO:
        return not is_weak and len(value) >= 6 and bool(digits) and bool(letters)
    if named.tie is Tie.CHANGED:
        return len(value) >= 4 and (_is_mixed(value) or (not is_predicate(value) and _ends(named)))
    if _is_mixed(value):
        return any(char.isalnum() for char in value) and not (is_weak and value.isdigit() and digits < 4)
    if is_weak:
        return False
    is_word = value.casefold() in NO_PASSWORDS if named.tie is Tie.SIGN else is_predicate(value)
    return named.is_quoted or (not named.name.endswith("s") and not is_word and _ends(named))


def is_code(named: Named) -> bool:
    """Return whether digits are a code that opens something."""
    digits = _digits(named.value)
    if _COUNTED.match(named.after) or not 3 <= digits <= 10:
        return False
    if named.tie in (Tie.BLANK, Tie.GAP):
        return digits >= (4 if named.tie is Tie.GAP else 3) and _ends(named) and not _DATE.fullmatch(named.value)
    return True


def is_bare_code(named: Named) -> bool:
    """Return whether the digits after a mere 'code' are a secret."""
    return 4 <= _digits(named.value) <= 8 and named.tie not in (Tie.BLANK, Tie.GAP) and is_code(named) and _ends(named)


def is_one_time(named: Named) -> bool:
    """Return whether a value is a code for once."""
    value = named.value
    if _COUNTED.match(named.after) or _DATE.fullmatch(value) or named.name in ("tan", "Tan"):
        return False
    return _digits(value) >= (3 if not value.isdigit() else 4) and (
        named.tie not in (Tie.BLANK, Tie.GAP) or _ends(named) or _digits(value) >= 6
    )


def is_key(named: Named) -> bool:
    """Return whether a run of characters is a key rather than a word or a number."""
    value = named.value.rstrip(".!?:")
    digits, letters = _digits(value), sum(char.isalpha() for char in value)
    if is_placeholder(value) or len(value) < 4 or (value.isdigit() and digits < 8) or _COUNTED.match(named.after):
        return False
    if named.tie is Tie.FLAG or named.sign == "=":
        return not _is_expression(named)
    is_long = len(value) >= 12 and bool(digits) and bool(letters)
    if named.tie in (Tie.BLANK, Tie.COMMA, Tie.BEFORE, Tie.TO, Tie.CHANGED):
        return is_long or (len(value) >= 20 and value.lower() != value and value.upper() != value)
    if named.tie is Tie.SIGN:
        return bool(letters) and (_is_mixed(value) or (len(value) >= 8 and not is_predicate(value) and _ends(named)))
    return bool(letters) and _is_mixed(value) and (bool(digits) or len(value) >= 8)


def is_bare_key(named: Named) -> bool:
    """Return whether what follows a mere 'key' is one: 'the key is 42' is not."""
    value = named.value
    return len(value) >= 12 and _digits(value) >= 2 and any(char.isalpha() for char in value) and is_key(named)


def is_id(named: Named) -> bool:
    """Return whether a number is one of a person, not a date, a year or an amount."""
    digits = _digits(named.value)
    if _DATE.fullmatch(named.value) or _COUNTED.match(named.after) or named.value.startswith("000"):
        return False
    if digits >= 5 or (digits >= 3 and len(named.value) >= 7 and named.value != named.value.lower()):
        return True
    return (
        named.tie in (Tie.SIGN, Tie.VERB, Tie.BLANK)
        and bool(digits)
        and _IN_CAPITALS.fullmatch(named.value) is not None
    )


def is_short_id(named: Named) -> bool:
    """Return whether a number belongs to a short name: 'NIF 123…' does, 'run 12345' does not."""
    is_upper = named.name.isupper()
    if not is_upper and (named.tie not in (Tie.SIGN, Tie.VERB) or _digits(named.value) < 7):
        return False
    return is_id(named)


def is_account(named: Named) -> bool:
    """Return whether a number is a bank account's."""
    return _digits(named.value) >= 5 and not _DATE.fullmatch(named.value) and not _COUNTED.match(named.after)


def is_bare_account(named: Named) -> bool:
    """Return whether the number after a mere 'account' is one."""
    return _digits(named.value) >= 7 and is_account(named)


def is_phrase(named: Named) -> bool:
    """Return whether twelve or more words are a recovery phrase: they are nouns, verbs and adjectives, never "
    "'the'."""
    words = re.findall(r"[\u4e00-\u9fff]|[^\W\d_]+", named.value)
    least = 3 if named.is_quoted and " " in named.name else 12
    return len(words) >= least and not any(word.casefold() in _GLUE for word in words)


_GLUE = frozenset(
    "the a an is are was of to in it my and i for be on der die das und ist ich el la de y que le les et un è".split()
)


@dataclass(frozen=True, slots=True)
class ValueForm:
    """Form of a family's values."""

    pattern: LazyPattern[str]
    is_secret: Callable[[Named], bool]
    shape: str
    """Name it is counted under."""
    is_strong: bool = False
    """Whether the form is so distinct that a few words may come between name and value."""


def _is_weak_password(named: Named) -> bool:
    return named.tie is not Tie.BLANK and is_password(named, is_weak=True)


FORMS: Mapping[str, ValueForm] = {
    "password": ValueForm(_TOKEN, is_password, "password"),
    "weak_password": ValueForm(_TOKEN, _is_weak_password, "password"),
    "code": ValueForm(_CODE, is_code, "code", is_strong=True),
    "bare_code": ValueForm(_CODE, is_bare_code, "code"),
    "one_time_code": ValueForm(_ONE_TIME, is_one_time, "one_time_code", is_strong=True),
    "key": ValueForm(_KEY, is_key, "key"),
    "bare_key": ValueForm(_KEY, is_bare_key, "key"),
    "id": ValueForm(_ID, is_id, "id", is_strong=True),
    "short_id": ValueForm(_ID, is_short_id, "id", is_strong=True),
    "account": ValueForm(_ACCOUNT, is_account, "account", is_strong=True),
    "bare_account": ValueForm(_ACCOUNT, is_bare_account, "account"),
    "phrase": ValueForm(_PHRASE, is_phrase, "seed_phrase", is_strong=True),
}
