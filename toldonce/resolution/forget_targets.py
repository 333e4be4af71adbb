"""What a request to forget means among the memories that hold. Pure."""

from toldonce.resolution.batch_state import Case, KnownMemory, concerns, is_newer, same_slot
from toldonce.resolution.slots import value_mark
from toldonce.resolution.tokens import DEGREE, TokenizedSentence, names, tokenize
from toldonce.resolution.topics import is_about, shared_words, topic_keys, topic_parts, topic_words
from toldonce.types import Candidate

# Share of what a request names that a memory must have: 'running the marathon', 'training for it'.
MIN_SHARED_WORDS = 0.6


def forget_targets(case: Case) -> list[KnownMemory]:
    """Find what a request to forget means: whatever holds the words of one of the things it names."""
    candidate, evidence = case.candidate, case.evidence
    active = [known for known in case.active() if is_newer(evidence, known) and concerns(candidate, known)]
    if candidate.forgets_all:
        return active
    sources = {(evidence.conversation, seq) for seq in candidate.forgets_seqs}
    meant = [known for known in active if sources & {source.ref for source in known.evidence}]
    if not sources:
        wanted = topic_parts(candidate.forgets)
        keys = frozenset(key for part in wanted for key in topic_keys(tokenize(part)))
        meant = [
            known
            for known in active
            if known.key.partition(":")[0] in keys
            or _fills_the_slot(candidate, known)
            or any(_is_meant(part, tokenize(known.text)) for part in wanted)
        ]
    claimed = case.batch.find(candidate.replaces) if candidate.replaces else None
    return [*meant, claimed] if claimed and all(known.memory != claimed.memory for known in meant) else meant


def _fills_the_slot(candidate: Candidate, known: KnownMemory) -> bool:
    """Whether a fact is the one that a request to forget states."""
    if not candidate.key or not known.key:
        return False
    return same_slot(candidate, known) and value_mark(candidate.value) == value_mark(known.value)


def _is_meant(topic: str, known: TokenizedSentence) -> bool:
    """Whether a memory speaks of what is to be forgotten, or the words to be forgotten hold all that it says."""
    ours, theirs = topic_words(topic), frozenset(known.content - DEGREE - {"user"})
    if not ours or not theirs:
        return False
    both = shared_words(ours, theirs)
    return is_about(ours, theirs) or (
        len(both) >= 2
        and len(both) >= MIN_SHARED_WORDS * min(len(ours), len(theirs))
        and _named(tokenize(topic), known)
    )


def _named(wanted: TokenizedSentence, known: TokenizedSentence) -> bool:
    """Return whether all names in a memory are in what is to be forgotten, or the other way round."""
    ours, theirs = names(wanted, known), names(known, wanted)
    return ours <= theirs or theirs <= ours
