"""Whether a message is worth finding again by itself. Pure."""

import re

from recollect.extraction.speech_acts import is_small_talk
from recollect.text import BETWEEN_SENTENCES, asks, is_unspaced, only_asks, squeeze

_SENTENCE_END = re.compile(BETWEEN_SENTENCES)
_ASKS = re.compile(
    r"(?:(?:and|or|so|but|ok|okay|well|hey|hi|hello|please)[\s,]++){0,6}"
    r"(?:who|whom|whose|what|what's|when|where|where's|which|why|how|how's|is|are|am|was|were|do|does|did|don't|doesn't|"
    r"can|could|should|would|will|shall|may|might|has|have|had|any|anything|anyone)\b",
    re.IGNORECASE,
)
# "And of Chile?": a question of so few words tells nothing, however it begins.
_FRAGMENT = 3
_TELLS = re.compile(r"\b(?:i'm|i am|i've|i have|i was|i had|i live|my \w+ (?:is|was|has|had))\b", re.IGNORECASE)


def is_quotable(role: str, text: str) -> bool:
    """Tell whether a message is worth finding again by itself.

    >>> is_quotable("assistant", "Thanks a lot!"), is_quotable("user", "I live in Oslo.")
    (False, True)
    """
    plain = squeeze(text)
    if role not in ("user", "assistant") or not plain or is_bare_question(plain):
        return False
    return not all(is_small_talk(part) for part in _SENTENCE_END.split(plain) if part)


def is_bare_question(text: str) -> bool:
    """Tell whether a text asks and says nothing of who asks.

    >>> is_bare_question("What should I avoid? Any ideas?"), is_bare_question("I moved to Oslo, what should I see?")
    (True, False)
    """
    plain = squeeze(text.replace("’", "'"))
    if not asks(plain) or _TELLS.search(plain):
        return False
    parts = [part for part in _SENTENCE_END.split(plain) if part]
    return all(asks(part) and (_ASKS.match(part) or only_asks(part) or _is_fragment(part)) for part in parts)


def _is_fragment(question: str) -> bool:
    return len(question.split()) <= _FRAGMENT and not is_unspaced(question)
