"""Text view of a memory with its history. Pure."""

from collections.abc import Iterator
from datetime import tzinfo

from toldonce.cli.output import lifetime, one_line, printable, when
from toldonce.engine import MemoryHistory
from toldonce.types import Action, Decision, Memory, MemoryId, MemoryState


def lines_of(history: MemoryHistory, zone: tzinfo) -> Iterator[str]:
    """Format a memory with its sources and decisions, line by line."""
    yield from _itself(history.memory, zone)
    if history.memory.evidence:
        yield ""
        yield "Sources"
        yield from _sources(history, zone)
    if history.decisions:
        yield ""
        yield "Decisions"
        texts = {memory.id: memory.text for memory in (history.memory, *history.related)}
        for line in history.decisions:
            yield from _decision(line, history.memory.id, texts, zone)


def _itself(memory: Memory, zone: tzinfo) -> Iterator[str]:
    yield printable(memory.text)
    yield ""
    yield f"  id          {memory.id}"
    yield f"  of          {memory.subject.text}"
    classes = [part for part in (memory.kind.value, memory.type, memory.category) if part]
    yield f"  kind        {', '.join(dict.fromkeys(classes))}"
    if memory.key:
        yield f"  slot        {memory.key} = {one_line(memory.value)}"
    closed = f" since {when(memory.closed_at, zone)}" if memory.closed_at else ""
    yield f"  state       {memory.state.value}{closed if memory.state is MemoryState.CLOSED else ''}"
    yield f"  validity    {lifetime(memory, zone)}"
    yield f"  stored      {when(memory.known_from, zone)} by {memory.version or 'hand'} (profile {memory.profile})"
    yield f"  importance  {memory.importance:.2f}, confidence {memory.confidence:.2f}"
    used = f", last {when(memory.last_used_at, zone)}" if memory.last_used_at else ""
    yield f"  used        {memory.uses} times{used}"


def _sources(history: MemoryHistory, zone: tzinfo) -> Iterator[str]:
    logged = {(message.conversation, message.seq): message for message in history.sources}
    for evidence in history.memory.evidence:
        yield (
            f"  {when(evidence.said_at, zone)}  {one_line(evidence.speaker or evidence.role)}, message {evidence.seq} "
            f"of {evidence.conversation}"
        )
        message = logged.get((evidence.conversation, evidence.seq))
        words = evidence.quote or (message.text if message else "")
        yield f"    “{one_line(words)}”"
        if message and evidence.quote and one_line(message.text) != one_line(evidence.quote):
            yield f"    in: {one_line(message.text)}"


def _decision(line: Decision, itself: MemoryId, texts: dict[MemoryId, str], zone: tzinfo) -> Iterator[str]:
    yield f"  {when(line.at, zone)}  {line.action.value}: {one_line(line.reason)}"
    other = line.target_id if line.memory_id == itself else line.memory_id
    if other is None or other == itself:
        return
    if line.action is Action.REPLACE:
        relation = "replaces" if line.memory_id == itself else "replaced by"
    else:
        relation = "related to"
    yield f"    {relation} {other}  {one_line(texts.get(other, ''))}".rstrip()
