"""Who sends a request, and what the credential allows. Pure."""

from dataclasses import dataclass
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
