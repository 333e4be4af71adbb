"""Memories of a subject over HTTP: add, list, search, read, correct, close, erase, explain, share.

Serves through the engine.
"""

from typing import Annotated, Literal

from pydantic import Field

from toldonce.engine import run_in_thread_if_large
from toldonce.engine.arguments import MAX_REASON_CHARACTERS
from toldonce.server.api.v1.fields import (
    Body,
    Instant,
    Name,
    Needs,
    Page,
    ProfileName,
    SubjectName,
    UrlQuery,
    Weight,
    read_id_cursor,
)
from toldonce.server.api.v1.memory_answers import (
    ExplanationAnswer,
    HistoryAnswer,
    MemoriesAnswer,
    MemoryAnswer,
    MemoryPage,
    NearestAnswer,
    RecallAnswer,
    ReceiptAnswer,
    explained,
)
from toldonce.server.api.v1.message_bodies import DestinationBody
from toldonce.server.api.v1.operation import ResourceOperation, ResourceReply, ResourceRequest
from toldonce.server.status import CREATED
from toldonce.types import Access, Destination, MemoryKind, MemoryOrder, MemoryState, MemoryTraits, NewNote

_MAX_TEXT, _MAX_TYPE, _MAX_NOTES = 10_000, 40, 1000
# Bytes of a memory's JSON, roughly: long pages are described in a thread.
_BYTES_OF_MEMORY = 1000

_Text = Annotated[str, Field(min_length=1, max_length=_MAX_TEXT)]
_Type = Annotated[str, Field(max_length=_MAX_TYPE, description="Class of the note, such as `preference`.")]


class NewMemory(Body):
    """A sentence to store as a note, word for word."""

    text: _Text
    type: _Type = ""
    importance: Weight = 0.7


class NewMemories(Body):
    """Notes to store in one transaction: all of them or none."""

    memories: list[NewMemory] = Field(min_length=1, max_length=_MAX_NOTES)
    profile: ProfileName | None = None


class CorrectionRequest(Body):
    """What is wrong with a memory, and what holds in its place."""

    text: _Text | None = Field(default=None, description="What holds in its place; null: nothing does.")
    true_until: Instant | None = Field(
        default=None,
        description="It was true until this instant, when what holds began; null: it was wrong, and never true.",
    )
    value: str | None = Field(
        default=None,
        min_length=1,
        max_length=1000,
        description="Of a fact: the new value of its slot; null: what the text says of the slot, else it is a note.",
    )
    type: _Type | None = None
    importance: Weight | None = None


class CloseRequest(Body):
    """Why to close a memory."""

    reason: str = Field(default="", max_length=MAX_REASON_CHARACTERS, description="For the decision log.")


class LinkRequest(Body):
    """A subject to share a memory with."""

    to: Annotated[SubjectName, Needs(Access.WRITE)] = Field(
        description="Such as `shared:family`; the credential must allow writing there."
    )


class MemoryListQuery(Page):
    """Which memories to list."""

    kind: list[MemoryKind] = Field(
        default=[],
        max_length=4,
        description="Without it: notes, facts, episodes, and the quotations that are kept.",
    )
    state: list[MemoryState] = Field(
        default=[MemoryState.ACTIVE, MemoryState.HELD],
        max_length=3,
        description="With `closed`, a page may have fewer items than `limit` although there are more: read on while "
        "`next_cursor` is not null.",
    )
    tag: str = Field(default="", max_length=200, description="Only memories with this tag.")
    type: str = Field(default="", max_length=_MAX_TYPE, description="Only notes of this class, such as `preference`.")
    category: str = Field(default="", max_length=200, description="Only facts of this category, such as `identity`.")
    conversation: Name | None = Field(
        default=None, description="Only those formed from this conversation, by your id or the server's."
    )
    since: Instant | None = Field(default=None, description="Only those stored at this instant or later.")
    until: Instant | None = Field(default=None, description="Only those stored before this instant.")
    order: MemoryOrder = Field(default=MemoryOrder.NEWEST, description="Highest first; of equals the newest.")
    at: Instant | None = Field(default=None, description="List what was true at this instant; absent: now.")
    known_at: Instant | None = Field(default=None, description="List what was known at this instant; absent: now.")
    reader: Literal["person", "model"] = Field(
        default="person", description="`model` leaves out what the profile keeps from the model that the list is for."
    )
    upstream: str = Field(default="", max_length=200, description="Host of the API of the model that reads the list.")
    model: str = Field(default="", max_length=200, description="The model that reads the list.")
    client: str = Field(default="", max_length=200, description="The program that asks that model.")

    @property
    def where(self) -> MemoryTraits:
        """What the memories have in common."""
        return MemoryTraits(
            type=self.type,
            category=self.category,
            conversation=self.conversation,
            since=self.since,
            until=self.until,
        )

    @property
    def destination(self) -> Destination | None:
        """The model that reads the list; None: a person."""
        if self.reader == "person" and not (self.upstream or self.model or self.client):
            return None
        return Destination(upstream=self.upstream or None, model=self.model or None, client=self.client or None)


class EraseQuery(UrlQuery):
    """What else an erasure reaches."""

    keep_messages: bool = Field(default=False, description="Keep the messages, and other memories formed from them.")
    everywhere: bool = Field(
        default=False,
        description="Erase what other subjects have of it, too; not for a request bound to one user or app.",
    )


