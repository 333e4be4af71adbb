"""Memory as a folder of files: the model's own ones word for word, and views of what is remembered."""

import pytest

from sample_chats import user
from toldonce.engine import AsyncToldOnce
from toldonce.integrations.free_files import MAX_CHARACTERS, FreeFiles, MemoryFileError, memory_path
from toldonce.integrations.memory_files import MemoryFiles
from toldonce.types import MemoryKind, RequestScope

# A connection to a server has no turns of its own.
pytestmark = pytest.mark.near_only(reason="files are written through the engine's turns")
TEXT = "# Plan\n\n  1. milk\t\n2. eggs  \r\n\n"


@pytest.fixture
def files(engine: AsyncToldOnce) -> MemoryFiles:
    return MemoryFiles(engine, user="ana")


async def read(engine: AsyncToldOnce, path: str) -> str | None:
    return await FreeFiles(engine, "ana").read(path)


@pytest.mark.parametrize("text", [TEXT, "", "\n", "x", "ünïcødé 日本 🎉", "(deleted)", "(empty)", "<toldonce-memory>"])
async def test_a_file_is_kept_word_for_word(files: MemoryFiles, engine: AsyncToldOnce, text: str) -> None:
    assert await files.create("/memories/plan.md", text) == "File created successfully at: /memories/plan.md"

    assert await read(engine, "/memories/plan.md") == text


async def test_a_file_is_shown_with_the_numbers_of_its_lines(files: MemoryFiles) -> None:
    await files.create("/memories/plan.md", "one\ntwo\nthree")

    assert (
        await files.view("/memories/plan.md")
        == "Here's the content of /memories/plan.md with line numbers:\n     1\tone\n     2\ttwo\n     3\tthree"
    )
    assert (await files.view("/memories/plan.md", [2, -1])).endswith("numbers:\n     2\ttwo\n     3\tthree")
    assert (await files.view("/memories/plan.md", [2, 2])).endswith("numbers:\n     2\ttwo")


@pytest.mark.parametrize("view_range", [[0, 1], [4, 5], [2, 1], [1], [1, 2, 3]])
async def test_a_range_that_is_none_is_an_error(files: MemoryFiles, view_range: list[int]) -> None:
    await files.create("/memories/plan.md", "one\ntwo\nthree")

    with pytest.raises(MemoryFileError, match="view_range"):
        await files.view("/memories/plan.md", view_range)


async def test_a_folder_is_shown_two_levels_deep(files: MemoryFiles) -> None:
    await files.create("/memories/people/ana.md", "x" * 1536)
    await files.create("/memories/a/b/c.md", "deep")
    await files.create("/memories/.hidden", "x")

    assert (await files.view("/memories")).split("\n") == [
        "Here're the files and directories up to 2 levels deep in /memories, excluding hidden items:",
        "1.5K\t/memories",
        "4B\t/memories/a/",
        "4B\t/memories/a/b/",
        "0B\t/memories/notes.md",
        "1.5K\t/memories/people/",
        "1.5K\t/memories/people/ana.md",
        "0B\t/memories/profile.md",
    ]
    assert "/memories/a/b/c.md" in await files.view("/memories/a/b")


async def test_text_is_replaced_once(files: MemoryFiles, engine: AsyncToldOnce) -> None:
    await files.create("/memories/plan.md", "one\ntwo\nthree\ntwo")

    said = await files.str_replace("/memories/plan.md", "three", "3")

    assert said.startswith("The memory file has been edited.")
    assert said.endswith("     1\tone\n     2\ttwo\n     3\t3\n     4\ttwo".partition("\n")[2]) or "3\t3" in said
    assert await read(engine, "/memories/plan.md") == "one\ntwo\n3\ntwo"
    with pytest.raises(MemoryFileError, match=r"Multiple occurrences of old_str `two` in lines: 2, 4\."):
        await files.str_replace("/memories/plan.md", "two", "2")
    for absent in ("ten", ""):
        with pytest.raises(MemoryFileError, match="did not appear verbatim"):
            await files.str_replace("/memories/plan.md", absent, "10")


async def test_lines_are_inserted(files: MemoryFiles, engine: AsyncToldOnce) -> None:
    await files.create("/memories/plan.md", "one\nthree\n")

    await files.insert("/memories/plan.md", 1, "two\n")
    await files.insert("/memories/plan.md", 0, "zero")
    await files.insert("/memories/plan.md", 4, "four")

    assert await read(engine, "/memories/plan.md") == "zero\none\ntwo\nthree\nfour\n"
    with pytest.raises(MemoryFileError, match=r"insert_line` parameter: 6.*\[0, 5\]"):
        await files.insert("/memories/plan.md", 6, "six")


async def test_files_and_folders_are_renamed_and_deleted(files: MemoryFiles, engine: AsyncToldOnce) -> None:
    await files.create("/memories/a/one.md", "1")
    await files.create("/memories/a/b/two.md", "2")

    assert await files.rename("/memories/a", "/memories/c") == "Successfully renamed /memories/a to /memories/c"
    assert await read(engine, "/memories/c/b/two.md") == "2"
    assert await files.delete("/memories/c/b") == "Successfully deleted /memories/c/b"
    with pytest.raises(MemoryFileError, match="does not exist"):
        await files.view("/memories/c/b/two.md")
    with pytest.raises(MemoryFileError, match="does not exist"):
        await files.delete("/memories/c/b")
    assert await read(engine, "/memories/c/one.md") == "1"


