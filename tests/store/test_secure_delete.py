"""What SQLite leaves of deleted rows in the file is zeroed, and the file is whole afterwards."""

import random
from collections.abc import Iterator
from pathlib import Path

import apsw
import pytest

from canaries import canary, found
from soak import SOAK
from toldonce.store.database_key import DatabaseKey
from toldonce.store.sql.database import load
from toldonce.store.sqlite import secure_delete
from toldonce.store.sqlite.connection import DatabaseLocation, open_reader, open_writer
from toldonce.testing import FakeClock

ROUNDS = 120 if SOAK else 40


class Churn:
    """Rows of all sizes that come and go, until pages were split, joined and reused many times."""

    def __init__(self, place: DatabaseLocation) -> None:
        self.place = place
        self.db = open_writer(place)
        self.luck = random.Random(1)
        self.live: dict[str, tuple[int, bytes, int]] = {}
        self.gone: list[str] = []
        for _ in range(ROUNDS):
            self.db.execute("BEGIN IMMEDIATE")
            self.add(self.luck.randrange(1, 60))
            self.erase(self.luck.randrange(0, 30))
            self.db.execute("COMMIT")
        self.db.execute("INSERT INTO erasure (subject, at, id, counts) VALUES (1, 1, x'00', '{}')")

    def add(self, count: int) -> None:
        for _ in range(count):
            word = canary(self.luck)
            subject, conversation = self.luck.randrange(5), self.luck.randrange(20).to_bytes(16, "big")
            seq = self.luck.randrange(10**9)
            text = "x" * self.luck.choice([5, 50, 300, 300, 3_000]) + word
            self.db.execute(
                "INSERT INTO message (subject, conversation, seq, parent_seq, hash, role, complete, said_at,"
                " recorded_at, text) VALUES (?, ?, ?, 0, 0, 'user', 1, 0, 0, ?)",
                (subject, conversation, seq, text),
            )
            terms = self.luck.randbytes(100) + word.encode() + self.luck.randbytes(self.luck.randrange(600))
            self.db.execute(
                "INSERT INTO hot (subject, memory, fixed, terms, sources) VALUES (?, ?, x'00', ?, x'00')",
                (subject, word.encode(), terms),
            )
            self.db.execute(
                "INSERT INTO vector (subject, space, memory, data) VALUES (?, 1, ?, ?)",
                (subject, self.luck.randbytes(8) + word.encode(), word.encode() + self.luck.randbytes(1_024)),
            )
            inserted = "y" * self.luck.choice([5, 300, 3_000]) + word
            self.db.execute(
                "INSERT INTO insertion (subject, chain, thread, at, depth, id, standing, recalled)"
                " VALUES (?, ?, 1, 0, 1, x'00', ?, ?)",
                (subject, seq, inserted, inserted),
            )
            self.live[word] = subject, conversation, seq

    def erase(self, count: int) -> None:
        for word in self.luck.sample(sorted(self.live), min(count, len(self.live))):
            subject, conversation, seq = self.live.pop(word)
            self.db.execute(
                "UPDATE message SET text = '' WHERE subject = ? AND conversation = ? AND seq = ?",
                (subject, conversation, seq),
            )
            self.db.execute("DELETE FROM hot WHERE subject = ? AND memory = ?", (subject, word.encode()))
            self.db.execute(load("insertion")["empty_insertion"], (subject, seq, 1))
            self.db.execute("DELETE FROM vector WHERE subject = ? AND substr(memory, 9) = ?", (subject, word.encode()))
            self.gone.append(word)

    def patterns(self) -> dict[bytes, str]:
        return {word.encode(): word for word in self.gone}

    def clean(self, db: apsw.Connection | None = None) -> bool:
        encrypted = self.place.key is not None
        return secure_delete.clean(
            db or self.db, FakeClock(), wait_ms=50, midway=lambda _name: None, encrypted=encrypted
        )

    def found(self) -> list[str]:
        """Find erased words in all files; of an encrypted one, in its pages as they are read with the key."""
        folder = Path(self.place.path).parent
        if self.place.key is not None:
            size, pages = int(self.db.pragma("page_size")), int(self.db.pragma("page_count"))
            folder /= "decrypted"
            folder.mkdir(exist_ok=True)
            read = [self.db.read("main", 0, size * page, size)[1] for page in range(pages)]
            (folder / "pages").write_bytes(b"".join(read))
        return found(folder, self.patterns())


@pytest.fixture(scope="module", params=[None, DatabaseKey("a long passphrase")], ids=["plain", "encrypted"])
def churned(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Churn]:
    path = tmp_path_factory.mktemp("churn") / "kept.sqlite3"
    churn = Churn(DatabaseLocation(path=str(path), key=request.param))
    yield churn
    churn.db.close()


def test_i13_what_secure_delete_leaves_between_rows_is_zeroed(churned: Churn) -> None:
    churned.db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
    assert churned.found(), "secure_delete alone keeps the promise: is the cleaning needed?"
    assert churned.clean()
    assert churned.found() == []


def test_what_was_not_erased_is_whole_after_the_cleaning(churned: Churn) -> None:
    churned.db.execute("UPDATE erasure SET cleaned_at = NULL")
    assert churned.clean()
    other = open_reader(churned.place)
    assert other.execute("PRAGMA integrity_check").get == "ok"
    kept = {row[0][-22:] for row in other.execute("SELECT text FROM message WHERE text <> ''")}
    other.close()
    assert kept == set(churned.live)


def test_i13_later_writes_bring_nothing_back_from_a_cached_page(churned: Churn) -> None:
    churned.db.execute("UPDATE erasure SET cleaned_at = NULL")
    assert churned.clean()
    second = open_writer(churned.place)
    for db in (churned.db, second):
        db.execute("UPDATE message SET role = 'tool'")
        db.execute("UPDATE hot SET fixed = x'01'")
        db.wal_checkpoint(mode=apsw.SQLITE_CHECKPOINT_TRUNCATE)
        assert churned.found() == []
    second.close()


def test_i13_while_a_reader_holds_the_log_the_cleaning_is_pending(churned: Churn) -> None:
    churned.db.execute("UPDATE erasure SET cleaned_at = NULL")
    reader = open_reader(churned.place)
    reader.execute("BEGIN")
    reader.execute("SELECT count(*) FROM subject").fetchall()
    churned.db.execute("UPDATE message SET role = 'user'")
    assert not churned.clean()
    assert churned.db.execute("SELECT count(*) FROM erasure WHERE cleaned_at IS NULL").get == 1
    assert not churned.db.in_transaction
    reader.execute("COMMIT")
    assert churned.clean()
    assert churned.db.execute("SELECT count(*) FROM erasure WHERE cleaned_at IS NULL").get == 0
    reader.close()


def test_a_commit_between_emptying_the_log_and_locking_the_file_is_waited_out(churned: Churn) -> None:
    churned.db.execute("UPDATE erasure SET cleaned_at = NULL")
    other = open_writer(churned.place)
    tries = []

    class Meddling:
        """Stands for the connection, and commits elsewhere right after the log was emptied, twice."""

        def __getattr__(self, name: str) -> object:
            return getattr(churned.db, name)

        def wal_checkpoint(self, *, mode: int) -> None:
            churned.db.wal_checkpoint(mode=mode)
            tries.append(1)
            if len(tries) < 3:
                other.execute("UPDATE hot SET fixed = ?", (bytes([7 + len(tries)]),))

    meddled: apsw.Connection = Meddling()  # type: ignore[assignment]  # a connection but for one method
    assert churned.clean(meddled)
    assert len(tries) == 3
    other.close()
