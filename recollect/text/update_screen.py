"""Screen whole texts for clauses that an update may contradict, before they are cut into clauses. Pure.

A screen looks for single words that every contradicted clause has. It lets texts through in which no clause is
contradicted, and keeps none out in which one is.
"""

from dataclasses import dataclass
from functools import cached_property

from recollect.text.acquisitions import Acquisition, Repricing
from recollect.text.clauses import has_meaning, split_words, subject_of
from recollect.text.update_words import DEBT, DISLIKES, HOMES, JOBS, LIKES, PROFESSIONS, WEEKDAYS
from recollect.text.updates import Update, has_all, liked, misspells

# A longer text may have a sentence that is cut within a word: it has words then that its clauses do not have.
MAX_SCREENED_CHARACTERS = 2_000
_ATTITUDES = LIKES | DISLIKES
_WORK = JOBS | PROFESSIONS


@dataclass(frozen=True)
class ScreenedText:
    """The words of a text, of which each of its clauses has some."""

    text: str

    @cached_property
    def words(self) -> frozenset[str]:
        """All words, folded."""
        return frozenset(split_words(self.text))

    @cached_property
    def topic(self) -> frozenset[str]:
        """Stems of the words of meaning."""
        return frozenset(subject_of(word) for word in self.words if has_meaning(word))

    @cached_property
    def has_value(self) -> bool:
        """Whether there is a number or a weekday."""
        return any(character.isdigit() for character in self.text) or not self.words.isdisjoint(WEEKDAYS)


def may_contradict(update: Update, text: ScreenedText) -> bool:
    """Return False if `contradicts` is false of every clause of a text; True where that is not sure.

    >>> from recollect.text.updates import read_update
    >>> sold = read_update("we sold the boat")
    >>> may_contradict(sold, ScreenedText("I love my boat, and I ski.")), may_contradict(sold, ScreenedText("I ski."))
    (True, False)
    """
    if len(text.text) > MAX_SCREENED_CHARACTERS or any(
        not isinstance(reversal, Acquisition | Repricing) or reversal.may_end(text.words)
        for reversal in update.reversals
    ):
        return True
    return _may_have_wrong_words(update, text) or _may_tell_former_state(update, text)


def _may_have_wrong_words(update: Update, text: ScreenedText) -> bool:
    if update.denied and (text.has_value or not update.denied.isdisjoint(text.words)):
        return True
    return bool(update.respelled) and any(misspells(update.respelled, word) for word in text.words)


def _may_tell_former_state(update: Update, text: ScreenedText) -> bool:
    if update.changes and text.has_value:
        return True
    if (update.home and not text.words.isdisjoint(HOMES)) or (update.job and not text.words.isdisjoint(_WORK)):
        return True
    if any(has_all(topic, text.topic) for topic in (*update.ended, *update.recovered)):
        return True
    if update.paid and not text.words.isdisjoint(DEBT):
        return True
    if update.likes is None or text.words.isdisjoint(_ATTITUDES):
        return False
    return has_all(liked(update.clause), text.topic)
