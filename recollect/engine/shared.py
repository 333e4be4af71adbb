"""Part of the API: read shared memories beside one's own. Writes through the store."""

from recollect.engine.base import ListOf, Wired
from recollect.errors import BadRequestError
from recollect.types import Subject


class SharedMemoryService(Wired):
    """Subscribes."""

    async def subscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> ListOf[Subject]:
        """Let a user read a shared subject beside their own memories; returns all that they read so.

        Their own values of a slot come before shared ones. What is shared is added with the shared subject as `user`,
        or linked there.

        Args:
            shared: `shared:NAME`, or the name alone.
            user: Who reads.

        Raises:
            BadRequestError: it is another kind of subject, or who reads is no user.
        """
        reader, wanted = self._reader(user), _shared(shared)
        await self._store.subscribe(reader, wanted, self.clock.now())
        return await self.subscriptions(user=user)

    async def unsubscribe(self, shared: str | Subject, *, user: str | Subject | None = None) -> bool:
        """Let a user read a shared subject no more; False where they did not.

        Raises:
            BadRequestError: it is another kind of subject, or who reads is no user.
        """
        return await self._store.unsubscribe(self._reader(user), _shared(shared))

    async def subscriptions(self, *, user: str | Subject | None = None) -> ListOf[Subject]:
        """List the shared subjects that a user reads, longest first."""
        return (await self._store.subscriptions(self.subject(user)))[1]

    def _reader(self, user: str | Subject | None) -> Subject:
        subject = self.subject(user)
        if subject.kind != "user":
            raise BadRequestError(f"{subject.text} is no user: only users read shared memories", param="user")
        return subject


def _shared(name: str | Subject) -> Subject:
    if isinstance(name, str):
        name = Subject("shared", name.removeprefix("shared:"))
    if name.kind != "shared":
        raise BadRequestError(f"{name.text} is not shared; name a subject shared:NAME", param="shared")
    return name
