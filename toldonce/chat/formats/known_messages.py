"""The messages of recent requests, so that a chat which is sent whole again is read from its first new message on.

Keeps users' words in bounded memory, and drops them at an erasure.
"""

from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass
from threading import Lock

from toldonce.chat.formats.base import ChatMessage
from toldonce.text_caches import register_text_cache

ANCHOR = 4
"""Messages that are read before the others are looked up: chats with the same system message differ by then."""
MIN_KEPT = 16
"""A shorter chat is read as fast as it is looked up."""
MAX_CHARACTERS = 8_000_000
"""Of all requests that are kept: some 50 chats of a thousand messages, in some 30 MB."""


@dataclass(frozen=True, slots=True)
class _Read:
    text: str
    messages: tuple[ChatMessage, ...]


class KnownMessages:
    """The messages of the requests that came last, for any number of threads."""

    def __init__(self, max_characters: int = MAX_CHARACTERS) -> None:
        """Keep requests of so many characters together; the least recent is dropped first."""
        self._max_characters = max_characters
        self._kept: OrderedDict[int, _Read] = OrderedDict()
        self._characters = 0
        self._lock = Lock()

    def after(self, reader: type, text: str, begun: Sequence[ChatMessage]) -> Sequence[ChatMessage]:
        """Return the messages that follow the first `ANCHOR` ones and are known.

        Args:
            reader: Which reads them: another one reads the same source otherwise.
            text: The request.
            begun: Its first `ANCHOR` messages.
        """
        key = _key(reader, text, begun)
        with self._lock:
            known = self._kept.get(key)
            if known is None:
                return ()
            self._kept.move_to_end(key)
        return known.messages[ANCHOR : _common(known, text)]

    def keep(self, reader: type, text: str, messages: Sequence[ChatMessage]) -> None:
        """Keep the messages of a request in place of those that an earlier one of its chat had."""
        if len(messages) < MIN_KEPT or len(text) > self._max_characters:
            return
        key = _key(reader, text, messages[:ANCHOR])
        with self._lock:
            self._drop(key)
            self._kept[key] = _Read(text, tuple(messages))
            self._characters += len(text)
            while self._characters > self._max_characters:
                self._drop(next(iter(self._kept)))

    def cache_clear(self) -> None:
        """Drop all of them."""
        with self._lock:
            self._kept.clear()
            self._characters = 0

    def _drop(self, key: int) -> None:
        dropped = self._kept.pop(key, None)
        self._characters -= len(dropped.text) if dropped else 0


known_messages = register_text_cache(KnownMessages())
"""Those of this process."""


def _key(reader: type, text: str, begun: Sequence[ChatMessage]) -> int:
    return hash((reader, text[: begun[-1].end]))


def _common(known: _Read, text: str) -> int:
    """Return how many messages a text begins with, at the same places and after the same fields."""
    messages = known.messages

    def differs(count: int) -> bool:
        return not text.startswith(known.text[: messages[count - 1].end])

    if not differs(len(messages)):
        return len(messages)
    return bisect_left(range(1, len(messages)), True, key=differs)
