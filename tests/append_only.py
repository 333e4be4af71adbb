"""A client's conversation with memory, which checks that every prompt repeats the bytes of the earlier ones."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from typing import Any

from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.reply import Reply, ToolCall
from toldonce.engine import AsyncToldOnce, PreparedTurn
from toldonce.types import Identity, MemoryMode, Subject

Message = Mapping[str, Any]
NO_MEMORY = (MemoryMode.OFF, MemoryMode.RECORD)


@dataclass(frozen=True)
class SentPrompt:
    """A request of the client, and the messages that went upstream for it."""

    own: tuple[str, ...]
    """The client's messages, each as JSON."""
    sent: tuple[str, ...]
    """The source of what was sent, up to the end of each of the client's messages."""


def prompt_of(messages: Sequence[Message], body: bytes) -> SentPrompt:
    sent = OPENAI_CHAT.read(body)
    extra = len(sent.messages) - len(messages)  # our own system message comes first
    ends = [message.end for message in sent.messages[extra:]]
    return SentPrompt(
        own=tuple(json.dumps(message) for message in messages),
        sent=tuple(sent.text[sent.messages[0].start : end] for end in ends),
    )


def broken_prefix(earlier: SentPrompt, prompt: SentPrompt, *, named: bool) -> str:
    """Compare two prompts as far as the client's own messages are the same; empty if the bytes are, too.

    Without an id of its chat, a client that edits or repeats its first message begins a new conversation, be it after a
    greeting; so does each message of a session that comes without its history.
    """
    common = 0
    while common < min(len(earlier.own), len(prompt.own)) and earlier.own[common] == prompt.own[common]:
        common += 1
    first = next((place for place, message in enumerate(prompt.own) if '"role": "user"' in message), common)
    if not named and (first >= common or all('"role": "assistant"' not in message for message in prompt.own[first:])):
        return ""
    if not common or earlier.sent[common - 1] == prompt.sent[common - 1]:
        return ""
    return f"{common} equal messages, but\n{earlier.sent[common - 1]}\nbecame\n{prompt.sent[common - 1]}"


@dataclass
class ScriptedChat:
    """One conversation of a client."""

    engine: AsyncToldOnce
    identity: Identity = field(default_factory=lambda: Identity(subject=Subject("user", "ana"), conversation="chat"))
    messages: list[Message] = field(default_factory=list)
    prompts: list[SentPrompt] = field(default_factory=list)
    problems: list[str] = field(default_factory=list)
    timeout_s: float | None = None
    in_user_message: bool = False

    async def ask(
        self,
        text: str | None = None,
        answer: Message | str | None = "Noted.",
        *,
        mode: MemoryMode = MemoryMode.ON,
        refused: bool = False,
    ) -> PreparedTurn:
        """Say something, or go on without; the answer becomes part of the history. None: it never came.

        Checks the prompt against all earlier ones of the conversation. If it is refused, it is sent as it came, and
        later ones have to begin with that.
        """
        if text is not None:
            self.messages.append({"role": "user", "content": text})
        request = OPENAI_CHAT.read(json.dumps({"model": "m", "messages": self.messages}).encode())
        identity = replace(self.identity, memory=mode)
        turn = await self.engine.turns.prepare(
            request, identity, timeout_s=self.timeout_s, in_user_message=self.in_user_message
        )
        if turn.entry is not None:
            await turn.entry.written()
        prompt = prompt_of(self.messages, turn.body)
        if mode in NO_MEMORY:
            self.problems += [] if turn.body == request.body else [f"memory is {mode.value}, but the body changed"]
        elif refused and turn.body != request.body and turn.entry is not None:
            await turn.entry.drop()
            turn = turn.without_block()
            self.in_user_message = True
            self.prompts = [prompt_of(self.messages, request.body)]
        else:
            named = identity.conversation is not None and not identity.append
            problems = (broken_prefix(earlier, prompt, named=named) for earlier in self.prompts)
            self.problems += [problem for problem in problems if problem]
            self.prompts.append(prompt)
        if answer is None:
            return turn
        message = {"role": "assistant", "content": answer} if isinstance(answer, str) else answer
        self.messages.append(message)
        if mode.records:
            await self.engine.turns.finish(request, identity, _reply(message), turn)
        return turn


def _reply(message: Message) -> Reply:
    calls = message.get("tool_calls")
    return Reply(
        text=message["content"] or "",
        payload=json.dumps(message) if calls else None,
        calls=tuple(ToolCall(call["id"], **call["function"]) for call in calls or ()),
        complete=True,
    )


def tool_call(number: int) -> Message:
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def tool_result(number: int) -> Message:
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": f"result {number}"}
