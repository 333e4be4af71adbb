"""`memory.erasure` over HTTP. Asks one server."""

from collections.abc import Sequence

from toldonce.engine.erasure import ErasureService
from toldonce.errors import BadRequestError
from toldonce.remote.client import LONG_TIMEOUT_S
from toldonce.remote.over_http import RemoteService, field, flag, over_http, receipt


def _check_seqs(seqs: Sequence[int], **_: object) -> None:
    if not seqs:
        raise BadRequestError("no message is named: to erase all, erase the conversation", param="seqs")


class RemoteErasureService(RemoteService, ErasureService):
    """Erasing more than one memory."""

    messages = over_http("eraseMessages", receipt, names={"seqs": "seq"}, check=_check_seqs, timeout_s=LONG_TIMEOUT_S)
    conversation = over_http("eraseConversation", receipt, timeout_s=LONG_TIMEOUT_S)
    subject = over_http("eraseSubject", receipt, timeout_s=LONG_TIMEOUT_S)
    finish = over_http("finishErasures", field("done", flag), timeout_s=LONG_TIMEOUT_S)
