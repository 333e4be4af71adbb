"""Read the user, the conversation and the memory mode of a request from its headers, path and body. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime
from hmac import compare_digest

import jwt

from recollect.errors import BadIdentityError, BadRequestError, BadSettingError, BadSubjectError
from recollect.text import clean, squeeze
from recollect.types import INTERACTION_MODES, Identity, MemoryMode, RequestScope, Subject

Headers = Sequence[tuple[bytes, bytes]]

USER_JWT = "x-openwebui-user-jwt"
USER_ID = "x-openwebui-user-id"
USER = "x-recollect-user"
CHAT_ID = "x-openwebui-chat-id"
MESSAGE_ID = "x-openwebui-message-id"
SESSION = "x-recollect-session"
MEMORY = "x-recollect-memory"
PROFILE = "x-recollect-profile"
APP = "x-recollect-app"
CHARACTERS = "x-recollect-characters"
INTERACTION = "x-recollect-interaction"

IDENTITY_HEADERS = (USER_JWT, USER_ID, USER)
"""Headers that name the user; each may be sent once."""

_READ = frozenset({*IDENTITY_HEADERS, CHAT_ID, MESSAGE_ID, SESSION, MEMORY, PROFILE, APP, CHARACTERS, INTERACTION})
_AUTHORIZATION = "authorization"
_PRIVATE_PREFIXES = (b"x-recollect-", b"x-openwebui-")
_ISSUER = "open-webui"
# Tolerated difference between Open WebUI's clock and ours; its tokens are valid for five minutes.
_LEEWAY_S = 60
# The year 10,000 in seconds since 1970: times of a token are before it.
_MAX_TIME_S = 253_402_300_800
# Open WebUI marks temporary chats by ids such as `local` and `local:…`.
_TEMPORARY = "local"
# Synonym of `on`.
_ACTIVE = "active"
# UTF-8 bytes of a conversation id: ids are usually UUIDs, and each one becomes an index key.
_MAX_CONVERSATION_BYTES = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityPolicy:
    """Which claims of identity are believed."""

    default_user: str
    """User of requests without identity, if `trusted`; empty: they are anonymous."""
    trusted: bool
    """Whether unsigned names are believed: on a loopback address everyone who can connect is a user of the machine."""
    jwt_secret: str | None
    """Secret of Open WebUI's signed header; if set, unsigned names are not believed."""
    key_profiles: Mapping[str, str] = field(default_factory=dict)
    """Profile by key, for requests that send the key in their Authorization header and name no profile."""

    def __post_init__(self) -> None:
        """Refuse an empty secret."""
        if self.jwt_secret is not None and not self.jwt_secret.strip():
            raise BadSettingError("RECOLLECT_JWT_SECRET", "", "is empty: anybody could sign with it; unset or fill it")


def identify(
    headers: Headers, *, path_user: str | None, body_user: str | None, policy: IdentityPolicy, now: datetime
) -> Identity:
    """Identify the user, conversation and memory mode of a request.

    The first of these counts: the signed header, Open WebUI's user id, `x-recollect-user`, the user of the path,
    the body's `user`, the default user. Headers and path must agree. The body's user is only a fallback, and one that
    cannot be a name makes the request anonymous. With memory off, the user is not identified.

    Raises:
        BadIdentityError: A header was sent twice, two contradict each other, a signature or name is invalid, an
            unsigned name came although a signed one is required, or a header has a value that it does not take.
    """
    memory = _memory(_single(headers, frozenset({MEMORY})).get(MEMORY))
    if memory is MemoryMode.OFF:
        return Identity(subject=None, memory=memory)
    given = _single(headers, _READ)
    if policy.jwt_secret is None:  # with a secret, even an empty unsigned name is refused
        given = {name: value for name, value in given.items() if value}
    conversation, append, temporary = _conversation(given)
    return Identity(
        subject=_subject(given, path_user, body_user, policy, now),
        memory=memory,
        scope=RequestScope(
            profile=given.get(PROFILE) or None,
            key_profile=_profile_of_key(headers, policy.key_profiles),
            app=_app(given.get(APP)),
            characters=_characters(given.get(CHARACTERS)),
            interaction=_interaction(given.get(INTERACTION)),
        ),
        conversation=conversation,
        append=append,
        message_id=clean(given.get(MESSAGE_ID, "")) or None,
        temporary=temporary,
    )


