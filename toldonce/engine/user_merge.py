"""Merge two users who are one person, and undo it. Reads and writes the database.

Requests of the source are sent to the target first, and a moment later, when all processes know, its memory is copied,
a portion at a time. Until the copy is complete, recall reads what rests of the source, too. It stays as it was; what
the target's owner had forgotten does not come back with the copy. Killed in between, the same call goes on.
"""

import asyncio
from collections.abc import Callable, Sequence
from contextlib import closing
from datetime import datetime

from toldonce.clock import EPOCH
from toldonce.collector import full_collections_postponed
from toldonce.concurrency import retry_while_stale
from toldonce.engine.components import FRESH_S, Components
from toldonce.engine.keys import act
from toldonce.engine.transfer import open_end_of
from toldonce.engine.user_copy import UserCopier
from toldonce.errors import BadRequestError, StoreUnavailableError
from toldonce.formation.forget import forget_by_hand
from toldonce.formation.forgotten_words import ENDED_BY_HAND, FORGOTTEN
from toldonce.formation.restoration import restore
from toldonce.formation.runtime import Runtime
from toldonce.ids import id_text, new_id
from toldonce.maintenance.pace import Pace, PausedError
from toldonce.store.sql.transfer.endpoint import CopyEndpoint, EndpointMode
from toldonce.store.sql.user_merge import MAX_PORTION, EndLine, MergeUndo
from toldonce.text import bare
from toldonce.types import (
    NO_VECTORS,
    Action,
    Change,
    CloseMemory,
    Decision,
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    Subject,
    UserAlias,
    UserMergeReport,
)

Words = tuple[str, str, str]
SETTLE_S = 2 * FRESH_S
"""How long a merge waits for other processes to learn of it, in seconds."""
# Times that a copy begins again because something was erased or ended in the source meanwhile.
_MAX_ATTEMPTS = 8
_ENDED = (*ENDED_BY_HAND, "it is to be forgotten")
_BEFORE = "before another user was merged into this one"
_UNDONE = "the merge of {source} into {target} was undone"


