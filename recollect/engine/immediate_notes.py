"""Notes added by the blocking library without the way to the engine's thread. Writes through the store."""

from collections.abc import Sequence

from recollect.engine.components import Components
from recollect.engine.steps import Steps
from recollect.types import Memory, NewNote, Subject


class ImmediateNotes:
    """Adds notes that say nothing known, in the calling thread; what takes an event loop is left to the engine."""

    def __init__(self, components: Components, steps: Steps) -> None:
        """Add to the components' store."""
        self._components = components
        self._steps = steps

    def add(self, note: NewNote, *, user: str | Subject | None, profile: str | None) -> Memory | None:
        """Add a note; None, and nothing added, if that takes an event loop.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: the note is invalid.
        """
        from recollect.curation.new_notes import add_unknown_now
        from recollect.engine.recorder import manual_note

        checked = manual_note(note, self._components.profile(profile))
        added = add_unknown_now(self._steps.runtime, self._components.subject(user), [checked])
        return None if added is None else added[0]

    def add_many(
        self, notes: Sequence[str | NewNote], *, user: str | Subject | None, profile: str | None
    ) -> list[Memory] | None:
        """Add notes in one commit; None, and nothing added, if that takes an event loop.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: there are too many notes, or one is invalid.
        """
        from recollect.curation.new_notes import add_unknown_now
        from recollect.engine.bulk import checked_notes

        checked = checked_notes(notes, self._components.profile(profile))
        return add_unknown_now(self._steps.runtime, self._components.subject(user), checked) if checked else []
