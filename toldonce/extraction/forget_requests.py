"""Requests to forget: which sentences of a user's message ask, by the trained heads, and for what. Loads the heads.

'Please forget what I told you about Tom' names the topic 'Tom'; 'Forget it, let's go on' is no request. Most messages
have no word of asking, and cost no judgement. A message is judged by its own words alone, so that the same message
asks the same wherever it is resent.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from toldonce.memo import remembered
from toldonce.reading.forget_words import ForgetRequest, Wording, wording
from toldonce.reading.head_features import MAX_SENTENCES, HeadInput
from toldonce.reading.heads import Head, shipped_heads
from toldonce.reading.sentences import TextSpan, fold, sentences

# Probability from which a sentence with a word of asking is a request. At .30, 87 % of those taken were requests and
# 89 % of the requests were taken, on writers that the heads had not seen. The heads that were trained since with more
# orders about texts give short requests less: "forget that I live in Aleppo".
FORGET_THRESHOLD = 0.225
# The same of a note that an agent asks to keep: the rule "Never store secrets in the repository" reaches .51.
NOTED_FORGET_THRESHOLD = 0.6
# Stretches of `MAX_SENTENCES` sentences that are judged, some 20 ms each: a message with more of them that have words
# of asking is a text.
_MAX_STRETCHES = 50


@dataclass(frozen=True, slots=True)
class FoundRequest:
    """A sentence that asks to forget something."""

    piece: TextSpan
    request: ForgetRequest


def has_word_of_asking(text: str) -> bool:
    """Return whether a sentence of a text may ask to forget something: only then are the heads needed."""
    return any(_may_ask(piece.text) for piece in sentences(fold(text)))


def asks_to_forget(text: str, threshold: float = FORGET_THRESHOLD) -> bool:
    """Return whether any sentence of a text asks to forget something, with a probability of at least `threshold`.

    >>> asks_to_forget("Thanks! Please forget what I told you about Tom."), asks_to_forget("I forgot my keys.")
    (True, False)
    """
    folded = fold(text)
    return next(find_requests(folded, sentences(folded), threshold), None) is not None


def find_requests(text: str, pieces: Sequence[TextSpan], threshold: float = FORGET_THRESHOLD) -> Iterator[FoundRequest]:
    """Yield the sentences of a text that ask to forget something, in order.

    Args:
        text: The text.
        pieces: Its sentences.
        threshold: Least probability of a request, 0 to 1.
    """
    stretches = (pieces[start : start + MAX_SENTENCES] for start in range(0, len(pieces), MAX_SENTENCES))
    judged = 0
    for stretch in stretches:
        asking = {place: found for place, piece in enumerate(stretch) if (found := _may_ask(piece.text))}
        if not asking:
            continue
        judged += 1
        if judged > _MAX_STRETCHES:
            return
        likely = _likely(text, tuple(piece.text for piece in stretch))
        for place, found in asking.items():
            if likely[place] >= threshold:
                yield FoundRequest(stretch[place], found.request)


def _may_ask(sentence: str) -> Wording | None:
    read = wording(sentence)
    return read if read and not read.is_excluded else None


@remembered
def _likely(text: str, said: tuple[str, ...]) -> tuple[float, ...]:
    """Return the probability that each of the sentences asks to forget something."""
    judgement = shipped_heads().judge(HeadInput(text=text, sentences=said))
    return tuple(judgement.of(place, Head.FORGETS) for place in range(len(said)))
