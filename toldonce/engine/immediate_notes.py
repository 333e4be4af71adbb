"""Notes added by the blocking library without the way to the engine's thread. Writes through the store."""

from collections.abc import Sequence
from typing import TYPE_CHECKING

from toldonce.engine.components import Components
from toldonce.engine.steps import Steps
from toldonce.providers.protocols import Embedder, ImmediateTextEmbedder
from toldonce.types import Memory, NewNote, Subject

if TYPE_CHECKING:
    from toldonce.curation.new_notes import ManualNote


class ImmediateNotes:
    """Adds notes that say nothing known, in the calling thread; what takes an event loop is left to the engine."""

    def __init__(self, components: Components, steps: Steps) -> None:
        """Add to the components' store."""
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
