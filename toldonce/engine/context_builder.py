"""The context that memory adds to a prompt: recalled by a profile, rendered by its template. Reads the store."""

import logging
from collections.abc import Mapping, Sequence, Set
from dataclasses import dataclass, replace
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo

from toldonce.chat.content import speaker_name
from toldonce.chat.formats.base import ChatRequest
from toldonce.chat.messages import query_of, text_before_query
from toldonce.concurrency import run_in_thread_if_large
from toldonce.engine.components import Components
from toldonce.engine.elsewhere import Elsewhere, turns_elsewhere
from toldonce.engine.retrieval import Retriever
from toldonce.engine.scope import MemoryScope
from toldonce.engine.shown_memories import ShownMemories
from toldonce.engine.withheld import find_withheld, without_withheld
from toldonce.formation.recent_messages import recent_words
from toldonce.formation.runtime import Runtime, user_zone
from toldonce.guard import guarded
from toldonce.profiles.destinations import DestinationRule
from toldonce.profiles.policies import RecallPolicy
from toldonce.prompt.changes import changes_block, fit_ended
from toldonce.prompt.recent import RecentMessage, RecentRoom, recent_block
from toldonce.prompt.render import GAP, RenderedContext, RenderOptions, context_block, fit
from toldonce.prompt.replay import PromptReplay
from toldonce.prompt.template import template
from toldonce.recall.query import RecallRequest
from toldonce.settings import Settings
from toldonce.types import (
    DECLARED,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    Message,
    MessageRef,
    OmittedMemory,
    PromptInsertion,
    Recall,
    RecalledMemory,
    Subject,
)

logger = logging.getLogger(__name__)

# Maximum share of a prompt's memory tokens for recent messages of other conversations.
RECENT_SHARE = 0.5
# Maximum share for what no longer holds of earlier prompts; the rest is declared with the next one.
ENDED_SHARE = 0.5
# Tokens of a short quotation with its row, which say how many memories a prompt has room for. With ten at most in 800
# tokens, prompts of LoCoMo had .9 points fewer of the answers' words, and 60 tokens were left.
TOKENS_EACH = 40
# Memories of a prompt: comparing more with one another would take longer than an answer should wait.
MAX_MEMORIES = 200
# Maximum number of summaries of the conversation itself; older ones are least relevant.
_MAX_SUMMARIES = 20
SHOWN_EARLIER = "an earlier prompt of the conversation shows it"
_SUMMED_UP = ("sums up this conversation",)


@dataclass(frozen=True, slots=True, kw_only=True)
class EarlierPrompts:
    """What the earlier prompts of a conversation show, and this one shows again."""

    shown: frozenset[MemoryId]
    """The memories in them."""
    ended: tuple[Memory, ...] = ()
    """What of these no longer holds, and was not declared so yet; a quotation has only those words as its text."""
    began: datetime | None = None
    """When the first of them was prepared."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContext:
    """What memory would add to a prompt."""

    text: str
    """The blocks; empty if nothing is recalled."""
    items: tuple[RecalledMemory, ...]
    """The memories in the blocks."""
    left_out: tuple[OmittedMemory, ...]
    """Memories that were close, and why they were left out."""
    tokens: int
    """Number of tokens of the text."""
    profile_tokens: int = 0
    """Those of the profile block (standing facts), which does not depend on the query."""
    vectors_compared: int | None = None
    """See `Recall.vectors_compared`."""
    warning: str = ""
    """See `Recall.warning`."""
    recent: int = 0
    """Number of messages of the user's other conversations in the blocks."""

    def as_mcp(self) -> tuple[Mapping[str, object], ...]:
        """Return the text as content blocks of the Model Context Protocol; empty if nothing is recalled."""
        return (context_block(self.text),) if self.text else ()


