"""The question that a model is asked about new messages: what is known, what was said before, the messages. Pure.

The system prompt is the same for every turn of a profile; what changes most comes last, so that a provider's prompt
cache keeps the beginning. Messages are JSON strings: no line feed or quote in one can end its quotation.
"""

from collections.abc import Mapping, Sequence

from toldonce.chat.content import speaker_name
from toldonce.dates.mention import written
from toldonce.extraction.own_text.marked_text import MARK_OPEN, fitted, without_marks
from toldonce.extraction.own_text.quotes import OTHERS_CLOSE, OTHERS_OPEN, with_marked_speech
from toldonce.extraction.redaction import redact
from toldonce.extraction.schemas.output_schema import MAX_SHOWN_MEMORY, OutputSchema, prompt, quoted
from toldonce.extraction.sources import ExtractionInput, readable, speaker_of
from toldonce.lazy_pattern import LazyPattern
from toldonce.time_zones import day_of, zone_of
from toldonce.types import INTERACTION_MODES, Candidate, LoggedMessage, Memory, MemoryKind

# Characters shown of a new message, and of the end of an earlier one that may ask what it answers: the message before,
# and the assistant's newest one, which may have several messages of the user after it.
_SHOWN_MESSAGE, _SHOWN_LAST = 8_000, 180
# Characters shown of what only surrounds the new messages: those further back, and the answer to the newest.
_SHOWN_AROUND = 90
# Characters shown of what a message says within a game or story.
_SHOWN_INVENTED = 1_000
# Characters shown of a whole conversation; of a longer one, only the beginning of each message.
_SHOWN_WHOLE, _MIN_SHOWN = 24_000, 80
_MAX_SPEAKER = 80
_QUESTION_MARKS = "?？؟"
_CARRIED = LazyPattern("(⟪[^⟪⟫]*+⟫)")


def question(source: ExtractionInput, shape: OutputSchema, *, given: Sequence[Candidate] | None = None) -> str:
    """Write the question about messages, at least one of which is by a speaker that counts.

    Args:
        source: The messages and what surrounds them.
        shape: Form of the answer.
        given: The memories in the answers so far, the last of which broke off; None where nothing was asked before.
    """
    known = [f"[{n}] {_known(memory)}" for n, memory in enumerate(source.neighbours, start=1)]
    is_same_day = {_day(message, source) for message in source.earlier} == {_day(source.messages[0], source)}
    earlier = _earlier(source, dated=not is_same_day)
    shown = _messages(source, whole=shape.whole)
    speakers = sorted({speaker_of(m) for m in source.messages if m.role in source.sources})
    interaction = source.interaction if source.interaction in INTERACTION_MODES else INTERACTION_MODES[0]
    parts = {
        "{time_zone}": str(zone_of(source.messages[-1].said_at, source.time_zone)),
        "{speakers}": ", ".join(quoted(speaker, _MAX_SPEAKER) for speaker in speakers),
        "{quotation}": "\n".join(_marks(source, (*shown, *earlier))),
        "{style}": prompt(f"style.{interaction}.txt"),
        "{known}": "\n".join(known) or "none",
        "{next}": str((given[-1].item if given else len(known)) + 1),
        "{that_day}": " that day" if is_same_day else "",
        "{earlier}": "\n".join(earlier) or "none",
        "{continued}": "" if given is None else _continued(given, shape),
        "{messages}": "\n".join(shown),
    }
    # One placeholder per line, replaced once: a message that contains a placeholder is left as it is.
    lines = (line for line in prompt(shape.user).splitlines() if parts.get(line) != "")
    return "\n".join(_filled(line, parts) for line in lines)


def _marks(source: ExtractionInput, lines: Sequence[str]) -> list[str]:
    """Explain the marks of quoted, carried and invented words, where there are any."""
    is_marked = any(MARK_OPEN in line for line in lines)
    is_quoted = any(OTHERS_OPEN in line for line in lines)
    is_invented = any(message.seq in source.invented for message in source.messages)
    marks = {"quotation.txt": is_quoted, "marked.txt": is_marked, "invented.txt": is_invented}
    return [prompt(name) for name, is_there in marks.items() if is_there]


