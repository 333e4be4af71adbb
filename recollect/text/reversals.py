"""What a clause says is no longer as it was, of each kind: lives, programs, people, plans, names. Pure."""

from typing import Protocol

from recollect.text.acquisitions import read_acquisition, read_repricing
from recollect.text.clauses import ReadClause, read_clause
from recollect.text.job_changes import read_departure, read_new_job, read_new_name
from recollect.text.lapses import read_lapse
from recollect.text.life_changes import read_life_change, read_new_time
from recollect.text.life_events import read_life_event, read_loss
from recollect.text.resumptions import read_resumption
from recollect.text.software_changes import read_software_change
from recollect.text.update_words import CHANGED
from recollect.text.withdrawals import read_withdrawal


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
        read_acquisition(clause, around),
        read_departure(text, clause, within),
        read_life_event(clause, around),
        read_life_change(clause, around),
        read_software_change(text, clause, within),
        read_resumption(clause),
        read_new_time(clause, is_changed=is_changed),
        read_withdrawal(clause, around),
        read_lapse(clause),
        read_new_job(text, clause, around),
        read_new_name(clause),
        read_loss(clause, around),
        read_repricing(clause, around),
    )
    return tuple(reversal for reversal in found if reversal)
