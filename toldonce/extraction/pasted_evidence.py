"""What a text to work on is evidence for: a note of low confidence that names its source, and nothing else. Pure.

'Polish this: I have taught since 2012.' is evidence for "According to a pasted text, perhaps by another: The user has
taught since 2012." It fills no slot, ends nothing and orders nothing.
"""

from dataclasses import replace

from toldonce.text.source_marks import PASTED_MARK
from toldonce.types import Candidate, MemoryKind

# Anybody may have written the text, so a model can be no surer than this.
MAX_CONFIDENCE = 0.5


def changes_anything(candidate: Candidate) -> bool:
    """Return whether a candidate would end, correct or forget a memory: no pasted text may."""
    is_end = candidate.ends or candidate.forgets or candidate.forgets_seqs
    return bool(is_end or candidate.replaces or candidate.replaces_item)


def with_source(candidate: Candidate) -> Candidate:
    """Return a candidate from a pasted text as a note that names its source."""
    return replace(
        candidate,
        kind=MemoryKind.NOTE,
        text=f"{PASTED_MARK}{candidate.text}",
        category="",
        key="",
        value="",
        confidence=min(candidate.confidence, MAX_CONFIDENCE),
    )
