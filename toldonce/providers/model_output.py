"""Read the JSON value in what a language model wrote, however it is wrapped or broken. Pure."""

import json
import re
from collections.abc import Callable, Iterator
from dataclasses import dataclass

from toldonce.errors import ModelError
from toldonce.lazy_pattern import LazyPattern
from toldonce.providers.lenient_json import MAX_DEPTH, OutputTooDeepError, ParsedValue, Unreadable, parse_lenient

# An answer of 10,000 memories fills some 2 MB; beyond this a server is broken, not generous.
MAX_CHARACTERS = 8_000_000
# Brackets tried as the start of a value: prose holds a few, and an answer with more is not worth the time.
_MAX_STARTS = 1000

_FENCE = LazyPattern(r"```[\w+-]*+[ \t]*+\n?(.*?)```", re.DOTALL)
_REASONING = LazyPattern(r"(?<!\s)\s*+<(think|thinking|reasoning|thought)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# Some chat templates open the block themselves, so that the answer holds only its end.
_REASONING_END = LazyPattern(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_START = LazyPattern(r"[\[{]")
_CUT = "the answer broke off; what was whole of it was taken"
_SECOND = "the answer holds more than one such value; the first was taken"
_REFUSAL = LazyPattern(
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
    """What was left out of the answer, one sentence each."""
    broke_off: bool = False
    """The value was cut off, or became unreadable: it is the complete part."""


def read_json_answer(text: str, accept: Accept | None = None) -> object:
    """Return the JSON value of a model's answer: see `parse_model_output`.

    Raises:
        ModelError: As there.
    """
    return parse_model_output(text, accept).value


def parse_model_output(text: str, accept: Accept | None = None, or_else: Accept | None = None) -> ModelOutput:
    """Parse the JSON value of a model's answer.

    The value may be bare, in a code fence, after a block of reasoning, within a JSON string or amid prose. Accepted
    are trailing, doubled and missing commas, comments, single and curly quotes, bare keys, Python's words, raw line
    breaks and unescaped quotes inside strings. Of an answer that was cut off, the complete part is taken: an item that
    broke off is left out, never half taken.

    Args:
        text: The model's whole answer.
        accept: Condition for the value; the first that satisfies it is taken. None: the first that is more than an
            empty or flat list.
        or_else: Fallback condition if no value satisfies `accept`; several such objects are taken as a list.

    Raises:
        ModelError: The model refused, answered nothing, or wrote no acceptable value.

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
    corrupt = cut = False
    good = accept or _substantial
    values = _values(text, strict=accept is None)
    for candidate in values:
        if isinstance(candidate.value, Unreadable):
            corrupt = corrupt or candidate.corrupt
        elif good(candidate.value):
            further = accept and any(good(other.value) and other.value != candidate.value for other in values)
            remarks = (() if candidate.complete else (_CUT,)) + ((_SECOND,) if further else ())
            return ModelOutput(candidate.value, remarks, broke_off=not candidate.complete)
        else:
            seen.append(candidate.value)
            cut = cut or not candidate.complete
    if seen and accept is None:
        return ModelOutput(seen[0], broke_off=cut)
    if or_else and not corrupt and (near := [value for value in seen if or_else(value)]):
        return _closest(near, cut=cut)
    raise ModelError(_failure_reason(text, seen), broke_off=not seen and bool(_START.search(text)))


def _closest(near: list[object], *, cut: bool) -> ModelOutput:
    """Take the values that come closest to the requested form: all objects, or the first list that is not empty."""
    distinct = [value for place, value in enumerate(near) if value not in near[:place]]
    objects = [value for value in distinct if isinstance(value, dict)]
    remarks = (_CUT,) if cut else ()
    if objects:
        return ModelOutput(objects[0] if len(objects) == 1 else objects, remarks, broke_off=cut)
    full = [value for value in distinct if value]
    return ModelOutput((full or distinct)[0], (*remarks, *((_SECOND,) if len(full) > 1 else ())), broke_off=cut)


def _failure_reason(text: str, seen: list[object]) -> str:
    if seen:
        return "the model answered with JSON of another form than it was asked for"
    if _REFUSAL.search(text[:300]):
        return f"the model refused, in {len(text)} characters without JSON"
    if _START.search(text):
        return "the model's answer is broken JSON, or was cut off before its first item was complete"
    return f"the model's answer holds no JSON in its {len(text)} characters"


def _strict(text: str) -> object:
    try:
        value: object = json.loads(text, parse_constant=lambda _: None)
    except RecursionError:
        raise OutputTooDeepError from None
    except ValueError:
        return Unreadable()
    level = [value]
    for _ in range(MAX_DEPTH):
        level = [child for parent in level for child in _children(parent)]
        if not level:
            return value
    raise OutputTooDeepError


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _without_reasoning(text: str) -> str:
    """Drop blocks of reasoning before the answer, because they may hold drafts of it."""
    at = 0
    while block := _REASONING.match(text, at):
        at = block.end()
    text = text[at:]
    ends = [found.end() for found in _REASONING_END.finditer(text)]
    answer = text[ends[-1] :] if ends else ""
    text = answer if _START.search(answer) else text
    if not text.strip():
        raise ModelError("the model's answer is empty after its reasoning, or ended within it", broke_off=True)
    return text.strip()


def _values(text: str, *, strict: bool) -> Iterator[ParsedValue]:
    """Yield the values in a text: those whole in a code fence first, then all, one that was cut off last.

    With `strict` the search ends at an object that became unreadable halfway, because that was the answer.
    """
    for fence in _FENCE.finditer(text):
        yield from (value for value in _scan_all(fence.group(1)) if value.complete)
    for value in _scan_all(text):
        yield value
        if isinstance(value.value, Unreadable) and strict and value.corrupt:
            return


def _scan_all(text: str) -> Iterator[ParsedValue]:
    start = _START.search(text)
    for _ in range(_MAX_STARTS):
        if start is None:
            return
        value = parse_lenient(text, start.start())
        yield value
        start = _START.search(text, value.end)


def _substantial(value: object) -> bool:
    """Return whether a value is more than brackets in prose, such as `[1]` or `{}`."""
    return bool(value) and (
        isinstance(value, dict) or any(isinstance(child, dict | list) for child in _children(value))
    )
