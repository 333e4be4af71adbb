"""Review an import as hostile input: remove secrets, hold orders for review. Pure.

Approvals in a file are ignored: the author of the file could have written them too.
"""

import json
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from toldonce.clock import Clock, from_micros, to_micros
from toldonce.extraction.evidence import is_quote, is_quoted_in
from toldonce.extraction.redaction import Redaction, build_redaction, redact
from toldonce.extraction.review_gate import planted_order, review_reason
from toldonce.extraction.sources import read_said
from toldonce.formation.withheld import disjoint
from toldonce.ids import id_bytes, new_id
from toldonce.lazy_pattern import LazyPattern
from toldonce.reading.sentences import fold, sentences
from toldonce.store.sql.rows import STATE_NUMBER, read_detail, write_detail
from toldonce.store.sql.transfer.export import Record
from toldonce.store.sql.transfer.import_check import key_of
from toldonce.store.sql.transfer.import_reader import ImportedSubject
from toldonce.text import squeeze
from toldonce.types import KIND_ORDER, NO_DETAIL, Action, Candidate, MemoryKind, MemoryState

_FORMED = frozenset({MemoryKind.NOTE.number, MemoryKind.FACT.number})
_TURN = MemoryKind.TURN.number
_ACTIVE, _HELD, _CLOSED = (STATE_NUMBER[state] for state in (MemoryState.ACTIVE, MemoryState.HELD, MemoryState.CLOSED))
# Speaker of words that no message of the file contains: orders of this speaker are held for review.
_FILE = "import"
# How ToldOnce's own summaries name a speaker.
_SPEAKER = LazyPattern(r"^The (?:user|assistant): ")
_QUOTABLE = frozenset({"user", "assistant"})


@dataclass(slots=True)
class Reviewed:
    """What the review of an import changed."""

    held: int = 0
    """Memories that wait for review."""
    set_aside: int = 0
    """Quotations and summaries that were closed: they give orders, and cannot be reviewed one by one."""


class ImportReview:
    """Reviews blocks before they are written."""

    def __init__(self, clock: Clock) -> None:
        self._clock = clock
        self._redactions: dict[tuple[int, bytes, int], Redaction] = {}
        self.reviewed = Reviewed()

    def review(self, blocks: Iterable[ImportedSubject], glance: Callable[[], None]) -> None:
        """Change the records of subjects so that they are safe to store; `glance` is called for each record."""
        for block in blocks:
            self._redact(block, glance)
            # A text goes into a prompt as it is: one from a file is not inserted, whatever it says.
            for row in block.of("insertion"):
                row["held"] = 1
            said = {(row["conversation"], row["seq"]): row for row in block.of("message")}
            for memory in block.of("memory"):
                glance()
                if memory["state"] == _ACTIVE:
                    self._review(block, memory, said)

    def _review(self, block: ImportedSubject, memory: Record, said: Mapping[tuple[bytes, int], Record]) -> None:
        source = memory["evidence"][0] if memory["evidence"] else None
        own = source is not None and key_of(source["home"]) == block.key
        message = said.get((source["conversation"], source["seq"])) if source is not None and own else None
        if memory["kind"] in _FORMED:
            reason = review_reason(*_weighed(memory, source, message, own=own)) or _order_beside(memory)
            if reason:
                memory["state"] = _HELD
                self.reviewed.held += 1
                self._decide(block, memory, Action.HOLD, reason)
            return
        reason = _order_in(memory, message)
        if reason:
            now = to_micros(self._clock.now())
            closed_at = max(now, memory["known_from"])
            memory |= {"state": _CLOSED, "closed_at": closed_at, "valid_to": max(now, memory["valid_from"])}
            self.reviewed.set_aside += 1
            self._decide(block, memory, Action.CLOSE, f"imported, and not to be quoted: {reason}")

    def _decide(self, block: ImportedSubject, memory: Record, action: Action, reason: str) -> None:
        line = {"memory": memory["id"], "target": None, "conversation": None, "seq": None, "line": memory["line"]}
        line |= {"id": id_bytes(new_id(self._clock)), "at": to_micros(self._clock.now()), "action": action.value}
        line |= {"reason": reason, "text": memory["text"] or "", "profile": memory["profile"]}
        block.rows.setdefault("decision", []).append(line)

    def _redact(self, block: ImportedSubject, glance: Callable[[], None]) -> None:
        """Remove secrets from a block; withheld stretches of quotations stay withheld, wherever their messages are."""
        for row in block.of("message"):
            glance()
            redaction = build_redaction(row["text"])
            if redaction.replacements:
                self._redactions[block.key, row["conversation"], row["seq"]] = redaction
        for memory in block.of("memory"):
            for source in memory["evidence"][:1]:
                struck = self._redactions.get((key_of(source["home"]), source["conversation"], source["seq"]))
                if struck is not None and memory["detail"]:
                    memory["detail"] = map_withheld(memory["detail"], struck)
        _redact_block(block, glance)


