"""Scripted conversations with what memory must hold after them, as the files in `conversations/` say it. Reads them.

One TOML file a conversation:

    kind = "update"              # one of KINDS
    also = ["dates"]             # what else it shows, optional
    about = "One sentence on what this shows."
    user = "ana"                 # optional: profile = "default", time_zone = "Europe/Rome"

    [[session]]
    at = 2026-03-02T09:00:00Z    # when its first turn is said; the others follow, 30 seconds apart
    turns = [                    # roles: user, assistant, tool (a tool turn may have `name`)
      { role = "user", text = "I live in Rome." },
      { role = "assistant", text = "Noted." },
    ]
    model = [                    # what a good model answers for this session; `turn` counts its turns from 1
      { category = "identity", key = "location", value = "Rome", turn = 1, quote = "I live in Rome." },
      { text = "The user plays chess.", turn = 1, type = "preference", importance = 0.7, quote = "I play chess" },
      { text = "The user gave chess up.", turn = 1, quote = "I gave chess up", ends = "The user plays chess." },
      { ends = "The user plays chess.", turn = 1, quote = "Forget that I play chess." },   # ends it and keeps nothing
    ]

    [store]                      # the notes, facts and kept quotations at the end
    holds = [{ says = ["oslo"], not = ["rome"], turn = "2.1" }]
    may = [{ says = ["rain"] }]  # true as well, and worth keeping to some: neither demanded nor refused; optional
    closed = [{ says = ["rome"] }]
    absent = [["concert"], ["paris"]]
    only = true                  # nothing is held beyond `holds` and `may`: the default

    [[recall]]                   # what would go into a prompt that ends in this, a day after the last session
    ask = "Where do I live?"
    first = ["oslo"]
    finds = [["oslo"]]
    never = [["rome"]]

Words are regular expressions, looked for in the memory's line in lower case: its text, and of a fact its category, key
and value as well. All of `says` must be found and none of `not`.

The store's memories are those that are listed: notes, facts, and quotations that are kept.

- **holds**: at least one active memory matches. `turn` is the session and turn it must rest on, "2.1" or a list: some
  matching memory rests on each. Two notes, or two facts, that match the very same entries are a *double*; a note and a
  fact of the same words are not, nor two slots that one sentence states, nor quotations: what is said twice is.
- **closed**: a memory that was held, matches and has ended; it stands in the history. Or it is a dated quotation, and
  what ended it is held as well.
- **absent**: no active memory matches all these words, or it is a *false memory*; of a fact that quotes a sentence, its
  slot counts. A quotation that matches an entry of `holds` or `may` may have other words as well; any other one is
  *kept* for nothing.
- **only**: an active memory that matches no entry of `holds` and `may` is false, or kept for nothing, as well.
- **first**: the best result matches. Standing facts come first whatever is asked, as a block; so the best is one of
  them, or the first result behind them.
- **finds**: each list is matched by a standing fact or by one of the first five results behind them.
- **never**: no note, fact or summary in the result matches: those state what holds. A quotation of an old turn is shown
  with its speaker and date and states only what was said then; it may be shown, but not before the result that `first`
  asks for. Its date counts as part of its line (`2026-03-02`).
"""

import re
import tomllib
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Annotated, Literal

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field

from toldonce.prompt.rows import dated_words
from toldonce.types import Memory, MemoryKind

FOLDER = Path(__file__).parent / "conversations"
KINDS = (
    "add",
    "update",
    "delete",
    "nothing",
    "negation",
    "speakers",
    "dates",
    "duplicates",
    "hypothetical",
    "quotation",
    "joke",
    "others",
    "language",
    "tool",
)
Kind = Literal[
    "add",
    "update",
    "delete",
    "nothing",
    "negation",
    "speakers",
    "dates",
    "duplicates",
    "hypothetical",
    "quotation",
    "joke",
    "others",
    "language",
    "tool",
]
BETWEEN_TURNS = timedelta(seconds=30)

