"""`memory.shared`: share memories with other subjects, and subscribe to shared subjects. Writes through the store."""

from toldonce.curation.edits import link_memory, unlink_memory
from toldonce.engine.arguments import shared_subject
from toldonce.engine.components import Components
from toldonce.engine.memories import MemoryService
from toldonce.errors import BadRequestError
from toldonce.formation.runtime import Runtime
from toldonce.types import Memory, Subject


class SharedMemoryService:
    """Memories that several subjects read."""

    def __init__(self, components: Components, runtime: Runtime, memories: MemoryService) -> None:
        self._components = components
        self._store = components.store
        self._runtime = runtime
        self._memories = memories

    async def link(self, memory_id: str, *, to: Subject, user: str | Subject | None = None) -> Memory:
        """Share an active note, fact or episode with another subject, which gets its own row under the same id.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
            BadRequestError: it cannot be shared: it is a quotation, held or closed, or `to` has another value in its
                slot or belongs to another tenant.
        """
        memory = await self._get(memory_id, user)
        if to.tenant != memory.subject.tenant:
            raise BadRequestError(f"{to.text} belongs to another tenant than {memory.subject.text}", param="to")
        return await link_memory(self._runtime, memory, to)

    async def unlink(self, memory_id: str, *, user: str | Subject | None = None) -> None:
        """Remove a memory from this user alone; other subjects that share it keep it.

        Raises:
            UnknownMemoryError: this user has no memory with this id.
        """
        await unlink_memory(self._runtime, await self._get(memory_id, user))

    async def subscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> list[Subject]:
        """Let a user read a shared subject in addition to their own memories; return all their subscriptions.

        The user's own value of a slot comes before a shared one. To share memories, add them with the shared subject
        as `user`, or link them to it.

        Args:
            shared: `shared:NAME`, or the name alone.
            user: User who subscribes.

        Raises:
            BadRequestError: `shared` is another kind of subject, or the subscriber is not a user.
        """
        subscriber = self._subscriber(user)
        await self._store.apps.subscribe(subscriber, _shared_subject(shared, subscriber), self._components.clock.now())
        return await self.subscriptions(user=user)

    async def unsubscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> bool:
        """End a user's subscription; return False if there was none.

        Raises:
            BadRequestError: `shared` is another kind of subject, or the subscriber is not a user.
        """
        subscriber = self._subscriber(user)
        return await self._store.apps.unsubscribe(subscriber, _shared_subject(shared, subscriber))

    async def subscriptions(self, *, user: str | Subject | None = None) -> list[Subject]:
        """List the shared subjects that a user reads, the longest subscription first."""
        return (await self._store.apps.subscriptions(self._components.subject(user)))[1]

    async def _get(self, memory_id: str, user: str | Subject | None) -> Memory:
        return await self._memories.get(memory_id, self._components.subject(user))

    def _subscriber(self, user: str | Subject | None) -> Subject:
        subject = self._components.subject(user)
        if subject.kind != "user":
            raise BadRequestError(f"{subject.text} is no user: only users read shared memories", param="user")
        return subject


def _shared_subject(name: str | Subject, reader: Subject) -> Subject:
    """Return the shared subject that a reader means.

    Raises:
        BadRequestError: It is another kind of subject, or another tenant's.
    """
    if isinstance(name, str):
        name = shared_subject(name, reader.tenant)
    if name.tenant != reader.tenant:
        raise BadRequestError(f"{name.text} belongs to another tenant than {reader.text}", param="shared")
    if name.kind != "shared":
        raise BadRequestError(
            f"{name.text} is not shared: one reads it alone; add what is to be shared to shared:NAME", param="shared"
        )
    return name
