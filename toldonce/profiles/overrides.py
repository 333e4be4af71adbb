"""Apply the options of one conversation to its profile. Pure.

A profile's interface decides what the options are called: one for characters, one for sessions.
"""

from collections.abc import Mapping
from typing import Any, ClassVar, Literal

from pydantic import BaseModel, ConfigDict, Field, ValidationError, field_validator

from toldonce.errors import BadRequestError
from toldonce.profiles.policies import FRAME_NAMES, MAX_FRAME_CHARACTERS, ROW_NAMES, Profile, check_placeholders
from toldonce.types import INTERACTION_MODES

# Factor between the odds of a threshold for raw cosines and those of the equivalent calibrated relevance.
_ODDS_OF_RAW_COSINES = 75


class _Options(BaseModel):
    model_config = ConfigDict(frozen=True, extra="forbid", strict=True, allow_inf_nan=False)

    interaction: str | None = None
    """Style in which memories are extracted."""

    @field_validator("interaction")
    @classmethod
    def _known_mode(cls, mode: str | None) -> str | None:
        if mode is not None and mode not in INTERACTION_MODES:
            raise ValueError(f"is one of {', '.join(INTERACTION_MODES)}")
        return mode

    POLICIES: ClassVar[Mapping[str, Mapping[str, str]]] = {}
    """For each policy of a profile, which of its values is set by which option."""

    def apply_to(self, profile: Profile) -> Profile:
        """Return the profile with the given options applied."""
        values = self.model_dump(include=self.model_fields_set)
        given = {
            policy: {name: values[option] for name, option in options.items() if option in values}
            for policy, options in self.POLICIES.items()
        }
        return with_policies(profile, given)

    @classmethod
    def defaults(cls, profile: Profile) -> dict[str, Any]:
        """Return the options that apply where none is given, by their names in the interface; without unset ones."""
        policies = profile.model_dump(include=set(cls.POLICIES))
        of_profile = {
            option: policies[policy][name]
            for policy, options in cls.POLICIES.items()
            for name, option in options.items()
        }
        found = {field.alias or own: of_profile.get(own, field.default) for own, field in cls.model_fields.items()}
        return {name: value for name, value in found.items() if value is not None}


def with_policies(profile: Profile, values: Mapping[str, Mapping[str, Any]]) -> Profile:
    """Return a profile with some values of its policies replaced."""
    return profile.model_copy(
        update={
            "recall": profile.recall.model_copy(update=values.get("recall")),
            "context": profile.context.model_copy(update=values.get("context")),
            "trigger": profile.trigger.model_copy(update=values.get("trigger")),
            "capacity": profile.capacity.model_copy(update=values.get("capacity")),
            "form": profile.form.model_copy(update=values.get("form")),
        }
    )


def calibrate_threshold(threshold: float) -> float:
    """Convert a threshold for raw cosines, 0 to 1, into one for calibrated relevance.

    In the systems that define these options, a threshold of 0.7 lets about a third of unrelated texts pass. With the
    static embedder and sentences about people's lives, the odds of calibrated relevance at which that happens are
    lower by a factor of about 75.

    >>> calibrate_threshold(0), calibrate_threshold(0.7), calibrate_threshold(0.8), calibrate_threshold(0.99)
    (0.0, 0.03, 0.05, 0.57)
    """
    return round(threshold / (threshold + (1 - threshold) * _ODDS_OF_RAW_COSINES), 2)


