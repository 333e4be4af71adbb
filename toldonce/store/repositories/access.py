"""Repository of API keys and of the log of administrative acts."""

from datetime import datetime

from toldonce.store.executor import StoreContext, check_limit
from toldonce.store.sql import access
from toldonce.store.sql.database import SqlConnection
from toldonce.types import ALL_ACTS, ApiKey, AuditEntry, AuditFilter, NewApiKey


class AccessRepository:
    """API keys, of which only the SHA-256 is kept, and the log of administrative acts."""

    def __init__(self, context: StoreContext) -> None:
        """Work on the database of `context`."""
        self._executor = context.executor

    async def add_key(
        self, new: NewApiKey, id_: str, hash_: bytes, now: datetime, *, audit: AuditEntry, first: bool = False
    ) -> bool:
        """Store a key; with `first` only if there never was one. Return whether it was stored."""

        def add(db: SqlConnection) -> bool:
            stored = (access.add_first_key if first else access.add_key)(db, new, id_, hash_, now)
            if stored:
                access.add_audit(db, audit)
            return stored

        return await self._executor.write(add)

    async def key_by_hash(self, hash_: bytes) -> ApiKey | None:
        """Return the key with this SHA-256, valid or not; None if there is none."""
        return await self._executor.read_inline(lambda db: access.key_by_hash(db, hash_))

    async def key_by_id(self, id_: str) -> ApiKey | None:
        """Return the key with this public id, valid or not; None if there is none."""
        found = await self._executor.read(lambda db: access.key_by_id(db, id_))
        return None if found is None else found[0]

    async def hash_of_key(self, id_: str) -> bytes | None:
        """Return the SHA-256 of the key with this public id; None if there is none."""
        found = await self._executor.read(lambda db: access.key_by_id(db, id_))
        return None if found is None else found[1]

    async def keys(self, *, tenant: str | None = None, after: str = "", limit: int = 1000) -> list[ApiKey]:
        """List keys by id, after the id `after`; those of one tenant, or all (None)."""
        check_limit(limit)
        return await self._executor.read(lambda db: access.list_keys(db, tenant=tenant, after=after, limit=limit))

    async def has_valid_key(self, now: datetime) -> bool:
        """Return whether any key is neither revoked nor expired."""
        return await self._executor.read_inline(lambda db: access.has_valid_key(db, now))

    async def had_any_key(self) -> bool:
        """Return whether a key was ever stored, valid or not, there or erased."""
        return await self._executor.read_inline(access.had_any_key)

    async def revoke_key(self, id_: str, now: datetime, *, audit: AuditEntry) -> bytes | None:
        """Revoke a key; return its SHA-256, or None if no valid key has this id."""

        def revoke(db: SqlConnection) -> bytes | None:
            found = access.key_by_id(db, id_)
            if found is None or not access.revoke_key(db, id_, now):
                return None
            access.add_audit(db, audit)
            return found[1]

        return await self._executor.write(revoke)

    async def use_key(self, hash_: bytes, at: datetime) -> None:
        """Note when a key was last used. A crash may lose it."""
        self._executor.write_later(lambda db: access.use_key(db, hash_, at))

    async def add_audit(self, entry: AuditEntry) -> None:
        """Append an administrative act."""
        await self._executor.write(lambda db: access.add_audit(db, entry))

    async def audit(
        self,
        wanted: AuditFilter = ALL_ACTS,
        *,
        tenant: str | None = None,
        before: str | None = None,
        limit: int = 100,
    ) -> list[AuditEntry]:
        """List administrative acts, newest first, before the one with the id `before`; None as tenant lists all."""
        check_limit(limit)
        return await self._executor.read(
            lambda db: access.list_audit(db, wanted, tenant=tenant, before=before, limit=limit)
        )
