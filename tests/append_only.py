"""A client's conversation with memory, which checks that every prompt repeats the bytes of the earlier ones."""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from itertools import count
from typing import Any

from anthropic_rules import refusal_of
from toldonce.chat.formats.anthropic_messages import ANTHROPIC_MESSAGES
from toldonce.chat.formats.base import ChatMessage, ChatRequest, WireFormat
from toldonce.chat.formats.ollama_chat import OLLAMA_CHAT
from toldonce.chat.formats.openai_chat import OPENAI_CHAT
from toldonce.chat.formats.openai_responses import OPENAI_RESPONSES
from toldonce.chat.reply import Reply
from toldonce.engine import AsyncToldOnce, PreparedTurn
from toldonce.types import Identity, MemoryMode, Subject

Message = Mapping[str, Any]
"""A message of the client; one of the Responses API that is several items has them as `items`."""
NO_MEMORY = (MemoryMode.OFF, MemoryMode.RECORD)
_ANSWERS = count(1)
_OUR_ITEM = '{"type":"message","role":"developer"'
"""How our items begin; the client's have a space after each colon."""


@dataclass(frozen=True)
class SentPrompt:
    """A request of the client, and the messages that went upstream for it."""

    own: tuple[str, ...]
    """The client's messages, each as JSON."""
    sent: tuple[str, ...]
    """What a provider reads of what was sent, up to each of the client's messages and what memory adds to it."""


def prompt_of(messages: Sequence[Message], body: bytes, wire: WireFormat = OPENAI_CHAT) -> SentPrompt:
    sent = wire.read(body)
    if wire is OPENAI_RESPONSES:
        ends = _ends_of_items(sent)
    elif wire in (OPENAI_CHAT, OLLAMA_CHAT):
        extra = len(sent.messages) - len(messages)  # our own system message comes first
        ends = [message.end for message in sent.messages[extra:]]
    else:
        ends = _ends(messages, [message["role"] for message in json.loads(body)["messages"]], sent.messages)
    assert len(ends) == len(messages)
    return SentPrompt(
        own=tuple(json.dumps(message) for message in messages),
        sent=tuple(wire.compared(sent.text[sent.messages[0].start : end]) for end in ends),
    )


def _ends(messages: Sequence[Message], roles: Sequence[str], sent: Sequence[ChatMessage]) -> list[int]:
    """Return where each of the client's messages ends, with the system message that we put after it."""
    ends: list[int] = []
    for role, message in zip(roles, sent, strict=True):
        is_ours = role == "system" and (len(ends) == len(messages) or messages[len(ends)]["role"] != "system")
        ends[len(ends) - is_ours :] = [message.end]
    return ends


def _ends_of_items(sent: ChatRequest) -> list[int]:
    """Return where each of the client's messages ends, with the developer item that we put after it."""
    ends: list[int] = []
    for message in sent.messages:
        is_ours = sent.text.startswith(_OUR_ITEM, message.start)
        if ends or not is_ours:
            ends[len(ends) - is_ours :] = [message.end]
    return ends


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
    wire: WireFormat = OPENAI_CHAT
    model: str = "m"
    has_notices: bool = False
    """Whether the client puts a system message behind each of the user's, as Claude Code does."""
    has_string_input: bool = False
    """Whether the client of the Responses API sends a question that is all of the chat as a string."""

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
        if self.has_notices and self.messages[-1]["role"] == "user":
            self.messages.append({"role": "system", "content": f"{9_000 - len(self.messages)} tokens left"})
        request = self.wire.read(json.dumps({"model": self.model, **self._chat()}).encode())
        identity = replace(self.identity, memory=mode)
        turn = await self.engine.turns.prepare(
            request, identity, timeout_s=self.timeout_s, in_user_message=self.in_user_message
        )
        if turn.entry is not None:
            await turn.entry.written()
        prompt = prompt_of(self.messages, turn.body, self.wire)
        if self.wire is ANTHROPIC_MESSAGES and not refusal_of(self.model, self.messages):
            problem = refusal_of(self.model, json.loads(turn.body)["messages"])
            self.problems += [problem] if problem else []
        if mode in NO_MEMORY:
            self.problems += [] if turn.body == request.body else [f"memory is {mode.value}, but the body changed"]
        elif refused and turn.body != request.body and turn.entry is not None:
            await turn.entry.drop()
            turn = turn.without_block()
            self.in_user_message = True
            self.prompts = [prompt_of(self.messages, request.body, self.wire)]
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
            await self.engine.turns.finish(request, identity, _reply(message, self.wire), turn)
        return turn

    def _chat(self) -> Message:
        """Return the messages as the client sends them."""
        if self.wire in (OPENAI_CHAT, OLLAMA_CHAT):
            return {"messages": self.messages}
        if self.wire is ANTHROPIC_MESSAGES:
            return {"messages": _marked(self.messages)}
        only = self.messages[0] if len(self.messages) == 1 else {}
        if self.has_string_input and only.get("role") == "user" and isinstance(only["content"], str):
            return {"input": only["content"]}
        return {"input": [item for message in self.messages for item in message.get("items", [message])]}


