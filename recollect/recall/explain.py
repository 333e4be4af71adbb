"""Why a memory was recalled, in short words that people read. Pure."""

from recollect.recall.query import Query
from recollect.recall.rank import RankedRow

# Similarities from which a reader would agree; below the lower one likeness is left unsaid.
_SAME = 0.6
_NEAR = 0.2
_IMPORTANT = 0.7
# Log-odds of what stands around a memory from which it is a reason: what a word that few others share gives.
_AROUND = 0.5


def reasons(row: RankedRow, query: Query) -> tuple[str, ...]:
    """Say what speaks for a row, the strongest kinds of evidence first."""
    found = ["a standing fact"] if row.standing else []
    if row.similarity >= _NEAR:
        found.append(f"{'means the same' if row.similarity >= _SAME else 'near in meaning'} ({row.similarity:.2f})")
    if row.hits:
        found.append(_shared(shared_words(row, query)))
    if row.kindred:
        found.append("speaks of what is asked about in other words")
    if row.in_time:
        found.append("from the time asked about")
    if row.around >= _AROUND:
        found.append("what was said around it fits")
    if row.importance >= _IMPORTANT:
        found.append(f"important ({row.importance:.1f})")
    if row.id in (query.newest or ()):
        found.append("one of the newest")
    latest = query.policy.order == "updated" and query.for_prompt
    return tuple(found) or ("one of the last updated" if latest else "the nearest there is",)


def speaks_for(row: RankedRow) -> bool:
    """Tell whether anything speaks for a row but that nothing else is nearer."""
    return (
        bool(row.hits)
        or row.kindred
        or row.in_time
        or row.similarity >= _NEAR
        or row.importance >= _IMPORTANT
        or row.around >= _AROUND
    )


def shared_words(row: RankedRow, query: Query) -> list[str]:
    """Return the query's words that the memory has, as they were asked."""
    return [query.spoken.get(term, term) for place, term in enumerate(query.terms) if row.hits >> place & 1]


def _shared(words: list[str]) -> str:
    quoted = ", ".join(f'"{word}"' for word in words)
    return f"shares the word {quoted}" if len(words) == 1 else f"shares the words {quoted}"
