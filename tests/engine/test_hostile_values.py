"""Values and bytes in an import file that could break a reader: each is named by its line, and nothing is written."""

import io
import re
from collections.abc import Callable, Mapping
from dataclasses import replace
from pathlib import Path

import pytest

from crafted import Ana, Line, NoBar, again, exported, first, honest_export, place, read, setting, take_in, turn, write
from populated import opened, parts_of
from stores import DURABLE
from toldonce.engine import AsyncToldOnce
from toldonce.errors import BadRequestError


@pytest.fixture(scope="module")
def mallorys() -> bytes:
    return honest_export()


BAD_VALUES: Mapping[str, Callable[[list[Line], Ana], None]] = {
    "seq of 64 bits": setting("message", seq=2**63 - 1),
    "seq beyond 64 bits": setting("message", seq=10**30),
    "negative seq": setting("message", seq=-1),
    "seq zero": setting("message", seq=0),
    "seq as text": setting("message", seq="1"),
    "seq as a number with a point": setting("message", seq=1.0),
    "seq true": setting("message", seq=True),
    "parent behind": setting("message", parent_seq=1),
    "parent negative": setting("message", parent_seq=-1),
    "hash of 65 bits": setting("message", hash=2**64),
    "erased three": setting("message", erased=3),
    "no role": setting("message", role=None),
    "text a list": setting("message", text=["I live in Rome."]),
    "calls no list": setting("message", calls={}),
    "calls no numbers": setting("message", calls=["7"]),
    "count too large": setting("conversation", last_seq=2**31),
    "count negative": setting("conversation", last_seq=-2),
    "one message too few": setting("conversation", last_seq=1),
    "options a list": setting("conversation", options=[]),
    "a long id of the client": setting("conversation", external_id="x" * 5000),
    "importance huge": setting("memory", importance=1e308),
    "importance above one": setting("memory", importance=1.0001),
    "importance below zero": setting("memory", importance=-0.1),
    "importance as text": setting("memory", importance="0.5"),
    "importance beyond all floats": setting("memory", importance=10**400),
    "confidence true": setting("memory", confidence=True),
    "uses negative": setting("memory", uses=-1),
    "uses of 33 bits": setting("memory", uses=2**32),
    "number zero": setting("memory", number=0),
    "kind a list": setting("memory", kind=["note"]),
    "state an object": setting("memory", state={}),
    "state unknown": setting("memory", state="trusted"),
    "id no id": setting("memory", id="7"),
    "id null": setting("memory", id=None),
    "evidence no list": setting("memory", evidence={}),
    "evidence of nothing": setting("memory", evidence=[None]),
    "tags no texts": setting("memory", tags=[5]),
    "a tag too long": setting("memory", tags=["x" * 3000]),
    "linked as text": setting("memory", linked="yes"),
    "detail unknown": setting("memory", detail={"__class__": "x"}),
    "detail of a wrong type": setting("memory", detail={"tags": "abc"}),
    "stretches left out that are no list": setting("memory", detail={"withheld": 3}),
    "a stretch left out without an end": setting("memory", detail={"withheld": [{"start": 0, "because": ""}]}),
    "stretches left out of order": setting(
        "memory", detail={"withheld": [{"start": start, "end": 9, "because": ""} for start in (5, 0)]}
    ),
    "a stretch left out for what is no id": setting(
        "memory", detail={"withheld": [{"start": 0, "end": 1, "because": "x"}]}
    ),
    "a turn number negative": setting("memory", detail={"first_turn": -1}),
    "ends before it begins": setting("memory", valid_to="1999-01-01T00:00:00+00:00"),
    "closed before it was stored": setting(
        "memory", state="closed", valid_to="2027-01-01T00:00:00+00:00", closed_at="2020-01-01T00:00:00+00:00"
    ),
    "closed and never closed": setting("memory", state="closed", closed_at=None),
    "active and closed": setting("memory", closed_at="2027-01-01T00:00:00+00:00"),
    "the year one": setting("memory", valid_from="0001-01-01T00:00:00+00:00"),
    "the year one, and a zone": setting("memory", valid_from="0001-01-01T00:00:00+23:59"),
    "the end of the calendar": setting("memory", valid_from="9999-12-31T23:59:59+00:00"),
    "an instant as a number": setting("memory", valid_from=1767225600),
    "an instant as a list": setting("memory", valid_from=[2026]),
    "no time zone": setting("decision", at="2026-01-01T00:00:00"),
    "an unknown action": setting("decision", action="approved"),
    "an action as a list": setting("decision", action=["add"]),
    "an unknown stage": setting("formation", stage="drop"),
    "formed beyond the end": setting("formation", formed_seq=99),
    "attempts negative": setting("formation", attempts=-1),
    "home a list": setting("formation", home=["user:mallory"]),
    "home with a line feed": setting("formation", home="user:a\nb"),
    "one conversation twice": lambda lines, ana: again(lines, "conversation"),
    "one message twice": lambda lines, ana: again(lines, "message"),
    "one memory twice": lambda lines, ana: again(lines, "memory"),
    "one formation twice": lambda lines, ana: again(lines, "formation"),
    "one decision twice": lambda lines, ana: again(lines, "decision"),
    "a slot filled twice": lambda lines, ana: lines.insert(
        lines.index({"memory": first(lines, "memory", kind="fact")}),
        {"memory": {**first(lines, "memory", kind="fact"), "id": ana.linked, "text": "Mallory lives in Rome."}},
    ),
    "a quotation of two": lambda lines, ana: turn(lines)["evidence"].append(turn(lines)["evidence"][0]),
    "a quotation of none": lambda lines, ana: turn(lines).update(evidence=[]),
    "a ledger with a short key": lambda lines, ana: lines.insert(
        2, {"ledger": {"key": "00", "at": None, "version": None}}
    ),
    "a ledger that counted to the end": lambda lines, ana: lines.insert(
        2, {"ledger": {"key": "00" * 64, "at": "2026-01-01T00:00:00+00:00", "version": 2**63 - 1}}
    ),
    "a vector": lambda lines, ana: lines.insert(2, {"vector": {"memory": ana.linked, "numbers": [0.5]}}),
    "a nameless subject without a number": lambda lines, ana: lines.insert(1, {"subject": None, "key": "x"}),
    "a subject that is a number": lambda lines, ana: lines[1].update(subject=7),
    "a subject with NUL": lambda lines, ana: lines[1].update(subject="user:mal\0lory"),
    "a subject with half a character": lambda lines, ana: lines[1].update(subject="user:\ud800"),
    "a subject too long": lambda lines, ana: lines[1].update(subject="user:" + "x" * 600),
    "an end that is true": lambda lines, ana: lines[-1].update(end=True),
    "an end that is a list": lambda lines, ana: lines[-1].update(end=[1]),
    "subscribed to nothing": lambda lines, ana: lines.insert(2, {"subscription": {"shared": 5, "since": None}}),
}


