"""One chat turn: recall and splice before it, record after it. Reads and writes the store."""

import asyncio
import logging
from collections.abc import Callable, Coroutine, Sequence
from dataclasses import replace
from datetime import datetime
from typing import Any

from toldonce.chat.formats.base import ChatRequest
from toldonce.chat.messages import dated, reply_message, seen_messages, unseen_size
from toldonce.chat.reply import Reply
from toldonce.chat.splice import apply_insertions
from toldonce.chat.tools import SEARCH
from toldonce.concurrency import retry_while_unavailable, run_in_thread_if_large
from toldonce.engine.components import Components
from toldonce.engine.context_builder import ContextBuilder
from toldonce.engine.injector import PromptInjector
from toldonce.engine.memory_tools import MemoryTools
from toldonce.engine.prepared_turn import PreparedTurn, PromptUse
from toldonce.engine.prompt_recall import RECALL_SHARE, ReadingRequest
from toldonce.engine.scope import MemoryScope, apply_trigger, memory_scope, profile_name, requested_zone
from toldonce.engine.shown_memories import by_subject
from toldonce.extraction.forget_requests import asks_to_forget, has_word_of_asking
from toldonce.extraction.own_text.chat_bridges import named_by_bridge
from toldonce.extraction.sources import MAX_INLINE_CHARACTERS, readable_text
from toldonce.formation.index_turns import TURNS_VERSION
from toldonce.formation.inputs import LARGE_BATCH
from toldonce.formation.propose import extractor_version
from toldonce.formation.summarize import EPISODES_VERSION
from toldonce.profiles.policies import Profile
from toldonce.prompt.replay import PromptChain
from toldonce.providers.offline_model import MODEL as OFFLINE_MODEL
from toldonce.recall.attribution import used_memories
from toldonce.types import (
    FormationKey,
    FormationRequest,
    Identity,
    InjectionMode,
    InjectionRecord,
    MemoryMode,
    Message,
    RecalledMemory,
    RecordedTurn,
    RequestScope,
    Subject,
    Turn,
)
from toldonce.worker.loop import Worker

logger = logging.getLogger(__name__)

# How long the recording of a turn waits for its requests to forget; after that they go on in the background.
FORGET_WAIT_S = 1.0
# Newest messages of a turn in which such a request is searched at once, if they are short. Formation reads all.
MAX_CHECKED_MESSAGES = 4


