"""The six commands of Anthropic's memory tool on one user's memory; texts and errors as its documentation has them.

The profile, the notes and the projects show what is remembered; all other files are the model's own. Reads and writes
through the engine.

A file of memories has a line for each. A changed line corrects its memory, a deleted one forgets it, and a new one is
a note; all of it can be undone with `memory.history`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from difflib import SequenceMatcher

from toldonce.engine import AsyncToldOnce
from toldonce.integrations.free_files import ROOT, FreeFiles, MemoryFileError, is_below, memory_path
from toldonce.text import squeeze
from toldonce.types import Memory, MemoryKind, MemoryState, RequestScope, Subject

_NUMBER_WIDTH = 6
# Lines around a change that are shown.
_CONTEXT = 2
_LEVELS = 2


class MemoryFiles:
    """Memory as a folder of files."""

    def __init__(self, engine: AsyncToldOnce, *, user: str | Subject | None = None) -> None:
        self._views = MemoryViews(engine, user)
        self._files = FreeFiles(engine, user)

    async def view(self, path: str, view_range: Sequence[int] | None = None) -> str:
        """Show a folder two levels deep, or a file with the numbers of its lines.

        Raises:
            MemoryFileError: There is no such path, or the range is none.
        """
        path = memory_path(path)
        text = await self._text(path)
        if text is None:
            return await self._folder(path)
        lines, first = text.split("\n"), 1
        if view_range:
            first, lines = _part(lines, view_range)
        return f"Here's the content of {path} with line numbers:\n{_numbered(lines, first)}"

    async def create(self, path: str, file_text: str) -> str:
        """Create a file.

        Raises:
            MemoryFileError: It exists, or cannot.
        """
        path = memory_path(path)
        if path == ROOT or await self._text(path) is not None or await self._all_below(path):
            raise MemoryFileError(f"File {path} already exists")
        await self._refuse_file_as_folder(path)
        await self._files.write(path, file_text)
        return f"File created successfully at: {path}"

    async def str_replace(self, path: str, old_str: str, new_str: str) -> str:
        """Replace the only occurrence of a text in a file.

        Raises:
            MemoryFileError: There is no such file, or not exactly one occurrence.
        """
        path = memory_path(path)
        text = await self._existing(path)
        places = _places(text, old_str)
        if not places:
            raise MemoryFileError(
                f"No replacement was performed, old_str `{old_str}` did not appear verbatim in {path}."
            )
        if len(places) > 1:
            numbers = ", ".join(str(text.count("\n", 0, place) + 1) for place in places)
            raise MemoryFileError(
                f"No replacement was performed. Multiple occurrences of old_str `{old_str}` in lines: {numbers}. "
                "Please ensure it is unique"
            )
        changed = text.replace(old_str, new_str)
        await self._write(path, changed)
        line, lines = text.count("\n", 0, places[0]), changed.split("\n")
        first = max(0, line - _CONTEXT)
        shown = _numbered(lines[first : line + _CONTEXT + 1], first + 1)
        return f"The memory file has been edited. Here is the snippet showing the change (with line numbers):\n{shown}"

    async def insert(self, path: str, insert_line: int, insert_text: str) -> str:
        """Insert text after a line; 0 is the beginning.

        Raises:
            MemoryFileError: There is no such file or line.
        """
        path = memory_path(path)
        text = await self._existing(path)
        lines = text.removesuffix("\n").split("\n") if text else []
        if not 0 <= insert_line <= len(lines):
            raise MemoryFileError(
                f"Invalid `insert_line` parameter: {insert_line}. It should be within the range [0, {len(lines)}]."
            )
        lines.insert(insert_line, insert_text.rstrip("\n"))
        await self._write(path, "\n".join(lines) + "\n")
        return f"The file {path} has been edited."

    async def delete(self, path: str) -> str:
        """Delete a file, or a folder with all files in it.

        Raises:
            MemoryFileError: There is no such path, or a generated file is meant.
        """
        path = memory_path(path)
        if path == ROOT:
            raise MemoryFileError(f"Cannot delete the {ROOT} directory itself")
        for file in await self._own(path, missing=f"The path {path} does not exist"):
            await self._files.delete(file)
        return f"Successfully deleted {path}"

    async def rename(self, old_path: str, new_path: str) -> str:
        """Rename a file or folder.

        Raises:
            MemoryFileError: There is no such path, the new one exists, or a generated file is meant.
        """
        old, new = memory_path(old_path), memory_path(new_path)
        if old == ROOT:
            raise MemoryFileError(f"Cannot rename the {ROOT} directory itself")
        if new == ROOT or await self._text(new) is not None or await self._all_below(new):
            raise MemoryFileError(f"The destination {new} already exists")
        if is_below(new, old):
            raise MemoryFileError(f"Cannot move {old} into itself")
        await self._refuse_file_as_folder(new)
        for file in await self._own(old, missing=f"The path {old} does not exist"):
            text = await self._files.read(file)
            if text is not None:
                await self._files.write(memory_path(new + file.removeprefix(old)), text)
                await self._files.delete(file)
        return f"Successfully renamed {old} to {new}"

    async def _text(self, path: str) -> str | None:
        view = await self._views.read(path)
        return view.text if view is not None else await self._files.read(path)

    async def _existing(self, path: str) -> str:
        text = await self._text(path)
        if text is None:
            if path == ROOT or await self._all_below(path):
                raise MemoryFileError(f"The path {path} is not a file.")
            raise MemoryFileError(f"The path {path} does not exist. Please provide a valid path.")
        return text

    async def _write(self, path: str, text: str) -> None:
        view: View | None = await self._views.read(path)
        if view is None:
            await self._files.write(path, text)
        else:
            await self._views.edit(view, text)

    async def _all_below(self, folder: str) -> list[str]:
        generated = [path for path in await self._views.paths() if is_below(path, folder)]
        return sorted([*generated, *await self._files.below(folder)])

    async def _own(self, path: str, *, missing: str) -> list[str]:
        """Return the file of a path, or the files of a folder; all of them the model's own."""
        generated = [known for known in await self._views.paths() if known == path or is_below(known, path)]
        if generated:
            raise MemoryFileError(
                f"{generated[0]} shows what is remembered and cannot be moved or deleted as a whole; delete lines of it"
            )
        files = [path] if await self._files.read(path) is not None else await self._files.below(path)
        if not files:
            raise MemoryFileError(missing)
        return files

    async def _refuse_file_as_folder(self, path: str) -> None:
        folder = path.rpartition("/")[0]
        while folder != ROOT:
            if await self._text(folder) is not None:
                raise MemoryFileError(f"{folder} is a file, not a directory")
            folder = folder.rpartition("/")[0]

    async def _folder(self, path: str) -> str:
        files = await self._all_below(path)
        if not files and path != ROOT:
            raise MemoryFileError(f"The path {path} does not exist. Please provide a valid path.")
        sizes: dict[str, int] = {}
        for file in files:
            size = len((await self._text(file) or "").encode())
            steps = file.removeprefix(f"{path}/").split("/")
            for depth in range(1, min(len(steps), _LEVELS) + 1):
                name = "/".join(steps[:depth]) + ("/" if depth < len(steps) else "")
                sizes[name] = sizes.get(name, 0) + size
        shown = {name: size for name, size in sizes.items() if not any(s.startswith(".") for s in name.split("/"))}
        rows = [f"{_size(size)}\t{path}/{name}" for name, size in sorted(shown.items())]
        whole = sum(size for name, size in shown.items() if "/" not in name.rstrip("/"))
        header = f"Here're the files and directories up to 2 levels deep in {path}, excluding hidden items:"
        return "\n".join([header, f"{_size(whole)}\t{path}", *rows])


