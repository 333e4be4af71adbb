"""`memory.erasure` over HTTP. Asks one server."""

from collections.abc import Sequence

from toldonce.engine.erasure import ErasureService
from toldonce.engine.remote import values
from toldonce.engine.remote.client import LONG_TIMEOUT_S, Call, RestClient
from toldonce.errors import BadRequestError, UnknownConversationError
from toldonce.types import EraseReceipt, Subject


class RemoteErasureService(ErasureService):
    """Erasing more than one memory."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def messages(
        self,
        conversation: str,
        seqs: Sequence[int],
        *,
        user: str | Subject | None = None,
        everywhere: bool = False,
    ) -> EraseReceipt:
        """Erase messages of a conversation: see `ErasureService.messages`."""
        if not seqs:
            raise BadRequestError("no message is named: to erase all, erase the conversation", param="seqs")
        query = {"seq": list(seqs), "everywhere": everywhere}
        return await self._erase(user, self._path(conversation, user, "messages"), query)

    async def conversation(
        self, conversation: str, *, user: str | Subject | None = None, everywhere: bool = False
    ) -> EraseReceipt:
        """Erase all messages of a conversation: see `ErasureService.conversation`."""
        return await self._erase(user, self._path(conversation, user), {"everywhere": everywhere})

    async def subject(self, user: str | Subject, *, everywhere: bool = False) -> EraseReceipt:
        """Erase everything about a user or another subject: see `ErasureService.subject`."""
        return await self._erase(user, self._client.path(user), {"everywhere": everywhere})

    async def finish(self, *, rewrite: bool = False) -> bool:
        """Finish pending erasures; this needs an operator's key. See `ErasureService.finish`."""
        body = {"rewrite": rewrite}
        call = Call(method="POST", path="/v1/maintenance/erasures", body=body, timeout_s=LONG_TIMEOUT_S)
        return bool((await self._client.ask(call))["done"])

    async def _erase(self, user: str | Subject | None, path: str, query: dict[str, object]) -> EraseReceipt:
        call = Call(method="DELETE", path=path, query=query, writes=True, timeout_s=LONG_TIMEOUT_S)
        return values.receipt(await self._client.ask(call), self._client.subject(user))

    def _path(self, conversation: str, user: str | Subject | None, *steps: str) -> str:
        if not conversation:
            raise UnknownConversationError(conversation)
        return self._client.path(user, "conversations", conversation, *steps)
