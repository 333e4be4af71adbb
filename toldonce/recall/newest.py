"""Put the newest value of something first: a later message that states another value for the same thing. Pure.

"My budget is $600" and, months later, "my new budget of $650" are equally near to "What is my budget?". Which of them
holds is not a matter of words or meaning, so that the order of the two is left to chance by the ranking. Here, two
memories state the same thing if both have a value of one kind (an amount, a share, a time, a day, a number of
something) near the same words of the question. If the values differ, the later memory comes first. So it does if both
are equally near: "I live in Leipzig" and "I moved and live in Freiburg now".

A note may have lost the value that its message gives: "The user updates the gallery" of "I'm updating the gallery, now
that it has 10 cards". If the quotation states a newer value than an older memory does, it takes the note's place.
"""

import re
from collections.abc import Mapping, Sequence
from datetime import datetime
from types import MappingProxyType
from typing import NamedTuple

from toldonce.lazy_pattern import LazyPattern
from toldonce.recall.pack import RankedMemory
from toldonce.recall.query import Query
from toldonce.recall.rank import RankedRow
from toldonce.text import terms_of_word, words
from toldonce.types import Memory, MemoryKind

# Characters at the start of a memory that are read: what it is about is said there, the rest is often pasted.
_MAX_READ = 1_200
# Values of a memory that are compared.
_MAX_VALUES = 8
# Words on each side of a value that say what it is a value of.
_REACH = 10
# Words that two values must have around them in common, all of the question: with one of the question's, twice as many
# memories move, and the wrong ones.
_MIN_SHARED = 2
# A newer memory has at least this share of the older one's words of the question, weighted by rarity.
_MIN_WORD_SHARE = 0.3
# Log-odds by which a newer memory with the same words of the question may be below an older one to come first.
_NEARLY_EQUAL = 0.2
_MONTHS = frozenset(
    """january february march april may june july august september october november december
    jan feb mar apr jun jul aug sep sept oct nov dec""".split()
)
_DIGIT = LazyPattern(r"\d")
_TOKEN = LazyPattern(r"[$€£¥]?\d[\d.,:/–-]*+%?|[^\W\d_]++(?:['’][^\W\d_]++)*+|%")
_CURRENCIES = "$€£¥"
_CLOSING = ".,:/–-"
_PER_CENT = frozenset({"%", "percent", "prozent"})
_YEAR = LazyPattern(r"(?:19|20)\d\d$")
_DATE = LazyPattern(r"\d{1,2}/\d{1,2}(?:/\d{2,4})?$|\d{4}-\d{1,2}-\d{1,2}$")
_CLOCK = LazyPattern(r"[ap]m$|o'clock$|uhr$")
# Questions about what was before, about all of it, or for advice: not about the value that holds now.
_NOT_NOW = LazyPattern(
    r"^\W*+(?:can|could|would|will|should|have|has)\b|\b(?:did|was|were|ever|before|originally|initially|previous(?:ly)?|"
    r"former(?:ly)?|used to|at first|old|earlier|history|over time|order|chang(?:e|es|ed)|evolv\w{1,9}|progress\w{0,9}|"
    r"compar\w{1,9}|differen\w{1,9}|between|summar\w{1,9}|overview|mention\w{0,9}|said)\b",
    re.IGNORECASE,
)
_NO_QUOTATIONS: Mapping[bytes, RankedMemory] = MappingProxyType({})
_KINDS = frozenset({MemoryKind.TURN, MemoryKind.NOTE, MemoryKind.FACT})


class StatedValue(NamedTuple):
    """A value that a text states, and the words around it."""

    kind: str
    """`amount`, `share`, `clock`, `day` or `version`; empty for a number of something."""
    value: str
    units: frozenset[str]
    """Terms of what a number counts."""
    around: frozenset[str]
    """Terms near the value."""


def asks_what_holds_now(query: Query) -> bool:
    """Return whether the query is a question whose answer may have changed, and asks for what holds now."""
    return query.question and not _NOT_NOW.search(query.text)


def put_newest_first(
    ranked: Sequence[RankedMemory], query: Query, quotations: Mapping[bytes, RankedMemory] = _NO_QUOTATIONS
) -> list[RankedMemory]:
    """Move each memory that states a newer value directly before the best one that states an older value.

    Of two memories that are equally near, the newer one comes first too.

    Args:
        ranked: Best first; standing facts stay where they are.
        query: The query; only a question about what holds now is ordered.
        quotations: The quotations that notes are shown in place of, by the notes' ids. A quotation takes the place of
            its note if it moves and the note has no value.
    """
    if len(ranked) < 2 or not asks_what_holds_now(query):
        return list(ranked)
    asked = frozenset(query.terms)
    values = [_values_asked(found, asked) for found in ranked]
    unshown = [
        quotation if (quotation := quotations.get(found.row.id)) and not values[place] else None
        for place, found in enumerate(ranked)
    ]
    quoted = [_values_quoted(quotation, ranked[place], asked) for place, quotation in enumerate(unshown)]
    ordered: list[RankedMemory] = []
    placed: set[int] = set()
    for place, older in enumerate(ranked):
        if place in placed:
            continue
        newer: dict[int, RankedMemory] = {}
        for later in range(place + 1, len(ranked)):
            if later in placed:
                continue
            found, quotation = ranked[later], unshown[later]
            if _follows(found, older) and (
                _is_as_near(found.row, older.row) or _states_another(values[later], values[place], asked)
            ):
                newer[later] = found
            elif quotation and _follows(quotation, older) and _states_another(quoted[later], values[place], asked):
                newer[later] = quotation
        for found in sorted(newer.values(), key=lambda found: _said_at(found.memory), reverse=True):
            raised = max(found.row.evidence, older.row.evidence)
            ordered.append(found._replace(row=found.row._replace(evidence=raised)))
        placed.update(newer)
        ordered.append(older)
    return ordered


