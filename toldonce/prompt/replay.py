"""Replay what earlier prompts of a conversation had inserted, so that each prompt begins as the one before it. Pure."""

from collections.abc import Callable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from enum import StrEnum
from functools import cached_property, lru_cache
from hashlib import blake2b

from toldonce.chat.formats.base import SYSTEM_ROLES, ChatRequest, Insertion
from toldonce.text import hash64
from toldonce.text_caches import register_text_cache
from toldonce.types import (
    LedgerRows,
    MemoryId,
    Message,
    PromptInsertion,
    Subject,
)

# User messages without an insertion that one prompt notes, besides the first: older ones are rarely sent again.
MAX_MARKS = 100
_HASH_BYTES = 16
_LINK_BYTES = 8
# Links that are kept: a chat that is sent whole again has the same ones, and a new one is hashed in 2 µs.
_MAX_LINKS = 16_384


class PrefixState(StrEnum):
    """What became of the previous prompt's bytes in this one."""

    NEW = "new"
    """The conversation's first prompt, as far as is known."""
    KEPT = "kept"
    """This prompt begins with them."""
    CHANGED = "changed"
    """The client sends other messages than before."""
    ERASED = "erased"
    """What was inserted there has been erased or forgotten since."""
    LOST = "lost"
    """What earlier prompts had could not be read in time, and is missing in this one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptChain:
    """The messages of a request, each as a hash of itself and all before it; system messages do not count."""

    links: tuple[int, ...]
    """Signed 64-bit hashes; the first message is at depth 1."""
    asked: int
    """Depth of the newest user message; 0 without one."""
    start: int
    """The chain before the first message."""
    thread: int | None = None
    """Thread of the client's conversation id; None without one."""
    standalone: bool = False
    """Whether the client sends its newest message alone, so that an equal one was another turn."""
    is_kept_upstream: bool = False
    """Whether upstream has what was said before, and what was inserted there: nothing is replayed."""
    before: int = 0
    """Number of messages that upstream has before the first one, as far as is known."""
    memory: str = ""
    """See `prompt_chain`."""

    @property
    def root(self) -> int | None:
        """The chain of the conversation's profile block, before all messages; None if it is that of each first prompt.

        It needs an id of the conversation, and a client that sends what was said.
        """
        return None if self.thread is None or self.standalone else hash64("root", _packed(self.thread))

    def after(self, answer: Message) -> int:
        """Return the chain of these messages with an answer."""
        return _link(self.links[-1] if self.links else self.start, answer.hash)

    def at_own_links(self) -> "PromptChain":
        """Return the chain with links that tell its place: equal words at two places are two messages."""
        if self.thread is None:
            return self
        place = _packed(self.thread), _packed(self.before)
        return replace(self, links=tuple(hash64("kept", *place, _packed(link)) for link in self.links))

    def after_id(self, answer_id: str) -> int:
        """Return the start of the chains that go on after an answer which upstream keeps by this id."""
        return hash64("after", self.memory, answer_id)


def prompt_chain(
    log: Sequence[Message],
    *,
    memory: str,
    conversation: str | None,
    append: bool,
    after: str | None = None,
    is_kept_upstream: bool = False,
) -> PromptChain:
    """Return the chain of a request.

    Args:
        log: Its messages for the log.
        memory: Names the memory that the request reads: prompts replay nothing of another one.
        conversation: The client's id of the conversation, if it sent one.
        append: Whether the client may send its newest message alone.
        after: Id of the answer that the messages come after, if upstream keeps it.
        is_kept_upstream: Whether upstream has what was said before.
    """
    start = hash64("memory", memory) if after is None else hash64("after", memory, after)
    links: list[int] = []
    link = start
    for message in log:
        link = _link(link, message.hash)
        links.append(link)
    has_answers = any(message.role == "assistant" for message in log)
    return PromptChain(
        links=tuple(links),
        asked=next((depth for depth in range(len(log), 0, -1) if log[depth - 1].role == "user"), 0),
        start=start,
        thread=None if conversation is None else hash64("thread", memory, conversation),
        standalone=append and not has_answers,
        is_kept_upstream=is_kept_upstream,
        memory=memory,
    )


