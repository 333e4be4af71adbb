"""`toldonce context`: what would be put into a prompt."""

import pytest

from cli.conftest import CommandLine

PEANUTS = "Ana is allergic to peanuts."


def test_s7_the_words_of_the_prompt_are_printed_as_they_would_stand(cli: CommandLine) -> None:
    assert cli("add", PEANUTS).code == 0
    whole = cli("context", "Is Ana allergic to peanuts?", "--profile", "user")

    assert whole.code == 0
    assert whole.out.startswith('<toldonce-memory id="')
    assert f"\n- {PEANUTS}\n" in whole.out
    found = cli("context", "Is Ana allergic to peanuts?", "--profile", "user", "--json").json
    assert found["text"] == whole.out.strip()
    assert found["items"][0]["memory"]["text"] == PEANUTS
    assert found["items"][0]["memory"]["uses"] == 0
    assert found["tokens"] > 0


def test_without_a_match_it_says_where_to_look(cli: CommandLine) -> None:
    result = cli("context", "What about bees?")
    assert (result.code, result.out) == (0, "")
    assert "toldonce search" in result.err


@pytest.mark.parametrize(
    ("options", "wants"),
    [
        (("--profile", "session"), "x-toldonce-session"),
        (("--profile", "app"), "x-toldonce-app"),
        (("--profile", "character"), "x-toldonce-characters"),
        (("--profile", "none"), "no profile 'none'"),
    ],
)
def test_what_a_profile_wants_to_know_is_said(cli: CommandLine, options: tuple[str, ...], wants: str) -> None:
    result = cli("context", "Hello?", *options)
    assert result.code == 1
    assert wants in result.err


@pytest.mark.parametrize(
    "options",
    [
        ("--profile", "session", "--session", "1"),
        ("--profile", "app", "--app", "calendar"),
        ("--profile", "character", "--characters", "Kira", "Marcus"),
    ],
)
def test_a_scene_can_be_named(cli: CommandLine, options: tuple[str, ...]) -> None:
    assert cli("context", "Hello?", *options).code == 0
