"""Part of the API: what memory would put into a prompt, for clients that write their own. Reads the store."""

from collections.abc import Mapping, Sequence
from typing import Any

from recollect.chat.messages import log_messages
from recollect.chat.request import request_of
from recollect.engine.base import Wired
from recollect.engine.context_builder import PromptContext, prompt_recall, turns_wanted
from recollect.errors import BadRequestError
from recollect.types import NO_SCENE, RequestScope, Subject


class Composing(Wired):
    """Builds contexts."""

    async def context(
        self,
        query: str,
        *,
        user: str | Subject | None = None,
        conversation: str | None = None,
        scene: RequestScope = NO_SCENE,
        messages: Sequence[Mapping[str, Any]] = (),
        use: bool = True,
    ) -> PromptContext:
        """Say what memory would put into a prompt that ends in `query`.

        Args:
            query: The newest message.
            user: Whose memory.
            conversation: Your id of the chat; profiles of sessions want it.
            scene: Under which profile, for which app or characters.
            messages: The chat before it (OpenAI's shape): what is in it is left out, and says what is talked about.
            use: Whether it counts as a use of what is recalled.

        Raises:
            BadRequestError: the messages cannot be read, or the profile wants to know more: which session, app or
                characters.
        """
        scope = await self.turns.scope(self.subject(user), scene, conversation)
        if scope.writes is None:
            raise BadRequestError(f"profile {scope.profile.name}: {scope.missing}", param="scene")
        request = request_of([*messages, {"role": "user", "content": query}])
        now = self.clock.now()
        log = log_messages(request, said_at=now)
        found = await self._prompts.context(
            prompt_recall(request, log, scope, self.settings), scope, turns_wanted(log, scope, conversation)
        )
        if use:
            self._parts.metrics.retrieved += len(found.items)
            for subject in {item.memory.subject for item in found.items}:
                ids = [item.memory.id for item in found.items if item.memory.subject == subject]
                await self._store.note_uses(subject, ids, now)
        return found
