"""The extractor and the summarizer that ask a language model. Await the model they are given.

Each checks the answer item by item. The model sees numbers instead of ids, and messages as JSON strings, so that no
message can pretend to be part of the question. An answer that breaks off is asked on from its last whole item.
"""

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import tzinfo
from typing import Any

from pydantic import ValidationError

from toldonce.dates.mention import written
from toldonce.errors import ModelDownError, ModelError, ModelFault
from toldonce.extraction.own_text.chat_bridges import by_speaker
from toldonce.extraction.own_text.own_words import own_words
from toldonce.extraction.question import question
from toldonce.extraction.redaction import redact
from toldonce.extraction.rules.summary import Summary, is_safe_to_show
from toldonce.extraction.schemas import MEMORIES, OutputSchema
from toldonce.extraction.schemas.output_schema import UnusableError, prompt
from toldonce.extraction.sources import Exchange, ExtractionInput, readable, speaker_of
from toldonce.providers.protocols import LanguageModel, ModelUsage
from toldonce.reading.sentences import sentences
from toldonce.text import clean, squeeze
from toldonce.time_zones import day_of, zone_of
from toldonce.types import Candidate, LoggedMessage

# Cap on one answer: more items mean a runaway or manipulated model.
MAX_CANDIDATES, MAX_PER_MESSAGE = 20, 4
# Questions after the first one while answers break off; and how many in a row may bring nothing new.
MAX_CONTINUATIONS, MAX_FRUITLESS = 8, 2
SCHEMA_NAME = "memories"


@dataclass(frozen=True, slots=True, kw_only=True)
class ModelExtraction:
    """What the model proposed, and what was dropped."""

    candidates: tuple[Candidate, ...] = ()
    usage: ModelUsage | None = None
    calls: int = 0
    dropped: tuple[str, ...] = ()
    """The reason for each dropped item, without the item's text."""
    unusable: bool = False
    """The answer has the wrong form: no list, or no item that fits the schema."""
    broke_off: bool = False
    """The answer ended too early, however often it was asked on: messages are left that the model did not get to."""
    at_limit: bool = False
    """It broke off only as far as its server says: a further answer with nothing new is the end of it."""


async def extract_by_model(
    source: ExtractionInput, model: LanguageModel, shape: OutputSchema = MEMORIES
) -> ModelExtraction:
    """Extract with a question to a model, and further ones while its answers break off.

    The model refers to messages and known memories by the numbers it was shown, never by subject or id. A bad item is
    dropped with its reason; the others are kept. Secrets are removed from question and answer.

    Raises:
        ModelError: the model failed; nothing was extracted.
    """
    source = replace(source, messages=tuple(by_speaker(source.messages)))
    shown = {*source.invented, *(seq for seq, carried in source.carried.items() if carried.given)}
    if not any(m.role in source.sources and (readable(m) or m.seq in shown) for m in source.messages):
        return ModelExtraction()
    read = await _asked(source, model, shape)
    rest, fruitless = source, 0
    for _ in range(MAX_CONTINUATIONS):
        if not read.broke_off or fruitless == MAX_FRUITLESS:
            break
        rest = rest if shape.whole else _left(source, read.candidates)
        try:
            further = await _asked(rest, model, shape, given=read.candidates)
        except ModelDownError:
            raise
        except ModelError as error:
            if error.fault is not ModelFault.REQUEST:
                raise
            break
        if further.unusable:  # nonsense tells nothing of what is left
            break
        found = _together(read, further)
        fruitless = 0 if len(found.candidates) > len(read.candidates) else fruitless + 1
        read = found
    return read


def _left(source: ExtractionInput, given: Sequence[Candidate]) -> ExtractionInput:
    """Leave the messages that no item covers, and that of the last one, which may state more; others go before them."""
    covered = {candidate.seq for candidate in given} - {candidate.seq for candidate in given[-1:]}
    passed = tuple(message for message in source.messages if message.seq in covered)
    left = tuple(message for message in source.messages if message.seq not in covered)
    return replace(source, messages=left, earlier=(*source.earlier, *passed))


def _together(read: ModelExtraction, further: ModelExtraction) -> ModelExtraction:
    """Add what a further answer brings: a model may give again what it was told that it had given."""
    known = {(candidate.seq, candidate.text) for candidate in read.candidates}
    new = [candidate for candidate in further.candidates if (candidate.seq, candidate.text) not in known]
    return ModelExtraction(
        candidates=(*read.candidates, *new),
        usage=_sum(read.usage, further.usage),
        calls=read.calls + further.calls,
        dropped=(*read.dropped, *further.dropped),
        broke_off=further.broke_off and not (further.at_limit and not new),
    )


def _sum(one: ModelUsage | None, other: ModelUsage | None) -> ModelUsage | None:
    if one is None or other is None:
        return one or other
    return ModelUsage(
        prompt_tokens=one.prompt_tokens + other.prompt_tokens,
        completion_tokens=one.completion_tokens + other.completion_tokens,
    )


async def _asked(
    source: ExtractionInput, model: LanguageModel, shape: OutputSchema, *, given: Sequence[Candidate] | None = None
) -> ModelExtraction:
    """Ask once; `given`: what the answers so far hold, which broke off; None with the first question."""
    try:
        answer = await model.answer(
            system=shape.system, user=question(source, shape, given=given), schema=shape.schema, schema_name=SCHEMA_NAME
        )
    except ModelError as error:
        if not error.broke_off:
            raise
        return ModelExtraction(calls=1, dropped=(str(error),), broke_off=True)
    read = _read(answer.data, source, shape, after=given[-1].item if given else len(source.neighbours))
    at_limit = answer.at_limit and not shape.whole and bool(read.candidates)
    is_cut = answer.broke_off or at_limit
    return ModelExtraction(
        # Part of a paragraph is none: the messages that it names may be missing.
        candidates=() if is_cut and shape.whole else tuple(read.candidates),
        usage=answer.usage,
        calls=answer.calls,
        dropped=(*(() if is_cut else answer.remarks), *read.dropped),
        unusable=read.unusable and not is_cut,
        broke_off=is_cut,
        at_limit=at_limit,
    )


@dataclass(frozen=True, slots=True)
class _Items:
    """Candidates and dropped items of one answer."""

    candidates: list[Candidate]
    dropped: list[str]
    unusable: bool


def _read(data: object, source: ExtractionInput, shape: OutputSchema, *, after: int) -> _Items:
    """Read the items of an answer, which are numbered on from `after`."""
    items = shape.items(data)
    if items is None:
        return _Items([], [shape.missing], unusable=True)
    most = max(MAX_CANDIDATES, MAX_PER_MESSAGE * len(source.messages))
    dropped = [f"{len(items) - most} items beyond the first {most}"] if len(items) > most else []
    candidates: list[Candidate] = []
    malformed = 0
    for place, raw in enumerate(items[:most], start=1):
        source = replace(source, items=after + place - 1 - len(source.neighbours))
        try:
            candidates.append(replace(shape.read(raw, source), by_model=True, item=after + place))
        except ValidationError as error:
            malformed += 1
            first = error.errors(include_url=False, include_input=False)[0]
            where = ".".join(str(part) for part in first["loc"]) or "item"
            dropped.append(f"item {place}: {where}: {first['msg']}")
        except UnusableError as error:
            dropped.append(f"item {place}: {error}")
    return _Items(candidates, dropped, unusable=0 < malformed == min(len(items), most))


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
