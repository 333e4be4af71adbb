"""Slots: what a sentence states of its speaker, such as `location: Oslo`, in eleven languages by one reader. Pure.

`tables/slots.toml` declares the slots, a table for each language how it states them (see `frames`). A frame is tried
where one of its words is in a sentence, whatever the language of the rest.
"""

import tomllib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from importlib.resources import files
from itertools import chain
from typing import Any

from toldonce.reading.frame_matches import Match, matches
from toldonce.reading.frame_words import Word, folded, words_of
from toldonce.reading.frames import FrameNeeds, Row, Vocabulary, needs, parse_frame
from toldonce.reading.sentences import TextSpan, sentences
from toldonce.reading.slot_values import DatedWords, ReadValue, ValueKind, ValueWords, read_values
from toldonce.text import squeeze

# Words of a sentence that are read: a longer one is a list or a text.
_MAX_WORDS = 250
_KIN = "kin"
# Words of a short answer, and of the message that is one: sentences of a longer one need not be answers.
_MAX_ANSWER, _MAX_ANSWERING_MESSAGE = 5, 14
# Characters of a reply in which its last question is looked for.
_MAX_QUESTION = 400


@dataclass(frozen=True, slots=True, kw_only=True)
class StatedSlot:
    """A slot with its value."""

    category: str
    key: str
    """With the value where a person may have several: `allergy:nuts`."""
    value: str
    importance: float
    """0 to 1."""
    clause: TextSpan
    """The part of the sentence that states it and no other slot."""
    part: TextSpan
    """The words around its frame, from mark to mark."""
    core: TextSpan
    """From the first word of its frame to the last of its value."""
    is_dated: bool
    """A day in the clause says since when it holds."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SlotKind:
    """A slot as `slots.toml` declares it."""

    name: str
    category: str
    importance: float
    value: ValueKind
    many: bool
    """A person may have several values at a time."""
    key: str
    """Its key; its name unless two slots share one."""
    is_dated: bool
    """A day beside it says since when it holds."""


@dataclass(frozen=True, slots=True, eq=False)
class _Frame:
    slot: SlotKind
    row: Row
    needs: FrameNeeds
    means: str
    """The value that the frame means, of a closed slot; empty where its words say it."""
    language: "_Language"


@dataclass(frozen=True, slots=True, eq=False)
class _Language:
    vocabulary: Vocabulary
    asks: Mapping[str, Sequence[Row]]
    """By slot: questions that a short answer fills."""
    yes: frozenset[str]
    """Words before a short answer: 'yes', 'I think'."""
    values: ValueWords
    closed: Mapping[str, Mapping[str, str]]
    """By slot: the folded words of a value, and its name."""
    not_after: frozenset[str]
    """A frame is void after one of these words: 'if', 'whether'."""
    kin: Row
    single_kin: frozenset[str]


@dataclass(frozen=True, slots=True)
class _Found:
    slot: SlotKind
    key: str
    value: str
    start: int
    end: int
    """Words of the frame and its value."""
    at: int
    """First word of the value."""
    value_end: int
    """End of the value, in words."""


def stated_slots(
    sentence: TextSpan, dates: Sequence[tuple[int, int]] = (), *, recurring: Sequence[tuple[int, int]] = ()
) -> list[StatedSlot]:
    """Return the slots that a sentence states, each once, in order; whether it means them is not judged here.

    Args:
        sentence: In the speaker's words; others' words blanked.
        dates: Places of its dates, from its start.
        recurring: Those of them that come again and again.

    >>> [(each.key, each.value) for each in stated_slots(TextSpan("Ich wohne jetzt in Halle und bin Veganer", 0))]
    [('location', 'Halle'), ('diet', 'vegan')]
    >>> [each.clause.text for each in stated_slots(TextSpan("I live in Oslo and I'm allergic to nuts", 0))]
    ['I live in Oslo', "I'm allergic to nuts"]
    """
    words = words_of(sentence.text)[:_MAX_WORDS]
    days = DatedWords(_within(words, dates), _within(words, recurring))
    return _as_stated(sentence, words, _found(sentence.text, words, days))


def _within(words: Sequence[Word], spans: Sequence[tuple[int, int]]) -> frozenset[int]:
    return frozenset(place for place, word in enumerate(words) for start, end in spans if start <= word.start < end)


def answered_slots(answer: TextSpan, message: str, reply: str) -> list[StatedSlot]:
    """Return the slot that a short answer to a question of the assistant fills.

    Args:
        answer: A sentence of the message.
        message: The whole message.
        reply: What the assistant said before it.

    >>> [each.key for each in answered_slots(TextSpan("yep, hazelnuts", 0), "yep, hazelnuts", "Any allergies?")]
    ['allergy:hazelnuts']
    """
    asked = [piece.text for piece in sentences(reply[-_MAX_QUESTION:]) if _ends_asking(piece.text)]
    words = words_of(answer.text)
    if not asked or _ends_asking(answer.text) or len(words_of(message)) > _MAX_ANSWERING_MESSAGE:
        return []
    question = words_of(asked[-1])
    found: list[_Found] = []
    for language in languages().values():
        first = next((place for place, word in enumerate(words) if word.text not in language.yes), len(words))
        if not first < len(words) <= first + _MAX_ANSWER:
            continue
        for name, rows in language.asks.items():
            if not any(_matches_somewhere(row, question, language) for row in rows):
                continue
            frame = _Frame(slot_kinds()[name], (), FrameNeeds((), None), "", language)
            match = Match(first, len(words), first, -1)
            values = read_values(frame.slot.value, match, words, answer.text, language.values, DatedWords())
            found += [_of_value(frame, match, value) for value in values if _is_known(frame, value)]
    return _as_stated(answer, words, found)


def _ends_asking(text: str) -> bool:
    return text.rstrip().endswith(("?", "？", "؟"))


def _matches_somewhere(row: Row, words: Sequence[Word], language: "_Language") -> bool:
    return any(next(matches(row, words, start, language.vocabulary), None) for start in range(len(words)))


def _is_known(frame: _Frame, value: ReadValue) -> bool:
    """Return whether an answer is one of the values of a closed slot."""
    closed = frame.language.closed.get(frame.slot.name, {})
    return frame.slot.value is not ValueKind.CLOSED or folded(value.text) in closed


def _as_stated(sentence: TextSpan, words: Sequence[Word], every: Iterable[_Found]) -> list[StatedSlot]:
    unique: dict[tuple[str, str], _Found] = {}
    for found in sorted(every, key=lambda found: (found.start, -found.end)):
        several = found.slot.many or ":" in found.key
        unique.setdefault((found.key, "" if not several else folded(found.value)), found)
    kept = sorted(unique.values(), key=lambda found: (found.start, found.at))
    # Where words are written without blanks, a frame matches from each letter of a value on.
    whole: dict[tuple[str, int], int] = {}
    for found in kept:
        whole.setdefault((found.slot.name, found.value_end), found.at)
    kept = [found for found in kept if found.at == whole[found.slot.name, found.value_end]]
    return [
        StatedSlot(
            category=found.slot.category,
            key=found.key,
            value=found.value,
            importance=found.slot.importance,
            clause=clause,
            part=_part(sentence, words, found),
            core=_span(sentence, words[found.start].start, words[found.value_end - 1].end),
            is_dated=found.slot.is_dated,
        )
        for found, clause in zip(kept, _clauses(sentence, words, kept), strict=True)
    ]


def _found(text: str, words: Sequence[Word], days: DatedWords) -> Iterator[_Found]:
    present = {word.text for word in words}
    tables = [_frames_by_word(code) for code in _languages_of(words)]
    for word in ("", *dict.fromkeys(word.text for word in words)):
        for frame in chain.from_iterable(frames.get(word, ()) for frames in tables):
            if all(not present.isdisjoint(one_of) for one_of in frame.needs.sets):
                yield from _of_frame(frame, text, words, days)


def _of_frame(frame: _Frame, text: str, words: Sequence[Word], days: DatedWords) -> Iterator[_Found]:
    language, first = frame.language, frame.needs.first
    for start, word in enumerate(words):
        if first is not None and word.text not in first:
            continue
        if start and not word.mark and words[start - 1].text in language.not_after:
            continue
        for match in matches(frame.row, words, start, language.vocabulary):
            if match.is_bare and _follows_kin(words, start):
                continue
            values = read_values(frame.slot.value, match, words, text, language.values, days)
            yield from (_of_value(frame, match, value) for value in values)
            if values:
                break


def _follows_kin(words: Sequence[Word], start: int) -> bool:
    """Return whether the words before, in this part of the sentence or the last, name a person: 'my brother, vegan'."""
    marks = [place for place in range(1, start + 1) if words[place].mark][-2:]
    first = marks[0] if len(marks) > 1 else 0
    return any(
        next(matches(language.kin, words, place, language.vocabulary), None)
        for language in languages().values()
        for place in range(first, start)
    )


def _of_value(frame: _Frame, match: Match, value: ReadValue) -> _Found:
    slot = frame.slot
    named = frame.means or frame.language.closed.get(slot.name, {}).get(folded(value.text), value.text)
    key = slot.key
    if slot.key == _KIN:
        key = match.name if match.name in frame.language.single_kin else f"{match.name}:{squeeze(named).casefold()}"
    elif match.name:
        key = f"{slot.key}:{match.name}"
    elif slot.many:
        key = f"{slot.key}:{squeeze(named).casefold()}"
    return _Found(slot, key, named, match.start, max(match.end, value.end), value.start, value.end)


def _clauses(sentence: TextSpan, words: Sequence[Word], found: Sequence[_Found]) -> list[TextSpan]:
    """Cut a sentence so that each slot has the words that state it; slots of the same words share them."""
    runs: list[list[int]] = []
    for each in found:
        if runs and each.start < runs[-1][1]:
            runs[-1][1] = max(runs[-1][1], each.end)
        else:
            runs.append([each.start, each.end])
    places = [place for each in found for place, (start, end) in enumerate(runs) if start <= each.start < end]
    cuts = [0, *(_cut(words, runs[place - 1][1], runs[place][0]) for place in range(1, len(runs)))]
    spans = []
    for place in range(len(runs)):
        start = words[cuts[place]].start if place else 0
        end = words[cuts[place + 1] - 1].end if place + 1 < len(runs) else len(sentence.text)
        spans.append(_without_joint(sentence, words, start, end) if place + 1 < len(runs) else (start, end))
    return [TextSpan(sentence.text[slice(*spans[place])], sentence.start + spans[place][0]) for place in places]


def _part(sentence: TextSpan, words: Sequence[Word], found: _Found) -> TextSpan:
    first = next((place for place in range(found.start, 0, -1) if words[place].mark), 0)
    last = next((place for place in range(found.end, len(words)) if words[place].mark), len(words))
    return _span(sentence, words[first].start, words[last - 1].end)


def _span(sentence: TextSpan, start: int, end: int) -> TextSpan:
    return TextSpan(sentence.text[start:end], sentence.start + start)


def _cut(words: Sequence[Word], after: int, before: int) -> int:
    """Return the word with which the next clause begins: after a mark, else an 'and', else the first of its frame."""
    marked = [place for place in range(before, after - 1, -1) if words[place].mark]
    joined = [place + 1 for place in range(before - 1, after - 1, -1) if words[place].text in _joints()]
    return next(iter((*marked, *joined)), before)


def _without_joint(sentence: TextSpan, words: Sequence[Word], start: int, end: int) -> tuple[int, int]:
    """Leave the 'and' out with which a clause is joined to the next."""
    inside = [word for word in words if start <= word.start and word.end <= end]
    while len(inside) > 1 and inside[-1].text in _joints():
        inside.pop()
    return start, inside[-1].end if inside else end


@cache
def _joints() -> frozenset[str]:
    return frozenset().union(*(_set(table["between"]) for table in _tables().values()))


@cache
def slot_kinds() -> Mapping[str, SlotKind]:
    """Return the slots by name."""
    declared = tomllib.loads((files(__package__) / "tables" / "slots.toml").read_text("utf-8"))
    return {
        name: SlotKind(
            name=name,
            category=given["category"],
            importance=given["importance"],
            value=ValueKind(given["value"]),
            many=given.get("many", False),
            key=given.get("key", name),
            is_dated=given.get("dated", False),
        )
        for name, given in declared.items()
    }


@cache
def _tables() -> Mapping[str, Mapping[str, Any]]:
    """Return the tables of the languages by code."""
    tables = sorted((files(__package__) / "tables").iterdir(), key=lambda file: file.name)
    named = {file.name.removesuffix(".toml"): tomllib.loads(file.read_text("utf-8")) for file in tables}
    return {code: table for code, table in named.items() if code != "slots"}


@cache
def languages() -> Mapping[str, _Language]:
    """Return the languages that have frames, by code."""
    return {code: _language(code) for code in _tables()}


@cache
def _letters() -> Mapping[str, Sequence[str]]:
    """Return by code the first and the last letter of each range of its letters; empty where they are Latin."""
    return {code: table.get("letters", ()) for code, table in _tables().items()}


def _languages_of(words: Sequence[Word]) -> Iterator[str]:
    """Yield the languages in whose letters a word may be written."""
    foreign = {letter for word in words if not word.text.isascii() for letter in word.text}
    for code, ranges in _letters().items():
        if not ranges or any(each[0] <= letter <= each[1] for each in ranges for letter in foreign):
            yield code


@cache
def _language(code: str) -> _Language:
    table = _tables()[code]
    words: dict[str, str] = dict(table.get("words", {}))
    closed: dict[str, dict[str, str]] = {}
    for slot, values in table.get("closed", {}).items():
        closed[slot] = {_plain(word): name for name, text in values.items() for word in text.split()}
        words[slot] = " ".join(values.values())
    kin: Mapping[str, str] = table.get("kin", {})
    named = {**table.get("named", {}), _KIN: {name.removesuffix(":"): text for name, text in kin.items()}}
    glued = table.get("glued", "")
    ends = Vocabulary.of({"ends": table["value_ends"]}, {}, "", glued).sets["ends"]
    vocabulary = Vocabulary.of(words, named, table["denying"], glued)
    asks = {
        slot: [parse_frame(written, vocabulary, has_value=False) for written in questions]
        for slot, questions in table.get("asks", {}).items()
    }
    return _Language(
        vocabulary,
        asks,
        _set(table["yes"]),
        ValueWords(
            ends,
            _set(table["no_value"]),
            _set(table["articles"]),
            _set(table["between"]),
            _set(table["trailing"]),
        ),
        closed,
        _set(table["not_after"]),
        vocabulary.sets[_KIN],
        frozenset(name for name in kin if not name.endswith(":")),
    )


def _set(text: str) -> frozenset[str]:
    return frozenset(_plain(word) for word in text.split())


def _plain(word: str) -> str:
    return folded(word.replace("_", " "))


@cache
def _frames_by_word(code: str) -> Mapping[str, Sequence[_Frame]]:
    """Return the frames of a language by a word that they need; under "" those that need none."""
    found: dict[str, list[_Frame]] = {}
    language = _language(code)
    for name, frames in _tables()[code]["frames"].items():
        slot, _, means = name.partition("=")
        for written in frames:
            row = parse_frame(written, language.vocabulary, has_value=not means)
            frame = _Frame(slot_kinds()[slot], row, needs(row), means, language)
            for word in next(iter(frame.needs.sets), ("",)):
                found.setdefault(word, []).append(frame)
    return found
