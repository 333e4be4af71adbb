"""`memory.admin`, `keys` and `embedder` over HTTP: what operators see and do. Asks one server."""

from collections.abc import Callable, Mapping
from dataclasses import asdict
from typing import TYPE_CHECKING, Any

from toldonce.engine.admin import MAX_POLLER_CHARACTERS, AdminService
from toldonce.engine.arguments import read_choice
from toldonce.engine.embedder import EmbedderService, EmbedderStatus
from toldonce.engine.keys import KeyService, checked_key
from toldonce.engine.results import ListOf, silent
from toldonce.errors import BadRequestError
from toldonce.maintenance.reembed import ReembedProgress
from toldonce.profiles.policies import Profile
from toldonce.providers.circuit_breaker import BreakerStatus
from toldonce.providers.embedder_loader import EmbedderTrial
from toldonce.remote import values
from toldonce.remote.client import LONG_TIMEOUT_S, Call, RestClient, segment, written
from toldonce.remote.over_http import RemoteService, last_line, over_http, plain
from toldonce.remote.problems import UnknownFormationError
from toldonce.remote.unavailable import unavailable
from toldonce.store.store_reports import StoreStats
from toldonce.types import (
    ALL_ACTS,
    ApiKey,
    AuditEntry,
    AuditFilter,
    BucketSize,
    EmbedderSpec,
    EnergyStatus,
    FormationKey,
    FormationPlace,
    FormationStatus,
    MaintenanceReport,
    NewApiKey,
    ReembedReport,
    Statistics,
    StoreTotals,
    Subject,
    SubjectHealth,
    SubjectTotals,
)

if TYPE_CHECKING:
    from toldonce.worker.counters import WorkerCounters

_DATABASE = "/v1/connection/database"


def _statistics(raw: Mapping[str, Any], client: RestClient) -> Statistics:
    return values.statistics(raw)


def _bucket(bucket: BucketSize, client: RestClient) -> str:
    return read_choice(BucketSize, bucket, "bucket").value


_SPAN: dict[str, Any] = {"names": {"since": "from", "until": "to"}, "send": {"bucket": _bucket}}


def _subject(text: str, client: RestClient) -> Subject:
    return client.parsed(text)


def _after(after: str, client: RestClient) -> str | None:
    return client.named(Subject.parse(after)) if after else None


