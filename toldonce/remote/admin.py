"""`memory.admin`, `keys` and `embedder` over HTTP: what operators see and do. Asks one server."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import Any

from toldonce.engine.admin import AdminService, require_poller
from toldonce.engine.arguments import read_choice
from toldonce.engine.embedder import EmbedderService, EmbedderStatus
from toldonce.engine.keys import KeyService, checked_key
from toldonce.engine.results import ListOf, silent
from toldonce.errors import BadRequestError
from toldonce.maintenance.reembed import ReembedProgress
from toldonce.profiles.policies import Profile
from toldonce.remote import values
from toldonce.remote.client import LONG_TIMEOUT_S, Call, RestClient, segment, written
from toldonce.remote.over_http import RemoteService, field, last_line, not_over_http, number, over_http, plain
from toldonce.remote.problems import UnknownFormationError
from toldonce.store.store_reports import StoreStats
from toldonce.types import (
    ALL_ACTS,
    ApiKey,
    AuditEntry,
    AuditFilter,
    BucketSize,
    EnergyStatus,
    FormationKey,
    FormationPlace,
    MaintenanceReport,
    NewApiKey,
    ReembedReport,
    Statistics,
    StoreTotals,
    Subject,
    SubjectHealth,
    SubjectTotals,
    UserMergeReport,
    UserSummary,
)


def _statistics(raw: Mapping[str, Any], client: RestClient) -> Statistics:
    return values.statistics(raw)


def _bucket(bucket: BucketSize, client: RestClient) -> str:
    return read_choice(BucketSize, bucket, "bucket").value


_SPAN: dict[str, Any] = {"names": {"since": "from", "until": "to"}, "send": {"bucket": _bucket}}


def _subject(text: str, client: RestClient) -> Subject:
    return client.parsed(text)


def _user(raw: Mapping[str, Any], client: RestClient) -> UserSummary:
    into = raw["merged_into"]
    users = {"subject": client.parsed(raw["subject"]), "merged_into": None if into is None else client.parsed(into)}
    return values.read(UserSummary, {**raw, **users})


def _after(after: str, client: RestClient) -> str | None:
    return client.named(Subject.parse(after)) if after else None


def _named(user: str | Subject | None, client: RestClient) -> str | None:
    return None if user is None else client.named(client.subject(user))


def _place(after: FormationPlace | None, client: RestClient) -> str | None:
    return None if after is None else after.text


def _maintained(raw: Mapping[str, Any], client: RestClient) -> MaintenanceReport:
    decisions = tuple(values.decision(line, client) for line in raw["decisions"])
    return MaintenanceReport(subjects=raw["subjects"], decisions=decisions, dry_run=raw["dry_run"])


class RemoteAdminService(RemoteService, AdminService):
    """The whole database and the budgets, as an operator sees them."""

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """All profiles of the server, by name, as they were when the connection was opened."""
        return tuple(self._client.profiles[name] for name in sorted(self._client.profiles))

    subjects = over_http("listSubjects", _subject, pages="subjects", names={"after": "cursor"}, send={"after": _after})

    users = over_http("listUsers", _user, pages="users", names={"after": "cursor"}, send={"after": _after})

    async def merge_user(self, user: str | Subject, into: str | Subject, *, actor: str = "library") -> UserMergeReport:
        """Merge two users: see `AdminService.merge_user`. The server notes who does it by the key."""
        body = {"into": self._client.named(self._client.subject(into))}
        path = self._client.path(user, "merge")
        return self._merged(
            await self._client.ask(Call(method="POST", path=path, body=body, writes=True, timeout_s=LONG_TIMEOUT_S))
        )

    async def undo_merge(self, user: str | Subject, *, actor: str = "library") -> UserMergeReport:
        """Undo the merge of a user: see `AdminService.undo_merge`. The server notes who does it by the key."""
        path = self._client.path(user, "merge")
        return self._merged(
            await self._client.ask(Call(method="DELETE", path=path, writes=True, timeout_s=LONG_TIMEOUT_S))
        )

    def _merged(self, raw: Mapping[str, Any]) -> UserMergeReport:
        users = {name: self._client.parsed(raw[name]) for name in ("source", "target")}
        return values.read(UserMergeReport, {**raw, **users})

    formations = over_http(
        "listFormations",
        values.formation,
        pages="formations",
        names={"user": "subject", "after": "cursor"},
        send={"user": _named, "after": _place},
    )

    async def retry_formation(self, key: FormationKey) -> bool:
        """Make a parked formation due again: see `AdminService.retry_formation`."""
        body = {
            "subject": self._client.named(key.subject),
            "home": self._client.named(key.home),
            "conversation": key.conversation,
            "profile": key.profile,
            "stage": key.stage,
            "version": key.version,
        }
        try:
            await self._client.ask(Call(method="POST", path="/v1/formations/retry", body=body, writes=True))
        except UnknownFormationError:
            return False
        return True

    async def stats(self, *, check: bool = False) -> StoreStats:
        """Count what the database holds: see `AdminService.stats`."""
        timeout_s = LONG_TIMEOUT_S if check else None
        raw = await self._client.ask(Call(method="GET", path="/v1/stats", query={"check": check}, timeout_s=timeout_s))
        return values.read(StoreStats, {**raw, "schema": raw["schema_version"]})

    totals = over_http("getTotals", plain(StoreTotals))
    subject_totals = over_http("getSubjectTotals", plain(SubjectTotals))
    health = over_http("getSubjectHealth", plain(SubjectHealth))
    subject_statistics = over_http("getSubjectStatistics", _statistics, **_SPAN)
    statistics = over_http("getStatistics", _statistics, **_SPAN)

    async def energy(
        self, *, user: str | Subject | None = None, profile: str | None = None, poller: str | None = None
    ) -> EnergyStatus:
        """Return the budget of a subject: see `AdminService.energy`."""
        require_poller(poller)
        path = self._client.path(user, "energy")
        if poller is None:
            raw = await self._client.ask(Call(method="GET", path=path, query={"profile": profile}))
            return values.read(EnergyStatus, {**raw, "since_poll": None})
        body = {"poller": poller, "profile": profile}
        call = Call(method="POST", path=f"{path}/polls", body=body, writes=True)
        return values.read(EnergyStatus, await self._client.ask(call))

    maintain = over_http(
        "runMaintenance", _maintained, names={"user": "subject"}, send={"user": _named}, timeout_s=LONG_TIMEOUT_S
    )
    schema_version = over_http("checkDatabase", field("schema_version", number), more={"all": False})
    ping = over_http("checkDatabase", more={"all": False})
    ping_all = over_http("checkDatabase", more={"all": True})
    require_writable = breaker = worker_counters = run_worker = stop_worker = refresh_merges = merges = not_over_http(
        "admin"
    )


_KEYS, _AUDIT = "/v1/keys", "/v1/audit"
_ALL_TENANTS = "*"
_ACTOR = "library"


def _key(raw: dict[str, Any], client: RestClient) -> ApiKey:
    return values.api_key(raw)


def _cursor(after: str, client: RestClient) -> str | None:
    return after or None


class RemoteKeyService(RemoteService, KeyService):
    """API keys of the server, made, listed and revoked by an administrator."""

    async def create(self, new: NewApiKey, *, actor: str = _ACTOR) -> tuple[ApiKey, str]:
        """Make a key; return it with its secret: see `KeyService.create`. The server names the actor."""
        _require_default(actor)
        new = checked_key(new)
        limits = new.limits
        body = {
            "name": new.name,
            "access": new.access.value,
            "tenant": _ALL_TENANTS if new.tenant is None else new.tenant,
            "user": new.user,
            "app": new.app,
            "expires_at": written(new.expires_at),
            "requests_per_minute": limits.requests_per_minute,
            "concurrent_requests": limits.concurrent_requests,
            "body_bytes": limits.body_bytes,
        }
        raw = await self._client.ask(Call(method="POST", path=_KEYS, body=body, once=True))
        return values.api_key(raw), str(raw["key"])

    list = over_http("listKeys", _key, pages="keys", names={"after": "cursor"}, send={"after": _cursor})
    get = over_http("getKey", _key, names={"id_": "key"})

    async def revoke(self, id_: str, *, actor: str = _ACTOR) -> ApiKey:
        """Revoke a key: see `KeyService.revoke`. The server names the actor."""
        _require_default(actor)
        return values.api_key(await self._client.ask(Call(method="POST", path=f"{_KEYS}/{segment(id_)}/revoke")))

    async def audit(
        self,
        wanted: AuditFilter = ALL_ACTS,
        *,
        tenant: str | None = None,
        before: str | None = None,
        limit: int = 100,
    ) -> ListOf[AuditEntry]:
        """List administrative acts, newest first: see `KeyService.audit`."""
        filters = {name: value or None for name, value in asdict(wanted).items()}
        call = Call(method="GET", path=_AUDIT, query={"tenant": tenant, **filters})
        raws = await self._client.pages(call, "entries", limit, cursor=before)
        return [values.read(AuditEntry, raw) for raw in raws]

    create_first = find = sign = note_use = is_any_valid = was_any_made = note_act = not_over_http("keys")


def _require_default(actor: str) -> None:
    """Refuse another actor than the credential.

    Raises:
        BadRequestError: One is named.
    """
    if actor != _ACTOR:
        raise BadRequestError("the server notes the API key as the actor: leave out actor=", param="actor")


class RemoteEmbedderService(RemoteService, EmbedderService):
    """The embedder in use; another one is chosen on the server."""

    status = over_http("getEmbedder", plain(EmbedderStatus), timeout_s=LONG_TIMEOUT_S)
    check = over_http("checkEmbedder")

    try_out = use = not_over_http("embedder")

    async def reembed(
        self, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Resume an embedder change; this needs an operator's key. See `EmbedderService.reembed`."""
        body = {"dry_run": dry_run}
        call = Call(method="POST", path="/v1/embedder/reembed", body=body, timeout_s=LONG_TIMEOUT_S)

        def say(line: dict[str, int]) -> None:
            tell(ReembedProgress(done=line["done"], of=line["total"]))

        return values.read(ReembedReport, await last_line(self._client.stream(call), say, call))
