"""What the engine's methods return beside memories. Pure."""

from dataclasses import dataclass

from toldonce.types import (
    Decision,
    InjectionRecord,
    InjectionSite,
    LoggedMessage,
    Memory,
    ProgressReporter,
    PromptBlock,
    RequestTrace,
    Subject,
)

ListOf = list
"""The builtin type, for annotations in classes that have a method called `list`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class HeldMemory:
    """A memory that waits for review."""

    memory: Memory
    reason: str
    """Why it was held."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryHistory:
    """One memory with everything that led to it and followed from it."""

    memory: Memory
    decisions: tuple[Decision, ...]
    """All decisions about it, oldest first."""
    related: tuple[Memory, ...]
    """Memories it replaced or was replaced by."""
    sources: tuple[LoggedMessage, ...]
    """The messages it was formed from."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryExplanation:
    """Why a memory is what it is."""

    history: MemoryHistory
    """The memory, its source messages and all decisions about it."""
    replaced: tuple[Memory, ...]
    """Memories it replaced or ended."""
    replaced_by: tuple[Memory, ...]
    """Memories that replaced it, the latest last."""
    last_recalled: InjectionSite | None
    """The last prompt that carried it; None: it was never recalled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PromptTrace:
    """What memory did for one request of a conversation."""

    record: InjectionRecord
    """What was injected, what was left out and why, and how much was replayed from earlier prompts."""
    memories: tuple[Memory, ...]
    """The injected memories, best first, as they are now: closed if they ended, without text if they were forgotten."""


@dataclass(frozen=True, slots=True, kw_only=True)
class TraceDetail:
    """What memory did for one request, in full."""

    trace: RequestTrace
    """What was injected, left out, replayed and declared, and how memory was asked."""
    memories: tuple[Memory, ...]
    """The injected memories, best first, as they are now: see `PromptTrace.memories`."""
    added: PromptBlock | None
    """What memory added at this request's message, as the model saw it; None if the text was not kept: only the
    placement `split` keeps what it inserts, for later prompts repeat it."""
    previous: PromptBlock | None
    """The same of the turn before in this conversation; None if there was none, or its text was not kept."""
    replayed: tuple[PromptBlock, ...]
    """What the prompt repeated of all earlier ones, in the order of their messages."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AppMemoryPage:
    """Memories of an app, of several users."""

    memories: tuple[Memory, ...]
    after: str | None
    """Where the next page begins; None after the last one."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RenamedCharacter:
    """A character under its new name."""

    subject: Subject
    """The subject that holds its memories, as before."""
    joined: int = 0
    """Memories taken over from a character that had the new name."""


class _NoProgress:
    """A progress reporter that shows nothing."""

    def begin(self, phase: str, unit: str, total: int) -> None:
        """Ignore the beginning of a phase."""

    def reach(self, done: int) -> None:
        """Ignore what is done."""


NO_PROGRESS: ProgressReporter = _NoProgress()


def silent(progress: object) -> None:
    """Ignore the progress of re-embedding."""
    del progress
