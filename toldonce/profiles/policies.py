"""Profile models: a policy for every step. Pure."""

from collections.abc import Sequence
from typing import Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationInfo, field_validator, model_validator

from toldonce.lazy_pattern import LazyPattern
from toldonce.profiles.destinations import DestinationRule
from toldonce.types import InjectionMode

Extractor = Literal["memories", "typed", "facts", "sentences", "paragraph"]

PLACEHOLDER = LazyPattern(r"\{\{\s*+(\w+)\s*+\}\}")
"""A placeholder in a template."""
ROW_NAMES = ("memoryType", "importance", "age", "summary", "sourceContext", "text", "date", "speaker")
"""Placeholders of a custom row."""
FRAME_NAMES = ("app",)
"""Placeholders of a custom prefix or suffix."""
# Maximum length of a custom prefix, suffix or row: a frame, not a second prompt.
MAX_FRAME_CHARACTERS = 4_000


def check_placeholders(source: str | None, known: Sequence[str]) -> str | None:
    """Return a row or frame unchanged.

    Raises:
        ValueError: It has an unknown placeholder.
    """
    unknown = [name for name in PLACEHOLDER.findall(source or "") if name not in known]
    if unknown:
        raise ValueError(f"{{{{{unknown[0]}}}}} is not a placeholder here; placeholders are: {', '.join(known)}")
    return source


