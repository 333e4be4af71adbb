"""Evidence or nothing: a candidate's quote must stand in the message it names. Pure."""

import re
from collections.abc import Sequence
from dataclasses import dataclass

from recollect.form.sentences import fold
from recollect.form.sources import readable, speaker_of
from recollect.text import normalise
from recollect.types import Candidate, Evidence, LoggedMessage

# Shortest quote that can carry anything, in letters and digits.
SHORTEST_QUOTE = 3
_MARKS = re.compile(r"^[\W_]+|[\W_]+$")


@dataclass(frozen=True, slots=True)
class Checked:
    """What checking found: evidence, or why there is none."""

    evidence: Evidence | None
    reason: str
    """Why the candidate is dropped; empty where it is not."""


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
    quote = _folded(candidate.quote)
    if sum(character.isalnum() for character in quote) < SHORTEST_QUOTE:
        return Checked(None, "has no quote")
    if quote not in _folded(readable(message), ends=False):
        return Checked(None, "has a quote that is not in the message")
    evidence = Evidence(
        conversation=message.conversation,
        seq=message.seq,
        hash=message.hash,
        role=message.role,
        speaker=speaker_of(message),
        quote=candidate.quote.strip(),
        said_at=message.said_at,
    )
    return Checked(evidence, "")


def _folded(text: str, *, ends: bool = True) -> str:
    plain = normalise(fold(text).replace("–", "-").replace("—", "-").replace("…", "..."))
    return _MARKS.sub("", plain) if ends else plain
