"""The engine's services, each loaded and made at its first use. Opens nothing."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toldonce.engine.components import Components
from toldonce.engine.lazy_property import lazy_property
from toldonce.engine.memories import MemoryService
from toldonce.engine.steps import Steps
from toldonce.providers.protocols import Embedder, ImmediateTextEmbedder
from toldonce.types import Memory, NewNote, Subject

if TYPE_CHECKING:
    from toldonce.curation.new_notes import ManualNote
    from toldonce.engine.admin import AdminService
    from toldonce.engine.agent_notes import AgentNoteService
    from toldonce.engine.agents import AgentService
    from toldonce.engine.apps import AppService, CharacterService
    from toldonce.engine.bulk import BulkService
    from toldonce.engine.conversation_window import WindowReader
    from toldonce.engine.conversations import ConversationService
    from toldonce.engine.embedder import EmbedderService, VectorService
    from toldonce.engine.erasure import ErasureService
    from toldonce.engine.health import HealthService
    from toldonce.engine.history import HistoryService, ReviewService
    from toldonce.engine.keys import KeyService
    from toldonce.engine.prompt_traces import TraceService
    from toldonce.engine.prompts import PromptService
    from toldonce.engine.recorder import RecorderService
    from toldonce.engine.shared import SharedMemoryService
    from toldonce.engine.source_import import ImportService
    from toldonce.engine.transfer import TransferService
    from toldonce.engine.turn import TurnService


class Services:
    """What the engine offers, by subject: `memory.history`, `memory.transfer` and so on."""

    def __init__(self, components: Components) -> None:
        self._components = components
        self._steps = Steps(components)
        self.lock = self._steps.lock
        self._memories = MemoryService(components, self._steps)
        self.search_now = self._memories.search_now
        """Searches without an event loop, for the blocking library."""
        self.immediate_notes = ImmediateNotes(components, self._steps)
        """Adds notes without an event loop, for the blocking library."""

    @lazy_property
    def turns(self) -> "TurnService":
        """Turns of chats: what memory adds to a request, and recording what was said."""
        return self._steps.turns

    @lazy_property
    def agents(self) -> "AgentService":
        """Turns of coding agents, for their hooks."""
        return self._steps.agents

    @lazy_property
    def conversations(self) -> "ConversationService":
        """Conversations: their messages, turns and prompts."""
        from toldonce.engine.conversations import ConversationService

        return ConversationService(self._components, self._steps, self._recorder, self._windows)

    @lazy_property
    def traces(self) -> "TraceService":
        """What memory did for requests, across conversations."""
        from toldonce.engine.prompt_traces import TraceService

        return TraceService(self._components)

    @lazy_property
    def history(self) -> "HistoryService":
        """Decisions about memories, and undoing them."""
        from toldonce.engine.history import HistoryService

        return HistoryService(self._components, self._steps.runtime, self._memories)

    @lazy_property
    def health(self) -> "HealthService":
        """Memories that may need a look."""
        from toldonce.engine.health import HealthService

        return HealthService(self._components, self._steps)

    @lazy_property
    def reviews(self) -> "ReviewService":
        """Memories that wait for review."""
        from toldonce.engine.history import ReviewService

        return ReviewService(self._components, self._steps.runtime, self._memories)

    @lazy_property
    def shared(self) -> "SharedMemoryService":
        """Shared memories."""
        from toldonce.engine.shared import SharedMemoryService

        return SharedMemoryService(self._components, self._steps.runtime, self._memories)

    @lazy_property
    def keys(self) -> "KeyService":
        """API keys of the server, and the log of administrative acts."""
        from toldonce.engine.keys import KeyService

        return KeyService(self._components)

    @lazy_property
    def apps(self) -> "AppService":
        """Apps and their memories."""
        from toldonce.engine.apps import AppService

        return AppService(self._components, self.conversations, self._memories, self._steps.eraser)

    @lazy_property
    def characters(self) -> "CharacterService":
        """Characters and their names."""
        from toldonce.engine.apps import CharacterService

        return CharacterService(self._components, self._steps.runtime, self._memories)

    @lazy_property
    def agent_notes(self) -> "AgentNoteService":
        """What agents ask to remember."""
        from toldonce.engine.agent_notes import AgentNoteService

        return AgentNoteService(self._components, self._steps)

    @lazy_property
    def bulk(self) -> "BulkService":
        """Many memories at once."""
        from toldonce.engine.bulk import BulkService

        return BulkService(self._components, self._steps)

    @lazy_property
    def vectors(self) -> "VectorService":
        """Memories by their vectors."""
        from toldonce.engine.embedder import VectorService

        return VectorService(self._components, self._steps.runtime)

    @lazy_property
    def erasure(self) -> "ErasureService":
        """Erasing users, conversations and apps."""
        from toldonce.engine.erasure import ErasureService

        return ErasureService(self._components, self._steps.eraser)

    @lazy_property
    def embedder(self) -> "EmbedderService":
        """The embedding model of the database."""
        from toldonce.engine.embedder import EmbedderService

        return EmbedderService(self._components, self._steps)

    @lazy_property
    def transfer(self) -> "TransferService":
        """Export and import."""
        from toldonce.engine.transfer import TransferService

        return TransferService(self._components, self._steps.runtime, self._steps.closing.is_set)

    @lazy_property
    def imports(self) -> "ImportService":
        """What other products exported, for the command line."""
        return self._steps.imports

    @lazy_property
    def admin(self) -> "AdminService":
        """The whole database, the worker and the budgets."""
        from toldonce.engine.admin import AdminService

        return AdminService(self._components, self._steps)

    @lazy_property
    def _windows(self) -> "WindowReader":
        from toldonce.engine.conversation_window import WindowReader

        return WindowReader(self._components, self._steps.turns)

    @lazy_property
    def _recorder(self) -> "RecorderService":
        from toldonce.engine.recorder import RecorderService

        return RecorderService(self._components, self._steps.turns)

    @lazy_property
    def _prompts(self) -> "PromptService":
        from toldonce.engine.prompts import PromptService

        return PromptService(self._components, self._steps, self._windows)


class ImmediateNotes:
    """Adds notes that say nothing known, in the calling thread; what takes an event loop is left to the engine."""

    def __init__(self, components: Components, steps: Steps) -> None:
        self._components = components
        self._runtime = steps.runtime
        self._immediate: tuple[Embedder, ImmediateTextEmbedder | None] | None = None

    def add(self, note: NewNote, *, user: str | Subject | None, profile: str | None) -> Memory | None:
        """Add a note; None, and nothing added, if that takes an event loop.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: the note is invalid.
        """
        from toldonce.engine.recorder import manual_note

        checked = manual_note(note, self._components.profile(profile))
        added = self._add(self._components.subject(user), [checked])
        return None if added is None else added[0]

    def add_many(
        self, notes: Sequence[str | NewNote], *, user: str | Subject | None, profile: str | None
    ) -> list[Memory] | None:
        """Add notes in one commit; None, and nothing added, if that takes an event loop.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: there are too many notes, or one is invalid.
        """
        from toldonce.engine.bulk import checked_notes

        checked = checked_notes(notes, self._components.profile(profile))
        return self._add(self._components.subject(user), checked) if checked else []

    def _add(self, subject: Subject, checked: Sequence["ManualNote"]) -> list[Memory] | None:
        from toldonce.curation.new_notes import add_unknown_now

        embedder = self._embedder(subject)
        return None if embedder is None else add_unknown_now(self._runtime, embedder, subject, checked)

    def _embedder(self, subject: Subject) -> ImmediateTextEmbedder | None:
        embedders = self._runtime.embedders
        embedder = self._runtime.embedder if embedders is None else embedders.opened_for(subject)
        if embedder is None:
            return None
        last = self._immediate
        if last is None or last[0] is not embedder:  # looking for the methods of a protocol takes long
            last = self._immediate = embedder, embedder if isinstance(embedder, ImmediateTextEmbedder) else None
        return last[1]
