"""The part of the store's protocol by which memories change their embedder: the promises of `Store` hold. Pure.

A subject is read in one space at a time. A change gives its memories vectors in another beside those they have, and
then switches it over in one commit, of which nobody sees half: until then each read and write is of the old space.
"""

from collections.abc import Mapping, Sequence
from typing import Protocol

from recollect.types import EmbedderRecord, MemoryId, MissingVectors, ReembedBacklog, SpaceCount, Subject, Vector


class EmbeddedStore(Protocol):
    """Which embedders there are, and what is still to be embedded by the one chosen."""

    async def embedders(self) -> list[EmbedderRecord]:
        """List the embedders that were chosen, the newest (the one in use) first, then those that were only used."""
        ...

    async def choose_embedder(self, record: EmbedderRecord, *, former: EmbedderRecord) -> None:
        """Choose an embedder for the database: subjects that begin from now on are read in its space.

        Those that are there stay in the space they are read in, `former` where none was ever chosen, until they are
        switched. An embedder that is known already is described anew.

        Raises:
            VectorSizeError: vectors of another length are stored under the name of its space.
        """
        ...

    async def space_of(self, subject: Subject) -> str | None:
        """Return the space that a subject is read in, or would be if it began now; None: none was ever chosen."""
        ...

    async def waiting(
        self, space: str, *, usual: str, after: str = "", limit: int = 1000, missing: bool = False
    ) -> list[ReembedBacklog]:
        """List the subjects that are not read in a space or lack vectors in it, with how many memories that is.

        `usual` is the space that subjects are read in while no embedder was ever chosen; `missing`: see `unembedded`.

        Of `limit` subjects by name from behind the name `after` those that wait; the last of these is among them
        whether it waits or not, so that an empty list alone is the end.
        """
        ...

    async def unembedded(
        self, subject: Subject, space: str, *, after: MemoryId | None, since: int, limit: int, missing: bool = False
    ) -> MissingVectors:
        """Read active memories that need vectors in a space and have none, by id from behind `after`.

        Of those that changed since the subject's version `since`; 0: all. In a space that the subject is read in, what
        has no vectors elsewhere needs none, unless what is `missing` is looked for; in any, facts that never had any.
        """
        ...

    async def embed_anew(self, subject: Subject, space: str, vectors: Mapping[MemoryId, Sequence[Vector]]) -> int:
        """Give memories vectors in a space, beside those they have; return how many got some.

        What was closed or erased meanwhile gets none, nor what has some there by now. Moves the version only where the
        subject is read in that space.

        Raises:
            VectorSizeError: a vector does not fit the space.
        """
        ...

    async def switch_space(self, subject: Subject, space: str, *, since: int, whole: bool = True) -> bool:
        """Let a subject be read and written in a space from now on; False, and no change, where something lacks there.

        Args:
            subject: Whose memories.
            space: Of the embedder that was chosen last.
            since: Nothing lacked there at this version of the subject.
            whole: False switches whatever came since: more came each time than could be embedded meanwhile.

        Raises:
            StaleSubjectError: another embedder was chosen since.
        """
        ...

    async def drop_other_vectors(self, subject: Subject, *, limit: int) -> int:
        """Drop up to `limit` rows of vectors in spaces that the subject is not, nor is to be, read in; say how many."""
        ...

    async def space_names(self) -> list[str]:
        """List the spaces that vectors were ever stored in, the oldest first."""
        ...

    async def space_counts(self) -> list[SpaceCount]:
        """Count what lies in each space, for the operator (slow with millions of memories)."""
        ...
