"""Before the answer: recall for a chat request, replay what earlier prompts had, and splice both into its bytes.

In the placement `split`, a prompt begins with all bytes of the conversation's previous prompt, as far as the client's
own messages do: providers cache that prefix, and some refuse a changed one. So each insertion is written to a ledger
while its prompt is on its way, and later prompts replay it, whatever becomes of their own recall. Reads and writes the
store.
"""

import asyncio
import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from toldonce.chat.formats.base import SYSTEM_ROLES, Insertion
from toldonce.chat.splice import apply_insertions
from toldonce.concurrency import run_in_thread_if_large
from toldonce.engine.components import Components
from toldonce.engine.context_builder import ContextBuilder, EarlierPrompts
from toldonce.engine.prepared_turn import LedgerEntry, PreparedTurn, PromptUse
from toldonce.engine.prompt_ledger import ChatLedger, TemporaryLedger
from toldonce.engine.prompt_recall import NOTHING, PromptRecall, ReadingRequest, Recalled
from toldonce.engine.shown_memories import ClosedMemories, ShownMemories, by_subject
from toldonce.errors import StaleSubjectError, ToldOnceError, logged_text
from toldonce.ids import new_id
from toldonce.prompt.replay import (
    PromptChain,
    PromptReplay,
    SentPrompt,
    find_replay,
    measure_prompt,
    new_insertions,
    prompt_chain,
)
from toldonce.text import hash64
from toldonce.types import (
    DECLARED,
    InjectionMode,
    InjectionRecord,
    Message,
    OmittedMemory,
    PromptInsertion,
    Subject,
)

logger = logging.getLogger(__name__)

# A profile block that is all that could be kept of earlier prompts is rendered again after so many changes.
MAX_CHANGES = 10