async def refusal(engine: AsyncToldOnce, data: bytes, *, trusted: bool) -> str:
    """Import a file; return why it is refused."""
    try:
        await engine.transfer.import_from(io.BytesIO(data), trusted=trusted, progress=NoBar())
    except BadRequestError as error:
        return str(error)
    return "it is taken in"


@pytest.mark.parametrize("trusted", [False, True], ids=["untrusted", "trusted"])
async def test_a_hostile_value_is_named_by_its_line_and_nothing_is_written(
    trusted: bool, mallorys: bytes, tmp_path: Path
) -> None:
    url = place("file", tmp_path, "there")
    async with opened(url) as engine:
        for what, spoil in BAD_VALUES.items():
            lines = read(mallorys)
            spoil(lines, Ana(url, "", "0198c0de-0000-7000-8000-00000000000a", b""))
            assert re.match(r"line \d+: ", await refusal(engine, write(lines), trusted=trusted)), what
            assert await engine.admin.subjects() == [], what


@pytest.mark.parametrize("kind", DURABLE)
async def test_an_honest_file_is_taken_in_as_it_is_by_either_database(
    kind: str, mallorys: bytes, tmp_path: Path
) -> None:
    url = place(kind, tmp_path, "there")
    carried = await take_in(url, mallorys)
    assert (carried.held, carried.set_aside) == (0, 0)
    assert await exported(url, "mallory") == mallorys


BAD_BYTES: Mapping[str, Callable[[bytes], bytes]] = {
    "a name twice": lambda data: data.replace(b'"kind": "turn"', b'"kind": "turn", "kind": "note"', 1),
    "a name twice deep down": lambda data: data.replace(b'"home": ', b'"home": "user:ana", "home": ', 1),
    "which is no number": lambda data: data.replace(b'"importance": 0.', b'"importance": NaN, "x": 0.', 1),
    "no number of JSON": lambda data: data.replace(b'"uses": 0', b'"uses": -Infinity', 1),
    "is no number from 0 to 1": lambda data: data.replace(b'"confidence": 1.0', b'"confidence": 1e999', 1),
    "is no JSON in UTF-8": lambda data: data.replace(b"parrots", b"parr\xffots", 1),
    "is no JSON": lambda data: data.replace(b'"detail": null', b'"detail": ' + b"[" * 200_000, 1),
    "JSON": lambda data: data.replace(b'"detail": null', b'"detail": ' + b'{"a":' * 200_000 + b"}" * 200_000, 1),
    "is longer than": lambda data: data.replace(b"parrots", b"parrots" + b"x" * 100_000, 1),
    "is no object": lambda data: data.replace(b'{"decision"', b'[{"decision"', 1).replace(b"}}\n{", b"}}]\n{", 1),
}


@pytest.mark.parametrize("why", BAD_BYTES)
async def test_hostile_bytes_are_named_by_their_line_and_nothing_is_written(
    why: str, mallorys: bytes, tmp_path: Path
) -> None:
    url = place("file", tmp_path, "there")
    components = await parts_of(url)
    limit = {"max_body_bytes": 90_000 if why == "is longer than" else 10_000_000}
    async with AsyncToldOnce(replace(components, settings=components.settings.model_copy(update=limit))) as engine:
        changed = BAD_BYTES[why](mallorys)
        assert changed != mallorys
        with pytest.raises(BadRequestError, match=r"^line \d+: ") as raised:
            await engine.transfer.import_from(io.BytesIO(changed), progress=NoBar())
        assert len(str(raised.value)) < 1000
        assert await engine.admin.subjects() == []


async def test_a_line_of_a_hundred_megabytes_is_refused_unread(mallorys: bytes, tmp_path: Path) -> None:
    url = place("file", tmp_path, "there")
    head, rest = mallorys.split(b"parrots", 1)
    file = io.BytesIO(head + b"x" * 100_000_000 + rest)
    async with opened(url) as engine:
        with pytest.raises(BadRequestError, match=r"^line \d+: is longer than 67,108,864 bytes"):
            await engine.transfer.import_from(file, progress=NoBar())
        assert await engine.admin.subjects() == []
