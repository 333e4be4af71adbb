"""Compares prompts and store with what a story expects. Pure.

Something that a story refuses is false, with one exception: a dated quotation of what was true when it was said, shown
together with what the user said later about it, is `OLDER`.
"""

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from enum import StrEnum

from toldonce.dates import written
from toldonce.types import Memory, MemoryKind

from .changes import is_shown_beside_newer
from .chat import AskedTurn, ToldStory
from .phrase import phrase, sentences
from .story import SLOTS, Story


class Outcome(StrEnum):
    """Outcome of one expectation of a story."""

    RIGHT = "right"
    """An expected statement is there."""
    MISSING = "missing"
    OLDER = "older beside newer"
    """A dated quotation of what was true then, in a prompt that shows the newer statement as well."""
    FALSE_IN_STORE = "false in the store"
    FALSE_IN_PROMPT = "false in a prompt"
    """The worst outcome: the model is shown a statement that was forgotten, supposed or never said, or one that was
    corrected without the correction."""


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
    always = (*story.never, *inventions)
    for line in asked.lines:
        refused = _refused((*asked.turn.must_not, *at_end), always, line)
        if refused is not None:
            outdated = refused.can_be_older and is_shown_beside_newer(story, line, refused.sentence, asked.lines)
            outcome = Outcome.OLDER if outdated else Outcome.FALSE_IN_PROMPT
            yield Finding(outcome=outcome, place=place, phrase=refused.phrase, line=line)


def _store_findings(told: ToldStory, inventions: Sequence[str]) -> Iterator[Finding]:
    story = told.story
    lines = [line_of(memory) for memory in told.active]
    for wanted in story.end.holds:
        found = any(phrase(wanted).is_in(line) for line in lines)
        yield Finding(outcome=Outcome.RIGHT if found else Outcome.MISSING, place="store", phrase=wanted)
    quotations = [_as_quotation(memory) for memory in told.active]
    always = (*story.never, *inventions)
    for memory, line in zip(told.active, lines, strict=True):
        refused, slot = _refused(story.end.lacks, always, line), _false_slot(story, memory)
        if refused is not None and not (
            refused.can_be_older
            and slot is None
            and is_shown_beside_newer(story, _as_quotation(memory), refused.sentence, quotations)
        ):
            yield Finding(outcome=Outcome.FALSE_IN_STORE, place="store", phrase=refused.phrase, line=line)
        elif slot is not None:
            yield Finding(outcome=Outcome.FALSE_IN_STORE, place="store", phrase=slot, line=line)


@dataclass(frozen=True, slots=True)
class _Refused:
    """What a story refuses, found in a line."""

    phrase: str
    sentence: str
    can_be_older: bool
    """It may have been true once: the story does not rule it out altogether."""


# "The user" said it, and it need not be about them.
_FRAME = re.compile(r"^[\w ]+ said: (?=\")")


def _refused(once: Sequence[str], always: Sequence[str], line: str) -> _Refused | None:
    """Return the first phrase that a line states: of those that are never true, else of those that are not true now."""
    line = _FRAME.sub("", line)
    for phrases, can_be_older in ((always, False), (once, True)):
        for words in dict.fromkeys(phrases):
            stated = next((each for each in sentences(line) if phrase(words).is_in(each)), None)
            if stated is not None:
                return _Refused(words, stated, can_be_older)
    return None


def _as_quotation(memory: Memory) -> str:
    """Write a memory as a prompt shows it: a quotation with its speaker and day."""
    if memory.kind is not MemoryKind.TURN:
        return memory.text
    role = next((source.role for source in memory.evidence), "user")
    return f'"{memory.text}" (the {role}, {written(memory.valid_from.date())})'


def _false_slot(story: Story, memory: Memory) -> str | None:
    """Yield facts about the user as a whole that the story lacks or contradicts."""
    if memory.kind is not MemoryKind.FACT or memory.key not in SLOTS:
        return None
    expected = story.end.slots.get(memory.key)
    if expected is not None and phrase(expected).is_in(memory.value):
        return None
    return f"{memory.key} is {expected or 'not known'}"
