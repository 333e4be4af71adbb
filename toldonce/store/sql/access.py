"""API keys of the server, and the log of administrative acts. Works on a connection."""

from datetime import datetime

from toldonce.clock import from_micros, to_micros
from toldonce.ids import id_bytes, id_text
from toldonce.store.sql.database import Row, SqlConnection, load
from toldonce.store.sql.rows import fetch, fetch_one, fetch_value
from toldonce.types import Access, ApiKey, AuditEntry, AuditFilter, KeyLimits, NewApiKey, Subject

SQL = load("access")
_LAST_ID = b"\xff" * 16


def add_key(db: SqlConnection, new: NewApiKey, id_: str, hash_: bytes, now: datetime) -> bool:
    """Store a key; return False if its id or hash is taken."""
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
        to_micros(new.expires_at) if new.expires_at else None,
    )
    return bool(fetch(db, SQL["add_key"], *values))


def add_first_key(db: SqlConnection, new: NewApiKey, id_: str, hash_: bytes, now: datetime) -> bool:
    """Store a key if there never was one; return whether it was stored."""
    return not fetch_value(db, SQL["has_any_key"]) and add_key(db, new, id_, hash_, now)


def key_by_hash(db: SqlConnection, hash_: bytes) -> ApiKey | None:
    """Return the key with this SHA-256, valid or not; None if there is none."""
    row = fetch_one(db, SQL["key_by_hash"], hash_)
    return None if row is None else _key(row)


def key_by_id(db: SqlConnection, id_: str) -> tuple[ApiKey, bytes] | None:
    """Return the key with this public id, and its SHA-256; None if there is none."""
    row = fetch_one(db, SQL["key_by_id"], id_)
    return None if row is None else (_key(row), bytes(row[-1]))


def list_keys(db: SqlConnection, *, tenant: str | None, after: str, limit: int) -> list[ApiKey]:
    """List keys by id, after the id `after`; those of one tenant, or all (None)."""
    return [_key(row) for row in fetch(db, SQL["keys"], after, int(tenant is None), tenant or "", limit)]


def has_valid_key(db: SqlConnection, now: datetime) -> bool:
    """Return whether any key is neither revoked nor expired."""
    return bool(fetch_value(db, SQL["has_valid_key"], to_micros(now)))


def had_any_key(db: SqlConnection) -> bool:
    """Return whether a key was ever stored."""
    return bool(fetch_value(db, SQL["had_any_key"]))


def revoke_key(db: SqlConnection, id_: str, now: datetime) -> bool:
    """Revoke a key; return False if there is none with this id that is not revoked."""
    db.execute(SQL["revoke_key"], (id_, to_micros(now)))
    return db.changes() > 0


def use_key(db: SqlConnection, hash_: bytes, at: datetime) -> None:
    """Note when a key was last used; an earlier time changes nothing."""
    db.execute(SQL["use_key"], (hash_, to_micros(at)))


def add_audit(db: SqlConnection, entry: AuditEntry) -> None:
    """Append an administrative act."""
    id_ = id_bytes(entry.id)
    values = (id_, to_micros(entry.at), entry.actor, entry.action, entry.tenant, entry.target, entry.count)
    db.execute(SQL["add_audit"], values)


def list_audit(
    db: SqlConnection, wanted: AuditFilter, *, tenant: str | None, before: str | None, limit: int
) -> list[AuditEntry]:
    """List administrative acts, newest first; those of one tenant, or all (None)."""
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
        expires_at=_instant(expires),
        revoked_at=_instant(revoked),
        last_used_at=_instant(used),
    )


def _instant(micros: int | None) -> datetime | None:
    return None if micros is None else from_micros(micros)
