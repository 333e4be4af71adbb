"""Tastes that their speaker is not sure of: 'I like fantasy, I think'. A hedge makes no preference. Pure."""

import re

_TASTE = r"(?:like|likes|love|enjoy|prefer|into|fan\s++of|fond\s++of|keen\s++on)"
_DOUBT = (
    r"(?:i\s++(?:think|guess|suppose)|maybe|perhaps|probably|possibly|idk|i\s++dunno|i\s++don't\s++know|"
    r"not\s++sure(?:\s++yet|\s++really)?|"
    r"who\s++knows|could\s++be|hard\s++to\s++say)"
)
_DOUBTED = re.compile(
    rf"\b{_TASTE}\b[^.!?\n]{{1,80}}?[,;–-]?\s{_DOUBT}[\s.!?…:)(]{{0,10}}$"
    rf"|^(?:well,?\s|hmm,?\s|so,?\s)?{_DOUBT},?\s(?:that\s)?i(?:'d|\swould|\smight|\scould)\s(?:probably\s|maybe\s|"
    rf"even\s|rather\s|be\s){{0,2}}{_TASTE}\b",
    re.IGNORECASE,
)


def is_doubted_taste(sentence: str) -> bool:
    """Return whether a sentence tells of a taste that its speaker is not sure of.

    >>> is_doubted_taste("i like fantasy, i think"), is_doubted_taste("I think I like it")
    (True, False)
    """
    return bool(_DOUBTED.search(sentence))
