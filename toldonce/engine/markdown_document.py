"""What is known about a subject as a Markdown document: its lines, written and read. Pure.

Each memory is an item of a list. A comment at the end of its line names it and has a hash of its words, which tells on
the way back whether the person changed them or the database did.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from datetime import date, datetime, tzinfo
from hashlib import blake2b
from typing import BinaryIO
from urllib.parse import quote, unquote
from uuid import UUID

from toldonce.dates import written
from toldonce.errors import BadRequestError, BadSubjectError
from toldonce.lazy_pattern import LazyPattern
from toldonce.prompt.rows import said_on, speaker_of
from toldonce.prompt.sentences import plain_key
from toldonce.text import clean, squeeze
from toldonce.text.markdown import from_markdown, to_markdown
from toldonce.types import Memory, MemoryId, Subject

HEAD = "<!-- toldonce markdown 1 -->"
"""The first line; exports of JSON lines begin otherwise."""
MAX_LINE_BYTES = 16 * 1024 * 1024
_END = "<!-- toldonce end -->"
_COMMENT, _CLOSE = "<!-- toldonce ", "-->"
_SUBJECT = f"{_COMMENT}subject "
_EXPORTED = " exported "
_INTRODUCTION = """\

> Exported on {day}. You may reword lines, and add new ones that begin with a dash: `toldonce import` takes them back.
> The comment at the end of a line names its memory: leave it there. What is said in a line that you delete stays known,
> unless you import with `--forget-removed`."""
_BULLETS = ("- ", "* ", "+ ")
_HASH_BYTES, _HASH = 4, LazyPattern("[0-9a-f]{8}")
# The end of an item before its comment: who said it, and when. Formatters write emphasis with underscores.
_FRAME, _FRAME_END = " *(", ")*"
_FRAMES = ((_FRAME, _FRAME_END), (" _(", ")_"))
_DAY = LazyPattern(r"[0-9]{1,2} [A-Z][a-z]{2,8} [0-9]{1,4}")
_BY_HAND = "added by hand"


@dataclass(frozen=True, slots=True)
class SubjectHead:
    """Where the memories of a subject begin."""

    line: int
    subject: Subject
    exported_at: datetime


@dataclass(frozen=True, slots=True)
class DocumentItem:
    """An item of the list."""

    line: int
    words: str
    """As a person reads them, in one line; empty if they were taken out."""
    id: MemoryId | None = None
    """The memory; None for a new line."""
    hash: str = ""
    """Of its words when they were exported."""
    is_after_end: bool = False
    """Whether it comes after the last line: it is in no subject's section."""

    @property
    def is_edited(self) -> bool:
        """Whether the words of a memory were changed."""
        return self.hash != words_hash(self.words)


@dataclass(frozen=True, slots=True)
class UnreadLine:
    """A line that is none of a document."""

    line: int
    reason: str


DocumentPart = SubjectHead | DocumentItem | UnreadLine


def plain_words(text: str) -> str:
    """Return a text as notes are stored; texts that differ in white space alone are the same."""
    return squeeze(clean(text))


def words_of(memory: Memory) -> str:
    """Return what a document shows of a memory: its text; of a fact without one its key and value, as a prompt does."""
    return memory.text if memory.text.strip() else f"{plain_key(memory.key, memory.value)}: {memory.value}"


def words_hash(text: str) -> str:
    """Return the short hash of a memory's words.

    >>> words_hash("Ana rows.\\n") == words_hash(" Ana  rows."), len(words_hash(""))
    (True, 8)
    """
    return blake2b(plain_words(text).encode(), digest_size=_HASH_BYTES).hexdigest()


def introduction(day: date) -> list[str]:
    """Return the first lines of a document."""
    return [HEAD, _INTRODUCTION.format(day=written(day))]


def subject_lines(subject: Subject, exported_at: datetime) -> list[str]:
    """Return the lines before the memories of a subject."""
    name = quote(subject.text, safe=":/@")
    return [
        "",
        f"# What is known about {to_markdown(subject.text)}",
        "",
        f"{_SUBJECT}{name}{_EXPORTED}{exported_at.isoformat()} {_CLOSE}",
    ]


def memory_line(memory: Memory, zone: tzinfo) -> str:
    """Return the line of a memory: its words as they are stored, who said them, when, and the comment."""
    speaker = speaker_of(memory) if memory.speaker or memory.evidence else _BY_HAND
    frame = f"{_FRAME}{to_markdown(speaker)}, {written(said_on(memory, zone))}{_FRAME_END}"
    words = words_of(memory)
    return f"- {to_markdown(words)}{frame} {_COMMENT}{memory.id} {words_hash(words)} {_CLOSE}"