@dataclass(frozen=True)
class PromptReplay:
    """What the earlier prompts of a conversation had inserted, as far as this request goes on from them."""

    thread: int | None = None
    """None: no earlier prompt is known."""
    insertions: tuple[PromptInsertion, ...] = ()
    """By depth."""

    def at(self, depth: int) -> PromptInsertion | None:
        """Return the insertion at a depth; None if the message there was not seen before."""
        return self._by_depth.get(depth)

    @cached_property
    def _by_depth(self) -> Mapping[int, PromptInsertion]:
        return {insertion.depth: insertion for insertion in reversed(self.insertions)}

    @cached_property
    def shown(self) -> Mapping[MemoryId, Subject]:
        """The memories in the text, each with its subject, in the order in which they were shown."""
        return {memory: subject for insertion in self.insertions for subject, memory in insertion.items}

    @cached_property
    def withdrawn(self) -> frozenset[MemoryId]:
        """The memories that were declared no longer true."""
        return frozenset(memory for insertion in self.insertions for memory in insertion.withdrawn)

    @property
    def is_new(self) -> bool:
        """Whether no message of the request was in an earlier prompt; its profile block may have been."""
        return not any(insertion.depth for insertion in self.insertions)

    @property
    def has_prompts(self) -> bool:
        """Whether an earlier prompt is known with what memory had to say then, be it nothing.

        Otherwise all that is known are messages that were sent without memory.
        """
        return any(row.characters or row.sent_bytes or row.erased for row in self.insertions)

    def without(self, memories: frozenset[MemoryId]) -> "PromptReplay":
        """Return the replay with the insertions emptied that show one of these memories."""
        if not memories:
            return self
        return PromptReplay(self.thread, tuple(_without(insertion, memories) for insertion in self.insertions))

    def prefix(self, *, kept: bool) -> PrefixState:
        """Say what became of the previous prompt, of which all bytes are `kept` or not."""
        if self.is_new:
            return PrefixState.NEW
        if kept:
            return PrefixState.KEPT
        erased = any(insertion.erased for insertion in self.insertions)
        return PrefixState.ERASED if erased else PrefixState.CHANGED


def find_replay(chain: PromptChain, rows: LedgerRows) -> PromptReplay:
    """Choose the thread that a request goes on with.

    With an id of the conversation it is that one's. Without, it is the one with the longest common past: equal first
    questions are told apart by their answers, and of what is left the newest counts. A first question that is asked
    again begins a new conversation.

    Args:
        chain: The request's.
        rows: What the ledger has at its links.
    """
    if chain.standalone:
        return PromptReplay()
    answered = {mark.thread: mark.depth for mark in rows.answers}  # ordered by depth: the deepest stays
    threads: dict[int, list[PromptInsertion]] = {}
    for insertion in rows.insertions:
        if chain.thread in (None, insertion.thread):
            threads.setdefault(insertion.thread, []).append(insertion)
    if chain.thread is None:
        threads = {
            thread: found
            for thread, found in threads.items()
            if thread in answered or found[0].depth < len(chain.links)
        }
    if not threads:
        return PromptReplay()
    best = max(
        threads,
        key=lambda thread: (answered.get(thread, 0), threads[thread][-1].depth, threads[thread][-1].at),
    )
    return PromptReplay(best, tuple(sorted(threads[best], key=lambda insertion: insertion.depth)))


@dataclass(frozen=True, slots=True, kw_only=True)
class SentPrompt:
    """The messages of a prompt as sent, measured from the first one on."""

    bytes: int
    """Length up to the newest user message, with what is inserted there."""
    hash: str
    """Hash of these bytes."""
    previous_bytes: int
    """Length of the previous prompt, up to its newest user message; 0 if none is known."""
    kept_bytes: int
    """How many of them this prompt begins with: up to the last earlier user message that they agree on."""

    @property
    def is_kept(self) -> bool:
        """Whether the previous prompt's bytes are all there."""
        return self.kept_bytes == self.previous_bytes


