"""Index turns: make recorded messages recallable as quotations, and obey requests to forget at once.

Reads the store; the worker commits.
"""

import asyncio
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace

from toldonce.chat.content import speaker_name
from toldonce.concurrency import run_in_thread_if_large
from toldonce.extraction.evidence import evidence_of
from toldonce.extraction.forget_requests import asks_to_forget
from toldonce.extraction.presumptions import is_assistants_small_talk, likely_presumptions, presumptions
from toldonce.extraction.review_gate import planted_order
from toldonce.extraction.rules.extractor import forget_requests
from toldonce.extraction.sources import ExtractionInput, read_said, readable, speaker_of
from toldonce.formation.batch import ExtractionBatch
from toldonce.formation.extract import EARLIER
from toldonce.formation.forgotten_answers import find_answers_among
from toldonce.formation.inputs import (
    RECENT,
    characters,
    take_batch,
    without_echoes,
    without_games,
)
from toldonce.formation.owners import is_shared
from toldonce.formation.propose import ExtractionResult, as_user
from toldonce.formation.quotations import is_quotable, without_outdated
from toldonce.formation.reconcile import close_abandoned
from toldonce.formation.replays import NOTHING, Replayed, replayed
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import outdated_topics
from toldonce.formation.weigh import weigh
from toldonce.formation.withheld import disjoint, with_secrets
from toldonce.ids import new_id
from toldonce.providers.chunker import chunks
from toldonce.providers.offline_model import MODEL
from toldonce.reading.sentences import TextSpan
from toldonce.text import asks, squeeze, terms
from toldonce.types import (
    NO_VECTORS,
    AddMemory,
    Candidate,
    Change,
    CloseMemory,
    FormationKey,
    FormationResult,
    Lease,
    LoggedMessage,
    Memory,
    MemoryDetail,
    MemoryId,
    MemoryKind,
    SubjectSnapshot,
    Withheld,
)

TURNS_VERSION = "turns-1"
# Messages indexed per commit: a replay's backlog goes through in steps that neither starve a live turn nor the loop.
BATCH = 64


@dataclass(frozen=True, slots=True, kw_only=True)
class _Quotation:
    """What makes a message recallable."""

    message: LoggedMessage
    pieces: Sequence[str]
    """What is embedded of it."""
    terms: Mapping[str, int]
    asks: bool
    withheld: tuple[Withheld, ...] = ()
    """What is not quoted of the message as it was written."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Indexed:
    """What became of the next messages of a conversation."""

    result: FormationResult
    messages: Sequence[LoggedMessage] = ()
    """Those of the active path, with their own words alone."""
    snapshot: SubjectSnapshot | None = None
    """The subject's active memories before; None where there were no messages."""


async def index_messages(lease: Lease, runtime: Runtime) -> Indexed:
    """Make the next messages of a conversation recallable, and take abandoned ones out of recall.

    Tool results, small talk and bare questions do not become turns: a question finds its likes, not answers. Nor do
    the built-in model's answers: they quote what was recalled, and recall must not feed itself; nor what else only
    repeats it; nor messages that give orders which may have been planted; nor what an assistant takes for granted
    about the user.
    """
    key = lease.key
    page = await runtime.store.conversations.page(
        key.home, key.conversation, after_seq=lease.formed_seq, limit=BATCH, injected=RECENT
    )
    messages, gone = take_batch(page.messages), page.abandoned
    if not messages:
        return Indexed(result=FormationResult(formed_seq=lease.last_seq))
    live = [message for message in messages if message.seq not in gone]
    # What is said in a game that began before is no quotation, nor is the rest of its message.
    forgotten = await replayed(live, (key.subject, key.home), runtime)
    played = await without_games(live, gone, key, runtime)
    live = [message for message, left in zip(live, played, strict=True) if left is message]
    own = await without_echoes(forgotten.without(live), page.injections, runtime)
    written = {message.seq: message.text for message in messages}
    quoted = own if await quotes_messages(key, runtime) else []
    kept = await run_in_thread_if_large(characters(quoted), lambda: _quotations(quoted, written, forgotten), above=0)
    vectors = await runtime.embedder.embed([piece for each in kept for piece in each.pieces])
    snapshot = await runtime.store.snapshots.snapshot(key.subject, runtime.embedder.space, vectors=NO_VECTORS)
    closes, decisions = await close_abandoned(snapshot, gone, lease, runtime, kinds=frozenset({MemoryKind.TURN}))
    changes: list[Change] = list(closes)
    start = 0
    for each in kept:
        mine = vectors[start : start + len(each.pieces)]
        start += len(each.pieces)
        changes.append(
            AddMemory(
                memory=_turn_memory(each, lease, runtime),
                space=runtime.embedder.space,
                vectors=tuple(row for row in mine if row.any()),
                terms=each.terms,
                asks=each.asks,
            )
        )
    result = FormationResult(
        formed_seq=messages[-1].seq,
        changes=tuple(changes),
        decisions=tuple(decisions),
        subject_version=snapshot.version if closes else None,  # a new quotation rests on nothing that is known
    )
    return Indexed(result=result, messages=own, snapshot=snapshot)