def _marked(messages: Sequence[Message]) -> list[Message]:
    """Return the messages as Claude Code sends them: the last one is a list, with a mark of the cache."""
    *before, last = messages
    content = last["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else [*content]
    blocks[-1] = {**blocks[-1], "cache_control": {"type": "ephemeral"}}
    return [*before, {**last, "content": blocks}]


def _reply(message: Message, wire: WireFormat) -> Reply:
    content = message["content"]
    blocks = [{"type": "text", "text": content}] if isinstance(content, str) else content
    body: Mapping[str, Any] = {"type": "message", "content": blocks, "stop_reason": "end_turn"}
    if wire is OPENAI_RESPONSES:
        said = [{"type": "output_text", "text": content, "annotations": []}]
        output = message.get("items") or [{"type": "message", "role": "assistant", "content": said}]
        body = {"id": f"resp_{next(_ANSWERS)}", "object": "response", "status": "completed", "output": output}
    elif wire is OLLAMA_CHAT:
        body = {"message": message, "done": True, "done_reason": "stop"}
    elif wire is OPENAI_CHAT:
        body = {"choices": [{"index": 0, "message": message, "finish_reason": "stop"}]}
    reply = wire.read_answer(json.dumps(body).encode())
    assert reply is not None
    return reply


def tool_call(number: int, wire: WireFormat = OPENAI_CHAT) -> Message:
    if wire is ANTHROPIC_MESSAGES:
        thought = {"type": "thinking", "thinking": "", "signature": f"c2ln{number}"}
        use: Message = {"type": "tool_use", "id": f"toolu_{number}", "name": "look", "input": {}}
        return {"role": "assistant", "content": [thought, use]}
    if wire is OPENAI_RESPONSES:
        reasoning: Message = {"type": "reasoning", "id": f"rs_{number}", "summary": [], "encrypted_content": "c2ln"}
        use = {"type": "function_call", "call_id": f"call_{number}", "name": "look", "arguments": "{}"}
        return {"role": "assistant", "content": None, "items": [reasoning, use]}
    if wire is OLLAMA_CHAT:
        asks: Message = {"function": {"name": "look", "arguments": {"number": number}}}
        return {"role": "assistant", "content": "", "tool_calls": [asks]}
    call = {"id": f"call_{number}", "type": "function", "function": {"name": "look", "arguments": "{}"}}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def tool_result(number: int, wire: WireFormat = OPENAI_CHAT) -> Message:
    if wire is ANTHROPIC_MESSAGES:
        result = {"type": "tool_result", "tool_use_id": f"toolu_{number}", "content": f"result {number}"}
        return {"role": "user", "content": [result]}
    if wire is OPENAI_RESPONSES:
        output = {"type": "function_call_output", "call_id": f"call_{number}", "output": f"result {number}"}
        return {"role": "tool", "content": None, "items": [output]}
    if wire is OLLAMA_CHAT:
        return {"role": "tool", "tool_name": "look", "content": f"result {number}"}
    return {"role": "tool", "tool_call_id": f"call_{number}", "content": f"result {number}"}
