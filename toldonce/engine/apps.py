"""`memory.apps` and `memory.characters`: those that have memories of their own. Writes through the store."""

import logging
from collections.abc import AsyncIterator, Sequence

from toldonce.curation.edits import link_memory, unlink_memory
from toldonce.engine.components import Components
from toldonce.engine.conversations import ConversationService
from toldonce.engine.memories import ListRequest, MemoryService
from toldonce.engine.results import AppMemoryPage, ListOf, RenamedCharacter
from toldonce.engine.scope import app_of_all_users, character_subject
from toldonce.errors import BadRequestError, ConflictError, UnknownAppError, UnknownMemoryError
from toldonce.extraction.provenance import character as spelled
from toldonce.extraction.provenance import kept_as
from toldonce.formation.runtime import Runtime
from toldonce.maintenance.eraser import Eraser
from toldonce.types import AppRecord, AppSummary, EraseRequest, Memory, MemoryKind, MemoryState, RequestScope, Subject

logger = logging.getLogger(__name__)

_PAGE_SIZE = 1000
_KINDS = (MemoryKind.NOTE, MemoryKind.FACT)


class AppService:
    """Apps of a user, and their memories by number."""

    def __init__(
        self, components: Components, conversations: ConversationService, memories: MemoryService, eraser: Eraser
    ) -> None:
        self._clock = components.clock
        self._store = components.store
        self._conversations = conversations
        self._memories = memories
        self._eraser = eraser

    async def register(self, app: str, *, user: str | Subject | None = None) -> AppRecord:
        """Register an app; an app that was removed returns with the memories it had.

        Raises:
            BadSubjectError: the name cannot be an app's.
        """
        subject = await self._own_subject(app, user)
        await self._store.apps.register(subject, self._clock.now())
        record = await self._store.apps.get(subject)
        if record is None:
            raise UnknownAppError(app)
        return record

    async def list(self, *, tenant: str = "", after: str = "", limit: int = 100) -> ListOf[AppSummary]:
        """List the apps of all users of a tenant by name: registered, with memories or with conversations.

        Args:
            tenant: Tenant whose users; empty for those of no tenant.
            after: Name of the last app of the page before; empty lists from the first on.
            limit: Maximum number of apps to return, 1 to 10,000.
        """
        return await self._store.apps.summaries(after=after, limit=limit, tenant=tenant)

    async def remove(self, app: str, *, purge: bool = False, user: str | Subject | None = None) -> int:
        """Remove an app; with `purge`, erase its memories. Return the number of memories erased.

        Raises:
            UnknownAppError: no such app was registered, and no memories of that name exist.
        """
        known = await self.memories(app, user=user)
        removed = [
            await self._store.apps.remove(subject, self._clock.now()) for subject in await self._subjects(app, user)
        ]
        if not any(removed) and not known:
            raise UnknownAppError(app)
        return await self.delete_memories(app, user=user) if purge else 0

    async def memories(self, app: str, *, user: str | Subject | None = None) -> ListOf[Memory]:
        """List an app's active memories, last updated first: the user's own, and those it keeps for all users."""
        active = [memory for subject in await self._subjects(app, user) for memory in await self._active(subject)]
        return sorted(active, key=lambda memory: memory.known_from, reverse=True)

    async def count(self, app: str, *, user: str | Subject | None = None) -> int:
        """Count an app's active memories: see `memories`."""
        return len(await self.memories(app, user=user))

    async def delete_memory(self, app: str, number: int, *, user: str | Subject | None = None) -> None:
        """Erase the memory that an app knows by this number; the messages it was formed from stay.

        Raises:
            UnknownMemoryError: the app has no memory with this number.
        """
        for memory in await self.memories(app, user=user):
            if memory.number == number:
                await self._eraser.erase(
                    EraseRequest(subject=memory.subject, memories=(memory.id,), keep_messages=True)
                )
                return
        raise UnknownMemoryError(str(number))

    async def delete_memories(self, app: str, *, user: str | Subject | None = None) -> int:
        """Erase all memories of an app, closed and held ones too; the messages they were formed from stay.

        Returns:
            The number of active memories erased.
        """
        return sum([await self._delete_all(subject) for subject in await self._subjects(app, user)])

    async def memories_of_all_users(
        self, app: str, *, tenant: str = "", after: str = "", limit: int = 1000
    ) -> AppMemoryPage:
        """List an app's active memories of all users of a tenant, subject by subject, last updated first.

        Args:
            app: Name of the app.
            tenant: Tenant whose users; empty for those of no tenant.
            after: `after` of the page before; empty lists from the first subject on.
            limit: Number of memories after which a page ends; the last subject's are complete.
        """
        found: ListOf[Memory] = []
        async for subject in self._subjects_of_all_users(app, tenant, after):
            found += sorted(await self._active(subject), key=lambda memory: memory.known_from, reverse=True)
            if len(found) >= limit:
                return AppMemoryPage(memories=tuple(found), after=subject.text)
        return AppMemoryPage(memories=tuple(found), after=None)

    async def delete_memories_of_all_users(self, app: str, *, tenant: str = "") -> int:
        """Erase all memories of an app in a tenant, closed and held ones too; the messages they came from stay.

        Returns:
            The number of active memories erased.
        """
        count = 0
        async for subject in self._subjects_of_all_users(app, tenant, ""):
            count += await self._delete_all(subject)
        return count

    async def delete_memory_of_all_users(self, app: str, number: int, *, tenant: str = "") -> None:
        """Erase the memory that an app knows by this number, whosever it is; see `delete_memory`."""
        async for subject in self._subjects_of_all_users(app, tenant, ""):
            for memory in await self._active(subject):
                if memory.number == number:
                    await self._eraser.erase(EraseRequest(subject=subject, memories=(memory.id,), keep_messages=True))
                    return
        raise UnknownMemoryError(str(number))

    async def remove_for_all_users(self, app: str, *, purge: bool = False, tenant: str = "") -> int:
        """Remove an app for all users of a tenant; with `purge`, erase its memories. Return the number erased.

        Raises:
            UnknownAppError: it was never registered, and has no memories.
        """
        removed, known = False, False
        async for subject in self._subjects_of_all_users(app, tenant, ""):
            removed |= await self._store.apps.remove(subject, self._clock.now())
            known = known or bool(await self._active(subject))
        if not removed and not known:
            raise UnknownAppError(app)
        return await self.delete_memories_of_all_users(app, tenant=tenant) if purge else 0

    async def _subjects_of_all_users(self, app: str, tenant: str, after: str) -> AsyncIterator[Subject]:
        prefix = Subject("app", "-", tenant).text[:-1]
        after = max(after, prefix)
        while page := await self._store.admin.subjects(after=after, limit=_PAGE_SIZE):
            for subject in page:
                if not subject.text.startswith(prefix):
                    return
                if subject.app_name == app:
                    yield subject
            after = page[-1].text

    async def _active(self, subject: Subject) -> ListOf[Memory]:
        return await _active_memories(self._memories, subject, _KINDS)

    async def _delete_all(self, subject: Subject) -> int:
        ended, count = await self._end_work(subject), 0
        while known := await self._memories.list(subject, ListRequest(kinds=_KINDS, closed=True)):
            ids = tuple(memory.id for memory in known)
            await self._eraser.erase(EraseRequest(subject=subject, memories=ids, keep_messages=True))
            count += sum(memory.state is MemoryState.ACTIVE for memory in known)
        said = {"app": subject.app_name, "subject": subject.key, "conversations": ended, "memories": count}
        if ended or count:
            logger.info("memory_purge", extra=said)
        return count

    async def _end_work(self, subject: Subject) -> ListOf[str]:
        """Let nothing be formed of what was said so far; return the conversations of which something was due."""
        place = None
        ended: ListOf[str] = []
        while page := await self._store.formations.list(subject=subject, after=place, limit=_PAGE_SIZE):
            for status in page:
                if status.due_at is not None or status.formed_seq < status.last_seq:
                    await self._store.formations.skip(status.key)
                    ended.append(status.key.conversation)
            place = page[-1].place
        return ended

    async def _own_subject(self, app: str, user: str | Subject | None) -> Subject:
        return await self._conversations.subject(user=user, scope=RequestScope(profile="app", app=app))

    async def _subjects(self, app: str, user: str | Subject | None) -> ListOf[Subject]:
        """Return the subjects that hold an app's memories: the user's own, and the one of all users.

        Profiles choose between them by `per_user`, and an app may be used under several profiles.
        """
        own = await self._own_subject(app, user)
        return list(dict.fromkeys([own, app_of_all_users(own, app)]))


