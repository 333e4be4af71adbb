"""Match frames with the words of a sentence. Pure.

Every element has a bound, so it takes time linear in the words. A group of rows is asked only for those that may begin
with the next word: in a script without blanks a word is a character, and most rows begin with another one.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace

from toldonce.reading.frame_words import Word
from toldonce.reading.frames import MAX_GAP, MAX_VALUE, Ahead, Edge, Gap, Group, Row, Value, Vocabulary, Words

# Words before the named one with which a value ends.
_MAX_MODIFIERS = 3


@dataclass(frozen=True, slots=True)
class Match:
    """Where a frame matches, in words."""

    start: int
    end: int
    value: int = -1
    """First word of the value; -1 while there is none."""
    value_end: int = -1
    """End of the value; -1 if only its kind tells where it ends."""
    name: str = ""
    """Name of the word of a named set: the relation, the day."""
    is_bare: bool = False
    """It begins within a sentence, with `^` or the value: no word says whom it is about."""

    def up_to(self, end: int) -> "Match":
        """Return it with another end."""
        return Match(self.start, end, self.value, self.value_end, self.name, self.is_bare)  # `replace` takes longer


def matches(row: Row, words: Sequence[Word], start: int, vocabulary: Vocabulary) -> Iterator[Match]:
    """Yield the ways in which a frame matches from a word on, the shortest gaps and values first."""
    yield from _ways(row, words, Match(start, start), vocabulary)


def _ways(row: Row, words: Sequence[Word], so_far: Match, vocabulary: Vocabulary) -> Iterator[Match]:
    if not row:
        yield so_far
        return
    element, rest, at = row[0], row[1:], so_far.end
    if isinstance(element, Words):
        if at < len(words) and _joins(words, so_far) and element.has(words[at].text):
            yield from _ways(rest, words, so_far.up_to(at + 1), vocabulary)
    elif isinstance(element, Group):
        for place in element.places(words[at].text if at < len(words) else ""):
            named = replace(so_far, name=so_far.name or element.names[place]) if element.names else so_far
            yield from _ways((*element.rows[place], *rest), words, named, vocabulary)
    elif isinstance(element, Ahead):
        found = next(_ways(element.row, words, so_far, vocabulary), None)
        if (found is None) is element.is_denied:
            yield from _ways(rest, words, replace(so_far, name=so_far.name or (found or so_far).name), vocabulary)
    elif isinstance(element, Edge):
        yield from _at_edge(element, rest, words, so_far, vocabulary)
    elif isinstance(element, Gap):
        yield from _over_gap(element, rest, words, so_far, vocabulary)
    else:
        yield from _with_value(element, rest, words, so_far, vocabulary)


def _joins(words: Sequence[Word], so_far: Match) -> bool:
    """Return whether the next word follows without a mark; the first word of a frame may follow one."""
    return so_far.end == so_far.start or not words[so_far.end].mark


def _at_edge(edge: Edge, rest: Row, words: Sequence[Word], so_far: Match, vocabulary: Vocabulary) -> Iterator[Match]:
    at = so_far.end
    if edge.sign == ",":
        if at < len(words) and words[at].mark:
            words = [*words[:at], replace(words[at], mark=""), *words[at + 1 :]]
        yield from _ways(rest, words, so_far, vocabulary)
    elif at in (0, len(words)) or words[at].mark:
        begins_here = edge.sign == "^" and 0 < at == so_far.start
        yield from _ways(rest, words, replace(so_far, is_bare=True) if begins_here else so_far, vocabulary)


def _over_gap(gap: Gap, rest: Row, words: Sequence[Word], so_far: Match, vocabulary: Vocabulary) -> Iterator[Match]:
    reached = {so_far.end}
    for _ in range(MAX_GAP + 1):
        for at in sorted(reached):
            yield from _ways(rest, words, so_far.up_to(at), vocabulary)
        reached = {end for at in reached for end in _past_one(gap, words, so_far.up_to(at), vocabulary)}


def _past_one(gap: Gap, words: Sequence[Word], so_far: Match, vocabulary: Vocabulary) -> Iterator[int]:
    """Yield where a gap may go on after one more word, or row of words."""
    at = so_far.end
    if gap.only:
        yield from (found.end for found in _ways(gap.only, words, so_far, vocabulary))
    elif at < len(words) and not words[at].mark and words[at].text not in vocabulary.denying:
        yield at + 1


def _with_value(
    value: Value, rest: Row, words: Sequence[Word], so_far: Match, vocabulary: Vocabulary
) -> Iterator[Match]:
    at = so_far.end
    if at >= len(words) or not _joins(words, so_far):
        return
    so_far = replace(so_far, is_bare=so_far.is_bare or 0 < at == so_far.start)
    if not value.last and all(isinstance(element, Group) and () in element.rows for element in rest):
        yield replace(so_far, value=at, end=at + 1)
        return
    if value.last:
        for modifiers in range(_MAX_MODIFIERS + 1 if value.is_modified else 1):
            first = at + modifiers
            if modifiers and (first >= len(words) or words[first].mark or words[first - 1].text in vocabulary.denying):
                return
            for found in _ways(value.last, words, so_far.up_to(first), vocabulary):
                yield from _ways(rest, words, replace(found, value=at, value_end=found.end), vocabulary)
        return
    for end in range(at + 1, min(at + MAX_VALUE, len(words)) + 1):
        if end > at + 1 and (words[end - 1].mark or words[end - 1].text in vocabulary.denying):
            return
        yield from _ways(rest, words, replace(so_far, value=at, value_end=end, end=end), vocabulary)
