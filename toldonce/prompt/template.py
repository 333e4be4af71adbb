"""Templates of the blocks that memories are written into, one TOML file each. Reads the package's own files."""

import tomllib
from collections.abc import Callable, Mapping
from functools import cache, lru_cache
from importlib.resources import files
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

from toldonce.profiles.policies import PLACEHOLDER
from toldonce.types import MAX_MEMORY_CHARACTERS, MemoryKind


class TemplateBlock(BaseModel):
    """One block: a head, a row for each memory, a foot."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    part: Literal["standing", "recalled"]
    """Whether it stays the same from turn to turn (standing facts), or is made for each turn."""
    kinds: frozenset[MemoryKind] = frozenset(MemoryKind)
    """Kinds of memories that it takes."""
    standing: bool | None = None
    """True takes only standing facts, False all others, None both."""
    order: Literal["importance", "nearest", "headings", "rank", "turns"] = "rank"
    """Order of its rows: most important first, nearest in meaning first, under the headings of the file, by rank, or as
    the turns were said."""
    head: str
    tag: str = ""
    """Name of the tags around the rows, which stay if a policy replaces head and foot. Empty: none."""
    row: str
    rows: Mapping[MemoryKind, str] = Field(default_factory=dict)
    """Rows of single kinds instead of `row`; that of facts is used only for those with a key and a value."""
    numbered: bool = False
    foot: str = ""
    longest: int = MAX_MEMORY_CHARACTERS
    """Longer texts of memories are cut."""
    importance: Literal[1, 10] = 1
    """Importance is written from 0 to 1, or from 1 to 10."""


class Template(BaseModel):
    """The blocks of a template, in order."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    chat_summary: bool = False
    """Whether it shows all summaries of the conversation itself, in order, besides what is recalled."""
    blocks: tuple[TemplateBlock, ...]

    @property
    def single(self) -> bool:
        """Whether every block is made for each turn."""
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
    """Fill the placeholders of a frame or row; values are not searched for placeholders.

    A line after the first whose placeholders are all empty is left out.

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
    """Split each line: text, a placeholder's name, text, and so on."""
    return tuple(tuple(PLACEHOLDER.split(line)) for line in source.split("\n"))
