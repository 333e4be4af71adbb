"""`memory.keys` over HTTP: what an administrator's key may do. Asks one server."""

from dataclasses import asdict
from typing import Any

from toldonce.engine.keys import KeyService, check_new_key
from toldonce.engine.results import ListOf
from toldonce.errors import BadRequestError
from toldonce.remote import values
from toldonce.remote.client import Call, RestClient, segment, written
from toldonce.remote.over_http import RemoteService, over_http
from toldonce.remote.unavailable import unavailable
from toldonce.types import ALL_ACTS, ApiKey, AuditEntry, AuditFilter, NewApiKey

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
        check_new_key(new)
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