def last_line() -> str:
    """Return the last line, without which a document was cut."""
    return f"\n{_END}"


def unframed(words: str) -> str:
    """Return the words of a line without speaker and day, where it ends in them.

    >>> unframed("Ana rows. *(the user, 3 May 2026)*"), unframed("Ana rows *(often)*")
    ('Ana rows.', 'Ana rows *(often)*')
    """
    for frame, end in _FRAMES:
        said, found, who = words.rpartition(frame)
        if found and who.endswith(end) and _DAY.fullmatch(who.removesuffix(end).rpartition(", ")[2]):
            return said
    return words


class DocumentReader:
    """Reads a document line by line, from its beginning."""

    def __init__(self, file: BinaryIO) -> None:
        self._file = file
        self._open: tuple[int, list[str]] | None = None
        self.is_whole = False
        """Whether the last line was there; known once everything was read."""
        self.read_bytes = 0

    def parts(self) -> Iterator[DocumentPart]:
        """Yield the parts in their order. An item goes on until another line begins: editors wrap long ones.

        Raises:
            BadRequestError: It is no such document, or a line is too long.
        """
        for number, line in self._lines():
            text = line.strip()
            begins = line.lstrip(" ")[:2] in _BULLETS
            if self._open and text and not begins and not text.startswith(("#", ">", _SUBJECT, _END)):
                self._open[1].append(text)
                self._require_bounded(*self._open)
                continue
            yield from self._closed()
            if begins:
                self._open = (number, [text[1:].strip()])
            elif text.startswith(_SUBJECT):
                yield _subject_head(number, text)
            elif text == _END:
                self.is_whole = True
            elif text and not text.startswith(("#", ">", "<!--")) and text not in ("-", "*", "+"):
                yield UnreadLine(number, "is neither an item nor a heading: begin what is to be added with a dash")
        yield from self._closed()

    def _lines(self) -> Iterator[tuple[int, str]]:
        self._file.seek(0)
        number = self.read_bytes = 0
        while line := self._file.readline(MAX_LINE_BYTES + 1):
            number += 1
            self.read_bytes += len(line)
            if len(line) > MAX_LINE_BYTES:
                raise BadRequestError(f"line {number}: is longer than {MAX_LINE_BYTES:,} bytes")
            try:
                text = line.decode("utf-8-sig" if number == 1 else "utf-8")
            except UnicodeDecodeError as error:
                raise BadRequestError(f"line {number}: not UTF-8 at byte {error.start + 1}: save it as UTF-8") from None
            if number == 1 and text.strip() != HEAD:
                raise BadRequestError(f"line 1: is not {HEAD}, with which `toldonce export --markdown` begins a file")
            yield number, text

    @staticmethod
    def _require_bounded(number: int, lines: list[str]) -> None:
        if sum(map(len, lines)) > MAX_LINE_BYTES:
            raise BadRequestError(f"line {number}: the item is longer than {MAX_LINE_BYTES:,} characters")

    def _closed(self) -> Iterator[DocumentPart]:
        """Yield the item that is open."""
        if self._open is not None:
            number, lines = self._open
            self._open = None
            part = _item(number, " ".join(lines))
            yield replace(part, is_after_end=self.is_whole) if isinstance(part, DocumentItem) else part


def _subject_head(number: int, text: str) -> SubjectHead:
    name, _, rest = text.removeprefix(_SUBJECT).partition(_EXPORTED)
    try:
        exported_at = datetime.fromisoformat(rest.removesuffix(_CLOSE).strip())
        subject = Subject.parse(unquote(name))
    except (ValueError, BadSubjectError):
        raise BadRequestError(
            f"line {number}: the comment does not name a subject and the time of its export"
        ) from None
    if exported_at.tzinfo is None:
        raise BadRequestError(f"line {number}: the time of the export has no time zone")
    return SubjectHead(number, subject, exported_at)


def _item(number: int, text: str) -> DocumentPart:
    before, comment, after = text.rpartition(_COMMENT)
    if not comment:
        return DocumentItem(number, plain_words(from_markdown(text)))
    fields = after.removesuffix(_CLOSE).split()
    if not after.endswith(_CLOSE) or len(fields) != 2 or not _HASH.fullmatch(fields[1]):
        return UnreadLine(number, "the comment is damaged, or words follow it: put them before it")
    try:
        memory_id = MemoryId(str(UUID(fields[0])))
    except ValueError:
        return UnreadLine(number, f"the comment names no memory: {fields[0][:40]!r} is not an id")
    words = plain_words(from_markdown(unframed(before.rstrip())))
    return DocumentItem(number, words, memory_id, fields[1])
