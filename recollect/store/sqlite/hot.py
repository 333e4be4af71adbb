"""All active memories of a subject as arrays, kept for as long as its version stands. Works on a connection; locks."""

import threading
from bisect import bisect_left
from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import replace
from datetime import datetime

import apsw

from recollect.clock import to_micros
from recollect.ids import id_bytes
from recollect.store.sqlite.arrays import size_of, unpack
from recollect.store.sqlite.delta import merge
from recollect.store.sqlite.rows import fetch
from recollect.store.sqlite.statements import load
from recollect.store.sqlite.subjects import salt_of, space_of, version_of
from recollect.types import Hot, MemoryId, Subject

SQL = load("memory")
_NO_SPACE = (0, 0)
# From so many memories on, merging what changed is clearly quicker than reading all: 0.4 against 1.2 ms here, a tenth
# of the time at 10,000.
LEAST_MERGED = 256


class HotCache:
    """The subjects read last, up to so many bytes. Safe to use from several threads."""

    def __init__(self, most_bytes: int) -> None:
        """Keep up to `most_bytes`; 0 keeps nothing."""
        self._most_bytes = most_bytes
        self._bytes = 0
        self._lock = threading.Lock()
        self._kept: OrderedDict[tuple[int, str], Hot] = OrderedDict()

    def get(self, subject: Subject, space: str) -> Hot | None:
        """Return what is kept; whether its version still stands is for the caller to see."""
        key = (subject.key, space)
        with self._lock:
            found = self._kept.get(key)
            if found is not None:
                self._kept.move_to_end(key)
            return found

    def put(self, space: str, hot: Hot) -> None:
        """Keep a subject; what was used longest ago makes room for it."""
        size = size_of(hot)
        if size > self._most_bytes:
            return
        key = (hot.subject.key, space)
        with self._lock:
            known = self._kept.get(key)
            if known is not None and known.version > hot.version:
                return
            self._drop(key)
            self._kept[key] = hot
            self._bytes += size
            while self._bytes > self._most_bytes:
                self._drop(next(iter(self._kept)))

    def forget(self, subject: Subject) -> None:
        """Keep nothing of a subject any more."""
        with self._lock:
            for key in [key for key in self._kept if key[0] == subject.key]:
                self._drop(key)

    def note_uses(self, subject: Subject, ids: Sequence[MemoryId], at: datetime) -> None:
        """Count a use of each memory in what is kept: uses move no version."""
        with self._lock:
            for (key, space), hot in list(self._kept.items()):
                if key == subject.key:
                    self._kept[(key, space)] = _used(hot, ids, to_micros(at))

    def _drop(self, key: tuple[int, str]) -> None:
        gone = self._kept.pop(key, None)
        if gone is not None:
            self._bytes -= size_of(gone)


def _used(hot: Hot, ids: Sequence[MemoryId], at: int) -> Hot:
    uses, last_used_at = hot.uses.copy(), hot.last_used_at.copy()
    for memory in ids:
        id_ = id_bytes(memory)
        if id_ is None:
            continue
        place = bisect_left(hot.ids, id_)
        if place < len(hot.ids) and hot.ids[place] == id_:
            uses[place] += 1
            last_used_at[place] = max(last_used_at[place], at)
    return replace(hot, uses=uses, last_used_at=last_used_at)


def read_hot(db: apsw.Connection, subject: Subject, space: str, *, cache: HotCache, term_key: bytes) -> Hot:
    """Read a subject's active memories, from the cache where they have not changed: see `Store.hot`."""
    kept = cache.get(subject, space)
    if kept is not None and kept.version == version_of(db, subject):
        return kept
    changed, rows = None, []
    with db:  # one snapshot for version and rows
        version = version_of(db, subject)
        number, dim = space_of(db, space) or _NO_SPACE
        if version is not None:
            changed = _changed(db, kept, version, dim)
            if kept is None or changed is None:
                rows = fetch(db, SQL["hot"], subject.key, number)
            else:
                rows = fetch(db, SQL["hot_changed"], subject.key, number, kept.version)
    hot = unpack(subject, version or 0, salt_of(term_key, subject), dim, rows)
    if version is None:
        return hot
    if kept is not None and changed is not None:
        hot = merge(kept, hot, changed)
    cache.put(space, hot)
    return hot


def _changed(db: apsw.Connection, kept: Hot | None, version: int, dim: int) -> list[bytes] | None:
    """Return the memories that changed since `kept`; None where reading all of them is as well.

    Each change leaves its version on the memory's row. What takes rows away without a trace (erasing) must not rely on
    this: it has to make the caches read anew.
    """
    if kept is None or kept.version >= version or len(kept) < LEAST_MERGED or kept.vectors.shape[1] != dim:
        return None
    rows = fetch(db, SQL["changed"], kept.subject.key, kept.version, len(kept) // 4)
    return [row[0] for row in rows] if len(rows) < len(kept) // 4 else None
