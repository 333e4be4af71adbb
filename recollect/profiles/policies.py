"""The shape of a profile: a declared policy for every step. Pure."""

import re
from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from recollect.types import InjectionMode

Extractor = Literal["memories", "typed", "facts", "sentences", "paragraph"]
"""What is formed: notes and facts side by side; typed memories; facts alone; sentences that stand alone; a paragraph
on a whole conversation."""

PLACEHOLDER = re.compile(r"\{\{\s*+(\w+)\s*+\}\}")
"""A place in a template that a value is filled into."""
ROW_NAMES = ("memoryType", "importance", "age", "summary", "sourceContext", "text", "date", "speaker")
"""What a row of one's own may have filled in."""
FRAME_NAMES = ("app",)
"""What a prefix or suffix of one's own may have filled in."""
# Longest prefix, suffix or row of one's own, in characters: a frame, not a second prompt.
MAX_FRAME_CHARACTERS = 4_000


def check_placeholders(source: str | None, known: Sequence[str]) -> str | None:
    """Return a row or frame as it is.

    Raises:
        ValueError: it has a placeholder that nothing is filled into.
    """
    unknown = [name for name in PLACEHOLDER.findall(source or "") if name not in known]
    if unknown:
        raise ValueError(f"{{{{{unknown[0]}}}}} is filled in nowhere here; there are: {', '.join(known)}")
    return source