def _values_quoted(
    quotation: RankedMemory | None, note: RankedMemory, asked: frozenset[str]
) -> tuple[StatedValue, ...]:
    """Return the values of a quotation that are about the question; its note says what they are about, too."""
    if quotation is None or not _is_the_users(quotation):
        return ()
    about = frozenset(term for word in words(note.memory.text) for term in terms_of_word(word))
    values = stated_values(quotation.memory.text[:_MAX_READ])
    near = tuple(value._replace(around=value.around | about) for value in values)
    return tuple(value for value in near if len(asked & value.around) >= _MIN_SHARED)


def _values_asked(found: RankedMemory, asked: frozenset[str]) -> tuple[StatedValue, ...]:
    """Return the values of a memory that have words of the question near them."""
    if found.row.hits.bit_count() < _MIN_SHARED or not _is_the_users(found):
        return ()
    values = stated_values(found.memory.text[:_MAX_READ])
    return tuple(value for value in values if len(asked & value.around) >= _MIN_SHARED)


def _follows(newer: RankedMemory, older: RankedMemory) -> bool:
    """Return whether a memory is later than another and answers enough of the question to take its place."""
    return (
        _said_at(newer.memory) > _said_at(older.memory)
        and newer.row.word_share >= _MIN_WORD_SHARE * older.row.word_share
        and _is_the_users(newer)
        and not older.row.standing
        and older.memory.kind in _KINDS
    )


def _said_at(memory: Memory) -> datetime:
    """Return when a memory was last stated: a note may be valid from a day that it names, such as a deadline."""
    return max((source.said_at for source in memory.evidence), default=memory.valid_from)


def _is_the_users(found: RankedMemory) -> bool:
    """Return whether a memory is in the words of a person, not of a model, and may move."""
    return not found.row.standing and found.memory.kind in _KINDS and found.memory.speaker != "assistant"


def _is_as_near(newer: RankedRow, older: RankedRow) -> bool:
    """Return whether a memory has all words of the question that another has, and nearly its evidence."""
    return (
        older.hits != 0 and newer.hits & older.hits == older.hits and older.evidence - newer.evidence <= _NEARLY_EQUAL
    )


def _states_another(new: Sequence[StatedValue], old: Sequence[StatedValue], asked: frozenset[str]) -> bool:
    """Return whether some values contain another one for the same thing than others do."""
    if not new or not old:
        return False
    known = {(value.kind, value.value) for value in old}
    return any(
        _same_thing(value, before, asked) for value in new if (value.kind, value.value) not in known for before in old
    )


def _same_thing(new: StatedValue, old: StatedValue, asked: frozenset[str]) -> bool:
    if new.kind != old.kind or new.value == old.value or not _same_units(new, old):
        return False
    return len(asked & new.around & old.around) >= _MIN_SHARED


def _same_units(new: StatedValue, old: StatedValue) -> bool:
    """Return whether two values count the same; a number alone counts what is named near it."""
    if new.kind:
        return True
    if new.units and old.units:
        return not new.units.isdisjoint(old.units)
    return not (new.units or old.units).isdisjoint(old.around if new.units else new.around)


def stated_values(text: str) -> tuple[StatedValue, ...]:
    """Find the values that a text states.

    >>> [(found.kind, found.value) for found in stated_values("By May 3, 4 hives cost $650, or 12% more.")]
    [('day', 'may 3'), ('', '4'), ('amount', '650'), ('share', '12')]
    """
    if not _DIGIT.search(text):
        return ()
    tokens = [token.rstrip(_CLOSING) for token in _TOKEN.findall(text.lower())]
    numbers = [place for place, token in enumerate(tokens) if _DIGIT.search(token) and not _YEAR.match(token)]
    found: list[StatedValue] = []
    for place in numbers[:_MAX_VALUES]:
        kind, value = _read_value(tokens, place)
        near = tokens[max(0, place - _REACH) : place + _REACH + 1]
        counted = () if kind else tokens[place + 1 : place + 3]
        found.append(StatedValue(kind, value, _terms_of(counted), _terms_of(near)))
    return tuple(found)


def _terms_of(tokens: Sequence[str]) -> frozenset[str]:
    """Return the terms of words; numbers and months are no words that tell what a value is about."""
    return frozenset(
        term for token in tokens if not _DIGIT.search(token) and token not in _MONTHS for term in terms_of_word(token)
    )


def _read_value(tokens: Sequence[str], place: int) -> tuple[str, str]:
    """Return the kind of the value at a place, and its value."""
    token = tokens[place]
    before = tokens[place - 1] if place else ""
    after = tokens[place + 1] if place + 1 < len(tokens) else ""
    if token[0] in _CURRENCIES:
        return "amount", token[1:]
    if token.endswith("%") or after in _PER_CENT:
        return "share", token.rstrip("%")
    if ":" in token or _CLOCK.match(after):
        return "clock", f"{token} {after}" if _CLOCK.match(after) else token
    month = next((word for word in (before, after) if word in _MONTHS), "")
    if month:
        return "day", f"{month} {token}"
    if _DATE.match(token):
        return "day", token
    return ("version" if token.count(".") > 1 else ""), token
