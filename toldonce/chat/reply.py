"""An answer as it is read from any wire format: its text, its tool calls, what it cost. Pure.

A text that is too long to be recorded is cut, with a mark that says so: a reply and the same reply in the client's
next request are cut alike, so that they stay one message.
"""

from collections.abc import Collection
from dataclasses import dataclass

from toldonce.text import clean

MAX_CHARACTERS = 4_000_000
"""Default of `TOLDONCE_MAX_MESSAGE_CHARACTERS`: as much as the largest models read."""
# Parts of a text that are joined at a time: each small string takes fifty bytes beside its characters.
_MAX_PARTS = 4096


def cut_text(text: str, limit: int) -> str:
    """Return a text, or its beginning with a mark if it is longer than `limit` characters.

    >>> cut_text("Hello", 5), cut_text("Hello there", 5)
    ('Hello', 'Hello\\n[… cut: the first 5 of 11 characters]')
    """
    return text if len(text) <= limit else _marked(text[:limit], len(text), limit)


class LimitedText:
    """A text that arrives in parts, of which no more than a limit is kept."""

    def __init__(self, limit: int = MAX_CHARACTERS) -> None:
        self._limit = limit
        self._parts: list[str] = []
        self._joined: list[str] = []
        self.length = 0
        """Characters that came, those that were not kept included."""

    @property
    def is_cut(self) -> bool:
        """Whether more came than is kept."""
        return self.length > self._limit

    def add(self, part: str) -> None:
        """Take the next part."""
        room = self._limit - self.length
        self.length += len(part)
        if room > 0:
            self._parts.append(part if len(part) <= room else part[:room])
            if len(self._parts) >= _MAX_PARTS:
                self._joined.append("".join(self._parts))
                self._parts.clear()

    def text(self) -> str:
        """Return what is kept, as `cut_text` returns it."""
        kept = "".join((*self._joined, *self._parts))
        return _marked(kept, self.length, self._limit) if self.is_cut else kept


def _marked(kept: str, length: int, limit: int) -> str:
    return f"{kept}\n[… cut: the first {limit:,} of {length:,} characters]"


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenUsage:
    """Tokens of an answer, as upstream counts them."""

    prompt_tokens: int = 0
    completion_tokens: int = 0
    cached_tokens: int = 0
    """Tokens of the prompt that upstream had cached."""


@dataclass(frozen=True, slots=True)
class ToolCall:
    """A model's call of a tool."""

    id: str
    name: str
    arguments: str
    """JSON, as the model wrote it."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Reply:
    """The assistant's answer as far as it arrived: the first, where several were asked for."""

    text: str
    id: str = ""
    """Upstream's id, by which a later request may go on after it; empty where the format has none."""
    item_id: str = ""
    """Upstream's id of its first item, by which a later request may refer to it; empty where the format has none."""
    payload: str | None = None
    """The message as JSON of its format where it calls tools; None otherwise."""
    calls: tuple[ToolCall, ...] = ()
    """Its tool calls, in order."""
    complete: bool = False
    """Whether it came to its end, and no error came."""
    error: str | None = None
    usage: TokenUsage | None = None
    cut: bool = False
    """Whether it is longer than what is kept of it."""

    @property
    def call_ids(self) -> tuple[str, ...]:
        """By what a later request may name it: its own id, and those of its first item and its calls."""
        return tuple(clean(id_) for id_ in (self.id, self.item_id, *(call.id for call in self.calls)) if id_)

    def calls_only(self, names: Collection[str]) -> bool:
        """Return whether it calls tools, all of them among `names`."""
        return self.complete and bool(self.calls) and all(call.name in names for call in self.calls)
