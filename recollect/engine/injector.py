"""Before the answer: recall for a chat request, repeat what earlier prompts had, and splice both into its bytes.

In the placement `split`, a prompt begins with all bytes of the conversation's previous prompt, as far as the client's
own messages do: providers cache that prefix, and some refuse a changed one. So each insertion is written to a ledger
while its prompt is on its way, and later prompts repeat it. Reads and writes the store.
"""

import asyncio
import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime

from recollect.chat.messages import SYSTEM_ROLES
from recollect.chat.splice import apply_insertions
from recollect.concurrency import run_in_thread_if_large
from recollect.engine.components import Components
from recollect.engine.context_builder import ContextBuilder, EarlierPrompts, prompt_recall, turns_wanted
from recollect.engine.prepared_turn import LedgerEntry, PreparedTurn
from recollect.engine.prompt_ledger import PromptLedger, TemporaryLedger
from recollect.engine.retrieval import redact_quotation
from recollect.engine.scope import MemoryScope
from recollect.errors import RecollectError
from recollect.ids import new_id
from recollect.prompt.placement import place, place_at_messages
from recollect.prompt.render import RenderedContext
from recollect.prompt.replay import PromptChain, PromptReplay, SentPrompt, find_replay, measure_prompt, prompt_chain
from recollect.text import hash64
from recollect.types import (
    Action,
    ChatRequest,
    Decision,
    Identity,
    InjectionMode,
    InjectionRecord,
    Insertion,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    Message,
    PromptInsertion,
    Recall,
    RecalledMemory,
    Subject,
)

logger = logging.getLogger(__name__)

# Share of the time for recall after which a prompt goes on with what earlier ones had.
RECALL_SHARE = 0.8
# A profile block that is all that could be kept of earlier prompts is rendered again after so many changes.
MAX_CHANGES = 10
# Memories that ended since they were shown and are looked up for one prompt; more follow with the next.
MAX_ENDED = 20


@dataclass(frozen=True, slots=True, kw_only=True)
class ReadingRequest:
    """A request that reads memory."""

    request: ChatRequest
    identity: Identity
    home: Subject
    log: tuple[Message, ...]
    scope: MemoryScope
    now: datetime
    deadline: float | None = None
    """When a late recall is given up, on the event loop's clock; None: never."""

    @property
    def size(self) -> int:
        """Bytes of the body."""
        return len(self.request.body)

    @property
    def memory(self) -> str:
        """Name of the memory that the request reads: a subject, and within it what has these tags."""
        return "\n".join([(self.scope.writes or self.home).text, *self.scope.tags])


