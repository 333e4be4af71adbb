"""Sum up a stretch of a chat with one question to a model. Awaits the model it is given."""

import json
from collections.abc import Mapping, Sequence
from functools import lru_cache
from importlib.resources import files
from typing import Any
from zoneinfo import ZoneInfo

from recollect.dates.mention import written
from recollect.errors import ModelError
from recollect.extraction.own_words import own_words
from recollect.extraction.redaction import scrub
from recollect.extraction.rules.summary import Summary, may_stand
from recollect.extraction.sentences import sentences
from recollect.extraction.sources import readable, speaker_of
from recollect.extraction.turns import Exchange
from recollect.providers.protocols import LanguageModel
from recollect.text import clean, squeeze
from recollect.types import LoggedMessage

SCHEMA_NAME = "summary"
SCHEMA: Mapping[str, Any] = {
    "type": "object",
    "properties": {"summary": {"type": "string"}},
    "required": ["summary"],
    "additionalProperties": False,
}
# Characters of all messages that one question shows, some 6,000 tokens, shared among them; each gets at least so many.
_SHOWN, _SHOWN_EACH = 24_000, 200


@lru_cache(maxsize=4)
def _prompt(name: str) -> str:
    return (files("recollect.extraction") / "prompts" / name).read_text("utf-8").strip()


async def summarise_by_model(
    turns: Sequence[Exchange], model: LanguageModel, *, zone: ZoneInfo, longest: int
) -> Summary:
    """Ask for a summary, and keep of the answer what may stand in a prompt.

    Secrets are scrubbed from what is asked and answered; sentences that give planted orders are dropped.

    Raises:
        ModelError: the model failed, or its answer holds no summary.
    """
    spoken = [one for turn in turns for one in turn if one.role in ("user", "assistant") and readable(one)]
    if not spoken:
        return Summary(text="", pieces=())
    answer = await model.answer(
        system=_prompt("summary.system.txt").replace("{longest}", str(longest)),
        user=_question(spoken, zone),
        schema=SCHEMA,
        schema_name=SCHEMA_NAME,
    )
    text = answer.data.get("summary") if isinstance(answer.data, dict) else answer.data
    if not isinstance(text, str) or not squeeze(text):
        raise ModelError("the answer holds no summary; the turns are summed up again later")
    return _kept(scrub(own_words(clean(text), speaker="assistant")), spoken[-1], longest)


def _question(messages: Sequence[LoggedMessage], zone: ZoneInfo) -> str:
    each = max(_SHOWN_EACH, _SHOWN // len(messages))
    parts = {"{time_zone}": zone.key, "{messages}": "\n".join(_line(one, zone, each) for one in messages)}
    lines = []
    # Line by line, one placeholder a line: words of a message that look like a placeholder are never replaced.
    for line in _prompt("summary.user.txt").splitlines():
        name = next((name for name in parts if name in line), "")
        lines.append(line.replace(name, parts[name]) if name else line)
    return "\n".join(lines)


def _line(message: LoggedMessage, zone: ZoneInfo, longest: int) -> str:
    day = message.said_at.astimezone(zone).date()
    speaker = json.dumps(speaker_of(message)[:80], ensure_ascii=False)
    # One JSON string: no line feed or quote in a message can end its quotation.
    return f"- {day:%A} {written(day)}, {speaker}: {json.dumps(readable(message)[:longest], ensure_ascii=False)}"


def _kept(text: str, last: LoggedMessage, longest: int) -> Summary:
    kept: list[str] = []
    room = longest
    for sentence in sentences(text):
        words = squeeze(sentence.text)
        if not may_stand(words, last):
            continue
        if len(words) > room:
            kept += [f"{words[: room - 1].rstrip()}…"] if not kept else []
            break
        kept.append(words)
        room -= len(words) + 1
    return Summary(text=" ".join(kept), pieces=tuple(kept))
