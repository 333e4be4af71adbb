"""How a function of `store/sql/` becomes an operation of the store: it is declared once, and has its docstring there.

    class AccessRepository(Repository):
        key_by_hash = Reads(key_by_hash, inline=True)
        revoke_key = Writes(revoke_key)

`await store.access.key_by_hash(hash_)` then runs the function on a connection, which is its first parameter. What does
more than that (caches, several transactions, the store's key) is written out as a method.
"""

from collections.abc import Callable, Coroutine
from functools import partial
from typing import Any, Concatenate, Generic, ParamSpec, Self, TypeVar, overload

from toldonce.store.executor import INLINE_ROWS, Executor, StoreContext, check_limit
from toldonce.store.sql.database import SqlConnection
from toldonce.types import Subject

F = TypeVar("F")
P = ParamSpec("P")
T = TypeVar("T")


class Repository:
    """Operations on one database."""

    def __init__(self, context: StoreContext) -> None:
        self._context = context
        self._executor = context.executor


class _Operation(Generic[P, T]):
    """An attribute of a `Repository` that is called as a method of it."""

    def __init__(self, work: Callable[..., Any]) -> None:
        self.work = work
        self._limit: int = (work.__kwdefaults__ or {}).get("limit", 1)

    @overload
    def __get__(self, repository: None, owner: type[Repository]) -> Self: ...
    @overload
    def __get__(self, repository: Repository, owner: type[Repository]) -> Callable[P, Coroutine[Any, Any, T]]: ...
    def __get__(
        self, repository: Repository | None, owner: type[Repository]
    ) -> Self | Callable[P, Coroutine[Any, Any, T]]:
        return self if repository is None else partial(self._run, repository._executor)

    async def _run(self, executor: Executor, /, *values: P.args, **more: P.kwargs) -> T:
        raise NotImplementedError


class Reads(_Operation[P, T]):
    """An operation that reads. Its `limit`, if it has one, must be 1 to 10,000."""

    def __init__(self, work: Callable[Concatenate[SqlConnection, P], T], *, inline: bool = False) -> None:
        """Run `work`, which takes a connection first; `inline` where it reads for microseconds: see `Executor`."""
        super().__init__(work)
        self._inline = inline

    async def _run(self, executor: Executor, /, *values: P.args, **more: P.kwargs) -> T:
        limit = check_limit(more.get("limit", self._limit))
        if self._inline:
            return await executor.read_inline(lambda db: self.work(db, *values, **more), small=limit <= INLINE_ROWS)
        return await executor.read(lambda db: self.work(db, *values, **more))


class Writes(_Operation[Concatenate[F, P], T]):
    """An operation that writes in one transaction; durable on return."""

    def __init__(
        self,
        work: Callable[Concatenate[SqlConnection, F, P], T],
        of: Callable[[F], Subject] | None = None,
        *,
        synced: bool = True,
    ) -> None:
        """Run `work`, which takes a connection first.

        Args:
            work: Reads and writes.
            of: Returns the subject that its next value names: see `Executor.write`. None: it is of no subject.
            synced: See `Executor.write`.
        """
        super().__init__(work)
        self._of = of
        self._synced = synced

    async def _run(self, executor: Executor, first: F, /, *values: P.args, **more: P.kwargs) -> T:
        subjects = () if self._of is None else (self._of(first),)
        return await executor.write(lambda db: self.work(db, first, *values, **more), *subjects, synced=self._synced)


def itself(subject: Subject) -> Subject:
    """Return the subject: an operation's first value names its subject."""
    return subject
