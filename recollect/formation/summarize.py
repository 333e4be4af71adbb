"""Stage `episodes`: the oldest turns become a summary and leave the window. Reads the store, may ask a model."""

import logging
from collections.abc import Sequence
from dataclasses import dataclass
from functools import partial

from recollect.concurrency import run_in_thread_if_large
from recollect.errors import ModelError
from recollect.extraction.evidence import evidence_of
from recollect.extraction.llm import summarize_by_model
from recollect.extraction.rules.summary import NOTHING_SAID, Summary, summarize_by_rules
from recollect.extraction.sources import Exchange
from recollect.formation.batch import by_formation
from recollect.formation.episode_coverage import Coverage, CoverageKey, read_coverage
from recollect.formation.forgotten_words import without_forgotten
from recollect.formation.inputs import LARGE_BATCH, blanked, recent_recalls, without_echoes
from recollect.formation.runtime import Runtime
from recollect.ids import new_id
from recollect.profiles.policies import EpisodePolicy, Profile
from recollect.text import conversation_tag, terms
from recollect.types import (
    NO_VECTORS,
    Action,
    AddMemory,
    Change,
    CloseMemory,
    Decision,
    EpisodeRange,
    FormationResult,
    Lease,
    Memory,
    MemoryDetail,
    MemoryId,
    MemoryKind,
)

logger = logging.getLogger(__name__)

# The same by rules and by a model: what one has summed up the other does not sum up again.
EPISODES_VERSION = "episodes-1"
# Prompts whose memories are looked for in the turns: those of a window and of the turns that wait after it.
RECALLS_READ = 100


@dataclass(frozen=True, slots=True, kw_only=True)
class _Due:
    """What is summed up next."""

    turns: tuple[Exchange, ...]
    first_turn: int

    @property
    def last_turn(self) -> int:
        return self.first_turn + len(self.turns) - 1


async def summarize(lease: Lease, runtime: Runtime) -> FormationResult:
    """Sum up the oldest turns of a conversation in one episode, where enough of them wait.

    The episode and the cursor after it are one commit. An episode from which an edit took a turn away is abandoned,
    and what is left of its turns is in the window again.
    """
    key = lease.key
    profile = runtime.profiles.get(key.profile)
    hot = await runtime.store.snapshots.snapshot(key.subject, runtime.embedder.space, vectors=NO_VECTORS)
    whose = CoverageKey(subject=key.subject, home=key.home, conversation=key.conversation)
    coverage = await read_coverage(runtime.store, whose, passed=lease.formed_seq, enough=profile.episodes.window)
    closes, decisions = await _abandoned(coverage.strays, lease, runtime)
    due = _next(coverage, profile.episodes)
    changes: list[Change] = list(closes)
    covered = coverage.covered
    if due is not None:
        following = [turn for turn in coverage.tail if turn[0].seq > due.turns[-1][-1].seq]
        made, decision = await _episode(due, following, lease, profile, runtime)
        changes.append(made)
        decisions.append(decision)
        covered = max(covered, due.turns[-1][-1].seq)
    return FormationResult(
        formed_seq=covered,
        changes=tuple(changes),
        decisions=tuple(decisions),
        subject_version=hot.version if changes else None,
        waiting=due is None,
        goes_back=True,
    )


def _next(coverage: Coverage, policy: EpisodePolicy) -> _Due | None:
    """Choose the turns of the next episode: as many as leave a full window, however many more wait."""
    if not policy.window:
        return None
    limit = policy.window - policy.keep
    if coverage.gap:
        return _Due(turns=coverage.gap[:limit], first_turn=coverage.gap_turn)
    if len(coverage.tail) >= policy.window:
        return _Due(turns=coverage.tail[:limit], first_turn=coverage.tail_turn)
    return None


