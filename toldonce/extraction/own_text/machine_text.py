"""Find code, logs, tables and settings in a message that has no code fence around them. Pure.

What a program contains or prints says nothing about the user, even if the user wrote it: no memory is formed from the
comment `// I ski`. Some lines are certain by their shape alone; so are, within a paragraph, all lines between two of
them. Lines that could also be prose (a comment sign, an indent, `key: value`) count only next to such lines.
"""

import re
from collections.abc import Iterator, Sequence
from itertools import accumulate, pairwise

from toldonce.extraction.own_text.carriers import CARRIERS, pattern
from toldonce.extraction.own_text.marked_text import Origin
from toldonce.extraction.own_text.spans import Span, merge_spans
from toldonce.lazy_pattern import LazyPattern

# Maximum number of characters of a line that are searched.
_MAX_LINE_CHARACTERS = 400
# Key and value pairs that make settings.
_MIN_PAIRS = 2
# Separators, and how many of them a row of a table has at least: people also use commas in prose.
_SEPARATORS = ((",", 2), (";", 1), ("\t", 1), (" | ", 1))
_CERTAIN = pattern("machine", "certain", case=True)
_ASSIGNED = pattern("machine", "assigned", case=True)
_BESIDE = pattern("machine", "beside", case=True)
_PAIR = pattern("machine", "pair", case=True)
_ITEM = pattern("machine", "item", case=True)
_SETTING = pattern("machine", "setting", case=True)
_PARAGRAPH = LazyPattern(r"^(?:[^\S\n]*+\S[^\n]*+(?:\n|\Z))++", re.MULTILINE)
_LIST_MARK = LazyPattern(r"[ \t]{0,40}(?:[-*•–·]|\d{1,3}[.)])\s")
_OUTPUT = tuple(carrier for carrier in CARRIERS if carrier.origin is Origin.MACHINE)


def find_machine_text(text: str) -> list[Span]:
    """Find text written by or for programs.

    >>> text = "Why does it fail?\\n// I ski\\nlet x = 3;\\nI'm new."
    >>> [text[start:end] for start, end in find_machine_text(text)]
    ['// I ski\\nlet x = 3;\\n']
    """
    spans = [span for carrier in _OUTPUT for span in carrier.find(text)]
    for paragraph in _PARAGRAPH.finditer(text):
        spans += _find_in_paragraph(paragraph.start(), paragraph.group().removesuffix("\n").split("\n"))
    return merge_spans(spans)


def _find_in_paragraph(start: int, lines: Sequence[str]) -> Iterator[Span]:
    heads = [line[:_MAX_LINE_CHARACTERS] for line in lines]
    rows = _table_rows(heads)
    certain = [place for place, line in enumerate(heads) if place in rows or _CERTAIN.search(line)]
    certain = _with_assignments(heads, certain)
    if _is_settings(heads):
        certain = [0, len(heads) - 1]
    if not certain:
        return
    first, last = certain[0], certain[-1]
    while first and _BESIDE.search(heads[first - 1]):
        first -= 1
    while last + 1 < len(heads) and _BESIDE.search(heads[last + 1]):
        last += 1
    starts = [start, *(start + at for at in accumulate(len(line) + 1 for line in lines))]
    yield starts[first], starts[last + 1]


def _with_assignments(lines: Sequence[str], certain: Sequence[int]) -> list[int]:
    """Add lines that assign a value, unless the only one could be prose: "my budget = 500, is that much?"."""
    assigned = [place for place, line in enumerate(lines) if _ASSIGNED.search(line)]
    if len(assigned) > 1 or certain:
        return sorted({*certain, *assigned})
    return [place for place in assigned if lines[place].rstrip().endswith(";")]


def _table_rows(lines: Sequence[str]) -> set[int]:
    """Find table rows: consecutive lines with the same number of separators."""
    found: set[int] = set()
    for separator, least in _SEPARATORS:
        counts = [_count(line, separator) for line in lines]
        for place, (count, following) in enumerate(pairwise(counts)):
            if count == following >= least:
                found |= {place, place + 1}
    return found


def _count(line: str, separator: str) -> int:
    """Count the separators in a line; a comma or semicolon before a blank separates words, not fields."""
    mark = _LIST_MARK.match(line)  # a tab after it parts no fields
    stripped = (line[mark.end() :] if mark else line).strip()
    return stripped.count(separator) - (stripped.count(f"{separator} ") if separator in ",;" else 0)


def _is_settings(lines: Sequence[str]) -> bool:
    """Return whether all lines are settings of a program, by names or nesting that no list of a person's has."""
    pairs = [line for line in lines if _PAIR.match(line)]
    is_each = all(_PAIR.match(line) or _ITEM.match(line) for line in lines)
    return len(pairs) >= _MIN_PAIRS and is_each and any(map(_SETTING.match, pairs))
