"""`memory.embedder` over HTTP: what can be seen and resumed from afar. Asks one server."""

from collections.abc import Callable

from toldonce.engine.embedder import EmbedderService, EmbedderStatus
from toldonce.engine.remote import values
from toldonce.engine.remote.client import LONG_TIMEOUT_S, Call, RestClient
from toldonce.engine.remote.progress import last_line
from toldonce.engine.remote.unavailable import unavailable
from toldonce.engine.results import silent
from toldonce.maintenance.reembed import ReembedProgress
from toldonce.providers.embedder_loader import EmbedderTrial
from toldonce.types import EmbedderSpec, ReembedReport


class RemoteEmbedderService(EmbedderService):
    """The embedder in use; another one is chosen on the server."""

    def __init__(self, client: RestClient) -> None:
        """Ask through a client."""
        self._client = client

    async def status(self) -> EmbedderStatus:
        """Return the embedder in use; this needs an operator's key. See `EmbedderService.status`."""
        raw = await self._client.ask(Call(method="GET", path="/v1/embedder", timeout_s=LONG_TIMEOUT_S))
        return values.read(EmbedderStatus, raw)

    async def check(self, text: str) -> None:
        """Embed a text with the embedder in use: see `EmbedderService.check`."""
        await self._client.ask(Call(method="POST", path="/v1/embedder/check", body={"text": text}))

    async def try_out(self, spec: EmbedderSpec) -> EmbedderTrial:
        """Refuse: the embedder's model is on the server."""
        raise unavailable("embedder.try_out")

    async def use(
        self, trial: EmbedderTrial, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Refuse: the embedder's model is on the server."""
        raise unavailable("embedder.use")

    async def reembed(
        self, *, dry_run: bool = False, tell: Callable[[ReembedProgress], None] = silent
    ) -> ReembedReport:
        """Resume an embedder change; this needs an operator's key. See `EmbedderService.reembed`."""
        body = {"dry_run": dry_run}
        call = Call(method="POST", path="/v1/embedder/reembed", body=body, timeout_s=LONG_TIMEOUT_S)

        def say(line: dict[str, int]) -> None:
            tell(ReembedProgress(done=line["done"], of=line["total"]))

        return values.read(ReembedReport, await last_line(self._client.stream(call), say, call))
