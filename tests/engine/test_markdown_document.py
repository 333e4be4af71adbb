"""What is known as a Markdown document: exported, edited and imported; what cannot be taken is told by its line."""

import io
import re
from datetime import UTC

import pytest

from factories import ANA
from remote_engine import connected
from sample_chats import tell
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce
from toldonce.engine.markdown_export import export_markdown
from toldonce.engine.markdown_import import MarkdownOptions, MarkdownReport, import_markdown
from toldonce.errors import BadRequestError, NoAccessError
from toldonce.testing import FakeClock
from toldonce.types import Access, Decision, MemoryKind, MemoryState, NewApiKey, Subject

CHAT = Subject("session", "ana/1")
MARKS = "1. # Ana & Bo: AT&T &amp; *snake_case* _x_ <b>2</b> [a](b) `c` ~d~"


async def exported(engine: AsyncToldOnce, *, user: Subject = ANA, everybody: bool = False) -> str:
    file = io.BytesIO()
    at = engine.clock.now()
    count = await export_markdown(engine, file, user=user, everybody=everybody, at=at, zone=UTC)
    text = file.getvalue().decode()
    assert text.count(" *(") == count
    return text


async def imported(
    engine: AsyncToldOnce, text: str, *, forget_removed: bool = False, dry_run: bool = False
) -> MarkdownReport:
    options = MarkdownOptions(forget_removed=forget_removed, dry_run=dry_run)
    return await import_markdown(engine, io.BytesIO(text.encode()), options)


async def decisions(engine: AsyncToldOnce) -> list[Decision]:
    return [line for user in (ANA, CHAT) for line in await engine.history.decisions(user=user)]


def line_of(text: str, words: str) -> int:
    return next(number for number, line in enumerate(text.splitlines(), 1) if words in line)


def without(text: str, words: str) -> str:
    return "".join(line for line in text.splitlines(keepends=True) if words not in line)


@pytest.mark.parametrize("kind", DIALECTS)
async def test_an_edited_export_is_imported_as_corrections_once(engine: AsyncToldOnce, clock: FakeClock) -> None:
    await tell(engine, "I live in Rome.")
    await tell(engine, "I am allergic to peanuts.")
    clock.advance(days=40)
    for words in (MARKS, "Ana rows.", "Ana swims."):
        await engine.add(words, user=ANA)
    await engine.add("The chat is about bees.", user=CHAT)
    await engine.add("Ben keeps geese.", user="ben")
    clock.advance(days=1)
    text = await exported(engine)
    headings = [line for line in text.splitlines() if line.startswith("#")]
    assert [line.partition(" known about ")[2] or line for line in headings if "# " in line][:4] == [
        "user:ana",
        "## About the user",
        "## To be respected",
        "## Notes",
    ]
    assert text.index("### February 2026") < text.index("Ana rows. *(added by hand, 10 February 2026)*")
    assert '- The user said: "I live in Rome." *(the user, 1 January 2026)* <!-- toldonce ' in text
    assert text.index("known about session:ana/1") < text.index("about bees")
    assert "geese" not in text
    assert (await exported(engine, everybody=True)).count("Ben keeps geese.") == 1

    clock.advance(days=1)
    before = await decisions(engine)
    formatted = text.replace("\n", "\r\n").replace(" *(", " _(").replace(")* <!--", ")_ <!--")
    same = await imported(engine, formatted, forget_removed=True)
    assert (same.changed, same.missing, same.skipped, same.unchanged) == (0, 0, [], text.count(" *("))
    edited = without(text, "Ana swims.").replace("in Rome.", "in Bergen.").replace("Ana rows.", "Ana *sails*\n  a lot.")
    edited = edited.replace("about bees.", "about \\*wasps\\*.") + "\n- Ana\nkeeps bees.\n- ANA KEEPS BEES\n"
    would = await imported(engine, edited, dry_run=True)
    assert await decisions(engine) == before
    done = await imported(engine, edited)
    assert (done.changes, done.missing, done.unchanged) == (would.changes, would.missing, would.unchanged)
    assert (done.corrected, done.added, done.missing, done.skipped) == (3, 1, 1, [])
    assert [change.after for change in done.changes][-3:] == [
        "Ana *sails* a lot.",
        "The chat is about *wasps*.",
        "Ana keeps bees.",
    ]
    [home] = [fact for fact in await engine.list(user=ANA) if fact.key == "location"]
    assert (home.kind, home.value, home.text) == (MemoryKind.FACT, "Bergen", 'The user said: "I live in Bergen."')
    [row] = [change.memory for change in done.changes if change.before == "Ana rows."]
    assert (await engine.history.explain(str(row), user=ANA)).replaced_by[0].text == "Ana *sails* a lot."

    after = await decisions(engine)
    again = await imported(engine, edited)
    assert (again.changed, again.missing, again.skipped, await decisions(engine)) == (0, 1, [], after)
    forgot = await imported(engine, edited, forget_removed=True)
    assert [(change.action, change.before) for change in forgot.changes] == [("forget", "Ana swims.")]
    known = {memory.text for memory in await engine.list(user=ANA)}
    assert {MARKS, "Ana *sails* a lot.", "Ana keeps bees."} < known
    assert not {"Ana rows.", "Ana swims."} & known
    assert (await imported(engine, edited, forget_removed=True)).changed == 0