async def quotes_messages(key: FormationKey, runtime: Runtime) -> bool:
    """Return whether messages become quotations of this subject: what was said in an app belongs to the app."""
    profile = runtime.profiles.get(key.profile)
    if not profile.form.turns or not profile.subject.with_app or key.subject.kind == "app":
        return profile.form.turns
    return not is_shared(profile, await runtime.store.conversations.get(key.home, id=key.conversation))


def shown_words(message: LoggedMessage) -> str:
    """Return the words of a message that a quotation of it would hold; empty where it is not worth one.

    What an assistant may presume is told by words alone: this is read before an answer.
    """
    quotations = _quotations([message], {message.seq: message.text}, NOTHING, presumed=likely_presumptions)
    if not quotations:
        return ""
    shown = MemoryDetail(withheld=quotations[0].withheld).quoted(message.text)
    read = read_said(shown, message.role, message.name)
    return squeeze(read.quoted) if is_quotable(message.role, squeeze(read.words.replace("…", " "))) else ""


def words_in_turn(message: LoggedMessage) -> str:
    """Return the words of a message of a turn that is shown whole: also a bare question, and small talk."""
    shown = MemoryDetail(withheld=_unsaid(message, message.text, likely_presumptions)).quoted(message.text)
    read = read_said(shown, message.role, message.name)
    is_hidden = message.name == MODEL or planted_order(read.words, message.role) or not read.words.strip("…[] \n")
    return "" if is_hidden else squeeze(read.quoted)


def _quotations(
    messages: Sequence[LoggedMessage],
    written: Mapping[int, str],
    forgotten: Replayed,
    *,
    presumed: Callable[[str], Sequence[TextSpan]] = presumptions,
) -> list[_Quotation]:
    found: list[_Quotation] = []
    for message in messages:
        withheld = _unsaid(message, message.text, presumed)
        shown = MemoryDetail(withheld=withheld).quoted(message.text)
        text = read_said(shown, message.role, message.name).words
        is_cut = bool(withheld or forgotten.of(message))
        if message.name == MODEL or not is_quotable(message.role, text.replace("…", " ") if is_cut else text):
            continue
        name = speaker_name(message.name)
        if planted_order(text, message.role) or (_is_models(message) and is_assistants_small_talk(text)):
            continue
        # Who says it is part of what a turn means.
        pieces = [f"{name}: {piece}" if name else piece for piece in chunks(text)]
        found.append(
            _Quotation(
                message=replace(message, text=written[message.seq]) if forgotten.of(message) else message,
                pieces=pieces,
                terms=terms(f"{name or ''} {text}"),
                asks=asks(text),
                withheld=disjoint((*_unsaid(message, written[message.seq], presumed), *forgotten.of(message))),
            )
        )
    return found


def _is_models(message: LoggedMessage) -> bool:
    """Return whether a model wrote a message: an assistant with a name of its own is a person of the conversation."""
    return message.role == "assistant" and not speaker_name(message.name)


