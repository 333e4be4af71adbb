"""The benchmark of an encrypted file beside a plain one still runs, with counts that take no time."""

from pathlib import Path

from benchmarks.encryption import SHOWN, Sizes, both


async def test_both_files_do_the_same_and_are_compared(tmp_path: Path) -> None:
    sizes = Sizes(users=3, per_user=5, rounds=3, erased=1)
    rows = {row.name: row for row in await both(tmp_path, sizes)}
    assert all(row.value > 0 for row in rows.values())
    for name in ("recall", "add", "erase a user"):
        for shown in SHOWN:
            plain, encrypted = rows[f"{name}, plain, {shown}"], rows[f"{name}, encrypted, {shown}"]
            assert plain.count == encrypted.count == (sizes.erased if name.startswith("erase") else sizes.rounds)
            assert rows[f"{name}, encrypted beside plain, {shown}"].value == encrypted.value / plain.value
    header = (tmp_path / "encrypted" / "recollect.sqlite3").read_bytes()[:6]
    assert header != (tmp_path / "plain" / "recollect.sqlite3").read_bytes()[:6] == b"SQLite"
