"""Read one message as all stages of formation will, to learn whether it can be read in time. Pure."""

from zoneinfo import ZoneInfo

from recollect.extraction.gate import worth_a_look
from recollect.extraction.redaction import scrub_report
from recollect.extraction.review_gate import hold_reason, planted_order
from recollect.extraction.rules import extract_by_rules
from recollect.extraction.salience import worth_of
from recollect.extraction.sentences import fold, sentences
from recollect.extraction.sources import LONGEST_READ, FormInput, readable
from recollect.extraction.speech_acts import small_talk
from recollect.text import asks, only_asks, squeeze, terms
from recollect.types import LoggedMessage, Subject


def probe(message: LoggedMessage, zone: ZoneInfo) -> str:
    """Let every rule that reads messages read this one.

    Returns:
        The result of `readable`, which each of the stages needs again; what else the rules find rests on more than one
        message.
    """
    scrub_report(message.text[:LONGEST_READ])
    text = readable(message)
    worth_a_look(text)
    worth_of(text)
    planted_order(text, message.role)
    terms(text)
    for sentence in sentences(fold(text)):
        small_talk(sentence.text)
    plain = squeeze(text)
    asks(plain)
    only_asks(plain)
    source = FormInput(
        messages=(message,), subject=Subject("user", "probe"), sources=frozenset({message.role}), time_zone=zone
    )
    for candidate in extract_by_rules(source):
        hold_reason(candidate, message.role, text)
    return text