def _unsaid(message: LoggedMessage, text: str, presumed: Callable[[str], Sequence[TextSpan]]) -> tuple[Withheld, ...]:
    """Find what an assistant states about the user, who has said what is true of it."""
    found = presumed(text) if _is_models(message) else ()
    return with_secrets(text, [Withheld(start=piece.start, end=piece.end) for piece in found])


def _turn_memory(quotation: _Quotation, lease: Lease, runtime: Runtime) -> Memory:
    message = quotation.message
    speaker = speaker_of(message)
    return Memory(
        id=MemoryId(new_id(runtime.clock)),
        subject=lease.key.subject,
        kind=MemoryKind.TURN,
        text=message.text,
        speaker=speaker,
        valid_from=message.said_at,
        known_from=runtime.clock.now(),
        profile=lease.key.profile,
        version=lease.key.version,
        detail=MemoryDetail(withheld=quotation.withheld),
        evidence=(evidence_of(message),),
    )


async def index_turns(lease: Lease, runtime: Runtime) -> FormationResult:
    """Make the next messages of a conversation recallable, and close what they ask to forget."""
    indexed = await index_messages(lease, runtime)
    form = runtime.profiles.get(lease.key.profile).form
    if indexed.snapshot is None or form.extractor == "paragraph" or "user" not in form.sources:
        return indexed.result
    own = [message for message in indexed.messages if message.role == "user"]
    asks = await asyncio.to_thread(lambda: any(asks_to_forget(readable(message)) for message in own))
    return await _honoured(indexed, indexed.snapshot, lease, runtime) if asks else indexed.result


async def _honoured(indexed: Indexed, snapshot: SubjectSnapshot, lease: Lease, runtime: Runtime) -> FormationResult:
    """Add to what is committed what the requests to forget close."""
    batch = await _batch(indexed, snapshot, lease, runtime)
    source = ExtractionInput(
        messages=batch.messages,
        earlier=batch.earlier,
        subject=lease.key.subject,
        sources=frozenset({"user"}),
        time_zone=runtime.zone,
    )
    requests = await asyncio.to_thread(forget_requests, source)
    if not requests:
        return indexed.result
    changes, decisions = await weigh(batch, ExtractionResult(candidates=requests), replace(runtime, model=None))
    result = indexed.result
    return replace(
        result,
        changes=(*await _shortened(result.changes, requests, batch.messages, runtime), *changes),
        decisions=(*result.decisions, *decisions),
        subject_version=snapshot.version,
    )


async def _batch(indexed: Indexed, snapshot: SubjectSnapshot, lease: Lease, runtime: Runtime) -> ExtractionBatch:
    key = lease.key
    opened = await runtime.store.conversations.get(key.home, id=key.conversation)
    options = opened.options if opened else {}
    earlier: list[LoggedMessage] = []
    if lease.formed_seq:
        start = max(0, lease.formed_seq - EARLIER)
        gone = await runtime.store.conversations.abandoned(key.home, key.conversation)
        read = await runtime.store.conversations.messages(
            key.home, key.conversation, after_seq=start, limit=lease.formed_seq - start
        )
        earlier = [message for message in read if message.seq not in gone and not message.erased]
    return ExtractionBatch(
        lease=lease,
        profile=runtime.profiles.get(key.profile),
        messages=as_user(indexed.messages, options),
        earlier=as_user(earlier, options),
        snapshot=snapshot,
        ended=frozenset(change.id for change in indexed.result.changes if isinstance(change, CloseMemory)),
        options=options,
        formed_seq=indexed.result.formed_seq,
    )


async def _shortened(
    changes: Sequence[Change], requests: Sequence[Candidate], messages: Sequence[LoggedMessage], runtime: Runtime
) -> list[Change]:
    """Leave what is to be forgotten out of the quotations that are added with the request."""
    said = {message.seq: message for message in messages}
    outdated = [old for request in requests for old in outdated_topics(request, until=evidence_of(said[request.seq]))]
    outdated += find_answers_among(messages, outdated)
    added = [change for change in changes if isinstance(change, AddMemory)]
    others = [change for change in changes if not isinstance(change, AddMemory)]
    return [*others, *await without_outdated(added, outdated, runtime)]
