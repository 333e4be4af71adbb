"""What a model is asked for, and how its answer is read: what the schemas share. Pure."""

import json
import re
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, date, datetime
from functools import lru_cache
from importlib.resources import files
from typing import Annotated, Any

from pydantic import BeforeValidator, Field

from recollect.dates import parse_dates
from recollect.dates.mention import midnight
from recollect.extraction.sentences import fold, sentences
from recollect.extraction.sources import ExtractionInput, readable
from recollect.text import clean, squeeze, terms, words
from recollect.types import Candidate, LoggedMessage, Memory, MemoryId

# What is beyond this is an extractor gone wild, or somebody's hand on it.
MAX_MEMORY_BYTES = 2048
# No list that was shown has so many rows.
_MAX_MESSAGE_NUMBER = 1_000_000
# Of a message so many characters are searched for the day that a model names.
MAX_DATED_CHARACTERS = 8_000
CATEGORIES = ("identity", "preference", "constraint", "instruction")


class UnusableError(Exception):
    """An item has the right shape and cannot be used; `extraction/llm.py` makes its words a reason."""


def _number(value: object) -> object:
    """Read a number as models write it: '3', 3.0, '[3]'."""
    if isinstance(value, str):
        value = value.strip(" []#()")
        return None if value.lower() in ("", "null", "none") else value
    return value


def _maybe_number(value: object) -> object:
    """Read a number as `_number` does; what is none (an id, a word) counts as no number."""
    value = _number(value)
    if isinstance(value, str) and not (value.isdecimal() and len(value) < 10):
        return None
    if isinstance(value, float):
        return int(value) if value.is_integer() and abs(value) < _MAX_MESSAGE_NUMBER else None
    return value if isinstance(value, int | str) and not isinstance(value, bool) else None


def _unit(value: object) -> object:
    """Bring a weight into 0 to 1; models also count to 10 or to 100."""
    if isinstance(value, bool) or value is None:
        return 0.5
    try:
        number = float(str(value).strip(" %"))
    except ValueError:
        return value
    scale = 1.0 if number <= 1 else 10.0 if number <= 10 else 100.0
    return min(max(number / scale, 0.0), 1.0) if number == number else 0.5


def _of_ten(value: object) -> object:
    """Bring a weight that was asked for from 0 to 10 into 0 to 1; a fraction is one already."""
    if isinstance(value, int) and not isinstance(value, bool):
        return min(max(value, 0), 10) / 10
    return _unit(value)


def _day(value: object) -> object:
    """Read a day; what is no full date counts as none, for it only dates the memory."""
    if not isinstance(value, str):
        return None
    try:
        return date.fromisoformat(value.strip()[:10])
    except ValueError:
        return None


def _text(value: object) -> object:
    return "" if value is None else squeeze(clean(value)) if isinstance(value, str) else value


def _texts(value: object) -> object:
    """Read a list of words; one that is a text is taken apart at its commas."""
    if isinstance(value, str):
        value = value.split(",")
    return [_text(one) for one in value if isinstance(one, str)] if isinstance(value, list) else []


def _numbers(value: object) -> object:
    """Read a list of numbers; what is none is left out."""
    read = [_number(one) for one in (value if isinstance(value, list) else [value])]
    texts = [one for one in read if isinstance(one, str) and one.isdecimal() and len(one) < 10]
    return [one for one in read if isinstance(one, int)] + [int(one) for one in texts]


Text = Annotated[str, BeforeValidator(_text)]
Texts = Annotated[list[str], BeforeValidator(_texts)]
Weight = Annotated[float, Field(ge=0, le=1), BeforeValidator(_unit)]
OfTen = Annotated[float, Field(ge=0, le=1), BeforeValidator(_of_ten)]
Place = Annotated[int, BeforeValidator(_number)]
MaybePlace = Annotated[int | None, BeforeValidator(_number)]
Target = Annotated[int | None, BeforeValidator(_maybe_number)]
"""The memory that an item updates: one that is wrong costs the item its target, not its words."""
Places = Annotated[list[int], BeforeValidator(_numbers)]
Day = Annotated[date | None, BeforeValidator(_day)]


@lru_cache(maxsize=32)
def prompt(name: str) -> str:
    """Read a prompt file."""
    return (files("recollect.extraction") / "prompts" / name).read_text("utf-8").strip()


def quoted(text: str, longest: int) -> str:
    """Write text as one JSON string: no line feed or quote in it can end the quotation."""
    return json.dumps(text[:longest], ensure_ascii=False)


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
    """Return the message that was shown under a number.

    Raises:
        UnusableError: none was.
    """
    if not 1 <= number <= len(source.messages):
        raise UnusableError(f"message {number} was not shown")
    return source.messages[number - 1]


