"""`memory.health` over HTTP. Asks one server."""

from datetime import datetime
from typing import Any

from toldonce.clock import to_micros
from toldonce.engine.health import HealthService
from toldonce.remote import values
from toldonce.remote.client import RestClient
from toldonce.remote.over_http import AFTER_ID, RemoteService, over_http
from toldonce.types import MemoryPair, NearDuplicates


def _pair(raw: dict[str, Any], client: RestClient) -> MemoryPair:
    both = {name: values.memory(raw[name], client) for name in ("newer", "older")}
    return values.read(MemoryPair, {**raw, **both})


def _near_duplicates(raw: dict[str, Any], client: RestClient) -> NearDuplicates:
    pairs = tuple(_pair(pair, client) for pair in raw["pairs"])
    return NearDuplicates(pairs=pairs, compared=raw["compared"], after=raw["next_cursor"])


def _place(before: tuple[datetime, str] | None, client: RestClient) -> str | None:
    return None if before is None else f"{to_micros(before[0])}.{before[1]}"


class RemoteHealthService(RemoteService, HealthService):
    """Memories that may need a look."""

    never_recalled = over_http("listNeverRecalled", values.memory, pages="memories", **AFTER_ID)
    idle = over_http("listIdle", values.memory, pages="memories", **AFTER_ID)
    replaced = over_http("listReplaced", _pair, pages="pairs", names={"before": "cursor"}, send={"before": _place})
    held_conflicts = over_http("listHeldConflicts", _pair, pages="pairs", **AFTER_ID)
    near_duplicates = over_http("listNearDuplicates", _near_duplicates, **AFTER_ID)