def measure_prompt(
    request: ChatRequest, insertions: Sequence[Insertion], replay: PromptReplay, *, asked: int
) -> SentPrompt:
    """Measure a prompt up to its newest user message, and compare it with the earlier ones of the conversation.

    Args:
        request: The request as it came.
        insertions: What is inserted into its messages.
        replay: Earlier insertions, with the lengths and hashes of their prompts.
        asked: Depth of the newest user message.
    """
    earlier = {insertion.depth: insertion for insertion in replay.insertions if insertion.sent_bytes}
    previous = earlier[max(earlier)].sent_bytes if earlier else 0
    pending = sorted(insertions, key=lambda insertion: insertion.offset)
    hasher, size, at, kept, depth = blake2b(digest_size=_HASH_BYTES), 0, request.messages[0].start, 0, 0
    taken, text, compared = 0, request.text, request.wire.compared
    for message in request.messages:
        if depth == asked:
            break
        source = ""
        # An insertion right after a message belongs to it; one before the next message's brace comes with that.
        while taken < len(pending) and pending[taken].offset <= message.end:
            source += text[at : pending[taken].offset] + pending[taken].text
            at = pending[taken].offset
            taken += 1
        source += text[at : message.end]
        at = message.end
        data = compared(source).encode("utf-8", "surrogatepass")
        hasher.update(data)
        size += len(data)
        if message.role in SYSTEM_ROLES:
            continue
        depth += 1
        known = earlier.get(depth)
        if known is not None and known.sent_bytes == size and known.sent_hash == hasher.hexdigest():
            kept = size
    return SentPrompt(bytes=size, hash=hasher.hexdigest(), previous_bytes=previous, kept_bytes=min(kept, previous))


def new_insertions(
    turn: PromptInsertion,
    chain: PromptChain,
    replay: PromptReplay,
    *,
    spoken: Sequence[int],
    standing: Set[MemoryId],
    new_id: Callable[[], str],
) -> list[PromptInsertion]:
    """Return the rows that a prompt adds to the ledger: the turn's comes last.

    User messages that this prompt has without an insertion stay without one: they were sent with memory off, or before
    memory was on. The profile block of a first prompt is kept apart from the turn's text, so that other branches have
    it, too: at the conversation's root, or at the first user message.

    Args:
        turn: The turn's text, with the profile block if this is the first prompt.
        chain: The request's.
        replay: What earlier prompts had.
        spoken: Depths of the user's messages.
        standing: Which memories are in the profile block.
        new_id: Makes ids.
    """
    bare = replace(turn, standing="", recalled="", items=(), withdrawn=(), quotes_messages=False)
    earlier = [] if chain.standalone else [depth for depth in spoken if depth < turn.depth and not replay.at(depth)]
    marks = [
        replace(bare, chain=chain.links[depth - 1], depth=depth, id=new_id())
        for depth in (*earlier[:1], *earlier[1:][-MAX_MARKS:])
    ]
    if replay.insertions:
        return [*marks, turn]
    if chain.root is not None:
        marks.insert(0, replace(bare, chain=chain.root, depth=0, id=new_id()))
    if not marks:
        return [turn]
    if turn.standing:
        shown = tuple(item for item in turn.items if item[1] in standing)
        marks[0] = replace(marks[0], standing=turn.standing, items=shown)
        turn = replace(turn, standing="", items=tuple(item for item in turn.items if item[1] not in standing))
    return [*marks, turn]


def _without(insertion: PromptInsertion, memories: frozenset[MemoryId]) -> PromptInsertion:
    if memories.isdisjoint((*(memory for _, memory in insertion.items), *insertion.withdrawn)):
        return insertion
    return replace(insertion, standing="", recalled="", items=(), withdrawn=(), quotes_messages=False, erased=True)


@register_text_cache
@lru_cache(maxsize=_MAX_LINKS)
def _link(before: int, message_hash: int) -> int:
    return hash64("prompt", _packed(before), _packed(message_hash))


def _packed(number: int) -> bytes:
    return number.to_bytes(_LINK_BYTES, "little", signed=True)