class CharacterSettings(_Options):
    """Options of a conversation of two characters."""

    system_character: str | None = Field(default=None, alias="systemCharacter", min_length=1)
    """Character played by the assistant."""
    user_character: str | None = Field(default=None, alias="userCharacter", min_length=1)
    """Character played by the user."""
    use_memory: bool = Field(default=False, alias="useMemory")
    injection_mode: Literal["system_append", "context_message", "user_prefix"] = Field(
        default="system_append", alias="memoryInjectionMode"
    )
    extraction_mode: Literal["every_turn", "periodic", "on_save", "llm_triggered"] = Field(
        default="periodic", alias="memoryExtractionMode"
    )
    max_context: int = Field(default=5, alias="maxMemoryContext", ge=0, le=200)
    """Maximum number of memories in a prompt."""
    max_tokens: int = Field(default=500, alias="maxMemoryTokens", ge=0)
    """Maximum tokens of memories in a prompt."""
    extraction_interval: int = Field(default=5, alias="memoryExtractionInterval", ge=1, le=1000)
    """`periodic`: turns between formations."""
    search_threshold: float = Field(default=0.7, alias="memorySearchThreshold", ge=0, le=1)
    """Minimum similarity of recalled memories, on the scale of raw cosines: see `calibrate_threshold`."""
    context_prefix: str | None = Field(default=None, alias="memoryContextPrefix", max_length=MAX_FRAME_CHARACTERS)
    context_suffix: str | None = Field(default=None, alias="memoryContextSuffix", max_length=MAX_FRAME_CHARACTERS)
    format: str | None = Field(default=None, alias="memoryFormat", max_length=MAX_FRAME_CHARACTERS)
    """Format of one memory, with placeholders."""

    POLICIES: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "recall": {"limit": "max_context", "tokens": "max_tokens"},
        "context": {
            "place": "injection_mode",
            "prefix": "context_prefix",
            "suffix": "context_suffix",
            "row": "format",
        },
        "trigger": {"when": "extraction_mode", "every": "extraction_interval"},
    }

    @field_validator("context_prefix", "context_suffix")
    @classmethod
    def _frame(cls, source: str | None) -> str | None:
        return check_placeholders(source, FRAME_NAMES)

    @field_validator("format")
    @classmethod
    def _row(cls, source: str | None) -> str | None:
        return check_placeholders(source, ROW_NAMES)

    def apply_to(self, profile: Profile) -> Profile:
        """Return the profile with the given options applied."""
        recall: dict[str, Any] = {}
        if "search_threshold" in self.model_fields_set:
            recall["similarity"] = calibrate_threshold(self.search_threshold)
        if "max_context" in self.model_fields_set and profile.recall.candidates:
            recall["candidates"] = max(profile.recall.candidates, self.max_context)
        return with_policies(super().apply_to(profile), {"recall": recall})


class SessionSettings(_Options):
    """Options of a chat session's memory."""

    enabled: bool = True
    max_per_session: int = Field(default=50, alias="max-per-session", ge=1)
    """Maximum number of memories of the session."""
    extraction_threshold: float = Field(default=0.3, alias="extraction-threshold", ge=0, le=1)
    """Minimum importance of a memory."""
    context_limit: int = Field(default=5, alias="context-limit", ge=0, le=200)
    """Maximum number of memories in a prompt."""

    POLICIES: ClassVar[Mapping[str, Mapping[str, str]]] = {
        "capacity": {"max_memories": "max_per_session"},
        "form": {"min_importance": "extraction_threshold"},
        "recall": {"limit": "context_limit"},
    }


_INTERFACES: Mapping[str, type[_Options]] = {"character": CharacterSettings, "session": SessionSettings}


def options_of(profile: Profile, options: Mapping[str, Any]) -> _Options:
    """Validate a conversation's options by the interface of its profile.

    >>> from toldonce.profiles.registry import ProfileRegistry
    >>> character = ProfileRegistry().get("character")
    >>> options_of(character, {"maxMemoryContext": 3}).apply_to(character).recall.limit
    3

    Raises:
        BadRequestError: An option is unknown or has an invalid value; `param` names it.
    """
    interface = _INTERFACES.get(profile.subject.kind, _Options)
    try:
        return interface.model_validate(dict(options))
    except ValidationError as error:
        first = error.errors(include_url=False)[0]
        name = str(first["loc"][0])
        if first["type"] == "extra_forbidden":
            known = ", ".join(field.alias or own for own, field in interface.model_fields.items())
            why = f"not an option of profile {profile.name}; options are: {known}"
        else:
            why = f"{str(first['msg']).removeprefix('Value error, ')} (it is {first['input']!r})"
        raise BadRequestError(f"{name}: {why}", param=name) from None


def options_known_to(profile: Profile, options: Mapping[str, Any]) -> dict[str, Any]:
    """Return those of a conversation's options that a profile's interface has: another profile may have set others.

    >>> from toldonce.profiles.registry import ProfileRegistry
    >>> options_known_to(ProfileRegistry().get("session"), {"systemCharacter": "Kira", "context-limit": 3})
    {'context-limit': 3}
    """
    interface = _INTERFACES.get(profile.subject.kind, _Options)
    known = {field.alias or own for own, field in interface.model_fields.items()}
    return {name: value for name, value in options.items() if name in known}


def default_options(profile: Profile) -> dict[str, Any]:
    """Return the options of a conversation that names none.

    >>> from toldonce.profiles.registry import ProfileRegistry
    >>> default_options(ProfileRegistry().get("session"))
    {'enabled': True, 'max-per-session': 50, 'extraction-threshold': 0.3, 'context-limit': 5}
    """
    return _INTERFACES.get(profile.subject.kind, _Options).defaults(profile)


def with_overrides(profile: Profile, options: Mapping[str, Any]) -> Profile:
    """Apply a conversation's options to its profile; options of another interface are ignored."""
    try:
        return options_of(profile, options).apply_to(profile)
    except BadRequestError:
        return profile
