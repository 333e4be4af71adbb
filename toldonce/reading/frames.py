r"""Frames: how a language states something, as data, and the one matcher for all languages. Pure.

`i|we (live|am based) ~ in {v}` finds 'Oslo' in 'I live up here in Oslo'. A frame is a row of elements:

| element | matches |
|---|---|
| `live`, `i|we` | a word, or one of several; within brackets `|` parts rows |
| `wohn*`, `*lehrer` | a word that begins or ends so |
| `(a b|c)` | one of several rows |
| `<my>` | one of the words, or rows of words, that the table names so; in `[named]` and `[kin]` the match tells which |
| `x?` | the element before the mark, or nothing |
| `!x`, `&x` | nothing, where the next words are not x; where they are |
| `~`, `~<adverbs>` | up to four words, none of which denies; of those named only |
| `,` | a mark such as a comma, or nothing; no other element reaches across a mark |
| `^`, `$` | the start and the end of a part of a sentence, between marks |
| `{v}` | the value; the frame may go on after it, then no word in it denies |
| `{<jobs>}`, `{v<jobs>}` | a value that is one of the named words, or up to three words that end in one |

In scripts without blanks a word is a character, a blank between two of them is a mark, and a frame is written as the
language is. Words are compared without case and accents. Every element has a bound, so matching takes time linear in
the words of a sentence.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from functools import cache

from toldonce.lazy_pattern import LazyPattern
from toldonce.reading.frame_words import UNSPACED, folded, parts_of

MAX_GAP = 4
"""Words that `~` passes over."""
MAX_VALUE = 8
"""Words of a value after which the frame goes on."""


class Words:
    """One word of several."""

    __slots__ = ("begins", "ends", "whole")

    def __init__(self, words: Sequence[str], glued: str = "") -> None:
        """Take words; `x*` begins and `*x` ends so; a glued letter may be written before a whole one."""
        words = [*words, *(letter + word for letter in glued for word in words if "*" not in word)]
        self.whole = frozenset(folded(word) for word in words if "*" not in word)
        self.begins = tuple(folded(word[:-1]) for word in words if word.endswith("*"))
        self.ends = tuple(folded(word[1:]) for word in words if word.startswith("*"))

    def has(self, word: str) -> bool:
        """Return whether a folded word is one of them."""
        return word in self.whole or word.startswith(self.begins) or word.endswith(self.ends)


@cache
def _words(*words: str, glued: str = "") -> Words:
    """Return the `Words` of some words: thousands of elements of the tables are the same few hundred."""
    return Words(words, glued)


@dataclass(frozen=True, slots=True)
class Group:
    """One of several rows."""

    rows: tuple["Row", ...]
    names: tuple[str, ...] = ()
    """For each row its name; empty where they have none."""
    firsts: "tuple[frozenset[str] | None, ...]" = field(init=False, repr=False, compare=False)
    """For each row the words with which it begins; None where any may."""
    sure: "frozenset[str] | None" = field(init=False, repr=False, compare=False)
    """Words of which it matches one; None where nothing is sure."""
    _places: "Mapping[str, tuple[int, ...]] | None" = field(init=False, repr=False, compare=False, default=None)
    """The places by word; None until they are asked for: most groups never are."""

    def __post_init__(self) -> None:
        # Frames share groups with many words: what follows from them is found once.
        object.__setattr__(self, "firsts", tuple(_first_words(row) for row in self.rows))
        object.__setattr__(self, "sure", _union([_rarest(row) for row in self.rows]))

    def places(self, word: str) -> tuple[int, ...]:
        """Return the places of the rows that may match before this word; of none at the end."""
        if self._places is None:
            words = ("", *(word for first in self.firsts for word in first or ()))
            known = {word: self._before(word) for word in words}
            object.__setattr__(self, "_places", known)
            return known.get(word, known[""])
        return self._places.get(word, self._places[""])

    def _before(self, word: str) -> tuple[int, ...]:
        return tuple(at for at, first in enumerate(self.firsts) if first is None or word in first)


@dataclass(frozen=True, slots=True)
class Ahead:
    """Nothing, where a row matches the next words or, denied, does not."""

    row: "Row"
    is_denied: bool


@dataclass(frozen=True, slots=True)
class Gap:
    """Up to `MAX_GAP` words; with a set, so many of its words or rows of words."""

    only: "Row" = ()


@dataclass(frozen=True, slots=True)
class Value:
    """The value."""

    last: "Row" = ()
    """What it is, or ends in; empty for any words."""
    is_modified: bool = False
    """Up to three words may come before that."""


@dataclass(frozen=True, slots=True)
class Edge:
    """A mark between words (`,`), or the start (`^`) or end (`$`) of a part of the sentence."""

    sign: str


Element = Words | Group | Ahead | Gap | Value | Edge
Row = tuple[Element, ...]
_SIGNS = LazyPattern(
    rf"(?P<space>\s+)|(?P<sign>[()|?!&,^$]|~(?:<\w+>)?|<\w+>|\{{v?(?:<\w+>)?\}})|(?P<word>[{UNSPACED}]|[^\s(){{}}<>|?!&,^$~{UNSPACED}]+)"
)


@dataclass(frozen=True, slots=True)
class Vocabulary:
    """What the frames of a language refer to."""

    sets: Mapping[str, Row]
    """Named words, each a row of one `Words` or `Group`."""
    denying: frozenset[str] = frozenset()
    """Words that no gap passes over, nor a value after which the frame goes on."""
    glued: str = ""
    """Letters that may be written before any word but a value, as Arabic writes 'and'."""
    values: Mapping[str, Row] = field(default_factory=dict)
    """The named words as values, without glued letters; empty where none are glued."""

    @classmethod
    def of(
        cls, words: Mapping[str, str], named: Mapping[str, Mapping[str, str]], denying: str, glued: str = ""
    ) -> "Vocabulary":
        """Build from texts: words parted by blanks; `_` within a word is a blank.

        Args:
            words: Sets of words.
            named: Sets whose words each have a name, which the match tells: relations, days.
            denying: Words that no gap passes over.
            glued: Letters that may be written before any word.
        """
        sets: dict[str, Row] = {name: _choice(text.split(), glued) for name, text in words.items()}
        for name, each in named.items():
            sets[name] = (Group(tuple(_choice(text.split(), glued) for text in each.values()), tuple(each)),)
        values = {name: _choice(text.split(), "") for name, text in words.items()} if glued else {}
        return cls(sets, frozenset(map(folded, denying.split())), glued, values)


def _choice(words: Sequence[str], glued: str) -> Row:
    """Return a row that matches one of several words or, with `_`, rows of words: 'she_,_her'."""
    single: list[str] = []
    rows: list[Row] = []
    for word in words:
        parts = [part for piece in word.replace("_", " ").split() for part in parts_of(piece)]
        if len(parts) == 1:
            single.append(parts[0])
        else:
            each = (
                Edge(part) if part == "," else _words(part, glued="" if at else glued) for at, part in enumerate(parts)
            )
            rows.append(tuple(each))
    longest = sorted(rows, key=lambda row: -len(row))  # 'type 1 diabetes' before 'diabetes'
    if not longest:
        return (Words(single, glued),)
    return (Group((*longest, (Words(single, glued),)) if single else tuple(longest)),)


def parse_frame(frame: str, vocabulary: Vocabulary, *, has_value: bool = True) -> Row:
    """Read a frame.

    Args:
        frame: Its text.
        vocabulary: The words that it names.
        has_value: It must have a value.

    Raises:
        ValueError: A bracket is not closed, a set of words is unknown, or the frame has no value.
    """
    tokens = [match.group() for match in _SIGNS.finditer(frame) if not match["space"]]
    if "".join(tokens) != "".join(frame.split()):
        raise ValueError(f"the frame {frame!r} has a sign that means nothing")
    # Outside of brackets `a|b` are single words.
    row, at = _parse(tokens, 0, vocabulary, frame, depth=0)
    if at != len(tokens):
        raise ValueError(f"a bracket of the frame {frame!r} is not closed, or closes nothing")
    if has_value and not _has_value(row):
        raise ValueError(f"the frame {frame!r} has no value")
    return row


def _parse(tokens: Sequence[str], at: int, vocabulary: Vocabulary, frame: str, *, depth: int) -> tuple[Row, int]:
    row: list[Element] = []
    rows: list[Row] = []
    ahead = ""
    while at < len(tokens) and tokens[at] != ")":
        token = tokens[at]
        at += 1
        if token == "|":
            if not depth:
                raise ValueError(f"`|` parts words, or is in brackets: {frame!r}")
            rows.append(tuple(row))
            row = []
            continue
        if token == "?":
            row[-1] = Group(((row[-1],), ()))
            continue
        if token in "!&":
            ahead = token
            continue
        if token == "(":
            inner, at = _parse(tokens, at, vocabulary, frame, depth=depth + 1)
            if at >= len(tokens):
                raise ValueError(f"a bracket of the frame {frame!r} is not closed")
            at += 1
            element: Element = inner[0] if len(inner) == 1 else Group((inner,))
        else:
            element, at = _element(token, tokens, at, vocabulary, frame, depth=depth)
        row.append(Ahead((element,), is_denied=ahead == "!") if ahead else element)
        ahead = ""
    if rows:
        return (Group((*rows, tuple(row))),), at
    return tuple(row), at


def _element(
    token: str, tokens: Sequence[str], at: int, vocabulary: Vocabulary, frame: str, *, depth: int
) -> tuple[Element, int]:
    named = token.partition("<")[2].partition(">")[0]
    if named and named not in vocabulary.sets:
        raise ValueError(f"the frame {frame!r} names the unknown words {named!r}")
    if token[0] == "{":
        last = (vocabulary.values.get(named) or vocabulary.sets[named]) if named else ()
        return Value(last, is_modified=token.startswith("{v<")), at
    if token[0] == "~":
        return Gap(vocabulary.sets[named] if named else ()), at
    if token[0] == "<":
        return vocabulary.sets[named][0], at
    if token in ",^$":
        return Edge(token), at
    choices = [parts_of(token)]
    while not depth and at + 1 < len(tokens) and tokens[at] == "|":
        choices.append(parts_of(tokens[at + 1]))
        at += 2
    if all(len(parts) == 1 for parts in choices):
        return _words(*(parts[0] for parts in choices), glued=vocabulary.glued), at
    rows = (
        tuple(_words(part, glued="" if place else vocabulary.glued) for place, part in enumerate(parts))
        for parts in choices
    )
    return Group(tuple(rows)), at


def _has_value(row: Row) -> bool:
    """Return whether a value is in a row, or in every choice of one of its groups."""
    return any(
        isinstance(element, Value) or (isinstance(element, Group) and all(map(_has_value, element.rows)))
        for element in row
    )


@dataclass(frozen=True, slots=True)
class FrameNeeds:
    """What a sentence must have for a frame to match it."""

    sets: tuple[frozenset[str], ...]
    """Of each, one word must be in the sentence; the set of the rarest words first."""
    first: frozenset[str] | None
    """Words with which the match begins; None where any may."""


def needs(row: Row) -> FrameNeeds:
    """Return what a sentence must have for a frame to match it."""
    sure = [words for element in row if (words := _sure_words(element))]
    return FrameNeeds(tuple(sorted(sure, key=_commonness)), _first_words(row))


@cache
def _commonness(words: frozenset[str]) -> float:
    """Return how often one of some words comes up, by their lengths: short words are common."""
    return sum(4.0 ** -len(word) for word in words)


def _sure_words(element: Element) -> frozenset[str] | None:
    """Return words of which an element matches one; None where nothing is sure."""
    if isinstance(element, Words):
        return None if element.begins or element.ends else element.whole
    if isinstance(element, Ahead):
        return None if element.is_denied else _rarest(element.row)
    if isinstance(element, Value):
        return _rarest(element.last)
    if isinstance(element, Group):
        return element.sure
    return None


def _union(each: "Sequence[frozenset[str] | None]") -> "frozenset[str] | None":
    """Join sets of words; None if one of them is."""
    return None if None in each else frozenset().union(*(words for words in each if words))


def _rarest(row: Row) -> frozenset[str] | None:
    return min((words for element in row if (words := _sure_words(element))), key=_commonness, default=None)


def _first_words(row: Row) -> frozenset[str] | None:
    """Return the words with which a row begins; None where any may."""
    for place, element in enumerate(row):
        if isinstance(element, Edge) or (isinstance(element, Ahead) and element.is_denied):
            continue
        if isinstance(element, Words):
            return None if element.begins or element.ends else element.whole
        if isinstance(element, Group):
            if _is_never_empty(element):
                return _union(element.firsts)
            return _union([_first_words((*choice, *row[place + 1 :])) for choice in element.rows])
        return None
    return None


def _is_never_empty(group: Group) -> bool:
    """Return whether each of a group's rows matches a word, by what it begins with."""
    return all(row and isinstance(row[0], Words) for row in group.rows)
