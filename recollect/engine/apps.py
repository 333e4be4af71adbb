"""Part of the API: apps with a memory of their own. Writes through the store."""

from urllib.parse import quote

from recollect.engine.conversations import ConversationService
from recollect.engine.erasure import ErasureService
from recollect.engine.shared import SharedMemoryService
from recollect.errors import UnknownAppError, UnknownMemoryError
from recollect.types import AppRecord, EraseRequest, Memory, MemoryKind, MemoryState, RequestScope, Subject

_KINDS = (MemoryKind.NOTE, MemoryKind.FACT)


class AppService(ConversationService, SharedMemoryService, ErasureService):
    """Announces and uninstalls apps, and reads their memories by number."""

    async def announce_app(self, app: str, *, user: str | Subject | None = None) -> AppRecord:
        """Say that an app is there; one that was uninstalled is there again, with the memories it had.

        Raises:
            BadSubjectError: the name cannot be an app's.
        """
        subject = await self._app(app, user)
        await self._store.announce_app(subject, self.clock.now())
        return await self._known(subject, app)

    async def remove_app(self, app: str, *, purge: bool = False, user: str | Subject | None = None) -> int:
        """Uninstall an app. Its memories stay unless they are purged with it; returns how many were.

        Raises:
            UnknownAppError: no such app was announced and none of that name has memories.
        """
        known = await self.app_memories(app, user=user)
        removed = [
            await self._store.remove_app(subject, self.clock.now()) for subject in await self._memories_of(app, user)
        ]
        if not any(removed) and not known:
            raise UnknownAppError(app)
        return await self.delete_app_memories(app, user=user) if purge else 0

    async def app_memories(self, app: str, *, user: str | Subject | None = None) -> list[Memory]:
        """List an app's memories, the last updated first: the user's own, and those of the app of all users."""
        listed = [await self.list(user=subject, kinds=_KINDS) for subject in await self._memories_of(app, user)]
        active = [memory for some in listed for memory in some if memory.state is MemoryState.ACTIVE]
        return sorted(active, key=lambda memory: memory.known_from, reverse=True)

    async def delete_app_memory(self, app: str, number: int, *, user: str | Subject | None = None) -> None:
        """Erase the memory that an app knows by this number; the conversation it sums up stays.

        Raises:
            UnknownMemoryError: it has none.
        """
        for memory in await self.app_memories(app, user=user):
            if memory.number == number:
                await self.erase(memory.id, user=memory.subject, keep_messages=True)
                return
        raise UnknownMemoryError(str(number))

    async def delete_app_memories(self, app: str, *, user: str | Subject | None = None) -> int:
        """Erase all memories of an app; returns how many it listed. The conversations they sum up stay.

        What was compacted away, forgotten or held for review goes with them.
        """
        count = 0
        for subject in await self._memories_of(app, user):
            while known := await self.list(user=subject, kinds=_KINDS, closed=True):
                ids = tuple(memory.id for memory in known)
                await self._eraser().erase(EraseRequest(subject=subject, memories=ids, keep_messages=True))
                count += sum(memory.state is MemoryState.ACTIVE for memory in known)
        return count

    async def _app(self, app: str, user: str | Subject | None) -> Subject:
        return await self.memory_of(user=user, scene=RequestScope(profile="app", app=app))

    async def _memories_of(self, app: str, user: str | Subject | None) -> list[Subject]:
        """Return the subjects that an app's memories are kept in: the user's own, and that of all users.

        Profiles choose between them by `per_user`, and an app may be used under several.
        """
        return list(dict.fromkeys([await self._app(app, user), Subject("app", quote(app, safe=""))]))

    async def _known(self, subject: Subject, app: str) -> AppRecord:
        found = await self._store.app(subject)
        if found is None:
            raise UnknownAppError(app)
        return found
