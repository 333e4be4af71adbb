"""Find the texts that a clause announces: those to work on, and those that are another's. Pure.

'Polish this: I have taught since 2012.' may be the user's own draft or a friend's letter. So it is no statement of the
user; a model sees it, marked as such, and what it notes of it names its source. A text that is to be answered, or that
a clause only points to, is another's. Any label of one's own announces nothing: 'Week 2:', 'Gute Nachricht:'.
"""

from toldonce.extraction.own_text.carriers import pattern
from toldonce.extraction.own_text.marked_text import Origin
from toldonce.extraction.own_text.spans import NOTHING, RemovedParts, Span, TextClause, clauses

# Words of a clause that points to a text, and of an order that follows its text ('Translate to French').
_MAX_POINTING, _MAX_BEHIND = 14, 7
_COLONS = (":", "\uff1a")
_WORKS = pattern("announced", "works")
_WORDING = pattern("announced", "wording")
_PROBLEM = pattern("announced", "problem")
_WRITES = pattern("announced", "writes")
_POINTS = pattern("announced", "points")
_HEADS = pattern("announced", "heads")
_WORDING_QUESTION = pattern("announced", "wording_question")
_ANSWERS, _OF_ANOTHER = pattern("announced", "answers"), pattern("announced", "of_another")


def find_announced(text: str, removed: RemovedParts = NOTHING) -> list[tuple[Origin, Span]]:
    """Find the text after the first clause that announces one, or before the order at the end of a message.

    Args:
        text: A message, without what it wraps.
        removed: What was found before, such as mail; a clause before it announces that.

    >>> find_announced("Polish this: I teach in Ulm.")[0][1]
    (12, 28)
    >>> find_announced("Workout log: I ski.")
    []
    """
    found = [clause for clause in clauses(text) if not removed.holds(clause.start)]
    last = len(text.rstrip())
    for place, clause in enumerate(found[:-1]):
        if clause.end < last and not removed.follows(text, clause.end) and (origin := _announces(clause)):
            around = (each.text for each in found[max(0, place - 1) : place + 1])
            is_others = _OF_ANOTHER.search(clause.text) or any(map(_ANSWERS.search, around))
            return [(Origin.PASTED if is_others else origin, (clause.end, len(text)))]
    if len(found) > 1 and not removed.spans and not removed.places and _is_order_behind(found[-1].text):
        return [(Origin.GIVEN, (0, found[-1].start))]
    return []


def _announces(clause: TextClause) -> Origin | None:
    """Return the origin of the text that a clause announces; None if it announces none."""
    text = clause.text
    if text.endswith(_COLONS):
        return Origin.GIVEN if works_on_text(text) else Origin.PASTED if _WRITES.search(text) else None
    size = len(text.split())
    if clause.ends_line and size > 1 and not text.endswith((",", ";")) and works_on_text(text):
        return Origin.GIVEN
    if size > _MAX_POINTING:
        return None
    if _WORDING_QUESTION.search(text):
        return Origin.GIVEN
    return Origin.PASTED if _POINTS.search(text) or (clause.ends_line and _HEADS.search(text)) else None


def works_on_text(text: str) -> bool:
    """Return whether a few words order work on a text that is at hand: what follows them need not be the user's own.

    >>> works_on_text("Please translate:"), works_on_text("请翻译成英文："), works_on_text("Korrigiere das:")
    (True, True, True)
    >>> works_on_text("Plan a dinner for me:"), works_on_text("请推荐一本书："), works_on_text("Check this out:")
    (False, False, False)
    """
    return bool(_WORKS.search(text))


def _is_order_behind(text: str) -> bool:
    return bool(_WORDING.match(text)) and len(text.split()) <= _MAX_BEHIND and not _PROBLEM.match(text)