class PromptInjector:
    """Puts memory into chat requests."""

    def __init__(self, components: Components, prompts: ContextBuilder) -> None:
        """Create an injector over a store and a context builder."""
        self._components = components
        self._prompts = prompts
        self._temporary = TemporaryLedger()
        self._writing: set[asyncio.Task[None]] = set()

    async def close(self) -> None:
        """Wait for insertions that are being written."""
        if self._writing:
            await asyncio.wait(tuple(self._writing))

    async def inject(self, asked: ReadingRequest, mode: InjectionMode | None) -> PreparedTurn:
        """Recall for a request and splice the memories into a copy of its bytes.

        Args:
            asked: The request.
            mode: Where memory goes; None: as the profile says, or else the setting.
        """
        where = mode or asked.scope.profile.context.place or self._components.settings.injection
        identity = asked.identity
        chain = await run_in_thread_if_large(
            asked.size,
            lambda: prompt_chain(
                asked.log, memory=asked.memory, conversation=identity.conversation, append=identity.append
            ),
        )
        if where == "split" and chain.asked:
            prepared = await self._append(asked, chain)
        else:
            prepared = await self._insert(asked, where)
        self._count(asked, prepared)
        return prepared

    # ---- placements without a ledger

    async def _insert(self, asked: ReadingRequest, mode: InjectionMode) -> PreparedTurn:
        """Insert what is recalled for this request alone."""
        recall, rendered = await self._recall(asked)
        plain = PreparedTurn(body=asked.request.body, log=asked.log, scope=asked.scope, warning=recall.warning)
        insertions = place(asked.request, standing=rendered.standing, recalled=rendered.recalled, mode=mode)
        if not insertions:
            return plain
        return replace(
            plain,
            body=await run_in_thread_if_large(asked.size, lambda: apply_insertions(asked.request, insertions)),
            items=recall.items,
            record=self._record(asked, recall, rendered),
            insertions=tuple(insertions),
            recent=rendered.recent,
        )

    # ---- the append-only placement

    async def _append(self, asked: ReadingRequest, chain: PromptChain) -> PreparedTurn:
        """Repeat the insertions of earlier prompts; recall once for each user turn, and append that."""
        ledger = self._ledger(asked.identity)
        rows = await ledger.find(asked.home, _kept_links(chain, asked.log))
        replay = find_replay(chain, rows)
        closed = await self._closed(replay, recorded=ledger is not self._temporary)
        replay = replay.without(closed.removed)
        known = replay.at(chain.asked)
        if known is not None:
            placed = await self._placed(asked, replay.insertions, replay, chain)
            entry = LedgerEntry(ledger=ledger, home=asked.home, insertion=known)
            return replace(placed, entry=entry)
        earlier = None
        if replay.insertions:
            began = replay.insertions[0].at
            earlier = EarlierPrompts(shown=frozenset(replay.shown), ended=closed.ended, began=began)
        recall, rendered = await self._recall_in_time(asked, earlier)
        if replay.insertions and replay.is_new and len(rendered.added) + len(rendered.withdrawn) > MAX_CHANGES:
            replay = PromptReplay()  # nothing but the profile block could be kept, and too much of that has changed
            recall, rendered = await self._recall(asked)
        new = self._new_insertions(asked, chain, replay, recall, rendered)
        placed = await self._placed(asked, (*replay.insertions, *new), replay, chain)
        assert placed.sent is not None
        assert placed.prefix is not None
        *roots, insertion = new
        insertion = replace(insertion, sent_bytes=placed.sent.bytes, sent_hash=placed.sent.hash)
        record = None
        if rendered.text:
            record = self._record(asked, recall, rendered)
            record = replace(record, replayed=placed.replayed, prefix=placed.prefix.value)
        entry = LedgerEntry(
            ledger=ledger,
            home=asked.home,
            insertion=insertion,
            root=roots[0] if roots else None,
            writing=self._write(ledger, asked.home, (*roots, insertion)),
        )
        return replace(
            placed, items=recall.items, record=record, warning=recall.warning, recent=rendered.recent, entry=entry
        )

    def _ledger(self, identity: Identity) -> PromptLedger:
        """Return the ledger of a chat; one of which nothing is recorded leaves nothing in the store."""
        recorded = identity.memory.records and not identity.temporary
        return self._components.store.insertions if recorded else self._temporary

    async def _closed(self, replay: PromptReplay, *, recorded: bool) -> "_Closed":
        """Find what of the shown memories was erased or forgotten, and which facts ended, since they were shown.

        Args:
            replay: What earlier prompts show.
            recorded: Whether the store has emptied what was forgotten. If not, whatever was closed counts as such, but
                facts that were replaced.
        """
        store = self._components.store
        removed: set[MemoryId] = set()
        ended: list[Memory] = []
        for subject, ids in _by_subject(replay.shown).items():
            states = await store.memories.states(subject, ids)
            removed.update(memory for memory in ids if memory not in states)
            closed = [memory for memory in ids if states.get(memory) is MemoryState.CLOSED]
            closed = [memory for memory in closed if memory not in replay.withdrawn]
            for memory in await store.memories.get_many(subject, closed) if closed else ():
                if memory.kind is not MemoryKind.FACT or len(ended) == MAX_ENDED:
                    forgotten = not recorded
                else:
                    lines = await store.decisions.list(subject, memory=memory.id)
                    forgotten = not recorded and not _is_replaced(memory, lines)
                    if not forgotten and _is_ended(memory, lines):
                        ended.append(memory)
                if forgotten:
                    removed.add(memory.id)
        return _Closed(frozenset(removed), tuple(ended))

    async def _recall_in_time(
        self, asked: ReadingRequest, earlier: EarlierPrompts | None
    ) -> tuple[Recall, RenderedContext]:
        """Recall for a prompt; if that is late, the prompt still repeats what earlier ones had."""
        if earlier is None or asked.deadline is None:
            return await self._recall(asked, earlier)
        try:
            async with asyncio.timeout_at(asked.deadline):
                return await self._recall(asked, earlier)
        except TimeoutError:
            logger.warning("recall was late, the prompt has what earlier ones had")
            return Recall(query="", items=(), warning="recall was late"), RenderedContext()

    def _new_insertions(
        self, asked: ReadingRequest, chain: PromptChain, replay: PromptReplay, recall: Recall, rendered: RenderedContext
    ) -> list[PromptInsertion]:
        """Return what this prompt adds: the turn's text, after the profile block if that is kept apart from it."""
        id_ = new_id(self._components.clock)
        thread = chain.thread if chain.thread is not None else replay.thread
        turn = PromptInsertion(
            thread=hash64("thread", id_) if thread is None else thread,
            chain=chain.links[chain.asked - 1],
            depth=chain.asked,
            id=id_,
            at=asked.now,
            standing=rendered.standing,
            recalled=rendered.recalled,
            items=tuple((item.memory.subject, item.memory.id) for item in recall.items),
            withdrawn=tuple(memory.id for memory in rendered.withdrawn),
            quotes_messages=rendered.recent > 0,
        )
        if chain.root is None or replay.insertions:
            return [turn]
        standing = {item.memory.id for item in recall.items if item.standing}
        root = replace(
            turn,
            chain=chain.root,
            depth=0,
            id=new_id(self._components.clock),
            recalled="",
            items=tuple(item for item in turn.items if item[1] in standing),
            quotes_messages=False,
        )
        items = tuple(item for item in turn.items if item[1] not in standing)
        return [root, replace(turn, standing="", items=items)]

    async def _placed(
        self, asked: ReadingRequest, texts: Sequence[PromptInsertion], replay: PromptReplay, chain: PromptChain
    ) -> PreparedTurn:
        """Splice insertions into a request, and compare the prompt with the earlier ones."""
        request = asked.request
        spoken = [index for index, message in enumerate(request.messages) if message.role not in SYSTEM_ROLES]

        def work() -> tuple[list[Insertion], bytes, SentPrompt]:
            insertions = place_at_messages(
                request,
                standing=next((text.standing for text in texts if text.standing), ""),
                appended={spoken[text.depth - 1]: text.recalled for text in texts if text.depth},
            )
            body = apply_insertions(request, insertions)
            return insertions, body, measure_prompt(request, insertions, replay, asked=chain.asked)

        insertions, body, sent = await run_in_thread_if_large(asked.size, work)
        return PreparedTurn(
            body=body,
            log=asked.log,
            scope=asked.scope,
            insertions=tuple(insertions),
            chain=chain,
            repeated=_by_subject(replay.shown),
            prefix=replay.prefix(kept=sent.is_kept),
            sent=sent,
        )

    async def read_again(self, shown: Mapping[Subject, Sequence[MemoryId]]) -> tuple[RecalledMemory, ...]:
        """Read memories that earlier prompts of a conversation show, newest first."""
        read = [
            RecalledMemory(memory=redact_quotation(memory), score=0.0, similarity=0.0, word_share=0.0, reasons=_AGAIN)
            for subject, ids in shown.items()
            for memory in await self._components.store.memories.get_many(subject, ids)
        ]
        return tuple(reversed(read))

    def _write(self, ledger: PromptLedger, home: Subject, insertions: Sequence[PromptInsertion]) -> asyncio.Task[None]:
        """Write insertions while the prompt is on its way."""

        async def write() -> None:
            try:
                for insertion in insertions:
                    await ledger.add(home, insertion)
            except (RecollectError, OSError) as error:
                # The chat goes on; the conversation's next prompt begins otherwise than this one.
                logged = error.logged if isinstance(error, RecollectError) else str(error)
                logger.error("an insertion was not kept", extra={"error": logged})

        writing = asyncio.create_task(write())
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        return writing

    # ---- recall

    async def _recall(
        self, asked: ReadingRequest, earlier: EarlierPrompts | None = None
    ) -> tuple[Recall, RenderedContext]:
        # A client that sends its newest message alone does not hold the rest of its own conversation.
        own = None if asked.identity.append else asked.identity.conversation
        wanted = await run_in_thread_if_large(
            asked.size, lambda: prompt_recall(asked.request, asked.log, asked.scope, self._components.settings)
        )
        elsewhere = turns_wanted(asked.log, asked.scope, own)
        recall, rendered = await self._prompts.write(wanted, asked.scope, elsewhere, earlier)
        self._components.metrics.recall_seconds.observe(recall.took_ms / 1000)
        return recall, rendered

    def _record(self, asked: ReadingRequest, recall: Recall, rendered: RenderedContext) -> InjectionRecord:
        count = self._components.counter.count
        return InjectionRecord(
            id=new_id(self._components.clock),
            at=asked.now,
            query_hash=hash64("query", recall.query),
            items=tuple((item.memory.subject, item.memory.id, item.score) for item in recall.items),
            block_hash=rendered.boundary,
            tokens=count(rendered.standing) + count(rendered.recalled),
            omitted=recall.left_out,
        )

    def _count(self, asked: ReadingRequest, prepared: PreparedTurn) -> None:
        metrics, of_app = self._components.metrics, asked.scope.writes is not None and asked.scope.writes.kind == "app"
        metrics.app_turns += of_app
        if prepared.record is not None:
            metrics.retrieved += len(prepared.items)
            metrics.injected_tokens.observe(prepared.record.tokens)
            metrics.app_turns_injected += of_app
        if prepared.sent is not None:
            metrics.previous_prompt_bytes += prepared.sent.previous_bytes
            metrics.kept_prompt_bytes += prepared.sent.kept_bytes