class TurnService:
    """Prepares and records chat turns, and wakes the worker for formations they make due."""

    def __init__(
        self, components: Components, prompts: ContextBuilder, worker: Worker, toolbox: Callable[..., MemoryTools]
    ) -> None:
        self._toolbox = toolbox
        self._components = components
        self._prompts = prompts
        self.worker = worker
        self._injector = PromptInjector(components, prompts)
        self._background: set[asyncio.Task[None]] = set()

    def forget_texts(self, subject: Subject | None) -> None:
        """Drop texts that are kept in this process for prompts of a subject, or with its memories; None: all."""
        self._injector.forget_texts(subject)

    async def close(self) -> None:
        """Wait for work in the background."""
        await self._injector.close()
        if self._background:
            await asyncio.wait(tuple(self._background))

    async def prepare(
        self,
        request: ChatRequest,
        identity: Identity,
        *,
        mode: InjectionMode | None = None,
        in_user_message: bool = False,
        timeout_s: float | None = None,
        use: PromptUse = PromptUse.ANSWER,
    ) -> PreparedTurn:
        """Recall for a chat request and splice the memories into a copy of its bytes.

        What was inserted is kept for the conversation's next prompts: await `PreparedTurn.entry.written()` before the
        answer is shown to anyone.

        Args:
            request: The request as it came.
            identity: The user, conversation and memory mode.
            mode: Where memory is injected; None: as the profile says, or else the setting.
            in_user_message: Whether new memory may alter the newest user message alone, because upstream refused a
                request that was altered elsewhere.
            timeout_s: The time that the request waits for memory; shortly before its end, recall is given up where
                earlier prompts can be replayed without it. None: as long as it takes.
            use: What the prompt is for.
        """
        await self._components.refresh()
        if identity.subject is not None:
            identity = replace(identity, subject=self._components.subject(identity.subject))
        deadline = None if timeout_s is None else asyncio.get_running_loop().time() + RECALL_SHARE * timeout_s
        prepared = await self._recalled(request, identity, mode, deadline, in_user_message, use)
        if prepared.scope is None or prepared.scope.writes is None:
            return prepared
        keeps = identity.memory.records and not identity.temporary
        offered = prepared.scope.profile.trigger.offered
        names = offered if keeps else offered & {SEARCH}
        if identity.memory is MemoryMode.RECORD:
            names -= {SEARCH}
        offered_by = request.wire.tools
        tools = offered_by.offer_tools(request, names) if offered_by else None
        if tools is None:
            return prepared
        insertions = (*prepared.insertions, tools)
        body = await run_in_thread_if_large(len(request.body), lambda: apply_insertions(request, insertions))
        toolbox = self._toolbox(scope=prepared.scope, names=names)
        return replace(prepared, body=body, insertions=insertions, toolbox=toolbox)

    async def _recalled(
        self,
        request: ChatRequest,
        identity: Identity,
        mode: InjectionMode | None,
        deadline: float | None,
        in_user_message: bool,
        use: PromptUse,
    ) -> PreparedTurn:
        now, unseen = self._components.clock.now(), unseen_size(request)
        asked_at = _local(now, identity)
        log = await run_in_thread_if_large(unseen, lambda: self._seen(request, asked_at))
        plain = PreparedTurn(body=request.body, log=log, asked_at=asked_at)
        if identity.subject is None or identity.memory is MemoryMode.OFF:
            return plain
        home = identity.subject
        scope = await self.memory_scope(home, identity.scope, identity.conversation)
        if scope.writes is None or identity.memory is MemoryMode.RECORD:
            return replace(plain, scope=scope)
        asked = ReadingRequest(
            request=request,
            identity=identity,
            home=home,
            log=log,
            scope=scope,
            now=now,
            wanted=await self._prompts.begin(request, log, scope, unseen),
            unseen=unseen,
            deadline=deadline,
            in_user_message=in_user_message,
            use=use,
        )
        return replace(await self._injector.inject(asked, mode), asked_at=asked_at)

    def _seen(self, request: ChatRequest, now: datetime) -> tuple[Message, ...]:
        limit = self._components.settings.max_message_characters
        return named_by_bridge(seen_messages(request, said_at=now, max_characters=limit))

    def _logged(
        self, request: ChatRequest, reply: Reply, prepared: PreparedTurn | None, now: datetime
    ) -> tuple[tuple[Message, ...], Message | None]:
        """Return a request's messages and its answer for the log."""
        if prepared is None:
            log = dated(self._seen(request, now), now)
        else:
            log = dated(prepared.log, prepared.asked_at or now)
        answer = reply_message(reply, request.wire, log, now) if reply.text or reply.payload else None
        if answer is not None and self._components.settings.upstream_url is None:
            answer = replace(answer, name=OFFLINE_MODEL)
        return log, answer

    def _whole(self, request: ChatRequest, reply: Reply) -> Reply:
        """Return the reply with the beginning that the client wrote; count what is recorded in part."""
        self._count_cut(request, reply)
        begun = request.messages[-1].text if request.continues and (reply.text or reply.payload) else ""
        return replace(reply, text=begun + reply.text) if begun else reply

    def _count_cut(self, request: ChatRequest, reply: Reply) -> None:
        """Count and log what is recorded in part: the reply, and the newest message."""
        limit = self._components.settings.max_message_characters
        newest = request.messages[-1]
        is_cut = {"assistant": reply.cut, newest.role: len(newest.text) > limit}
        for role in (role for role, cut in is_cut.items() if cut):
            self._components.metrics.cut[role] += 1
            logger.warning("a message was recorded in part", extra={"role": role, "max_characters": limit})

    async def read_replayed(self, prepared: PreparedTurn) -> tuple[RecalledMemory, ...]:
        """Read the memories that a prepared prompt replays from earlier ones of its conversation."""
        return await self._injector.shown.read(prepared.replayed_memories) if prepared.replayed else ()

    async def finish(
        self, request: ChatRequest, identity: Identity, reply: Reply, prepared: PreparedTurn | None
    ) -> RecordedTurn | None:
        """Record an answered request, with the formations it makes due; durable when this returns."""
        if identity.subject is None:
            return None
        reply = self._whole(request, reply)
        now = _local(self._components.clock.now(), identity)
        size = len(request.body) + len(reply.text) + len(reply.payload or "")
        log, answer = await run_in_thread_if_large(size, lambda: self._logged(request, reply, prepared, now))
        if not log and answer is None:
            return None
        record, chain, scope = (prepared.record, prepared.chain, prepared.scope) if prepared else (None, None, None)
        if scope is None:
            home = identity.subject  # recall did not get that far, maybe as the database restarts
            scope = await retry_while_unavailable(
                lambda: self.memory_scope(home, identity.scope, identity.conversation)
            )
        recorded = await self.record(
            Turn(
                subject=identity.subject,
                external_id=identity.conversation,
                append=identity.append,
                message_id=identity.message_id,
                after=request.after,
                messages=log,
                reply=answer,
                said_at=now,
                recall=record,
                thread=prepared.entry.thread if prepared and prepared.entry else None,
                answer_chains=_answer_chains(chain, answer, reply.id) if chain and answer else (),
                answer_depth=(chain.before if chain else 0) + len(log) + 1,
                formations=self.formations(scope),
                charges=charges(scope),
                opening=scope.opening,
                only_app=identity.scope.only_app,
            )
        )
        if record is not None:
            _log_recall(scope, record, recorded)
        if prepared is not None and prepared.toolbox is not None:
            await self._apply_tool_calls(prepared.toolbox, recorded)
        if record is not None and record.items and prepared is not None:
            self._start_in_background(
                self._record_hits(record, prepared, reply.text, [message.text for message in request.messages])
            )
        return recorded

    async def _apply_tool_calls(self, toolbox: MemoryTools, recorded: RecordedTurn) -> None:
        """Store what the model's tool calls remember, and end the conversation if a call asked for it."""
        kept = await toolbox.settle(recorded)
        self._components.metrics.saved += len(kept)
        scope, now = toolbox.scope, self._components.clock.now()
        if toolbox.ended is not None and scope.writes is not None:
            store = self._components.store
            await store.conversations.end(scope.home, recorded.conversation, toolbox.ended, now)
            await store.formations.request(scope.writes, scope.home, recorded.conversation, now)
            self.worker.wake(scope.writes)

    async def _record_hits(self, record: InjectionRecord, prepared: PreparedTurn, answer: str, said: list[str]) -> None:
        """Record that memories were used, and which of them the answer shows."""
        for subject, ids in by_subject({memory: subject for subject, memory, _ in record.items}).items():
            await self._components.store.memories.record_uses(subject, ids, record.at)
        memories = [item.memory for item in prepared.items]
        size = len(answer) + sum(len(text) for text in said)
        hits = await run_in_thread_if_large(size, lambda: used_memories(answer, memories, said)) if answer else []
        metrics = self._components.metrics
        metrics.judged += len(memories) if answer else 0
        metrics.hits += len(hits)
        if prepared.scope is not None and answer:
            await self._components.store.conversations.record_hits(prepared.scope.home, record, hits)

    async def memory_scope(self, home: Subject, scope: RequestScope, conversation: str | None) -> MemoryScope:
        """Return the subjects that a request of `home` reads and writes.

        Raises:
            UnknownProfileError: It names an unknown profile.
            BadSubjectError: It names something that cannot be part of a subject.
        """
        known = None
        if conversation is not None:
            known = await self._components.store.conversations.get(home, external_id=conversation)
        name = profile_name(scope, known, self._components.settings.profile)
        withheld = self._components.rules_against(scope.destination, name, scope.key_profile)
        profile, store = self._components.profiles.get(name), self._components.store
        names = await store.apps.character_names(home) if profile.subject.kind == "character" else None
        chosen = memory_scope(home, scope, profile, conversation, known, names)
        return replace(chosen, withheld=withheld)

    async def record(self, turn: Turn) -> RecordedTurn:
        """Write a turn to the log and wake the worker; durable when this returns.

        A request to forget in it takes effect before this returns, unless that takes longer than `FORGET_WAIT_S`.
        """
        await self._components.refresh()
        turn = turn.of_other_users(self._components.subject)  # of one who was merged while it was answered
        may_ask = await run_in_thread_if_large(_size(turn), lambda: _any(turn, has_word_of_asking), above=LARGE_BATCH)
        # The heads take some milliseconds, and far longer the first time.
        asks = may_ask and await asyncio.to_thread(_any, turn, asks_to_forget)
        turn = replace(turn, formations=tuple(_with_forgetting(turn.formations) if asks else turn.formations))
        recorded = await self._components.store.conversations.record(turn)
        first = [due for due in turn.formations if due.stage == "index"]
        if asks and first:
            forgetting = [self._start_in_background(self.worker.form_now(_key(due, turn, recorded))) for due in first]
            await asyncio.wait(forgetting, timeout=FORGET_WAIT_S)
        for subject in dict.fromkeys(due.key_subject for due in turn.formations) or (None,):
            self.worker.wake(subject)
        return recorded

    def formations(self, scope: MemoryScope) -> tuple[FormationRequest, ...]:
        """Return the formations that a turn in this scope requests."""
        if scope.writes is None:
            return ()
        beside = self._formations_of(scope.app, scope.profile) if scope.app is not None else ()
        return (*self._formations_of(scope.writes, scope.profile), *beside)

    def _formations_of(self, subject: Subject, profile: Profile) -> tuple[FormationRequest, ...]:
        due = FormationRequest(
            key_subject=subject,
            profile=profile.name,
            stage="extract",
            version=extractor_version(self._components.model, profile.form),
            due_at=self._components.clock.now(),
        )
        requests = [apply_trigger(due, profile)]
        if profile.form.turns:
            requests.insert(0, replace(due, stage="index", version=TURNS_VERSION))
        if window := profile.episodes.window:
            of_user = profile.episodes.window_of == "user"
            version = EPISODES_VERSION
            requests.append(
                replace(due, stage="episodes", version=version, every_turns=window, of_user=of_user, on_edit=True)
            )
        return tuple(requests)

    def _start_in_background(self, work: Coroutine[Any, Any, None]) -> asyncio.Task[None]:
        task = asyncio.create_task(work)
        self._background.add(task)
        task.add_done_callback(self._background.discard)
        return task


