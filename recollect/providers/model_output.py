"""Read the JSON value in what a language model wrote, however it is wrapped or broken. Pure."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from recollect.errors import ModelError
from recollect.providers.lenient_json import MAX_DEPTH, OutputTooDeepError, ParsedValue, Unreadable, parse_lenient

# An answer of 10,000 memories fills some 2 MB; beyond this a server is broken, not generous.
MAX_CHARACTERS = 8_000_000
# Brackets tried as the beginning of a value: prose holds a few, an answer that holds more is not worth the time.
_MAX_STARTS = 1000

_FENCE = re.compile(r"```[\w+-]*+[ \t]*+\n?(.*?)```", re.DOTALL)
_REASONING = re.compile(r"(?<!\s)\s*+<(think|thinking|reasoning|thought)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# Some chat templates open the block themselves, so that only its end is in the answer.
_REASONING_END = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_START = re.compile(r"[\[{]")
_CUT = "the answer broke off; what was whole of it was taken"
_SECOND = "the answer holds more than one such value; the first was taken"
_REFUSAL = re.compile(
    r"\b(?:i['’]?m sorry|i am sorry|sorry, but|i apologi[sz]e|i (?:can|could)(?:not|['’]t| not)|i(?: a|['’])m unable"
    r"|i (?:won['’]t|will not)|as an ai)\b",
    re.IGNORECASE,
)

Accept = Callable[[object], bool]


@dataclass(frozen=True, slots=True)
class ModelOutput:
    """The value in an answer."""

    value: object
    remarks: tuple[str, ...] = ()
    """What of the answer was not taken, a sentence each."""


def read_json_answer(text: str, accept: Accept | None = None) -> object:
    """Read the JSON value a model answered with: see `parse_model_output`.

    Raises:
        ModelError: as there.
    """
    return parse_model_output(text, accept).value


def parse_model_output(text: str, accept: Accept | None = None, or_else: Accept | None = None) -> ModelOutput:
    """Read the JSON value a model answered with.

    Takes a bare value; one in a code fence, behind a block of reasoning, within a JSON string or amid prose; trailing,
    doubled and missing commas, comments, single and curly quotes, bare keys, Python's words, raw line breaks and
    unescaped quotes inside strings. Of an answer that was cut off, what is complete: an item that broke off is left
    out, never half taken.

    Args:
        text: The model's whole answer.
        accept: What the value must satisfy; the first that does is taken. None: the first that is more than an empty
            or flat list.
        or_else: What is taken where nothing satisfies `accept`; several objects of the kind are taken as a list.

    Raises:
        ModelError: the model refused, said nothing, or wrote nothing (acceptable) that can be read.

    >>> parse_model_output('Sure! {"memories": ["likes tea", "lives in Os').value
    {'memories': ['likes tea']}
    """
    if len(text) > MAX_CHARACTERS:
        raise ModelError(f"the model's answer has {len(text)} characters, more than {MAX_CHARACTERS}")
    text = text.removeprefix("\ufeff").strip()
    if not text:
        raise ModelError("the model's answer is empty")
    try:
        return _read(text, accept, or_else)
    except OutputTooDeepError:
        raise ModelError(f"the model's answer is nested deeper than {MAX_DEPTH} levels") from None


def _read(text: str, accept: Accept | None, or_else: Accept | None) -> ModelOutput:
    bare = _strict(text)
    if not isinstance(bare, Unreadable) and (accept is None or accept(bare)):
        return ModelOutput(bare)
    if isinstance(bare, str) and _START.search(bare):
        return _read(bare.strip(), accept, or_else)
    text = _without_reasoning(text)
    seen = [] if isinstance(bare, Unreadable) else [bare]
    torn = cut = False
    good = accept or _substantial
    values = _values(text, strict=accept is None)
    for found in values:
        if isinstance(found.value, Unreadable):
            torn = torn or found.torn
        elif good(found.value):
            further = accept and any(good(one.value) and one.value != found.value for one in values)
            remarks = (() if found.complete else (_CUT,)) + ((_SECOND,) if further else ())
            return ModelOutput(found.value, remarks)
        else:
            seen.append(found.value)
            cut = cut or not found.complete
    if seen and accept is None:
        return ModelOutput(seen[0])
    if or_else and not torn and (near := [value for value in seen if or_else(value)]):
        return _nearly(near, cut=cut)
    raise ModelError(_why_not(text, seen))


def _nearly(near: list[object], *, cut: bool) -> ModelOutput:
    """Take what comes near to what was asked for: all objects, or the first list that holds something."""
    distinct = [value for place, value in enumerate(near) if value not in near[:place]]
    objects = [value for value in distinct if isinstance(value, dict)]
    remarks = (_CUT,) if cut else ()
    if objects:
        return ModelOutput(objects[0] if len(objects) == 1 else objects, remarks)
    full = [value for value in distinct if value]
    return ModelOutput((full or distinct)[0], (*remarks, *((_SECOND,) if len(full) > 1 else ())))


def _why_not(text: str, seen: list[object]) -> str:
    if seen:
        return "the model answered with JSON of another form than it was asked for"
    if _REFUSAL.search(text[:300]):
        return f"the model refused, in {len(text)} characters without JSON"
    if _START.search(text):
        return "the model's answer is broken JSON, or was cut off before its first item was complete"
    return f"the model's answer holds no JSON in its {len(text)} characters"


def _strict(text: str) -> object:
    try:
        found: object = json.loads(text, parse_constant=lambda _: None)
    except RecursionError:
        raise OutputTooDeepError from None
    except ValueError:
        return Unreadable()
    level = [found]
    for _ in range(MAX_DEPTH):
        level = [child for value in level for child in _children(value)]
        if not level:
            return found
    raise OutputTooDeepError


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _without_reasoning(text: str) -> str:
    """Drop blocks of reasoning before the answer: drafts of it stand in them."""
    at = 0
    while block := _REASONING.match(text, at):
        at = block.end()
    text = text[at:]
    ends = [found.end() for found in _REASONING_END.finditer(text)]
    behind = text[ends[-1] :] if ends else ""
    text = behind if _START.search(behind) else text
    if not text.strip():
        raise ModelError("the model's answer is empty behind its reasoning, or ended within it")
    return text.strip()


def _values(text: str, *, strict: bool) -> Iterator[ParsedValue]:
    """Yield the values in a text: those whole in a code fence first, then all, one that was cut off last.

    With `strict` nothing is looked for behind or within an object that went wrong halfway: it was the answer.
    """
    for fence in _FENCE.finditer(text):
        yield from (found for found in _scan_all(fence.group(1)) if found.complete)
    for found in _scan_all(text):
        yield found
        if isinstance(found.value, Unreadable) and strict and found.torn:
            return


def _scan_all(text: str) -> Iterator[ParsedValue]:
    start = _START.search(text)
    for _ in range(_MAX_STARTS):
        if start is None:
            return
        found = parse_lenient(text, start.start())
        yield found
        start = _START.search(text, found.end)


def _substantial(value: object) -> bool:
    """Tell an answer from brackets of prose, such as `[1]` or `{}`."""
    return bool(value) and (
        isinstance(value, dict) or any(isinstance(child, dict | list) for child in _children(value))
    )
