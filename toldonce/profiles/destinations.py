"""Rules of a profile on which memories may go to which model, and the texts that they match. Pure.

A rule is written as one entry of the list `destinations`:

    [[destinations]]
    memories = { topics = ["health"] }
    only = [{ upstreams = ["localhost", "127.0.0.1"] }]
"""

from collections import Counter
from collections.abc import Callable, Sequence
from fnmatch import fnmatchcase
from typing import Annotated

from pydantic import BaseModel, ConfigDict, Field, model_validator

from toldonce.text import Topic, is_about, terms
from toldonce.types import Destination, Memory, MemoryKind

_MAX_NAMES, _MAX_NAME_CHARACTERS = 200, 200
Name = Annotated[str, Field(min_length=1, max_length=_MAX_NAME_CHARACTERS)]
Names = Annotated[tuple[Name, ...], Field(max_length=_MAX_NAMES)]


class _Pattern(BaseModel):
    """Every field that is given has to match; a field matches if any of its values does."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    @model_validator(mode="after")
    def _has_values(self) -> "_Pattern":
        empty = [name for name in self.model_fields_set if not getattr(self, name)]
        if empty:
            raise ValueError(f"{empty[0]} is empty; leave it out, or name what it matches")
        return self


class DestinationPattern(_Pattern):
    """Which destinations a rule means. `*` and `?` in a value match any characters; case does not count."""

    upstreams: Names = ()
    """Hosts of APIs, without the port."""
    models: Names = ()
    """Names of models."""
    clients: Names = ()
    """`chat`, `mcp`, `hook`, or names that callers of the library and of REST give."""

    def matches(self, destination: Destination) -> bool:
        """Return whether it means a destination; what is not known of that matches nothing."""
        given = (
            (self.upstreams, destination.upstream),
            (self.models, destination.model),
            (self.clients, destination.client),
        )
        return all(known is not None and _any_glob(patterns, known) for patterns, known in given if patterns)


class MemoryPattern(_Pattern):
    """Which memories a rule means; an empty pattern means all."""

    subjects: Names = ()
    """Owners, such as `user:ana` or `app:*`."""
    kinds: Annotated[tuple[MemoryKind, ...], Field(max_length=_MAX_NAMES)] = ()
    """Kinds of memories."""
    categories: Names = ()
    """Of facts: `identity`, `preference`, `constraint`, `instruction`."""
    keys: Names = ()
    """Slots of facts, such as `allergy:*`."""
    types: Names = ()
    """Classes of the extractor, such as `preference` or `insight`."""
    tags: Names = ()
    """Tags that a memory was given."""
    topics: Annotated[tuple[Topic, ...], Field(max_length=_MAX_NAMES)] = ()
    """What the text is about, by its words in any of eleven languages and by the fact's slot."""
    words: Names = ()
    """Words or phrases of the text, in any inflection that the text index knows."""

    def matches(self, memory: Memory) -> bool:
        """Return whether it means a memory, by what the memory itself says."""
        given: tuple[tuple[Sequence[str], Callable[[], bool]], ...] = (
            (self.subjects, lambda: _any_glob(self.subjects, memory.subject.text)),
            (self.kinds, lambda: memory.kind in self.kinds),
            (self.categories, lambda: _any_glob(self.categories, memory.category)),
            (self.keys, lambda: _any_glob(self.keys, memory.key)),
            (self.types, lambda: _any_glob(self.types, memory.type)),
            (self.tags, lambda: any(_any_glob(self.tags, tag) for tag in memory.detail.tags)),
            (self.topics, lambda: any(_is_about(topic, memory) for topic in self.topics)),
            (self.words, lambda: has_words(memory.text, self.words)),
        )
        return all(match() for values, match in given if values)


class DestinationRule(BaseModel):
    """Where some memories may go, or may not."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    memories: MemoryPattern = MemoryPattern()
    """The memories that it is about."""
    except_: MemoryPattern | None = Field(default=None, alias="except")
    """Those of them that may go everywhere."""
    only: Annotated[tuple[DestinationPattern, ...], Field(max_length=_MAX_NAMES)] = ()
    """The memories go to these destinations and no others."""
    never: Annotated[tuple[DestinationPattern, ...], Field(max_length=_MAX_NAMES)] = ()
    """The memories do not go to these destinations."""

    @model_validator(mode="after")
    def _says_where(self) -> "DestinationRule":
        if not (self.only or self.never):
            raise ValueError("it says neither `only` nor `never`: name the destinations")
        return self

    def forbids(self, destination: Destination) -> bool:
        """Return whether it keeps its memories from a destination."""
        if any(pattern.matches(destination) for pattern in self.never):
            return True
        return bool(self.only) and not any(pattern.matches(destination) for pattern in self.only)

    def matches(self, memory: Memory) -> bool:
        """Return whether it is about a memory."""
        return self.memories.matches(memory) and not self.excepts(memory)

    def excepts(self, memory: Memory) -> bool:
        """Return whether it lets a memory go everywhere."""
        return self.except_ is not None and self.except_.matches(memory)


def rules_against(rules: Sequence[DestinationRule], destination: Destination) -> tuple[DestinationRule, ...]:
    """Return the rules that keep their memories from a destination."""
    return tuple(rule for rule in rules if rule.forbids(destination))


def has_words(text: str, wanted: Sequence[str]) -> bool:
    """Return whether a text has all words of one of some phrases.

    >>> has_words("Ana's knees hurt", ["knee", "back pain"]), has_words("Ana is back", ["back pain"])
    (True, False)
    """
    known = terms(text)
    return any(_has_all(known, phrase) for phrase in wanted)


def _has_all(known: Counter[str], phrase: str) -> bool:
    needed = terms(phrase)
    return bool(needed) and all(term in known for term in needed)


def _is_about(topic: Topic, memory: Memory) -> bool:
    if topic == "health" and memory.is_about_health:
        return True
    return is_about(topic, f"{memory.text} {memory.key} {memory.value}")


def _any_glob(patterns: Sequence[str], value: str) -> bool:
    folded = value.casefold()
    return bool(value) and any(fnmatchcase(folded, pattern.casefold()) for pattern in patterns)
