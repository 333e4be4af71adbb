"""What `toldonce doctor` finds of users: several ids that look like one person, and merges that were interrupted."""

import shlex
from collections import defaultdict
from collections.abc import Iterable
from itertools import chain
from unicodedata import normalize

from toldonce.engine import AsyncToldOnce
from toldonce.plural import plural
from toldonce.server.findings import Finding, warn

_WHAT = "users"
MAX_USERS = 1_000
"""Users without a tenant whose names are compared, the first by name."""
_MAX_SHOWN = 3
_MARKS = str.maketrans("", "", " ._-+\t")


async def user_findings(engine: AsyncToldOnce) -> list[Finding]:
    """Report users who may be one person, and merges that did not end."""
    merges = await engine.admin.merges()
    findings = [
        warn(
            _WHAT,
            f"the memory of {merge.source.text} is not copied to {merge.target.text} yet",
            f"run `toldonce merge-user {shlex.quote(merge.source.text)} {shlex.quote(merge.target.text)}` again",
        )
        for merge in merges
        if merge.joined_at is None
    ][:_MAX_SHOWN]
    merged = {merge.source for merge in merges}
    subjects = await engine.admin.subjects(after="user:", limit=MAX_USERS, tenant="")
    alike = look_alikes(user.name for user in subjects if user.kind == "user" and user not in merged)
    if alike:
        shown = "; ".join(", ".join(names[:_MAX_SHOWN]) for names in alike[:_MAX_SHOWN])
        first = " ".join(shlex.quote(name) for name in (alike[0][1], alike[0][0]))
        findings.append(
            warn(
                _WHAT,
                f"{plural(len(alike), 'group')} of ids may be one person each, who has several memories: {shown}",
                f"if so, `toldonce merge-user {first}`",
            )
        )
    return findings


def look_alikes(names: Iterable[str]) -> list[list[str]]:
    """Return groups of names that differ in case, spaces, marks or a mail domain alone. Pure.

    Names at two domains are two people's, as `ana` at either may be.

    >>> look_alikes(["Ana.Lee", "ana lee", "ana_lee@example.org", "ben", "bo@a.org", "bo@b.org"])
    [['Ana.Lee', 'ana lee', 'ana_lee@example.org']]
    """
    groups: defaultdict[str, dict[str, list[str]]] = defaultdict(lambda: defaultdict(list))
    for name in names:
        local, _, domain = normalize("NFKC", name).casefold().rpartition("@")
        own = local or domain
        groups[own.translate(_MARKS) or own][domain if local else ""].append(name)
    found: list[list[str]] = []
    for by_domain in groups.values():
        together = len(by_domain.keys() - {""}) <= 1
        candidates = [[*chain(*by_domain.values())]] if together else list(by_domain.values())
        found += [sorted(group) for group in candidates if len(group) > 1]
    return sorted(found)
