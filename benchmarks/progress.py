"""Show how far a benchmark is, beside the table. Writes to standard error."""

from collections.abc import Iterable, Iterator, Sequence
from typing import TypeVar

from rich.console import Console
from rich.progress import BarColumn, MofNCompleteColumn, Progress, TextColumn, TimeElapsedColumn

T = TypeVar("T")

# A bar redrawn more often costs what is being measured; a pipe gets none at all.
_REDRAWS_A_SECOND = 2


def steps(label: str, things: Sequence[T] | Iterable[T], total: int | None = None) -> Iterator[T]:
    """Yield things under a progress bar; only one runs at a time."""
    length = total if total is not None else len(things) if isinstance(things, Sequence) else None
    console = Console(stderr=True)
    columns = (TextColumn("{task.description}"), BarColumn(), MofNCompleteColumn(), TimeElapsedColumn())
    with Progress(
        *columns, console=console, transient=True, refresh_per_second=_REDRAWS_A_SECOND, disable=not console.is_terminal
    ) as bar:
        yield from bar.track(things, total=length, description=label)