class _Policy(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid")


class SubjectPolicy(_Policy):
    """Which subject a conversation writes to, and what else it reads."""

    kind: Literal["user", "session", "app", "character"] = "user"
    """Kind of the subject written to: the user, the chat session, the app, or a character."""
    per_user: bool = True
    """For apps: each user has a separate memory; false: one memory for all users of the server."""
    with_app: bool = False
    """For users: a conversation of an app also reads and writes the user's memory of that app. What is said of the user
    belongs to the user, all else to the app."""
    cold_start: int = Field(default=0, ge=0)
    """With fewer personal memories than this, global ones are also read; 0: never."""


class TriggerPolicy(_Policy):
    """When memories are formed."""

    when: Literal["every_turn", "periodic", "on_save", "on_end", "llm_triggered"] = "every_turn"
    """After every turn; every few turns; when the conversation is saved; when it ends; or when the model asks."""
    every: int = Field(default=5, ge=1, le=1000)
    """`periodic`: turns between formations."""
    idle_s: float = Field(default=1800.0, ge=0, le=3600)
    """`on_end`: seconds of silence after which a conversation has ended; 0: only an explicit call ends it."""
    tools: tuple[Literal["searchMemories", "createMemory", "end_conversation"], ...] = ()
    """Tools that the proxy offers to the model. It executes their calls itself, hidden from the client."""

    @property
    def offered(self) -> frozenset[str]:
        """Tools offered to the model; `llm_triggered` needs at least the first two."""
        needed = ("searchMemories", "createMemory") if self.when == "llm_triggered" else ()
        return frozenset((*self.tools, *needed))


class FormPolicy(_Policy):
    """What becomes a memory, and from which speakers."""

    extractor: Extractor = "memories"
    """What is formed: notes and facts; typed memories; facts only; self-contained sentences; or a paragraph on a whole
    conversation."""
    types: tuple[str, ...] = ()
    """`typed`: the classes of memories; the last one is the fallback."""
    max_sentences: int = Field(default=2, ge=1, le=10)
    """`typed` and `paragraph`: maximum length of a memory, in sentences."""
    summary: bool = False
    """`typed`: each memory also has a short summary."""
    without_model: Literal["statements", "records"] = "statements"
    """What rules form without a model: statements about the speaker, or every relevant message."""
    sources: tuple[Literal["user", "assistant"], ...] = ("user",)
    """Roles whose words form memories."""
    turns: bool = True
    """Whether messages can be recalled as quotations."""
    min_importance: float = Field(default=0.3, ge=0, le=1)
    """Candidates below are ignored."""
    min_confidence: float = Field(default=0.4, ge=0, le=1)
    """Candidates below are ignored."""
    max_attempts: int = Field(default=5, ge=1)
    """Number of attempts before a formation is parked."""
    on_error: Literal["retry", "skip"] = "retry"
    """After a model failure, or a repeated database failure: retry the formation, or skip it with the reason."""


class EpisodePolicy(_Policy):
    """When old turns become summaries (episodes)."""

    window: int = Field(default=0, ge=0, le=1000)
    """Number of turns at which the oldest are summarised; 0: never."""
    keep: int = Field(default=10, ge=1, le=1000)
    """Number of newest turns that stay in the window."""
    window_of: Literal["conversation", "user"] = "conversation"
    """The window holds the turns of one conversation, or of all conversations of the user with this profile."""
    max_characters: int = Field(default=600, ge=80, le=10_000)
    """Maximum length of an episode's summary."""
    so_far_characters: int = Field(default=2000, ge=0, le=100_000)
    """Maximum length of the summary of the chat in a prompt, built from the newest episodes; 0: no summary."""

    @model_validator(mode="after")
    def _keeps_less_than_the_window(self) -> "EpisodePolicy":
        if self.window and self.keep >= self.window:
            raise ValueError(f"keep is {self.keep} and window {self.window}: keep must be smaller than window")
        return self


class ResolvePolicy(_Policy):
    """When two memories are the same, and which of two values is kept."""

    spelling: float = Field(default=0.8, ge=0, le=1)
    """Normalised Levenshtein similarity above which two notes merge that have the same words but for small ones, in
    whatever order."""
    meaning: float = Field(default=0.995, ge=0, le=1)
    """Calibrated embedding similarity from which a judge is asked about a note that the extractor takes for new (the
    built-in embedder: a cosine of .99)."""
    wording: float = Field(default=0.97, ge=0, le=1)
    """Calibrated embedding similarity above which such notes merge as well (the built-in embedder: a cosine of .79)."""
    neighbours: int = Field(default=10, ge=1, le=100)
    """Number of existing memories that a candidate is compared with."""
    judge: bool = True
    """Whether a configured model decides what the rules leave open: in the extractor's answer, or in a call of its own,
    at most one per formation."""
    similar: float = Field(default=0.92, ge=0, le=1)
    """Calibrated embedding similarity from which the model decides whether a note repeats or corrects a memory (the
    built-in embedder: a cosine of .68)."""
    change_beats_confidence: bool = True
    """Whether a newer value replaces a more confident one."""


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
    """How memories age."""

    half_life_days: float = Field(default=0.0, ge=0)
    """Days without use after which a memory has half its weight in recall; 0: no decay."""
    expire_days: float = Field(default=0.0, ge=0)
    """Notes neither repeated nor used for this many days are closed; 0: never."""
    prune_below: float = Field(default=0.0, ge=0, le=1)
    """Notes whose decayed importance falls below this are closed; 0: never."""


class RecallPolicy(_Policy):
    """What is recalled, and how much."""

    limit: int | None = Field(default=None, ge=0, le=200)
    """Maximum number of memories; none: as many as the tokens hold, one for each 40."""
    tokens: int = Field(default=800, ge=0)
    """Maximum tokens of memory in the prompt."""
    fact_importance: float = Field(default=0.5, ge=0, le=1)
    """Standing facts of at least this importance come first, for every query."""
    profile_tokens: int = Field(default=600, ge=0)
    """Maximum tokens of the profile block, within three quarters of `tokens`: the most important standing facts, of
    equal ones the newest. Facts on health, diet and other hard constraints come first and may take all of `tokens`.
    A fact without room is recalled for messages that it bears on."""
    floor: float = Field(default=0.15, ge=0, le=1)
    """`evidence`: minimum score for a prompt (a search shows all). With more than 800 tokens it is lower in proportion:
    more room is for more of what may bear on the message."""
    related: float = Field(default=0.15, ge=0, le=1)
    """`evidence`: minimum chance that a message has to do with anything known. Below it a prompt has standing facts,
    memories with a name of the message, and what is near to a message about its author; for small talk standing facts
    alone. Somewhat above it, more must speak for each memory. 0: no minimum."""
    similarity: float = Field(default=0.0, ge=0, le=1)
    """Minimum calibrated similarity of notes in a prompt; 0: none, words and time may be enough."""
    lag: float = Field(default=0.0, ge=0, le=20)
    """With `similarity`: maximum distance of a note's log-odds of relevance from the best note's; 0: no limit."""
    turns: bool = True
    """Whether quotations of past messages are recalled."""
    query: Literal["message", "conversation"] = "message"
    """Query: the newest user message alone, or with the recent conversation."""
    candidates: int = Field(default=0, ge=0, le=200)
    """Number of nearest memories to rank; 0: as many as the limit needs."""
    recent: int = Field(default=0, ge=0, le=200)
    """Number of newest notes that are always candidates (if the request names a tag: newest with that tag)."""
    order: Literal["evidence", "similarity", "product", "updated"] = "evidence"
    """Ranking: by all evidence; by similarity times recency; by importance times recency times similarity; or by last
    update. Recency is the decay of `age.half_life_days`."""
    episodes: int = Field(default=3, ge=0, le=50)
    """Maximum number of summaries of past turns in a prompt."""
    episode_distance: float = Field(default=0.4, ge=0, le=1)
    """Summaries at this distance (1 minus the calibrated similarity) or more are left out of a prompt."""


class ContextPolicy(_Policy):
    """How and where recalled memory is written into a prompt."""

    template: Literal["quotations", "session", "character", "app", "user", "tiered"] = "quotations"
    """Wording and layout of the blocks."""
    place: InjectionMode | None = None
    """Place of the blocks in the prompt; unset: as the setting `TOLDONCE_INJECTION` says."""
    prefix: str | None = Field(default=None, max_length=MAX_FRAME_CHARACTERS)
    """Text before the memories of each block; unset: that of the template."""
    suffix: str | None = Field(default=None, max_length=MAX_FRAME_CHARACTERS)
    """Text after the memories of each block; unset: that of the template."""
    row: str | None = Field(default=None, max_length=MAX_FRAME_CHARACTERS)
    """Format of one memory, with the placeholders `{{memoryType}} {{importance}} {{age}} {{summary}} {{sourceContext}}
    {{text}} {{date}} {{speaker}}`; unset: that of the template."""
    max_characters: int = Field(default=0, ge=0)
    """Maximum length of the memory text in a prompt; 0: limited by tokens only."""
    max_memory_characters: int = Field(default=0, ge=0)
    """Maximum total length of the memories in it, without headings, numbers and dates; 0: no limit."""

    @field_validator("row", "prefix", "suffix")
    @classmethod
    def _known_names(cls, source: str | None, info: ValidationInfo) -> str | None:
        return check_placeholders(source, ROW_NAMES if info.field_name == "row" else FRAME_NAMES)


class BudgetPolicy(_Policy):
    """Limits on memory work for a subject, in energy units and in tokens."""

    capacity: float = Field(default=0.0, ge=0)
    """Maximum number of units of a subject; 0: no limit on units or share."""
    refill_per_day: float = Field(default=0.0, ge=0)
    """Units refilled per day, continuously."""
    create: float = Field(default=12.0, ge=0)
    """Cost of a formation: a unit is about four generated tokens, and a paragraph has fifty."""
    compact: float = Field(default=25.0, ge=0)
    """Cost of a compaction, which rewrites about two paragraphs."""
    judge: float = Field(default=0.0, ge=0)
    """Cost of asking a model which memory a new one corrects, in addition to the formation."""
    turn: float = Field(default=240.0, ge=0)
    """Cost of a chat turn, for the share of memory work: an answer of about a thousand tokens."""
    critical: float = Field(default=0.2, ge=0, le=1)
    """Share of the capacity below which work waits."""
    max_share: float = Field(default=1.0, gt=0, le=1)
    """Memory work waits if it would reach this share of all units of the last 30 days; 1: no limit."""
    tokens_per_day: int | None = Field(default=None, ge=0)
    """Maximum model tokens per subject and day (UTC); unset: that of the settings; 0: no limit."""

    @model_validator(mode="after")
    def _holds_what_work_costs(self) -> "BudgetPolicy":
        highest_cost = max(self.create, self.compact, self.judge)
        if 0 < self.capacity < highest_cost:
            raise ValueError(f"capacity is {self.capacity:g} and work costs up to {highest_cost:g}: it could never run")
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
    destinations: tuple[DestinationRule, ...] = ()
    """Which memories may go to which model; empty: all to all."""

    @model_validator(mode="after")
    def _classes_for_typed_memories(self) -> "Profile":
        if self.form.extractor == "typed" and not self.form.types:
            raise ValueError("form.extractor is typed: form.types must name the classes")
        return self
