"""Bodies of imports for Schemathesis (`SCHEMATHESIS_HOOKS`): a real export, whole or with its parts changed."""

import json
from functools import cache
from io import BytesIO
from tempfile import TemporaryDirectory
from typing import Any

import schemathesis
from hypothesis import strategies as st

from toldonce.sync import ToldOnce

_TALK = (
    "My name is Ana and I live in Rome.",
    "I am allergic to peanuts.",
    "I moved to Oslo last week, and my sister Kira visits me on Friday.",
)
_LEAVES = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(),
    st.floats(),
    st.text(max_size=20),
    st.sampled_from(["", "user:ana", "\ud800", "\0", "2026-02-30T00:00:00+00:00", 2**63, -1, {}, [], [[]], {"id": {}}]),
)


@cache
def _export() -> list[str]:
    """Return the lines of an export that has records of most kinds."""
    with TemporaryDirectory() as folder, ToldOnce.open(f"sqlite:///{folder}/export.sqlite3") as memory:
        for user in ("ana", "ben"):
            for text in _TALK:
                memory.record(
                    [{"role": "user", "content": text}, {"role": "assistant", "content": "Noted."}], user=user
                )
        memory.form()
        memory.erase(memory.list(user="ana")[0].id, user="ana")
        file = BytesIO()
        memory.transfer.export_to(file, everybody=True)
    return file.getvalue().decode().splitlines()


@st.composite
def _changed(draw: st.DrawFn, line: str) -> str:
    """Draw a line with one of its values replaced, removed or named otherwise."""
    record: dict[str, Any] = json.loads(line)
    place: dict[str, Any] = record
    while True:
        name = draw(st.sampled_from(sorted(place)))
        inner = place[name]
        if not isinstance(inner, dict) or not inner or draw(st.integers(0, 3)) == 0:
            break
        place = inner
    act = draw(st.sampled_from(["replace", "remove", "rename"]))
    if act != "replace":
        del place[name]
    if act != "remove":
        place[name if act == "replace" else draw(st.text(max_size=5))] = draw(_LEAVES)
    return json.dumps(record, ensure_ascii=True)


@st.composite
def _bodies(draw: st.DrawFn) -> bytes:
    """Draw a body: an export of some or all lines, changed in up to two places, or any bytes."""
    kind = draw(st.sampled_from(["whole", "changed", "shuffled", "cut", "bytes"]))
    lines = list(_export())
    if kind == "bytes":
        return draw(st.binary(max_size=200))
    if kind == "shuffled":
        lines = draw(st.lists(st.sampled_from(lines), max_size=12))
    if kind == "changed":
        for _ in range(draw(st.integers(1, 2))):
            place = draw(st.integers(0, len(lines) - 1))
            lines[place] = draw(_changed(_export()[place]))
    body = "".join(f"{line}\n" for line in lines).encode()
    return body[: draw(st.integers(0, len(body)))] if kind == "cut" else body


schemathesis.openapi.media_type("application/x-ndjson", _bodies())