def updated_memory(number: int | None, neighbours: Sequence[Memory]) -> MemoryId | None:
    """Return the known memory that was shown under a number; None if none was.

    A wrong number costs the correction its target, not its words: dropped with it, they would leave what they correct
    as the newest statement.
    """
    if number is None or not 1 <= number <= len(neighbours):
        return None
    return neighbours[number - 1].id


def check_words(text: str, *more: str) -> None:
    """Refuse a memory without words, or with more than are kept.

    Raises:
        UnusableError: it is one of these.
    """
    if not text:
        raise UnusableError("the text is empty")
    if len("".join((text, *more)).encode()) > MAX_MEMORY_BYTES:
        raise UnusableError(f"longer than {MAX_MEMORY_BYTES} bytes")


def valid_since(day: date | None, message: LoggedMessage, source: ExtractionInput) -> datetime:
    """Return when something became true: a day the model named if the message names it too, else when it was said.

    Models make days up. One that lies before what was known would make the newer statement the older one. It is never
    later than the message.
    """
    if day is None or not _names(day, message, source):
        return message.said_at
    try:
        start = midnight(day, source.time_zone)
    except OverflowError:
        return message.said_at
    return min(start, message.said_at.astimezone(UTC))


def _names(day: date, message: LoggedMessage, source: ExtractionInput) -> bool:
    """Return whether a message names a time that holds a day, or its year in digits."""
    said = readable(message)[:MAX_DATED_CHARACTERS]
    if str(day.year) in words(said):
        return True
    named = parse_dates(said, said_at=message.said_at, zone=source.time_zone)
    return any(mention.first <= day <= mention.last for mention in named)


def listed_items(data: object) -> list[object] | None:
    """Take the items out of an answer that lists memories; None where it lists none.

    A bare list is taken, and one item without its list.

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
    """One way to write down what is remembered."""

    version: str
    """Names the way of asking: a new one forms anew."""
    system: str
    """The rules of the question."""
    schema: Mapping[str, Any]
    read: Callable[[object, ExtractionInput], Candidate]
    """Reads one item.

    Raises:
        ValidationError: the item is not of this shape.
        UnusableError: it is, and cannot be used.
    """
    user: str = "messages.user.txt"
    """Prompt file of the question itself."""
    items: Callable[[object], list[object] | None] = listed_items
    """Takes the items out of an answer; None where there are none to be found."""
    missing: str = "the answer holds no list of memories"
    """What is said of an answer without items."""
    whole: bool = False
    """Whether all that was said since the last time is read at once."""


# Of a sentence's words so many must stand in a message for it to be the source: fewer meet by chance.
_MIN_SHARED_WORDS = 0.5
# Words that stand for whoever speaks: they are never in the message itself.
_WHO = frozenset({"user", "assistant", "speaker"})
_TRUNCATED = re.compile(r"(?:…|\.\.\.)\s*+$")


@dataclass(frozen=True, slots=True)
class SourceMatch:
    """Where a sentence comes from."""

    message: LoggedMessage
    quote: str


def locate(text: str, number: int | None, quote: str, source: ExtractionInput) -> SourceMatch:
    """Find what a memory rests on: by the number and quote the model gave, else by the words they share.

    A quote that was given counts as given, and is checked against its message like any other.

    Args:
        text: The memory's words.
        number: The message's number; None where the model named none.
        quote: The words it copied; empty where it copied none.
        source: What it was shown.

    Raises:
        UnusableError: the number was not shown, or no message of a source holds enough of the words.
    """
    if number is not None and quote:
        return SourceMatch(message_of(number, source), quote)
    heard = [message_of(number, source)] if number is not None else source.messages
    heard = [message for message in heard if message.role in source.sources]
    if quote:
        held = next((one for one in heard if _holds(one, quote)), None)
        if held is None:
            raise UnusableError("its quote stands in none of the messages")
        return SourceMatch(held, quote)
    return _nearest(text, heard)


def _holds(message: LoggedMessage, quote: str) -> bool:
    plain = _TRUNCATED.sub("", fold(quote)).strip(" \"'").casefold()
    return bool(plain) and plain in " ".join(fold(readable(message)).casefold().split())


def _nearest(text: str, heard: Sequence[LoggedMessage]) -> SourceMatch:
    asked = frozenset(terms(text)) - _WHO
    best: tuple[float, float, SourceMatch] | None = None
    for message in heard:
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
