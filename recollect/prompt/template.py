"""Templates of the blocks that memories are written into, one TOML file each. Reads the package's own files."""

import tomllib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from recollect.profiles.policies import PLACEHOLDER
from recollect.types import MAX_MEMORY_CHARACTERS, MemoryKind


class TemplateBlock(BaseModel):
    """One block: a head, a row for each memory, a foot."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: Literal["standing", "recalled"]
    """Whether it stays the same from turn to turn (standing facts), or is made for each."""
    kinds: frozenset[MemoryKind] = frozenset(MemoryKind)
    """Memories of which kinds it takes."""
    standing: bool | None = None
    """Whether it takes standing facts alone, all but these, or both (left out)."""
    order: Literal["slot", "rank", "turns"] = "rank"
    """Its rows: by category and key, in the order of the recall, or in the order in which it was said."""
    head: str
    tag: str = ""
    """Name of the tags around the rows; they stay where head and foot are replaced by one's own. Empty: none."""
    row: str
    rows: Mapping[MemoryKind, str] = Field(default_factory=dict)
    """Rows of single kinds instead of `row`; that of facts only where they have a key and a value."""
    numbered: bool = False
    foot: str = ""
    longest: int = MAX_MEMORY_CHARACTERS
    """Longest text of a memory in a row, in characters; what is longer is cut."""
    importance: Literal[1, 10] = 1
    """Importance is written from 0 to 1, or from 1 to 10."""


class Template(BaseModel):
    """The blocks of a template, in the order in which they stand."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chat_summary: bool = False
    """Whether it shows the summaries of the conversation itself, all in order, beside what is recalled."""
    blocks: tuple[TemplateBlock, ...]

    @property
    def single(self) -> bool:
        """Whether everything goes into the part that is made for each turn."""
        return all(block.part == "recalled" for block in self.blocks)


@cache
def template(name: str) -> Template:
    """Read a shipped template.

    >>> template("quotations").single
    False
    """
    text = files(__package__).joinpath("templates", f"{name}.toml").read_text("utf-8")
    return Template.model_validate(tomllib.loads(text))


def filled(source: str, value: Callable[[str], str]) -> str:
    """Fill the placeholders of a frame or row; what is filled in is not read again.

    A line behind the first whose placeholders are all empty is left out.

    >>> values = {"memoryType": "{{age}}", "sourceContext": ""}
    >>> filled("[{{memoryType}}]\\nContext: {{sourceContext}}", values.__getitem__)
    '[{{age}}]'
    """
    written = ""
    for place, pieces in enumerate(_pieces(source)):
        line, empty = pieces[0], place > 0 and len(pieces) > 1
        for at in range(1, len(pieces), 2):
            found = value(pieces[at])
            empty = empty and not found
            line += found + pieces[at + 1]
        if not empty:
            written += line if not place else "\n" + line
    return written.rstrip("\n")


@lru_cache(maxsize=256)
def _pieces(source: str) -> tuple[tuple[str, ...], ...]:
    """Take each line apart: words as they are, a placeholder's name, words as they are, and so on."""
    return tuple(tuple(PLACEHOLDER.split(line)) for line in source.split("\n"))
