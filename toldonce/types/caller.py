"""Who sends a request and what the credential allows; API keys and their audit log, without any secret. Pure."""

from dataclasses import dataclass
from datetime import datetime
from enum import StrEnum

from toldonce.types.subject import Subject


class Access(StrEnum):
    """What a credential allows; each one includes those before it."""

    READ = "read"
    """Recall, search and list."""
    WRITE = "write"
    """Record, add, correct, forget and erase."""
    ADMIN = "admin"
    """Keys, other users' data, counts over all users, export and import."""

    def includes(self, other: "Access") -> bool:
        """Return whether it allows all that the other one allows.

        >>> Access.WRITE.includes(Access.READ), Access.WRITE.includes(Access.ADMIN)
        (True, False)
        """
        return _ORDER[self] >= _ORDER[other]


_ORDER = {Access.READ: 0, Access.WRITE: 1, Access.ADMIN: 2}


@dataclass(frozen=True, slots=True, kw_only=True)
class Caller:
    """The sender of a request, as the credential says. Headers, paths and bodies may only narrow it.

    `user` and `app` are never both set.
    """

    id: str
    """Names the credential in logs and in the audit log, such as `key:k_1x9…`; holds no secret."""
    access: Access
    tenant: str | None = ""
    """The only tenant; None: all of them."""
    user: str | None = None
    """Name of the only user; None: any user of the tenant."""
    app: str | None = None
    """Name of the only app; None: no app is required."""
    by_header: bool = False
    """Whether the request has no API key and no JWT, so that its identity headers say who sends it."""

    @property
    def is_operator(self) -> bool:
        """Whether it administers the whole server: all tenants, users and apps."""
        return self.access is Access.ADMIN and self.tenant is None and self.user is None and self.app is None

    def may(self, access: Access, subject: Subject) -> bool:
        """Return whether it may use a subject's memory in this way.

        >>> ana = Caller(id="key:1", access=Access.WRITE, user="ana")
        >>> [ana.may(Access.READ, Subject.parse(text)) for text in ("user:ana", "session:ana/1", "user:bob")]
        [True, True, False]
        >>> calendar = Caller(id="key:2", access=Access.WRITE, app="calendar", tenant="acme")
        >>> [calendar.may(Access.READ, Subject.parse(text)) for text in ("@acme/app:ana/calendar", "@acme/user:ana")]
        [True, False]
        """
        if not self.access.includes(access) or self.tenant not in (None, subject.tenant):
            return False
        if self.user == "":
            return False
        if self.user is not None:
            owner = Subject("user", self.user, subject.tenant)
            return owner == subject or owner in subject.owners
        return self.app is None or self.app == subject.app_name


ANONYMOUS = Caller(id="anonymous", access=Access.READ, user="", by_header=True)
"""A sender without a credential, where not everybody who can connect is trusted: no subject is its own."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyLimits:
    """What one key may use of the server; None: no limit of its own."""

    requests_per_minute: int | None = None
    """Requests a minute in each server process, with as many at once."""
    concurrent_requests: int | None = None
    """Requests at the same time in each server process."""
    body_bytes: int | None = None
    """Size of a request's body, in bytes."""


NO_LIMITS = KeyLimits()


@dataclass(frozen=True, slots=True, kw_only=True)
class NewApiKey:
    """An API key to make."""

    name: str
    """What it is for, 1 to 100 characters."""
    access: Access
    tenant: str | None = ""
    """The only tenant; None: all of them."""
    user: str | None = None
    """Name of the only user; None: any user."""
    app: str | None = None
    """Name of the only app; None: no app is required."""
    expires_at: datetime | None = None
    limits: KeyLimits = NO_LIMITS


@dataclass(frozen=True, slots=True, kw_only=True)
class ApiKey:
    """An API key, without its secret."""

    id: str
    """Public id, `k_` and 12 hexadecimal digits."""
    name: str
    access: Access
    tenant: str | None
    """The only tenant; None: all of them."""
    user: str | None
    app: str | None
    limits: KeyLimits
    created_at: datetime
    expires_at: datetime | None
    revoked_at: datetime | None
    last_used_at: datetime | None
    """Exact to a minute."""

    @property
    def caller(self) -> Caller:
        """What a request with this key may do."""
        return Caller(id=f"key:{self.id}", access=self.access, tenant=self.tenant, user=self.user, app=self.app)

    def is_valid(self, now: datetime) -> bool:
        """Return whether it is neither revoked nor expired."""
        return self.revoked_at is None and (self.expires_at is None or now < self.expires_at)


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditFilter:
    """Which administrative acts are listed; empty: all."""

    actor: str = ""
    action: str = ""
    target: str = ""


ALL_ACTS = AuditFilter()


@dataclass(frozen=True, slots=True, kw_only=True)
class AuditEntry:
    """One administrative act: who, what, when, and nothing that was said."""

    id: str
    at: datetime
    actor: str
    """The caller's id, such as `key:k_…`; `cli` for the command line; `local` for a request without credential."""
    action: str
    """Such as `keys.create`."""
    tenant: str
    """The tenant it concerns; empty for none or all."""
    target: str
    """Id of what was changed, such as a key's or a memory's; of a subject its number, `Subject.key`; never a text."""
    count: int
    """Number of rows that it changed, if that is known."""
