"""How much a subject may hold, and the energy of a compaction, booked before a formation. Uses the store."""

from collections.abc import Sequence, Set
from dataclasses import dataclass
from functools import lru_cache
from urllib.parse import unquote

import numpy as np
import numpy.typing as npt

from toldonce.formation.budgeted_model import BudgetedModel, units_of, with_budget
from toldonce.formation.runtime import Runtime
from toldonce.maintenance.retention import Capacity, strictest
from toldonce.profiles.overrides import with_overrides
from toldonce.profiles.policies import Profile
from toldonce.profiles.registry import ProfileRegistry
from toldonce.types import (
    NO_VECTORS,
    Change,
    ConversationId,
    CostPurpose,
    Lease,
    MemoryKind,
    Subject,
    SubjectSnapshot,
)

COUNTED_KINDS = (MemoryKind.NOTE, MemoryKind.FACT)
"""What counts against a subject's room."""
# Questions to a model in one commit: what one batch brings beyond that pushes out the oldest.
MAX_QUESTIONS = 3
_NUMBERS = [kind.number for kind in COUNTED_KINDS]


@dataclass(frozen=True, slots=True, kw_only=True)
class PlannedCommit:
    """What is about to be committed to one subject."""

    subject: Subject
    profile: str = ""
    """The one under which it was formed; empty where nothing is."""
    snapshot: SubjectSnapshot
    """What is known; the commit must check its version."""
    changes: Sequence[Change] = ()
    conversation: ConversationId | None = None
    ask: bool = True
    """Whether a model may be asked: not where asking came to nothing before."""
    compactor: BudgetedModel | None = None
    """The model that names what goes, where its energy was booked ahead."""


def counted_places(snapshot: SubjectSnapshot) -> npt.NDArray[np.intp]:
    """Return the places of the memories that count against the room."""
    return np.flatnonzero(np.isin(snapshot.kinds, _NUMBERS))


def count_places(snapshot: SubjectSnapshot) -> int:
    """Return the number of memories that count against the room."""
    return sum(int(np.count_nonzero(snapshot.kinds == number)) for number in _NUMBERS)


def session_of(subject: Subject) -> tuple[Subject, str] | None:
    """Return whose conversation a session's memory is of, and its id: its own settings may bound the room.

    It reads the name that `engine.scope.owned` gives a session.

    >>> session_of(Subject("session", "ana%2Fx/1"))
    (Subject(kind='user', name='ana/x', tenant=''), '1')
    """
    owner, slash, name = subject.name.partition("/")
    if subject.kind != "session" or not (owner and slash and name):
        return None
    kind, colon, of = owner.partition(":")
    whose = Subject(kind, unquote(of), subject.tenant) if colon else Subject("user", unquote(owner), subject.tenant)
    return whose, name


def governing_profiles(kind: str, formed_under: Set[str], shelf: ProfileRegistry) -> list[Profile]:
    """Return the profiles whose policies hold for a subject of a kind: those that formed its notes and facts.

    Where that is `default` alone, for instance because all was added by hand, the profile that is shipped for the
    subject's kind counts as well. One that is not on the shelf any more rules nothing.
    """
    names = formed_under | ({kind} if formed_under <= {"default"} else set())
    return [shelf.get(name) for name in sorted(names & set(shelf.names()))]


@lru_cache(maxsize=16)
def _least_capacity(shelf: ProfileRegistry) -> Capacity | None:
    return strictest(shelf.get(name) for name in shelf.names())


@lru_cache(maxsize=256)
def _capacity_under(shelf: ProfileRegistry, kind: str, formed_under: frozenset[str]) -> Capacity | None:
    return strictest(governing_profiles(kind, formed_under, shelf))


def has_room_anyway(count: int, shelf: ProfileRegistry) -> bool:
    """Return whether every profile has room for so many memories."""
    least = _least_capacity(shelf)
    return least is None or count <= least.policy.max_memories


def has_room(subject: Subject, count: int, formed_under: frozenset[str], shelf: ProfileRegistry) -> bool:
    """Return whether a subject, which is no session, has room for so many memories, formed under these profiles."""
    room = _capacity_under(shelf, subject.kind, formed_under)
    return room is None or count <= room.policy.max_memories


async def capacity_for(planned: PlannedCommit, count: int, runtime: Runtime) -> Capacity | None:
    """Return the room that a subject has for `count` memories; None where nothing bounds it."""
    shelf, session = runtime.profiles, session_of(planned.subject)
    if session is None and has_room_anyway(count, shelf):
        return None
    names = await runtime.store.maintenance.profiles_of(planned.subject)
    profiles = governing_profiles(planned.subject.kind, names | {planned.profile} - {""}, shelf)
    if session is not None:
        conversation = await runtime.store.conversations.get(session[0], external_id=session[1])
        conversation = conversation or await runtime.store.conversations.get(session[0], id=ConversationId(session[1]))
        profiles = [with_overrides(profile, conversation.options) for profile in profiles] if conversation else profiles
    return strictest(profiles)


async def booked_compactor(lease: Lease, runtime: Runtime, profile: Profile) -> BudgetedModel | None:
    """Book the energy of a compaction where what is about to be formed may need one; None where it needs none.

    Creation and compaction are let through together or not at all: what waits for a compaction must not pay for its
    creation at each try. Release the model when the formation has ended.

    Raises:
        BudgetSpentError: there is not enough for both; nothing was booked.
    """
    creating, budget = runtime.model, profile.budget
    if lease.key.stage != "extract" or lease.formed_seq >= lease.last_seq or not isinstance(creating, BudgetedModel):
        return None
    if not (budget.capacity or budget.tokens_per_day) or not await _is_full(lease, runtime, profile):
        return None
    compactor = with_budget(runtime, CostPurpose.COMPACT, lease.key.subject, profile)
    if compactor is not None:
        await compactor.book_ahead(beside=units_of(CostPurpose.CREATE, budget))
        creating.covered = True
    return compactor


async def _is_full(lease: Lease, runtime: Runtime, profile: Profile) -> bool:
    """Return whether a model has to make room for what one formation brings."""
    key, runtime = lease.key, await runtime.for_subject(lease.key.subject)
    snapshot = await runtime.store.snapshots.snapshot(key.subject, runtime.embedder.space, vectors=NO_VECTORS)
    arriving = 1 if profile.form.extractor == "paragraph" else MAX_QUESTIONS
    count = count_places(snapshot) + arriving
    room = await capacity_for(
        PlannedCommit(subject=key.subject, profile=key.profile, snapshot=snapshot), count, runtime
    )
    return room is not None and room.policy.policy == "compact" and count > room.policy.max_memories
