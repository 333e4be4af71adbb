"""The built-in model `toldonce/offline`: answers by quoting recalled memories. Pure."""

import json
import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from toldonce.lazy_pattern import LazyPattern
from toldonce.providers.protocols import TokenCounter
from toldonce.text import bare, squeeze
from toldonce.types import RecalledMemory

MODEL = "toldonce/offline"
MODEL_ENTRY: Mapping[str, Any] = {"id": MODEL, "object": "model", "created": 0, "owned_by": "toldonce"}
MODEL_LIST: Mapping[str, Any] = {"object": "list", "data": [MODEL_ENTRY]}
"""The answer to `GET /v1/models`."""

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
_PIECE = LazyPattern(r"\s*+\S++|\s++\Z")


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


def offline_completion(
    *, completion_id: str, created: int, prompt: Sequence[str], answer: str, counter: TokenCounter
) -> dict[str, Any]:
    """Build the chat completion of an answer.

    Args:
        completion_id: Its id.
        created: Unix time in seconds.
        prompt: Texts of the request's messages, for the usage.
        answer: Text of the answer.
        counter: Counts the tokens of both.
    """
    message = {"role": "assistant", "content": answer, "refusal": None}
    return {
        **_head(completion_id, created, "chat.completion"),
        "choices": [{"index": 0, "message": message, "logprobs": None, "finish_reason": "stop"}],
        "usage": _usage(prompt, answer, counter),
    }


def offline_chunks(
    *,
    completion_id: str,
    created: int,
    prompt: Sequence[str],
    answer: str,
    counter: TokenCounter,
    include_usage: bool = False,
) -> Iterator[bytes]:
    """Build the completion as server-sent events: the role, the words one by one, the end, `[DONE]`.

    Args:
        completion_id: Its id, the same in all events.
        created: Unix time in seconds.
        prompt: Texts of the request's messages, for the usage.
        answer: Text of the answer; the contents of all events join to exactly this.
        counter: Counts the tokens of both.
        include_usage: Whether the client asked for `stream_options.include_usage`.
    """
    head = _head(completion_id, created, "chat.completion.chunk")
    no_usage: dict[str, Any] = {"usage": None} if include_usage else {}

    def event(delta: dict[str, Any], finish_reason: str | None = None) -> bytes:
        choice = {"index": 0, "delta": delta, "logprobs": None, "finish_reason": finish_reason}
        return _event({**head, "choices": [choice], **no_usage})

    yield event({"role": "assistant", "content": ""})
    for piece in _PIECE.findall(answer):
        yield event({"content": piece})
    yield event({}, "stop")
    if include_usage:
        yield _event({**head, "choices": [], "usage": _usage(prompt, answer, counter)})
    yield b"data: [DONE]\n\n"


def _head(completion_id: str, created: int, kind: str) -> dict[str, Any]:
    return {"id": completion_id, "object": kind, "created": created, "model": MODEL}


def _usage(prompt: Sequence[str], answer: str, counter: TokenCounter) -> dict[str, int]:
    asked, answered = sum(counter.count(text) for text in prompt), counter.count(answer)
    return {"prompt_tokens": asked, "completion_tokens": answered, "total_tokens": asked + answered}


def _event(data: Mapping[str, Any]) -> bytes:
    return b"data: " + json.dumps(data, separators=(",", ":")).encode() + b"\n\n"