def _weighed(memory: Record, source: Record | None, message: Record | None, *, own: bool) -> tuple[Candidate, str, str]:
    """Return a memory as its extractor proposed it, the role of its source, and the whole source message."""
    role, said, quote = _FILE, "", source["quote"] if source is not None else ""
    if message is not None and is_quote(quote) and is_quoted_in(quote, _own_words(message)):
        role, said = message["role"], message["text"]
    elif source is not None and not own:  # its log is in another block of the file
        role = source["role"]
    candidate = Candidate(
        kind=KIND_ORDER[memory["kind"]],
        text=memory["text"] or "",
        type=memory["type"],
        category=memory["category"],
        key=memory["key"],
        value=memory["value"],
        speaker=memory["speaker"],
        seq=source["seq"] if source is not None else 0,
        quote=quote,
        valid_from=from_micros(memory["valid_from"]),
    )
    return candidate, role, said


def _order_in(memory: Record, message: Record | None) -> str | None:
    """Return why a quotation or a summary must not be shown to a model; None if it may."""
    if memory["kind"] != _TURN:
        words = (squeeze(sentence.text) for sentence in sentences(fold(memory["text"] or "")))
        return next((why for said in words if (why := planted_order(_SPEAKER.sub("", said)))), None)
    if message is None:
        return None
    if message["role"] not in _QUOTABLE:
        return f"it is the words of the {message['role'][:40]}"
    return planted_order(_own_words(message), message["role"])


def _order_beside(memory: Record) -> str | None:
    """Return why the summary or the context of a memory must not be shown to a model; None if it may."""
    detail = read_detail(memory["detail"]) if memory["detail"] else NO_DETAIL
    # The speaker's name is before a colon: check the words after it on their own, too.
    beside = (detail.summary, detail.source_context, detail.source_context.rpartition(": ")[2])
    return next((why for said in beside for piece in sentences(fold(said)) if (why := planted_order(piece.text))), None)


def _own_words(message: Record) -> str:
    """Return a message without pasted and injected text."""
    role = message["role"]
    return read_said(message["text"], role, message["name"], quotations=role == "assistant").words


def _redact_block(block: ImportedSubject, glance: Callable[[], None]) -> None:
    for row in block.of("message"):
        glance()
        row["text"] = redact(row["text"])
        row["payload"] = None if row["payload"] is None else redact_json(row["payload"])
        row["name"] = None if row["name"] is None else redact(row["name"])
    for row in block.of("memory"):
        glance()
        row["text"] = None if row["text"] is None else redact(row["text"])
        row |= {"value": redact(row["value"]), "speaker": redact(row["speaker"])}
        row["detail"] = None if row["detail"] is None else redact_json(row["detail"])
        for source in row["evidence"]:
            source |= {"quote": redact(source["quote"]), "speaker": redact(source["speaker"])}
    for row in block.of("decision"):
        glance()
        row |= {"text": redact(row["text"]), "reason": redact(row["reason"])}
    for row in block.of("insertion"):
        row |= {"standing": redact(row["standing"]), "recalled": redact(row["recalled"])}
    for row in block.of("conversation"):
        row["options"] = None if row["options"] is None else redact_json(row["options"])
    for row in block.of("formation"):
        row["error"] = None if row["error"] is None else redact(row["error"])


def map_withheld(detail: str, redaction: Redaction) -> str:
    """Shift the withheld stretches of a quotation to their offsets after secrets are removed from its message."""
    known = read_detail(detail)
    if not known.withheld or not redaction.replacements:
        return detail
    spans = [redaction.map_span((stretch.start, stretch.end)) for stretch in known.withheld]
    moved = (
        replace(stretch, start=start, end=end) for stretch, (start, end) in zip(known.withheld, spans, strict=True)
    )
    return write_detail(replace(known, withheld=disjoint(moved))) or detail


def redact_json(text: str) -> str:
    """Remove secrets from JSON text; without secrets it is returned unchanged, letter by letter.

    >>> redact_json('{"a":  ["my PIN is 1234", 5]}'), redact_json('{"a":  1}')
    ('{"a": ["my PIN is [secret]", 5]}', '{"a":  1}')
    """
    try:
        found = json.loads(text)
        cleaned = _redact_value(found)
    except (ValueError, RecursionError):
        return redact(text)
    return text if cleaned == found else json.dumps(cleaned, ensure_ascii=False)


def _redact_value(value: Any) -> Any:
    match value:
        case str():
            return redact(value)
        case list():
            return [_redact_value(part) for part in value]
        case dict():
            return {redact(name): _redact_value(part) for name, part in value.items()}
        case _:
            return value
