"""Run all message rules on one message, to learn whether it can be read in time. Pure.

Runs in the child process, which can be stopped where a pattern takes too long.
"""

from datetime import tzinfo

from toldonce.extraction.redaction import redact_with_shapes
from toldonce.extraction.review_gate import planted_order, review_reason
from toldonce.extraction.rules import read_by_rules
from toldonce.extraction.sources import MAX_READ_CHARACTERS, ExtractionInput, Readable, read_message
from toldonce.text import terms
from toldonce.types import LoggedMessage, Subject


def probe(message: LoggedMessage, zone: tzinfo) -> Readable:
    """Run every rule that reads single messages.

    Returns:
        The result of `read_message`, which each stage needs again; the other results depend on more messages.
    """
    redact_with_shapes(message.text[:MAX_READ_CHARACTERS])
    read = read_message(message)
    text = read.words
    planted_order(text, message.role)
    terms(text)
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
