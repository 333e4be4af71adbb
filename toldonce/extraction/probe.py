"""Run all message rules on one message, to learn whether it can be read in time. Pure.

Runs in the child process, which can be stopped where a pattern takes too long.
"""

from datetime import tzinfo

from toldonce.extraction.redaction import redact_with_shapes
from toldonce.extraction.review_gate import planted_order, review_reason
from toldonce.extraction.rules import read_by_rules
from toldonce.extraction.salience import assess_salience
from toldonce.extraction.sources import MAX_READ_CHARACTERS, ExtractionInput, Readable, read_message
from toldonce.extraction.speech_acts import is_small_talk
from toldonce.reading.sentences import fold, sentences
from toldonce.text import asks, only_asks, squeeze, terms
from toldonce.types import LoggedMessage, Subject


def probe(message: LoggedMessage, zone: tzinfo) -> Readable:
    """Run every rule that reads single messages.

    Returns:
        The result of `read_message`, which each stage needs again; the other results depend on more messages.
    """
    redact_with_shapes(message.text[:MAX_READ_CHARACTERS])
    read = read_message(message)
    text = read.words
    assess_salience(text)
    planted_order(text, message.role)
    terms(text)
    for sentence in sentences(fold(text)):
        is_small_talk(sentence.text)
    plain = squeeze(text)
    asks(plain)
    only_asks(plain)
    source = ExtractionInput(
        messages=(message,),
        subject=Subject("user", "probe"),
        sources=frozenset({message.role}),
        time_zone=zone,
        keeps_sentences=True,
    )
    for candidate in read_by_rules(source).candidates:
        review_reason(candidate, message.role, text)
    return read
