"""`memory.bulk`: add many notes and form many conversations at once. Writes through the store."""

from collections.abc import Sequence

from toldonce.curation.edits import add_notes
from toldonce.curation.new_notes import ManualNote
from toldonce.engine.components import Components
from toldonce.engine.recorder import manual_note
from toldonce.engine.steps import Steps
from toldonce.errors import BadRequestError
from toldonce.profiles.policies import Profile
from toldonce.types import Memory, NewNote, Subject

# Maximum number of notes of one call: they are one transaction, for which other writers wait.
MAX_NOTES = 1_000


class BulkService:
    """Work on many texts or conversations at once."""

    def __init__(self, components: Components, steps: Steps) -> None:
        self._components = components
        self._steps = steps

    async def add(
        self, notes: Sequence[str | NewNote], *, user: str | Subject | None = None, profile: str | None = None
    ) -> list[Memory]:
        """Store many sentences as notes in one commit: all of them or none.

        They are embedded together. Each is compared with what is known and with the notes before it; notes that differ
        only in case and punctuation are stored once.

        Args:
            notes: Up to 1,000 notes; a bare text has importance 0.7 and no type.
            user: User whose memory they are added to.
            profile: Profile whose retention and capacity policies apply; None is the settings' profile.

        Returns:
            A memory for each note, in their order; the same memory for notes that say the same.

        Raises:
            UnknownProfileError: there is no such profile.
            BadRequestError: there are too many notes, or one is invalid: the message says which. Nothing was stored.
        """
        checked = checked_notes(notes, self._components.profile(profile))
        return await add_notes(self._steps.runtime, self._components.subject(user), checked)

    async def form(self) -> int:
        """Form everything that is due now, many users side by side; return the number of formations.

        For imports and replays, while no chat waits for the worker: users are worked on concurrently, and their texts
        are embedded together. The memories are the same as with `AsyncToldOnce.form`.
        """
        return await self._steps.bulk_worker().drain()


def new_notes(notes: Sequence[str | NewNote]) -> list[NewNote]:
    """Return the notes of one call, of which some may be bare texts.

    Raises:
        BadRequestError: there are too many notes, or it is no list.
    """
    if isinstance(notes, str) or not isinstance(notes, Sequence):  # a string's characters would be notes
        raise BadRequestError(f"the notes are {type(notes).__name__}: pass a list of strings or NewNote")
    if len(notes) > MAX_NOTES:
        raise BadRequestError(f"there are {len(notes):,} notes, one call takes {MAX_NOTES:,}: send them in parts")
    return [note if isinstance(note, NewNote) else NewNote(note) for note in notes]


def checked_notes(notes: Sequence[str | NewNote], profile: Profile) -> list[ManualNote]:
    """Check the notes of one call and return them as a profile stores them.

    Raises:
        BadRequestError: there are too many notes, or one is invalid: the message says which.
    """
    checked = []
    for index, note in enumerate(new_notes(notes)):
        try:
            checked.append(manual_note(note, profile))
        except BadRequestError as error:
            why = f"note {index + 1} of {len(notes)}: {error}; none was kept"
            raise BadRequestError(why, param=f"{index}.{error.param}") from None
    return checked
