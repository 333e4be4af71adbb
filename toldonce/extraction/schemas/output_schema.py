"""Output schemas: what a model is asked for, and how its answer is read. Pure.

Fields are read as models write them ('3', 3.0 and '[3]' are one number), and an item that cannot be used is dropped
with its reason. `locate` finds the message of an item that names none.
"""

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import date, datetime
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from toldonce.dates import parse_dates
from toldonce.dates.mention import midnight
from toldonce.extraction.quote_span import find_span
from toldonce.extraction.sources import ExtractionInput, readable
from toldonce.lazy_pattern import LazyPattern
from toldonce.reading.sentences import fold, sentences
from toldonce.text import clean, squeeze, terms, words
from toldonce.time_zones import zone_of
from toldonce.types import Candidate, LoggedMessage

# A longer memory comes from a runaway or manipulated model.
MAX_MEMORY_BYTES = 2048
# Characters shown of a known memory: what is not shown would be lost when it is rewritten.
MAX_SHOWN_MEMORY = 600
# No list that is shown has as many rows.
_MAX_MESSAGE_NUMBER = 1_000_000
# Read for a number that is none: no row of a list has it.
_NO_ROW = 0
# Characters of a message that are searched for the day a model names.
MAX_DATED_CHARACTERS = 8_000
CATEGORIES = ("identity", "preference", "constraint", "instruction")


class UnusableError(Exception):
    """An item fits the schema but cannot be used; its message becomes the reason of the drop."""


def _number(value: object) -> object:
    """Read a number as models write it: '3', 3.0, '[3]'."""
    if isinstance(value, str):
        value = value.strip(" []#()")
        return None if value.lower() in ("", "null", "none") else value
    return value


def _maybe_number(value: object) -> object:
    """Read a number as `_number` does; an id or a word counts as a number that was not shown."""
    value = _number(value)
    if value is None or (isinstance(value, int) and not isinstance(value, bool)):
        return value
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _MAX_MESSAGE_NUMBER else _NO_ROW
    return value if isinstance(value, str) and value.isdecimal() and len(value) < 10 else _NO_ROW


def _unit(value: object) -> object:
    """Scale a weight to 0 to 1; models also count to 10 or to 100."""
    if isinstance(value, bool) or value is None:
        return 0.5
    try:
        number = float(str(value).strip(" %"))
    except ValueError:
        return value
    scale = 1.0 if number <= 1 else 10.0 if number <= 10 else 100.0
    return min(max(number / scale, 0.0), 1.0) if number == number else 0.5


def _of_ten(value: object) -> object:
    """Scale a weight from 0 to 10 to 0 to 1; fractions stay."""
    if isinstance(value, int) and not isinstance(value, bool):
        return min(max(value, 0), 10) / 10
    return _unit(value)


def _day(value: object) -> object:
    """Read a day; anything but a full date counts as none, since it only dates the memory."""
    if not isinstance(value, str):
        return None
    try:
        return date.fromisoformat(value.strip()[:10])
    except ValueError:
        return None


def _text(value: object) -> object:
    return "" if value is None else squeeze(clean(value)) if isinstance(value, str) else value


def _texts(value: object) -> object:
    """Read a list of words; a string is split at its commas."""
    if isinstance(value, str):
        value = value.split(",")
    return [_text(item) for item in value if isinstance(item, str)] if isinstance(value, list) else []


def _numbers(value: object) -> object:
    """Read a list of numbers; other items are left out."""
    read = [_number(item) for item in (value if isinstance(value, list) else [value])]
    texts = [item for item in read if isinstance(item, str) and item.isdecimal() and len(item) < 10]
    return [item for item in read if isinstance(item, int)] + [int(text) for text in texts]


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Weight = Annotated[float, Field(ge=0, le=1), BeforeValidator(_unit)]
OfTen = Annotated[float, Field(ge=0, le=1), BeforeValidator(_of_ten)]
Place = Annotated[int, BeforeValidator(_number)]
MaybePlace = Annotated[int | None, BeforeValidator(_number)]
Target = Annotated[int | None, BeforeValidator(_maybe_number)]
"""A known memory that an item names: a wrong number loses the target, not the item."""
Places = Annotated[list[int], BeforeValidator(_numbers)]
Day = Annotated[date | None, BeforeValidator(_day)]


@lru_cache(maxsize=32)
def prompt(name: str) -> str:
    """Read a prompt file."""
    return (files("toldonce.extraction") / "prompts" / name).read_text("utf-8").strip()


def quoted(text: str, max_characters: int) -> str:
    """Write text as one JSON string: no line feed or quote in it can end the quotation."""
    return json.dumps(text[:max_characters], ensure_ascii=False)


def list_schema(properties: Mapping[str, Any]) -> Mapping[str, Any]:
    """Write the schema of an answer that lists memories with these properties."""
    item = {
        "type": "object",
        "properties": dict(properties),
        "required": list(properties),
        "additionalProperties": False,
    }
    return {
        "type": "object",
        "properties": {"memories": {"type": "array", "items": item}},
        "required": ["memories"],
        "additionalProperties": False,
    }


def message_of(number: int, source: ExtractionInput) -> LoggedMessage:
    """Return the message that was shown with a number.

    Raises:
        UnusableError: No message has the number.
    """
    if not 1 <= number <= len(source.messages):
        raise UnusableError(f"message {number} was not shown")
    return source.messages[number - 1]


