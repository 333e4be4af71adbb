"""What Anthropic's API refuses in the messages of a request, and how it reads them."""

import json
from collections.abc import Mapping, Sequence
from typing import Any

from toldonce.chat.formats.anthropic_messages import ANTHROPIC_MESSAGES, SYSTEM_MESSAGE_MODELS

Message = Mapping[str, Any]


def refusal_of(model: str, messages: Sequence[Message]) -> str:
    """Return why messages are refused; empty if they are not."""
    for index, message in enumerate(messages):
        before, after = messages[index - 1 : index], messages[index + 1 : index + 2]
        if message["role"] == "system":
            if not model.startswith(SYSTEM_MESSAGE_MODELS):
                return f"messages.{index}: role 'system' is not supported on this model"
            if not before or before[0]["role"] != "user" or (after and after[0]["role"] != "assistant"):
                return f"messages.{index}: a system message stands where none may"
        content = message["content"]
        blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
        if any(block["type"] == "text" and not block["text"] for block in blocks):
            return f"messages.{index}: text content blocks must be non-empty"
        kinds = [block["type"] for block in blocks]
        if "tool_result" in kinds[kinds.count("tool_result") :]:
            return f"messages.{index}: tool_result blocks must come first"
        called = {block["id"] for block in blocks if block["type"] == "tool_use"}
        answered = {block.get("tool_use_id") for block in (after[0]["content"] if after else ()) if called}
        if called and after and not called <= answered:
            return f"messages.{index}: tool_use without a tool_result right after it"
    return ""


def as_read(messages: Sequence[Message]) -> list[Message]:
    """Return messages as the cache and the signatures of thinking see them."""
    read: list[Message] = json.loads(ANTHROPIC_MESSAGES.compared(json.dumps(messages)[1:-1]))
    return read
