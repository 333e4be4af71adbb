"""`memory.embedder` over HTTP: what can be seen and resumed from afar. Asks one server."""

from collections.abc import Callable

from toldonce.engine.embedder import EmbedderService, EmbedderStatus
from toldonce.engine.results import silent
from toldonce.maintenance.reembed import ReembedProgress
from toldonce.providers.embedder_loader import EmbedderTrial
from toldonce.remote import values
from toldonce.remote.client import LONG_TIMEOUT_S, Call
from toldonce.remote.over_http import RemoteService, over_http, plain
from toldonce.remote.progress import last_line
from toldonce.remote.unavailable import unavailable
from toldonce.types import EmbedderSpec, ReembedReport


class RemoteEmbedderService(RemoteService, EmbedderService):
    """The embedder in use; another one is chosen on the server."""

    status = over_http("getEmbedder", plain(EmbedderStatus), timeout_s=LONG_TIMEOUT_S)
    check = over_http("checkEmbedder")

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