class UserMerger:
    """Merges users, and takes that back."""

    def __init__(self, components: Components, runtime: Runtime, stop: Callable[[], bool]) -> None:
        self._components = components
        self._store = components.store
        self._runtime = runtime
        self._stop = stop

    async def aliases(self) -> list[UserAlias]:
        """List who is merged into whom, by name."""
        return await self._store.aliases.list()

    async def merge(self, source: str | Subject, target: str | Subject, *, actor: str) -> UserMergeReport:
        """Merge `source` into `target`: see `AdminService.merge_user`."""
        components = self._components
        alias = await self._alias(components.own_subject(source), components.own_subject(target), actor)
        await components.aliases.refresh(self._store.aliases, components.clock, at_once=True)
        await asyncio.sleep(SETTLE_S)
        await self._store.memories.flush_uses()
        users = {alias.source: alias.target}
        parts = await self._store.aliases.parts(alias.source)
        for source in parts:
            await self._store.aliases.take_over_ledger(source, source.of_other_users(users))
        with closing(open_end_of(components, EndpointMode.WRITE)) as end, end.speaking():
            try:
                with full_collections_postponed():
                    report = await self._copy(end, alias)
            except PausedError:
                why = (
                    f"the merge was stopped, as the database is being closed: {alias.source.text} reads the memory of "
                )
                raise StoreUnavailableError(f"{why}{alias.target.text} already; merge again to copy the rest") from None
        for source in parts:
            await self._forget_again(source, source.of_other_users(users))
            await self._store.aliases.wake_formations(source, users)
        if not await self._store.aliases.join(alias):
            raise BadRequestError(f"the merge of {alias.source.text} into {alias.target.text} was ended meanwhile")
        await components.aliases.refresh(self._store.aliases, components.clock, at_once=True)
        return report

    async def undo(self, source: str | Subject, *, actor: str) -> UserMergeReport:
        """Undo the merge of `source`: see `AdminService.undo_merge`."""
        components, store = self._components, self._store
        user = components.own_subject(source)
        found = await self.aliases()
        alias = next((alias for alias in found if alias.source == user), None)
        if alias is None:
            raise BadRequestError(f"{user.text} is not merged into another user", param="user")
        outer = next((other for other in found if other.source == alias.target), None)
        if outer is not None:
            raise BadRequestError(
                f"{alias.target.text} is merged into {outer.target.text} itself: undo that first", param="user"
            )
        parts = await store.aliases.parts(user)
        await self._end_what_was_forgotten(alias, parts)
        back = await self._replaced(alias, parts)
        await store.aliases.reopen(alias)
        await components.aliases.refresh(store.aliases, components.clock, at_once=True)
        dropped = await store.aliases.drop_copies(alias, parts)
        conversations, kept = await store.aliases.drop_conversations(alias, parts)
        for part in parts:
            await store.aliases.take_over_ledger(part.of_other_users({alias.source: alias.target}), part)
            await store.aliases.wake_formations(part, {})
        changes, decisions = await self._returning(alias, back)
        entry = act(components.clock, "users.undo_merge", actor=actor, tenant=user.tenant, target=str(user.key))
        undo = MergeUndo(
            alias=alias,
            parts=parts,
            changes=changes,
            decisions=decisions,
            memories=dropped,
            conversations=conversations,
            kept=kept,
            audit=entry,
        )
        report = await store.aliases.end(undo)
        await components.aliases.refresh(store.aliases, components.clock, at_once=True)
        return report

    async def _alias(self, source: Subject, target: Subject, actor: str) -> UserAlias:
        """Send requests of `source` to `target`, or to whom that was merged into."""
        for user in (source, target):
            if user.kind != "user":
                raise BadRequestError(f"{user.text} is no user: only users are merged", param="user")
        if source.tenant != target.tenant:
            raise BadRequestError(f"{source.text} and {target.text} are of two tenants, which never meet", param="into")
        found = {alias.source: alias for alias in await self.aliases()}
        while target in found:
            target = found[target].target
        if source == target:
            raise BadRequestError(f"{source.text} is read and written in that memory already", param="into")
        known = found.get(source)
        if known is not None and known.joined_at is None and known.target == target:
            return known
        clock = self._components.clock
        alias = UserAlias(source=source, target=target, at=clock.now(), joined_at=None)
        entry = act(clock, "users.merge", actor=actor, tenant=source.tenant, target=str(source.key))
        if known is not None or not await self._store.aliases.add(alias, entry):
            into = known.target if known is not None else target
            raise BadRequestError(
                f"{source.text} is merged into {into.text} already: `toldonce merge-user --undo` takes that back",
                param="user",
            )
        return alias

    async def _copy(self, end: CopyEndpoint, alias: UserAlias) -> UserMergeReport:
        """Copy the source's memory, and again what is missing where something was erased meanwhile."""
        copier = UserCopier(self._components, self._runtime, end, alias, Pace(self._stop))
        return await retry_while_stale(copier.copy, max_attempts=_MAX_ATTEMPTS)

    async def _forget_again(self, source: Subject, target: Subject) -> None:
        """Forget copies that say what was forgotten in `target` after they were said."""
        memories, runtime = self._store.memories, await self._runtime.for_subject(target)
        ids = {line.memory for line in await self._store.aliases.ended_since(target, EPOCH) if _is_by_hand(line)}
        ends: dict[Words, datetime] = {}
        for known in await memories.get_many(target, sorted(ids)):
            if known.closed_at is not None:
                ends[_words(known)] = max(known.closed_at, ends.get(_words(known), known.closed_at))
        if not ends:
            return
        snapshot = await self._store.snapshots.snapshot(target, runtime.embedder.space, vectors=NO_VECTORS)
        active = [MemoryId(id_text(id_)) for id_ in snapshot.ids]
        copies: dict[Words, list[Memory]] = {}
        for start in range(0, len(active), MAX_PORTION):
            for memory in await memories.get_many(source, active[start : start + MAX_PORTION]):
                copies.setdefault(_words(memory), []).append(memory)
        for words in ends.keys() & copies.keys():
            if max(map(_last_said, copies[words])) < ends[words]:  # else it was said again, and holds
                for copy in copies[words]:
                    [memory] = await memories.get_many(target, [copy.id])  # it may have ended with another
                    await forget_by_hand(runtime, memory, because=_BEFORE)

    async def _end_what_was_forgotten(self, alias: UserAlias, parts: Sequence[Subject]) -> None:
        """Close in the source what a person ended in the copy: undoing the merge does not bring it back."""
        now = self._components.clock.now()
        for source in parts:
            target = source.of_other_users({alias.source: alias.target})
            lines = await self._store.aliases.ended_since(target, alias.at)
            again = {line.memory for line in lines if line.reason == f"{FORGOTTEN}: {_BEFORE}"}
            ended = {
                line.memory: line.reason
                for line in lines
                if _is_by_hand(line) and again.isdisjoint((line.memory, line.cause))
            }
            known = [
                memory
                for memory in await self._store.memories.get_many(source, sorted(ended))
                if memory.state is MemoryState.ACTIVE
            ]
            if known:
                closes = [
                    CloseMemory(id=memory.id, valid_to=max(now, memory.valid_from), closed_at=now) for memory in known
                ]
                decisions = [self._decision(Action.CLOSE, memory, ended[memory.id]) for memory in known]
                await self._store.memories.apply(source, closes, decisions)

    async def _replaced(self, alias: UserAlias, parts: Sequence[Subject]) -> dict[Subject, list[MemoryId]]:
        """Return the ids of what copies closed, by subject."""
        found: dict[Subject, list[MemoryId]] = {}
        for source in parts:
            target = source.of_other_users({alias.source: alias.target})
            ids = await self._store.aliases.replaced_by_copies(source, target)
            if ids:
                found[target] = ids
        return found

    async def _returning(
        self, alias: UserAlias, back: dict[Subject, list[MemoryId]]
    ) -> tuple[dict[Subject, Sequence[Change]], dict[Subject, Sequence[Decision]]]:
        """Return what brings memories back whose slots are free now, and why."""
        changes: dict[Subject, Sequence[Change]] = {}
        decisions: dict[Subject, Sequence[Decision]] = {}
        why = _UNDONE.format(source=alias.source.text, target=alias.target.text)
        for subject, ids in back.items():
            filled = {(fact.category, fact.key) for fact in await self._store.memories.facts(subject)}
            closed: list[Memory] = []
            for memory in sorted(
                await self._store.memories.get_many(subject, ids), key=lambda memory: memory.valid_from, reverse=True
            ):
                slot = (memory.category, memory.key)
                if memory.state is not MemoryState.CLOSED or (memory.kind is MemoryKind.FACT and slot in filled):
                    continue
                closed.append(memory)
                filled |= {slot} if memory.kind is MemoryKind.FACT else set()
            if closed:
                restored = await restore(await self._runtime.for_subject(subject), closed)
                changes[subject] = (*restored.closes, *restored.reopened, *restored.added)
                decisions[subject] = [self._decision(Action.UNDO, memory, why) for memory in closed]
        return changes, decisions

    def _decision(self, action: Action, memory: Memory, reason: str) -> Decision:
        clock = self._components.clock
        return Decision(
            id=new_id(clock),
            subject=memory.subject,
            at=clock.now(),
            action=action,
            memory_id=memory.id,
            target_id=None,
            reason=reason,
            text="" if memory.kind is MemoryKind.TURN else memory.text,
        )


def _is_by_hand(line: EndLine) -> bool:
    """Return whether a person closed a memory, or asked for it."""
    return line.reason.startswith(_ENDED)


def _words(memory: Memory) -> Words:
    """Return what memories that say the same have in common."""
    if memory.kind is MemoryKind.FACT:
        return memory.category, memory.key, bare(memory.value)
    return "", "", bare(memory.text)


def _last_said(memory: Memory) -> datetime:
    return max((source.said_at for source in memory.evidence), default=memory.known_from)
