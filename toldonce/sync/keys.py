"""`memory.keys` without asyncio. Made by tools/make_sync.py from engine/keys.py."""

from __future__ import annotations

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.results import ListOf
from toldonce.types import ALL_ACTS, ApiKey, AuditEntry, AuditFilter, NewApiKey


class BlockingKeyService:
    """API keys: made, listed, revoked and looked up. A key's secret is returned once and stored as its SHA-256."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def create(self, new: NewApiKey, *, actor: str = "library") -> tuple[ApiKey, str]:
        """Make a key; return it with its secret, which cannot be shown again.

        Args:
            new: What the key is for and allows.
            actor: Who makes it, for the audit log.

        Raises:
            BadRequestError: the name is empty or too long, it is bound to a user and an app at once, or to one of them
                in all tenants, it expires in the past, or a limit is not positive.
            BadSubjectError: the tenant, user or app cannot be a subject's name.
        """
        return self._engine.run(self._engine.core.keys.create(new, actor=actor))

    def create_first(self) -> str | None:
        """Make an operator's key if the database never had a key; return its secret, or None."""
        return self._engine.run(self._engine.core.keys.create_first())

    def list(self, *, tenant: str | None = None, after: str = "", limit: int = 1000) -> ListOf[ApiKey]:
        """List keys by id, valid or not.

        Args:
            tenant: Only keys of this tenant; None lists all.
            after: Id of the last key of the page before.
            limit: Maximum number of keys, 1 to 10,000.
        """
        return self._engine.run(self._engine.core.keys.list(tenant=tenant, after=after, limit=limit))

    def get(self, id_: str) -> ApiKey:
        """Return the key with this id.

        Raises:
            UnknownKeyError: there is none.
        """
        return self._engine.run(self._engine.core.keys.get(id_))

    def revoke(self, id_: str, *, actor: str = "library") -> ApiKey:
        """Revoke a key: every server refuses it within seconds. A revoked key stays listed.

        Raises:
            UnknownKeyError: no key has this id.
        """
        return self._engine.run(self._engine.core.keys.revoke(id_, actor=actor))

    def find(self, secret: str) -> ApiKey | None:
        """Return the key with this secret, valid or not; None if there is none."""
        return self._engine.run(self._engine.core.keys.find(secret))

    def sign(self, id_: str, data: bytes) -> bytes:
        """Return the HMAC-SHA256 of data under the stored hash of a key's secret: 32 bytes.

        Every server of the database signs alike. A copy of the database can sign, too: what is to be trusted takes
        another secret as well.

        Raises:
            UnknownKeyError: no key has this id.
        """
        return self._engine.run(self._engine.core.keys.sign(id_, data))

    def note_use(self, secret: str) -> None:
        """Note that a key is used now. A crash may lose it."""
        self._engine.run(self._engine.core.keys.note_use(secret))

    def is_any_valid(self) -> bool:
        """Return whether there is a key that is neither revoked nor expired."""
        return self._engine.run(self._engine.core.keys.is_any_valid())

    def was_any_made(self) -> bool:
        """Return whether a key was ever made, though all may be revoked, expired or erased by now."""
        return self._engine.run(self._engine.core.keys.was_any_made())

    def note_act(self, action: str, *, actor: str, tenant: str = "", target: str = "", count: int = 0) -> None:
        """Append an administrative act to the audit log."""
        self._engine.run(
            self._engine.core.keys.note_act(action, actor=actor, tenant=tenant, target=target, count=count)
        )

    def audit(
        self, wanted: AuditFilter = ALL_ACTS, *, tenant: str | None = None, before: str | None = None, limit: int = 100
    ) -> ListOf[AuditEntry]:
        """List administrative acts, newest first.

        Args:
            wanted: Only acts of this actor, of this name or on this target.
            tenant: Only acts that concern this tenant; None lists all.
            before: Id of the last entry of the page before.
            limit: Maximum number of entries, 1 to 10,000.
        """
        return self._engine.run(self._engine.core.keys.audit(wanted, tenant=tenant, before=before, limit=limit))