async def _abandoned(
    strays: Sequence[EpisodeRange], lease: Lease, runtime: Runtime
) -> tuple[list[CloseMemory], list[Decision]]:
    if not strays:
        return [], []
    now = runtime.clock.now()
    memories = await runtime.store.memories.get_many(lease.key.subject, [span.id for span in strays])
    closes = [CloseMemory(id=memory.id, valid_to=max(memory.valid_from, now), closed_at=now) for memory in memories]
    decisions = [
        _decision(memory, Action.ABANDON, "an edit took back some of the turns it sums up", lease, runtime)
        for memory in memories
    ]
    return closes, decisions


async def _episode(
    due: _Due, later: Sequence[Exchange], lease: Lease, profile: Profile, runtime: Runtime
) -> tuple[AddMemory, Decision]:
    summary, version = await _summary(due, later, lease, profile, runtime)
    text = summary.text or NOTHING_SAID
    # The whole first; then each statement, as a question mostly bears on one of them.
    vectors = await runtime.embedder.embed([text, *summary.pieces] if summary.text else [])
    messages = [message for turn in due.turns for message in turn]
    memory = Memory(
        id=MemoryId(new_id(runtime.clock)),
        subject=lease.key.subject,
        kind=MemoryKind.EPISODE,
        text=text,
        valid_from=messages[0].said_at,
        known_from=runtime.clock.now(),
        profile=profile.name,
        version=version,
        # Nothing rests on words that were erased; their turn is covered all the same.
        evidence=tuple(evidence_of(message) for message in messages if not message.erased),
        detail=MemoryDetail(
            source_uri=f"recollect://{lease.key.conversation}/{messages[0].seq}",
            tags=(conversation_tag(lease.key.conversation),),
            first_turn=due.first_turn,
            last_turn=due.last_turn,
            first_seq=messages[0].seq,
            last_seq=messages[-1].seq,
        ),
    )
    added = AddMemory(
        memory=memory,
        space=runtime.embedder.space,
        vectors=tuple(row for row in vectors if row.any()),
        terms=terms(summary.text),
    )
    reason = f"sums up turns {due.first_turn} to {due.last_turn}"
    return added, _decision(memory, Action.ADD, reason, lease, runtime)


async def _summary(
    due: _Due, later: Sequence[Exchange], lease: Lease, profile: Profile, runtime: Runtime
) -> tuple[Summary, str]:
    """Sum up by the model, or by rules without one; return with it who wrote it."""
    longest = profile.episodes.max_characters
    turns = await _own(due.turns, later, lease, runtime)
    if runtime.model is not None:
        try:
            summary = await summarize_by_model(turns, runtime.model, zone=runtime.zone, max_characters=longest)
        except ModelError as error:
            # A window that nothing empties outgrows every prompt: rather a plain summary than none.
            if lease.attempts < profile.form.max_attempts:
                raise
            logger.warning("summed up by rules", extra={"conversation": lease.key.conversation, "error": str(error)})
        else:
            if summary.text:
                return summary, f"{EPISODES_VERSION}:{runtime.model.name}"
    size = sum(len(message.text) for turn in turns for message in turn)
    by_rules = partial(summarize_by_rules, turns, zone=runtime.zone, max_characters=longest)
    return await run_in_thread_if_large(size, by_rules, above=LARGE_BATCH), EPISODES_VERSION


async def _own(
    turns: Sequence[Exchange], later: Sequence[Exchange], lease: Lease, runtime: Runtime
) -> tuple[Exchange, ...]:
    """Take out of the turns what only repeats the memories that stood in their prompts, and what is to be forgotten."""
    recalls = await recent_recalls(lease, runtime, limit=RECALLS_READ)
    said = await blanked([message for turn in turns for message in turn], runtime)
    following = await blanked([message for turn in later for message in turn], runtime)
    kept = await without_forgotten(said, lease.key.subject, runtime, home=lease.key.home, later=following)
    own = {message.seq: message for message in await without_echoes(kept, recalls, runtime)}
    return tuple(tuple(own[message.seq] for message in turn) for turn in turns)


def _decision(memory: Memory, action: Action, reason: str, lease: Lease, runtime: Runtime) -> Decision:
    return by_formation(
        Decision.of(memory, action, reason, clock=runtime.clock, text=memory.text),
        lease.key,
        memory.evidence[-1].seq if memory.evidence else None,
    )