async def test_all_versions_of_a_file_stay(files: MemoryFiles, engine: AsyncToldOnce) -> None:
    await files.create("/memories/plan.md", "one")
    await files.str_replace("/memories/plan.md", "one", "two")
    await files.delete("/memories/plan.md")
    await files.create("/memories/plan.md", "one")

    assert await FreeFiles(engine, "ana").versions("/memories/plan.md") == ["one", "two", "", "one"]


async def test_what_exists_is_not_overwritten(files: MemoryFiles) -> None:
    await files.create("/memories/plan.md", "one")

    for path in ("/memories/plan.md", "/memories", "/memories/profile.md"):
        with pytest.raises(MemoryFileError, match="already exists"):
            await files.create(path, "two")
        with pytest.raises(MemoryFileError, match="already exists"):
            await files.rename("/memories/plan.md", path)
    with pytest.raises(MemoryFileError, match="is a file"):
        await files.create("/memories/plan.md/part", "x")


@pytest.mark.parametrize(
    "path",
    [
        *("/etc/passwd", "memories/x", "/memoriesx", "", "/memories/../x", "/memories/./x", "/memories/.. /x"),
        *("/memories/%2e%2e/x", "/memories/a\\..\\x", "/memories/a\0", "/memories/a\nb", "/memories/\u202ex", 7, None),
        *("/memories/" + "x" * 500, "/memories/" + "/".join("x" * 12), "//memories/x", "/memories/..."),
    ],
)
async def test_a_path_that_leads_elsewhere_is_refused(files: MemoryFiles, path: object) -> None:
    with pytest.raises(MemoryFileError):
        memory_path(path)
    with pytest.raises(MemoryFileError):
        await files.create(path, "x")  # type: ignore[arg-type]


async def test_what_cannot_be_kept_is_refused(files: MemoryFiles) -> None:
    with pytest.raises(MemoryFileError, match="characters"):
        await files.create("/memories/long.md", "x" * (MAX_CHARACTERS + 1))
    with pytest.raises(MemoryFileError, match="control characters"):
        await files.create("/memories/odd.md", "a\0b")


async def test_users_have_files_of_their_own(files: MemoryFiles, engine: AsyncToldOnce) -> None:
    await files.create("/memories/plan.md", "secret")

    assert "plan" not in await MemoryFiles(engine, user="ben").view("/memories")


async def test_no_memory_is_formed_from_a_file(files: MemoryFiles, engine: AsyncToldOnce) -> None:
    await files.create("/memories/plan.md", "I live in Rome.")
    await engine.form()

    assert not await engine.list(user="ana", kinds=list(MemoryKind))


async def test_a_view_shows_what_is_remembered(files: MemoryFiles, engine: AsyncToldOnce) -> None:
    await engine.record([user("I live in Rome.")], user="ana")
    said = "Deploys of the shop run every Tuesday at ten,\nand Kim signs them off."
    await engine.record([user(said)], user="ana", scope=RequestScope(profile="project", app="shop"))
    await engine.form()

    assert "I live in Rome." in await files.view("/memories/profile.md")
    assert "Tuesday at ten, and Kim" in await files.view("/memories/projects/shop.md")
    assert "/memories/projects/shop.md" in await files.view("/memories")


async def test_a_changed_line_corrects_its_memory_and_can_be_undone(files: MemoryFiles, engine: AsyncToldOnce) -> None:
    await engine.record([user("I live in Rome. I'm allergic to peanuts.")], user="ana")
    await engine.form()

    await files.str_replace("/memories/profile.md", "I live in Rome", "I live in Oslo")

    assert "Oslo" in await files.view("/memories/notes.md") + await files.view("/memories/profile.md")
    assert "Rome" not in await files.view("/memories/profile.md")
    assert "peanuts" in await files.view("/memories/profile.md")


async def test_a_changed_line_of_a_quotation_is_a_note_in_its_place(files: MemoryFiles, engine: AsyncToldOnce) -> None:
    await engine.record([user("The tenants of my flat moved out in March, a family of four.")], user="ana")
    await engine.form()
    assert "a family of four" in await files.view("/memories/notes.md")

    await files.str_replace("/memories/notes.md", "a family of four", "a couple")

    [note] = await engine.list(user="ana")
    assert (note.kind, "a couple" in note.text) == (MemoryKind.NOTE, True)


async def test_a_deleted_line_is_forgotten_and_a_new_one_is_a_note(files: MemoryFiles, engine: AsyncToldOnce) -> None:
    await engine.add("Ana plays the cello.", user="ana")
    await engine.add("Ana owns a boat.", user="ana")

    await files.str_replace("/memories/notes.md", "- Ana plays the cello.\n", "")
    await files.insert("/memories/notes.md", 1, "Ana has two cats.")

    active = [memory.text for memory in await engine.list(user="ana")]
    assert set(active) == {"Ana owns a boat.", "Ana has two cats."}


@pytest.mark.parametrize("path", ["/memories/profile.md", "/memories/notes.md"])
async def test_a_view_is_not_moved_or_deleted_as_a_whole(files: MemoryFiles, path: str) -> None:
    with pytest.raises(MemoryFileError, match="shows what is remembered"):
        await files.delete(path)
    with pytest.raises(MemoryFileError, match="shows what is remembered"):
        await files.rename(path, "/memories/x.md")
