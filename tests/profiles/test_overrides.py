"""A conversation's own settings, in the names of its profile's interface."""

import pytest

from toldonce.errors import BadRequestError
from toldonce.profiles.overrides import CharacterSettings, SessionSettings, options_of
from toldonce.profiles.policies import Profile
from toldonce.profiles.registry import ProfileRegistry

CHARACTER, SESSION, DEFAULT = (ProfileRegistry().get(name) for name in ("character", "session", "default"))


def test_c1_the_settings_have_their_names_and_defaults() -> None:
    named = {field.alias or name: field.default for name, field in CharacterSettings.model_fields.items()}
    del named["interaction"]
    assert named == {
        "systemCharacter": None,
        "userCharacter": None,
        "useMemory": False,
        "memoryInjectionMode": "system_append",
        "memoryExtractionMode": "periodic",
        "maxMemoryContext": 5,
        "maxMemoryTokens": 500,
        "memoryExtractionInterval": 5,
        "memorySearchThreshold": 0.7,
        "memoryContextPrefix": None,
        "memoryContextSuffix": None,
        "memoryFormat": None,
    }


def test_c1_the_shipped_profile_is_what_the_defaults_say() -> None:
    said = options_of(CHARACTER, {}).apply_to(CHARACTER)
    every = {field.alias or name: field.default for name, field in CharacterSettings.model_fields.items()}
    given = {name: value for name, value in every.items() if value is not None}
    assert said == CHARACTER == options_of(CHARACTER, given).apply_to(CHARACTER)


def test_c1_each_setting_is_laid_over_its_policy() -> None:
    options = {
        "systemCharacter": "Kira",
        "userCharacter": "Marcus",
        "useMemory": True,
        "memoryInjectionMode": "user_prefix",
        "memoryExtractionMode": "on_save",
        "maxMemoryContext": 20,
        "maxMemoryTokens": 90,
        "memoryExtractionInterval": 3,
        "memorySearchThreshold": 0,
        "memoryContextPrefix": "<memories>",
        "memoryContextSuffix": "</memories>",
        "memoryFormat": "{{memoryType}}: {{summary}}",
    }
    said = options_of(CHARACTER, options).apply_to(CHARACTER)
    assert (said.recall.limit, said.recall.tokens, said.recall.similarity, said.recall.candidates) == (20, 90, 0, 20)
    assert (said.context.place, said.context.prefix, said.context.suffix) == (
        "user_prefix",
        "<memories>",
        "</memories>",
    )
    assert said.context.row == "{{memoryType}}: {{summary}}"
    assert (said.trigger.when, said.trigger.every) == ("on_save", 3)
    assert Profile.model_validate(said.model_dump()) == said


def test_s14_options_have_their_defaults_and_override_the_policies() -> None:
    named = {field.alias or name: field.default for name, field in SessionSettings.model_fields.items()}
    del named["interaction"]
    assert named == {"enabled": True, "max-per-session": 50, "extraction-threshold": 0.3, "context-limit": 5}
    given = options_of(SESSION, {"max-per-session": 7, "extraction-threshold": 0.6, "context-limit": 2})
    said = given.apply_to(SESSION)
    assert (said.capacity.max_memories, said.form.min_importance, said.recall.limit) == (7, 0.6, 2)
    assert options_of(SESSION, named).apply_to(SESSION) == SESSION


@pytest.mark.parametrize(
    ("profile", "option", "value", "why"),
    [
        (CHARACTER, "memoryInjectionMode", "split", "system_append"),
        (CHARACTER, "maxMemoryContext", -1, "greater than or equal to 0"),
        (CHARACTER, "maxMemoryContext", "5", "valid integer"),
        (CHARACTER, "memorySearchThreshold", 70, "less than or equal to 1"),
        (CHARACTER, "memoryExtractionInterval", 0, "greater than or equal to 1"),
        (CHARACTER, "memoryFormat", "{{memorytype}}", "placeholders are: memoryType"),
        (CHARACTER, "memoryContextPrefix", "{{summary}}", "placeholders are: app"),
        (CHARACTER, "memoryContextSuffix", "x" * 4001, "at most 4000 characters"),
        (CHARACTER, "maxMemories", 5, "not an option of profile character; options are: interaction, systemCharacter"),
        (SESSION, "context-limit", 201, "less than or equal to 200"),
        (SESSION, "context_limit", 5, "max-per-session"),
        (DEFAULT, "context-limit", 5, "not an option of profile default"),
    ],
)
def test_a_setting_that_cannot_be_used_is_refused_by_name(
    profile: Profile, option: str, value: object, why: str
) -> None:
    with pytest.raises(BadRequestError, match=f"^{option}: .*{why}") as refused:
        options_of(profile, {option: value})
    assert refused.value.param == option
