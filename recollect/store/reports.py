"""Reports on a whole store, for operators. Pure."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class SubjectIndex:
    """An index of one subject's vectors, by which recall finds the near ones instead of comparing all."""

    subject: str
    """Whose; empty where nothing is left of them."""
    space: str
    vectors: int
    """How many the subject has in that space."""
    bytes: int
    """What the index takes."""
    used: bool
    """Whether recall asks it: not where it is unfinished, or the subject is read in another space by now."""


@dataclass(frozen=True, slots=True, kw_only=True)
class StoreStats:
    """What `recollect doctor` says about a store."""

    url: str
    """Where it is, without a password."""
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
    problems: tuple[str, ...]
    """What an integrity check found; empty when all is well. Filled only with `check=True`."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CitusReport:
    """How the tables of a PostgreSQL database lie on the nodes of Citus."""

    where: str
    """The database, without a password."""
    citus: str
    """Version of the extension."""
    nodes: int
    """Those that hold shards."""
    distributed: tuple[str, ...]
    """Tables that this call distributed by their subject."""
    copied: tuple[str, ...]
    """Tables that this call put on every node whole."""
    before: tuple[str, ...]
    """Tables that lay as they are to lie."""


@dataclass(frozen=True, slots=True, kw_only=True)
class IndexReport:
    """What became of the indexes of giant subjects."""

    where: str
    """The database, without a password."""
    least: int
    """From so many vectors on a subject has one."""
    built: tuple[SubjectIndex, ...]
    before: tuple[SubjectIndex, ...]
    """Those that were there already."""
    dropped: tuple[str, ...]
    """Names of what was dropped: not wanted any more, or unfinished."""
    refused: tuple[str, ...]
    """Which subjects cannot have one, and why."""
