"""The extractor and the summarizer that ask a language model. Await the model they are given.

Each makes one call and checks the answer item by item. The model sees numbers instead of ids, and messages as JSON
strings, so that no message can pretend to be part of the question.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from datetime import tzinfo
from typing import Any

from pydantic import ValidationError

from recollect.dates.mention import written
from recollect.errors import ModelError
from recollect.extraction.own_words import own_words
from recollect.extraction.question import question
from recollect.extraction.redaction import redact
from recollect.extraction.rules.summary import Summary, is_safe_to_show
from recollect.extraction.schemas import MEMORIES, OutputSchema
from recollect.extraction.schemas.output_schema import UnusableError, prompt
from recollect.extraction.sentences import sentences
from recollect.extraction.sources import Exchange, ExtractionInput, readable, speaker_of
from recollect.providers.protocols import LanguageModel, ModelUsage
from recollect.text import clean, squeeze
from recollect.time_zones import day_of, zone_of
from recollect.types import Candidate, LoggedMessage

# Cap on one answer: more items mean a runaway or manipulated model.
MAX_CANDIDATES = 20
SCHEMA_NAME = "memories"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelExtraction:
    """What the model proposed, and what was dropped."""

    candidates: tuple[Candidate, ...]
    usage: ModelUsage | None
    calls: int
    dropped: tuple[str, ...]
    """The reason for each dropped item, without the item's text."""
    unusable: bool = False
    """The answer has the wrong form: no list, or no item that fits the schema."""


async def extract_by_model(
    source: ExtractionInput, model: LanguageModel, shape: OutputSchema = MEMORIES
) -> ModelExtraction:
    """Extract with one question to a model.

    The model refers to messages and known memories by the numbers it was shown, never by subject or id. A bad item is
    dropped with its reason; the others are kept. Secrets are removed from question and answer.

    Raises:
        ModelError: the model failed; nothing was extracted.
    """
    shown = {*source.invented, *source.given}
    if not any(m.role in source.sources and (readable(m) or m.seq in shown) for m in source.messages):
        return ModelExtraction(candidates=(), usage=None, calls=0, dropped=())
    answer = await model.answer(
        system=shape.system, user=question(source, shape), schema=shape.schema, schema_name=SCHEMA_NAME
    )
    read = _read(answer.data, source, shape)
    return ModelExtraction(
        candidates=tuple(read.candidates),
        usage=answer.usage,
        calls=answer.calls,
        dropped=(*answer.remarks, *read.dropped),
        unusable=read.unusable,
    )


@dataclass(frozen=True, slots=True)
class _Items:
    """Candidates and dropped items of one answer."""

    candidates: list[Candidate]
    dropped: list[str]
    unusable: bool


def _read(data: object, source: ExtractionInput, shape: OutputSchema) -> _Items:
    items = shape.items(data)
    if items is None:
        return _Items([], [shape.missing], unusable=True)
    beyond = len(items) - MAX_CANDIDATES
    dropped = [f"{beyond} items beyond the first {MAX_CANDIDATES}"] if beyond > 0 else []
    candidates: list[Candidate] = []
    malformed = 0
    for place, raw in enumerate(items[:MAX_CANDIDATES], start=1):
        try:
            candidates.append(shape.read(raw, source))
        except ValidationError as error:
            malformed += 1
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "item"
            dropped.append(f"item {place}: {where}: {first['msg']}")
        except UnusableError as error:
            dropped.append(f"item {place}: {error}")
    return _Items(candidates, dropped, unusable=0 < malformed == min(len(items), MAX_CANDIDATES))


SUMMARY_SCHEMA_NAME = "summary"
SUMMARY_SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}
# Characters that one question shows of all messages together (about 6,000 tokens), and at least of each.
_SHOWN_SUMMARIZED, _MIN_SHOWN_SUMMARIZED = 24_000, 200


async def summarize_by_model(
    turns: Sequence[Exchange], model: LanguageModel, *, zone: tzinfo, max_characters: int
) -> Summary:
    """Ask for a summary, and keep the sentences that are safe in a prompt.

    Secrets are removed from question and answer; sentences that may be planted orders are dropped.

    Raises:
        ModelError: the model failed, or its answer holds no summary.
    """
    spoken = [
        message for turn in turns for message in turn if message.role in ("user", "assistant") and readable(message)
    ]
    if not spoken:
        return Summary(text="", pieces=())
    answer = await model.answer(
        system=prompt("summary.system.txt").replace("{longest}", str(max_characters)),
        user=_summary_question(spoken, zone),
        schema=SUMMARY_SCHEMA,
        schema_name=SUMMARY_SCHEMA_NAME,
    )
    text = answer.data.get("summary") if isinstance(answer.data, dict) else answer.data
    if not isinstance(text, str) or not squeeze(text):
        raise ModelError("the answer holds no summary; the turns are summed up again later")
    return _kept(redact(own_words(clean(text), speaker="assistant")), spoken[-1], max_characters)


def _summary_question(messages: Sequence[LoggedMessage], zone: tzinfo) -> str:
    each = max(_MIN_SHOWN_SUMMARIZED, _SHOWN_SUMMARIZED // len(messages))
    parts = {
        "{time_zone}": str(zone_of(messages[-1].said_at, zone)),
        "{messages}": "\n".join(_summary_line(message, zone, each) for message in messages),
    }
    lines = []
    # One placeholder per line, replaced once: a message that contains a placeholder is left as it is.
    for line in prompt("summary.user.txt").splitlines():
        name = next((name for name in parts if name in line), "")
        lines.append(line.replace(name, parts[name]) if name else line)
    return "\n".join(lines)


def _summary_line(message: LoggedMessage, zone: tzinfo, max_characters: int) -> str:
    day = day_of(message.said_at, zone)
    speaker = json.dumps(speaker_of(message)[:80], ensure_ascii=False)
    # A JSON string: no line feed or quote in a message can end its quotation.
    return f"- {day:%A} {written(day)}, {speaker}: {json.dumps(readable(message)[:max_characters], ensure_ascii=False)}"


def _kept(text: str, last: LoggedMessage, max_characters: int) -> Summary:
    kept: list[str] = []
    room = max_characters
    for sentence in sentences(text):
        words = squeeze(sentence.text)
        if not is_safe_to_show(words, last):
            continue
        if len(words) > room:
            kept += [f"{words[: room - 1].rstrip()}…"] if not kept else []
            break
        kept.append(words)
        room -= len(words) + 1
    return Summary(text=" ".join(kept), pieces=tuple(kept))