def _part(lines: Sequence[str], view_range: Sequence[int]) -> tuple[int, list[str]]:
    """Return the number of the first line of a range, and its lines; -1 is the last one."""
    if len(view_range) != 2 or not all(isinstance(number, int) for number in view_range):
        raise MemoryFileError(f"Invalid `view_range` parameter: {list(view_range)}. It should be two line numbers.")
    start, end = view_range[0], len(lines) if view_range[1] == -1 else view_range[1]
    if not 1 <= start <= len(lines) or end < start:
        raise MemoryFileError(
            f"Invalid `view_range` parameter: {list(view_range)}. It should be within the range [1, {len(lines)}]."
        )
    return start, list(lines[start - 1 : end])


def _numbered(lines: Sequence[str], first: int) -> str:
    return "\n".join(f"{number:>{_NUMBER_WIDTH}}\t{line}" for number, line in enumerate(lines, start=first))


def _places(text: str, wanted: str) -> list[int]:
    """Return where a text occurs, overlaps included; nowhere if it is empty."""
    places: list[int] = []
    place = text.find(wanted) if wanted else -1
    while place >= 0:
        places.append(place)
        place = text.find(wanted, place + 1)
    return places


def _size(count: int) -> str:
    """Write a number of bytes.

    >>> _size(0), _size(900), _size(1536), _size(2048)
    ('0B', '900B', '1.5K', '2K')
    """
    size, unit = float(count), "B"
    for larger in "KMG":
        if size < 1024:
            break
        size, unit = size / 1024, larger
    return f"{size:.1f}".removesuffix(".0") + unit


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
