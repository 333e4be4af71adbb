"""Decide where in a request the blocks of memory go; nothing else of the request changes. Pure."""

import json
from collections.abc import Sequence

from recollect.types import ChatMessage, ChatRequest, ContentKind, InjectionMode, Insertion

_SYSTEM_ROLES = frozenset({"system", "developer"})
# Between a block and the client's own words.
_GAP = "\n\n"


def place(
    request: ChatRequest,
    *,
    standing: str,
    recalled: str,
    mode: InjectionMode,
) -> list[Insertion]:
    """Return where to insert the blocks.

    Args:
        request: The request as it came.
        standing: The profile block, the same from turn to turn; may be empty.
        recalled: What was recalled for this turn; may be empty.
        mode: `split` appends the standing block to the client's first system message, which keeps the cached
            prefix, and puts the recalled one at the head of the last user message. The others keep both together:
            `system_append` and `user_prefix` in one of these places, `context_message` in a separate system message
            before the last user message, `system_message` in one after the client's leading system messages;
            upstreams that require alternating roles refuse such messages.

    Returns:
        Insertions in the order of their offsets, no two at the same one. Without a user message whose content takes
        text, its share goes to the system message; without a system message that takes text, a new one comes first.
    """
    both = _joined(standing, recalled)
    user = _last_user(request.messages)
    if mode == "system_message":
        return _after_system(request, both)
    if mode == "context_message" and user is not None:
        own = [Insertion(offset=user.start, text=_system_message(both) + ",")]
        return own if both else []
    if user is None or user.content_kind is ContentKind.OTHER or mode in ("system_append", "context_message"):
        return _to_system(request, both)
    if mode == "user_prefix":
        return _to_user(user, both)
    # A system message may come after the user's.
    return sorted(_to_system(request, standing) + _to_user(user, recalled), key=lambda insertion: insertion.offset)


def _after_system(request: ChatRequest, block: str) -> list[Insertion]:
    if not block:
        return []
    first = next((message for message in request.messages if message.role not in _SYSTEM_ROLES), None)
    if first is not None:
        return [Insertion(offset=first.start, text=_system_message(block) + ",")]
    if request.messages:
        return [Insertion(offset=request.messages[-1].end, text="," + _system_message(block))]
    return [Insertion(offset=request.messages_start, text=_system_message(block))]


def _to_system(request: ChatRequest, block: str) -> list[Insertion]:
    if not block:
        return []
    system = next(
        (message for message in request.messages if message.role in _SYSTEM_ROLES and _takes_text(message)), None
    )
    if system is None:
        return [Insertion(offset=request.messages_start, text=_system_message(block) + ",")]
    if system.content_kind is ContentKind.STRING:
        source = _escaped(_GAP + block if system.content_end > system.content_start else block)
    elif system.content_kind is ContentKind.PARTS:
        source = "," + _part(_GAP + block)
    else:
        source = _part(block)
    return [Insertion(offset=system.content_end, text=source)]


def _to_user(user: ChatMessage, block: str) -> list[Insertion]:
    if not block:
        return []
    if user.content_kind is ContentKind.STRING:
        source = _escaped(block + _GAP)
    elif user.content_kind is ContentKind.PARTS:
        source = _part(block + _GAP) + ","
    else:
        source = _part(block)
    return [Insertion(offset=user.content_start, text=source)]


def _last_user(messages: Sequence[ChatMessage]) -> ChatMessage | None:
    return next((message for message in reversed(messages) if message.role == "user"), None)


def _takes_text(message: ChatMessage) -> bool:
    return message.content_kind is not ContentKind.OTHER


def _joined(standing: str, recalled: str) -> str:
    return _GAP.join(block for block in (standing, recalled) if block)


def _escaped(text: str) -> str:
    """Return text as the inside of a JSON string, in ASCII: valid in any body."""
    return json.dumps(text)[1:-1]


def _part(text: str) -> str:
    return f'{{"type":"text","text":"{_escaped(text)}"}}'


def _system_message(text: str) -> str:
    return f'{{"role":"system","content":"{_escaped(text)}"}}'
