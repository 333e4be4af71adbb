"""`memory.apps` without asyncio. Made by tools/make_sync.py from engine/apps.py."""

from __future__ import annotations

from typing import TYPE_CHECKING

from toldonce.engine.background import BackgroundEngine
from toldonce.engine.results import ListOf
from toldonce.types import AppRecord, AppSummary, Memory, Subject

if TYPE_CHECKING:
    from toldonce.engine import AppMemoryPage


class BlockingAppService:
    """Apps of a user, and their memories by number."""

    def __init__(self, engine: BackgroundEngine) -> None:
        """Forward to an engine in the background."""
        self._engine = engine

    def register(self, app: str, *, user: str | Subject | None = None) -> AppRecord:
        """Register an app; an app that was removed returns with the memories it had.

        Raises:
            BadSubjectError: the name cannot be an app's.
        """
        return self._engine.run(self._engine.core.apps.register(app, user=user))

    def list(self, *, tenant: str = "", after: str = "", limit: int = 100) -> ListOf[AppSummary]:
        """List the apps of all users of a tenant by name: registered, with memories or with conversations.

        Args:
            tenant: Tenant whose users; empty for those of no tenant.
            after: Name of the last app of the page before; empty lists from the first on.
            limit: Maximum number of apps to return, 1 to 10,000.
        """
        return self._engine.run(self._engine.core.apps.list(tenant=tenant, after=after, limit=limit))

    def remove(self, app: str, *, purge: bool = False, user: str | Subject | None = None) -> int:
        """Remove an app; with `purge`, erase its memories. Return the number of memories erased.

        Raises:
            UnknownAppError: no such app was registered, and no memories of that name exist.
        """
        return self._engine.run(self._engine.core.apps.remove(app, purge=purge, user=user))

    def memories(self, app: str, *, user: str | Subject | None = None) -> ListOf[Memory]:
        """List an app's active memories, last updated first: the user's own, and those it keeps for all users."""
        return self._engine.run(self._engine.core.apps.memories(app, user=user))

    def count(self, app: str, *, user: str | Subject | None = None) -> int:
        """Count an app's active memories: see `memories`."""
        return self._engine.run(self._engine.core.apps.count(app, user=user))

    def delete_memory(self, app: str, number: int, *, user: str | Subject | None = None) -> None:
        """Erase the memory that an app knows by this number; the messages it was formed from stay.

        Raises:
            UnknownMemoryError: the app has no memory with this number.
        """
        self._engine.run(self._engine.core.apps.delete_memory(app, number, user=user))

    def delete_memories(self, app: str, *, user: str | Subject | None = None) -> int:
        """Erase all memories of an app, closed and held ones too; the messages they were formed from stay.

        Returns:
            The number of active memories erased.
        """
        return self._engine.run(self._engine.core.apps.delete_memories(app, user=user))

    def memories_of_all_users(self, app: str, *, tenant: str = "", after: str = "", limit: int = 1000) -> AppMemoryPage:
        """List an app's active memories of all users of a tenant, subject by subject, last updated first.

        Args:
            app: Name of the app.
            tenant: Tenant whose users; empty for those of no tenant.
            after: `after` of the page before; empty lists from the first subject on.
            limit: Number of memories after which a page ends; the last subject's are complete.
        """
        return self._engine.run(
            self._engine.core.apps.memories_of_all_users(app, tenant=tenant, after=after, limit=limit)
        )

    def delete_memories_of_all_users(self, app: str, *, tenant: str = "") -> int:
        """Erase all memories of an app in a tenant, closed and held ones too; the messages they came from stay.

        Returns:
            The number of active memories erased.
        """
        return self._engine.run(self._engine.core.apps.delete_memories_of_all_users(app, tenant=tenant))

    def delete_memory_of_all_users(self, app: str, number: int, *, tenant: str = "") -> None:
        """Erase the memory that an app knows by this number, whosever it is; see `delete_memory`."""
        self._engine.run(self._engine.core.apps.delete_memory_of_all_users(app, number, tenant=tenant))

    def remove_for_all_users(self, app: str, *, purge: bool = False, tenant: str = "") -> int:
        """Remove an app for all users of a tenant; with `purge`, erase its memories. Return the number erased.

        Raises:
            UnknownAppError: it was never registered, and has no memories.
        """
        return self._engine.run(self._engine.core.apps.remove_for_all_users(app, purge=purge, tenant=tenant))
