"""Find the texts that a user gives an assistant to work on. Pure.

'Polish this: I have taught since 2012.' may be the user's own draft or a friend's letter. So it is no statement of the
user; a model sees it, marked as such, and what it notes of it names its source. Texts that tell their origin are none:
results of tools, files, mail, chats, what others said, test data and stories.
"""

import re
from collections.abc import Sequence

from toldonce.extraction.material import find_worked_on
from toldonce.extraction.pasted import find_named, find_pasted, speaks_of_oneself
from toldonce.extraction.quotes import ends_in_speaking
from toldonce.extraction.spans import MAX_CLAUSE, RemovedParts, Span, blank_out, clauses, merge_spans
from toldonce.extraction.work_orders import is_order
from toldonce.lazy_pattern import LazyPattern

# Words of a label that may be a name, and characters after it that are searched for the first person.
_MAX_NAME_WORDS, _MAX_SAID = 2, 400
# Characters of the user's own words that are searched for an order.
_MAX_ORDERING = 2_000
# A text to answer or to make sense of is another's.
_ANSWERING = LazyPattern(
    r"\b(?:answer|reply|respond|mean|think of|make of|antwort\w{0,4}|beantwort\w{1,3}|répond\w{0,3}|repond\w{0,3}"
    r"|respond\w{1,4}|contest\w{1,3}|rispond\w{1,3}|odpowiedz|odpowiedź|ответь\w{0,2}|cevap\w{0,4}|beantwoord)\b|回[复復答信]|返信|返事|답장",
    re.IGNORECASE,
)
_OF_ANOTHER = LazyPattern(
    r"\b(?:his|her|their|someone(?:['’]s| else)|\w{2,20}['’]s|sein\w{0,2}|ihr\w{0,2}|zijn|haar"
    r"|de (?:mon|ma|mes|mi|meu|minha))\s"
    r"|\b(?:this|the|deze|diese[rs]?|cet?|este|esta|questa|questo)\s(?:e-)?mail\b"
    r"|\b(?:he|she|they)\s(?:wrote|said|sent)\b|\bfrom my\b",
    re.IGNORECASE,
)


def find_given(text: str, removed: RemovedParts, sourced: Sequence[Span] = ()) -> list[Span]:
    """Find the texts that a user gives to work on.

    Args:
        text: A message, without what it wraps.
        removed: What is removed anyway, such as mail and copied chats.
        sourced: What tells its origin: test data, templates, stories, what others said.

    >>> text = "Polish this: I teach in Ulm."
    >>> [text[start:end] for start, end in find_given(text, RemovedParts())]
    [' I teach in Ulm.']
    >>> find_given("Answer this:\\nI teach in Ulm.", RemovedParts())
    []
    """
    worked_on, pasted = find_worked_on(text, removed), find_pasted(text, removed)
    found = [*worked_on, *pasted]
    if not found:
        return []
    own = blank_out(text, [*removed.spans, *found])
    is_asked = is_order(own[:_MAX_ORDERING]) or is_order(own[-_MAX_ORDERING:])
    given = [span for span in found if _is_given(text, span, is_asked=is_asked)]
    if not given:
        return []
    named = [(start, len(text)) for start in find_named(text, removed)]
    others = [span for span in found if span not in given]
    return without(merge_spans(given), [*removed.spans, *named, *sourced, *others])


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


def _is_given(text: str, span: Span, *, is_asked: bool) -> bool:
    """Return whether a text is given to work on: the words before it, or the label that it begins with, name no source.

    Args:
        text: A message.
        span: A text to work on, or a pasted one.
        is_asked: The user's own words in the message order something.
    """
    label = _label(text, span)
    if label and not is_order(label):
        start = text.index(label, span[0]) + len(label)
        is_name = len(label.split()) <= _MAX_NAME_WORDS and speaks_of_oneself(text[start : start + _MAX_SAID])
        return is_asked and not is_name and not ends_in_speaking(label)
    before = [clause.text.strip() for clause in clauses(text[max(0, span[0] - MAX_CLAUSE) : span[0]])]
    announcement = label or (before[-1] if before else "")
    if any(map(_ANSWERING.search, [label, *before[-2:]])) or _OF_ANOTHER.search(announcement):
        return False
    return not ends_in_speaking(announcement) and (is_order(announcement) or is_asked)


def _label(text: str, span: Span) -> str:
    """Return the label that a text begins with; empty without one."""
    first = next(clauses(text[span[0] : span[0] + MAX_CLAUSE]), None)
    label = first.text.strip() if first else ""
    return label if label.endswith((":", "\uff1a")) else ""
