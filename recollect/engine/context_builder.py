"""What memory puts into a prompt: recalled by a profile, written by its template. Reads the store."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from recollect.chat.content import speaker_name
from recollect.chat.messages import query_of, text_before_query
from recollect.engine.components import Components
from recollect.engine.elsewhere import Elsewhere, turns_elsewhere
from recollect.engine.query_builder import Wish
from recollect.engine.retrieval import Retriever
from recollect.engine.scope import MemoryScope
from recollect.formation.recent import recent_words
from recollect.formation.runtime import Runtime
from recollect.profiles.policies import Profile
from recollect.prompt.fit import fit
from recollect.prompt.mcp import context_block
from recollect.prompt.recent import RecentMessage, RecentRoom, recent_block
from recollect.prompt.render import GAP, RenderedContext, RenderOptions
from recollect.settings import Settings
from recollect.types import (
    ChatRequest,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    Message,
    OmittedMemory,
    Recall,
    RecalledMemory,
    Subject,
)

# Share of a prompt's room for memory that recent messages of other conversations take at most.
RECENT_SHARE = 0.5
# Most summaries of the conversation itself; older ones say least of what is being talked about.
_MAX_SUMMARIES = 20
_SUMMED_UP = ("sums up this conversation",)


@dataclass(frozen=True, slots=True, kw_only=True)
class Asked:
    """What a prompt's memory is asked for."""

    text: str
    """The newest user message."""
    subject: Subject
    """Whose memory."""
    profile: Profile
    before: str = ""
    """The conversation before it."""
    present: frozenset[int] = frozenset()
    """`Message.hash` of what the request already contains."""
    tag: str = ""
    """Under which the newest memories are looked for; empty: among all."""
    app: str = ""
    """Name of the app, for templates that say it."""
    shown: frozenset[MemoryId] = frozenset()
    """What the prompt shows in another place."""
    elsewhere: Elsewhere | None = None
    """Turns of other conversations that belong to the user's window; None: the window is one conversation's."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptContext:
    """What memory would put into a prompt."""

    text: str
    """The blocks; empty where nothing is recalled."""
    items: tuple[RecalledMemory, ...]
    """The memories in them."""
    left_out: tuple[OmittedMemory, ...]
    """Memories that were near, and why they are not in them."""
    tokens: int
    """Of the text, as they are counted."""
    compared: int | None = None
    """See `Recall.compared`."""
    remark: str = ""
    """See `Recall.remark`."""
    recent: int = 0
    """Messages of the user's other conversations that are shown beside the memories."""

    def as_mcp(self) -> tuple[Mapping[str, object], ...]:
        """Return it as content blocks of the Model Context Protocol; none where nothing is recalled."""
        return (context_block(self.text),) if self.text else ()


def asked_of(
    request: ChatRequest, log: Sequence[Message], scope: MemoryScope, *, conversation: str | None = None
) -> Asked:
    """Say what a chat request asks of memory.

    Args:
        request: The request as it came.
        log: Its messages for the log.
        scope: Whose memory it is about; it has one.
        conversation: The client's id of the chat, if the request holds what was said in it.
    """
    whole = scope.profile.recall.query == "conversation"
    present = frozenset(message.hash for message in log)
    return Asked(
        text=query_of(request),
        subject=scope.writes or scope.home,
        profile=scope.profile,
        before=text_before_query(request) if whole else "",
        present=present,
        tag=scope.tags[0] if scope.tags else "",
        app=scope.opening.app or "",
        elsewhere=_elsewhere(log, scope, conversation, present),
    )


def _elsewhere(
    log: Sequence[Message], scope: MemoryScope, conversation: str | None, present: frozenset[int]
) -> Elsewhere | None:
    """Say which turns of other conversations belong to the window, beside those that the request holds."""
    policy = scope.profile.episodes
    if policy.window_of != "user" or scope.writes is None:
        return None
    held = sum(message.role == "user" for message in log)
    return Elsewhere(
        home=scope.home,
        subject=scope.writes,
        profile=scope.profile.name,
        room=max((policy.window or policy.keep) - held, 0),
        own_name=conversation,
        present=present,
    )


def token_limit(of_profile: int, settings: Settings) -> int:
    """Return how many tokens of memory a profile may put into a prompt: what it wants, within what was set.

    >>> token_limit(2_000, Settings()), token_limit(2_000, Settings(recall_tokens=500))
    (2000, 500)
    """
    return min(of_profile, settings.recall_tokens) if "recall_tokens" in settings.model_fields_set else of_profile


