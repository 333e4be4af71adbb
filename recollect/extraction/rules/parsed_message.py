"""A message while the rules read it: its own words, the times in it, who speaks and after what. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from zoneinfo import ZoneInfo

from recollect.dates import DateMention
from recollect.extraction.rules.rewrite import Speaker
from recollect.extraction.sentences import TextSpan
from recollect.types import LoggedMessage

# Confidence of what was said plainly, of what was read out of running talk, and of what the speaker doubts.
PLAIN, READ, DOUBTED = 1.0, 0.8, 0.5
_UTC = ZoneInfo("UTC")


@dataclass(frozen=True, slots=True)
class ParsedMessage:
    """A message while it is read."""

    message: LoggedMessage
    text: str
    """Own words, scrubbed; quotes in evidence are cut from it."""
    masked: str
    """The same with others' words blanked, each character in its place."""
    mentions: Sequence[DateMention]
    speaker: Speaker
    talk: bool
    answers: str
    """What the other side said before it; empty where nothing is known of that."""
    before_seq: int = 0
    """`seq` of the speaker's message before it; 0 where there is none."""
    before: tuple[str, ...] = ()
    """What the speaker said before it, the newest first."""
    zone: ZoneInfo = _UTC
    """Where the speaker's days begin."""

    def quote(self, clause: TextSpan) -> str:
        """Return the words of a clause as they stand in the message."""
        return self.text[clause.start : clause.end]

    def inside(self, clause: TextSpan) -> list[DateMention]:
        """Return the times named within a clause, spans counted from its start."""
        return [
            replace(one, span=(one.span[0] - clause.start, one.span[1] - clause.start))
            for one in self.mentions
            if clause.start <= one.span[0] and one.span[1] <= clause.end
        ]