@pytest.mark.parametrize("kind", DIALECTS)
async def test_lines_of_what_changed_since_the_export_are_told_and_left(
    engine: AsyncToldOnce, clock: FakeClock
) -> None:
    words = ("Ana rows.", "Ana swims.", "Ana skis.", "Ana runs.", "Ana sings.")
    rows, swims, skis, runs, sings = [await engine.add(said, user=ANA) for said in words]
    clock.advance(days=1)
    text = await exported(engine)
    clock.advance(days=1)
    await engine.forget(rows.id, user=ANA)
    await engine.erase(swims.id, user=ANA)
    await engine.add("ana runs", user=ANA)  # said again
    copied = next(line for line in text.splitlines() if "Ana sings." in line).replace("sings", "hums")
    edited = without(text, "Ana runs.").replace("Ana rows.", "Ana rows a boat.").replace("Ana swims.", "Ana swam.")
    edited = re.sub(r"(Ana skis)(.*) [0-9a-f]{8} ", r"\1 well\2 00000000 ", edited)
    edited += f"\nAna dives.\n\n{copied}\n{copied} Yes.\n"
    report = await imported(engine, edited, forget_removed=True)
    assert (report.changed, report.unchanged, report.lost_count) == (0, 1, 7)
    end = edited.count("\n")
    assert sorted((skipped.line, skipped.reason) for skipped in report.skipped) == sorted(
        [
            (line_of(edited, "Ana rows"), f"memory {rows.id} has ended since"),
            (line_of(edited, "Ana swam"), f"memory {swims.id} is not here: it was erased, or never known"),
            (line_of(edited, "Ana skis"), f"memory {skis.id} has other words than were exported: export again"),
            (0, f"memory {runs.id} was changed since the export, and is kept"),
            (end - 3, "is neither an item nor a heading: begin what is to be added with a dash"),
            (end - 1, f"memory {sings.id} comes a second time, first in line {line_of(edited, 'Ana sings')}"),
            (end, "the comment is damaged, or words follow it: put them before it"),
        ]
    )
    assert {memory.text for memory in await engine.list(user=ANA)} == {"Ana skis.", "Ana runs.", "Ana sings."}
    assert (await engine.get(rows.id, user=ANA)).state is MemoryState.CLOSED

    await tell(
        engine, "I work as a nurse. I had a great time in Oslo last week, we saw the opera and ate fish.", who="cid"
    )
    nurse = await exported(engine, user=Subject("user", "cid"))
    dry = await imported(engine, nurse.replace("ate fish.", "ate cod."), dry_run=True)
    report = await imported(engine, nurse.replace("ate fish.", "ate cod."))
    assert (dry.corrected, dry.skipped) == (1, [])
    [told] = report.skipped
    assert (told.line, report.lost_count) == (line_of(nurse, '"I work as a nurse."'), 0)
    assert "which said the same" in told.reason

    with pytest.raises(BadRequestError, match="may have been cut"):
        await imported(engine, text[: text.index("Ana s")], forget_removed=True)
    with pytest.raises(BadRequestError, match=r"line 9: this is what is known about user:ana, not user:ben"):
        await import_markdown(engine, io.BytesIO(text.encode()), MarkdownOptions(user=Subject("user", "ben")))
    with pytest.raises(BadRequestError, match="no subject is named before it"):
        await imported(engine, without(text, "toldonce subject"))


@pytest.mark.near_only
async def test_a_users_own_key_exports_and_imports_and_the_file_says_what_it_lacks(engine: AsyncToldOnce) -> None:
    await engine.add("Ana rows.", user=ANA)
    await engine.add("The chat is about bees.", user=CHAT)
    _, key = await engine.keys.create(NewApiKey(name="phone", access=Access.WRITE, user="ana"))
    async with connected(engine, key) as remote:
        file = io.BytesIO()
        assert await export_markdown(remote, file, at=engine.clock.now(), zone=UTC) == 1
        text = file.getvalue().decode()
        assert "may not list the apps, sessions and characters" in text
        assert (await imported(remote, text.replace("rows", "swims"))).corrected == 1
        with pytest.raises(NoAccessError):
            await imported(remote, text.replace("user:ana", "user:ben"))
