"""`AsyncToldOnce`: the engine as one object, the public library API. Opens the store and the models."""

from collections.abc import Mapping, Sequence
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import TYPE_CHECKING, Any, Self

from toldonce.clock import Clock, SystemClock
from toldonce.engine.arguments import read_reason, read_settings, require_members
from toldonce.engine.components import Components, open_components
from toldonce.engine.connection import Connectable
from toldonce.engine.memories import ListRequest, SearchOptions, parse_memory_id
from toldonce.engine.results import ListOf
from toldonce.engine.services import Services
from toldonce.profiles.policies import Profile
from toldonce.providers.model_factory import OpenedModel
from toldonce.providers.protocols import OpenedEmbedder
from toldonce.settings import Settings, shown_url
from toldonce.types import (
    ANY_TRAITS,
    NO_SCOPE,
    Destination,
    EraseReceipt,
    EraseRequest,
    Memory,
    MemoryKind,
    MemoryOrder,
    MemoryTraits,
    NewNote,
    Recall,
    RecordedTurn,
    RequestScope,
    Subject,
)

if TYPE_CHECKING:
    from toldonce.engine.context_builder import PromptContext


class AsyncToldOnce(Connectable, Services):
    """Long-term memory for LLM chat.

    Open it with `async with await AsyncToldOnce.open() as memory:`. `user` is a user's name, or a `Subject` for a
    memory that is not a user's; None means the settings' default user. Every method may raise `StoreUnavailableError`.
    """

    def __init__(self, components: Components) -> None:
        super().__init__(components)
        self.settings = components.settings
        self.clock = components.clock
        self.counter = components.counter
        self.own_embedder = components.embedder
        self.metrics = components.metrics

    @classmethod
    async def open(
        cls,
        database: str | Path | Settings | None = None,
        *,
        embedder: OpenedEmbedder | None = None,
        model: OpenedModel | None = None,
        clock: Clock | None = None,
        **settings: object,
    ) -> Self:
        """Open a database, and the models that the settings name.

        Args:
            database: Path of an SQLite file, URL of a database, or complete `Settings`; None is the setting
                `TOLDONCE_DATABASE_URL`, by default a file in the user's data folder.
            embedder: Embedder to use instead of the settings' one; closed with the engine.
            model: Language model that forms memories instead of the settings' one; closed with the engine.
            clock: Clock to use instead of the system's, for tests.
            settings: Settings by name, such as `profile="tiered"`; the others come from the environment.

        Raises:
            SetupError: a setting, file or package cannot be used; the message says what to do.
            TypeError: an argument has the wrong type or name; the message says what was given.
        """
        for name, value in (("embedder", embedder), ("model", model), ("clock", clock)):
            require_members(name, value)
        chosen = read_settings(database, settings)
        return cls(await open_components(chosen, clock or SystemClock(), embedder=embedder, model=model))

    async def close(self) -> None:
        """Finish what was accepted and close the database. Maintenance in progress stops within a second."""
        await self._steps.close()

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.close()

    def __repr__(self) -> str:
        return f"<ToldOnce of {shown_url(self.settings.database_url)}>"

    def subject(self, user: str | Subject | None) -> Subject:
        """Return the subject of a user's name; a name that cannot be one is a `BadSubjectError`."""
        return self._components.subject(user)

    async def _subject(self, user: str | Subject | None) -> Subject:
        await self._components.refresh()
        return self._components.subject(user)

    def profile(self, name: str) -> Profile:
        """Return a profile; an unknown name is an `UnknownProfileError`."""
        return self._components.profile(name)

    async def add(
        self,
        text: str,
        *,
        user: str | Subject | None = None,
        importance: float = 0.7,
        type: str = "",
        profile: str | None = None,
    ) -> Memory:
        """Store a sentence as a note, word for word. A note that is known already is strengthened and returned.

        Args:
            text: What to remember, up to 10,000 characters.
            user: User whose memory it is added to.
            importance: 0 to 1.
            type: Class of the note, such as `preference`; empty for none.
            profile: Profile whose retention and capacity policies apply; None is the settings' profile.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: the text is empty or too long, or the importance is out of range.
        """
        from toldonce.curation.edits import add_note
        from toldonce.engine.recorder import manual_note

        note = manual_note(NewNote(text, importance, type), self._components.profile(profile))
        return await add_note(self._steps.runtime, await self._subject(user), note)

    async def record(
        self,
        messages: Sequence[Mapping[str, Any]],
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        said_at: datetime | Sequence[datetime] | None = None,
        scope: RequestScope = NO_SCOPE,
    ) -> RecordedTurn:
        """Log messages (OpenAI's shape: role, content, name) durably; form memories from them in the background.

        Args:
            messages: New messages, or the whole history with them: known messages are not logged twice.
            user: User who has the conversation.
            conversation: Your id of the chat; None recognises it by its history.
            said_at: When they were said (aware; a zone is kept): one instant, or one for each message; None is now.
            scope: Profile, app, characters and time zone; by default the settings' profile.

        Raises:
            BadRequestError: the messages are malformed, or `said_at` has no time zone or another length.
        """
        return await self._recorder.record(
            messages, await self._subject(user), conversation=conversation, said_at=said_at, scope=scope
        )

    async def form(self) -> int:
        """Form all memories that are due now; return the number of formations, a running worker's included."""
        return await self._steps.worker.drain()

    async def search(  # noqa: PLR0913  # each option is independent of the others
        self,
        query: str,
        *,
        user: str | Subject | None = None,
        limit: int = 10,
        profile: str | None = None,
        at: datetime | None = None,
        known_at: datetime | None = None,
        destination: Destination | None = None,
        explain: bool = False,
        time_zone: str | None = None,
    ) -> Recall:
        """Find the memories relevant to a query, best first, each with its reasons.

        Args:
            query: Words, a question, dates ('last May').
            limit: Maximum number of memories to return, 1 to 200.
            profile: Profile whose recall policy applies; None is the settings' profile.
            at, known_at: What was true, and what was known, at these instants (aware), closed or not; None is now.
            destination: The model that reads the result; what profiles keep from it is left out. None is a person.
            explain: Also say of which parts each score is made (`RecalledMemory.parts`).
            time_zone: Where the asker is; None: as their own fact says, else the setting.

        Raises:
            BadRequestError: the limit is out of range, an instant has no time zone, or `time_zone` is none.
        """
        wanted = SearchOptions(
            limit=limit, profile=profile, destination=destination, explain=explain, time_zone=time_zone
        )
        return await self._memories.search(query, await self._subject(user), wanted, at=at, known_at=known_at)

    async def get(self, memory_id: str, *, user: str | Subject | None = None) -> Memory:
        """Read one memory of any state.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        return await self._memories.get(memory_id, await self._subject(user))

    async def list(  # noqa: PLR0913  # each option is independent of the others
        self,
        *,
        user: str | Subject | None = None,
        kinds: Sequence[MemoryKind] | None = None,
        closed: bool = False,
        after: str | None = None,
        tag: str = "",
        order: MemoryOrder = MemoryOrder.NEWEST,
        limit: int = 100,
        at: datetime | None = None,
        known_at: datetime | None = None,
        destination: Destination | None = None,
        where: MemoryTraits = ANY_TRAITS,
    ) -> ListOf[Memory]:
        """List memories, by default newest first.

        Args:
            kinds: Kinds of memories to list; None: notes, facts, episodes, and the quotations that are kept.
            closed: List closed ones as well.
            after: Id of the last memory of the page before; None lists from the newest on.
            order: `newest`, `oldest`, `importance`, `uses` or `last_used`, the highest first.
            limit: Maximum number of memories to return.
            at, known_at, destination: As in `search`.
            tag, where: Only memories with this tag, and of this class, category, conversation or time of storing.

        Raises:
            UnknownMemoryError: `after` is not an id.
            BadRequestError: an instant has no time zone.
        """
        wanted = ListRequest(
            kinds=kinds,
            closed=closed,
            after=after,
            tag=tag,
            order=order,
            limit=limit,
            destination=destination,
            where=where,
        )
        return await self._memories.list(await self._subject(user), wanted, at=at, known_at=known_at)

    async def correct(  # noqa: PLR0913  # each option is independent of the others
        self,
        memory_id: str,
        text: str | None = None,
        *,
        user: str | Subject | None = None,
        true_until: datetime | None = None,
        value: str | None = None,
        importance: float | None = None,
        type: str | None = None,
        unchanged: Memory | None = None,
    ) -> Memory:
        """Close an active memory that was wrong or is no longer true; return the memory in its place.

        Args:
            text: What holds instead, up to 10,000 characters; None: nothing does, and the closed memory is returned.
            true_until: It was true until this instant (aware), when what holds began; None: never, it was wrong.
            value: Of a fact: the new value of its slot; None: what `text` says of it, else `text` is a note.
            importance: 0 to 1; None: as before.
            type: Class of the note; None: as before.
            unchanged: The memory as you read it: refuse if it has changed since.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            BadRequestError: the memory is closed, held, a summary or not listed, or an argument is invalid.
            ChangedMemoryError: the memory is no longer as `unchanged`.
        """
        from toldonce.curation.corrections import HandCorrection, correct_memory
        from toldonce.engine.recorder import manual_note

        known = await self._memories.get_unchanged(memory_id, await self._subject(user), unchanged)
        note = None
        if text is not None:
            weight = known.importance if importance is None else importance
            given = NewNote(text, weight, known.type if type is None else type)
            note = manual_note(given, self._components.profile(None))
        correction = HandCorrection(note=note, value=value, true_until=true_until)
        memory = await correct_memory(self._steps.runtime, known, correction, only_unchanged=unchanged is not None)
        self._steps.forget_texts(memory.subject)
        return memory

    async def forget(
        self, memory_id: str, *, user: str | Subject | None = None, reason: str = "", unchanged: Memory | None = None
    ) -> Memory:
        """Close a memory and all that says the same, quotations included: no later prompt has it, its history stays.

        A closed memory stays as it is. The decision log keeps the reason, of up to 500 characters.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            ChangedMemoryError: it is not as you read it: not as `unchanged`, if that is given.
        """
        from toldonce.formation.forget import forget_by_hand

        because, is_strict = read_reason(reason), unchanged is not None
        known = await self._memories.get_unchanged(memory_id, await self._subject(user), unchanged)
        memory = await forget_by_hand(self._steps.runtime, known, because=because, only_unchanged=is_strict)
        self._steps.forget_texts(memory.subject)
        return memory

    async def erase(
        self,
        memory_id: str,
        *,
        user: str | Subject | None = None,
        keep_messages: bool = False,
        everywhere: bool = False,
    ) -> EraseReceipt:
        """Erase a memory permanently, with the closed ones it replaced and every record of them; return a receipt.

        The messages it was formed from lose their words too, and other memories formed from them are erased unless
        they have other sources. A client that sends its history again does not bring them back.

        Args:
            user: User whose memory it is, of any state.
            keep_messages: Keep the messages, and other memories formed from them.
            everywhere: Erase in other subjects too: copies linked there, and memories formed there from the messages.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        return await self._steps.eraser.erase(
            EraseRequest(
                subject=await self._subject(user),
                memories=(parse_memory_id(memory_id),),
                keep_messages=keep_messages,
                everywhere=everywhere,
            )
        )

    async def context(  # noqa: PLR0913  # each option is independent of the others
        self,
        query: str,
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        scope: RequestScope = NO_SCOPE,
        messages: Sequence[Mapping[str, Any]] = (),
        shown: Sequence[str] = (),
        use: bool = True,
    ) -> "PromptContext":
        """Return what memory would add to a prompt that ends in `query`.

        Args:
            query: The newest message.
            conversation, scope: Your id of the chat (profiles with session memory need it); profile, app, characters.
            messages: The chat before it (OpenAI's shape): what it says is left out, and shows what the query is about.
            shown: Ids of memories in earlier contexts that the chat has: left out, or told if they no longer hold.
            use: Count the recalled memories as used.

        Raises:
            BadRequestError: the messages are malformed, or the scope lacks a session, app or characters of the profile.
        """
        return await self._prompts.context(
            query, await self._subject(user), messages, conversation=conversation, scope=scope, use=use, shown=shown
        )

    async def prompt(
        self,
        query: str,
        *,
        conversation: str,
        user: str | Subject | None = None,
        scope: RequestScope = NO_SCOPE,
        system: str = "",
        one_system: bool = False,
    ) -> ListOf[dict[str, str]]:
        """Write the messages of a chat request: what a client without a history of its own sends upstream.

        In order: system prompt, what is remembered, summary so far, window (without what was forgotten), query.

        Args:
            query: The message to answer.
            conversation: The user's chat, by your id; an unknown one has neither summary nor window.
            scope: Profile, app and characters, unless the conversation was opened with them.
            system: Your system prompt.
            one_system: Put everything of the system role into one message, for models that take no second one.

        Raises:
            BadRequestError: the profile needs a session, an app or characters that the scope does not name.
        """
        return await self._prompts.prompt(
            query, conversation, await self._subject(user), scope, system=system, one_system=one_system
        )