class PromptInjector:
    """Puts memory into chat requests."""

    def __init__(self, components: Components, prompts: ContextBuilder) -> None:
        self._components = components
        self._recaller = PromptRecall(components, prompts)
        self.shown = ShownMemories(components.store)
        self._temporary = TemporaryLedger()
        self._writing: set[asyncio.Task[None]] = set()

    def forget_texts(self, subject: Subject | None) -> None:
        """Drop texts that are kept in this process for prompts of a subject, or with its memories; None: all."""
        self._temporary.forget(subject)

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
            asked.unseen,
            lambda: prompt_chain(
                asked.log,
                memory=asked.memory,
                conversation=identity.conversation,
                append=identity.append,
                after=asked.request.after,
                is_kept_upstream=asked.request.is_kept_upstream,
            ),
        )
        if chain.is_kept_upstream:
            prepared = await self._extend(asked, chain)
        elif where == "split" and chain.asked:
            prepared = await self._append(asked, chain)
        else:
            prepared = await self._insert(asked, "user_prefix" if asked.in_user_message else where)
        if asked.use is PromptUse.ANSWER:
            self._count(asked, prepared)
        return prepared

    # ---- placements without a ledger

    async def _insert(self, asked: ReadingRequest, mode: InjectionMode) -> PreparedTurn:
        """Insert what is recalled for this request alone."""
        recalled = NOTHING if asked.use is PromptUse.REPLAY else await self._recaller.recall(asked)
        recall, rendered = recalled.recall, recalled.rendered
        plain = PreparedTurn(body=asked.request.body, log=asked.log, scope=asked.scope, warning=recall.warning)
        insertions = asked.request.wire.place(
            asked.request, standing=rendered.standing, recalled=rendered.recalled, mode=mode
        )
        if not insertions:
            return replace(plain, record=self._recaller.record(asked, recalled) if recall.considered else None)
        return replace(
            plain,
            body=await run_in_thread_if_large(asked.size, lambda: apply_insertions(asked.request, insertions)),
            items=recall.items,
            record=self._recaller.record(asked, recalled),
            insertions=tuple(insertions),
            recent=rendered.recent,
        )

    # ---- the append-only placement

    async def _append(self, asked: ReadingRequest, chain: PromptChain) -> PreparedTurn:
        """Replay the insertions of earlier prompts; recall once for each user turn, and append that."""
        ledger = self._ledger(asked)
        replay = find_replay(chain, await ledger.find(asked.home, _kept_links(chain, asked.log)))
        unstored = ledger.unstored(replay.insertions)
        closed = await self.shown.closed(replay, {memory for row in unstored for _, memory in row.items})
        replay = replay.without(closed.removed)
        ledger.empty(asked.home, replay.insertions)
        recalled, new = NOTHING, []
        if replay.at(chain.asked) is None and asked.use is not PromptUse.REPLAY:
            replay, recalled = await self._recalled(asked, replay, closed)
            new = self._new_insertions(asked, chain, replay, recalled)
        placed = await self._placed(asked, (*replay.insertions, *new), replay, chain)
        assert placed.sent is not None
        if asked.use is not PromptUse.ANSWER:
            return replace(placed, items=recalled.recall.items, failure=recalled.failure)
        if new and not recalled.failure:
            new[-1] = replace(new[-1], sent_bytes=placed.sent.bytes, sent_hash=placed.sent.hash)
        if asked.is_recorded:  # the record has the history, and with it the turns that were only read
            new = [*ledger.unstored(replay.insertions), *new]
        rows = (*replay.insertions, *new)
        return replace(
            placed,
            items=recalled.recall.items,
            record=self._append_record(asked, recalled, placed),
            warning=recalled.recall.warning,
            failure=recalled.failure,
            recent=recalled.rendered.recent,
            entry=LedgerEntry(
                ledger=ledger,
                home=asked.home,
                thread=rows[0].thread,
                chains=tuple(dict.fromkeys(row.chain for row in rows)),
                writing=self._write(ledger, asked.home, new) if new else None,
            ),
        )

    async def _recalled(
        self, asked: ReadingRequest, replay: PromptReplay, closed: ClosedMemories
    ) -> tuple[PromptReplay, Recalled]:
        """Recall for a new turn; return what its prompt replays, too."""
        shown = _earlier(replay)
        recalled = await self._recaller.recall_or_fail(asked, shown, partial(self.shown.ended, closed))
        changes = len(recalled.rendered.added) + len(recalled.rendered.withdrawn)
        if shown is not None and replay.is_new and changes > MAX_CHANGES:
            # Nothing but the profile block could be kept, and too much of that has changed.
            return PromptReplay(), await self._recaller.recall_or_fail(asked, None)
        return replay, recalled

    def _new_insertions(
        self, asked: ReadingRequest, chain: PromptChain, replay: PromptReplay, recalled: Recalled
    ) -> list[PromptInsertion]:
        rendered, items = recalled.rendered, recalled.recall.items
        turn = self._new_insertion(asked, chain, chain.thread if chain.thread is not None else replay.thread, recalled)
        if replay.insertions or asked.in_user_message or not asked.request.wire.has_system_place:
            # The system message stays as the earlier prompts had it, or as the client wrote it.
            turn = replace(turn, standing="", recalled=rendered.text)
        return new_insertions(
            turn,
            chain,
            replay,
            spoken=[depth for depth, message in enumerate(asked.log, start=1) if message.role == "user"],
            standing=frozenset(item.memory.id for item in items if item.standing),
            new_id=lambda: new_id(self._components.clock),
        )

    def _new_insertion(
        self, asked: ReadingRequest, chain: PromptChain, thread: int | None, recalled: Recalled
    ) -> PromptInsertion:
        """Return the insertion at the newest user message; without a thread it begins one."""
        rendered, items = recalled.rendered, recalled.recall.items
        id_ = new_id(self._components.clock)
        return PromptInsertion(
            thread=hash64("thread", id_) if thread is None else thread,
            chain=chain.links[chain.asked - 1],
            depth=chain.before + chain.asked,
            id=id_,
            at=asked.now,
            standing=rendered.standing,
            recalled=rendered.recalled,
            items=tuple((item.memory.subject, item.memory.id) for item in items if item.is_stored),
            withdrawn=tuple(memory.id for memory in rendered.withdrawn),
            quotes_messages=rendered.recent > 0 or not all(item.is_stored for item in items),
        )

    async def _placed(
        self, asked: ReadingRequest, texts: Sequence[PromptInsertion], replay: PromptReplay, chain: PromptChain
    ) -> PreparedTurn:
        """Splice insertions into a request, and compare the prompt with the earlier ones."""
        request = asked.request
        spoken = [index for index, message in enumerate(request.messages) if message.role not in SYSTEM_ROLES]

        def work() -> tuple[list[Insertion], bytes, SentPrompt]:
            insertions = request.wire.place_at_messages(
                request,
                standing=next((text.standing for text in texts if text.standing), ""),
                appended={spoken[text.depth - 1]: text.recalled for text in texts if text.depth},
                in_user_message=asked.in_user_message,
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
            replayed_memories=by_subject(replay.shown),
            prefix=replay.prefix(kept=sent.is_kept),
            sent=sent,
        )

    # ---- chats that upstream keeps

    async def _extend(self, asked: ReadingRequest, chain: PromptChain) -> PreparedTurn:
        """Recall for a turn, without what earlier ones brought: upstream has that, and keeps what is inserted now."""
        ledger, conversations = self._ledger(asked), self._components.store.conversations
        chain, replay = await ledger.find_kept(asked.home, chain)
        closed = await self.shown.closed(replay, frozenset())
        replay = replay.without(closed.removed)
        plain = PreparedTurn(body=asked.request.body, log=asked.log, scope=asked.scope, chain=chain)
        recalled, new, thread = NOTHING, None, chain.thread
        if chain.asked and asked.use is not PromptUse.REPLAY:
            held = await conversations.said_before(
                asked.home, after=asked.request.after, external_id=asked.identity.conversation
            )
            asked = replace(asked, held=frozenset(held))
            recalled = await self._recaller.recall_or_fail(asked, _earlier(replay), partial(self.shown.ended, closed))
            new = self._new_insertion(asked, chain, thread, recalled)
            thread = new.thread
            plain = await self._inserted(asked, plain, new)
        if asked.use is not PromptUse.ANSWER:
            return replace(plain, items=recalled.recall.items, failure=recalled.failure)
        if thread is None:
            return plain
        return replace(
            plain,
            items=recalled.recall.items,
            record=self._append_record(asked, recalled, plain),
            replayed_memories=by_subject(replay.shown),
            warning=recalled.recall.warning,
            failure=recalled.failure,
            recent=recalled.rendered.recent,
            entry=LedgerEntry(
                ledger=ledger,
                home=asked.home,
                thread=thread,
                chains=(new.chain,) if new else (),
                writing=self._write(ledger, asked.home, [new]) if new else None,
            ),
        )

    async def _inserted(self, asked: ReadingRequest, plain: PreparedTurn, new: PromptInsertion) -> PreparedTurn:
        """Insert a turn's texts at its newest user message, and before all messages."""
        request = asked.request
        newest = max(index for index, message in enumerate(request.messages) if message.role == "user")

        def work() -> tuple[list[Insertion], bytes]:
            insertions = request.wire.place_at_messages(
                request,
                standing=new.standing,
                appended={newest: new.recalled},
                in_user_message=asked.in_user_message,
            )
            return insertions, apply_insertions(request, insertions)

        insertions, body = await run_in_thread_if_large(asked.size, work)
        return replace(plain, body=body, insertions=tuple(insertions))

    # ---- the ledger

    def _ledger(self, asked: ReadingRequest) -> ChatLedger:
        return ChatLedger(
            self._components.store.insertions,
            self._temporary,
            memory=asked.scope.writes or asked.home,
            records=asked.is_recorded,
            now=asked.now,
        )

    def _write(self, ledger: ChatLedger, home: Subject, insertions: Sequence[PromptInsertion]) -> asyncio.Task[None]:
        """Write insertions while the prompt is on its way."""

        async def write() -> None:
            try:
                await ledger.add(home, insertions)
            except StaleSubjectError:
                # What it shows was forgotten while the prompt was on its way: no later prompt may replay it.
                logger.info("an insertion was not kept: what it shows was erased or closed meanwhile")
            except (ToldOnceError, OSError) as error:
                # The chat goes on; the conversation's next prompt begins otherwise than this one.
                logger.error("an insertion was not kept", extra={"error": logged_text(error)})

        writing = asyncio.create_task(write())
        self._writing.add(writing)
        writing.add_done_callback(self._writing.discard)
        return writing

    def _append_record(self, asked: ReadingRequest, recalled: Recalled, placed: PreparedTurn) -> InjectionRecord | None:
        """Return the record of a prompt; None if nothing is in it and there was nothing to consider."""
        rendered, failure = recalled.rendered, recalled.failure
        if not (rendered.text or recalled.recall.considered or placed.replayed or failure):
            return None
        record = self._recaller.record(asked, recalled)
        ended = tuple(OmittedMemory(id=memory.id, reason=DECLARED) for memory in rendered.withdrawn)
        prefix = placed.prefix.value if placed.prefix else ""
        return replace(record, omitted=ended + record.omitted, replayed=placed.replayed, prefix=prefix, failure=failure)

    def _count(self, asked: ReadingRequest, prepared: PreparedTurn) -> None:
        metrics, of_app = self._components.metrics, asked.scope.writes is not None and asked.scope.writes.kind == "app"
        metrics.app_turns += of_app
        if prepared.record is not None and prepared.record.tokens:
            metrics.retrieved += len(prepared.items)
            metrics.injected_tokens.observe(prepared.record.tokens)
            metrics.app_turns_injected += of_app
        if prepared.sent is not None:
            metrics.previous_prompt_bytes += prepared.sent.previous_bytes
            metrics.kept_prompt_bytes += prepared.sent.kept_bytes


def _earlier(replay: PromptReplay) -> EarlierPrompts | None:
    """Return what earlier prompts show; None if there was none with memory."""
    if not replay.has_prompts:
        return None
    return EarlierPrompts(shown=frozenset(replay.shown), began=replay.insertions[0].at)


def _kept_links(chain: PromptChain, log: Sequence[Message]) -> list[int]:
    """Return the chains where the ledger may have rows: the root, and what users and assistants say."""
    spoken = [link for link, message in zip(chain.links, log, strict=True) if message.role in ("user", "assistant")]
    return spoken if chain.root is None else [chain.root, *spoken]
