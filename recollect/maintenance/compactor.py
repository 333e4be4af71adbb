"""The model that makes room, with its energy booked before the memory is formed that may need it. Writes the store."""

from recollect.formation.budget import BudgetedModel, units_of, with_budget
from recollect.formation.runtime import Runtime
from recollect.maintenance.eviction import MAX_QUESTIONS, PlannedCommit, room_for, roomy_places
from recollect.profiles.policies import Profile
from recollect.types import NO_VECTORS, CostPurpose, Lease


async def booked_compactor(lease: Lease, tools: Runtime, profile: Profile) -> BudgetedModel | None:
    """Book the energy of a compaction where what is about to be formed may need one; None where it needs none.

    Creation and compaction are let through together or not at all: what waits for a compaction must not pay for its
    creation at each try. Release the model when the formation has ended.

    Raises:
        BudgetSpentError: there is not enough for both; nothing was booked.
    """
    creating, budget = tools.model, profile.budget
    if lease.key.stage != "extract" or lease.formed_seq >= lease.last_seq or not isinstance(creating, BudgetedModel):
        return None
    if not (budget.capacity or budget.tokens_per_day) or not await _is_full(lease, tools, profile):
        return None
    compactor = with_budget(tools, CostPurpose.COMPACT, lease.key.subject, profile)
    if compactor is not None:
        await compactor.book_ahead(beside=units_of(CostPurpose.CREATE, budget))
        creating.covered = True
    return compactor


async def _is_full(lease: Lease, tools: Runtime, profile: Profile) -> bool:
    """Return whether a model has to make room for what one formation brings."""
    key, tools = lease.key, await tools.of(lease.key.subject)
    hot = await tools.store.hot(key.subject, tools.embedder.space, sought=NO_VECTORS)
    arriving = 1 if profile.form.extractor == "paragraph" else MAX_QUESTIONS
    count = len(roomy_places(hot)) + arriving
    room = await room_for(PlannedCommit(subject=key.subject, profile=key.profile, hot=hot), count, tools)
    return room is not None and room.policy.policy == "compact" and count > room.policy.most
