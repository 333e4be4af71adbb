"""`memory.traces` over HTTP. Asks one server."""

from toldonce.clock import to_micros
from toldonce.engine.prompt_traces import TraceService
from toldonce.remote import values
from toldonce.remote.client import RestClient
from toldonce.remote.over_http import RemoteService, over_http
from toldonce.types import TracePlace


def _cursor(place: TracePlace | None, client: RestClient) -> str | None:
    """Return a place as the server's cursors write it."""
    return None if place is None else f"{to_micros(place[0])}.{place[1]}"


_PLACES = {"before": _cursor, "after": _cursor}


class RemoteTraceService(RemoteService, TraceService):
    """Traces of recorded requests."""

    list = over_http(
        "listSubjectTraces", values.request_trace, pages="traces", names={"before": "cursor"}, send=_PLACES
    )
    list_all = over_http("listTraces", values.request_trace, pages="traces", names={"before": "cursor"}, send=_PLACES)
    get = over_http("getTrace", values.trace_detail)
