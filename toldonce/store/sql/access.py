"""API keys of the server, of which only the SHA-256 is kept, and the log of administrative acts."""

from datetime import datetime

from toldonce.clock import from_micros, to_micros
from toldonce.ids import id_bytes, id_text
from toldonce.store.repository import Reads, Repository, Writes
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value, instant, micros
from toldonce.types import ALL_ACTS, Access, ApiKey, AuditEntry, AuditFilter, KeyLimits, NewApiKey, Subject

SQL = load("access")
_LAST_ID = b"\xff" * 16


def add_key(  # noqa: PLR0913  # a key, and what is logged of it
    db: SqlConnection,
    new: NewApiKey,
    id_: str,
    hash_: bytes,
    now: datetime,
    *,
    audit: AuditEntry,
    first: bool = False,
) -> bool:
    """Store a key; with `first` only if there never was one. Return False if it was not, or id or hash are taken."""
    if first and fetch_value(db, SQL["has_any_key"]):
        return False
    bound_to = Subject("user", new.user, new.tenant or "").key if new.user is not None else None
    values = (
        hash_,
        id_,
        new.name,
        new.access.value,
        new.tenant,
        new.user,
        bound_to,
        new.app,
        new.limits.requests_per_minute,
        new.limits.concurrent_requests,
        new.limits.body_bytes,
        to_micros(now),
        micros(new.expires_at),
    )
    stored = bool(fetch(db, SQL["add_key"], *values))
    if stored:
        add_audit(db, audit)
    return stored


def key_by_hash(db: SqlConnection, hash_: bytes) -> ApiKey | None:
    """Return the key with this SHA-256, valid or not; None if there is none."""
    row = fetch_one(db, SQL["key_by_hash"], hash_)
    return None if row is None else _key(row)


def key_by_id(db: SqlConnection, id_: str) -> ApiKey | None:
    """Return the key with this public id, valid or not; None if there is none."""
    row = fetch_one(db, SQL["key_by_id"], id_)
    return None if row is None else _key(row)


def hash_of_key(db: SqlConnection, id_: str) -> bytes | None:
    """Return the SHA-256 of the key with this public id; None if there is none."""
    row = fetch_one(db, SQL["key_by_id"], id_)
    return None if row is None else bytes(row[-1])


def list_keys(db: SqlConnection, *, tenant: str | None = None, after: str = "", limit: int = 1000) -> list[ApiKey]:
    """List keys by id, after the id `after`; those of one tenant, or all (None)."""
    return [_key(row) for row in fetch(db, SQL["keys"], after, int(tenant is None), tenant or "", limit)]


def has_valid_key(db: SqlConnection, now: datetime) -> bool:
    """Return whether any key is neither revoked nor expired."""
    return bool(fetch_value(db, SQL["has_valid_key"], to_micros(now)))


def had_any_key(db: SqlConnection) -> bool:
    """Return whether a key was ever stored, valid or not, there or erased."""
    return bool(fetch_value(db, SQL["had_any_key"]))


def revoke_key(db: SqlConnection, id_: str, now: datetime, *, audit: AuditEntry) -> bytes | None:
    """Revoke a key; return its SHA-256, or None if no valid key has this id."""
    db.execute(SQL["revoke_key"], (id_, to_micros(now)))
    if not db.changes():
        return None
    add_audit(db, audit)
    return hash_of_key(db, id_)


def _use_key(db: SqlConnection, hash_: bytes, at: datetime) -> None:
    db.execute(SQL["use_key"], (hash_, to_micros(at)))


def add_audit(db: SqlConnection, entry: AuditEntry) -> None:
    """Append an administrative act."""
    id_ = id_bytes(entry.id)
    values = (id_, to_micros(entry.at), entry.actor, entry.action, entry.tenant, entry.target, entry.count)
    db.execute(SQL["add_audit"], values)


def list_audit(
    db: SqlConnection,
    wanted: AuditFilter = ALL_ACTS,
    *,
    tenant: str | None = None,
    before: str | None = None,
    limit: int = 100,
) -> list[AuditEntry]:
    """List administrative acts, newest first, before the one with the id `before`; None as tenant lists all."""
    last = (id_bytes(before) if before else None) or _LAST_ID
    filters = (wanted.actor, wanted.action, wanted.target)
    rows = fetch(db, SQL["audit"], last, int(tenant is None), tenant or "", *filters, limit)
    return [
        AuditEntry(
            id=id_text(bytes(id_)),
            at=from_micros(at),
            actor=actor,
            action=action,
            tenant=of,
            target=target,
            count=count,
        )
        for id_, at, actor, action, of, target, count in rows
    ]


def _key(row: Row) -> ApiKey:
    id_, name, access, tenant, user, app, per_minute, concurrent, body_bytes, created, expires, revoked, used, _ = row
    return ApiKey(
        id=id_,
        name=name,
        access=Access(access),
        tenant=tenant,
        user=user,
        app=app,
        limits=KeyLimits(requests_per_minute=per_minute, concurrent_requests=concurrent, body_bytes=body_bytes),
        created_at=from_micros(created),
        expires_at=instant(expires),
        revoked_at=instant(revoked),
        last_used_at=instant(used),
    )


class AccessRepository(Repository):
    """API keys, and the log of administrative acts."""

    add_key = Writes(add_key)
    key_by_hash = Reads(key_by_hash, inline=True)
    key_by_id = Reads(key_by_id)
    hash_of_key = Reads(hash_of_key)
    keys = Reads(list_keys)
    has_valid_key = Reads(has_valid_key, inline=True)
    had_any_key = Reads(had_any_key, inline=True)
    revoke_key = Writes(revoke_key)
    add_audit = Writes(add_audit)
    audit = Reads(list_audit)

    async def use_key(self, hash_: bytes, at: datetime) -> None:
        """Note when a key was last used; an earlier time changes nothing. A crash may lose it."""
        self._executor.write_later(lambda db: _use_key(db, hash_, at))