def is_authenticated(headers: Headers, *, policy: IdentityPolicy, now: datetime) -> bool:
    """Return whether a request is authenticated: by a valid signature, or by coming from this machine.

    Without a secret, the address is the only credential.
    """
    if policy.jwt_secret is None:
        return policy.trusted
    try:
        token = _single(headers, frozenset({USER_JWT})).get(USER_JWT)
        return bool(token) and _user(_verified(token or "", policy.jwt_secret, now), USER_JWT).kind == "user"
    except BadIdentityError:
        return False


def is_private_header(name: bytes) -> bool:
    """Return whether a header concerns only the client and us, so that it never goes upstream.

    >>> is_private_header(b"X-OpenWebUI-User-Email")
    True
    """
    return name.lower().startswith(_PRIVATE_PREFIXES)


def _single(headers: Headers, read: frozenset[str]) -> dict[str, str]:
    """Return the headers in `read` by name; one that was sent twice is refused."""
    given: dict[str, str] = {}
    for raw_name, raw_value in headers:
        name = raw_name.decode("latin-1").lower()
        if name not in read:
            continue
        if name in given:
            raise BadIdentityError(f"{name} was sent more than once; send it once")
        given[name] = _text(raw_value)
    return given


def _profile_of_key(headers: Headers, profiles: Mapping[str, str]) -> str | None:
    """Return the profile of a request's key, if it has one."""
    if not profiles:
        return None
    given = next((value for name, value in headers if name.decode("latin-1").lower() == _AUTHORIZATION), b"")
    key = _text(given).partition(" ")[2].strip().encode()
    # All are compared, in constant time, so that the time does not reveal how much of a key is right.
    matching = [profile for known, profile in profiles.items() if compare_digest(known.encode(), key)]
    return matching[0] if matching else None


def _app(value: str | None) -> str | None:
    """Return an app's name; an invalid one is refused where its subject is created."""
    return clean(value) if value else None


def _characters(value: str | None) -> tuple[str, str] | None:
    """Parse `system=Kira; user=Marcus`."""
    if not value:
        return None
    pairs = dict(part.partition("=")[::2] for part in value.split(";") if part.strip())
    names = {role.strip().lower(): squeeze(clean(name)) for role, name in pairs.items()}
    if set(names) != {"system", "user"} or not all(names.values()):
        raise BadIdentityError(f"{CHARACTERS} is {value!r}; write for instance: system=Kira; user=Marcus")
    return names["system"], names["user"]


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8").strip(" \t")
    except UnicodeDecodeError:
        return value.decode("latin-1").strip(" \t")


def _subject(
    given: dict[str, str], path_user: str | None, body_user: str | None, policy: IdentityPolicy, now: datetime
) -> Subject | None:
    if policy.jwt_secret is not None:
        return _signed(given, path_user, body_user, policy.jwt_secret, now)
    if USER_JWT in given:
        raise BadIdentityError(
            f"{USER_JWT} cannot be verified: set RECOLLECT_JWT_SECRET to Open WebUI's "
            "FORWARD_USER_INFO_HEADER_JWT_SECRET"
        )
    if not policy.trusted:
        return None
    named = _plain(given, path_user)
    if named:
        first_source, subject = named[0]
        for source, other in named[1:]:
            if other != subject:
                raise BadIdentityError(f"{first_source} and {source} name different users; send one of them")
        return subject
    if body_user:
        try:
            return _named(body_user, "the body's `user`")
        except BadIdentityError:
            return None  # the field is OpenAI's, and may hold any text
    return Subject("user", policy.default_user) if policy.default_user else None


