"""Which later messages of a story change what an earlier one said, and which messages a line quotes. Pure.

A dated quotation of what was true then is no falsehood where what the user said later about it is shown as well. What
is to be forgotten is false however it is quoted.
"""

import re
from collections.abc import Iterable, Sequence

from .models import lesson_text
from .phrase import phrase
from .story import SLOTS, Lesson, Story, StoryTurn

_WORD = re.compile(r"\w+")
_DAY = re.compile(r"\[[^\]]*\]")
_GAP = "…"
_QUOTATION = re.compile(r"\"(.+)\" \((?:the user|the assistant), \d+ \w+ \d{4}\)$|^[\w ]+ said: \"(.+)\"", re.DOTALL)


def is_shown_beside_newer(story: Story, line: str, stated: str, lines: Iterable[str]) -> bool:
    """Return whether a line quotes what the user has changed since, and the change is among the lines.

    Args:
        story: The story.
        line: A line of a prompt, or the text of a memory.
        stated: The sentence of the line that no longer holds.
        lines: All lines of the prompt, or the texts of all memories.
    """
    quoted = quoted_words(line)
    if quoted is None:
        return False
    places = [place for place, turn in enumerate(story.turns) if _says(turn, quoted)]
    if not places or any(_is_forgotten(story, place, stated) for place in places):
        return False
    newer = {later for place in places for later in changes_of(story, place)}
    return any(_tells(story.turns[place], other) for place in newer for other in lines)


def quoted_words(line: str) -> str | None:
    """Return the words that a line quotes with their speaker; None if it quotes nobody."""
    found = _QUOTATION.search(line)
    return None if found is None else found[1] or found[2]


def changes_of(story: Story, place: int) -> set[int]:
    """Return the places of the messages that change what a message said, and of those that change these."""
    turns, found, waiting = story.turns, set[int](), [place]
    while waiting:
        old = waiting.pop()
        for later in range(old + 1, len(turns)):
            if later not in found and any(_changes(lesson, turns[old]) for lesson in turns[later].learns):
                found.add(later)
                waiting.append(later)
    return found


def _changes(lesson: Lesson, old: StoryTurn) -> bool:
    if lesson.updates and any(phrase(lesson.updates).is_in(text) for text in _texts(old)):
        return True
    return any(lesson.key == other.key and lesson.value != other.value and lesson.key in SLOTS for other in old.learns)


def _is_forgotten(story: Story, place: int, stated: str) -> bool:
    """Return whether a message after that one asks to forget what a sentence states."""
    later = [lesson for turn in story.turns[place:] for lesson in turn.learns if lesson.forget]
    return any(phrase(lesson.forget).is_in(stated) for lesson in later)


def _texts(turn: StoryTurn) -> Sequence[str]:
    return (turn.user, *(lesson_text(lesson) for lesson in turn.learns))


def _says(turn: StoryTurn, quoted: str) -> bool:
    """Return whether a message or its answer has words that are quoted, but for days in brackets and gaps."""
    parts = [_bare(part) for part in _DAY.sub(" ", quoted).split(_GAP)]
    said = (_bare(turn.user), _bare(turn.assistant))
    return any(all(part in whole for part in parts) for whole in said) and any(part.strip() for part in parts)


def _tells(turn: StoryTurn, line: str) -> bool:
    """Return whether a line shows what a message changed: its words, or a model's sentence on them."""
    quoted = quoted_words(line)
    if quoted is not None or line.strip() in turn.user:
        return _says(turn, line if quoted is None else quoted)
    return any(lesson_text(lesson) in line for lesson in turn.learns)


def _bare(text: str) -> str:
    return f" {' '.join(_WORD.findall(text.casefold()))} "
