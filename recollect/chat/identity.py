"""Who asks, in which conversation, and what memory may do: read from headers, path and body. Pure."""

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
"""Headers that say who asks; each may come once."""

_READ = frozenset({*IDENTITY_HEADERS, CHAT_ID, MESSAGE_ID, SESSION, MEMORY, PROFILE, APP, CHARACTERS, INTERACTION})
_AUTHORIZATION = "authorization"
_PRIVATE_PREFIXES = (b"x-recollect-", b"x-openwebui-")
_ISSUER = "open-webui"
# How far Open WebUI's clock may be from ours; its tokens live five minutes.
_LEEWAY_S = 60
# The year 10,000 in seconds since 1970: no time of a token lies behind it.
_LAST_S = 253_402_300_800
# Open WebUI marks chats that are not kept by ids such as `local` and `local:…`.
_TEMPORARY = "local"
# Another word for memory that is on.
_ACTIVE = "active"
# Longest conversation id in UTF-8 bytes: ids are UUIDs as a rule, and each one becomes an index key.
_CONVERSATION_BYTES = 512


@dataclass(frozen=True, slots=True, kw_only=True)
class IdentityPolicy:
    """Who is believed about who asks."""

    default_user: str
    """Whose memory a request without identity belongs to, where that is trusted; empty: nobody's."""
    trusted: bool
    """Whether plain names are believed: everyone who can connect is the machine's own user (loopback)."""
    jwt_secret: str | None
    """Secret of Open WebUI's signed header; set, no plain name is believed any more."""
    key_profiles: Mapping[str, str] = field(default_factory=dict)
    """The profile of requests that come with one of these keys in their Authorization header and name none."""

    def __post_init__(self) -> None:
        """Refuse a secret that everybody knows."""
        if self.jwt_secret is not None and not self.jwt_secret.strip():
            raise BadSettingError("RECOLLECT_JWT_SECRET", "", "is empty: anybody could sign with it; unset or fill it")


def identify(
    headers: Headers, *, path_user: str | None, body_user: str | None, policy: IdentityPolicy, now: datetime
) -> Identity:
    """Say whose memory a request reads and writes, and how.

    The first of these counts: the signed header, Open WebUI's user id, `x-recollect-user`, the user of the path,
    the body's `user`, the default user. Headers and path must agree; the body's user merely loses to them, and one
    that can be no name makes the request anonymous. With memory off nobody's memory is touched: who asks is not read.

    Raises:
        BadIdentityError: a header came twice, two contradict each other, a signature or name does not hold, a
            plain name came where a signed one is required, or a header's value is none it takes.
    """
    memory = _memory(_single(headers, frozenset({MEMORY})).get(MEMORY))
    if memory is MemoryMode.OFF:
        return Identity(subject=None, memory=memory)
    given = _single(headers, _READ)
    if policy.jwt_secret is None:  # beside a secret even an empty name is one too many
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
    """Return whether a request shows who sends it: by a signature that holds, or by coming from this machine.

    Without a secret there is no other credential than the address.
    """
    if policy.jwt_secret is None:
        return policy.trusted
    try:
        token = _single(headers, frozenset({USER_JWT})).get(USER_JWT)
        return bool(token) and _user(_verified(token or "", policy.jwt_secret, now), USER_JWT).kind == "user"
    except BadIdentityError:
        return False


def is_private_header(name: bytes) -> bool:
    """Whether a header is between the client and us, and never goes upstream.

    >>> is_private_header(b"X-OpenWebUI-User-Email")
    True
    """
    return name.lower().startswith(_PRIVATE_PREFIXES)


def _single(headers: Headers, read: frozenset[str]) -> dict[str, str]:
    """Return those of the headers that are to be read, refusing any that came more than once."""
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
    """Return the profile of the key that a request came with, if it has one."""
    if not profiles:
        return None
    given = next((value for name, value in headers if name.decode("latin-1").lower() == _AUTHORIZATION), b"")
    key = _text(given).partition(" ")[2].strip().encode()
    # Each is compared, in time that does not tell how much of a key is right.
    found = [profile for known, profile in profiles.items() if compare_digest(known.encode(), key)]
    return found[0] if found else None


