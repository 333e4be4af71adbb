"""The built-in model `toldonce/offline`: answers by quoting recalled memories. Pure."""

import re
from collections.abc import Mapping, Sequence
from typing import Any

from toldonce.lazy_pattern import LazyPattern
from toldonce.text import bare, squeeze
from toldonce.types import RecalledMemory

MODEL = "toldonce/offline"
MODEL_ENTRY: Mapping[str, Any] = {"id": MODEL, "object": "model", "created": 0, "owned_by": "toldonce"}
MODEL_LIST: Mapping[str, Any] = {"object": "list", "data": [MODEL_ENTRY]}
"""The answer to `GET /v1/models`."""
_DETAILS = {"format": "", "family": "", "families": None, "parameter_size": "", "quantization_level": ""}
_OLLAMA_ENTRY = {"name": MODEL, "model": MODEL, "modified_at": "1970-01-01T00:00:00Z", "size": 0, "digest": ""}
OLLAMA_MODEL_LIST: Mapping[str, Any] = {"models": [{**_OLLAMA_ENTRY, "details": _DETAILS}]}
"""The answer to Ollama's `GET /api/tags`."""

# Few enough to read at a glance, since no prose connects them.
_MAX_QUOTED = 5
# Places reserved for memories near the message; standing facts fill the rest.
_NEAR_FIRST = 3
# Maximum length of a quotation.
_MAX_LINE_CHARACTERS = 300
# Calibrated similarity from which a standing fact also counts as near.
_NEAR_THRESHOLD = 0.5

_WHO = "I am ToldOnce's built-in model. I have no language model; I can only quote what is remembered."
_NOTHING = "I recall nothing about this yet."
_NOTED = "What you told me will be remembered."
_NOT_NOTED = "What you told me is not stored: I may not remember it."

_SENTENCE = LazyPattern(r"[^.!?…\n]+[.!?…]*")
_ASKING = LazyPattern(
    r"(?:(?:and|but|so|ok|okay|hey|hi|hello|please|well)\b[\s,]*+){0,6}"
    r"(?:who|whom|whose|what|when|where|which|why|how|do|does|did|is|are|am|was|were|can|could|will|would|should|shall"
    r"|have|has|had|tell|show|list|give|remind|explain|describe|write|help|thanks|thank)\b",
    re.IGNORECASE,
)


def offline_answer(*, question: str, recalled: Sequence[RecalledMemory], remembers: bool = True) -> str:
    """Answer a message by quoting recalled memories.

    Args:
        question: The user's message.
        recalled: Memories recalled for it, best first.
        remembers: Whether the turn will be stored; if not, the answer does not promise it.
    """
    parts = [_WHO]
    quoted = _choose(recalled)
    if quoted:
        parts.append("This may bear on your message:\n" + "\n".join(_quote(item) for item in quoted))
    else:
        parts.append(_NOTHING)
    if remembers and states_something(question):
        parts.append(_NOTED)
    return "\n\n".join(parts)


def without_promise(answer: str) -> str:
    """Return an answer whose turn was not stored: instead of the promise to remember, it says so."""
    kept = answer.removesuffix(_NOTED)
    return answer if kept == answer else kept + _NOT_NOTED


def _choose(recalled: Sequence[RecalledMemory]) -> list[RecalledMemory]:
    """Choose quotations: nearest memories first, then standing facts, each wording once."""
    distinct = list({bare(item.memory.text): item for item in reversed(recalled) if bare(item.memory.text)}.values())
    distinct.reverse()
    near = [item for item in distinct if not item.standing or item.word_share > 0 or item.similarity >= _NEAR_THRESHOLD]
    near.sort(key=lambda item: item.score, reverse=True)
    standing = [item for item in distinct if item not in near]
    return (near[:_NEAR_FIRST] + standing + near[_NEAR_FIRST:])[:_MAX_QUOTED]


def _quote(item: RecalledMemory) -> str:
    memory = item.memory
    text = squeeze(memory.text)
    if len(text) > _MAX_LINE_CHARACTERS:
        text = text[:_MAX_LINE_CHARACTERS].rsplit(" ", 1)[0] + " …"
    day = (memory.evidence[0].said_at if memory.evidence else memory.valid_from).date()
    return f"- “{text}” ({day.isoformat()})"


def states_something(message: str) -> bool:
    """Return whether a message contains a statement, not only questions, requests and greetings.

    >>> states_something("I moved to Oslo. Where should I eat?"), states_something("Where should I eat?")
    (True, False)
    """
    return any(_is_statement(sentence.group().strip()) for sentence in _SENTENCE.finditer(message))


def _is_statement(sentence: str) -> bool:
    # Up to two words are a greeting, an agreement or thanks.
    return not sentence.endswith("?") and len(bare(sentence).split()) > 2 and not _ASKING.match(sentence)
