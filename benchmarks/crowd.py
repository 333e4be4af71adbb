"""Write memories of many users into PostgreSQL by COPY, row for row what formation writes. Writes databases."""

import hashlib
from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from urllib.parse import urlsplit, urlunsplit

import numpy as np
import psycopg

from benchmarks.filler import decision_on
from benchmarks.made_up import SEED, Writer
from benchmarks.progress import steps
from toldonce.clock import SystemClock
from toldonce.ids import id_text
from toldonce.providers.static_embedder import SPACE, StaticEmbedder
from toldonce.store.factory import open_store
from toldonce.store.postgres.connection import PostgresConnection, connect
from toldonce.store.postgres.migrate import prepare
from toldonce.store.postgres.vector_codec import PackedVector, teach
from toldonce.store.sql.database import Row
from toldonce.store.sql.snapshot_codec import pack_terms
from toldonce.store.sql.subjects import ensure_space, salt_of
from toldonce.text import hash64, terms
from toldonce.types import (
    AddMemory,
    ConversationId,
    Evidence,
    Memory,
    MemoryId,
    MemoryKind,
    Subject,
    Vectors,
)

# Texts that the memories of all users are drawn from: to embed millions of them would measure the embedder.
TEXTS = 5_000
# Memories added per user and round: users take turns, so that no user's rows are adjacent.
SITTING = 10
# Users whose sittings go into one COPY a table.
_AT_ONCE = 250
_FIRST = datetime(2025, 1, 1, tzinfo=UTC)
_MILLIS = 1_735_689_600_000
_TEMPLATE = Subject("user", "bench-template")
# The tables that hold memories, and how the rows of one of each text are ordered like the texts.
_OWN = {"memory": "id", "evidence": "memory", "hot": "memory", "decision": "id", "vector": "memory"}
_TYPES = "SELECT atttypid::BIGINT FROM pg_attribute WHERE attrelid = $1::REGCLASS AND attnum > 0 ORDER BY attnum"


def user(number: int) -> Subject:
    """Name a user."""
    return Subject("user", f"bench-{number}")


class Crowd:
    """Users with memories each: the same of one seed, whatever database they are put in."""

    def __init__(self, per_user: int, vectors: Vectors, texts: Sequence[str]) -> None:
        """Take how many memories each has, and the texts they are drawn from, embedded."""
        self.per_user = per_user
        self.texts = texts
        self.vectors = vectors

    @classmethod
    async def made_up(cls, per_user: int, texts: int = TEXTS) -> "Crowd":
        """Write and embed the texts."""
        written = Writer().sentences(max(texts, per_user))
        return cls(per_user, await StaticEmbedder().embed(written), written)

    def picked(self, number: int) -> list[int]:
        """Say which texts the memories of a user have, in their order."""
        random = np.random.default_rng((SEED, number))
        return [int(text) for text in random.permutation(len(self.texts))[: self.per_user]]

    def memories(self, number: int) -> list[AddMemory]:
        """Make all memories of a user."""
        return [self.memory(user(number), id_of(number, at), text) for at, text in enumerate(self.picked(number))]

    def memory(self, subject: Subject, id_: bytes, text: int) -> AddMemory:
        """Make one memory of a text."""
        said_at = _FIRST + timedelta(minutes=text)
        source = Evidence(
            conversation=ConversationId(id_text(id_of("conversation", text))),
            seq=1,
            hash=hash64("benchmark", self.texts[text]),
            role="user",
            speaker="user",
            quote=self.texts[text],
            said_at=said_at,
        )
        memory = Memory(
            id=MemoryId(id_text(id_)),
            subject=subject,
            kind=MemoryKind.NOTE,
            text=self.texts[text],
            type="fact",
            speaker="user",
            valid_from=said_at,
            known_from=said_at,
            version="benchmark-1",
            evidence=(source,),
        )
        return AddMemory(memory=memory, space=SPACE, vectors=(self.vectors[text],), terms=terms(self.texts[text]))


def id_of(whose: object, place: int) -> bytes:
    """Make an id in the form of a UUIDv7, of a minute for each place."""
    data = bytearray(hashlib.blake2b(repr((whose, place)).encode(), digest_size=16).digest())
    data[:6] = (_MILLIS + 60_000 * place).to_bytes(6, "big")
    data[6], data[8] = 0x70 | data[6] & 0x0F, 0x80 | data[8] & 0x3F
    return bytes(data)


