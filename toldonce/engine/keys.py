"""`memory.keys`: API keys of the server, and the log of administrative acts. Writes through the store."""

import hmac
import secrets
from dataclasses import replace
from hashlib import sha256

from toldonce.clock import Clock
from toldonce.engine.arguments import read_choice
from toldonce.engine.components import Components
from toldonce.engine.results import ListOf
from toldonce.errors import BadRequestError, UnknownKeyError
from toldonce.ids import new_id
from toldonce.types import ALL_ACTS, Access, ApiKey, AuditEntry, AuditFilter, NewApiKey, Subject

PREFIX = "rk_"
"""Begins every key, so that scanners for leaked secrets can find it."""
# Random bytes of a key: 256 bits, which need no slow hash.
_SECRET_BYTES = 32
_ID_BYTES = 6
# The id of the key that a server makes at its first start: of two servers that start at once, one makes it.
FIRST_ID = "k_first"
MAX_NAME_CHARACTERS = 100
_MAX_LIMIT = 2**31 - 1


class KeyService:
    """API keys: made, listed, revoked and looked up. A key's secret is returned once and stored as its SHA-256."""

    def __init__(self, components: Components) -> None:
        self._clock = components.clock
        self._store = components.store
        self.changes = 0
        """Keys made or revoked in this process: what was looked up before may be out of date."""

    async def create(self, new: NewApiKey, *, actor: str = "library") -> tuple[ApiKey, str]:
        """Make a key; return it with its secret, which cannot be shown again.

        Args:
            new: What the key is for and allows.
            actor: Who makes it, for the audit log.

        Raises:
            BadRequestError: the name is empty or too long, it is bound to a user and an app at once, or to one of them
                in all tenants, it expires in the past, or a limit is not positive.
            BadSubjectError: the tenant, user or app cannot be a subject's name.
        """
        made = await self._create(new, f"k_{secrets.token_hex(_ID_BYTES)}", actor, first=False)
        if made is None:
            raise AssertionError("two random ids are the same")
        return made

    async def create_first(self) -> str | None:
        """Make an operator's key if the database never had a key; return its secret, or None."""
        new = NewApiKey(name="first administrator", access=Access.ADMIN, tenant=None)
        made = await self._create(new, FIRST_ID, "server", first=True)
        return None if made is None else made[1]

    async def list(self, *, tenant: str | None = None, after: str = "", limit: int = 1000) -> ListOf[ApiKey]:
        """List keys by id, valid or not.

        Args:
            tenant: Only keys of this tenant; None lists all.
            after: Id of the last key of the page before.
            limit: Maximum number of keys, 1 to 10,000.
        """
        return await self._store.access.keys(tenant=tenant, after=after, limit=limit)

    async def get(self, id_: str) -> ApiKey:
        """Return the key with this id.

        Raises:
            UnknownKeyError: there is none.
        """
        found = await self._store.access.key_by_id(id_)
        if found is None:
            raise UnknownKeyError(id_)
        return found

    async def revoke(self, id_: str, *, actor: str = "library") -> ApiKey:
        """Revoke a key: every server refuses it within seconds. A revoked key stays listed.

        Raises:
            UnknownKeyError: no key has this id.
        """
        key = await self.get(id_)
        entry = act(self._clock, "keys.revoke", actor=actor, tenant=key.tenant or "", target=id_)
        await self._store.access.revoke_key(id_, self._clock.now(), audit=entry)
        self.changes += 1
        return await self.get(id_)

    async def find(self, secret: str) -> ApiKey | None:
        """Return the key with this secret, valid or not; None if there is none."""
        return await self._store.access.key_by_hash(hash_of(secret))

    async def sign(self, id_: str, data: bytes) -> bytes:
        """Return the HMAC-SHA256 of data under the stored hash of a key's secret: 32 bytes.

        Every server of the database signs alike. A copy of the database can sign, too: what is to be trusted takes
        another secret as well.

        Raises:
            UnknownKeyError: no key has this id.
        """
        hash_ = await self._store.access.hash_of_key(id_)
        if hash_ is None:
            raise UnknownKeyError(id_)
        return hmac.digest(hash_, data, "sha256")

    async def note_use(self, secret: str) -> None:
        """Note that a key is used now. A crash may lose it."""
        await self._store.access.use_key(hash_of(secret), self._clock.now())

    async def is_any_valid(self) -> bool:
        """Return whether there is a key that is neither revoked nor expired."""
        return await self._store.access.has_valid_key(self._clock.now())

    async def was_any_made(self) -> bool:
        """Return whether a key was ever made, though all may be revoked, expired or erased by now."""
        return await self._store.access.had_any_key()

    async def note_act(self, action: str, *, actor: str, tenant: str = "", target: str = "", count: int = 0) -> None:
        """Append an administrative act to the audit log."""
        entry = act(self._clock, action, actor=actor, tenant=tenant, target=target, count=count)
        await self._store.access.add_audit(entry)

    async def audit(
        self,
        wanted: AuditFilter = ALL_ACTS,
        *,
        tenant: str | None = None,
        before: str | None = None,
        limit: int = 100,
    ) -> ListOf[AuditEntry]:
        """List administrative acts, newest first.

        Args:
            wanted: Only acts of this actor, of this name or on this target.
            tenant: Only acts that concern this tenant; None lists all.
            before: Id of the last entry of the page before.
            limit: Maximum number of entries, 1 to 10,000.
        """
        return await self._store.access.audit(wanted, tenant=tenant, before=before, limit=limit)

    async def _create(self, new: NewApiKey, id_: str, actor: str, *, first: bool) -> tuple[ApiKey, str] | None:
        now = self._clock.now()
        new = checked_key(new)
        if new.expires_at is not None and new.expires_at <= now:
            raise BadRequestError(f"expires_at is {new.expires_at.isoformat()}, which has passed", param="expires_at")
        secret = PREFIX + secrets.token_urlsafe(_SECRET_BYTES)
        entry = act(self._clock, "keys.create", actor=actor, tenant=new.tenant or "", target=id_)
        if not await self._store.access.add_key(new, id_, hash_of(secret), now, audit=entry, first=first):
            return None
        self.changes += 1
        return await self.get(id_), secret