def _plain(given: dict[str, str], path_user: str | None) -> list[tuple[str, Subject]]:
    """Return the unsigned users of headers and path with their sources, in order of precedence."""
    named: list[tuple[str, Subject]] = []
    if USER_ID in given:
        named.append((USER_ID, _user(given[USER_ID], USER_ID)))
    if USER in given:
        named.append((USER, _named(given[USER], USER)))
    if path_user is not None:
        named.append(("the path /u/…", _named(path_user, "the path /u/…")))
    return named


def _signed(
    given: dict[str, str], path_user: str | None, body_user: str | None, secret: str, now: datetime
) -> Subject | None:
    """Return the user of the signed header.

    Open WebUI falls back to plain headers when signing fails; accepting those would let anybody use that fallback.
    """
    plain = [name for name in (USER_ID, USER) if name in given]
    if path_user is not None:
        plain.append("the path /u/…")
    token = given.get(USER_JWT)
    if token is None and body_user:
        plain.append("the body's `user`")
    if plain:
        raise BadIdentityError(
            f"{plain[0]} names a user without a signature, but RECOLLECT_JWT_SECRET is set: send {USER_JWT} alone"
        )
    return None if token is None else _user(_verified(token, secret, now), USER_JWT)


def _verified(token: str, secret: str, now: datetime) -> str:
    """Return the `sub` of a token that is valid at `now`."""
    try:
        claims = jwt.decode(
            token,
            secret,
            algorithms=["HS256"],
            issuer=_ISSUER,
            # Times are checked below, against `now`.
            options={
                "require": ["sub", "iss", "iat", "exp"],
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        raise BadIdentityError(f"{USER_JWT} is invalid: {type(error).__name__}; is the secret the same?") from None
    at = now.timestamp()
    expires, issued = _instant(claims["exp"]), max(_instant(claims["iat"]), _instant(claims.get("nbf", 0)))
    if expires <= at - _LEEWAY_S:
        raise BadIdentityError(f"{USER_JWT} has expired; compare both machines' clocks if it was made just now")
    if issued > at + _LEEWAY_S:
        raise BadIdentityError(f"{USER_JWT} was issued in the future; compare both machines' clocks")
    return str(claims["sub"])


def _instant(claim: object) -> float:
    if isinstance(claim, int | float) and not isinstance(claim, bool) and 0 <= claim < _MAX_TIME_S:
        return claim
    raise BadIdentityError(f"{USER_JWT} is invalid: its times are not times")


def _named(name: str, source: str) -> Subject:
    """Return the user of a name in our own notation, in which `user:alice` is alice."""
    return _user(name.removeprefix("user:"), source)


def _user(name: str, source: str) -> Subject:
    """Return the user of a name; it always names a user, never another kind of subject."""
    try:
        return Subject("user", name)
    except BadSubjectError as error:
        raise BadIdentityError(f"{source}: {error}") from None


def _memory(value: str | None) -> MemoryMode:
    if not value or value.lower() == _ACTIVE:
        return MemoryMode.ON
    try:
        return MemoryMode(value.lower())
    except ValueError:
        raise BadIdentityError(f"{MEMORY} is {value!r}; it takes on (or active), read, record or off") from None


def _interaction(value: str | None) -> str | None:
    """Return an interaction mode; None if none is named.

    Raises:
        BadRequestError: The mode is unknown.
    """
    if not value:
        return None
    if value.lower() not in INTERACTION_MODES:
        raise BadRequestError(f"{INTERACTION} is {value[:40]!r}; it takes {', '.join(INTERACTION_MODES)}")
    return value.lower()


def _conversation(given: dict[str, str]) -> tuple[str | None, bool, bool]:
    """Return the conversation's id, whether the client sends only its newest message, and whether it is temporary."""
    name = CHAT_ID if given.get(CHAT_ID) else SESSION
    conversation = clean(given.get(name, ""))
    if not conversation:
        return None, False, False
    if len(conversation.encode()) > _MAX_CONVERSATION_BYTES:
        raise BadIdentityError(f"{name} is longer than {_MAX_CONVERSATION_BYTES} bytes")
    return conversation, name == SESSION, name == CHAT_ID and conversation.startswith(_TEMPORARY)