def _app(value: str | None) -> str | None:
    """Return an app's name; what could be none is refused where its subject is made."""
    return clean(value) if value else None


def _characters(value: str | None) -> tuple[str, str] | None:
    """Read `system=Kira; user=Marcus`."""
    if not value:
        return None
    pairs = dict(part.partition("=")[::2] for part in value.split(";") if part.strip())
    named = {role.strip().lower(): squeeze(clean(name)) for role, name in pairs.items()}
    if set(named) != {"system", "user"} or not all(named.values()):
        raise BadIdentityError(f"{CHARACTERS} is {value!r}; write for instance: system=Kira; user=Marcus")
    return named["system"], named["user"]


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
            return None  # the field is OpenAI's, and any text may stand in it
    return Subject("user", policy.default_user) if policy.default_user else None


def _plain(given: dict[str, str], path_user: str | None) -> list[tuple[str, Subject]]:
    """Return the unsigned names of headers and path with their sources, in order of precedence."""
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

    Open WebUI falls back to plain headers when signing fails: accepting those would let anybody ask for that.
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
    """Return the `sub` of a token, if all of it holds at `now`."""
    try:
        claims = jwt.decode(
            token,
            secret,
            algorithms=["HS256"],
            issuer=_ISSUER,
            # Times are checked below, against the clock that was handed in.
            options={
                "require": ["sub", "iss", "iat", "exp"],
                "verify_exp": False,
                "verify_iat": False,
                "verify_nbf": False,
            },
        )
    except (jwt.PyJWTError, ValueError, RecursionError) as error:
        raise BadIdentityError(f"{USER_JWT} does not hold: {type(error).__name__}; is the secret the same?") from None
    at = now.timestamp()
    expires, issued = _instant(claims["exp"]), max(_instant(claims["iat"]), _instant(claims.get("nbf", 0)))
    if expires <= at - _LEEWAY_S:
        raise BadIdentityError(f"{USER_JWT} has expired; compare both machines' clocks if it was made just now")
    if issued > at + _LEEWAY_S:
        raise BadIdentityError(f"{USER_JWT} was issued in the future; compare both machines' clocks")
    return str(claims["sub"])


def _instant(claim: object) -> float:
    if isinstance(claim, int | float) and not isinstance(claim, bool) and 0 <= claim < _LAST_S:
        return claim
    raise BadIdentityError(f"{USER_JWT} does not hold: its times are not times")


def _named(name: str, source: str) -> Subject:
    """Return the user of a name in our own notation, where `user:alice` is alice."""
    return _user(name.removeprefix("user:"), source)


def _user(name: str, source: str) -> Subject:
    """Return the user of a name; whatever it looks like, it is a user's and opens no other kind of subject."""
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
    """Return an interaction mode; None where none is named.

    Raises:
        BadRequestError: It is unknown.
    """
    if not value:
        return None
    if value.lower() not in INTERACTION_MODES:
        raise BadRequestError(f"{INTERACTION} is {value[:40]!r}; it takes {', '.join(INTERACTION_MODES)}")
    return value.lower()


def _conversation(given: dict[str, str]) -> tuple[str | None, bool, bool]:
    """Return the conversation's id, whether the client sends its newest message only, and whether nothing is kept."""
    name = CHAT_ID if given.get(CHAT_ID) else SESSION
    conversation = clean(given.get(name, ""))
    if not conversation:
        return None, False, False
    if len(conversation.encode()) > _CONVERSATION_BYTES:
        raise BadIdentityError(f"{name} is longer than {_CONVERSATION_BYTES} bytes")
    return conversation, name == SESSION, name == CHAT_ID and conversation.startswith(_TEMPORARY)