async def _list(request: ResourceRequest) -> ResourceReply:
    query = request.query_as(MemoryListQuery)
    page = await request.engine.list(
        user=request.target,
        kinds=query.kind or None,
        closed=MemoryState.CLOSED in query.state,
        after=read_id_cursor(query.cursor),
        tag=query.tag,
        order=query.order,
        limit=query.limit,
        at=query.at,
        known_at=query.known_at,
        destination=query.destination,
        where=query.where,
    )
    shown = [memory for memory in page if memory.state in query.state]
    following = page[-1].id if len(page) == query.limit else None
    return await run_in_thread_if_large(
        _BYTES_OF_MEMORY * len(shown), lambda: request.page(MemoryPage, shown, following)
    )


async def _add(request: ResourceRequest) -> ResourceReply:
    body = request.body_as(NewMemories)
    notes = [NewNote(new.text, new.importance, new.type) for new in body.memories]
    stored = await request.engine.bulk.add(notes, user=request.target, profile=request.profile(body.profile))
    return request.reply(MemoriesAnswer, {"memories": stored})


_MAX_QUERY, _MAX_FOUND, _MAX_DIMENSIONS = 200_000, 200, 16_000


class SearchRequest(Body):
    """What to search for."""

    query: str = Field(max_length=_MAX_QUERY, description="Words, a question, dates.")
    limit: int = Field(default=10, ge=1, le=_MAX_FOUND)
    profile: ProfileName | None = None
    at: Instant | None = Field(default=None, description="Search what was true at this instant; null: now.")
    known_at: Instant | None = Field(default=None, description="Search what was known at this instant; null: now.")
    destination: DestinationBody | None = Field(
        default=None, description="The model that reads the answer; null: a person, from whom nothing is kept."
    )
    explain: bool | None = Field(default=None, description="Also say of which parts each score is made (`parts`).")


class NearestRequest(Body):
    """A text or a vector, of which exactly one is given."""

    query: str | None = Field(default=None, max_length=_MAX_QUERY)
    vector: list[float] | None = Field(default=None, min_length=1, max_length=_MAX_DIMENSIONS)
    limit: int = Field(default=10, ge=1, le=_MAX_FOUND)


OPERATIONS = (
    ResourceOperation(
        "listMemories",
        summary="List memories, by default newest first",
        handler=_list,
        query=MemoryListQuery,
        answer=MemoryPage,
        is_lookup=True,
    ),
    ResourceOperation(
        "addMemories",
        summary="Store notes word for word",
        description="What is known already, but for case and punctuation, is strengthened and returned.",
        handler=_add,
        body=NewMemories,
        answer=MemoriesAnswer,
        status=CREATED,
    ),
    ResourceOperation(
        "getMemory",
        summary="Read a memory of any state",
        calls=lambda engine: engine.get,
        answer=MemoryAnswer,
        has_etag=True,
    ),
    ResourceOperation(
        "correctMemory",
        summary="Correct a memory that was wrong, or is no longer true",
        description="Answers the memory that took its place, under a new id, or the closed one if no text is given. "
        "What says the same is closed, too. What was wrong was never true: no search of the past finds it. Undoing the "
        "decision brings it back.",
        calls=lambda engine: engine.correct,
        body=CorrectionRequest,
        answer=MemoryAnswer,
        has_etag=True,
        takes_if_match=True,
        act="memories.correct",
    ),
    ResourceOperation(
        "closeMemory",
        summary="Close a memory: no later prompt has it, its history stays",
        calls=lambda engine: engine.forget,
        body=CloseRequest,
        has_optional_body=True,
        answer=MemoryAnswer,
        has_etag=True,
        takes_if_match=True,
        act="memories.close",
    ),
    ResourceOperation(
        "eraseMemory",
        summary="Erase a memory permanently, with a receipt",
        description="The messages it was formed from lose their words too, unless `keep_messages` is true. "
        "`If-Match` is checked right before, not in the same transaction.",
        calls=lambda engine: engine.erase,
        query=EraseQuery,
        answer=ReceiptAnswer,
        takes_if_match=True,
        act="memories.erase",
    ),
    ResourceOperation(
        "getMemoryHistory",
        summary="Read a memory with its decisions, sources and versions",
        calls=lambda engine: engine.history.get,
        answer=HistoryAnswer,
    ),
    ResourceOperation(
        "explainMemory",
        summary="Explain a memory: its quoted messages, what it replaced, when it was last used",
        calls=lambda engine: engine.history.explain,
        describe=lambda explanation, request: explained(explanation),
        answer=ExplanationAnswer,
    ),
    ResourceOperation(
        "linkMemory",
        summary="Share a memory with another subject",
        description="The other subject gets its own row under the same id.",
        calls=lambda engine: engine.shared.link,
        body=LinkRequest,
        answer=MemoryAnswer,
        status=CREATED,
    ),
    ResourceOperation(
        "unlinkMemory",
        summary="Remove a shared memory from this subject alone",
        calls=lambda engine: engine.shared.unlink,
    ),
    ResourceOperation(
        "searchMemories",
        summary="Find the memories relevant to a query, with the reasons",
        calls=lambda engine: engine.search,
        body=SearchRequest,
        answer=RecallAnswer,
    ),
    ResourceOperation(
        "nearestMemories",
        summary="Find the notes and episodes nearest in meaning to a text or a vector",
        calls=lambda engine: engine.vectors.nearest,
        body=NearestRequest,
        answer=NearestAnswer,
    ),
)
