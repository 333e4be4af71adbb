"""Decide where in a request the blocks of memory go; nothing else of the request changes. Pure."""

import json
from collections.abc import Mapping, Sequence
from itertools import takewhile

from toldonce.chat.messages import SYSTEM_ROLES
from toldonce.types import ChatMessage, ChatRequest, ContentKind, InjectionMode, Insertion

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
        mode: `split` appends the standing block to the client's first system message, and the recalled one to the
            newest user message: see `place_at_messages`. The others keep both together: `system_append` and
            `user_prefix` in one of these places (`user_prefix` before the user's text), `context_message` in a separate
            system message before the last user message, `system_message` in one after the client's leading system
            messages; upstreams that require alternating roles refuse such messages.

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
    if mode == "split" and user is not None:
        return place_at_messages(request, standing=standing, appended={request.messages.index(user): recalled})
    if user is None or user.content_kind is ContentKind.OTHER or mode != "user_prefix":
        return _to_system(request, both)
    return _to_user_head(user, both)


def place_at_messages(request: ChatRequest, *, standing: str, appended: Mapping[int, str]) -> list[Insertion]:
    """Return where to insert a profile block, and texts at several messages.

    A text at a message depends on that message alone. So the messages up to it stay the same bytes when others follow.

    Args:
        request: The request as it came.
        standing: Goes to the end of the first leading system message that takes text, or to a new one before all.
            A system message that the client adds later does not move it.
        appended: Texts by index of their message; each goes to the end of its content, or to a system message after it
            if its content takes no text.

    Returns:
        Insertions in the order of their offsets.
    """
    leading = takewhile(lambda message: message.role in SYSTEM_ROLES, request.messages)
    insertions = _to_system(request, standing, tuple(leading))
    for index, text in appended.items():
        if text:
            insertions.append(_at_end(request.messages[index], text))
    return sorted(insertions, key=lambda insertion: insertion.offset)


def _after_system(request: ChatRequest, block: str) -> list[Insertion]:
    if not block:
        return []
    first = next((message for message in request.messages if message.role not in SYSTEM_ROLES), None)
    if first is not None:
        return [Insertion(offset=first.start, text=_system_message(block) + ",")]
    if request.messages:
        return [Insertion(offset=request.messages[-1].end, text="," + _system_message(block))]
    return [Insertion(offset=request.messages_start, text=_system_message(block))]


def _to_system(request: ChatRequest, block: str, messages: Sequence[ChatMessage] | None = None) -> list[Insertion]:
    if not block:
        return []
    among = request.messages if messages is None else messages
    system = next((message for message in among if message.role in SYSTEM_ROLES and _takes_text(message)), None)
    if system is None:
        return [Insertion(offset=request.messages_start, text=_system_message(block) + ",")]
    return [_at_end(system, block)]


def _to_user_head(user: ChatMessage, block: str) -> list[Insertion]:
    if not block:
        return []
    if user.content_kind is ContentKind.STRING:
        source = _escaped(block + _GAP)
    elif user.content_kind is ContentKind.PARTS:
        source = _part(block + _GAP) + ","
    else:
        source = _part(block)
    return [Insertion(offset=user.content_start, text=source)]


def _at_end(message: ChatMessage, block: str) -> Insertion:
    if message.content_kind is ContentKind.OTHER:
        return Insertion(offset=message.end, text="," + _system_message(block))
    if message.content_kind is ContentKind.STRING:
        source = _escaped(_GAP + block if message.content_end > message.content_start else block)
    elif message.content_kind is ContentKind.PARTS:
        source = "," + _part(_GAP + block)
    else:
        source = _part(block)
    return Insertion(offset=message.content_end, text=source)


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
