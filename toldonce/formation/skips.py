"""Which messages a form model is not shown, and why. Loads the learned gate once.

Skipped is only what surely holds nothing: phrases of courtesy that are listed, messages without words, messages whose
words are all others', and code and bare questions that the learned gate thinks nothing of either. Words of a game and
texts to work on are shown, marked as such.
"""

from collections.abc import Sequence

from toldonce.extraction.courtesy import SkipReason, skip_reason
from toldonce.extraction.evidence import question_before
from toldonce.extraction.machine_text import find_machine_text
from toldonce.extraction.rules.kept_sentences import statement_probability
from toldonce.extraction.sentences import fold, sentences
from toldonce.extraction.sources import readable
from toldonce.extraction.spans import blank_out
from toldonce.extraction.wrappers import find_wrapped
from toldonce.formation.batch import ExtractionBatch
from toldonce.text import asks, asks_for_facts, words
from toldonce.types import LoggedMessage

# From this probability on, what looks like code is shown all the same: 'C++ code for a loop that doubles the field'.
CODE_THRESHOLD = 0.05
# Below it a message that only asks is not shown. On 280 open chats none of 644 utterances with evidence is; below 0.1
# it would be 0.8 percent of them, since a question often tells something ('which tent for two and a dog?').
QUESTION_THRESHOLD = 0.07
# For questions of facts, in which no speaker is named. With it, 1.0 percent of 2,540 utterances with evidence of 1,118
# open chats are not shown (0.3 without), and 37 percent of 1,507 other messages that only ask (28 without).
FACTS_THRESHOLD = 0.22


def why_skipped(message: LoggedMessage, batch: ExtractionBatch) -> SkipReason:
    """Return why a model need not see a new message of a batch; empty if it may hold something."""
    if message.seq in batch.shown:
        return ""
    return skip_of(message, (*batch.earlier, *batch.messages))


def withheld(batch: ExtractionBatch) -> list[SkipReason]:
    """Return why user messages of the batch need not be shown to a model, a reason for each that need not."""
    if batch.profile.form.extractor == "paragraph" or "user" not in batch.sources:
        return []
    reasons = (why_skipped(message, batch) for message in batch.messages if message.role == "user")
    return [reason for reason in reasons if reason]


def skip_of(message: LoggedMessage, around: Sequence[LoggedMessage]) -> SkipReason:
    """Return why a model need not see a message that is not part of a game; empty if it may hold something.

    Args:
        message: A new message.
        around: It and the messages around it: the one before may ask what it answers.
    """
    question = question_before(message, around)
    own = readable(message)
    reason = skip_reason(own, asked=bool(question), fenced=any(map(str.isalnum, message.text)))
    asked = _sentences(own) if not reason and not question and message.role == "user" else []
    if asked and all(map(asks, asked)):
        threshold = FACTS_THRESHOLD if all(map(asks_for_facts, asked)) else QUESTION_THRESHOLD
        return "question" if statement_probability(message, around) < threshold else ""
    if reason == "code" and statement_probability(message, around) >= CODE_THRESHOLD:
        return ""
    return "code" if reason == "carried" and _is_of_programs(message.text) else reason


def _sentences(own: str) -> list[str]:
    return [piece.text for piece in sentences(fold(own)) if words(piece.text)]


def _is_of_programs(text: str) -> bool:
    """Return whether a message has no words but those of programs."""
    words = blank_out(text, find_wrapped(text).spans)
    return not any(map(str.isalnum, blank_out(words, find_machine_text(words))))
