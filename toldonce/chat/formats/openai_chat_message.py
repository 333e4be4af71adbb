"""Read one message in the shape of Chat Completions: its text, its other parts, its tool calls. Pure."""

from collections.abc import Mapping

from toldonce.chat.formats.json_values import canonical, parse
from toldonce.text import squeeze

# Names of text parts: Chat Completions uses `text`, clients of the Responses API send the other two.
_TEXT_TYPES = ("text", "input_text", "output_text")


def text_of(content: object) -> str:
    """Return a content's text: the string itself, or its text parts joined by line feeds.

    >>> text_of([{"type": "text", "text": "a"}, {"type": "image_url"}, {"type": "text", "text": "b"}])
    'a\\nb'
    """
    if isinstance(content, str):
        return content
    if not isinstance(content, list):
        return ""
    return "\n".join(text for part in content if (text := _text_of_part(part)) is not None)


def other_parts(content: object) -> list[object]:
    """Return the parts of a content that are not text: images, audio, files, and values no API describes.

    >>> other_parts([{"type": "text", "text": "a"}, {"type": "image_url"}])
    [{'type': 'image_url'}]
    """
    if content is None or isinstance(content, str):
        return []
    if not isinstance(content, list):
        return [content]
    return [part for part in content if _text_of_part(part) is None]


def is_text_only(message: Mapping[str, object]) -> bool:
    """Return whether role, name and text are all that a message holds."""
    more = ("tool_calls", "tool_call_id", "function_call", "refusal", "audio")
    return not any(message.get(field) for field in more) and not other_parts(message.get("content"))


def call_ids_of(tool_calls: object) -> list[str]:
    """Return the ids of the tool calls that have one.

    >>> call_ids_of([{"id": "call_1"}, {"id": 7}, "x"])
    ['call_1']
    """
    if not isinstance(tool_calls, list):
        return []
    calls = [call for call in tool_calls if isinstance(call, dict)]
    return [call_id for call in calls if isinstance(call_id := call.get("id"), str) and call_id]


def payload_identity(payload: str | None) -> tuple[str, ...]:
    """Return what distinguishes a message beyond its text, however its JSON is written: calls, results, parts."""
    message = parse(payload) if payload else None
    if not isinstance(message, dict):
        return ()
    identity: list[str] = []
    tool_calls = message.get("tool_calls") or []
    for call in tool_calls if isinstance(tool_calls, list) else [tool_calls]:
        identity += ("call", *_call(call))
    if message.get("function_call"):
        identity += ("function", *_call({"function": message["function_call"]}))
    if message.get("tool_call_id"):
        identity += ("answers", canonical(message["tool_call_id"]))
    for part in other_parts(message.get("content")):
        identity += ("part", canonical(part))
    return tuple(identity)


def _call(call: object) -> tuple[str, str, str]:
    """Return id, name and arguments of a tool call, comparable although clients re-serialise arguments."""
    if not isinstance(call, Mapping):
        return "", "", canonical(call)
    function = call.get("function") or call.get("custom")
    function = function if isinstance(function, Mapping) else {}
    arguments = function.get("arguments", function.get("input", ""))
    if isinstance(arguments, str):
        parsed = parse(arguments)
        arguments = squeeze(arguments) if parsed is None else parsed
    return canonical(call.get("id")), canonical(function.get("name")), canonical(arguments)


def _text_of_part(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("type", "text") not in _TEXT_TYPES:
        return None
    text = part.get("text")
    return text if isinstance(text, str) else None