def prompt_recall(
    request: ChatRequest, log: Sequence[Message], scope: MemoryScope, settings: Settings
) -> RecallRequest:
    """Return what a chat request asks of memory.

    Args:
        request: The request as it came.
        log: Its messages for the log.
        scope: The memory it is about.
        settings: They may limit what the profile wants.
    """
    profile = scope.profile
    policy = profile.recall
    return RecallRequest(
        text=query_of(request),
        subject=scope.writes or scope.home,
        beside=scope.app,
        policy=policy,
        limit=memory_limit(policy, settings),
        before=text_before_query(request) if policy.query == "conversation" else "",
        present=frozenset(message.hash for message in log),
        tag=scope.tags[0] if scope.tags else "",
        for_prompt=True,
        # A template in one block writes other words than those that recall counts.
        budget_tokens=None if template(profile.context.template).single else token_limit(policy.tokens, settings),
        half_life_days=profile.age.half_life_days,
        cold_start=profile.subject.cold_start,
        rules=scope.withheld,
        zone=scope.zone,
    )


def turns_wanted(log: Sequence[Message], scope: MemoryScope, conversation: str | None = None) -> Elsewhere | None:
    """Return which turns of other conversations belong to the user's window, besides those that a request holds.

    Args:
        log: The request's messages for the log.
        scope: The memory it is about.
        conversation: The client's id of the chat, if the request holds what was said in it.

    Returns:
        None if the window is one conversation's.
    """
    policy = scope.profile.episodes
    if policy.window_of != "user" or scope.writes != scope.home:
        return None
    held = sum(message.role == "user" for message in log)
    return Elsewhere(
        home=scope.home,
        subject=scope.home,
        profile=scope.profile.name,
        summarized=policy.window > 0,
        room=max((policy.window or policy.keep) - held, 0),
        own_name=conversation,
        present=frozenset(message.hash for message in log),
    )


def token_limit(of_profile: int, settings: Settings) -> int:
    """Return how many tokens of memory a profile may put into a prompt: its own limit, within the setting's.

    >>> token_limit(2_000, Settings()), token_limit(2_000, Settings(recall_tokens=500))
    (2000, 500)
    """
    return min(of_profile, settings.recall_tokens) if "recall_tokens" in settings.model_fields_set else of_profile


