"""Requests to forget: whether a sentence asks to forget something, and what. Twelve languages. Pure.

'Please forget what I told you about Tom' names the topic 'Tom'; 'Forget it, let's go on' is no request.
"""

import re
from collections.abc import Iterator
from dataclasses import dataclass
from enum import StrEnum
from itertools import islice

from toldonce.extraction.foreign_forget_forms import LATIN
from toldonce.extraction.forget_forms import ForgetForms
from toldonce.extraction.other_script_forget_forms import OTHER_SCRIPTS
from toldonce.extraction.speech_acts import is_retraction
from toldonce.lazy_pattern import LazyPattern
from toldonce.memo import remembered
from toldonce.reading.sentences import fold, sentences
from toldonce.text import squeeze

# Characters of a request: a longer sentence says something else.
MAX_REQUEST_CHARACTERS = 300

# The reason after the topic: 'my divorce, it's private', 'Tom because we split up'.
_REASON = LazyPattern(
    r",? (?:because|since) .*|(?<![,:-])[,:-]++ (?:let's|let us) .*"
    r"|(?<![,:-])[,:-]++ (?:(?:it|that|this|he|she|they|i|we|you)(?:'\w{1,2})?|thats|its|im|theyre) .*"
    # A further request: 'my ex and tell me a joke', 'the trip, act like I never said it'.
    r"|(?<![,:-])[,:-]++ (?:(?:and|just|so) )?(?:act|pretend|behave)\b.*"
    r"|,? (?:and|but|then) (?:(?:then|just|please|also|instead) ){0,2}(?:tell|give|write|make|do|help|show|find|suggest"
    r"|recommend|answer|act|pretend|carry on|go on|move on|start|let's|let us|can you|could you|would you|what|how"
    r"|where|when|why) .*",
    re.IGNORECASE | re.DOTALL,
)
# An alternative: 'forget about lunch, let's do dinner' is about a plan, not about the memory.
_INSTEAD = LazyPattern(
    r"[^,:-]{1,150}[,:-]++ (?:and |but |so |then )?"
    r"(?:let's|let us|we'll|i'll|i'd rather|how about|what about|make it|do|get) "
    r"(?!(?:just |please )?(?:talk|speak|move on|go on|go ahead|change|continue|focus|discuss|proceed|start|not|never"
    r"|say|leave)\b)",
    re.IGNORECASE,
)
# Where a sentence turns to the assistant: '… so please wipe everything about the ring'.
_TURNS_TO_ASSISTANT = LazyPattern(
    r"(?:[,;:]|\s[-–—]|\b(?:so|and|but|then|also|und|et|donc|y|así que|e|então|quindi|allora|en|dus))\s"
    r"(?=(?:please|pls|plz|kindly|(?:can|could|would|will) you|you (?:can|could|may|should|must)"
    r"|i(?:'d| would)? (?:want|like|need|prefer|rather) you|i'd rather|i (?:don't|do not) want you"
    r"|bitte|(?:kannst|könntest|würdest) du|du (?:kannst|sollst|darfst)|stp|svp|s'il (?:te|vous) pla[iî]t"
    r"|(?:peux|pourrais)-tu|tu (?:peux|pourrais)|por favor|puedes|podrías|per favore|puoi|potresti|podes|poderias"
    r"|pode|alsjeblieft|(?:kun|kan|wil) je|je (?:mag|kunt))\b)",
    re.IGNORECASE,
)
_MAX_TURNS = 4
_OTHER_SCRIPT = LazyPattern("[\u0400-\u06ff\u3040-\u30ff\u3400-\u9fff\uac00-\ud7a3]")
# Around a topic.
_MARKS = " .,:!?。，：！？、；，؛؟"
# 'She said, please forget the cake' asks another person.
_REPORTED = LazyPattern(
    r"\b(?:said|says|say|told|tells|asked|asks|wrote|writes|texted|goes|went|replied|like|begged|sagt|sagte|dit|dice"
    r"|dijo|disse|zei|zegt)(?: (?:me|us|him|her|them|to me|to him|to her))?[\s,:;–—-]{0,4}(?:and|so)?$",
    re.IGNORECASE,
)
_TOLD_TOPIC = LazyPattern(
    r"(?:my|our|what|everything|anything|all|that|the (?:fact|thing|part|stuff|story)|i|you)\b", re.IGNORECASE
)


class Scope(StrEnum):
    """What a request to forget covers."""

    TOPIC = "topic"
    """Memories about a named topic."""
    BEFORE = "before"
    """The previous message."""
    EVERYTHING = "everything"
    """Everything known about the user."""


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A request to forget."""

    scope: Scope
    topic: str = ""
    """The topic in the user's words; empty for the other scopes."""


@remembered
def forget_request(sentence: str) -> ForgetRequest | None:
    """Read a sentence as a request to forget; None if it is not one.

    >>> forget_request("Please forget what I told you about Tom.")
    ForgetRequest(scope=<Scope.TOPIC: 'topic'>, topic='Tom')
    >>> forget_request("Forget it, let's go on") is None
    True
    """
    if len(sentence) > MAX_REQUEST_CHARACTERS:
        return None
    text = squeeze(sentence.replace("’", "'"))
    for part in _parts(text):
        for forms in (*LATIN, *OTHER_SCRIPTS) if _OTHER_SCRIPT.search(part) else LATIN:
            found = _read(part, forms)
            if found:
                return found
    return None


def asks_to_forget(text: str) -> bool:
    """Return whether any sentence of a text asks to forget something.

    >>> asks_to_forget("Thanks! Please forget what I told you about Tom."), asks_to_forget("I forgot my keys.")
    (True, False)
    """
    pieces = (piece.text for piece in sentences(fold(text)))
    return any(forget_request(piece) is not None and not is_retraction(piece) for piece in pieces)


def wants_forgotten(sentence: str) -> bool:
    """Return whether a sentence asks to forget something, or retracts what was said before."""
    return forget_request(sentence) is not None or is_retraction(sentence)


def _parts(text: str) -> Iterator[str]:
    """Yield a sentence, and each part of it that turns to the assistant."""
    yield text
    for turn in islice(_TURNS_TO_ASSISTANT.finditer(text), _MAX_TURNS):
        if not _REPORTED.search(text[max(0, turn.start() - 30) : turn.start()]):
            yield text[turn.end() :]


def _read(text: str, forms: ForgetForms) -> ForgetRequest | None:
    lead = forms.lead.match(text)
    rest = text[lead.end() if lead else 0 :]
    for ask in forms.asks:
        found = ask.match(rest)
        if found:
            return _named(found["topic"], forms)
    return None


def _named(topic: str, forms: ForgetForms) -> ForgetRequest | None:
    whole = topic.strip(_MARKS)
    topic = forms.tail.sub("", whole).strip(f"{_MARKS}\"'")
    if forms.everything.fullmatch(whole) or forms.everything.fullmatch(topic):
        return ForgetRequest(Scope.EVERYTHING)
    if forms.before.fullmatch(whole) or forms.before.fullmatch(topic):
        return ForgetRequest(Scope.BEFORE)
    lead = forms.told.match(topic)
    if not (lead and lead.end()) and not _TOLD_TOPIC.match(topic) and _INSTEAD.match(topic):
        return None
    topic = _REASON.sub("", topic[lead.end() if lead else 0 :])
    topic = forms.tail.sub("", topic.strip(" ,:\"'-")).strip(" ,:\"'")
    if not topic or forms.vague.fullmatch(topic):
        return None
    return ForgetRequest(Scope.TOPIC, topic)