def act(clock: Clock, action: str, *, actor: str, tenant: str = "", target: str = "", count: int = 0) -> AuditEntry:
    """Return the entry of an administrative act that was done now."""
    return AuditEntry(
        id=new_id(clock), at=clock.now(), actor=actor, action=action, tenant=tenant, target=target, count=count
    )


def hash_of(secret: str) -> bytes:
    """Return the SHA-256 under which a key is stored. A random key needs no salt and no slow hash."""
    return sha256(secret.encode("utf-8", "surrogatepass")).digest()


def checked_key(new: NewApiKey) -> NewApiKey:
    """Return a key that is to be made, its access read.

    Raises:
        BadRequestError: It makes no sense.
        BadSubjectError: The tenant, user or app cannot be a subject's name.
    """
    new = replace(new, access=read_choice(Access, new.access, "access"))
    if not 1 <= len(new.name) <= MAX_NAME_CHARACTERS or not new.name.isprintable():
        raise BadRequestError(
            f"the name of a key has 1 to {MAX_NAME_CHARACTERS} printable characters; this one is {new.name[:40]!r}",
            param="name",
        )
    if new.user is not None and new.app is not None:
        raise BadRequestError("a key is bound to a user or to an app, not to both", param="app")
    if new.tenant is None and (new.user is not None or new.app is not None):
        raise BadRequestError("a key of all tenants is bound to no user and no app", param="tenant")
    if new.user is not None and new.access is Access.ADMIN:
        raise BadRequestError("an administrator's key is bound to no user; choose read or write", param="access")
    Subject("user" if new.app is None else "app", new.user or new.app or "any", new.tenant or "")
    limits = new.limits
    for name in ("requests_per_minute", "concurrent_requests", "body_bytes"):
        limit = getattr(limits, name)
        if limit is not None and not 1 <= limit <= _MAX_LIMIT:
            raise BadRequestError(f"{name} is {limit}; it takes 1 to {_MAX_LIMIT}", param=name)
    return new
