"""Requests to forget as candidates: what the user names, what was just said, or everything. Pure."""

from collections.abc import Sequence
from itertools import islice

from toldonce.extraction.forget_requests import find_requests
from toldonce.extraction.rules.parsed_message import PLAIN, ParsedMessage
from toldonce.extraction.sources import speaker_of
from toldonce.reading.forget_words import ForgetRequest, Scope, retracts, takes_back
from toldonce.reading.heads import judge_each
from toldonce.reading.sentences import TextSpan, sentences
from toldonce.reading.slots import stated_slots
from toldonce.types import Candidate, MemoryKind

FORGET_REQUEST_MARK = " wants forgotten: "
"""In the text of a request to forget: between the speaker and the topic."""
# Characters of an answer that a retraction takes back.
_MAX_TOPIC_CHARACTERS = 600


def requests_of(reading: ParsedMessage, pieces: Sequence[TextSpan], *, limit: int) -> list[Candidate]:
    """Read the first `limit` requests to forget of a message; 'jk' asks to forget the previous message."""
    asked = find_requests(reading.masked, pieces) if reading.to_assistant else iter(())
    read = (read_forget_request(reading, found.piece, found.request) for found in asked)
    found = list(islice((request for request in read if request), limit))
    if pieces and not found and takes_back(pieces[0].text):
        found += forget_previous(reading, pieces[0])
    return found


def read_forget_request(reading: ParsedMessage, sentence: TextSpan, request: ForgetRequest | None) -> Candidate | None:
    """Read a request to forget, or a statement that the other side's last sentence is not true (any longer)."""
    if not reading.to_assistant:
        return None
    topic = request.topic if request else ""
    # A retraction is unambiguous if the other side said only one sentence.
    if not request and retracts(sentence.text) and len(sentences(reading.previous_reply)) == 1:
        topic = " ".join(reading.previous_reply.split())[:_MAX_TOPIC_CHARACTERS]
    is_all = request is not None and request.scope is Scope.EVERYTHING
    seqs = _meant_messages(reading, sentence) if request and request.scope is Scope.BEFORE else ()
    if not topic and not is_all and not seqs:
        return None
    return _forgetting(reading, sentence, topic=topic, seqs=seqs, is_all=is_all)


def forget_previous(reading: ParsedMessage, sentence: TextSpan) -> tuple[Candidate, ...]:
    """Read 'jk' or 'sorry, wrong chat' as a request to forget the previous message."""
    if reading.between_people or not reading.previous_seq:
        return ()
    return (_forgetting(reading, sentence, topic="", seqs=(reading.previous_seq,), is_all=False),)


def _forgetting(
    reading: ParsedMessage, sentence: TextSpan, *, topic: str, seqs: tuple[int, ...], is_all: bool
) -> Candidate:
    # A topic that states a slot means it: 'that I live in Oslo'.
    stated = next(iter(stated_slots(TextSpan(topic, 0))), None)
    named = topic or ("everything" if is_all else "what was just said")
    return Candidate(
        kind=MemoryKind.NOTE,
        key=stated.key if stated else "",
        value=stated.value if stated else "",
        text=f"{reading.speaker}{FORGET_REQUEST_MARK}{named}",
        type="fact",
        importance=0.7,
        confidence=PLAIN,
        speaker=speaker_of(reading.message),
        seq=reading.message.seq,
        quote=reading.quote(sentence),
        valid_from=reading.message.said_at,
        ends=True,
        forgets=topic or reading.quote(sentence),
        forgets_seqs=seqs,
        forgets_all=is_all,
    )


def _meant_messages(reading: ParsedMessage, request: TextSpan) -> tuple[int, ...]:
    """Return the message that 'forget what I just said' means: this one if it states something, else the previous."""
    others = [piece.text for piece in sentences(reading.masked) if piece.start != request.start]
    if any(judgement.states(0) for judgement in judge_each(others)):
        return (reading.message.seq,)
    return (reading.previous_seq,) if reading.previous_seq else ()
