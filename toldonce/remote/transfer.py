"""`memory.transfer`, `apps`, `erasure` over HTTP: files go piece by piece. Asks one server; reads and writes files."""

import asyncio
from collections.abc import AsyncIterator, Sequence
from typing import Any, BinaryIO

from toldonce.engine.apps import AppService
from toldonce.engine.erasure import ErasureService
from toldonce.engine.results import NO_PROGRESS, AppMemoryPage
from toldonce.engine.transfer import TransferReport, TransferService
from toldonce.errors import BadRequestError, ServerUnreachableError
from toldonce.remote import values
from toldonce.remote.client import LONG_TIMEOUT_S, Call, RestClient
from toldonce.remote.over_http import RemoteService, each, field, flag, last_line, number, over_http, plain, receipt
from toldonce.types import AppRecord, AppSummary, ProgressReporter, Subject

# Bytes of a file that are in memory at a time.
_PIECE_BYTES = 256 * 1024


class RemoteTransferService(RemoteService, TransferService):
    """Export and import."""

    async def export_to(self, file: BinaryIO, *, user: str | Subject | None = None, everybody: bool = False) -> int:
        """Export a user, or everybody with an operator's key: see `TransferService.export_to`."""
        path = "/v1/export" if everybody else self._client.path(user, "export")
        lines, waiting = 0, bytearray()
        try:
            async for part in self._client.stream(Call(method="GET", path=path)):
                lines += part.count(b"\n")
                waiting += part
                if len(waiting) >= _PIECE_BYTES:
                    await asyncio.to_thread(file.write, bytes(waiting))
                    waiting.clear()
        except ServerUnreachableError as error:
            raise ServerUnreachableError(f"{error}: the file is incomplete", is_sent=error.is_sent) from None
        await asyncio.to_thread(file.write, bytes(waiting))
        return lines

    async def import_from(
        self,
        file: BinaryIO,
        *,
        progress: ProgressReporter = NO_PROGRESS,
        only_missing: bool = False,
        trusted: bool = False,
    ) -> TransferReport:
        """Import a file; this needs an operator's key. See `TransferService.import_from`.

        The file is read once. It is not sent a second time: after a failure, `only_missing` resumes.
        """
        call = Call(
            method="POST",
            path="/v1/import/progress",
            query={"only_missing": only_missing, "trusted": trusted},
            timeout_s=LONG_TIMEOUT_S,
        )

        def say(line: dict[str, Any]) -> None:
            if "phase" in line:
                progress.begin(line["phase"], line["unit"], line["total"])
            else:
                progress.reach(line["done"])

        answer = self._client.stream(call, lambda: _pieces(file))
        return values.read(TransferReport, (await last_line(answer, say, call))["report"])


async def _pieces(file: BinaryIO) -> AsyncIterator[bytes]:
    """Read a file from its beginning."""
    await asyncio.to_thread(file.seek, 0)
    while piece := await asyncio.to_thread(file.read, _PIECE_BYTES):
        yield piece


def _record(raw: dict[str, Any], client: RestClient) -> AppRecord:
    return values.read(AppRecord, {**raw, "subject": client.parsed(raw["subject"])})


def _page(raw: dict[str, Any], client: RestClient) -> AppMemoryPage:
    following = raw["next_cursor"]
    return AppMemoryPage(
        memories=tuple(values.memories(raw["memories"], client)),
        after=None if following is None else client.parsed(following).text,
    )


def _tenant(given: str, client: RestClient) -> str:
    """Return the tenant that is meant: without a name, that of the credential."""
    return given or client.tenant or ""


def _place_after(after: str, client: RestClient) -> str | None:
    return client.named(Subject.parse(after)) if after else None


_ERASED = field("erased", number)


class RemoteAppService(RemoteService, AppService):
    """Apps and their memories."""

    register = over_http("registerApp", _record)
    list = over_http(
        "listApps",
        field("apps", each(plain(AppSummary))),
        names={"after": "cursor"},
        send={"tenant": _tenant, "after": lambda after, client: after or None},
    )
    remove = over_http("removeApp", _ERASED)
    memories = over_http("listAppMemories", field("memories", each(values.memory)))
    delete_memory = over_http("eraseAppMemory")
    delete_memories = over_http("eraseAppMemories", _ERASED)
    memories_of_all_users = over_http(
        "listAppMemoriesOfAllUsers", _page, names={"after": "cursor"}, send={"tenant": _tenant, "after": _place_after}
    )
    delete_memories_of_all_users = over_http("eraseAppMemoriesOfAllUsers", _ERASED, send={"tenant": _tenant})
    delete_memory_of_all_users = over_http("eraseAppMemoryOfAllUsers", send={"tenant": _tenant})
    remove_for_all_users = over_http("removeAppForAllUsers", _ERASED, send={"tenant": _tenant})

    async def count(self, app: str, *, user: str | Subject | None = None) -> int:
        """Count an app's active memories: see `AppService.count`."""
        return len(await self.memories(app, user=user))


def _check_seqs(seqs: Sequence[int], **_: object) -> None:
    if not seqs:
        raise BadRequestError("no message is named: to erase all, erase the conversation", param="seqs")


class RemoteErasureService(RemoteService, ErasureService):
    """Erasing more than one memory."""

    messages = over_http("eraseMessages", receipt, names={"seqs": "seq"}, check=_check_seqs, timeout_s=LONG_TIMEOUT_S)
    conversation = over_http("eraseConversation", receipt, timeout_s=LONG_TIMEOUT_S)
    subject = over_http("eraseSubject", receipt, timeout_s=LONG_TIMEOUT_S)
    finish = over_http("finishErasures", field("done", flag), timeout_s=LONG_TIMEOUT_S)