def _local(now: datetime, identity: Identity) -> datetime:
    """Return an instant in the time zone that a request names."""
    return now.astimezone(requested_zone(identity.scope) or now.tzinfo)


def _answer_chains(chain: PromptChain, answer: Message, answer_id: str) -> tuple[int, ...]:
    """Return the chains by which later requests go on after an answer."""
    return (chain.after(answer), *([chain.after_id(answer_id)] if answer_id else []))


def _unanswered(turn: Turn) -> list[Message]:
    """Return the user's newest messages that were not answered before this turn, without long ones."""
    answered = (place for place, message in enumerate(turn.messages, start=1) if message.role == "assistant")
    unanswered = turn.messages[max(answered, default=0) :]
    own = [message for message in unanswered if message.role == "user"][-MAX_CHECKED_MESSAGES:]
    return [message for message in own if len(message.text) <= MAX_INLINE_CHARACTERS]


def _size(turn: Turn) -> int:
    return sum(len(message.text) for message in _unanswered(turn))


def _log_recall(scope: MemoryScope, record: InjectionRecord, recorded: RecordedTurn) -> None:
    """Log what an app's turn was shown, by numbers."""
    if scope.writes is not None and scope.writes.app_name is not None:
        where = {"app": scope.writes.app_name, "conversation": recorded.conversation}
        shown = {"memories": len(record.items), "tokens": record.tokens, "failure": record.failure}
        logger.info("memory_recall", extra=where | shown)


def _any(turn: Turn, holds: Callable[[str], bool]) -> bool:
    """Return whether something holds of one of the user's new messages."""
    return any(holds(readable_text(message.text)) for message in _unanswered(turn))


def _with_forgetting(formations: Sequence[FormationRequest]) -> list[FormationRequest]:
    """Add the stage that handles requests to forget, also in a profile without quotations."""
    if not formations or any(due.stage == "index" for due in formations):
        return list(formations)
    first = replace(formations[0], stage="index", version=TURNS_VERSION, every_turns=1, after_idle=None, on_edit=False)
    return [first, *formations]


def _key(due: FormationRequest, turn: Turn, recorded: RecordedTurn) -> FormationKey:
    return FormationKey(
        subject=due.key_subject,
        home=turn.subject,
        conversation=recorded.conversation,
        profile=due.profile,
        stage=due.stage,
        version=due.version,
    )


def charges(scope: MemoryScope) -> tuple[tuple[Subject, float], ...]:
    """Return what a turn costs the budget of the subject written to; empty without a budget."""
    budget = scope.profile.budget
    return ((scope.writes, budget.turn),) if scope.writes and budget.capacity and budget.turn else ()
