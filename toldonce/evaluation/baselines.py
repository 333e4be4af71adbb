"""Baselines: BM25, vectors, both merged, and whole sessions. Pure, but for the embedder of `index`.

They search all turns of a conversation, each with its speaker as prefix, with the stems and the embedder of the engine.
They form nothing, leave nothing out and ignore time. A block of a baseline is what it would put into a prompt: as many
of its best messages as the tokens hold, in the order in which they were said, with speaker and day as in a prompt.
"""

from collections import Counter, defaultdict
from collections.abc import Iterable, Mapping, Sequence
from zoneinfo import ZoneInfo

import numpy as np
import numpy.typing as npt

from toldonce.datasets.dataset import DatasetTurn
from toldonce.dates import written
from toldonce.evaluation.results import FilledBlock
from toldonce.prompt.escape import escape_quotation
from toldonce.providers.protocols import Embedder, TokenCounter
from toldonce.text import terms
from toldonce.types import Vectors

BM25, VECTORS, FUSED, SESSIONS = "BM25", "vectors", "BM25 + vectors", "sessions"
BLOCKS = (BM25, VECTORS, SESSIONS)
"""Baselines that fill a prompt."""
# The usual constants of BM25 (Robertson and Zaragoza, 2009) and of rank fusion (Cormack et al., 2009).
_K1, _B = 1.2, 0.75
_RANK_OFFSET = 60
DEPTH = 100
"""Results considered for a token budget: 1,000 tokens hold a hundred memories of ten tokens."""


class WordIndex:
    """Scores documents by BM25."""

    def __init__(self, counts: Sequence[Counter[str]]) -> None:
        self._postings: defaultdict[str, list[tuple[int, int]]] = defaultdict(list)
        for position, document_counts in enumerate(counts):
            for term, count in document_counts.items():
                self._postings[term].append((position, count))
        length = np.array([document_counts.total() for document_counts in counts], dtype=np.float64)
        self._norm = _K1 * (1 - _B + _B * length / max(length.mean(), 1.0))

    def score(self, query: str) -> npt.NDArray[np.float64]:
        """Return the score of each document; 0 without a word of the query."""
        total = len(self._norm)
        scores = np.zeros(total)
        for term, times in Counter(terms(query)).items():
            postings = self._postings.get(term, ())
            rarity = np.log(1 + (total - len(postings) + 0.5) / (len(postings) + 0.5))
            for position, count in postings:
                scores[position] += times * rarity * count * (_K1 + 1) / (count + self._norm[position])
        return scores


class Baselines:
    """Ranks the turns of a conversation, and fills prompts with them."""

    def __init__(self, turns: Sequence[DatasetTurn], vectors: Vectors) -> None:
        """Index the terms of turns; `vectors` are theirs, one row per turn, as `index` computes them."""
        self._turns = turns
        self._vectors = vectors
        counts = [Counter(terms(turn.line)) for turn in turns]
        self._words = WordIndex(counts)
        self._sessions: dict[str, list[int]] = {}
        for position, turn in enumerate(turns):
            self._sessions.setdefault(turn.session, []).append(position)
        self._session_words = WordIndex(
            [sum((counts[position] for position in members), Counter()) for members in self._sessions.values()]
        )

    def rank(self, query: str, vector: npt.NDArray[np.float32]) -> Mapping[str, list[int]]:
        """Rank the turns with a positive score by each method, best first, ties in order; returns positions."""
        by_words = _sort_best_first(self._words.score(query))
        by_vectors = _sort_best_first(np.asarray(self._vectors @ vector, dtype=np.float64))
        fused = np.zeros(len(self._turns))
        for ranking in (by_words, by_vectors):
            for rank, document in enumerate(ranking, start=1):
                fused[document] += 1 / (_RANK_OFFSET + rank)
        return {BM25: by_words, VECTORS: by_vectors, FUSED: _sort_best_first(fused)}

    def sessions(self, query: str) -> list[int]:
        """Return the turns of the sessions with a positive score: best session first, of equal ones the newest."""
        members = list(self._sessions.values())
        newest_first = _sort_best_first(self._session_words.score(query)[::-1])
        return [position for place in newest_first for position in members[len(members) - 1 - place]]


class BlockWriter:
    """Writes the blocks of baselines."""

    def __init__(self, turns: Sequence[DatasetTurn], counter: TokenCounter, zone: ZoneInfo) -> None:
        """Write all turns as rows of a prompt, with their days in `zone`, and count their tokens."""
        self._turns = turns
        self._counter = counter
        self._rows = [_row(turn, zone) for turn in turns]
        self._tokens = [counter.count(f"{row}\n") for row in self._rows]

    def block(self, order: Iterable[int], tokens: int, *, cut: bool) -> FilledBlock:
        """Fill a block with turns, and put them into the order in which they were said.

        Args:
            order: Positions of turns, best first.
            tokens: Maximum number of tokens.
            cut: The first turn without room ends the block, as a session is read from its beginning; else it is
                skipped, and the next ones are tried.
        """
        left, kept = tokens, list[int]()
        for position in order:
            if self._tokens[position] <= left:
                kept.append(position)
                left -= self._tokens[position]
            elif cut:
                break
        text = "\n".join(self._rows[position] for position in sorted(kept))
        shown = frozenset(self._turns[position].id for position in kept)
        return FilledBlock(text=text, tokens=self._counter.count(text), limit=tokens, shown=shown, quoted=shown)


async def index(turns: Sequence[DatasetTurn], embedder: Embedder) -> Baselines:
    """Embed turns and index them.

    Raises:
        ModelError: The embedder did not answer.
    """
    return Baselines(turns, await embedder.embed([turn.line for turn in turns]))


def _row(turn: DatasetTurn, zone: ZoneInfo) -> str:
    """Return a turn as a prompt quotes it, but whole and without days written out."""
    words = escape_quotation(turn.text, len(turn.text) + 1)
    return f'- "{words}" ({turn.speaker or f"the {turn.role}"}, {written(turn.said_at.astimezone(zone).date())})'


def _sort_best_first(scores: npt.NDArray[np.float64]) -> list[int]:
    """Return the positions with a positive score, best first."""
    order = np.argsort(-scores, kind="stable")
    return [int(position) for position in order if scores[position] > 0]