class RemoteAdminService(RemoteService, AdminService):
    """The whole database and the budgets, as an operator sees them."""

    def __init__(self, client: RestClient, profiles: Mapping[str, Profile]) -> None:
        """Ask through a client; the profiles are those of the server."""
        super().__init__(client)
        self._profiles = profiles

    @property
    def profiles(self) -> tuple[Profile, ...]:
        """All profiles of the server, by name, as they were when the connection was opened."""
        return tuple(self._profiles[name] for name in sorted(self._profiles))

    subjects = over_http("listSubjects", _subject, pages="subjects", names={"after": "cursor"}, send={"after": _after})

    async def formations(
        self,
        *,
        user: str | Subject | None = None,
        tenant: str | None = None,
        parked: bool | None = None,
        after: FormationPlace | None = None,
        limit: int = 100,
    ) -> list[FormationStatus]:
        """List formations of all subjects: see `AdminService.formations`."""
        subject = None if user is None else self._client.named(self._client.subject(user))
        cursor = None if after is None else after.text
        query = {"subject": subject, "tenant": tenant, "parked": parked}
        raws = await self._client.pages(
            Call(method="GET", path="/v1/formations", query=query), "formations", limit, cursor=cursor
        )
        return [values.formation(raw, self._client) for raw in raws]

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
        path = self._client.path(user, "energy")
        if poller is None:
            raw = await self._client.ask(Call(method="GET", path=path, query={"profile": profile}))
            return values.read(EnergyStatus, {**raw, "since_poll": None})
        if not 1 <= len(poller) <= MAX_POLLER_CHARACTERS:
            why = f"a poller's name has {len(poller)} characters, it takes 1 to {MAX_POLLER_CHARACTERS}"
            raise BadRequestError(why, param="poller")
        body = {"poller": poller, "profile": profile}
        call = Call(method="POST", path=f"{path}/polls", body=body, writes=True)
        return values.read(EnergyStatus, await self._client.ask(call))

    async def maintain(self, *, user: str | Subject | None = None, dry_run: bool = False) -> MaintenanceReport:
        """Maintain a subject, or all of them: see `AdminService.maintain`."""
        subject = None if user is None else self._client.named(self._client.subject(user))
        body = {"subject": subject, "dry_run": dry_run}
        raw = await self._client.ask(Call(method="POST", path="/v1/maintenance", body=body, timeout_s=LONG_TIMEOUT_S))
        decisions = tuple(values.decision(line, self._client) for line in raw["decisions"])
        return MaintenanceReport(subjects=raw["subjects"], decisions=decisions, dry_run=raw["dry_run"])

    async def schema_version(self) -> int:
        """Return the version of the database's schema: see `AdminService.schema_version`."""
        return int((await self._database(everywhere=False))["schema_version"])

    async def ping(self) -> None:
        """Check that the server and its database answer."""
        await self._database(everywhere=False)

    async def ping_all(self) -> None:
        """Check that all subjects can be reached: see `AdminService.ping_all`."""
        await self._database(everywhere=True)

    async def require_writable(self) -> None:
        """Refuse: `/readyz` of the server says it."""
        raise unavailable("admin.require_writable")

    @property
    def breaker(self) -> BreakerStatus:
        """Refuse: the breaker is the server process's own."""
        raise unavailable("admin.breaker")

    @property
    def worker_counters(self) -> "WorkerCounters":
        """Refuse: the worker is the server process's own."""
        raise unavailable("admin.worker_counters")

    async def run_worker(self) -> None:
        """Refuse: the server has its own workers."""
        raise unavailable("admin.run_worker")

    def stop_worker(self, *, promptly: bool = False) -> None:
        """Refuse: the server has its own workers."""
        raise unavailable("admin.stop_worker")

    async def _database(self, *, everywhere: bool) -> Mapping[str, Any]:
        raw: Mapping[str, Any] = await self._client.ask(Call(method="GET", path=_DATABASE, query={"all": everywhere}))
        return raw


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

    async def create_first(self) -> str | None:
        """Refuse: a server makes its first key itself."""
        raise unavailable("keys.create_first")

    async def find(self, secret: str) -> ApiKey | None:
        """Refuse: the server checks keys itself."""
        raise unavailable("keys.find")

    async def sign(self, id_: str, data: bytes) -> bytes:
        """Refuse: the server signs its sessions itself."""
        raise unavailable("keys.sign")

    async def note_use(self, secret: str) -> None:
        """Refuse: the server checks keys itself."""
        raise unavailable("keys.note_use")

    async def is_any_valid(self) -> bool:
        """Refuse: the server checks keys itself."""
        raise unavailable("keys.is_any_valid")

    async def was_any_made(self) -> bool:
        """Refuse: the server checks keys itself."""
        raise unavailable("keys.was_any_made")

    async def note_act(self, action: str, *, actor: str, tenant: str = "", target: str = "", count: int = 0) -> None:
        """Refuse: the server writes its audit log itself."""
        raise unavailable("keys.note_act")


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

    async def try_out(self, spec: EmbedderSpec) -> EmbedderTrial:
        """Refuse: the embedder's model is on the server."""
        raise unavailable("embedder.try_out")

    async def use(
        self, trial: EmbedderTrial, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Refuse: the embedder's model is on the server."""
        raise unavailable("embedder.use")

    async def reembed(
        self, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Resume an embedder change; this needs an operator's key. See `EmbedderService.reembed`."""
        body = {"dry_run": dry_run}
        call = Call(method="POST", path="/v1/embedder/reembed", body=body, timeout_s=LONG_TIMEOUT_S)

        def say(line: dict[str, int]) -> None:
            tell(ReembedProgress(done=line["done"], of=line["total"]))

        return values.read(ReembedReport, await last_line(self._client.stream(call), say, call))
