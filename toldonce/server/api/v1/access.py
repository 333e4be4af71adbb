"""Which subjects a request may use: what its credential allows, narrowed by the user that it names. Pure."""

from dataclasses import dataclass, replace
from datetime import datetime

from toldonce.chat.identity import Headers, IdentityPolicy, identify
from toldonce.errors import BadIdentityError, BadRequestError, BadSubjectError
from toldonce.server.api.v1.problems import ProblemError
from toldonce.server.asgi import Scope, path_user
from toldonce.server.auth.guard import caller_of
from toldonce.server.status import FORBIDDEN
from toldonce.types import SUBJECT_KINDS, Access, Caller, Identity, MemoryMode, Subject, check_tenant

ME = "me"
"""In paths: the request's own user."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Requester:
    """Who sends a request, as far as it decides which subjects it may use."""

    caller: Caller | None
    """What the credential allows; None: everybody who can connect is trusted."""
    identity: Identity
    """What headers and path say."""
    default_user: str = ""
    """The user of trusted requests that name none; empty: there is none."""

    @property
    def tenant(self) -> str | None:
        """The only tenant whose subjects it may use; None: all tenants."""
        return self.identity.tenant or (None if self.caller is None else self.caller.tenant)

    @property
    def actor(self) -> str:
        """Who sends it, for the audit log."""
        return "local" if self.caller is None else self.caller.id

    @property
    def is_administrator(self) -> bool:
        """Whether it acts on more than its own: it has an administrator's credential, or is trusted without one."""
        return self.caller is None or self.caller.access is Access.ADMIN

    @property
    def named(self) -> Subject | None:
        """The user that headers or path name: it narrows what the credential allows."""
        return self.identity.subject

    def subject(self, text: str, access: Access) -> Subject:
        """Return the subject of a text, relative to the caller's tenant; `me` is the request's own user.

        Raises:
            BadSubjectError: The text names no subject.
            BadRequestError: The text is `me`, but the request has no user.
            ProblemError: The request may not use the subject in this way, whether or not it exists (403).
        """
        subject = self._me() if text == ME else _parsed(text, self.tenant)
        if not self._may(access, subject):
            raise ProblemError(FORBIDDEN, "forbidden", f"this request may not {access.value} {self.shown(subject)}")
        return subject

    def require(self, access: Access) -> None:
        """Check what the credential allows at all, before anything is read.

        Raises:
            ProblemError: It does not allow that.
        """
        if self.identity.memory is MemoryMode.OFF:
            raise BadRequestError("x-toldonce-memory is off, but this route only reads and writes memories")
        is_reading = self.identity.memory is MemoryMode.READ and access is not Access.READ
        if is_reading or (self.caller is not None and not self.caller.access.includes(access)):
            raise ProblemError(FORBIDDEN, "forbidden", f"this request has no {access.value} access")

    def require_all_subjects(self) -> str | None:
        """Return the tenant over whose subjects an administrator may act; None: all tenants.

        Raises:
            ProblemError: The request is bound to a user or app.
        """
        caller = self.caller
        is_bound = caller is not None and (caller.user is not None or caller.app is not None)
        if is_bound or self.named is not None:
            raise ProblemError(FORBIDDEN, "forbidden", "this request is bound to one user or app: it sees no others")
        return self.tenant

    def require_tenant(self, wanted: str | None) -> str | None:
        """Return the tenant over whose subjects an administrator wants to act; None: all tenants.

        Args:
            wanted: The tenant that the request names, empty for none; None: as far as the credential goes.

        Raises:
            ProblemError: The request is bound to a user, an app or another tenant.
        """
        own = self.require_all_subjects()
        if wanted is None:
            return own
        if own is not None and wanted != own:
            raise ProblemError(FORBIDDEN, "forbidden", "this request is bound to another tenant")
        return check_tenant(wanted) if wanted else ""

    def require_operator(self) -> None:
        """Check that the request may act on the whole server.

        Raises:
            ProblemError: It may not: it is bound to a tenant, user or app.
        """
        if self.require_all_subjects() is not None:
            raise ProblemError(FORBIDDEN, "forbidden", "this is about all tenants, and the request is bound to one")

    def shown(self, subject: Subject) -> str:
        """Return a subject's text as this requester writes it: without the only tenant that it can name."""
        return subject.text if self.tenant is None else replace(subject, tenant="").text

    def own_user(self) -> Subject | None:
        """Return the request's own user; None if it has none."""
        caller = self.caller
        if self.named is not None:
            return self.named
        if caller is not None and caller.user is not None:
            return Subject("user", caller.user, caller.tenant or "")
        return Subject("user", self.default_user) if caller is None and self.default_user else None

    def _me(self) -> Subject:
        own = self.own_user()
        if own is None:
            why = "the request names no user, so that `me` means no one: write user:NAME"
            raise BadRequestError(why, param="subject")
        return own

    def _may(self, access: Access, subject: Subject) -> bool:
        named = self.named
        if named is not None and named != subject and named not in subject.owners:
            return False
        return self.caller is None or self.caller.may(access, subject)


def requester_of(scope: Scope, headers: Headers, policy: IdentityPolicy, now: datetime) -> Requester:
    """Read who sends a request.

    Raises:
        BadIdentityError: Headers and path contradict each other, or the request is anonymous where it may not be.
        BadRequestError: A header has a value that it does not take.
    """
    caller = caller_of(scope)
    named_only = replace(policy, default_user="")
    identity = identify(headers, path_user=path_user(scope), body_user=None, policy=named_only, now=now, caller=caller)
    if caller is not None and caller.user == "" and identity.memory is not MemoryMode.OFF:
        raise BadIdentityError("the request has no credential: send an API key, or Open WebUI's signed header")
    return Requester(caller=caller, identity=identity, default_user=policy.default_user)


def _parsed(text: str, tenant: str | None) -> Subject:
    """Read `kind:name` or `global`; where all tenants may be used, also after `@tenant/`.

    Raises:
        BadSubjectError: The text names no subject.
    """
    if tenant is None:
        subject = Subject.parse(text)
        if subject.text != text:
            raise BadSubjectError(text, "its kind is missing")
        return subject
    if text == "global":
        return Subject("global", "", tenant)
    kind, colon, name = text.partition(":")
    if not colon or kind not in SUBJECT_KINDS:
        raise BadSubjectError(text, f"its kind is none of {', '.join(sorted(SUBJECT_KINDS))}")
    return Subject(kind, name, tenant)
