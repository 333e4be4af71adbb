"""What stands in a message's `content`: its text, and whatever is not text. Pure."""

from collections.abc import Mapping

# The names of text parts: Chat Completions says `text`, clients of the Responses API send the other two.
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
    """Return what of a content is not text: images, audio, files, and values no API describes.

    >>> other_parts([{"type": "text", "text": "a"}, {"type": "image_url"}])
    [{'type': 'image_url'}]
    """
    if content is None or isinstance(content, str):
        return []
    if not isinstance(content, list):
        return [content]
    return [part for part in content if _text_of_part(part) is None]


def text_alone(message: Mapping[str, object]) -> bool:
    """Whether a message's role, name and text say all of it."""
    more = ("tool_calls", "tool_call_id", "function_call", "refusal", "audio")
    return not any(message.get(field) for field in more) and not other_parts(message.get("content"))


def call_ids_of(tool_calls: object) -> list[str]:
    """Return the ids of tool calls, as far as they have any.

    >>> call_ids_of([{"id": "call_1"}, {"id": 7}, "x"])
    ['call_1']
    """
    if not isinstance(tool_calls, list):
        return []
    calls = [call for call in tool_calls if isinstance(call, dict)]
    return [call_id for call in calls if isinstance(call_id := call.get("id"), str) and call_id]


def _text_of_part(part: object) -> str | None:
    if isinstance(part, str):
        return part
    if not isinstance(part, dict) or part.get("type", "text") not in _TEXT_TYPES:
        return None
    text = part.get("text")
    return text if isinstance(text, str) else None
