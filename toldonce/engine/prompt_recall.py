"""Recall for a chat request, with its time limit, and what is recorded of it. Reads the store."""

import asyncio
import logging
from collections.abc import Awaitable, Callable
from dataclasses import dataclass, replace
from datetime import datetime

from toldonce.chat.formats.base import ChatRequest
from toldonce.engine.components import Components
from toldonce.engine.context_builder import ContextBuilder, EarlierPrompts, turns_wanted
from toldonce.engine.prepared_turn import PromptUse
from toldonce.engine.scope import MemoryScope
from toldonce.guard import guarded
from toldonce.ids import is_unstored, new_id
from toldonce.prompt.render import RenderedContext
from toldonce.recall.query import RecallRequest
from toldonce.text import hash64
from toldonce.types import Identity, InjectionRecord, Memory, MemoryRequest, Message, Recall, Subject

logger = logging.getLogger(__name__)

# Share of the time for memory after which a prompt goes on with what earlier ones had.
RECALL_SHARE = 0.8
RECALL_LATE, RECALL_FAILED = "recall was late", "recall failed"
"""Why nothing was recalled for a prompt."""

FindEnded = Callable[[], Awaitable[tuple[Memory, ...]]]


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRequest:
    """A request that reads memory."""

    request: ChatRequest
    identity: Identity
    home: Subject
    log: tuple[Message, ...]
    scope: MemoryScope
    now: datetime
    wanted: RecallRequest
    """What it asks of memory."""
    unseen: int
    """Characters of the messages that no request before had."""
    deadline: float | None = None
    """When a late recall is given up, on the event loop's clock; None: never."""

    in_user_message: bool = False
    """Whether new memory may alter no other message than the newest of the user."""
    use: PromptUse = PromptUse.ANSWER
    held: frozenset[int] = frozenset()
    """Hashes of the messages that upstream has beside those of the request."""

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return len(self.request.body)

    @property
    def is_recorded(self) -> bool:
        """Whether the turn is recorded, so that its insertions are stored."""
        return self.identity.memory.records and not self.identity.temporary

    @property
    def memory(self) -> str:
        """Name of the memory that the request reads: a subject, and within it what has these tags.

        Prompts for a destination from which rules keep memories replay only what went to destinations with such rules.
        """
        rules = [rule.model_dump_json() for rule in self.scope.withheld]
        return "\n".join([(self.scope.writes or self.home).text, *self.scope.tags, *rules])


_NO_RECALL, _NO_CONTEXT = Recall(query="", items=()), RenderedContext()


@dataclass(frozen=True, slots=True, kw_only=True)
class Recalled:
    """What was recalled for a prompt."""

    recall: Recall = _NO_RECALL
    rendered: RenderedContext = _NO_CONTEXT
    failure: str = ""
    """Why there is nothing although it was wanted."""
    took_ms: float | None = None
    """Time in milliseconds that it took, embedding and writing included; None if it was late, or failed."""


NOTHING = Recalled()


class PromptRecall:
    """Recalls for prompts."""

    def __init__(self, components: Components, prompts: ContextBuilder) -> None:
        self._components = components
        self._prompts = prompts

    async def recall_or_fail(
        self, asked: ReadingRequest, earlier: EarlierPrompts | None, ended: FindEnded | None = None
    ) -> Recalled:
        """Recall for a prompt; if that fails or is late, say so: the prompt still has what earlier ones had.

        Args:
            asked: The request.
            earlier: See `ContextBuilder.write`.
            ended: Finds `EarlierPrompts.ended`, which counts towards the time.
        """
        with guarded(logger, "recall failed, the prompt has what earlier ones had"):
            try:
                async with asyncio.timeout_at(asked.deadline):
                    if earlier is not None and ended is not None:
                        earlier = replace(earlier, ended=await ended())
                    return await self.recall(asked, earlier)
            except TimeoutError:
                logger.warning("recall was late, the prompt has what earlier ones had")
                return Recalled(failure=RECALL_LATE)
        return Recalled(failure=RECALL_FAILED)

    async def recall(self, asked: ReadingRequest, earlier: EarlierPrompts | None = None) -> Recalled:
        """Recall for a prompt."""
        started = self._components.clock.monotonic()
        # A client that sends its newest message alone does not hold the rest of its own conversation.
        own = None if asked.identity.append else asked.identity.conversation
        wanted = asked.wanted
        elsewhere = turns_wanted(asked.log, asked.scope, own)
        if asked.held:
            wanted = replace(wanted, present=wanted.present | asked.held)
            elsewhere = elsewhere and replace(elsewhere, present=elsewhere.present | asked.held)
        recall, rendered = await self._prompts.write(wanted, asked.scope, elsewhere, earlier)
        self._components.metrics.recall_seconds.observe(recall.took_ms / 1000)
        took_ms = (self._components.clock.monotonic() - started) * 1000
        return Recalled(recall=recall, rendered=rendered, took_ms=took_ms)

    def record(self, asked: ReadingRequest, recalled: Recalled) -> InjectionRecord:
        """Return the record of a prompt."""
        recall, rendered = recalled.recall, recalled.rendered
        count = self._components.counter.count
        return InjectionRecord(
            id=new_id(self._components.clock),
            at=asked.now,
            query_hash=hash64("query", recall.query),
            items=tuple((item.memory.subject, item.memory.id, item.score) for item in recall.items if item.is_stored),
            block_hash=rendered.boundary,
            tokens=count(rendered.standing) + count(rendered.recalled),
            omitted=tuple(left for left in recall.left_out if not is_unstored(left.id)),
            request=MemoryRequest(
                profile=asked.scope.profile.name,
                reads=recall.subjects,
                destination=asked.identity.scope.destination,
                considered=None if recalled.took_ms is None else recall.considered,
                took_ms=recalled.took_ms,
            ),
        )
