"""Find the texts that a user gives an assistant to work on, whoever wrote them. Pure.

'Polish this: I have taught since 2012.' may be the user's own draft or a friend's letter. So it is no statement of the
user; a model sees it, marked as such, and what it notes of it names its source. Texts that tell their origin are none:
results of tools, files, mail, chats, what others said, test data and stories.
"""

from recollect.extraction.labels import is_text_container
from recollect.extraction.material import find_unmeant, find_worked_on
from recollect.extraction.pasted import find_named, find_pasted
from recollect.extraction.spans import MAX_CLAUSE, RemovedParts, Span, blank_out, clauses, merge_spans
from recollect.extraction.work_orders import is_order

GIVEN_OPEN, GIVEN_CLOSE = "⟪", "⟫"
"""Marks around given texts in a question to a model; such signs in the messages themselves are removed."""
# Characters of the user's own words that are searched for an order.
_MAX_ORDERING = 2_000


def find_given(text: str, removed: RemovedParts) -> list[Span]:
    """Find the texts that a user gives to work on.

    Args:
        text: A message, without what it wraps.
        removed: What is removed anyway, such as mail and copied chats.

    >>> text = "Polish this: I teach in Ulm."
    >>> [text[start:end] for start, end in find_given(text, RemovedParts())]
    [' I teach in Ulm.']
    >>> find_given("What is wrong?\\nTool result:\\nI teach in Ulm.", RemovedParts())
    []
    """
    worked_on, pasted = find_worked_on(text, removed), find_pasted(text, removed)
    if not worked_on and not pasted:
        return []
    own = blank_out(text, [*removed.spans, *worked_on, *pasted])
    given = [span for span in pasted if _is_announced(text, span)]
    if is_order(own[:_MAX_ORDERING]) or is_order(own[-_MAX_ORDERING:]) or not any(map(str.isalnum, own)):
        given += [span for span in worked_on if not _has_source(text, span)]
    last = len(text)
    named = [(start, last) for start in find_named(text, removed)]
    others = [*removed.spans, *named, *find_unmeant(text, removed), *(span for span in pasted if span not in given)]
    return without(merge_spans(given), others)


def without(spans: list[Span], others: list[Span]) -> list[Span]:
    """Return what of some spans is in no other one.

    >>> without([(0, 9), (12, 15)], [(2, 4), (8, 13)])
    [(0, 2), (4, 8), (13, 15)]
    """
    cut_out = merge_spans(others)
    left: list[Span] = []
    for start, end in spans:
        at = start
        for first, last in cut_out:
            if last <= at or first >= end:
                continue
            if first > at:
                left.append((at, first))
            at = max(at, last)
        if at < end:
            left.append((at, end))
    return left


def _is_announced(text: str, span: Span) -> bool:
    """Return whether the user announces a pasted text in words of their own, and no label names another source."""
    label = _label(text, span)
    return not label or is_order(label)


def _has_source(text: str, span: Span) -> bool:
    """Return whether a text to work on begins with the label of a source: 'Tool result:'."""
    label = _label(text, span)
    return is_text_container(label) and not is_order(label)


def _label(text: str, span: Span) -> str:
    """Return the label that a text begins with; empty without one."""
    first = next(clauses(text[span[0] : span[0] + MAX_CLAUSE]), None)
    label = first.text.strip() if first else ""
    return label if label.endswith((":", "\uff1a")) else ""
