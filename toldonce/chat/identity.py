"""Read the user, the conversation and the memory mode of a request from its headers, path and body. Pure."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace
from datetime import datetime
from hmac import compare_digest

from toldonce import former_name
from toldonce.chat.signed_header import USER_JWT, verified_user
from toldonce.errors import BadIdentityError, BadRequestError, BadSettingError, BadSubjectError
from toldonce.text import clean, squeeze
from toldonce.time_zones import require_zone
from toldonce.types import INTERACTION_MODES, Access, Caller, Identity, MemoryMode, RequestScope, Subject, check_tenant

Headers = Sequence[tuple[bytes, bytes]]

USER_ID = "x-openwebui-user-id"
USER = "x-toldonce-user"
TENANT = "x-toldonce-tenant"
KEY = "x-toldonce-key"
CHAT_ID = "x-openwebui-chat-id"
MESSAGE_ID = "x-openwebui-message-id"
SESSION = "x-toldonce-session"
AGENT_SESSION = "x-claude-code-session-id"
MEMORY = "x-toldonce-memory"
PROFILE = "x-toldonce-profile"
APP = "x-toldonce-app"
CHARACTERS = "x-toldonce-characters"
INTERACTION = "x-toldonce-interaction"
TIME_ZONE = "x-toldonce-time-zone"

IDENTITY_HEADERS = (USER_JWT, USER_ID, USER)
"""Headers that name the user; each may be sent once."""

_READ = frozenset(
    {
        *(*IDENTITY_HEADERS, TENANT, CHAT_ID, MESSAGE_ID, SESSION, AGENT_SESSION),
        *(MEMORY, PROFILE, APP, CHARACTERS, INTERACTION, TIME_ZONE),
    }
)
_AUTHORIZATION = "authorization"
_UNVERIFIABLE = (
    f"{USER_JWT} cannot be verified: set TOLDONCE_JWT_SECRET to Open WebUI's FORWARD_USER_INFO_HEADER_JWT_SECRET"
)
_PRIVATE_PREFIXES = (b"x-toldonce-", b"x-openwebui-", former_name.HEADERS)
# Open WebUI marks temporary chats by ids such as `local` and `local:…`.
_TEMPORARY = "local"
# Synonym of `on`.
_ACTIVE = "active"
# UTF-8 bytes of a conversation id: ids are usually UUIDs, and each one becomes an index key.
MAX_CONVERSATION_BYTES = 512


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
        if self.jwt_secret is not None and not self.jwt_secret.strip():
            raise BadSettingError("TOLDONCE_JWT_SECRET", "", "is empty: anybody could sign with it; unset or fill it")


def identify(
    headers: Headers,
    *,
    path_user: str | None,
    body_user: str | None,
    policy: IdentityPolicy,
    now: datetime,
    caller: Caller | None = None,
) -> Identity:
    """Identify the user, conversation and memory mode of a request.

    The first of these counts: the signed header, Open WebUI's user id, `x-toldonce-user`, the user of the path,
    the body's `user`, the default user. Headers and path must agree. The body's user is only a fallback, and one that
    cannot be a name makes the request anonymous. With memory off, the user is not identified.

    With a caller's credential, all of these only narrow what it allows: they choose among its users, or repeat the
    only one.

    Raises:
        BadIdentityError: A header was sent twice, two contradict each other or the credential, a signature or name is
            invalid, or an unsigned name came although a signed one is required.
        BadRequestError: A header has a value that it does not take.
    """
    if caller is not None and caller.by_header:
        caller = None
    memory = _allowed(_memory(_single(headers, frozenset({MEMORY})).get(MEMORY)), caller)
    if memory is MemoryMode.OFF:
        return Identity(subject=None, memory=memory)
    given = _single(headers, _READ)
    if policy.jwt_secret is None:  # with a secret, even an empty unsigned name is refused
        given = {name: value for name, value in given.items() if value}
    conversation, append, temporary = _conversation(given)
    tenant = _tenant(given, policy, caller)
    subject = _subject(given, path_user, body_user, policy, now, caller)
    return Identity(
        subject=replace(subject, tenant=tenant) if subject is not None and tenant else subject,
        tenant=tenant,
        memory=memory,
        scope=RequestScope(
            profile=given.get(PROFILE) or ("app" if caller is not None and caller.app is not None else None),
            key_profile=_profile_of_key(headers, policy.key_profiles),
            app=_app(given.get(APP), caller),
            only_app=caller is not None and caller.app is not None,
            characters=_characters(given.get(CHARACTERS)),
            interaction=_interaction(given.get(INTERACTION)),
            time_zone=_time_zone(given.get(TIME_ZONE)),
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
        return signed_user(headers, policy=policy, now=now) is not None
    except BadIdentityError:
        return False


def signed_user(headers: Headers, *, policy: IdentityPolicy, now: datetime) -> str | None:
    """Return the user of Open WebUI's signed header; None if there is none, or no secret to verify it with.

    Raises:
        BadIdentityError: It was sent twice, or is not valid.
    """
    token = _single(headers, frozenset({USER_JWT})).get(USER_JWT)
    if not token or policy.jwt_secret is None:
        return None
    return _user(verified_user(token, policy.jwt_secret, now), USER_JWT).name


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


def _allowed(memory: MemoryMode, caller: Caller | None) -> MemoryMode:
    """Return what memory may do: a credential that only reads records nothing."""
    if caller is None or caller.access.includes(Access.WRITE) or not memory.records:
        return memory
    if memory is MemoryMode.RECORD:
        raise BadIdentityError(f"{MEMORY} is record, but this credential only reads")
    return MemoryMode.READ


def _app(value: str | None, caller: Caller | None) -> str | None:
    """Return an app's name; an invalid one is refused where its subject is created."""
    named = clean(value) if value else None
    if caller is None or caller.app is None:
        return named
    if named not in (None, caller.app):
        raise BadIdentityError(f"{APP} names another app than this credential is for")
    return caller.app