def memory_limit(policy: RecallPolicy, settings: Settings) -> int:
    """Return how many memories a profile may put into a prompt besides standing facts, within the setting's limit.

    >>> memory_limit(RecallPolicy(tokens=800), Settings()), memory_limit(RecallPolicy(limit=5), Settings())
    (20, 5)
    """
    held = min(token_limit(policy.tokens, settings) // TOKENS_EACH, MAX_MEMORIES)
    most = held if policy.limit is None else policy.limit
    return most if settings.recall_limit is None else min(most, settings.recall_limit)


class ContextBuilder:
    """Writes the context that memory adds to prompts."""

    def __init__(self, components: Components, retriever: Retriever, runtime: Runtime) -> None:
        self._runtime = runtime
        self._components = components
        self._retriever = retriever
        self._zone = ZoneInfo(components.settings.time_zone)

    async def begin(self, request: ChatRequest, log: Sequence[Message], scope: MemoryScope, size: int) -> RecallRequest:
        """Do as `prompt_recall` for a request of a size in characters, and begin what `write` will wait for."""
        wanted = await run_in_thread_if_large(
            size, lambda: prompt_recall(request, log, scope, self._components.settings)
        )
        with guarded(logger, "a question could not be embedded ahead, recall will do it"):
            self._retriever.begin(wanted)
        return wanted

    async def write(
        self,
        request: RecallRequest,
        scope: MemoryScope,
        elsewhere: Elsewhere | None = None,
        earlier: EarlierPrompts | None = None,
    ) -> tuple[Recall, RenderedContext]:
        """Recall, and write the memories as they appear in a prompt; both are empty if there is nothing.

        Args:
            request: From `prompt_recall`.
            scope: The memory it is about.
            elsewhere: Turns of other conversations to quote in the room that is left; None: none.
            earlier: Earlier prompts of the conversation, which have its profile block: what they show is left out, and
                standing facts that changed since are part of what is recalled. None: this is the first prompt.
        """
        tokens = token_limit(request.policy.tokens, self._components.settings)
        now = self._components.clock.now()
        request = await self._retriever.zoned(request)
        recall, key = await self._retriever.recall_keyed(request)
        shows_days = recall.items or elsewhere or (earlier and earlier.ended) or request.subject.kind == "session"
        zone = request.zone or (await self._zone_of(request.subject) if shows_days else self._zone)
        frame = RenderOptions(
            policy=scope.profile.context,
            key=key,
            zone=zone,
            now=now,
            app=scope.opening.app or "",
        )
        if frame.template.chat_summary:
            summaries = await self._summaries(request)
            withheld = await find_withheld(self._components.store, summaries, scope.withheld)
            recall = _with_summaries(recall, [memory for memory in summaries if memory.id not in withheld])
        if request.excluded:
            recall = replace(
                recall, items=tuple(item for item in recall.items if item.memory.id not in request.excluded)
            )
        if earlier is not None:
            recall = _not_shown(recall, earlier.shown)
        rendered, count = RenderedContext(), self._components.counter.count
        room = tokens
        if earlier is not None and earlier.ended:
            ended = fit_ended(earlier.ended, frame, tokens=int(tokens * ENDED_SHARE), count=count)
            earlier = replace(earlier, ended=tuple(ended))
            room -= count(changes_block([], ended, frame))
        if recall.items:
            recall, rendered = fit(recall, frame, tokens=room, count=count)
        if earlier is not None:
            rendered = _with_changes(rendered, earlier, frame)
        if elsewhere is not None:
            rendered = await self._with_recent(rendered, elsewhere, frame, tokens, scope.withheld)
        return recall, rendered

    async def _zone_of(self, subject: Subject) -> tzinfo:
        return await user_zone(self._components.store, subject, self._zone)

    async def _with_recent(
        self,
        rendered: RenderedContext,
        elsewhere: Elsewhere,
        frame: RenderOptions,
        tokens: int,
        rules: Sequence[DestinationRule],
    ) -> RenderedContext:
        """Append recent messages of other conversations to the memories, in the tokens that are left."""
        count, longest = self._components.counter.count, frame.policy.max_characters
        room = RecentRoom(
            tokens=min(int(tokens * RECENT_SHARE), tokens - count(rendered.standing) - count(rendered.recalled)),
            characters=longest - len(rendered.text) - len(GAP) if longest else None,
            count=count,
        )
        turns = await turns_elsewhere(self._components.store, elsewhere) if room.tokens > 0 else ()
        found = await recent_words(turns, elsewhere.subject, elsewhere.home, self._runtime)
        told = await without_withheld(self._components.store, elsewhere.subject, found, rules)
        # A turn is shown whole: nothing of it where a rule keeps a part of it back.
        hidden = {words.turn for words in found if words not in told}
        quoted = {
            source.ref
            for item in rendered.items
            if item.memory.kind is MemoryKind.TURN
            for source in item.memory.evidence
        }
        shown: dict[MessageRef, list[RecentMessage]] = {}
        for words in told:
            if words.turn not in hidden and words.message.ref not in quoted:
                speaker = speaker_name(words.message.name) or f"the {words.message.role}"
                message = RecentMessage(speaker=speaker, text=words.text, said_at=words.message.said_at)
                shown.setdefault(words.turn, []).append(message)
        block = recent_block(list(shown.values()), room, key=frame.key, zone=frame.zone)
        if not block.text:
            return rendered
        recalled = GAP.join(part for part in (rendered.recalled, block.text) if part)
        return replace(rendered, recalled=recalled, recent=block.messages)

    async def context(
        self,
        request: RecallRequest,
        scope: MemoryScope,
        elsewhere: Elsewhere | None = None,
        shown: Sequence[MemoryId] = (),
    ) -> PromptContext:
        """Recall, and return what memory would add to a prompt.

        Args:
            request, scope, elsewhere: As in `write`.
            shown: Memories in earlier prompts of the chat, which hold no longer if they are declared so.
        """
        earlier = await self._earlier(request, shown) if shown else None
        recall, rendered = await self.write(request, scope, elsewhere, earlier)
        ended = tuple(OmittedMemory(id=memory.id, reason=DECLARED) for memory in rendered.withdrawn)
        profile_tokens = self._components.counter.count(rendered.standing)
        return PromptContext(
            text=rendered.text,
            items=rendered.items,
            left_out=ended + recall.left_out,
            tokens=profile_tokens + self._components.counter.count(rendered.recalled),
            profile_tokens=profile_tokens,
            vectors_compared=recall.vectors_compared,
            warning=recall.warning,
            recent=rendered.recent,
        )

    async def _earlier(self, request: RecallRequest, shown: Sequence[MemoryId]) -> EarlierPrompts | None:
        """Return what earlier prompts show of the memories that a request may read; None if that is nothing."""
        store, left = self._components.store, dict.fromkeys(shown)
        items: list[tuple[Subject, MemoryId]] = []
        for subject in await self._retriever.reading_list(request):
            states = await store.memories.states(subject, list(left))
            items += ((subject, memory) for memory in left if memory in states)
            left = {memory: None for memory in left if memory not in states}
        if not items:
            return None
        row = PromptInsertion(thread=0, chain=0, depth=1, id="", at=self._components.clock.now(), items=tuple(items))
        replay, prompts = PromptReplay(insertions=(row,)), ShownMemories(store)
        # Nothing of what clients keep is stored as text, so that forgetting could empty it.
        closed = await prompts.closed(replay, frozenset(replay.shown))
        return EarlierPrompts(shown=frozenset(replay.shown), ended=await prompts.ended(closed))

    async def _summaries(self, request: RecallRequest) -> list[Memory]:
        """Read the summaries of the conversation, newest first, except those of turns that the request contains."""
        session = request.subject
        if session.kind != "session":
            return []  # other subjects have summaries of many conversations
        listed = await self._components.store.memories.list(session, kinds=(MemoryKind.EPISODE,), limit=_MAX_SUMMARIES)
        return [
            memory
            for memory in listed
            if memory.state is MemoryState.ACTIVE
            and not (memory.evidence and all(source.hash in request.present for source in memory.evidence))
        ]


def _not_shown(recall: Recall, shown: Set[MemoryId]) -> Recall:
    new = tuple(item for item in recall.items if item.memory.id not in shown)
    left = tuple(
        OmittedMemory(id=item.memory.id, reason=SHOWN_EARLIER) for item in recall.items if item.memory.id in shown
    )
    return replace(recall, items=new, left_out=recall.left_out + left)


def _with_changes(rendered: RenderedContext, earlier: EarlierPrompts, frame: RenderOptions) -> RenderedContext:
    """Move standing facts to the newest turn: the profile block of the conversation stays as it is."""
    added = [item.memory for item in rendered.items if item.standing]
    changes = changes_block(added, earlier.ended, frame, earlier.began)
    recalled = GAP.join(part for part in (changes, rendered.recalled) if part)
    return replace(rendered, standing="", recalled=recalled, added=tuple(added), withdrawn=tuple(earlier.ended))


def _with_summaries(recall: Recall, summaries: Sequence[Memory]) -> Recall:
    """Append the conversation's own summaries to a recall; the oldest are dropped first if room is short."""
    ids = {memory.id for memory in summaries}
    found = tuple(item for item in recall.items if item.memory.id not in ids)
    whole = tuple(
        RecalledMemory(memory=memory, score=1.0, similarity=0.0, word_share=0.0, reasons=_SUMMED_UP)
        for memory in summaries
    )
    return replace(recall, items=found + whole)
