"""Parsers for answers of OpenAI-compatible APIs: embeddings, completions, usage. Pure."""

from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from toldonce.errors import ModelError, VectorSizeError
from toldonce.providers.model_output import Accept
from toldonce.providers.protocols import ModelUsage
from toldonce.types import Vectors

_CUT = "length"
"""The `finish_reason` of an answer that reached its limit of tokens."""


def read_embeddings(answer: object, *, count: int) -> list[list[object]]:
    """Extract the vectors of an embeddings answer, in the order of `index`.

    Raises:
        ValueError: Not `count` vectors with the indexes 0 to `count - 1`.
    """
    data = answer.get("data") if isinstance(answer, dict) else None
    if not isinstance(data, list):
        raise ValueError("no list of embeddings")
    if len(data) != count:
        raise ValueError(f"{len(data)} embeddings for {count} texts")
    found: dict[int, list[object]] = {}
    for place, item in enumerate(data):
        vector = item.get("embedding") if isinstance(item, dict) else None
        index = item.get("index", place) if isinstance(item, dict) else None
        if not isinstance(vector, list) or not isinstance(index, int):
            raise ValueError(f"item {place} is not an embedding")
        found[index] = vector
    if sorted(found) != list(range(count)):
        raise ValueError(f"indexes other than 0 to {count - 1}, each once")
    return [found[index] for index in range(count)]


def unit_rows(vectors: list[list[object]], *, dim: int) -> Vectors:
    """Normalize vectors to rows of unit length.

    Raises:
        VectorSizeError: A vector does not have `dim` numbers.
        ValueError: An item is not a finite number, or a vector is all zeros.

    >>> unit_rows([[3, 4]], dim=2).tolist()
    [[0.6000000238418579, 0.800000011920929]]
    """
    for vector in vectors:
        if len(vector) != dim:
            raise VectorSizeError(got=len(vector), stored=dim)
    try:
        rows = np.array(vectors, dtype=np.float64)
    except (TypeError, ValueError, OverflowError):
        raise ValueError("an embedding with something that is no number") from None
    if rows.shape != (len(vectors), dim):
        raise ValueError("an embedding with something that is no number")
    with np.errstate(over="ignore"):
        lengths = np.linalg.norm(rows, axis=1, keepdims=True)
    if not np.isfinite(lengths).all() or not lengths.all():
        raise ValueError("an embedding that is zero or not finite")
    unit: Vectors = (rows / lengths).astype(np.float32)
    return unit


def wanted(schema: Mapping[str, Any]) -> Accept | None:
    """Return a test for values that match a schema's outermost level: an object with all required fields, or a list."""
    if schema.get("type") == "array":
        return lambda value: isinstance(value, list)
    if schema.get("type") != "object":
        return None
    required = frozenset(schema.get("required", ()))
    return lambda value: isinstance(value, dict) and required <= value.keys()


def near(schema: Mapping[str, Any]) -> Accept | None:
    """Return a test for values close to an object schema: its only list, an item of it, or half of its fields.

    >>> items = {"type": "array", "items": {"required": ["text", "quote"]}}
    >>> fits = near({"type": "object", "required": ["memories"], "properties": {"memories": items}})
    >>> [bool(fits and fits(value)) for value in ([], ["tea"], [1], {"text": "tea"}, {"a": 1})]
    [True, True, False, True, False]
    """
    if schema.get("type") != "object":
        return None
    required = tuple(schema.get("required", ()))
    properties = schema.get("properties", {})
    only = properties.get(required[0], {}) if len(required) == 1 else {}
    if only.get("type") != "array":
        alike = _half_of(required)
        return lambda value: alike(value) or (isinstance(value, list) and len(value) == 1 and alike(value[0]))
    of_item = _half_of(only.get("items", {}).get("required", ()))
    return lambda value: of_item(value) or (isinstance(value, list) and _lists_memories(value))


def _half_of(names: Sequence[str]) -> Accept:
    return lambda value: isinstance(value, dict) and 0 < len(names) <= 2 * sum(name in value for name in names)


def _lists_memories(value: list[object]) -> bool:
    return not value or any(isinstance(part, dict | str) for part in value)


def read_completion(body: object) -> str:
    """Extract the text of a chat completion.

    Raises:
        ModelError: The model refused, was filtered, or returned no text.
    """
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    message = choice.get("message") if isinstance(choice, dict) else None
    if not isinstance(choice, dict) or not isinstance(message, dict):
        raise ModelError("the model's answer is not a chat completion: it has no choices[0].message")
    if message.get("refusal"):
        raise ModelError("the model refused")
    if choice.get("finish_reason") == "content_filter":
        raise ModelError("the model's answer was withheld by a content filter")
    content = message.get("content")
    if isinstance(content, list):
        content = "".join(str(part.get("text") or "") for part in content if isinstance(part, dict))
    if not isinstance(content, str) or not content.strip():
        content = _arguments(message)
    if not isinstance(content, str) or not content.strip():
        reason = choice.get("finish_reason")
        raise ModelError(f"the model's answer is empty (finish_reason {reason!r:.40})", broke_off=reason == _CUT)
    return content


def is_cut(body: object) -> bool:
    """Return whether a chat completion ended at its limit of tokens."""
    choices = body.get("choices") if isinstance(body, dict) else None
    choice = choices[0] if isinstance(choices, list) and choices else None
    return isinstance(choice, dict) and choice.get("finish_reason") == _CUT


def _arguments(message: Mapping[str, Any]) -> object:
    """Return the arguments of a tool call: some models answer by calling a tool that was never offered."""
    calls = message.get("tool_calls")
    call = calls[0] if isinstance(calls, list) and calls else None
    function = call.get("function") if isinstance(call, dict) else None
    return function.get("arguments") if isinstance(function, dict) else None


def read_usage(body: object) -> ModelUsage | None:
    """Extract the token counts of a chat completion; None if they are missing or invalid."""
    usage = body.get("usage") if isinstance(body, dict) else None
    counts = [usage.get(name) if isinstance(usage, dict) else None for name in ("prompt_tokens", "completion_tokens")]
    prompt, completion = counts
    if not isinstance(prompt, int) or not isinstance(completion, int) or min(prompt, completion) < 0:
        return None
    return ModelUsage(prompt_tokens=prompt, completion_tokens=completion)
