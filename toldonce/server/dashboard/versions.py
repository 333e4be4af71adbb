"""The versions of a memory, each with what changed from the one before. Reads the REST API."""

from collections.abc import Mapping
from itertools import pairwise
from typing import Any

from toldonce.server.dashboard.page import PageRequest
from toldonce.server.dashboard.rest_client import RestError
from toldonce.server.dashboard.word_diff import word_diff

MAX_STEPS = 8
"""How far it goes back, and forward."""


async def read_versions(request: PageRequest, why: Mapping[str, Any]) -> list[dict[str, Any]]:
    """Return what a memory replaced, the memory, and what replaced it, oldest first; empty if it is the only version.

    Each is a memory with `pieces`: its words, and those of the version before that are gone.
    """
    earlier = await _walk(request, why, "replaced")
    later = await _walk(request, why, "replaced_by")
    chain = [*reversed(earlier), why["memory"], *later]
    if len(chain) == 1:
        return []
    versions = [{"memory": chain[0], "pieces": [("same", _words(chain[0]))]}]
    for old, new in pairwise(chain):
        versions.append({"memory": new, "pieces": word_diff(_words(old), _words(new))})
    return versions


async def _walk(request: PageRequest, why: Mapping[str, Any], direction: str) -> list[Mapping[str, Any]]:
    found: list[Mapping[str, Any]] = []
    seen = {why["memory"]["id"]}
    while len(found) < MAX_STEPS:
        ids = [id_ for id_ in why[direction] if id_ not in seen]
        if not ids:
            break
        seen.add(ids[-1])
        try:
            why = await request.rest.get("subjects", request.subject, "memories", ids[-1], "why")
        except RestError:  # erased meanwhile
            break
        found.append(why["memory"])
    return found


def _words(memory: Mapping[str, Any]) -> str:
    return str(memory["text"] or memory["summary"])