def check_words(text: str, *more: str) -> None:
    """Refuse an empty or overlong memory.

    Raises:
        UnusableError: The text is empty or too long.
    """
    if not text:
        raise UnusableError("the text is empty")
    if len("".join((text, *more)).encode()) > MAX_MEMORY_BYTES:
        raise UnusableError(f"longer than {MAX_MEMORY_BYTES} bytes")


def valid_since(
    day: date | None, message: LoggedMessage, source: ExtractionInput, *, may_come: bool = False
) -> datetime:
    """Return when something became true: the model's day if the message mentions it too, else when it was said.

    Models make days up, and a wrong early day would make a newer statement the older one. The result is later
    than the message only if it may come.
    """
    if day is None or not _names(day, message, source):
        return message.said_at
    try:
        start = midnight(day, zone_of(message.said_at, source.time_zone))
    except OverflowError:
        return message.said_at
    since = start.astimezone(message.said_at.tzinfo)
    return since if may_come else min(since, message.said_at)


def _names(day: date, message: LoggedMessage, source: ExtractionInput) -> bool:
    """Return whether a message mentions a period that contains a day, or its year in digits."""
    text = readable(message)[:MAX_DATED_CHARACTERS]
    if str(day.year) in words(text):
        return True
    named = parse_dates(text, said_at=message.said_at, zone=zone_of(message.said_at, source.time_zone))
    return any(mention.first <= day <= mention.last for mention in named)


def listed_items(data: object) -> list[object] | None:
    """Return the items of an answer that lists memories; None if it lists none.

    A bare list is accepted, and so is a single item.

    >>> [listed_items(data) for data in ({"memories": [1]}, [1], {"text": "x", "quote": "y"}, {"a": "b"})]
    [[1], [1], [{'text': 'x', 'quote': 'y'}], None]
    """
    if isinstance(data, dict):
        if "memories" not in data and data.keys() & {"text", "content", "value"} and len(data) > 1:
            return [data]
        data = data.get("memories")
    return data if isinstance(data, list) else None


@dataclass(frozen=True, slots=True, kw_only=True)
class OutputSchema:
    """One form in which a model writes memories down."""

    version: str
    """Version of the question: a new one forms memories again."""
    system: str
    """System prompt."""
    schema: Mapping[str, Any]
    read: Callable[[object, ExtractionInput], Candidate]
    """Reads one item.

    Raises:
        ValidationError: The item does not fit the schema.
        UnusableError: It fits, but cannot be used.
    """
    user: str = "messages.user.txt"
    """Prompt file of the question itself."""
    items: Callable[[object], list[object] | None] = listed_items
    """Returns the items of an answer; None if there are none."""
    missing: str = "the answer holds no list of memories"
    """Reason for an answer without items."""
    whole: bool = False
    """Whether all new messages are read at once."""


# Share of a sentence's terms that its source must contain: fewer match by chance.
_MIN_SHARED_WORDS = 0.5
# Words for the speaker, which are never in the message itself.
_SPEAKER_WORDS = frozenset({"user", "assistant", "speaker"})
_TRUNCATED = LazyPattern(r"(?:…|\.\.\.)\s*+$")


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """The source of a sentence."""

    message: LoggedMessage
    quote: str


def locate(text: str, number: int | None, quote: str, source: ExtractionInput) -> SourceMatch:
    """Find the source of a memory: by the model's number and quote, else by common words.

    A given quote is taken as it is, and checked against its message later.

    Args:
        text: Text of the memory.
        number: Number of the message; None if the model gave none.
        quote: Words the model copied; empty if it copied none.
        source: The messages it was shown.

    Raises:
        UnusableError: The number was not shown, or no message contains enough of the words.
    """
    if number is not None and quote:
        return SourceMatch(message_of(number, source), quote)
    candidates = [message_of(number, source)] if number is not None else source.messages
    candidates = [message for message in candidates if message.role in source.sources]
    if quote:
        holder = next((message for message in candidates if _holds(message, quote)), None)
        if holder is None:
            raise UnusableError("its quote is in none of the messages")
        return SourceMatch(holder, quote)
    return _nearest(text, candidates)


def _holds(message: LoggedMessage, quote: str) -> bool:
    plain = _TRUNCATED.sub("", fold(quote)).strip(" \"'").casefold()
    said = readable(message)
    return bool(plain) and (plain in " ".join(fold(said).casefold().split()) or bool(find_span(quote, said)))


def _nearest(text: str, candidates: Sequence[LoggedMessage]) -> SourceMatch:
    asked = frozenset(terms(text)) - _SPEAKER_WORDS
    best: tuple[float, float, SourceMatch] | None = None
    for message in candidates:
        spoken = readable(message)
        share = len(asked & frozenset(terms(f"{message.name or ''} {spoken}"))) / max(len(asked), 1)
        if share < _MIN_SHARED_WORDS:
            continue
        for sentence in sentences(spoken):
            inside = len(asked & frozenset(terms(sentence.text))) / max(len(asked), 1)
            if inside and (best is None or (share, inside) > best[:2]):
                best = (share, inside, SourceMatch(message, sentence.text))
    if best is None:
        raise UnusableError("it names no message, and none holds its words")
    return best[2]