def _tenant(given: dict[str, str], policy: IdentityPolicy, caller: Caller | None) -> str:
    """Return the tenant that the credential is for, or that the request chooses where it may."""
    named = given.get(TENANT) or None
    own = caller.tenant if caller is not None else (None if policy.trusted else "")
    if named is not None and own not in (None, named):
        raise BadIdentityError(f"{TENANT} names another tenant than this request's credential is for")
    try:
        return check_tenant(named) if named else own or ""
    except BadSubjectError as error:
        raise BadIdentityError(f"{TENANT}: {error}") from None


def _characters(value: str | None) -> tuple[str, str] | None:
    """Parse `system=Kira; user=Marcus`."""
    if not value:
        return None
    pairs = dict(part.partition("=")[::2] for part in value.split(";") if part.strip())
    names = {role.strip().lower(): squeeze(clean(name)) for role, name in pairs.items()}
    if set(names) != {"system", "user"} or not all(names.values()):
        raise BadRequestError(f"{CHARACTERS} is {value!r}; write for instance: system=Kira; user=Marcus")
    return names["system"], names["user"]


def _text(value: bytes) -> str:
    try:
        return value.decode("utf-8").strip(" \t")
    except UnicodeDecodeError:
        return value.decode("latin-1").strip(" \t")


def _subject(
    given: dict[str, str],
    path_user: str | None,
    body_user: str | None,
    policy: IdentityPolicy,
    now: datetime,
    caller: Caller | None,
) -> Subject | None:
    if caller is not None:
        return _of_caller(caller, given, path_user, body_user, policy, now)
    if policy.jwt_secret is not None:
        return _signed(given, path_user, body_user, policy.jwt_secret, now)
    if USER_JWT in given:
        raise BadIdentityError(_UNVERIFIABLE)
    if not policy.trusted:
        return None
    named = _plain(given, path_user)
    if named or body_user:
        return _agreed(named) or _of_body(body_user)
    return Subject("user", policy.default_user) if policy.default_user else None


def _of_caller(
    caller: Caller,
    given: dict[str, str],
    path_user: str | None,
    body_user: str | None,
    policy: IdentityPolicy,
    now: datetime,
) -> Subject | None:
    """Return the only user of a credential, or the one that the request names among its users.

    A body's `user` is OpenAI's field and may hold any text: it only counts where the credential leaves the choice.
    """
    named = _plain(given, path_user)
    if USER_JWT in given:
        if policy.jwt_secret is None:
            raise BadIdentityError(_UNVERIFIABLE)
        named.insert(0, (USER_JWT, _user(verified_user(given[USER_JWT], policy.jwt_secret, now), USER_JWT)))
    elif USER_ID in given and policy.jwt_secret is not None:
        raise BadIdentityError(f"{USER_ID} is not signed, but TOLDONCE_JWT_SECRET is set: send {USER_JWT}")
    if caller.user is None:
        return _agreed(named) or _of_body(body_user)
    own = Subject("user", caller.user)
    for source, subject in named:
        if subject != own:
            raise BadIdentityError(f"{source} names another user than this credential is for")
    return own


def _agreed(named: list[tuple[str, Subject]]) -> Subject | None:
    """Return the user that all sources name; None without any.

    Raises:
        BadIdentityError: Two of them name different users.
    """
    for source, other in named[1:]:
        if other != named[0][1]:
            raise BadIdentityError(f"{named[0][0]} and {source} name different users; send one of them")
    return named[0][1] if named else None


def _of_body(user: str | None) -> Subject | None:
    """Return the user of a body's `user`. The field is OpenAI's and may hold any text, which then counts as none."""
    try:
        return _named(user, "the body's `user`") if user else None
    except BadIdentityError:
        return None


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
            f"{plain[0]} names a user without a signature, but TOLDONCE_JWT_SECRET is set: send {USER_JWT} alone"
        )
    return None if token is None else _user(verified_user(token, secret, now), USER_JWT)


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
        raise BadRequestError(f"{MEMORY} is {value!r}; it takes on (or active), read, record or off") from None


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


def _time_zone(value: str | None) -> str | None:
    """Return the name of a time zone; None if none is named.

    Raises:
        BadRequestError: It is none.
    """
    if value:
        require_zone(value, TIME_ZONE)
    return value or None


def _conversation(given: dict[str, str]) -> tuple[str | None, bool, bool]:
    """Return the conversation's id, whether the client sends only its newest message, and whether it is temporary."""
    name = next((name for name in (CHAT_ID, SESSION) if given.get(name)), AGENT_SESSION)
    conversation = clean(given.get(name, ""))
    if not conversation:
        return None, False, False
    if len(conversation.encode()) > MAX_CONVERSATION_BYTES:
        raise BadRequestError(f"{name} is longer than {MAX_CONVERSATION_BYTES} bytes")
    return conversation, name == SESSION, name == CHAT_ID and conversation.startswith(_TEMPORARY)