async def _active_memories(
    memories: MemoryService, subject: Subject, kinds: Sequence[MemoryKind] | None
) -> list[Memory]:
    """List all active memories of a subject; of any listed kind where `kinds` is None."""
    active: list[Memory] = []
    after = None
    while page := await memories.list(subject, ListRequest(kinds=kinds, limit=_PAGE_SIZE, after=after)):
        active += [memory for memory in page if memory.state is MemoryState.ACTIVE]
        after = page[-1].id
    return active


class CharacterService:
    """Characters of a user who talk with each other."""

    def __init__(self, components: Components, runtime: Runtime, memories: MemoryService) -> None:
        self._components = components
        self._runtime = runtime
        self._memories = memories

    async def rename(
        self, character: str, to: str, *, join: bool = False, user: str | Subject | None = None
    ) -> RenamedCharacter:
        """Give a character a new name: requests that use it read and write the memories that the character has.

        The memories stay in their subject, with their history. The old name leads to them as well.

        Args:
            character: Name of the character; case does not matter.
            to: The new name.
            join: If a character of the new name has memories, let the renamed one have its active ones, too. Its held
                and closed ones stay in their own subject.
            user: User whose character it is.

        Raises:
            BadRequestError: the character has no memories, or the new name is empty.
            BadSubjectError: the new name cannot be part of a subject.
            ConflictError: a character of the new name has memories, and `join` is False.
        """
        home = self._components.subject(user)
        if not spelled(to):
            raise BadRequestError("the new name is empty", param="to")
        names = await self._components.store.apps.character_names(home)
        kept, other = kept_as(character, names), kept_as(to, names)
        mine, theirs = character_subject(home, kept), character_subject(home, other)
        if not await self._has_memories(mine):
            raise BadRequestError(f"no memories of a character {character!r} are here", param="character")
        if mine == theirs:
            return RenamedCharacter(subject=mine)
        if not join and await self._has_memories(theirs):
            why = "take them over with join (--join), or choose another name"
            raise ConflictError(f"a character {to!r} has memories: {why}", param="to")
        joining = await _active_memories(self._memories, theirs, None)
        for memory in joining:
            await link_memory(self._runtime, memory, mine)
            await unlink_memory(self._runtime, memory)
        await self._components.store.apps.name_character(home, kept, spelled(to))
        return RenamedCharacter(subject=mine, joined=len(joining))

    async def _has_memories(self, subject: Subject) -> bool:
        return bool(await self._memories.list(subject, ListRequest(kinds=None, closed=True, limit=1)))
