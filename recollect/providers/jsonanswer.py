"""Read the JSON value in what a language model wrote, however it is wrapped or broken. Pure."""

import json
import re
from collections.abc import Callable, Iterator

from recollect.errors import ModelError
from recollect.providers.jsonscan import MOST_DEPTH, Scanned, TooDeepError, Unreadable, scan

# An answer of 10,000 memories fills some 2 MB; beyond this a server is broken, not generous.
MOST_CHARACTERS = 8_000_000
# Brackets tried as the beginning of a value: prose holds a few, an answer that holds more is not worth the time.
_MOST_STARTS = 1000

_FENCE = re.compile(r"```[\w+-]*[ \t]*\n?(.*?)```", re.DOTALL)
_REASONING = re.compile(r"\s*<(think|thinking|reasoning|thought)>(.*?)(?:</\1>|\Z)", re.DOTALL | re.IGNORECASE)
# Some chat templates open the block themselves, so that only its end is in the answer.
_REASONING_END = re.compile(r"</(?:think|thinking|reasoning|thought)>", re.IGNORECASE)
_START = re.compile(r"[\[{]")
_REFUSAL = re.compile(
    r"\b(?:i['’]?m sorry|i am sorry|sorry, but|i apologi[sz]e|i (?:can|could)(?:not|['’]t| not)|i(?: a|['’])m unable"
    r"|i (?:won['’]t|will not)|as an ai)\b",
    re.IGNORECASE,
)

Accept = Callable[[object], bool]


def read_json_answer(text: str, accept: Accept | None = None) -> object:
    """Read the JSON value a model answered with.

    Takes a bare value; one in a code fence, behind a block of reasoning or amid prose; trailing, doubled and missing
    commas, comments, single and curly quotes, bare keys, Python's words, raw line breaks and unescaped quotes inside
    strings. Of an answer that was cut off, what is complete: an item that broke off is left out, never half taken.

    Args:
        text: The model's whole answer.
        accept: What the value must satisfy; the first that does is taken. None: the first that is more than an empty
            or flat list.

    Raises:
        ModelError: the model refused, said nothing, or wrote nothing (acceptable) that can be read.

    >>> read_json_answer('Sure! {"memories": ["likes tea", "lives in Os')
    {'memories': ['likes tea']}
    """
    if len(text) > MOST_CHARACTERS:
        raise ModelError(f"the model's answer has {len(text)} characters, more than {MOST_CHARACTERS}")
    text = text.removeprefix("\ufeff").strip()
    if not text:
        raise ModelError("the model's answer is empty")
    try:
        return _read(text, accept)
    except TooDeepError:
        raise ModelError(f"the model's answer is nested deeper than {MOST_DEPTH} levels") from None


def _read(text: str, accept: Accept | None) -> object:
    bare = _strict(text)
    if not isinstance(bare, Unreadable) and (accept is None or accept(bare)):
        return bare
    text = _without_reasoning(text)
    seen = [] if isinstance(bare, Unreadable) else [bare]
    for value in _values(text, strict=accept is None):
        if (accept or _substantial)(value):
            return value
        seen.append(value)
    if seen and accept is None:
        return seen[0]
    raise ModelError(_why_not(text, seen))


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
        raise TooDeepError from None
    except ValueError:
        return Unreadable()
    level = [found]
    for _ in range(MOST_DEPTH):
        level = [child for value in level for child in _children(value)]
        if not level:
            return found
    raise TooDeepError


def _children(value: object) -> list[object]:
    if isinstance(value, dict):
        return list(value.values())
    return value if isinstance(value, list) else []


def _without_reasoning(text: str) -> str:
    """Drop blocks of reasoning before the answer: drafts of it stand in them."""
    while block := _REASONING.match(text):
        text = text[block.end() :]
    ends = [found.end() for found in _REASONING_END.finditer(text)]
    behind = text[ends[-1] :] if ends else ""
    text = behind if _START.search(behind) else text
    if not text.strip():
        raise ModelError("the model's answer is empty behind its reasoning, or ended within it")
    return text.strip()


def _values(text: str, *, strict: bool) -> Iterator[object]:
    """Yield the values in a text: those whole in a code fence first, then all, one that was cut off last.

    With `strict` nothing is looked for behind or within an object that went wrong halfway: it was the answer.
    """
    for fence in _FENCE.finditer(text):
        yield from (found.value for found in _scan_all(fence.group(1)) if found.complete)
    for found in _scan_all(text):
        if not isinstance(found.value, Unreadable):
            yield found.value
        elif strict and found.torn:
            return


def _scan_all(text: str) -> Iterator[Scanned]:
    start = _START.search(text)
    for _ in range(_MOST_STARTS):
        if start is None:
            return
        found = scan(text, start.start())
        yield found
        start = _START.search(text, found.end)


def _substantial(value: object) -> bool:
    """Tell an answer from brackets of prose, such as `[1]` or `{}`."""
    return bool(value) and (
        isinstance(value, dict) or any(isinstance(child, dict | list) for child in _children(value))
    )
