"""Part of the API: open, save and end conversations, and say whose memory is theirs. Writes through the store."""

from collections.abc import Mapping, Sequence
from typing import Any
from uuid import uuid4

from recollect.engine.recorder import RecorderService
from recollect.engine.scope import MemoryScope
from recollect.errors import BadRequestError, UnknownConversationError
from recollect.profiles.overrides import options_of
from recollect.types import NO_SCENE, Conversation, ConversationId, ConversationSetup, Memory, RequestScope, Subject


class ConversationService(RecorderService):
    """Opens and ends."""

    async def open_conversation(
        self,
        conversation: str | None = None,
        *,
        user: str | Subject | None = None,
        scene: RequestScope = NO_SCENE,
        options: Mapping[str, Any] | None = None,
    ) -> Conversation:
        """Open a conversation before its first message, or change the settings of one that is there.

        One that is there keeps its profile, its app, and the settings that are not given.

        Args:
            conversation: Your id of it; None makes one.
            user: Whose conversation.
            scene: Its profile, app and characters: they hold for all its messages that name no others.
            options: Settings for this conversation alone, named as in its profile's interface.

        Returns:
            The conversation as it is now.

        Raises:
            UnknownProfileError: the scene names a profile that is not there.
            BadRequestError: an option is none of the profile's, or has a value that it does not take.
        """
        subject = self.subject(user)
        name = conversation or str(uuid4())
        scope = await self.turns.scope(subject, scene, name)
        given = {**scope.opening.options, **(options or {})}
        options_of(scope.profile, given)
        opening = ConversationSetup(profile=scope.profile.name, app=scene.app, options=given)
        return await self._store.open_conversation(subject, name, opening)

    async def conversation(self, conversation: str, *, user: str | Subject | None = None) -> Conversation:
        """Read a conversation by your id of it, or by ours.

        Raises:
            UnknownConversationError: this user has none of that id.
        """
        subject = self.subject(user)
        found = await self._store.conversation(subject, external_id=conversation)
        if found is None:
            found = await self._store.conversation(subject, id=ConversationId(conversation))
        if found is None:
            raise UnknownConversationError(conversation)
        return found

    async def end_conversation(
        self,
        conversation: str,
        *,
        reason: str = "ended",
        messages: Sequence[Mapping[str, Any]] = (),
        user: str | Subject | None = None,
        scene: RequestScope = NO_SCENE,
    ) -> Conversation:
        """End a conversation: what its profile forms at the end is formed behind the call.

        Args:
            conversation: Your id of it, or ours.
            reason: Why it ended; kept with it.
            messages: Last messages of it that were not recorded yet.
            user: Whose conversation.
            scene: As it was recorded under, where it was not opened with a profile.

        Raises:
            UnknownConversationError: this user has none of that id, and no messages came with the call.
        """
        if messages:
            await self.record(messages, user=user, conversation=conversation, scene=scene)
        found = await self.conversation(conversation, user=user)
        await self._store.end_conversation(found.subject, found.id, reason, self.clock.now())
        await self._ask(found, scene)
        return await self.conversation(conversation, user=user)

    async def save_conversation(
        self, conversation: str, *, user: str | Subject | None = None, scene: RequestScope = NO_SCENE
    ) -> int:
        """Form behind the call what a conversation waits to have formed; returns how many formations that is.

        Raises:
            UnknownConversationError: this user has none of that id.
        """
        return await self._ask(await self.conversation(conversation, user=user), scene)

    async def memory_of(
        self, *, user: str | Subject | None = None, conversation: str | None = None, scene: RequestScope = NO_SCENE
    ) -> Subject:
        """Return whose memory a scene writes to: the subject to list, search, add to and forget from.

        Raises:
            BadRequestError: the profile wants to know more: which session, app or characters.
        """
        scope = await self.turns.scope(self.subject(user), scene, conversation)
        if scope.writes is None:
            raise BadRequestError(f"profile {scope.profile.name}: {scope.missing}", param="scene")
        return scope.writes

    async def formed_of(
        self, conversation: str, *, user: str | Subject | None = None, scene: RequestScope = NO_SCENE, limit: int = 100
    ) -> list[Memory]:
        """List the notes, facts and episodes that rest on a conversation, newest first.

        Args:
            conversation: Your id of it, or ours.
            user: Whose conversation.
            scene: As it was recorded under, where it was not opened with a profile.
            limit: Most to return.

        Raises:
            UnknownConversationError: this user has none of that id.
        """
        found = await self.conversation(conversation, user=user)
        scope = await self._scope_of(found, scene)
        return await self._store.formed_of(scope.writes or found.subject, found, limit=limit)

    async def _ask(self, conversation: Conversation, scene: RequestScope) -> int:
        scope = await self._scope_of(conversation, scene)
        if scope.writes is None:
            return 0
        asked = await self._store.ask_formation(scope.writes, conversation.subject, conversation.id, self.clock.now())
        self._worker.wake()
        return asked

    async def _scope_of(self, conversation: Conversation, scene: RequestScope) -> MemoryScope:
        return await self.turns.scope(conversation.subject, scene, conversation.external_id or conversation.id)
