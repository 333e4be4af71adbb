from pathlib import Path

import pytest

from toldonce.errors import BadProfileError, UnknownProfileError
from toldonce.profiles.registry import ProfileRegistry


def test_the_five_systems_the_best_of_them_and_projects_ship() -> None:
    assert ProfileRegistry().names() == ["app", "character", "default", "project", "session", "tiered", "user"]


def test_a_profile_of_ones_own_extends_a_shipped_one(tmp_path: Path) -> None:
    (tmp_path / "brief.toml").write_text('extends = "tiered"\ndescription = "Few."\n[recall]\nlimit = 3\n', "utf-8")
    profiles = ProfileRegistry(tmp_path)
    tiered, brief = profiles.get("tiered"), profiles.get("brief")
    assert (brief.name, brief.recall.limit) == ("brief", 3)
    assert (
        brief.model_copy(update={"name": "tiered", "description": tiered.description, "recall": tiered.recall})
        == tiered
    )


@pytest.mark.parametrize(
    ("toml", "says"),
    [
        ("[room]\nmost = 2\n", r"'room' is not a key of a profile; known keys: age, budget, capacity, context, "),
        ('[whose]\nmemory = "user"\n', r"'whose' is not a key of a profile; .*, subject, trigger;"),
        (
            "[capacity]\nmost = 2\n",
            r"'most' is not a key of \[capacity\]; known keys: max_characters, max_memories, policy",
        ),
        ("[form]\nmost_sentences = 2\n", r"'most_sentences' is not a key of \[form\]; known keys: .*, max_sentences, "),
    ],
)
def test_an_unknown_key_is_refused_with_the_known_ones(toml: str, says: str, tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text(toml, "utf-8")
    with pytest.raises(BadProfileError, match=says):
        ProfileRegistry(tmp_path)


def test_a_file_with_a_shipped_name_stands_in_its_place_and_may_extend_it(tmp_path: Path) -> None:
    (tmp_path / "session.toml").write_text('extends = "session"\n[capacity]\nmax_memories = 7\n', "utf-8")
    room = ProfileRegistry(tmp_path).get("session").capacity
    assert (room.max_memories, room.policy) == (7, "lowest_value")
    assert ProfileRegistry(tmp_path).get("session").form == ProfileRegistry().get("session").form


def test_what_a_file_leaves_out_is_as_in_default(tmp_path: Path) -> None:
    (tmp_path / "own.toml").write_text('description = "Mine."', "utf-8")
    assert ProfileRegistry(tmp_path).get("own").form == ProfileRegistry().get("default").form


@pytest.mark.parametrize(
    ("name", "text", "why"),
    [
        ("bad.toml", "limit = ", "is not TOML"),
        ("bad.toml", "[recall]\nlimit = 999\n", r"recall.limit: .*200 \(it is 999\)"),
        ("bad.toml", "[recall]\nlimits = 9\n", r"'limits' is not a key of \[recall\]"),
        ("bad.toml", 'extends = "gone"', "extends 'gone', which does not exist; profiles are: app, bad"),
        ("bad.toml", 'description = "x"\n[form]\nextractor = "typed"\n', "form.types must name the classes"),
        ("bad.toml", 'description = "x"\n[episodes]\nwindow = 5\nkeep = 5\n', "keep must be smaller than window"),
        ("Not A Name.toml", "", "rename the file"),
    ],
)
def test_a_file_that_cannot_be_used_is_refused_with_what_to_do(tmp_path: Path, name: str, text: str, why: str) -> None:
    (tmp_path / name).write_text(text, "utf-8")
    with pytest.raises(BadProfileError, match=why) as refused:
        ProfileRegistry(tmp_path)
    assert name in str(refused.value)


def test_files_that_extend_one_another_are_refused(tmp_path: Path) -> None:
    (tmp_path / "one.toml").write_text('extends = "two"', "utf-8")
    (tmp_path / "two.toml").write_text('extends = "one"', "utf-8")
    with pytest.raises(BadProfileError, match="which extends it in turn"):
        ProfileRegistry(tmp_path)


def test_a_folder_that_is_not_there_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadProfileError, match="unset TOLDONCE_PROFILES"):
        ProfileRegistry(tmp_path / "gone")


def test_an_unknown_name_is_refused_with_those_there_are() -> None:
    with pytest.raises(UnknownProfileError, match="no profile 'gone'; there are: app, character, default"):
        ProfileRegistry().get("gone")
