"""Evidence or nothing: a candidate's quote must stand in the message it names. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.form.sentences import fold
from recollect.form.sources import readable, speaker_of
from recollect.text import normalise, terms
from recollect.types import Candidate, Evidence, LoggedMessage

# Shortest quote that can carry anything, in letters and digits.
SHORTEST_QUOTE = 3
# Of a paragraph's words so many stand in what it sums up; the rest are the summary's own ("agreed", "wants").
LEAST_SHARED = 0.3
_MARKS = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Checked:
    """What checking found: evidence, or why there is none."""

    evidence: Evidence | None
    reason: str
    """Why the candidate is dropped; empty where it is not."""


@dataclass(frozen=True, slots=True)
class CheckedSummary:
    """What checking a paragraph found: the messages it sums up, or why it is dropped."""

    evidence: tuple[Evidence, ...]
    reason: str


def check_evidence(candidate: Candidate, messages: Sequence[LoggedMessage], sources: frozenset[str]) -> Checked:
    """Check a candidate against the message it names.

    The quote is looked for in the message's own words: what was injected, quoted or is secret there proves nothing.
    White space, case, width and typographic quotes are folded, and marks at the quote's ends do not count.

    Args:
        candidate: From any extractor; trusted in nothing.
        messages: The new messages that were to be formed from.
        sources: Roles that may form memories.
    """
    message = next((one for one in messages if one.seq == candidate.seq), None)
    if message is None:
        return Checked(None, f"names message {candidate.seq}, which it was not given")
    if message.role not in sources:
        return Checked(None, f"rests on the words of the {message.role}, who is no source here")
    if not is_quote(candidate.quote):
        return Checked(None, "has no quote")
    if not stands_in(candidate.quote, readable(message)):
        return Checked(None, "has a quote that is not in the message")
    return Checked(_evidence(message, candidate.quote.strip()), "")


def is_quote(quote: str) -> bool:
    """Return whether a quote is long enough to carry anything."""
    return sum(character.isalnum() for character in _folded(quote)) >= SHORTEST_QUOTE


def stands_in(quote: str, text: str) -> bool:
    """Return whether a quote stands in a text, but for white space, case, width and typographic quotes.

    >>> stands_in("“I live in  Oslo.”", "i live in oslo, by the river"), stands_in("", "anything")
    (True, True)
    """
    return _folded(quote) in _folded(text, ends=False)


def check_summary(candidate: Candidate, messages: Sequence[LoggedMessage], sources: frozenset[str]) -> CheckedSummary:
    """Check a paragraph against the messages it sums up: they must hold a fair share of its words.

    Args:
        candidate: From any extractor; trusted in nothing.
        messages: The messages that were to be summed up.
        sources: Roles that may form memories.
    """
    given = {message.seq: message for message in messages}
    summed = [given[seq] for seq in candidate.sums_up if seq in given]
    if len(summed) < len(candidate.sums_up):
        return CheckedSummary((), "sums up messages it was not given")
    foreign = next((one.role for one in summed if one.role not in sources), None)
    if foreign:
        return CheckedSummary((), f"rests on the words of the {foreign}, who is no source here")
    said = {term for one in summed for term in terms(f"{one.name or one.role} {readable(one)}")}
    mine = set(terms(candidate.text))
    if len(mine & said) < LEAST_SHARED * max(len(mine), 1):
        return CheckedSummary((), "says what is not in the conversation")
    return CheckedSummary(tuple(_evidence(one, "") for one in summed), "")


def _evidence(message: LoggedMessage, quote: str) -> Evidence:
    return Evidence(
        conversation=message.conversation,
        seq=message.seq,
        hash=message.hash,
        role=message.role,
        speaker=speaker_of(message),
        quote=quote,
        said_at=message.said_at,
    )


def _folded(text: str, *, ends: bool = True) -> str:
    plain = normalise(fold(text).replace("–", "-").replace("—", "-").replace("…", "..."))
    return _MARKS.sub("", plain) if ends else plain
