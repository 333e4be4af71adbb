"""Leave out of episodes what no longer holds. Reads the store and embeds what is left."""

from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace

import numpy as np

from toldonce.concurrency import run_in_thread_if_large
from toldonce.extraction.rules.summary import NOTHING_SAID
from toldonce.formation.inputs import LARGE_BATCH
from toldonce.formation.quotations import MANY_ROWS, places
from toldonce.formation.runtime import Runtime
from toldonce.formation.stale import Outdated, content_words, says_again
from toldonce.ids import id_text, new_id
from toldonce.lazy_pattern import LazyPattern
from toldonce.reading.sentences import fold, sentences
from toldonce.text import normalise, terms, words
from toldonce.types import (
    Action,
    AddMemory,
    Change,
    CloseMemory,
    Decision,
    Evidence,
    Memory,
    MemoryId,
    MemoryKind,
    Subject,
    SubjectSnapshot,
    Vector,
)

# A sentence of a summary tells what a message told where it has so much of its words: models put it differently.
_SHARED = 0.6
# A sentence of fewer words is no sign of the message that it comes from.
_MIN_WORDS = 2
_LABEL = LazyPattern(r"(?P<who>[^\s:][^:\n]{0,79}): ")


async def shorten_episodes(
    outdated: Sequence[Outdated],
    snapshot: SubjectSnapshot,
    runtime: Runtime,
    *,
    home: Subject | None = None,
    gone: frozenset[MemoryId] = frozenset(),
) -> tuple[list[Change], list[Decision]]:
    """Leave the sentences that are to be forgotten, or no longer hold, out of the subject's episodes.

    An episode is closed, so that searches as of an earlier time still find it. One of the same turns without these
    sentences takes its place, even where none is left: the turns stay summed up.

    Args:
        outdated: What no longer holds.
        snapshot: The subject's active memories.
        runtime: Store, embedder and clock.
        home: Whose the conversations are; None: the subject's own.
        gone: Memories that the same commit closes already.
    """
    if not outdated or not len(snapshot) or not np.any(snapshot.kinds == MemoryKind.EPISODE.number):
        return [], []
    found = await run_in_thread_if_large(
        len(snapshot), lambda: places(snapshot, outdated, MemoryKind.EPISODE), above=MANY_ROWS
    )
    ids = [MemoryId(id_text(snapshot.ids[place])) for place in found]
    episodes = await runtime.memories(snapshot.subject, [id_ for id_ in ids if id_ not in gone])
    said = await _words_of_messages(outdated, episodes, home, runtime)
    size = sum(len(episode.text) for episode in episodes) * len(outdated)
    read = await run_in_thread_if_large(
        size, lambda: [_kept(episode, outdated, said) for episode in episodes], above=LARGE_BATCH
    )
    forgotten = any(old.is_forgotten for old in outdated)
    closes: list[Change] = []
    shortened: list[tuple[Memory, list[str]]] = []
    decisions: list[Decision] = []
    for episode, (kept, because) in zip(episodes, read, strict=True):
        if because is None:
            continue
        now = runtime.clock.now()
        closes.append(
            CloseMemory(id=episode.id, valid_to=max(episode.valid_from, now), closed_at=now, forgotten=forgotten)
        )
        shortened.append((without_sentences(episode, kept, runtime), kept))
        decisions.append(_decision(episode, because, runtime))
    return [*closes, *await added_episodes(shortened, runtime)], decisions


async def _words_of_messages(
    outdated: Sequence[Outdated], episodes: Sequence[Memory], home: Subject | None, runtime: Runtime
) -> dict[tuple[str, int], str]:
    """Read the messages of which nothing is to be told any more, where an episode sums them up."""
    wanted = {place for old in outdated for place in (*old.messages, *old.answers)}
    found: dict[tuple[str, int], str] = {}
    for episode in episodes:
        for source in episode.evidence:
            place = source.ref
            if place in wanted and place not in found:
                owner = home or episode.subject
                read = await runtime.store.conversations.messages(
                    owner, source.conversation, after_seq=source.seq - 1, limit=1
                )
                found[place] = read[0].text if read else ""
    return found


