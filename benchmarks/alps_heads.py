"""Heads of a cross-validation, and which of them reads a chat of AlpsBench. Reads files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from benchmarks.alps_chats import AlpsChat, fold_of
from toldonce.errors import SetupError
from toldonce.extraction import model_gate
from toldonce.extraction.rules import kept_sentences
from toldonce.reading import heads as reading_heads
from toldonce.reading.heads import Heads, load_heads


def heads_file(folder: Path, fold: int) -> Path:
    """Return where the heads are that were trained without a fold."""
    return folder / f"heads-{fold}.npz"


def read_heads(folder: Path) -> tuple[Heads, ...]:
    """Read the heads of a folder, by the fold that each has not seen.

    Raises:
        SetupError: there are none, or one cannot be read.
    """
    count = len(list(folder.glob("heads-*.npz")))
    if not count:
        raise SetupError(f"{folder} has no heads: python -m tools.train_reader DATA --folds 5 --out {folder}")
    return tuple(load_heads(heads_file(folder, fold)) for fold in range(count))


def heads_for(chat: AlpsChat, heads: Sequence[Heads]) -> Heads | None:
    """Return the heads that have not seen a chat; None if there are no heads."""
    return heads[fold_of(chat.id, len(heads))] if heads else None


@contextmanager
def heads_in_use(heads: Heads | None) -> Iterator[None]:
    """Let the rules of this process ask other heads instead of the package's; None changes nothing.

    Messages that are read in a process of their own are judged by the package's heads.
    """
    if heads is None:
        yield
        return
    with (
        patch.object(kept_sentences, "shipped_heads", lambda: heads),
        patch.object(model_gate, "shipped_heads", lambda: heads),
        patch.object(reading_heads, "shipped_heads", lambda: heads),
    ):
        yield
