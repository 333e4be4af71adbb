"""What is formed beside the log: as the settings say, quotations alone, or what the data set observed. Pure.

`turns` shows what recall finds without any extraction. `observations` shows what it finds when extraction is as good as
the people or models who recorded the observations of the data set: they are given as a model's answers, so that
evidence, resolution and everything behind them is the engine's own.
"""

import json
import re
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from recollect.datasets.dataset import DatasetConversation, DatasetTurn, Observation
from recollect.extraction.llm import SCHEMA_NAME
from recollect.extraction.sources import readable_text, speaker_kind
from recollect.profiles.policies import Profile
from recollect.profiles.registry import ProfileRegistry
from recollect.providers.protocols import ModelAnswer, ModelUsage, TokenCounter

Formed = Literal["settings", "turns", "observations"]
FORMED: tuple[Formed, ...] = get_args(Formed)
MODEL = "recorded-observations"
# A message of the extractor's question: its number, day, speaker and words.
_LINE = re.compile(r"\[(\d+)\] \w+ \d+ \w+ \d+, (\"(?:[^\"\\]|\\.)*\"): (\".*\")")
# As much of a message as a quote needs, and as a question shows of it.
_QUOTE, _SHOWN = 200, 8_000


class ShapedProfiles(ProfileRegistry):
    """The profiles of an installation, one of which forms as an evaluation wants."""

    def __init__(self, folder: Path | None, name: str, formed: Formed) -> None:
        """Read the profiles and change the one called `name`."""
        super().__init__(folder)
        self._profiles[name] = shaped(self.get(name), formed)


def shaped(profile: Profile, formed: Formed) -> Profile:
    """Return a profile that forms nothing but quotations, or of the words of both speakers.

    >>> shaped(ProfileRegistry().get("default"), "turns").form.sources
    ()
    """
    if formed == "settings":
        return profile
    sources = () if formed == "turns" else ("user", "assistant")
    return profile.model_copy(update={"form": profile.form.model_copy(update={"sources": sources})})


class RecordedModel:
    """A language model that answers the extractor with what a data set observed of the messages it is shown."""

    def __init__(self, counter: TokenCounter) -> None:
        """Count tokens, the schema's with them, by `counter`."""
        self._counter = counter
        self._seen: Mapping[tuple[str, str], Sequence[Observation]] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return MODEL

    def learn(self, conversation: DatasetConversation) -> None:
        """Take the observations of the conversation that is told from here on."""
        self._seen = by_words(conversation.turns, conversation.observations)

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Answer the extractor with observations; any other question with the emptiest value of its schema."""
        data = {"memories": list(self._memories(user))} if schema_name == SCHEMA_NAME else emptiest(schema)
        usage = ModelUsage(
            prompt_tokens=sum(map(self._counter.count, (system, user, json.dumps(schema)))),
            completion_tokens=self._counter.count(json.dumps(data)),
        )
        return ModelAnswer(data=data, usage=usage, calls=1)

    async def close(self) -> None:
        """Do nothing: it holds nothing."""

    def _memories(self, question: str) -> Iterable[dict[str, Any]]:
        for line in question.partition("\nMessages:\n")[2].splitlines():
            found = _LINE.fullmatch(line)
            if found is not None:
                words = json.loads(found[3])
                for observation in self._seen.get((json.loads(found[2]), words), ()):
                    yield item(observation.text, int(found[1]), words)


def by_words(
    turns: Sequence[DatasetTurn], observations: Iterable[Observation]
) -> Mapping[tuple[str, str], Sequence[Observation]]:
    """Index observations by who says the words they rest on, and these words.

    Of several turns by one speaker the last counts: then all of it was said.
    """
    known = {turn.id: turn for turn in turns}
    order = {turn.id: place for place, turn in enumerate(turns)}
    found: defaultdict[tuple[str, str], list[Observation]] = defaultdict(list)
    for observation in observations:
        last = {
            known[id_].speaker or known[id_].role: known[id_]
            for id_ in sorted(observation.turns, key=order.__getitem__)
        }
        for speaker, turn in last.items():
            kind = speaker_kind(turn.role, turn.speaker)
            words = readable_text(turn.text, quotations=turn.role == "assistant", speaker=kind)[:_SHOWN]
            found[speaker, words].append(observation)
    return found


def item(text: str, number: int, words: str) -> dict[str, Any]:
    """Write an observation as the extractor's schema wants a memory."""
    return {
        "kind": "note",
        "text": text,
        "category": "",
        "key": "",
        "value": "",
        "type": "fact",
        "importance": 0.6,
        "confidence": 0.9,
        "message": number,
        "quote": words[:_QUOTE],
        "updates": None,
        "ended": False,
        "valid_from": None,
    }


def emptiest(schema: Mapping[str, Any]) -> Any:
    """Make the emptiest value of a schema.

    >>> emptiest({"type": "object", "properties": {"verdicts": {"type": "array"}}})
    {'verdicts': []}
    """
    kind = schema.get("type")
    kind = kind[-1] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: emptiest(part) for name, part in schema.get("properties", {}).items()}
    return {"array": [], "string": "", "integer": 0, "number": 0, "boolean": False}.get(str(kind))
