"""How templates write values: times, sizes, shares, names. Pure."""

from collections.abc import Callable, Mapping
from datetime import UTC, datetime
from types import MappingProxyType
from typing import Any
from unicodedata import category

from toldonce.time_zones import require_zone
from toldonce.types import MemoryKind

_WORDS = (*("no", "one", "two", "three", "four", "five", "six", "seven", "eight", "nine", "ten", "eleven", "twelve"),)
_UNITS = ("B", "kB", "MB", "GB", "TB")
_THOUSAND = 1000
# Characters that hide or reorder text (Unicode categories Cc and Cf): shown by their code, as they cannot be seen.
_HIDDEN = frozenset({"Cc", "Cf"})
_KEPT = frozenset("\n\t\u200d\u200c")


def visible(text: str) -> str:
    """Write invisible characters and marks of direction by their code; keep joiners, line feeds and tabs.

    >>> visible("a\\u202eb\\x07")
    'a⟨U+202E⟩b⟨U+0007⟩'
    """
    if text.isascii() and text.isprintable():
        return text
    return "".join(f"⟨U+{ord(char):04X}⟩" if char not in _KEPT and category(char) in _HIDDEN else char for char in text)


def day(text: str | None) -> str:
    """Write the day of an instant, such as `2026-05-03`.

    >>> day("2026-05-03T08:00:00Z"), day(None)
    ('2026-05-03', '')
    """
    return text[:10] if text else ""


def minute(text: str | None) -> str:
    """Write an instant to the minute, in UTC.

    >>> minute("2026-05-03T08:00:59.1Z")
    '2026-05-03 08:00'
    """
    if not text:
        return ""
    return datetime.fromisoformat(text).astimezone(UTC).strftime("%Y-%m-%d %H:%M")


def local(text: str, zone: str) -> str:
    """Write an instant to the minute, in a time zone.

    >>> local("2026-05-03T22:00:00Z", "Europe/Oslo")
    '2026-05-04 00:00'
    """
    return datetime.fromisoformat(text).astimezone(require_zone(zone, "zone")).strftime("%Y-%m-%d %H:%M")


def bytes_of(size: float) -> str:
    """Write a size in bytes.

    >>> bytes_of(999), bytes_of(1_234_567)
    ('999 B', '1.2 MB')
    """
    unit = 0
    while size >= _THOUSAND and unit < len(_UNITS) - 1:
        size, unit = size / _THOUSAND, unit + 1
    return f"{size:.1f} {_UNITS[unit]}" if unit else f"{size:.0f} B"


def count(number: float) -> str:
    """Write a number with thin spaces between thousands.

    >>> count(1234567)
    '1\\u202f234\\u202f567'
    """
    return f"{number:,.0f}".replace(",", "\u202f")


def in_words(number: int, one: str, many: str) -> str:
    """Write a number with what it counts; small numbers as words.

    >>> in_words(1, "memory waits", "memories wait"), in_words(0, "key", "keys"), in_words(13, "key", "keys")
    ('one memory waits', 'no keys', '13 keys')
    """
    shown = _WORDS[number] if 0 <= number < len(_WORDS) else count(number)
    return f"{shown} {one if number == 1 else many}"


def share(part: float) -> str:
    """Write a share of 1 in percent.

    >>> share(0.456)
    '46 %'
    """
    return f"{part * 100:.0f} %"


def with_code(text: str) -> Any:
    """Return HTML in which texts between backticks are code; all else is escaped.

    >>> str(with_code("set `A<B`"))
    'set <code>A&lt;B</code>'
    """
    from markupsafe import Markup, escape  # not loaded by servers that show no page

    parts = [escape(visible(part)) for part in text.split("`")]
    if len(parts) % 2 == 0:  # the last one begins and has no end
        parts[-2:] = [escape("`").join(parts[-2:])]
    return Markup("").join(Markup("<code>{}</code>").format(part) if at % 2 else part for at, part in enumerate(parts))


def sentence(message: str) -> str:
    """Write a message of the API as a sentence; one that begins with the name of a field stays as it is.

    >>> sentence("no memory 'x' here"), sentence("kind.0: Input should be 'note'")
    ("No memory 'x' here.", "kind.0: Input should be 'note'")
    """
    if not message.partition(" ")[0].isalpha():
        return message
    end = "" if message.endswith((".", "!", "?")) else "."
    return message[0].upper() + message[1:] + end


def duration(seconds: float | None) -> str:
    """Write a time that something took.

    >>> duration(0.0042), duration(2.5), duration(None)
    ('4 ms', '2.5 s', 'more than 30 s')
    """
    if seconds is None:
        return "more than 30 s"
    return f"{seconds:.1f} s" if seconds >= 1 else f"{seconds * _THOUSAND:.0f} ms"


def cut(text: str, limit: int = 160) -> str:
    """Cut a text at `limit` characters."""
    return text if len(text) <= limit else text[: limit - 1].rstrip() + "…"


def name_of(subject: str) -> str:
    """Write a subject for people: a user by name.

    >>> name_of("user:ana"), name_of("session:ana/1"), name_of("@acme/user:ana")
    ('ana', 'session ana/1', 'ana (acme)')
    """
    tenant, text = "", subject
    if subject.startswith("@"):
        tenant, _, text = subject[1:].partition("/")
    kind, colon, name = text.partition(":")
    shown = (name if kind == "user" else f"{kind} {name}") if colon else text
    return f"{shown} ({tenant})" if tenant else shown


def kind_name(kind: str) -> str:
    """Write a kind of memory for people: a turn is a quotation.

    >>> kind_name("turn"), kind_name("note")
    ('quotation', 'note')
    """
    return "quotation" if kind == MemoryKind.TURN else kind


FILTERS: Mapping[str, Callable[..., Any]] = MappingProxyType(
    {
        "visible": visible,
        "day": day,
        "local": local,
        "minute": minute,
        "bytes": bytes_of,
        "count": count,
        "in_words": in_words,
        "duration": duration,
        "share": share,
        "with_code": with_code,
        "sentence": sentence,
        "cut": cut,
        "name_of": name_of,
        "kind_name": kind_name,
    }
)
"""The filters by their names in templates."""