Words = tuple[str, ...]


def _listed(value: object) -> object:
    return [value] if isinstance(value, str) else value


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Said(_Read):
    """One turn."""

    role: Literal["user", "assistant", "tool"]
    text: str = Field(min_length=1)
    name: str = ""


class Item(_Read):
    """One memory of a good model's answer."""

    text: str = ""
    category: str = ""
    key: str = ""
    value: str = ""
    type: str = "fact"
    importance: float = 0.7
    turn: int
    quote: str
    ends: str = ""

    @property
    def words(self) -> str:
        """The memory's sentence: as written, or built from the slot of a fact or from what it ends."""
        if self.text:
            return self.text
        if self.key:
            return f"The user's {self.key.partition(':')[0].replace('_', ' ')} is {self.value}."
        return f"The user wants this forgotten: {self.ends}"


class Session(_Read):
    """One session of the conversation."""

    at: datetime
    turns: tuple[Said, ...]
    model: tuple[Item, ...] = ()

    def said_at(self, place: int) -> datetime:
        """When the turn at that place (from 0) was said."""
        return self.at.astimezone(UTC) + place * BETWEEN_TURNS

    @property
    def exchanges(self) -> list[list[int]]:
        """The places of the turns, one list for each user turn with what follows it."""
        found: list[list[int]] = []
        for place, turn in enumerate(self.turns):
            if turn.role == "user" or not found:
                found.append([])
            found[-1].append(place)
        return found


class Entry(_Read):
    """What a memory must and must not say."""

    says: Words = Field(min_length=1)
    lacks: Words = Field(default=(), alias="not")
    turn: Annotated[tuple[str, ...], BeforeValidator(_listed)] = ()

    def matches(self, memory: Memory) -> bool:
        """Whether the memory says all of it."""
        return self.says_all(line_of(memory))

    def says_all(self, line: str) -> bool:
        """Whether a line says all of it."""
        return all_in(self.says, line) and not any(re.search(word, line) for word in self.lacks)

    def __str__(self) -> str:
        return " + ".join(self.says)


class Expected(_Read):
    """The notes and facts at the end."""

    holds: tuple[Entry, ...]
    may: tuple[Entry, ...] = ()
    closed: tuple[Entry, ...] = ()
    absent: tuple[Words, ...] = ()
    only: bool = True


class Asked(_Read):
    """A question, and what must be recalled."""

    ask: str
    first: Words = ()
    finds: tuple[Words, ...] = ()
    never: tuple[Words, ...] = ()


class Case(_Read):
    """One scripted conversation."""

    name: str
    kind: Kind
    also: tuple[Kind, ...] = ()
    about: str
    user: str = "user"
    profile: str = "default"
    time_zone: str = "UTC"
    session: tuple[Session, ...]
    store: Expected
    recall: tuple[Asked, ...] = ()

    @property
    def kinds(self) -> tuple[str, ...]:
        """All capabilities that it shows."""
        return (self.kind, *self.also)


def line_of(memory: Memory) -> str:
    """Write a memory, a quotation with its days written out, as the text that is searched for words."""
    words = dated_words(memory, UTC) if memory.kind is MemoryKind.TURN else memory.text
    return (words + slot_of(memory)).lower()


def slot_of(memory: Memory) -> str:
    """Write a fact's category, key and value in lower case; nothing for another memory."""
    return f" {memory.category} {memory.key} {memory.value}".lower() if memory.kind is MemoryKind.FACT else ""


def all_in(says: Iterable[str], line: str) -> bool:
    """Whether all these expressions are found in a line."""
    return all(re.search(word, line) for word in says)


@cache
def cases() -> tuple[Case, ...]:
    """Read all conversations, by name."""
    return tuple(
        Case.model_validate({"name": path.stem, **tomllib.loads(path.read_text("utf-8"))})
        for path in sorted(FOLDER.glob("*.toml"))
    )
