"""LangGraph's `BaseStore` on ToldOnce. Needs the extra `langgraph`; works through the engine.

An item is a note, and a namespace the shared subject that has it. A note's text is the item's value as JSON, which is
what a query searches, and then its key. Its type is a hash of the key, by which it is found.
"""

import json
from collections.abc import Callable, Iterable, Mapping, Sequence
from dataclasses import dataclass
from hashlib import blake2b
from typing import Any
from urllib.parse import quote, unquote

from langgraph.store.base import (
    BaseStore,
    GetOp,
    InvalidNamespaceError,
    Item,
    ListNamespacesOp,
    MatchCondition,
    Op,
    PutOp,
    Result,
    SearchItem,
    SearchOp,
)

from toldonce.engine import AsyncToldOnce
from toldonce.engine.recorder import MAX_NOTE_CHARACTERS
from toldonce.integrations.opened_memory import OpenedMemory
from toldonce.sync import ToldOnce
from toldonce.text import clean, squeeze
from toldonce.types import Memory, MemoryKind, MemoryTraits, Subject

MAX_RANKED = 200
"""Items of a namespace that a query ranks; further ones follow without a score."""
_PAGE = 1000
_NOTES = (MemoryKind.NOTE,)
_ITEM = "item:"
_KEY, _UNINDEXED_KEY = " [key ", " [unindexed key "
_COMPARISONS: Mapping[str, Callable[[Any, Any], bool]] = {
    "$gt": lambda known, wanted: known > wanted,
    "$gte": lambda known, wanted: known >= wanted,
    "$lt": lambda known, wanted: known < wanted,
    "$lte": lambda known, wanted: known <= wanted,
}

Namespace = tuple[str, ...]