@dataclass(frozen=True, slots=True)
class Templates:
    """The rows of one memory of each text, as the store itself writes them; of the first texts where there are many."""

    rows: dict[str, list[Row]]
    subject: Row
    """The row of who has them."""

    @classmethod
    async def written(cls, url: str, crowd: Crowd) -> "Templates":
        """Have a store write a memory of each text into an empty database; read the rows back."""
        store = await open_store(url, clock=SystemClock())
        made = [crowd.memory(_TEMPLATE, id_of("template", text), text) for text in range(min(TEXTS, len(crowd.texts)))]
        await store.memories.apply(_TEMPLATE, made, [decision_on(change.memory, change.memory.id) for change in made])
        await store.close()
        with connect(url) as db:
            rows = {
                table: db.execute(f"SELECT * FROM {table} ORDER BY {order}", binary=True).fetchall()  # noqa: S608
                for table, order in _OWN.items()
                if table != "vector"
            }
            (subject,) = db.execute("SELECT * FROM subject", binary=True).fetchall()
        return cls(rows, subject)


# Position of the column `embedding` of `vector`; encrypted vectors are in the one after it.
_EMBEDDING = 4


class Copier:
    """Puts users of a crowd into one database."""

    def __init__(self, url: str, crowd: Crowd, templates: Templates) -> None:
        """Make the schema."""
        self._crowd = crowd
        self._templates = templates
        self._term_key = prepare(url)
        self._db = connect(url)
        session = PostgresConnection(self._db)
        self._space = ensure_space(session, SPACE, crowd.vectors.shape[1])
        self._types = {
            table: [int(row[0]) for row in self._db.execute(_TYPES, (table,)).fetchall()]
            for table in (*_OWN, "subject")
        }
        self._terms = [terms(text) for text in crowd.texts]
        self._vectors = [PackedVector(vector.astype("<f4").tobytes()) for vector in crowd.vectors]

    def put(self, numbers: Sequence[int], *, sitting: int = SITTING) -> None:
        """Write the users, each with so many memories at a time."""
        _, _, *more = self._templates.subject
        self._copy("subject", [(user(number).key, user(number).text, *more) for number in numbers])
        groups = [numbers[start : start + _AT_ONCE] for start in range(0, len(numbers), _AT_ONCE)]
        sittings = range(0, self._crowd.per_user, sitting)
        turns = [(group, start) for start in sittings for group in groups]
        for group, start in steps(f"filling {len(numbers):,} users", turns):
            with self._db.transaction():
                for table, rows in self._rows(group, slice(start, start + sitting)).items():
                    self._copy(table, rows)

    def tidy(self) -> None:
        """Do what the server would do by itself in its own time."""
        self._db.execute("VACUUM (ANALYZE)")
        self._db.execute("CHECKPOINT")

    def sizes(self) -> dict[str, int]:
        """Return the bytes of each table that was written, its indexes included."""
        return {
            table: int(self._db.execute("SELECT pg_total_relation_size($1::REGCLASS)", (table,)).fetchall()[0][0])
            for table in _OWN
        }

    def close(self) -> None:
        """Let go of the connection."""
        self._db.close()

    def _rows(self, group: Sequence[int], places: slice) -> dict[str, list[Row]]:
        rows: dict[str, list[Row]] = {table: [] for table in _OWN}
        known = self._templates.rows
        for number in group:
            subject = user(number)
            key, salt = subject.key, salt_of(self._term_key, subject)
            texts = self._crowd.picked(number)[places]
            for place, text in enumerate(texts, start=places.start):
                id_, like = id_of(number, place), text % len(known["hot"])
                _, _, kind, state, _, *more = known["memory"][like]
                rows["memory"].append((key, id_, kind, state, self._crowd.texts[text], *more))
                _, _, at, _, *source = known["evidence"][like]
                rows["evidence"].append((key, id_, at, key, *source))
                _, _, fixed, _, sources = known["hot"][like]
                rows["hot"].append((key, id_, fixed, pack_terms(self._terms[text], salt), sources))
                _, at, _, action, _, *why = known["decision"][like]
                rows["decision"].append((key, at, id_, action, id_, *why))
                rows["vector"].append((key, self._space, id_, 0, self._vectors[text], None))
        return rows

    def _copy(self, table: str, rows: Sequence[Row]) -> None:
        with self._db.cursor() as cursor:
            teach(cursor, self._types["vector"][_EMBEDDING])
            with cursor.copy(f"COPY {table} FROM STDIN (FORMAT BINARY)") as copy:
                copy.set_types(self._types[table])
                for row in rows:
                    copy.write_row(row)


def new_database(server_url: str, name: str) -> str:
    """Create a database for the benchmark, replacing an existing one; return its URL."""
    name = f"toldonce_bench_{name}"
    with psycopg.connect(server_url, autocommit=True) as connection:
        connection.execute(f"DROP DATABASE IF EXISTS {name}")
        connection.execute(f"CREATE DATABASE {name} TEMPLATE template0")
    return urlunsplit(urlsplit(server_url)._replace(path=f"/{name}"))
