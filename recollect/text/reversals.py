"""What a clause says is no longer as it was, of each kind: lives, programs, people, plans, names. Pure."""

from typing import Protocol

from recollect.text.acquisitions import acquisition, repricing
from recollect.text.clauses import ReadClause, read_clause
from recollect.text.job_changes import departure, new_job, new_name
from recollect.text.lapses import lapse
from recollect.text.life_changes import life_change, new_time
from recollect.text.life_events import life_event, loss
from recollect.text.resumptions import resumption
from recollect.text.software_changes import software_change
from recollect.text.update_words import CHANGED
from recollect.text.withdrawals import withdrawal


class Reversal(Protocol):
    """A part of what a clause says is no longer as it was."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause says what is no longer so."""


def read_reversals(text: str, clause: ReadClause, within: str) -> tuple[Reversal, ...]:
    """Read what a clause says is not as it was of parts of life, programs, people, plans and names.

    Args:
        text: The clause.
        clause: The same, read.
        within: Its sentence.
    """
    around = read_clause(within)
    is_changed = not CHANGED.isdisjoint(around.words)
    found: tuple[Reversal | None, ...] = (
        acquisition(clause, around),
        departure(text, clause, within),
        life_event(clause, around),
        life_change(clause, around),
        software_change(text, clause, within),
        resumption(clause),
        new_time(clause, is_changed=is_changed),
        withdrawal(clause, around),
        lapse(clause),
        new_job(text, clause, around),
        new_name(clause),
        loss(clause, around),
        repricing(clause, around),
    )
    return tuple(reversal for reversal in found if reversal)