def _kept(
    episode: Memory, outdated: Sequence[Outdated], said: dict[tuple[str, int], str]
) -> tuple[list[str], Outdated | None]:
    """Return the sentences of a summary that still hold, and why the first of the others does not; None: all do."""
    applying = [old for old in outdated if _concerns(old, episode.evidence)]
    because: list[Outdated] = []

    def stays(sentence: str, role: str) -> bool:
        why = next((old for old in applying if _tells(sentence, role, old, said)), None)
        because.extend([why] if why else ())
        return why is None

    kept = _sentences_where(stays, episode) if applying else []
    return kept, because[0] if because else None


def _sentences_where(stays: Callable[[str, str], bool], episode: Memory) -> list[str]:
    """Return the sentences of a summary for which, with the role of who says it, `stays` holds; labels included."""
    speakers = {source.speaker for source in episode.evidence} | {"The user", "The assistant"}
    kept: list[str] = []
    speaker, written = "", ""
    for piece in sentences(episode.text):
        label = _LABEL.match(piece.text)
        sentence = piece.text
        if label and label["who"] in speakers:
            speaker, sentence = label["who"], sentence[label.end() :]
        if not stays(sentence, "assistant" if speaker == "The assistant" else "user"):
            continue
        kept.append(f"{speaker}: {sentence}" if speaker != written else sentence)
        written = speaker
    return kept


def sentences_that_return(
    episode: Memory, shortened: Memory | None, *, back: Sequence[Outdated], still: Sequence[Outdated]
) -> list[str] | None:
    """Return the sentences of an episode that may come back; None: all of them.

    Args:
        episode: As it was before it was shortened.
        shortened: What took its place; None: nothing did.
        back: What holds again.
        still: What does not.
    """
    left = _folded(shortened.text) if shortened else None

    def stays(sentence: str, role: str) -> bool:
        if left is not None and _folded(sentence) in left:
            return True
        if any(_tells(sentence, role, old, {}) for old in still):
            return False
        return left is None or any(_tells(sentence, role, old, {}) for old in back)

    kept = _sentences_where(stays, episode)
    return None if kept == _sentences_where(lambda _sentence, _role: True, episode) else kept


def _concerns(old: Outdated, evidence: Sequence[Evidence]) -> bool:
    """Whether an episode sums up a message that may say what no longer holds."""
    own = {source.ref for source in old.evidence} | old.messages | old.answers
    return any(old.reaches(source) or source.ref in own for source in evidence)


def _tells(sentence: str, role: str, old: Outdated, said: dict[tuple[str, int], str]) -> bool:
    if old.is_everything or says_again(sentence, role, old):
        return True
    plain = _folded(sentence)
    if len(plain.split()) < _MIN_WORDS:
        return False
    if any(
        quote and (quote in plain or plain in quote) for quote in (_folded(source.quote) for source in old.evidence)
    ):
        return True
    content = content_words(sentence)
    places_of_it = old.messages if role == "user" or old.kept & content else old.messages | old.answers
    return any(
        plain in _folded(said[place]) or len(content & content_words(said[place])) >= max(1, _SHARED * len(content))
        for place in places_of_it
        if place in said
    )


def _folded(text: str) -> str:
    return " ".join(words(normalise(fold(text))))


def without_sentences(episode: Memory, kept: Sequence[str], runtime: Runtime) -> Memory:
    """Return an episode of the same turns that has these sentences alone."""
    return replace(
        episode,
        id=MemoryId(new_id(runtime.clock)),
        text=" ".join(kept) or NOTHING_SAID,
        detail=replace(episode.detail, chain_turns=0),
        known_from=runtime.clock.now(),
        uses=0,
        last_used_at=None,
    )


async def added_episodes(shortened: Sequence[tuple[Memory, list[str]]], runtime: Runtime) -> list[AddMemory]:
    """Make episodes recallable by their sentences."""
    pieces = [[episode.text, *kept] if kept else [] for episode, kept in shortened]
    flat = [piece for each in pieces for piece in each]
    rows: Iterator[Vector] = iter(await runtime.embedder.embed(flat) if flat else ())
    return [
        AddMemory(
            memory=episode,
            space=runtime.embedder.space,
            vectors=tuple(row for row in [next(rows) for _ in each] if row.any()),
            terms=terms(episode.text) if each else {},
        )
        for (episode, _), each in zip(shortened, pieces, strict=True)
    ]


def _decision(episode: Memory, because: Outdated, runtime: Runtime) -> Decision:
    reason = "part of the summary is to be forgotten or no longer holds"
    return Decision.of(episode, Action.CLOSE, reason, clock=runtime.clock, target=because.cause).said_in(because.until)