class _Policy(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SubjectPolicy(_Policy):
    """Which subject a conversation writes to, and what else is read beside it."""

    kind: Literal["user", "session", "app", "character"] = "user"
    """Kind of the subject written to: the user, the chat session, the app, or a character."""
    per_user: bool = True
    """Apps: each user of an app has their own memory of it; false: one for all who use the server."""
    cold_start: int = Field(default=0, ge=0)
    """With fewer personal memories than this, global ones are read as well; 0: never."""


class TriggerPolicy(_Policy):
    """When messages are formed."""

    when: Literal["every_turn", "periodic", "on_save", "on_end", "llm_triggered"] = "every_turn"
    every: int = Field(default=5, ge=1, le=1000)
    """`periodic`: turns between formations."""
    idle_s: float = Field(default=1800.0, ge=0, le=3600)
    """`on_end`: a conversation of which nothing was heard for so long has ended; 0: it ends by a call alone."""
    tools: tuple[Literal["searchMemories", "createMemory", "end_conversation"], ...] = ()
    """Tools that the model is offered in the proxy; its calls of them are done here, unseen by the client."""

    @property
    def offered(self) -> frozenset[str]:
        """The tools offered: with `llm_triggered`, which forms nothing else, at least the first two."""
        needed = ("searchMemories", "createMemory") if self.when == "llm_triggered" else ()
        return frozenset((*self.tools, *needed))


class FormPolicy(_Policy):
    """What becomes a memory, and from whose words."""

    extractor: Extractor = "memories"
    types: tuple[str, ...] = ()
    """`typed`: the classes a memory can have, the last one for what fits no other."""
    max_sentences: int = Field(default=2, ge=1, le=10)
    """`typed` and `paragraph`: longest memory."""
    summary: bool = False
    """`typed`: each memory carries a short summary beside its content."""
    without_model: Literal["statements", "records"] = "statements"
    """What rules form without a model: what is stated about the speaker, or every message worth keeping."""
    sources: tuple[Literal["user", "assistant"], ...] = ("user",)
    """Roles whose words form memories."""
    turns: bool = True
    """Whether messages are recallable as quotations."""
    min_importance: float = Field(default=0.3, ge=0, le=1)
    """Candidates below are ignored."""
    min_confidence: float = Field(default=0.4, ge=0, le=1)
    """Candidates below are ignored."""
    max_attempts: int = Field(default=5, ge=1)
    """Tries before a formation is parked."""
    on_error: Literal["retry", "skip"] = "retry"
    """When a model fails, or the database does twice: the formation is tried again, or passed over with the reason."""


class EpisodePolicy(_Policy):
    """How old turns become summaries."""

    window: int = Field(default=0, ge=0, le=1000)
    """Turns at which the oldest are summarised; 0: none are."""
    keep: int = Field(default=10, ge=1, le=1000)
    """Newest turns that stay in the window."""
    window_of: Literal["conversation", "user"] = "conversation"
    """Whose turns the window holds: one conversation's, or the user's across the conversations of this profile."""
    max_characters: int = Field(default=600, ge=80, le=10_000)
    """Longest summary of one episode."""
    so_far_characters: int = Field(default=2000, ge=0, le=100_000)
    """Longest summary of the chat so far in a prompt: of the newest episodes as many as fit; 0: none."""

    @model_validator(mode="after")
    def _keeps_less_than_the_window(self) -> "EpisodePolicy":
        if self.window and self.keep >= self.window:
            raise ValueError(f"keep is {self.keep} and window {self.window}: fewer turns stay than the window holds")
        return self


class ResolvePolicy(_Policy):
    """When two memories are one, and which of two values holds."""

    spelling: float = Field(default=0.8, ge=0, le=1)
    """Normalised Levenshtein similarity above which two notes may merge."""
    meaning: float = Field(default=0.995, ge=0, le=1)
    """Calibrated embedding similarity above which two notes may merge (the built-in embedder: a cosine of .97)."""
    wording: float = Field(default=0.97, ge=0, le=1)
    """Calibrated embedding similarity above which a note merges with one whose words of meaning all stand in it, or
    the other way round (the built-in embedder: a cosine of .77)."""
    neighbours: int = Field(default=10, ge=1, le=100)
    """How many existing memories a candidate is weighed against."""
    judge: bool = True
    """Whether a model, where one is configured, is asked what the rules leave open: at most one call a formation."""
    similar: float = Field(default=0.92, ge=0, le=1)
    """Calibrated embedding similarity from which a model is asked whether a note repeats or corrects a memory (the
    built-in embedder: a cosine of .66)."""
    change_beats_confidence: bool = True
    """Whether words of change ("moved to", "no longer") replace a surer value; else confidence alone decides."""


class CapacityPolicy(_Policy):
    """How many memories a subject may have."""

    max_memories: int = Field(default=0, ge=0)
    """Maximum number of notes and facts of a subject; 0: no limit."""
    policy: Literal["lowest_value", "fifo", "compact"] = "lowest_value"
    """What is evicted: the least valuable memory, the oldest, or what a model chooses (without one: the oldest)."""
    max_characters: int = Field(default=0, ge=0)
    """Maximum length of a formed memory; longer ones are cut. Manual additions and compactions may have twice as many.
    0: no limit."""


class AgePolicy(_Policy):
    """What time does to memories."""

    half_life_days: float = Field(default=0.0, ge=0)
    """After so long without use a memory weighs half in recall; 0: it keeps its weight."""
    expire_days: float = Field(default=0.0, ge=0)
    """Notes that were neither said nor used for so long are closed; 0: never."""
    prune_below: float = Field(default=0.0, ge=0, le=1)
    """Notes whose importance, worn off by age and kept by use, falls below this are closed; 0: never."""


class RecallPolicy(_Policy):
    """What is recalled, and how much of it."""

    limit: int = Field(default=10, ge=0, le=200)
    tokens: int = Field(default=800, ge=0)
    """Room in the prompt."""
    fact_importance: float = Field(default=0.5, ge=0, le=1)
    """Standing facts of at least this importance come first, whatever is asked."""
    floor: float = Field(default=0.15, ge=0, le=1)
    """`evidence`: lowest score of what goes into a prompt (a search shows all)."""
    similarity: float = Field(default=0.0, ge=0, le=1)
    """Lowest calibrated similarity of notes in a prompt; 0: words and time may speak for them alone."""
    lag: float = Field(default=0.0, ge=0, le=20)
    """With `similarity`: how far a note's log-odds of relevance may lie below those of the nearest one; 0: any way."""
    turns: bool = True
    """Whether quotations of past messages are recalled."""
    query: Literal["message", "conversation"] = "message"
    """What is searched for: the newest user message, or the recent conversation with it."""
    candidates: int = Field(default=0, ge=0, le=200)
    """How many near memories are ranked; 0: as many as the limit needs."""
    recent: int = Field(default=0, ge=0, le=200)
    """So many of the newest notes take part whatever is asked; of those under a tag, where the asker names one."""
    order: Literal["evidence", "similarity", "product", "updated"] = "evidence"
    """The rank: all evidence together; similarity times recency; importance times recency times similarity; or the
    last updated first. Recency is the decay of `age.half_life_days`."""
    episodes: int = Field(default=3, ge=0, le=50)
    """Most summaries of past turns in a prompt."""
    episode_distance: float = Field(default=0.4, ge=0, le=1)
    """Summaries at this distance (1 minus the calibrated similarity) or farther do not go into a prompt."""


class ContextPolicy(_Policy):
    """How recalled memory is written into a prompt, and where."""

    template: Literal["quotations", "session", "character", "app", "user", "tiered"] = "quotations"
    place: InjectionMode | None = None
    """None: as the setting `RECOLLECT_INJECTION` says."""
    prefix: str | None = Field(default=None, max_length=MAX_FRAME_CHARACTERS)
    """What stands before the memories of each block; None is the template's own."""
    suffix: str | None = Field(default=None, max_length=MAX_FRAME_CHARACTERS)
    """What stands behind them; None is the template's own."""
    row: str | None = Field(default=None, max_length=MAX_FRAME_CHARACTERS)
    """One memory; `{{memoryType}} {{importance}} {{age}} {{summary}} {{sourceContext}}` and others of `ROW_NAMES` are
    filled in. None is the template's own."""
    max_characters: int = Field(default=0, ge=0)
    """Longest text of memory in a prompt, in characters; 0: tokens alone bound it."""
    max_memory_characters: int = Field(default=0, ge=0)
    """Most characters of the memories in it together; headings, numbers and days are not counted. 0: no bound."""

    @field_validator("row", "prefix", "suffix")
    @classmethod
    def _known_names(cls, source: str | None, info: ValidationInfo) -> str | None:
        return check_placeholders(source, ROW_NAMES if info.field_name == "row" else FRAME_NAMES)


class BudgetPolicy(_Policy):
    """What memory work may cost a subject, in units of energy and in tokens."""

    capacity: float = Field(default=0.0, ge=0)
    """Units a subject can hold; 0: work is not rationed in units, nor by its share."""
    refill_per_day: float = Field(default=0.0, ge=0)
    """Units that come back in a day, evenly."""
    create: float = Field(default=12.0, ge=0)
    """What forming costs: a unit stands for some four tokens written, and a paragraph has fifty."""
    compact: float = Field(default=25.0, ge=0)
    """What a compaction costs: it rewrites about two paragraphs."""
    judge: float = Field(default=0.0, ge=0)
    """What asking a model which memory a new one corrects costs, beside the creation that asks."""
    turn: float = Field(default=240.0, ge=0)
    """What a chat turn counts for in the share of memory work in all: an answer of some thousand tokens."""
    critical: float = Field(default=0.2, ge=0, le=1)
    """Share of the capacity below which work waits."""
    max_share: float = Field(default=1.0, gt=0, le=1)
    """Below this stays the share of memory work in all units of 30 days: what would reach it waits; 1: no limit."""
    tokens_per_day: int = Field(default=0, ge=0)
    """Most tokens of models a subject and day (UTC); 0: no limit."""

    @model_validator(mode="after")
    def _holds_what_work_costs(self) -> "BudgetPolicy":
        dearest = max(self.create, self.compact, self.judge)
        if 0 < self.capacity < dearest:
            raise ValueError(f"capacity is {self.capacity:g} and work costs {dearest:g}: it could never be done")
        return self


class Profile(_Policy):
    """A named configuration of all policies."""

    name: str
    description: str
    subject: SubjectPolicy = SubjectPolicy()
    trigger: TriggerPolicy = TriggerPolicy()
    form: FormPolicy = FormPolicy()
    episodes: EpisodePolicy = EpisodePolicy()
    resolve: ResolvePolicy = ResolvePolicy()
    capacity: CapacityPolicy = CapacityPolicy()
    age: AgePolicy = AgePolicy()
    recall: RecallPolicy = RecallPolicy()
    context: ContextPolicy = ContextPolicy()
    budget: BudgetPolicy = BudgetPolicy()

    @model_validator(mode="after")
    def _classes_for_typed_memories(self) -> "Profile":
        if self.form.extractor == "typed" and not self.form.types:
            raise ValueError("form.extractor is typed: form.types must name the classes")
        return self
