"""Stage `episodes`: the oldest turns become a summary and leave the window. Reads the store, may ask a model."""

import logging
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from toldonce.concurrency import run_in_thread_if_large
from toldonce.errors import ModelError
from toldonce.extraction.evidence import evidence_of
from toldonce.extraction.llm import summarize_by_model
from toldonce.extraction.rules.summary import NOTHING_SAID, Summary, summarize_by_rules
from toldonce.extraction.sources import Exchange
from toldonce.formation.batch import by_formation
from toldonce.formation.episode_chain import Cursors, DueEpisode, Waiting, next_episode, read_waiting
from toldonce.formation.forgotten_words import without_forgotten
from toldonce.formation.inputs import LARGE_BATCH, without_echoes
from toldonce.formation.runtime import Runtime
from toldonce.formation.telemetry import place_of
from toldonce.ids import new_id
from toldonce.profiles.policies import Profile
from toldonce.store.store import Store
from toldonce.text import conversation_tag, terms
from toldonce.types import (
    NO_VECTORS,
    Action,
    AddMemory,
    Change,
    CloseMemory,
    ConversationId,
    Decision,
    FormationKey,
    FormationResult,
    Lease,
    LoggedMessage,
    Memory,
    MemoryDetail,
    MemoryId,
    MemoryKind,
    MessageRef,
    SummarizedPart,
    message_address,
)

logger = logging.getLogger(__name__)

# The same by rules and by a model: what one has summed up the other does not sum up again.
EPISODES_VERSION = "episodes-1"
# Prompts whose memories are looked for in the turns: those of a window and of the turns that wait after it.
RECALLS_READ = 100


async def summarize(lease: Lease, runtime: Runtime) -> FormationResult:
    """Sum up the oldest turns of a conversation, or of all of the user's, in one episode, where enough of them wait.

    The episode and the cursors after it are one commit, which rests on the version of the subject: of two that form
    different conversations of a user at once, the second reads again. An episode from which an edit took a turn away
    is abandoned, and what is left of its turns waits again.
    """
    key = lease.key
    policy = runtime.profiles.get(key.profile).episodes
    snapshot = await runtime.store.snapshots.snapshot(key.subject, runtime.embedder.space, vectors=NO_VECTORS)
    of_user = policy.window_of == "user" and await _is_of_user(key, runtime)
    waiting = await read_waiting(runtime.store, key, of_user=of_user, enough=max(policy.window, 1))
    changes: list[Change] = []
    decisions: list[Decision] = []
    due = None
    if waiting.strays:
        strays = await runtime.store.memories.get_many(key.subject, [span.id for span in waiting.strays])
        changes, decisions = _abandoned(strays, lease, runtime)
        moved = await _opened(waiting, strays, key, runtime.store)
    else:
        due = await next_episode(runtime.store, key, waiting, policy, snapshot, of_user=of_user)
        moved = waiting.moved(due.turns if due else ())
    if due is not None:
        made, decision = await _episode(due, waiting.turns[len(due.turns) :], lease, runtime, of_user=of_user)
        changes, decisions = [made], [decision]
    # As many conversations as are listed at once may have no turn left on their path: others come after them.
    is_cut = bool(moved) and len(waiting.cursors) >= policy.window > len(waiting.turns)
    goes_on = bool(waiting.strays) or due is not None or is_cut
    return FormationResult(
        formed_seq=moved.pop(key.conversation, waiting.cursors[key.conversation]),
        changes=tuple(changes),
        decisions=tuple(decisions),
        subject_version=snapshot.version,
        waiting=not goes_on,
        goes_back=True,
        cursors=moved,
        goes_on=goes_on,
    )


async def _is_of_user(key: FormationKey, runtime: Runtime) -> bool:
    """Return whether a conversation belongs to the chain of its user: words said to an app stay there."""
    if key.subject != key.home:
        return False
    conversation = await runtime.store.conversations.get(key.home, id=key.conversation)
    return conversation is not None and not conversation.app


