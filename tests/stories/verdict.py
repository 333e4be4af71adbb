"""Compares prompts and store with what a story expects. Pure."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from recollect.types import Memory, MemoryKind

from .chat import AskedTurn, ToldStory
from .phrase import phrase, sentences
from .story import SLOTS, Story


class Outcome(StrEnum):
    """Outcome of one expectation of a story."""

    RIGHT = "right"
    """An expected statement is there."""
    MISSING = "missing"
    FALSE_IN_STORE = "false in the store"
    FALSE_IN_PROMPT = "false in a prompt"
    """The worst outcome: the model is shown a statement that was corrected, forgotten, supposed or never said."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Finding:
    """One thing that is right, missing or false."""

    outcome: Outcome
    place: str
    """Session and question ("3: where do I live?"), or "store"."""
    phrase: str
    line: str = ""
    """The line of the prompt, or the memory, that is false."""

    def __str__(self) -> str:
        return f"{self.outcome}: {self.place} · {self.phrase}{' · ' * bool(self.line)}{self.line}"


@dataclass(frozen=True, slots=True, kw_only=True)
class Verdict:
    """All findings of one story in one run."""

    told: ToldStory
    findings: Sequence[Finding]

    def count(self, outcome: Outcome) -> int:
        """Count findings of one outcome."""
        return sum(finding.outcome is outcome for finding in self.findings)

    @property
    def follow_ups(self) -> int:
        """Count the follow-ups."""
        return len(self.told.asked)

    @property
    def false_follow_ups(self) -> int:
        """Count the follow-ups with something false in their prompt."""
        return len({finding.place for finding in self.findings if finding.outcome is Outcome.FALSE_IN_PROMPT})


def verdict(told: ToldStory, *, inventions: Sequence[str] = ()) -> Verdict:
    """Judge the result of a story; `inventions` are false wherever they are found."""
    findings: list[Finding] = []
    for asked in told.asked:
        findings += _prompt_findings(told.story, asked, inventions)
    findings += _store_findings(told, inventions)
    return Verdict(told=told, findings=findings)


def line_of(memory: Memory) -> str:
    """Write a memory with its slot."""
    slot = f" ({memory.key}: {memory.value})" if memory.kind is MemoryKind.FACT else ""
    return memory.text + slot


def _prompt_findings(story: Story, asked: AskedTurn, inventions: Sequence[str]) -> Iterator[Finding]:
    place = f"{asked.session}: {asked.turn.user}"
    for wanted in asked.turn.must:
        found = any(phrase(wanted).is_in(line) for line in asked.lines)
        yield Finding(outcome=Outcome.RIGHT if found else Outcome.MISSING, place=place, phrase=wanted)
    at_end = story.end.lacks if asked.session == len(story.session) else ()
    refused = dict.fromkeys((*asked.turn.must_not, *story.never, *at_end, *inventions))
    for line in asked.lines:
        false = next((words for words in refused if _states(words, line)), None)
        if false is not None:
            yield Finding(outcome=Outcome.FALSE_IN_PROMPT, place=place, phrase=false, line=line)


def _store_findings(told: ToldStory, inventions: Sequence[str]) -> Iterator[Finding]:
    end = told.story.end
    lines = [line_of(memory) for memory in told.active]
    for wanted in end.holds:
        found = any(phrase(wanted).is_in(line) for line in lines)
        yield Finding(outcome=Outcome.RIGHT if found else Outcome.MISSING, place="store", phrase=wanted)
    refused = (*end.lacks, *told.story.never, *inventions)
    for memory in told.active:
        line = line_of(memory)
        false = next((words for words in refused if _states(words, line)), None) or _false_slot(told.story, memory)
        if false is not None:
            yield Finding(outcome=Outcome.FALSE_IN_STORE, place="store", phrase=false, line=line)


def _false_slot(story: Story, memory: Memory) -> str | None:
    """Yield facts about the user as a whole that the story lacks or contradicts."""
    if memory.kind is not MemoryKind.FACT or memory.key not in SLOTS:
        return None
    expected = story.end.slots.get(memory.key)
    if expected is not None and phrase(expected).is_in(memory.value):
        return None
    return f"{memory.key} is {expected or 'not known'}"


def _states(words: str, line: str) -> bool:
    return any(phrase(words).is_in(sentence) for sentence in sentences(line))
