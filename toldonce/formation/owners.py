"""Whose memory a candidate is, where a user and an app share a conversation: the user's or the app's. Pure.

What is said of the user belongs to the user, all else to the app. The extractors decide it: they write what is said of
the user with the user as its subject, and quote what they cannot put so ('The user said: "We use pnpm."').
"""

import re
from collections.abc import Sequence

from toldonce.lazy_pattern import LazyPattern
from toldonce.profiles.policies import Profile
from toldonce.types import Candidate, Conversation, MemoryKind, Subject

_OF_USER = LazyPattern(r"\bthe user\b", re.IGNORECASE)
_QUOTES = LazyPattern(r"^[^:\"]{1,100} (?:said|asked to remember): ")
# Words for the work at hand: a rule for 'this repo' is no rule for the next one.
_OF_APP = LazyPattern(
    r"\b(?:this|our) (?:[\w-]{1,30} )?(?:repo|repository|project|code ?base|code|branch|package|library|module|service"
    r"|backend|frontend|app|application|api|monorepo|workspace|team|product|company)\b",
    re.IGNORECASE,
)


def own_candidates(
    candidates: Sequence[Candidate], subject: Subject, profile: Profile, opened: Conversation | None
) -> Sequence[Candidate]:
    """Return the candidates that belong to a subject; all of them where it has the conversation alone.

    What ends or is to be forgotten may be known in either, so it belongs to both.
    """
    if not is_shared(profile, opened):
        return candidates
    of_app = subject.kind == "app"
    return [
        candidate
        for candidate in candidates
        if candidate.ends or candidate.forgets or is_of_user(candidate) is not of_app
    ]


def is_shared(profile: Profile, opened: Conversation | None) -> bool:
    """Return whether a conversation is formed for a user and an app."""
    return profile.subject.with_app and opened is not None and opened.app is not None


def is_of_user(candidate: Candidate) -> bool:
    """Return whether a candidate is about the user, whatever they work on."""
    if _OF_APP.search(candidate.text):
        return False
    if candidate.kind is MemoryKind.FACT:
        return True
    return bool(_OF_USER.search(candidate.text)) and not _QUOTES.search(candidate.text)
