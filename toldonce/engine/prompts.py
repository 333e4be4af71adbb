"""Write prompts: the context that memory adds, and the messages of a whole chat request. Reads the store."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from toldonce.chat.formats.openai_chat import request_of
from toldonce.chat.messages import log_messages
from toldonce.engine.components import Components
from toldonce.engine.context_builder import PromptContext, prompt_recall, turns_wanted
from toldonce.engine.conversation_window import ConversationWindow, WindowReader, prompt_message, written_subject
from toldonce.engine.memories import parse_memory_id
from toldonce.engine.retrieval import record_uses
from toldonce.engine.steps import Steps
from toldonce.engine.withheld import find_withheld
from toldonce.formation.forgotten_words import without_forgotten
from toldonce.prompt.conversation_summary import summary_block
from toldonce.types import NO_VECTORS, Memory, RequestScope, Subject

_CHAT_ROLES = ("user", "assistant")


class PromptService:
    """Writes what clients send upstream when they build prompts themselves."""

    def __init__(self, components: Components, steps: Steps, windows: WindowReader) -> None:
        self._components = components
        self._store = components.store
        self._steps = steps
        self._windows = windows

    async def context(  # noqa: PLR0913  # as the library's
        self,
        query: str,
        subject: Subject,
        messages: Sequence[Mapping[str, Any]],
        *,
        conversation: str | None,
        scope: RequestScope,
        use: bool,
        shown: Sequence[str],
    ) -> PromptContext:
        """Return what memory would add to a prompt that ends in `query`; with `use`, count it as used.

        Raises:
            UnknownMemoryError: `shown` has something that is not an id.
            BadRequestError: the messages are malformed, or the profile needs a session, an app or characters that the
                scope does not name.
        """
        memory_scope = await self._steps.turns.memory_scope(subject, scope, conversation)
        written_subject(memory_scope)
        request = request_of([*messages, {"role": "user", "content": query}])
        now = self._components.clock.now()
        log = log_messages(request, said_at=now)
        wanted = prompt_recall(request, log, memory_scope, self._components.settings)
        context = await self._steps.contexts.context(
            wanted,
            memory_scope,
            turns_wanted(log, memory_scope, conversation),
            shown=[parse_memory_id(memory) for memory in shown],
        )
        if use:
            self._components.metrics.retrieved += len(context.items)
            await record_uses(self._components, context.items)
        return context

    async def prompt(
        self, query: str, conversation: str, subject: Subject, scope: RequestScope, *, system: str, one_system: bool
    ) -> list[dict[str, str]]:
        """Write the messages of a chat request: system prompt, memories, summary, window, query.

        Raises:
            BadRequestError: the profile needs a session, an app or characters that the scope does not name.
        """
        window = await self._windows.read_or_begin(conversation, subject, scope)
        episodes = await self._windows.episodes(window)
        withheld = await find_withheld(self._store, episodes, window.scope.withheld)
        episodes = [episode for episode in episodes if episode.id not in withheld]
        runtime = await self._steps.runtime.for_subject(window.subject)
        shown = await without_forgotten(window.messages, window.subject, runtime, home=window.scope.home)
        messages = [prompt_message(message) for message in shown if message.role in _CHAT_ROLES and message.text]
        messages.append({"role": "user", "content": query})
        context = await self._context(messages, window, episodes)
        summary = summary_block(window.summary_lines(episodes), key=await self._block_key(window.subject))
        head = [part for part in (system, context.text, summary) if part]
        if one_system and head:
            head = ["\n\n".join(head)]
        return [*({"role": "system", "content": part} for part in head), *messages]

    async def _context(
        self, messages: Sequence[Mapping[str, str]], window: ConversationWindow, episodes: Sequence[Memory]
    ) -> PromptContext:
        """Recall for the last message, leave out what the prompt shows already, and count the rest as used."""
        request = request_of(messages)
        now = self._components.clock.now()
        wanted = prompt_recall(request, log_messages(request, said_at=now), window.scope, self._components.settings)
        present = wanted.present | {message.hash for message in window.messages}
        shown = frozenset(memory.id for memory in episodes)
        context = await self._steps.contexts.context(replace(wanted, present=present, excluded=shown), window.scope)
        await record_uses(self._components, context.items)
        return context

    async def _block_key(self, subject: Subject) -> bytes:
        """Return the secret that names the subject's blocks: the same in every process, and unknown outside."""
        runtime = await self._steps.runtime.for_subject(subject)
        return (await self._store.snapshots.snapshot(subject, runtime.embedder.space, vectors=NO_VECTORS)).salt