class ContextBuilder:
    """Writes the memory of prompts."""

    def __init__(self, parts: Components, finder: Retriever, tools: Runtime) -> None:
        """Take the store, what finds in it, and what reads recent messages."""
        self._tools = tools
        self._parts = parts
        self._finder = finder
        self._zone = ZoneInfo(parts.settings.time_zone)

    async def write(self, asked: Asked) -> tuple[Recall, RenderedContext]:
        """Recall, and write what was found as it stands in a prompt; both are empty where there is nothing."""
        policy, settings = asked.profile.recall, self._parts.settings
        tokens = token_limit(policy.tokens, settings)
        frame = RenderOptions(
            policy=asked.profile.context, key=b"", zone=self._zone, now=self._parts.clock.now(), app=asked.app
        )
        wish = Wish(
            policy=policy,
            limit=min(policy.limit, settings.recall_limit),
            # A template in one block writes other words than those that would be counted here.
            tokens=None if frame.template.single else tokens,
            present=asked.present,
            standing=True,
            before=asked.before,
            tag=asked.tag,
            half_life_days=asked.profile.age.half_life_days,
            cold_start=asked.profile.whose.cold_start,
        )
        recall, key = await self._finder.recall_keyed(asked.text, asked.subject, wish)
        if frame.template.chat_summary:
            recall = _with_summaries(recall, await self._summaries(asked))
        if asked.shown:
            recall = replace(recall, items=tuple(one for one in recall.items if one.memory.id not in asked.shown))
        rendered = RenderedContext()
        frame = replace(frame, key=key)
        if recall.items:
            recall, rendered = fit(recall, frame, tokens=tokens, count=self._parts.counter.count)
        return recall, await self._with_recent(rendered, asked, frame, tokens)

    async def _with_recent(
        self, rendered: RenderedContext, asked: Asked, frame: RenderOptions, tokens: int
    ) -> RenderedContext:
        """Put recent messages of other conversations behind what was recalled, in the room that is left."""
        if asked.elsewhere is None:
            return rendered
        count, longest = self._parts.counter.count, frame.policy.most_characters
        room = RecentRoom(
            tokens=min(int(tokens * RECENT_SHARE), tokens - count(rendered.standing) - count(rendered.recalled)),
            characters=longest - len(rendered.text) - len(GAP) if longest else None,
            count=count,
        )
        turns = await turns_elsewhere(self._parts.store, asked.elsewhere) if room.tokens > 0 else ()
        found = await recent_words(turns, asked.subject, asked.elsewhere.home, self._tools)
        quoted = {
            (source.conversation, source.seq)
            for item in rendered.items
            if item.memory.kind is MemoryKind.TURN
            for source in item.memory.evidence
        }
        shown = [
            RecentMessage(
                speaker=speaker_name(one.message.name) or f"the {one.message.role}",
                text=one.text,
                said_at=one.message.said_at,
            )
            for one in found
            if (one.message.conversation, one.message.seq) not in quoted
        ]
        block = recent_block(shown, room, key=frame.key, zone=self._zone)
        if not block.text:
            return rendered
        recalled = GAP.join(part for part in (rendered.recalled, block.text) if part)
        return replace(rendered, recalled=recalled, recent=block.messages)

    async def context(self, asked: Asked) -> PromptContext:
        """Recall, and say what would be put into a prompt."""
        recall, rendered = await self.write(asked)
        return PromptContext(
            text=rendered.text,
            items=rendered.items,
            left_out=recall.left_out,
            tokens=self._parts.counter.count(rendered.standing) + self._parts.counter.count(rendered.recalled),
            compared=recall.compared,
            remark=recall.remark,
            recent=rendered.recent,
        )

    async def _summaries(self, asked: Asked) -> list[Memory]:
        """Read the summaries of the conversation, newest first, but for those of turns that the request contains."""
        session = asked.subject
        if session.kind != "session":
            return []  # other subjects have summaries of many conversations
        listed = await self._parts.store.list_memories(session, kinds=(MemoryKind.EPISODE,), limit=_MAX_SUMMARIES)
        return [
            memory
            for memory in listed
            if memory.state is MemoryState.ACTIVE
            and not (memory.evidence and all(source.hash in asked.present for source in memory.evidence))
        ]


def _with_summaries(recall: Recall, summaries: Sequence[Memory]) -> Recall:
    """Put the conversation's own summaries behind what was recalled; for want of room the oldest go first."""
    ids = {memory.id for memory in summaries}
    found = tuple(item for item in recall.items if item.memory.id not in ids)
    whole = tuple(
        RecalledMemory(memory=memory, score=1.0, similarity=0.0, words=0.0, reasons=_SUMMED_UP) for memory in summaries
    )
    return replace(recall, items=found + whole)
