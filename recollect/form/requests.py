"""Requests to forget: whether a sentence asks to forget something, and what. Seven languages. Pure."""

from dataclasses import dataclass
from enum import StrEnum

from recollect.form.request_forms import Forms
from recollect.form.request_forms_more import FORMS
from recollect.form.tone import takes_back
from recollect.text import squeeze

# Longest sentence that is read as a request, in characters: a longer one tells something else.
MAX_REQUEST_CHARACTERS = 300


class Scope(StrEnum):
    """What a request to forget concerns."""

    TOPIC = "topic"
    """What is known about something it names."""
    BEFORE = "before"
    """What was said just before."""
    EVERYTHING = "everything"
    """All that is known of the user."""


@dataclass(frozen=True, slots=True)
class ForgetRequest:
    """A request to forget."""

    scope: Scope
    topic: str = ""
    """What it names, in its words; empty for the other scopes."""


def forget_request(sentence: str) -> ForgetRequest | None:
    """Read a sentence as a request to forget; None where it is none.

    >>> forget_request("Please forget what I told you about Tom.")
    ForgetRequest(scope=<Scope.TOPIC: 'topic'>, topic='Tom')
    >>> forget_request("Forget it, let's go on") is None
    True
    """
    if len(sentence) > MAX_REQUEST_CHARACTERS:
        return None
    text = squeeze(sentence.replace("’", "'"))
    for forms in FORMS:
        found = _read(text, forms)
        if found:
            return found
    return None


def wants_forgotten(sentence: str) -> bool:
    """Return whether a sentence asks to forget something, or says that what was said before is over."""
    return forget_request(sentence) is not None or takes_back(sentence)


def _read(text: str, forms: Forms) -> ForgetRequest | None:
    lead = forms.lead.match(text)
    rest = text[lead.end() if lead else 0 :]
    for ask in forms.asks:
        found = ask.match(rest)
        if found:
            return _named(found["topic"], forms)
    return None


def _named(topic: str, forms: Forms) -> ForgetRequest | None:
    topic = forms.tail.sub("", topic.strip(" .,:!?")).strip(" .,:!?\"'")
    if forms.everything.fullmatch(topic):
        return ForgetRequest(Scope.EVERYTHING)
    if forms.before.fullmatch(topic):
        return ForgetRequest(Scope.BEFORE)
    told = forms.told.match(topic)
    topic = topic[told.end() if told else 0 :].strip(" ,:\"'")
    if not topic or forms.vague.fullmatch(topic):
        return None
    return ForgetRequest(Scope.TOPIC, topic)
