"""Memories as files, a line each: what a model reads in `/memories/profile.md`, and what its edits of a line mean.

Reads and writes through the engine. A changed line corrects its memory, a deleted one forgets it, and a new one is a
note; all of it can be undone with `memory.history`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from toldonce.engine import AsyncToldOnce
from toldonce.integrations.file_paths import ROOT, MemoryFileError
from toldonce.text import squeeze
from toldonce.types import Memory, MemoryKind, MemoryState, RequestScope, Subject

PROFILE, NOTES, PROJECTS = f"{ROOT}/profile.md", f"{ROOT}/notes.md", f"{ROOT}/projects"
# Memories that a view shows; older ones are found by recall.
MAX_LINES = 1_000
_MAX_CONVERSATIONS = 1_000
_MARK = "- "


@dataclass(frozen=True, slots=True, kw_only=True)
class View:
    """A generated file."""

    subject: Subject
    memories: tuple[Memory, ...]

    @property
    def lines(self) -> list[str]:
        """A line for each memory."""
        return [_MARK + squeeze(memory.text) for memory in self.memories]

    @property
    def text(self) -> str:
        """The file."""
        return "".join(f"{line}\n" for line in self.lines)


class MemoryViews:
    """The generated files of one user."""

    def __init__(self, engine: AsyncToldOnce, user: str | Subject | None) -> None:
        """Show an engine's memories."""
        self._engine = engine
        self._user = engine.subject(user)

    async def paths(self) -> list[str]:
        """List the generated files."""
        listed = await self._engine.conversations.list(user=self._user, limit=_MAX_CONVERSATIONS)
        apps = {known.app for known in listed if known.app and "/" not in known.app}
        return [NOTES, PROFILE, *sorted(f"{PROJECTS}/{app}.md" for app in apps)]

    async def read(self, path: str) -> View | None:
        """Return a generated file; None if the path is none."""
        if path == PROFILE:
            return await self._view(self._user, (MemoryKind.FACT,))
        if path == NOTES:
            return await self._view(self._user, (MemoryKind.NOTE, MemoryKind.TURN))
        if path not in await self.paths():
            return None
        app = path.removeprefix(f"{PROJECTS}/").removesuffix(".md")
        scope = RequestScope(profile="app", app=app)
        subject = await self._engine.conversations.subject(user=self._user, scope=scope)
        return await self._view(subject, (MemoryKind.FACT, MemoryKind.NOTE, MemoryKind.TURN))

    async def edit(self, view: View, text: str) -> None:
        """Make the memories what an edited file says.

        Raises:
            MemoryFileError: A line is too long for a memory.
        """
        after = [line.strip() for line in text.splitlines() if line.strip()]
        before = [line.strip() for line in view.lines]
        for _, start, end, new_start, new_end in _changes(before, after):
            old, new = view.memories[start:end], [_sentence(line) for line in after[new_start:new_end]]
            for memory, sentence in zip(old, new, strict=False):
                await self._replace(memory, sentence, view.subject)
            for memory in old[len(new) :]:
                await self._engine.forget(memory.id, user=view.subject)
            for sentence in new[len(old) :]:
                await self._engine.add(sentence, user=view.subject)

    async def _replace(self, memory: Memory, sentence: str, subject: Subject) -> None:
        """Correct a memory; what was said is not corrected, so another note takes the place of a quotation."""
        if memory.kind is MemoryKind.TURN:
            await self._engine.forget(memory.id, user=subject)
            await self._engine.add(sentence, user=subject)
        else:
            await self._engine.correct(memory.id, sentence, user=subject)

    async def _view(self, subject: Subject, kinds: Sequence[MemoryKind]) -> View:
        listed = await self._engine.list(user=subject, limit=MAX_LINES)  # of quotations, those that are kept
        active = [memory for memory in reversed(listed) if memory.state is MemoryState.ACTIVE and memory.kind in kinds]
        return View(subject=subject, memories=tuple(active))


def _changes(before: Sequence[str], after: Sequence[str]) -> list[tuple[str, int, int, int, int]]:
    return [step for step in SequenceMatcher(None, before, after, autojunk=False).get_opcodes() if step[0] != "equal"]


def _sentence(line: str) -> str:
    sentence = line.removeprefix(_MARK.strip()).strip()
    if not sentence:
        raise MemoryFileError("A line of this file is a memory, and cannot be empty; delete the line instead")
    return sentence
