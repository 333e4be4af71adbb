"""Evidence of a summary: a paragraph must say what is in the messages that it sums up. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass

from toldonce.extraction.evidence import MIN_SHARED_WORDS, evidence_of
from toldonce.extraction.sources import readable
from toldonce.text import terms
from toldonce.text.byte_runs import BYTE_MARK
from toldonce.types import Candidate, Evidence, LoggedMessage


@dataclass(frozen=True, slots=True)
class CheckedSummary:
    """Result of checking a paragraph: the messages it sums up, or why it is dropped."""

    evidence: tuple[Evidence, ...]
    reason: str


def check_summary(candidate: Candidate, messages: Sequence[LoggedMessage], sources: frozenset[str]) -> CheckedSummary:
    """Check a paragraph against the messages it sums up: they must contain a fair share of its words.

    Args:
        candidate: From any extractor; nothing in it is trusted.
        messages: The messages that were summed up.
        sources: Roles that may form memories.
    """
    given = {message.seq: message for message in messages}
    summed = [given[seq] for seq in candidate.sums_up if seq in given]
    if len(summed) < len(candidate.sums_up):
        return CheckedSummary((), "sums up messages it was not given")
    foreign = next((message.role for message in summed if message.role not in sources), None)
    if foreign:
        return CheckedSummary((), f"rests on the words of the {foreign}, who is no source here")
    spoken_terms = {term for message in summed for term in terms(f"{message.name or message.role} {readable(message)}")}
    stated = set(terms(BYTE_MARK.sub(" ", candidate.text)))
    if len(stated & spoken_terms) < MIN_SHARED_WORDS * max(len(stated), 1):
        return CheckedSummary((), "says what is not in the conversation")
    return CheckedSummary(tuple(evidence_of(message) for message in summed), "")
