"""The finding of `toldonce doctor` on turns that hooks could not deliver. Reads their files' names and times."""

import os
from datetime import UTC, datetime

from toldonce.hook.spool import MAX_AGE_S, REFUSED, undelivered_turns
from toldonce.plural import plural
from toldonce.server.doctor import Finding, warn

_WHAT = "hooks"
# What is younger may be on its way.
_MIN_AGE_S = 60


def spool_finding(now: datetime | None = None) -> Finding | None:
    """Report the turns of agents that wait to be delivered, or were refused; None if there are none."""
    at = (now or datetime.now(UTC)).timestamp()
    times = {path: time for path in undelivered_turns() if (time := _modified(path)) is not None}
    refused = [path for path in times if path.endswith(REFUSED)]
    waiting = [time for path, time in times.items() if path not in refused and time <= at - _MIN_AGE_S]
    if not waiting and not refused:
        return None
    parts = []
    if waiting:
        since = datetime.fromtimestamp(min(waiting), UTC)
        parts.append(f"{plural(len(waiting), 'turn')} could not be delivered, the oldest at {since:%Y-%m-%d %H:%M} UTC")
    if refused:
        parts.append(f"{plural(len(refused), 'turn')} of hooks that memory refused")
    return warn(
        _WHAT,
        f"{'; '.join(parts)} ({os.path.dirname(next(iter(times)))})",
        f"start the server or free the database: the next hook delivers them; after {MAX_AGE_S // 86400} days they are "
        "dropped",
    )


def _modified(path: str) -> float | None:
    try:
        return os.stat(path).st_mtime
    except OSError:
        return None  # it was delivered meanwhile
