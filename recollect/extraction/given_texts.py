"""Find the texts that a user gives an assistant to work on, whoever wrote them. Pure.

'Polish this: I have taught since 2012.' may be the user's own draft or a friend's letter. So it is no statement of the
user; a model sees it, marked as such, and what it notes of it names its source. Texts that tell their origin are none:
results of tools, files, mail, chats, what others said, test data and stories.
"""

from recollect.extraction.labels import ends_in_speaking, is_own_text, is_text_container, names_person_or_pet
from recollect.extraction.material import find_unmeant, find_worked_on
from recollect.extraction.pasted import find_named, find_pasted, speaks_of_oneself
from recollect.extraction.spans import MAX_CLAUSE, RemovedParts, Span, clauses, merge_spans
from recollect.extraction.work_orders import is_order

GIVEN_OPEN, GIVEN_CLOSE = "⟪", "⟫"
"""Marks around given texts in a question to a model; such signs in the messages themselves are removed."""
# Words of a label that may be a name, and characters after it that are searched for the first person.
_MAX_NAME_WORDS, _MAX_SAID = 2, 400


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
    given = [span for span in [*worked_on, *pasted] if not _has_source(text, span)]
    if not given:
        return []
    last = len(text)
    named = [(start, last) for start in find_named(text, removed)]
    sourced = [span for span in [*worked_on, *pasted] if span not in given]
    return without(merge_spans(given), [*removed.spans, *named, *find_unmeant(text, removed), *sourced])


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


def _has_source(text: str, span: Span) -> bool:
    """Return whether a text begins with the label of a source or speaker: 'Tool result:', 'Bruno: I ski'."""
    label = _label(text, span)
    if not label or is_order(label):
        return False
    if ends_in_speaking(label) or names_person_or_pet(label):
        return True
    if is_text_container(label):
        return not is_own_text(label)
    start = span[0] + text[span[0] :].find(label) + len(label)
    is_short = len(label.split()) <= _MAX_NAME_WORDS
    return is_short and (len(label.split()) == 1 or speaks_of_oneself(text[start : start + _MAX_SAID]))


def _label(text: str, span: Span) -> str:
    """Return the label that a text begins with; empty without one."""
    first = next(clauses(text[span[0] : span[0] + MAX_CLAUSE]), None)
    label = first.text.strip() if first else ""
    return label if label.endswith((":", "\uff1a")) else ""
