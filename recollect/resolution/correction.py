"""What a correction takes back: memories formed of words that their speaker did not mean. Pure."""

from recollect.resolution.batch_state import BatchState, KnownMemory, is_newer, same_slot
from recollect.resolution.lexicon import DEGREE
from recollect.resolution.lifecycle import outlived
from recollect.resolution.tokens import tokenize
from recollect.types import Candidate, Evidence, MemoryKind


def taken_back(batch: BatchState, place: int, said: tuple[Candidate, Evidence]) -> list[KnownMemory]:
    """Find what a correction closes: what was said wrongly, other values of its slot, and what it ends besides.

    Returns:
        The memories, those said wrongly first; nothing where it is unclear which is meant.
    """
    candidate, _ = said
    wrong = _misspoken(batch, place, said) if candidate.corrects and not candidate.ends else []
    if not wrong:
        return []
    rivals = [known for known in batch.facts() if candidate.kind is MemoryKind.FACT and same_slot(candidate, known)]
    return [*wrong, *(known for known in [*rivals, *outlived(batch, place, said)] if known not in wrong)]


def _misspoken(batch: BatchState, place: int, said: tuple[Candidate, Evidence]) -> list[KnownMemory]:
    """Find what was formed with the wrong words: in this conversation, or of the same thing.

    Where several memories that do not hang together have these words, it is unclear which is meant: none.
    """
    candidate, evidence = said
    old = tokenize(candidate.corrects)
    ours = tokenize(candidate.text).content - old.content - DEGREE - {"user"}
    having = [
        known
        for known in batch.held(place)
        if is_newer(evidence, known)
        and old.tokens
        and any(set(old.tokens) <= set(tokenize(text).tokens) for text in (known.text, *_quotes(known, evidence)))
    ]
    here = [known for known in having if any(source.conversation == evidence.conversation for source in known.said)]
    about = [known for known in having if ours & (tokenize(known.text).content - old.content)]
    chosen = [known for known in here if known in about] or about or here or having
    sources = {(source.conversation, source.seq) for known in chosen for source in known.said}
    return chosen if chosen in (about, here) or len(sources) == 1 or all(known in about for known in chosen) else []


def _quotes(known: KnownMemory, evidence: Evidence) -> list[str]:
    """Return the words of this conversation that a memory rests on."""
    return [source.quote for source in known.said if source.conversation == evidence.conversation]
