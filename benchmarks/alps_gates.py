"""Gates of a cross-validation, and which of them reads a chat of AlpsBench. Reads files."""

from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from unittest.mock import patch

from benchmarks.alps_chats import AlpsChat, fold_of
from toldonce.errors import SetupError
from toldonce.extraction.rules import kept_sentences
from toldonce.extraction.statement_gate import StatementGate, load_gate


def gate_file(folder: Path, fold: int) -> Path:
    """Return where the gate is that was trained without a fold."""
    return folder / f"gate-{fold}.npz"


def read_gates(folder: Path) -> tuple[StatementGate, ...]:
    """Read the gates of a folder, by the fold that each has not seen.

    Raises:
        SetupError: there are none, or one cannot be read.
    """
    count = len(list(folder.glob("gate-*.npz")))
    if not count:
        raise SetupError(f"{folder} has no gates: python -m tools.train_gate FILE --folds 5 --out {folder}")
    return tuple(load_gate(gate_file(folder, fold)) for fold in range(count))


def gate_for(chat: AlpsChat, gates: Sequence[StatementGate]) -> StatementGate | None:
    """Return the gate that has not seen a chat; None if there are no gates."""
    return gates[fold_of(chat.id, len(gates))] if gates else None


@contextmanager
def gate_in_use(gate: StatementGate | None) -> Iterator[None]:
    """Let the rules of this process ask a gate instead of the package's; None changes nothing.

    Messages that are read in a process of their own are asked about at the package's gate.
    """
    if gate is None:
        yield
        return
    with patch.object(kept_sentences, "shipped_gate", lambda: gate):
        yield