@dataclass(frozen=True, slots=True)
class _Closed:
    """What became of memories since they were shown."""

    removed: frozenset[MemoryId]
    """Erased or forgotten."""
    ended: tuple[Memory, ...]
    """Facts that were replaced or contradicted."""


# A fact that made room for others (`EVICT`, `FOLD`) may hold all the same.
_ENDING = frozenset({Action.CLOSE, Action.EXPIRE, Action.UNDO, Action.ABANDON, Action.REJECT})
_AGAIN = ("an earlier prompt of the conversation shows it",)


def _kept_links(chain: PromptChain, log: Sequence[Message]) -> list[int]:
    """Return the chains where the ledger may have rows: the root, and what users and assistants say."""
    spoken = [link for link, message in zip(chain.links, log, strict=True) if message.role in ("user", "assistant")]
    return spoken if chain.root is None else [chain.root, *spoken]


def _by_subject(shown: Mapping[MemoryId, Subject]) -> dict[Subject, list[MemoryId]]:
    ids: dict[Subject, list[MemoryId]] = {}
    for memory, subject in shown.items():
        ids.setdefault(subject, []).append(memory)
    return ids


def _is_replaced(memory: Memory, lines: Sequence[Decision]) -> bool:
    """Return whether another value took the place of a fact."""
    return any(line.action is Action.REPLACE and line.target_id == memory.id for line in lines)


def _is_ended(memory: Memory, lines: Sequence[Decision]) -> bool:
    """Return whether a fact no longer holds: it was replaced, taken back, closed by what was said, or has expired."""
    return _is_replaced(memory, lines) or any(line.action in _ENDING and line.memory_id == memory.id for line in lines)
