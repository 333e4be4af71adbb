"""Hold back a stream's events from the first call of our tools on, until it is known whose round it is. Pure."""

import json
from collections.abc import Collection, Iterator

from recollect.chat.reply import Reply, ReplyAssembler, TokenUsage, read_object
from recollect.chat.sse import SseEvent, SseReader
from recollect.chat.tools import ours_alone


class ToolCallBuffer:
    """Passes a stream on until a tool of ours is called; then keeps what comes.

    A call of any other tool lets go of all that was kept: a mixed round passes whole. In a later round, events that
    only say who speaks are dropped (the client has seen one), and the usage is the sum of all rounds.
    """

    def __init__(self, names: Collection[str], earlier: TokenUsage | None = None) -> None:
        """Take the names of our tools, and what the rounds before cost; None in the first one."""
        self._names = names
        self._earlier = earlier
        self._reader = SseReader()
        self._assembler = ReplyAssembler()
        self._waiting = bytearray()
        self._start = 0
        self._kept = bytearray()
        self._holding = False
        self._through = False

    def feed(self, chunk: bytes) -> bytes:
        """Take the next bytes; return those that go on."""
        self._waiting += chunk
        return b"".join(self._pass(event) for event in self._reader.feed(chunk))

    def close(self) -> bytes:
        """Return what is left at the end of the stream, unless the round is ours alone."""
        if self.ours:
            return b""
        rest = bytes(self._kept + self._waiting)
        self._kept.clear()
        self._waiting.clear()
        return rest

    @property
    def ours(self) -> bool:
        """Whether the stream ended in calls of our tools alone."""
        return self._holding and ours_alone(self.reply, self._names)

    @property
    def reply(self) -> Reply:
        """What has been answered so far."""
        return self._assembler.reply()

    def _pass(self, event: SseEvent) -> bytes:
        raw = bytes(self._waiting[: event.end - self._start])
        del self._waiting[: len(raw)]
        self._start = event.end
        self._assembler.feed(event.data)
        said = read_object(event.data) or {}
        called = set(_called(said))
        if self._through or (called - set(self._names)):
            self._through, self._holding = True, False
            released = bytes(self._kept) + raw
            self._kept.clear()
            return released
        if called or self._holding:
            self._holding = True
            self._kept += raw
            return b""
        if self._earlier is None:
            return raw
        return b"" if _says_only_who(said) else _with_usage(raw, said, self._earlier)


def summed(usage: dict[str, object], earlier: TokenUsage) -> dict[str, object]:
    """Add what earlier rounds cost to a usage, in the three counts that all servers send."""
    prompt, completion = _count(usage, "prompt_tokens"), _count(usage, "completion_tokens")
    prompt, completion = prompt + earlier.prompt_tokens, completion + earlier.completion_tokens
    return {
        **usage,
        "prompt_tokens": prompt,
        "completion_tokens": completion,
        "total_tokens": prompt + completion,
    }


def _with_usage(raw: bytes, said: dict[str, object], earlier: TokenUsage) -> bytes:
    usage = said.get("usage")
    if not isinstance(usage, dict):
        return raw
    return b"data: " + json.dumps({**said, "usage": summed(usage, earlier)}).encode() + b"\n\n"


def _choices(said: dict[str, object]) -> Iterator[dict[str, object]]:
    choices = said.get("choices")
    yield from (choice for choice in (choices if isinstance(choices, list) else ()) if isinstance(choice, dict))


def _called(said: dict[str, object]) -> Iterator[str]:
    """Go through the names of the tools that an event begins to call."""
    for choice in _choices(said):
        delta = choice.get("delta")
        calls = delta.get("tool_calls") if isinstance(delta, dict) else None
        for call in calls if isinstance(calls, list) else ():
            function = call.get("function") if isinstance(call, dict) else None
            name = function.get("name") if isinstance(function, dict) else None
            if isinstance(name, str) and name:
                yield name


def _says_only_who(said: dict[str, object]) -> bool:
    choices = list(_choices(said))
    return bool(choices) and all(
        isinstance(delta := choice.get("delta"), dict)
        and delta.get("role")
        and not any(value for key, value in delta.items() if key != "role")
        and not choice.get("finish_reason")
        for choice in choices
    )


def _count(usage: dict[str, object], name: str) -> int:
    value = usage.get(name)
    return value if isinstance(value, int) and not isinstance(value, bool) else 0
