"""Which memory a request reads and writes, and under which profile. Pure."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from datetime import timedelta, tzinfo
from typing import Any
from urllib.parse import quote

from toldonce.errors import BadIdentityError
from toldonce.extraction.provenance import INTERACTION, SYSTEM_CHARACTER, USER_CHARACTER, kept_as, tags_of
from toldonce.profiles.destinations import DestinationRule
from toldonce.profiles.overrides import options_known_to, options_of
from toldonce.profiles.policies import Profile
from toldonce.time_zones import require_zone
from toldonce.types import NO_OPENING, Conversation, ConversationSetup, FormationRequest, RequestScope, Subject

USE_MEMORY, ENABLED = "useMemory", "enabled"
"""Options of a conversation, as the profiles' interfaces spell them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MemoryScope:
    """The memory that one request reads and writes."""

    profile: Profile
    home: Subject
    """Subject whose log the conversation is in."""
    writes: Subject | None
    """Subject whose memory is formed, and read first; None if there is none, `missing` says why."""
    app: Subject | None = None
    """Memory of the app that is read and written beside it; None: none."""
    missing: str = ""
    """What the profile needs to know before it can remember."""
    tags: tuple[str, ...] = ()
    """Tags of the memories formed here."""
    opening: ConversationSetup = NO_OPENING
    """Setup of a conversation that begins with this request."""
    withheld: tuple[DestinationRule, ...] = ()
    """The rules that keep memories from the destination of this request."""
    zone: tzinfo | None = None
    """The time zone that the request names; None: it names none."""


def memory_scope(
    home: Subject,
    scope: RequestScope,
    profile: Profile,
    conversation: str | None,
    known: Conversation | None,
    names: Mapping[str, str] | None = None,
) -> MemoryScope:
    """Return which memory a request reads and writes.

    Args:
        home: Subject of the request.
        scope: Profile, app and characters that the request names.
        profile: Profile that applies.
        conversation: The client's id of the chat, if it sent one.
        known: The conversation with this id, if it is known already.
        names: Further names of the user's characters: see `kept_as`.

    Raises:
        BadSubjectError: a name cannot be part of a subject.
        BadRequestError: the profile has no such option, the option does not take this value, or the time zone is none.
        BadIdentityError: the sender's credential is for another app's memory.
    """
    options = _options(scope, known, profile)
    settings = options_of(profile, options)
    profile = settings.apply_to(profile)
    if scope.only_app and (profile.subject.kind != "app" or (known is not None and known.app != scope.app)):
        raise BadIdentityError(
            f"this credential is for the app {scope.app!r}: use a profile of apps, and a conversation of this app"
        )
    app = scope.app or (known.app if known else None)
    opening = ConversationSetup(profile=scope.profile, app=app, options=options)
    tags = tags_of(options, names or {}) if profile.subject.kind == "character" else ()
    if profile.subject.kind == "character":
        writes, missing = _memory_of_character(home, options, names or {})
    else:
        writes, missing = _memory_of(home, profile, conversation, app, options)
    beside = _app_beside(home, profile, app)
    return MemoryScope(
        profile=profile,
        home=home,
        writes=writes,
        app=beside,
        missing=missing,
        tags=tags if writes else (),
        opening=opening,
        zone=requested_zone(scope),
    )


def requested_zone(scope: RequestScope) -> tzinfo | None:
    """Return the time zone that a request names; None if it names none.

    Raises:
        BadRequestError: It is none.
    """
    return require_zone(scope.time_zone, "time_zone") if scope.time_zone else None


def profile_name(scope: RequestScope, known: Conversation | None, default: str) -> str:
    """Choose the profile: the request's, its conversation's, its key's, or the settings'."""
    return scope.profile or (known.profile if known else None) or scope.key_profile or default


def owned_subject(kind: str, owner: Subject, name: str) -> Subject:
    """Return a subject that belongs to an owner; two owners never get the same one, whatever their names.

    >>> owned_subject("session", Subject("user", "ana/x"), "1").text
    'session:ana%2Fx/1'
    """
    return Subject(kind, f"{owner.as_owner}/{name}", owner.tenant)


def app_of_all_users(home: Subject, app: str) -> Subject:
    """Return the subject of what an app keeps for all users of a tenant.

    A name without a slash cannot be an owned subject's: this memory is apart from the users' own.
    """
    return Subject("app", quote(app, safe=""), home.tenant)


def apply_trigger(due: FormationRequest, profile: Profile) -> FormationRequest:
    """Delay an extraction as the profile's trigger says."""
    trigger = profile.trigger
    if trigger.when == "every_turn":
        return due
    if trigger.when == "periodic":
        return replace(due, every_turns=trigger.every)
    idle = timedelta(seconds=trigger.idle_s) if trigger.when == "on_end" and trigger.idle_s else None
    return replace(due, every_turns=0, after_idle=idle)


def _options(scope: RequestScope, known: Conversation | None, profile: Profile) -> Mapping[str, Any]:
    """Return the options that apply: the conversation's, if it has this profile, and then the request's.

    A conversation opened under the server's or a key's profile names none: its options may be another profile's.
    """
    mine = known is not None and known.profile in (None, profile.name)
    options = options_known_to(profile, known.options) if known is not None and mine else {}
    if scope.characters and profile.subject.kind == "character":
        options[SYSTEM_CHARACTER], options[USER_CHARACTER] = scope.characters
        options.setdefault(USE_MEMORY, True)
    if scope.interaction:
        options[INTERACTION] = scope.interaction
    return options


def _app_beside(home: Subject, profile: Profile, app: str | None) -> Subject | None:
    """Return the memory of the app that a user's profile reads and writes as well."""
    if app is None or not profile.subject.with_app or profile.subject.kind != "user":
        return None
    return owned_subject("app", home, app) if profile.subject.per_user else app_of_all_users(home, app)


def character_subject(home: Subject, name: str) -> Subject:
    """Return the subject of a user's character, by the name under which its memories are kept."""
    return owned_subject("character", home, name)


def _memory_of_character(
    home: Subject, options: Mapping[str, Any], names: Mapping[str, str]
) -> tuple[Subject | None, str]:
    knower, other = options.get(SYSTEM_CHARACTER), options.get(USER_CHARACTER)
    if not (knower and other):
        return None, "no characters: send x-toldonce-characters"
    if not options.get(USE_MEMORY):
        return None, "useMemory is off for this conversation"
    return character_subject(home, kept_as(knower, names)), ""


def _memory_of(
    home: Subject, profile: Profile, conversation: str | None, app: str | None, options: Mapping[str, Any]
) -> tuple[Subject | None, str]:
    match profile.subject.kind:
        case "session":
            if conversation is None:
                return None, "no session: send x-toldonce-session"
            if options.get(ENABLED) is False:
                return None, "memory is off for this session"
            return owned_subject("session", home, conversation), ""
        case "app":
            if app is None:
                return None, "no app: send x-toldonce-app"
            own = profile.subject.per_user
            return owned_subject("app", home, app) if own else app_of_all_users(home, app), ""
        case _:
            return home, ""