class ToldOnceStore(BaseStore):
    """Give it to `compile(store=…)` or `create_agent(store=…)`, with and without asyncio."""

    supports_ttl = False

    def __init__(self, memory: ToldOnce | AsyncToldOnce, *, name: str = "langgraph", profile: str = "default") -> None:
        """Keep items in a memory.

        Args:
            memory: An open `ToldOnce`, which serves both kinds of callers, or an `AsyncToldOnce`; also of a server.
            name: Name of the store: stores of other names in the same database are apart.
            profile: Profile whose capacity and retention apply to items, and by which a query ranks them.
        """
        self._memory = OpenedMemory(memory)
        self._root = f"{quote(name, safe='')}/"
        self._profile = profile

    def batch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in their order.

        Raises:
            TypeError: the memory is an `AsyncToldOnce`.
            ValueError: an item cannot be kept as JSON, or is too long.
            NotImplementedError: an item is to expire, or to be found by some of its fields only.
        """
        return self._memory.run(self._all(list(ops)))

    async def abatch(self, ops: Iterable[Op]) -> list[Result]:
        """Carry out operations in their order: see `batch`."""
        return await self._memory.wait(self._all(list(ops)))

    def subject(self, namespace: Namespace) -> Subject:
        """Return the subject that has the items of a namespace: to subscribe users to it, or to erase it.

        Raises:
            InvalidNamespaceError: it is empty, or has a label that is empty or no string.
            BadSubjectError: it is too long.
        """
        if not namespace or not all(isinstance(label, str) and label for label in namespace):
            raise InvalidNamespaceError(f"the namespace is {namespace!r}; it needs labels, which are strings")
        return Subject("shared", self._root + _joined(namespace))

    async def _all(self, ops: Sequence[Op]) -> list[Result]:
        return [await self._one(op) for op in ops]

    async def _one(self, op: Op) -> Result:
        match op:
            case GetOp():
                known = _read(op.namespace, await self._notes(self.subject(op.namespace), op.key))
                return known[0].item() if known else None
            case SearchOp():
                return await self._search(op)
            case ListNamespacesOp():
                return await self._list_namespaces(op)
            case PutOp(value=None):
                await self._delete(op)
            case PutOp():
                await self._put(op)
            case _:
                raise ValueError(f"{type(op).__name__} is no operation of a store")
        return None

    async def _put(self, op: PutOp) -> None:
        if op.ttl is not None:
            raise NotImplementedError(f"ttl is {op.ttl}: items of ToldOnce do not expire; delete them")
        if op.index:
            raise NotImplementedError(
                f"index is {op.index}: a query searches the whole value; leave index out, or pass False for no search"
            )
        subject, text = self.subject(op.namespace), _written(op)
        known = await self._notes(subject, op.key)
        if known:
            await self._memory.engine.correct(known[0].id, text, user=subject)
        else:
            await self._memory.engine.add(text, user=subject, type=_type_of(op.key), profile=self._profile)

    async def _delete(self, op: PutOp) -> None:
        subject = self.subject(op.namespace)
        for note in await self._notes(subject, op.key):
            await self._memory.engine.erase(note.id, user=subject)

    async def _search(self, op: SearchOp) -> list[SearchItem]:
        end = op.offset + op.limit
        namespaces = await self._namespaces(op.namespace_prefix)
        found = await self._ranked(namespaces, op) if op.query else []
        if len(found) < end:
            most = None if op.filter or found else end
            listed = [
                stored
                for namespace, subject in namespaces
                for stored in _read(namespace, await self._notes(subject, limit=most))
                if _fits(stored.value, op.filter)
            ]
            ranked = {(stored.namespace, stored.key) for stored in found}
            rest = [stored for stored in listed if (stored.namespace, stored.key) not in ranked]
            found += sorted(rest, key=lambda stored: stored.note.id, reverse=True)
        return [stored.search_item() for stored in found[op.offset : end]]

    async def _ranked(self, namespaces: Sequence[tuple[Namespace, Subject]], op: SearchOp) -> "list[_Stored]":
        found: list[_Stored] = []
        for namespace, subject in namespaces:
            recall = await self._memory.engine.search(
                op.query or "", user=subject, limit=MAX_RANKED, profile=self._profile
            )
            scores = {hit.memory.id: hit.score for hit in recall.items if hit.memory.subject == subject}
            notes = [hit.memory for hit in recall.items if hit.memory.id in scores]
            for stored in _read(namespace, sorted(notes, key=lambda note: note.id, reverse=True)):
                if stored.is_indexed and _fits(stored.value, op.filter):
                    stored.score = scores[stored.note.id]
                    found.append(stored)
        return sorted(found, key=lambda stored: stored.score or 0.0, reverse=True)

    async def _list_namespaces(self, op: ListNamespacesOp) -> list[Namespace]:
        conditions = op.match_conditions or ()
        found = set[Namespace]()
        for namespace, subject in await self._namespaces(_known_prefix(conditions)):
            is_wanted = all(_matches(condition, namespace) for condition in conditions)
            if is_wanted and _read(namespace, await self._notes(subject, limit=1)):
                found.add(namespace[: op.max_depth])
        return sorted(found)[op.offset : op.offset + op.limit]

    async def _namespaces(self, prefix: Namespace) -> list[tuple[Namespace, Subject]]:
        """Return a namespace and those below it, each with its subject; some may have no items."""
        found = [(prefix, self.subject(prefix))] if prefix else []
        start = self._root + (f"{_joined(prefix)}/" if prefix else "")
        place = f"shared:{start}"
        while page := await self._memory.engine.admin.subjects(after=place, limit=_PAGE):
            for subject in page:
                if subject.kind != "shared" or not subject.name.startswith(start):
                    return found
                labels = subject.name.removeprefix(self._root).split("/")
                found.append((tuple(unquote(label, errors="surrogatepass") for label in labels), subject))
            place = page[-1].text
        return found

    async def _notes(self, subject: Subject, key: str | None = None, *, limit: int | None = None) -> list[Memory]:
        """Return the notes of items, newest first: those of a key, or of all keys; at most `limit`."""
        where = MemoryTraits(type=_type_of(key) if key is not None else "")
        found: list[Memory] = []
        size, after = min(limit or _PAGE, _PAGE), None
        while limit is None or len(found) < limit:
            page = await self._memory.engine.list(user=subject, kinds=_NOTES, where=where, after=after, limit=size)
            found += [note for note in page if note.type.startswith(_ITEM)]
            if len(page) < size:
                break
            after = page[-1].id
        return found


@dataclass(slots=True)
class _Stored:
    """An item and the note that keeps it."""

    namespace: Namespace
    key: str
    value: dict[str, Any]
    is_indexed: bool
    note: Memory
    score: float | None = None

    def item(self) -> Item:
        """Return it as a read returns it."""
        return Item(
            namespace=self.namespace,
            key=self.key,
            value=self.value,
            created_at=self.note.valid_from,
            updated_at=self.note.known_from,
        )

    def search_item(self) -> SearchItem:
        """Return it as a search returns it."""
        return SearchItem(
            namespace=self.namespace,
            key=self.key,
            value=self.value,
            created_at=self.note.valid_from,
            updated_at=self.note.known_from,
            score=self.score,
        )


def _type_of(key: str) -> str:
    return _ITEM + blake2b(key.encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


def _written(op: PutOp) -> str:
    """Return the text of an item's note.

    It ends in a hash: notes that differ in case and punctuation alone are one, and items are not.

    Raises:
        ValueError: the value is no JSON, or too long.
    """
    try:
        said = json.dumps(op.value, ensure_ascii=False, allow_nan=False)
    except (TypeError, ValueError, RecursionError) as error:
        raise ValueError(f"the value of {op.key!r} in {op.namespace} cannot be kept as JSON: {error}") from None
    key = json.dumps(op.key, ensure_ascii=False)
    mark = blake2b(f"{key}{said}".encode("utf-8", "surrogatepass"), digest_size=4).hexdigest()
    text = _storable(f"{said}{_UNINDEXED_KEY if op.index is False else _KEY}{key}, {mark}]")
    if len(text) > MAX_NOTE_CHARACTERS:
        raise ValueError(
            f"the value of {op.key!r} in {op.namespace} has {len(said):,} characters as JSON; "
            f"an item has at most {MAX_NOTE_CHARACTERS:,} with its key: keep it in parts"
        )
    return text


def _storable(text: str) -> str:
    """Escape in JSON what notes do not keep: runs of white space, unusual blanks, lone surrogates."""
    if squeeze(clean(text)) == text:
        return text
    kept: list[str] = []
    for sign in text:
        is_kept = sign != kept[-1] if sign == " " and kept else not sign.isspace() and clean(sign) == sign
        kept.append(sign if is_kept else f"\\u{ord(sign):04x}")
    return "".join(kept)


def _read(namespace: Namespace, notes: Iterable[Memory]) -> list[_Stored]:
    """Return the items of notes, which come newest first; a note that was rewritten by hand is none."""
    found: dict[str, _Stored] = {}
    decoder = json.JSONDecoder()
    for note in notes:
        try:
            value, end = decoder.raw_decode(note.text)
            key, _ = decoder.raw_decode(note.text, note.text.index('"', end))
        except ValueError:
            continue
        if note.type == _type_of(key):
            is_indexed = note.text.startswith(_KEY, end)
            found.setdefault(key, _Stored(tuple(namespace), key, value, is_indexed, note))
    return list(found.values())


def _joined(namespace: Namespace) -> str:
    return "/".join(quote(label, safe="", errors="surrogatepass") for label in namespace)


def _known_prefix(conditions: Iterable[MatchCondition]) -> Namespace:
    """Return the labels that all matching namespaces begin with."""
    prefixes = [tuple(each.path) for each in conditions if each.match_type == "prefix"]
    return max((path[: path.index("*")] if "*" in path else path for path in prefixes), key=len, default=())


def _matches(condition: MatchCondition, namespace: Namespace) -> bool:
    path = tuple(condition.path)
    if len(namespace) < len(path):
        return False
    part = namespace[: len(path)] if condition.match_type == "prefix" else namespace[len(namespace) - len(path) :]
    return all(wanted in ("*", label) for wanted, label in zip(path, part, strict=True))


def _fits(value: Mapping[str, Any], wanted: Mapping[str, Any] | None) -> bool:
    """Return whether fields of a value are as a filter wants them: equal, or by operators."""
    return all(_has(value.get(name), what) for name, what in (wanted or {}).items())


def _has(known: Any, wanted: Any) -> bool:
    if isinstance(wanted, dict) and any(name.startswith("$") for name in wanted):
        return all(_holds(known, operator, what) for operator, what in wanted.items())
    if isinstance(wanted, dict):
        return isinstance(known, dict) and _fits(known, wanted)
    if isinstance(wanted, list | tuple):
        same = isinstance(known, list) and len(known) == len(wanted)
        return same and all(map(_has, known, wanted))
    return bool(known == wanted)


def _holds(known: Any, operator: str, wanted: Any) -> bool:
    if operator in ("$eq", "$ne"):
        return bool((known == wanted) == (operator == "$eq"))
    if operator not in _COMPARISONS:
        raise ValueError(f"the filter has the operator {operator}; there are $eq, $ne, {', '.join(_COMPARISONS)}")
    try:
        return _COMPARISONS[operator](float(known), float(wanted))
    except (TypeError, ValueError):  # dates as ISO writes them are compared as text
        return isinstance(known, str) and isinstance(wanted, str) and _COMPARISONS[operator](known, wanted)
