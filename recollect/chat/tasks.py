"""Tell an application's housekeeping from a conversation. Pure."""

from recollect.types import ChatRequest

# How Open WebUI's templates for titles, tags, follow-ups and search queries open, and where they put the chat.
_OPENING = "### Task:"
_CHAT = "<chat_history>"


def is_background_task(request: ChatRequest) -> bool:
    """Whether a request is one of Open WebUI's own: it neither reads nor forms memories."""
    last = next((message for message in reversed(request.messages) if message.role == "user"), None)
    return not request.stream and last is not None and last.text.lstrip().startswith(_OPENING) and _CHAT in last.text
