"""Whose memory a request reads and writes, under which profile: subjects, reading list, tags. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta
from typing import Any
from urllib.parse import quote

from recollect.extraction.provenance import INTERACTION, SYSTEM_CHARACTER, USER_CHARACTER, character, pair_tag
from recollect.profiles.overrides import options_of
from recollect.profiles.policies import Profile
from recollect.types import NO_OPENING, Conversation, ConversationSetup, FormationRequest, RequestScope, Subject

USE_MEMORY, ENABLED = "useMemory", "enabled"
"""Names of a conversation's options, as the profiles' interfaces spell them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryScope:
    """One request's place among the memories."""

    profile: Profile
    home: Subject
    """Whose log the conversation is."""
    writes: Subject | None
    """Whose memory is formed and read first; None: there is none here, `missing` says why."""
    missing: str = ""
    """What the profile wants to know before it can remember."""
    tags: tuple[str, ...] = ()
    """Names under which what is formed here is listed."""
    opening: ConversationSetup = NO_OPENING
    """What a conversation that begins here is opened with."""


def memory_scope(
    home: Subject, scope: RequestScope, profile: Profile, conversation: str | None, known: Conversation | None
) -> MemoryScope:
    """Say whose memory a request is about.

    Args:
        home: Who asks.
        scope: Profile, app and characters that the request names.
        profile: The one that applies.
        conversation: The client's id of the chat, if it sent one.
        known: That conversation, where it was opened before.

    Raises:
        BadSubjectError: a name that cannot be part of a subject.
        BadRequestError: an option is none of the profile's interface, or has a value that it does not take.
    """
    options = _options(scope, known, profile)
    settings = options_of(profile, options)
    profile = settings.over(profile)
    app = scope.app or (known.app if known else None)
    opening = ConversationSetup(profile=scope.profile, app=app, options=options)
    writes, missing, tags = _memory_of(home, profile, conversation, app, options)
    return MemoryScope(profile=profile, home=home, writes=writes, missing=missing, tags=tags, opening=opening)


def profile_name(scope: RequestScope, known: Conversation | None, default: str) -> str:
    """Choose the profile: the request's, the one its conversation was opened with, its key's, the settings'."""
    return scope.profile or (known.profile if known else None) or scope.key_profile or default


def owned_subject(kind: str, owner: Subject, name: str) -> Subject:
    """Name a subject within an owner's, so that two owners' never meet, whatever they are called.

    >>> owned_subject("session", Subject("user", "ana/x"), "1").text
    'session:ana%2Fx/1'
    """
    whose = quote(owner.name, safe="") if owner.kind == "user" else f"{owner.kind}:{quote(owner.name, safe='')}"
    return Subject(kind, f"{whose}/{name}")


def apply_trigger(due: FormationRequest, profile: Profile) -> FormationRequest:
    """Make an extraction wait as the profile's trigger says."""
    trigger = profile.trigger
    if trigger.when == "every_turn":
        return due
    if trigger.when == "periodic":
        return replace(due, every_turns=trigger.every)
    idle = timedelta(seconds=trigger.idle_s) if trigger.when == "on_end" and trigger.idle_s else None
    return replace(due, every_turns=0, after_idle=idle)


def _options(scope: RequestScope, known: Conversation | None, profile: Profile) -> Mapping[str, Any]:
    """Return the options that hold: the conversation's, where it was opened with this profile, and the request's."""
    mine = known is not None and known.profile in (None, profile.name)
    options = dict(known.options) if known is not None and mine else {}
    if scope.characters and profile.subject.kind == "character":
        options[SYSTEM_CHARACTER], options[USER_CHARACTER] = scope.characters
        options.setdefault(USE_MEMORY, True)
    if scope.interaction:
        options[INTERACTION] = scope.interaction
    return options


def _memory_of(
    home: Subject, profile: Profile, conversation: str | None, app: str | None, options: Mapping[str, Any]
) -> tuple[Subject | None, str, tuple[str, ...]]:
    match profile.subject.kind:
        case "session":
            if conversation is None:
                return None, "no session: send x-recollect-session", ()
            if options.get(ENABLED) is False:
                return None, "memory is off for this session", ()
            return owned_subject("session", home, conversation), "", ()
        case "app":
            if app is None:
                return None, "no app: send x-recollect-app", ()
            # Without a slash of its own, one for all can have the name of nobody's own.
            everybodys = Subject("app", quote(app, safe=""))
            return (owned_subject("app", home, app) if profile.subject.per_user else everybodys), "", ()
        case "character":
            knower, other = options.get(SYSTEM_CHARACTER), options.get(USER_CHARACTER)
            if not (knower and other):
                return None, "no characters: send x-recollect-characters", ()
            if not options.get(USE_MEMORY):
                return None, "useMemory is off for this conversation", ()
            return owned_subject("character", home, character(knower)), "", (pair_tag(knower, other),)
        case _:
            return home, "", ()