def _known(memory: Memory) -> str:
    """Write a known memory with its kind, and the slot and value of a fact: an update is written from it."""
    slot = ""
    if memory.kind is MemoryKind.FACT:
        slot = f" {quoted(memory.key, MAX_SHOWN_MEMORY)} = {quoted(redact(memory.value), MAX_SHOWN_MEMORY)}"
    return f"{memory.kind.value}{slot}: {quoted(redact(memory.text), MAX_SHOWN_MEMORY)}"


def _continued(given: Sequence[Candidate], shape: OutputSchema) -> str:
    """Say that the last answer broke off, and what it held."""
    if not given:
        return prompt("shorter.txt")
    held = "\n".join(f"[{each.item}] {quoted(each.text, MAX_SHOWN_MEMORY)}" for each in given)
    return f"{prompt('continued.txt')}\n{held}"


def _filled(line: str, parts: Mapping[str, str]) -> str:
    for name, words in parts.items():
        if name in line:
            return line.replace(name, words)
    return line


def _earlier(source: ExtractionInput, *, dated: bool) -> list[str]:
    """Write the ends of the messages before the new ones."""
    lines: list[str] = []
    answers = [message for message in source.earlier if message.role == "assistant"]
    shown_longer = [*filter(_asks, answers[-1:]), *source.earlier[-1:]]
    for message in source.earlier:
        day = f"{_day(message, source)}, " if dated else ""
        max_characters = _SHOWN_LAST if message in shown_longer else _SHOWN_AROUND
        lines.append(f"- {day}{_spoken(message, _ending(_marked(message), max_characters))}")
    return lines


def _asks(message: LoggedMessage) -> bool:
    return any(mark in readable(message) for mark in _QUESTION_MARKS)


def _messages(source: ExtractionInput, *, whole: bool) -> list[str]:
    """Write the new messages, each with its day unless the one before has the same.

    An answer that comes after all that counts is shown in its beginnings: nothing is taken from it, and nothing here
    refers to it.
    """
    longest = _SHOWN_MESSAGE
    if whole:
        longest = max(_MIN_SHOWN, min(longest, _SHOWN_WHOLE // len(source.messages)))
    newest = max((n for n, message in enumerate(source.messages) if message.role in source.sources), default=0)
    lines: list[str] = []
    before = ""
    for place, message in enumerate(source.messages):
        day = _day(message, source)
        max_characters = longest if place <= newest or whole else _SHOWN_AROUND
        dated = "" if day == before else f"{day}, "
        invented = source.invented.get(message.seq, "")
        if readable(message) or message.seq in source.carried or not invented:
            lines.append(f"[{place + 1}] {dated}{_spoken(message, _shown(message, source, max_characters))}")
        if invented:
            words = quoted(invented, _SHOWN_INVENTED)
            lines.append(f"[{place + 1}] {dated}{quoted(speaker_of(message), _MAX_SPEAKER)}, invented: {words}")
        before = day
    return lines


def _day(message: LoggedMessage, source: ExtractionInput) -> str:
    day = day_of(message.said_at, source.time_zone)
    return f"{day:%A} {written(day)}"


def _marked(message: LoggedMessage) -> str:
    """Return the words of a message, with what others said in it between marks."""
    words = _unmarked(without_marks(readable(message)))
    return with_marked_speech(words) if message.role == "user" and not speaker_name(message.name) else words


def _unmarked(words: str) -> str:
    return words.replace(OTHERS_OPEN, "").replace(OTHERS_CLOSE, "")


def _shown(message: LoggedMessage, source: ExtractionInput, max_characters: int) -> str:
    """Return the words of a new message, with others' speech and what it only carries between marks."""
    if message.seq not in source.carried:
        return fitted(_marked(message), max_characters)
    pieces = _CARRIED.split(_unmarked(source.carried[message.seq].shown))
    marked = "".join(piece if piece.startswith(MARK_OPEN) else with_marked_speech(piece) for piece in pieces)
    return fitted(marked, max_characters)


def _ending(text: str, max_characters: int) -> str:
    """Return the end of an earlier message: its question is usually there, and answers need it."""
    return text if len(text) <= max_characters else f"…{text[1 - max_characters :]}"


def _spoken(message: LoggedMessage, words: str) -> str:
    return f"{quoted(speaker_of(message), _MAX_SPEAKER)}: {quoted(words, len(words))}"
