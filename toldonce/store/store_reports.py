"""Reports on a whole store, for operators. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectIndex:
    """An index of one subject's vectors, with which recall finds near ones without comparing all."""

    subject: str
    """Name of the subject; empty if nothing is left of it."""
    space: str
    vectors: int
    """Number of the subject's vectors in that space."""
    bytes: int
    """Size of the index."""
    used: bool
    """Whether recall uses it; False if it is unfinished, or the subject is read in another space by now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectEncryption:
    """How far the subjects of a database are encrypted, each with its own key."""

    extent: str
    """`whole`; `mixed`: older rows are plain; `leaving`: they are being decrypted."""
    encrypted: int
    """Subjects of whom all rows are encrypted."""
    mixed: int
    """Subjects of whom some rows may be plain, because they were stored before."""
    plain: int
    """Subjects without a key."""
    pending: int
    """Erased subjects whose key is not destroyed yet."""
    keyring: str
    """Address of the keyring, without a password."""
    keys: int | None
    """Subjects that the keyring has a key of; None: it does not answer."""
    others: int = 0
    """Keys that the other master key still encrypts."""


@dataclass(frozen=True, slots=True, kw_only=True)
class MigrationReport:
    """What became of the schema of a database."""

    where: str
    """The database, without a password."""
    before: int
    """Number of the schema that it had; 0: it was new."""
    after: int
    """Number of the schema that it has."""
    copy: str | None = None
    """File with what it held before; None if none was kept."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ConversionReport:
    """What became of rows that were to be encrypted by their subjects' keys, or decrypted."""

    where: str
    """The database, without a password."""
    subjects: int
    """Number of subjects that were changed."""
    rows: int
    """Number of rows that were changed."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RotationReport:
    """What became of the data keys when the master key was changed."""

    keyring: str
    """Address of the keyring, without a password."""
    changed: int
    """Data keys that the new master key encrypts from now on."""
    keys: int
    """Subjects with a key."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """Counts and problems of a store, as `toldonce doctor` shows them."""

    url: str
    """URL without a password."""
    schema: int
    """Number of the newest migration applied."""
    subjects: int
    conversations: int
    messages: int
    memories: int
    """Active ones, turns included."""
    formations_due: int
    formations_parked: int
    bytes: int
    """Size on disk, write-ahead log included."""
    spaces: tuple[str, ...]
    """Names of the vector spaces in use."""
    indexes: tuple[SubjectIndex, ...] = ()
    """Indexes of giant subjects' vectors."""
    encryption: SubjectEncryption | None = None
    """Encryption of subjects; None where they are not encrypted."""
    problems: tuple[str, ...]
    """Problems found by the integrity check; filled only with `check=True`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitusReport:
    """How the tables of a PostgreSQL database are distributed over the nodes of Citus."""

    where: str
    """The database, without a password."""
    citus: str
    """Version of the extension."""
    nodes: int
    """Number of nodes that hold shards."""
    distributed: tuple[str, ...]
    """Tables that this call distributed by their subject."""
    copied: tuple[str, ...]
    """Tables that this call put on every node whole."""
    before: tuple[str, ...]
    """Tables that were placed correctly already."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What was done with the indexes of very large subjects."""

    where: str
    """The database, without a password."""
    least: int
    """Minimum number of vectors for an index."""
    built: tuple[SubjectIndex, ...]
    before: tuple[SubjectIndex, ...]
    """Indexes that existed already."""
    dropped: tuple[str, ...]
    """Names of dropped indexes: unwanted or unfinished."""
    refused: tuple[str, ...]
    """Subjects that cannot have one, and why."""


@dataclass(frozen=True, slots=True, kw_only=True)
class KeyReport:
    """What became of a SQLite file that was to be encrypted, decrypted or encrypted with another key."""

    changed: bool
    """False if it was like that already."""
    bytes: int
    """Size of the file."""


@dataclass(frozen=True, slots=True, kw_only=True)
class RowSecurityReport:
    """Which tables are guarded by row-level security."""

    where: str
    """The database, without a password."""
    guarded: tuple[str, ...]
    unguarded: tuple[str, ...]
    """Tables of subjects' rows that are not guarded."""
