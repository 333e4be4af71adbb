"""Stories: everyday chats of several sessions, with what memory and prompts must and must not contain. Reads `told/`.

One TOML file a story; `docs/scripted.md` shows how to write one. In short:

    topic = "pets"               # one of TOPICS
    about = "One sentence on what is tempting here."
    user = "marta"               # optional: time_zone = "Europe/Rome", client = "history", every_turn = true
    never = ["Rex"]              # said by others, supposed, or never said: false in every prompt and in the store

    [[session]]
    at = 2026-03-02T18:20:00Z    # when its first message is sent; the others follow, a minute apart
    turns = [
      { user = "we got a cat!! she's called Miso", assistant = "Congrats!", learns = [
        { text = "Marta has a cat called Miso.", quote = "she's called Miso" },
      ] },
      { user = "what's my cat called?", must = ["Miso"], must_not = ["Mimi"] },
    ]

    [end]                        # the notes and facts after the last session
    holds = ["cat + Miso"]
    lacks = ["Mimi"]             # false in the store, and in the prompts of the last session
    slots = { name = "Marta" }   # facts of the keys in SLOTS must have these values; of a key not named there is none

Phrases are described in `phrase.py`.
"""

import tomllib
from datetime import UTC, date, datetime, timedelta
from functools import cache
from pathlib import Path
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field

FOLDER = Path(__file__).parent / "told"
BETWEEN_TURNS = timedelta(minutes=1)
# Facts of these keys describe the user as a whole: one that a story does not name is false.
SLOTS = frozenset(
    ("name", "pronouns", "location", "hometown", "job", "employer", "age", "birthday", "diet", "partner", "nationality")
)
TOPICS = (
    "job",
    "diet",
    "pets",
    "travel",
    "names",
    "forgetting",
    "tastes",
    "household",
    "dates",
    "code",
    "others",
    "fiction",
    "pasted",
    "health",
)
Topic = Literal[
    "job",
    "diet",
    "pets",
    "travel",
    "names",
    "forgetting",
    "tastes",
    "household",
    "dates",
    "code",
    "others",
    "fiction",
    "pasted",
    "health",
]
Phrases = tuple[str, ...]


class _Read(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True)


class Lesson(_Read):
    """What a good model learns from a turn: one item of its answer."""

    text: str = ""
    """The memory in one sentence; optional with `key` and `value`, `forget` or `ended`."""
    quote: str = ""
    """The words that state it; by default all of the message."""
    category: str = "identity"
    key: str = ""
    value: str = ""
    type: str = "fact"
    importance: float = 0.7
    updates: str = ""
    """A phrase in the memory that it corrects."""
    ended: bool = False
    """Whether the memory under `updates` has ended, without a replacement unless `text` gives one."""
    forget: str = ""
    """A phrase of the memories that the user wants forgotten."""
    since: date | None = None


class StoryTurn(_Read):
    """One message of the user, the answer, and what its prompt must contain."""

    user: str = Field(min_length=1)
    assistant: str = "Sure."
    system: str = ""
    """The client's system message, optional."""
    learns: tuple[Lesson, ...] = ()
    must: Phrases = ()
    must_not: Phrases = ()

    @property
    def is_follow_up(self) -> bool:
        """Return whether the story says what its prompt must or must not contain."""
        return bool(self.must or self.must_not)


class StorySession(_Read):
    """One conversation."""

    at: datetime
    turns: tuple[StoryTurn, ...] = Field(min_length=1)

    def said_at(self, place: int) -> datetime:
        """Return when the turn at that place, from 0, is said."""
        return self.at.astimezone(UTC) + place * BETWEEN_TURNS


class Ending(_Read):
    """The notes and facts after the last session."""

    holds: Phrases = ()
    lacks: Phrases = ()
    slots: dict[str, str] = {}


class Story(_Read):
    """One story."""

    name: str
    topic: Topic
    about: str
    user: str = "user"
    time_zone: str = "UTC"
    client: Literal["openwebui", "session", "history"] = "openwebui"
    """What the client sends: an id and the whole history, an id and only the newest message, or only the history."""
    every_turn: bool = False
    """Whether memories are formed after every turn instead of after every session."""
    never: Phrases = ()
    session: tuple[StorySession, ...]
    end: Ending

    @property
    def turns(self) -> list[StoryTurn]:
        """Return all turns in their order."""
        return [turn for session in self.session for turn in session.turns]


@cache
def stories(folder: Path = FOLDER) -> tuple[Story, ...]:
    """Read all stories of a folder, by name."""
    return tuple(
        Story.model_validate({"name": path.stem, **tomllib.loads(path.read_text("utf-8"))})
        for path in sorted(folder.glob("*.toml"))
    )
