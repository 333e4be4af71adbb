"""The benchmark of encrypted files beside a plain one still runs, with counts that take no time."""

from pathlib import Path

from benchmarks.encryption import ENCRYPTED, SHOWN, SUBJECTS, Sizes, compare


async def test_all_files_do_the_same_and_are_compared(tmp_path: Path) -> None:
    sizes = Sizes(users=3, per_user=5, rounds=3, erased=1)
    rows = {row.name: row for row in await compare(tmp_path, sizes)}
    assert all(row.value > 0 for row in rows.values())
    for name in ("recall", "add", "erase a user"):
        for shown in SHOWN:
            plain = rows[f"{name}, plain, {shown}"]
            for kind in (ENCRYPTED, SUBJECTS):
                other = rows[f"{name}, {kind}, {shown}"]
                assert plain.count == other.count == (sizes.erased if name.startswith("erase") else sizes.rounds)
                assert rows[f"{name}, {kind} beside plain, {shown}"].value == other.value / plain.value
    heads = [(tmp_path / f"file-{number}" / "toldonce.sqlite3").read_bytes()[:6] for number in range(3)]
    assert [head == b"SQLite" for head in heads] == [True, False, True]
    assert (tmp_path / "file-2" / "toldonce.sqlite3.keys").exists()
