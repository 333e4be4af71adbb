"""Extraction modes: as in the settings, quotations only, or the observations of the data set. Pure.

`turns` shows what recall finds without extraction. `observations` shows what it finds with the observations recorded in
the data set: they are given as answers of a model, so that evidence, resolution and all later steps are the engine's
own.
"""

import json
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any, Literal, get_args

from toldonce.datasets.dataset import DatasetConversation, DatasetTurn, Observation
from toldonce.extraction.llm import SCHEMA_NAME
from toldonce.extraction.sources import readable_text, speaker_kind
from toldonce.lazy_pattern import LazyPattern
from toldonce.profiles.policies import Profile
from toldonce.profiles.registry import ProfileRegistry
from toldonce.providers.protocols import ModelAnswer, ModelUsage, TokenCounter

Formed = Literal["settings", "turns", "observations"]
FORMED: tuple[Formed, ...] = get_args(Formed)
MODEL = "recorded-observations"
# A message in the extractor's prompt: number, date, speaker and text.
_LINE = LazyPattern(r"\[(\d+)\] (?:\w+ \d+ \w+ \d+, )?(\"(?:[^\"\\]|\\.)*\"): (\".*\")")
# Characters of a message in a quote, and in the extractor's prompt.
_QUOTE_CHARACTERS, _PROMPT_CHARACTERS = 200, 8_000


class ShapedProfiles(ProfileRegistry):
    """Profiles of an installation, one of them with a changed extraction mode."""

    def __init__(
        self, folder: Path | None, name: str, formed: Formed, recall: Mapping[str, int | None] | None = None
    ) -> None:
        """Read the profiles and change the one called `name`; `recall` replaces fields of its policy for recall."""
        super().__init__(folder)
        profile = shaped(self.get(name), formed)
        changed = {"recall": profile.recall.model_copy(update=recall)} if recall else {}
        self._profiles[name] = profile.model_copy(update=changed)


def shaped(profile: Profile, formed: Formed) -> Profile:
    """Return a profile that forms only quotations, or from both speakers.

    >>> shaped(ProfileRegistry().get("default"), "turns").form.sources
    ()
    """
    if formed == "settings":
        return profile
    sources = () if formed == "turns" else ("user", "assistant")
    return profile.model_copy(update={"form": profile.form.model_copy(update={"sources": sources})})


class RecordedModel:
    """Language model that answers the extractor with the data set's observations on the given messages."""

    def __init__(self, counter: TokenCounter) -> None:
        self._counter = counter
        self._seen: Mapping[tuple[str, str], Sequence[Observation]] = {}

    @property
    def name(self) -> str:
        """The model's name."""
        return MODEL

    def learn(self, conversation: DatasetConversation) -> None:
        """Load the observations of the next conversation."""
        self._seen = by_words(conversation.turns, conversation.observations)

    async def answer(self, *, system: str, user: str, schema: Mapping[str, Any], schema_name: str) -> ModelAnswer:
        """Answer the extractor with observations, and any other question with an empty value of its schema."""
        data = {"memories": list(self._memories(user))} if schema_name == SCHEMA_NAME else emptiest(schema)
        usage = ModelUsage(
            prompt_tokens=sum(map(self._counter.count, (system, user, json.dumps(schema)))),
            completion_tokens=self._counter.count(json.dumps(data)),
        )
        return ModelAnswer(data=data, usage=usage, calls=1)

    async def close(self) -> None:
        """Do nothing."""

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
    """Index observations by speaker and text of the turns they are based on.

    Of several turns by one speaker, the last one counts.
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
            words = readable_text(turn.text, quotations=turn.role == "assistant", speaker=kind)[:_PROMPT_CHARACTERS]
            found[speaker, words].append(observation)
    return found


def item(text: str, number: int, words: str) -> dict[str, Any]:
    """Format an observation as a memory of the extractor's schema."""
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
        "quote": words[:_QUOTE_CHARACTERS],
        "repeats": None,
        "updates": None,
        "ended": False,
        "valid_from": None,
    }


def emptiest(schema: Mapping[str, Any]) -> Any:
    """Return an empty value of a schema.

    >>> emptiest({"type": "object", "properties": {"verdicts": {"type": "array"}}})
    {'verdicts': []}
    """
    kind = schema.get("type")
    kind = kind[-1] if isinstance(kind, list) else kind
    if kind == "object":
        return {name: emptiest(part) for name, part in schema.get("properties", {}).items()}
    return {"array": [], "string": "", "integer": 0, "number": 0, "boolean": False}.get(str(kind))
