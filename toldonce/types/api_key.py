"""API keys of the server, and its audit log, without any secret. Pure."""

from dataclasses import dataclass
from datetime import datetime

from toldonce.types.caller import Access, Caller


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