async def _opened(waiting: Waiting, strays: Sequence[Memory], key: FormationKey, store: Store) -> Cursors:
    """Return the cursors before all that abandoned episodes covered, in each of their conversations."""
    moved = waiting.moved(())
    for part in (part for stray in strays for part in stray.detail.summarized):
        id_ = ConversationId(part.conversation)
        cursor = moved.get(id_, waiting.cursors.get(id_))
        if cursor is None:
            cursor = await store.conversations.summarized_up_to(replace(key, conversation=id_))
        moved[id_] = min(cursor, part.first_seq - 1)
    return moved


def _abandoned(strays: Sequence[Memory], lease: Lease, runtime: Runtime) -> tuple[list[Change], list[Decision]]:
    now = runtime.clock.now()
    reason = "an edit took back some of the turns it sums up"
    return (
        [CloseMemory(id=memory.id, valid_to=max(memory.valid_from, now), closed_at=now) for memory in strays],
        [_decision(memory, Action.ABANDON, reason, lease, runtime) for memory in strays],
    )


async def _episode(
    due: DueEpisode, later: Sequence[Exchange], lease: Lease, runtime: Runtime, *, of_user: bool
) -> tuple[AddMemory, Decision]:
    profile = runtime.profiles.get(lease.key.profile)
    summary, version = await _summary(due, later, lease, profile, runtime)
    text = summary.text or NOTHING_SAID
    # The whole first; then each statement, as a question mostly bears on one of them.
    vectors = await runtime.embedder.embed([text, *summary.pieces] if summary.text else [])
    messages = [message for turn in due.turns for message in turn]
    parts = _parts(messages)
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
            source_uri=message_address(*messages[0].ref),
            tags=tuple(sorted(conversation_tag(part.conversation) for part in parts)),
            first_turn=due.first_turn,
            last_turn=due.last_turn,
            first_seq=parts[0].first_seq if len(parts) == 1 else 0,
            last_seq=parts[0].last_seq if len(parts) == 1 else 0,
            parts=parts if len(parts) > 1 else (),
            chain_turns=due.last_turn if of_user and not due.fills_place else 0,
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


def _parts(messages: Sequence[LoggedMessage]) -> tuple[SummarizedPart, ...]:
    """Return what messages are of each conversation, in the order in which they begin."""
    seqs: dict[ConversationId, list[int]] = {}
    for message in messages:
        seqs.setdefault(message.conversation, []).append(message.seq)
    return tuple(
        SummarizedPart(conversation=id_, first_seq=found[0], last_seq=found[-1]) for id_, found in seqs.items()
    )


async def _summary(
    due: DueEpisode, later: Sequence[Exchange], lease: Lease, profile: Profile, runtime: Runtime
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
            logger.warning("summed up by rules", extra={**place_of(lease.key), "error": str(error)})
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
    home = lease.key.home
    said, following = ([message for turn in each for message in turn] for each in (turns, later))
    kept = await without_forgotten(said, lease.key.subject, runtime, home=home, later=following)
    own: dict[MessageRef, LoggedMessage] = {}
    for conversation in dict.fromkeys(message.conversation for message in kept):
        recalls = await runtime.store.conversations.injections(
            home, conversation=conversation, limit=RECALLS_READ, with_memories=True
        )
        there = [message for message in kept if message.conversation == conversation]
        own |= {message.ref: message for message in await without_echoes(there, recalls, runtime)}
    return tuple(tuple(own[message.ref] for message in turn) for turn in turns)


def _decision(memory: Memory, action: Action, reason: str, lease: Lease, runtime: Runtime) -> Decision:
    decided = Decision.of(memory, action, reason, clock=runtime.clock, text=memory.text)
    last = memory.evidence[-1] if memory.evidence else None
    key = replace(lease.key, conversation=last.conversation) if last else lease.key
    return by_formation(decided, key, last.seq if last else None)
