"""Find the clauses of a quoted message that are to be forgotten. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from toldonce.formation.withheld import disjoint
from toldonce.memo import remembered
from toldonce.reading.sentences import Clause, TextSpan, fine_clauses, fold, joined_clauses, sentences
from toldonce.reading.slots import stated_slots
from toldonce.resolution.forget_targets import MIN_SHARED_WORDS
from toldonce.resolution.tokens import DEGREE, content_of, tokenize
from toldonce.resolution.topics import is_about, related_words, shared_words, topic_parts, topic_words
from toldonce.resolution.values import ResolvedCandidate
from toldonce.text import normalise, terms, words
from toldonce.text.normalize import shared_ends
from toldonce.text.slot_owner import reaches_speaker
from toldonce.types import (
    Action,
    Candidate,
    Decision,
    Evidence,
    Memory,
    MemoryKind,
    MessageRef,
    Withheld,
)

# With one of these words, a value in the assistant's sentence is the user's: 'Since you live in Rome, …'.
_SECOND_PERSON = frozenset(
    """you you're you've you'd your yours du dein deine deiner deinem deinen dir dich ihr ihre ihrem ihren ihnen sie tu
    ton ta tes toi vous votre vos tú te usted ustedes su sus tuo tua tuoi voi vostro lei você seu sua teu""".split()
)
# A sentence repeats a note if it has at least this many of the note's words, and the share `MIN_SHARED_WORDS` of them.
_MIN_SHARED_WORDS = 2
# Sentences of a forgotten quotation for which repetitions are searched: the first ones of its message.
MAX_REPEATED = 12
# Characters of a text whose words are compared before its clauses are.
MAX_SCREENED_CHARACTERS = 10_000
# An assistant's sentence of at most this many words only reacts to what the user said.
_MAX_REACTION_WORDS = 4


@dataclass(frozen=True, slots=True, kw_only=True)
class Outdated:
    """Something that no longer holds, with the words by which quotations of it are found."""

    id: str = ""
    """Id of the closed memory; empty for the topic of a request to forget."""
    value: frozenset[str] = frozenset()
    """Words that a sentence must have to repeat it: those of a fact's value. Empty for notes and topics."""
    content: frozenset[str]
    """All content words, including those of the value."""
    terms: frozenset[str]
    """Terms of the word index that a quotation of it has: those of a fact's value, else of all its words."""
    evidence: tuple[Evidence, ...] = ()
    """The messages it was formed from."""
    until: Evidence | None = None
    """The statement that ended it: what was said later stays. None if no statement did."""
    is_searched: bool = True
    """Messages other than its evidence are searched for the same words as well."""
    messages: frozenset[MessageRef] = frozenset()
    """Conversation and `seq` of messages that are not to be quoted at all."""
    role: str = ""
    """Role whose sentences are searched for its words; empty: every role."""
    answers: frozenset[MessageRef] = frozenset()
    """Conversation and `seq` of messages that answer one that is to be forgotten."""
    kept: frozenset[str] = frozenset()
    """Words of the rest of that message: a clause of an answer that has one of them stays."""
    is_everything: bool = False
    """All quotations and summaries are to be forgotten."""
    is_topic: bool = False
    """It is to be forgotten: every sentence about it is left out, including the request."""
    cause: str = ""
    """Id of the memory that replaced it, or of the closed one itself: undoing that brings the quotations back."""

    @property
    def is_forgotten(self) -> bool:
        """Whether the user asked to forget it, in the conversation or by hand; else something took its place."""
        return self.is_topic or self.is_everything or self.until is None

    def reaches(self, said: Evidence) -> bool:
        """Return whether a message may repeat it: it was said before the end, or asks to forget it."""
        if self.role and said.role != self.role:
            return False
        if not self.is_searched or self.until is None:
            return self.is_searched
        asked = " ".join((self.until.quote, *self.content)) if self.is_topic else None
        if said.role == self.until.role == "user" and not reaches_speaker(self.until.speaker, said.speaker, asked):
            return False
        if said.ref == self.until.ref:
            return self.is_topic
        if said.conversation == self.until.conversation:
            return (said.said_at, said.seq) < (self.until.said_at, self.until.seq)
        return said.said_at < self.until.said_at


def outdated_memory(memory: Memory, *, until: Evidence | None, is_topic: bool = False, cause: str = "") -> Outdated:
    """Describe how to find quotations of a closed memory, up to the statement that ended it."""
    is_fact = memory.kind is MemoryKind.FACT and bool(memory.value)
    return Outdated(
        id=memory.id,
        value=tokenize(memory.value).content if is_fact else frozenset(),
        content=content_words(memory.text),
        terms=frozenset(terms(memory.value if is_fact else memory.text)) - {"user"},
        evidence=memory.evidence,
        until=until,
        is_topic=is_topic,
        cause=cause or memory.id,
    )


def outdated_topics(candidate: Candidate, *, until: Evidence) -> list[Outdated]:
    """Describe how to find quotations of what a candidate asks to forget, up to the request."""
    if candidate.forgets_seqs or candidate.forgets_all:
        seqs = (*candidate.forgets_seqs, until.seq)
        return [
            Outdated(
                content=frozenset(),
                terms=frozenset(),
                until=until,
                messages=frozenset(MessageRef(until.conversation, seq) for seq in seqs),
                is_everything=candidate.forgets_all,
                is_topic=True,
            )
        ]
    return outdated_topic(candidate.forgets, until=until)


def outdated_topic(topic: str, *, until: Evidence) -> list[Outdated]:
    """Describe how to find quotations of a topic that a request to forget names."""
    found = []
    for part in topic_parts(topic):
        words = topic_words(part)
        named = frozenset(terms(" ".join((part, *related_words(words))))) - {"user"}
        found.append(Outdated(content=words, terms=named, until=until, is_topic=True))
        found += _values_named(part, words, until)
    return found


def _values_named(topic: str, content: frozenset[str], until: Evidence | None) -> list[Outdated]:
    """Describe how to find a value that a topic states: 'I'm allergic to peanuts'.

    In a profile without facts no closed memory has the value.
    """
    values = [(slot.value, tokenize(slot.value).content) for slot in stated_slots(TextSpan(topic, 0))]
    return [
        Outdated(
            value=value,
            content=content | value,
            terms=frozenset(terms(text)) - {"user"},
            until=until,
            is_topic=True,
        )
        for text, value in values
        if value
    ]


def outdated_by_hand(memory: Memory, *, cause: str = "") -> list[Outdated]:
    """Describe how to find quotations that repeat what was forgotten by hand.

    For a forgotten quotation, these are its whole message and repetitions of its sentences.

    Args:
        memory: The forgotten memory.
        cause: See `Outdated.cause`; empty: the memory itself.
    """
    cause = cause or memory.id
    if memory.kind is MemoryKind.TURN:
        return _of_quotation(memory, cause)
    found = [outdated_memory(memory, until=None, is_topic=True, cause=cause)]
    quotes = dict.fromkeys(said.quote for said in memory.evidence if memory.kind is MemoryKind.NOTE)
    clauses = [clause.text for quote in quotes for piece in sentences(fold(quote)) for clause in fine_clauses(piece)]
    values = [old for clause in clauses for old in _values_named(clause, content_words(clause), None)]
    return [*found, *(replace(old, id=memory.id, cause=cause) for old in values)]


def _of_quotation(quotation: Memory, cause: str) -> list[Outdated]:
    messages = frozenset(said.ref for said in quotation.evidence)
    nothing = frozenset[str]()
    mine = quotation.id
    found = [Outdated(id=mine, content=nothing, terms=nothing, messages=messages, is_topic=True, cause=cause)]
    for sentence in sentences(fold(quotation.text))[:MAX_REPEATED]:
        content = content_words(sentence.text)
        named = frozenset(terms(sentence.text)) - {"user"}
        found.append(Outdated(id=mine, content=content, terms=named, cause=cause))
    return found


def outdated_by(resolved: Sequence[ResolvedCandidate], decisions: Sequence[Decision]) -> list[Outdated]:
    """Collect what requests to forget among these decisions end, and the topics that they name."""
    causes = {
        line.memory_id: line.target_id
        for line in decisions
        if line.memory_id and line.target_id and line.action is Action.CLOSE
    }
    found: list[Outdated] = []
    for decided in resolved:
        until = decided.evidence[0] if decided.evidence else None
        if not decided.candidate.forgets or until is None:
            continue
        found += outdated_topics(decided.candidate, until=until)
        found += [
            outdated_memory(closing.memory, until=until, is_topic=True, cause=causes.get(closing.memory.id, ""))
            for closing in decided.closes
        ]
    return found


def content_words(text: str) -> frozenset[str]:
    """Return the content words of a text."""
    return frozenset(tokenize(text).content - DEGREE - {"user"})


def stale_stretches(text: str, said: Evidence, outdated: Sequence[Outdated]) -> tuple[Withheld, ...]:
    """Find the clauses of a message that say what no longer holds.

    These are the clauses that closed memories were formed from, and repetitions of them: by the user in other
    messages, and by the assistant to the user.

    Args:
        text: The whole message.
        said: The message as the source of its quotation.
        outdated: What no longer holds.

    Returns:
        The stretches to leave out, ordered and without overlap; empty if all of the message still holds.
    """
    plain = fold(text)
    near = [old for old in outdated if _names_message(old, said) or (old.reaches(said) and _may_say(plain, old))]
    if not near:
        return ()
    clauses = [clause for sentence in sentences(plain) for clause in joined_clauses(sentence)]
    found: dict[int, Withheld] = {}
    for old in near:
        is_whole = old.is_everything and old.reaches(said)
        stale = list(clauses) if is_whole or said.ref in old.messages else _clauses_of_evidence(clauses, said, old)
        if said.ref in old.answers:
            stale += [clause for clause in clauses if old.kept.isdisjoint(topic_words(clause.text))]
        if old.reaches(said):
            stale += [clause for clause in clauses if says_again(clause.text, said.role, old)]
        for clause in stale:
            found.setdefault(clause.start, Withheld(start=clause.start, end=clause.end, because=old.id))
    return disjoint(found.values())


def _names_message(old: Outdated, said: Evidence) -> bool:
    """Return whether what no longer holds was said in a message, or is left out of it whatever it says."""
    return said.ref in old.messages or said.ref in old.answers or any(source.ref == said.ref for source in old.evidence)


def _may_say(text: str, old: Outdated) -> bool:
    """Return False if no clause of a message repeats what no longer holds: most are about other things."""
    if old.is_everything:
        return True
    if len(text) > MAX_SCREENED_CHARACTERS:
        return True
    if old.value:
        return old.value <= _content(text)
    return old.is_topic or len(old.content & _content(text)) >= _enough(old)


@remembered
def _content(text: str) -> frozenset[str]:
    return content_of(words(text))


def _enough(old: Outdated) -> float:
    """Return how many content words a sentence shares with what it repeats, at least."""
    return max(_MIN_SHARED_WORDS, MIN_SHARED_WORDS * len(old.content))


def says_again(sentence: str, role: str, old: Outdated) -> bool:
    """Return whether a sentence says what no longer holds, or is about what is to be forgotten."""
    content = tokenize(sentence).content
    shared = shared_words(old.content, content) if old.is_topic else old.content & content
    if old.value:
        if not old.value <= content:
            return False
        if old.is_topic or shared - old.value:
            return True
        spoken = words(sentence)
        return role == "assistant" and (not _SECOND_PERSON.isdisjoint(spoken) or len(spoken) <= _MAX_REACTION_WORDS)
    if old.is_topic and is_about(old.content, content):
        return True
    return len(shared) >= _enough(old)


def _clauses_of_evidence(clauses: Sequence[Clause], said: Evidence, old: Outdated) -> list[Clause]:
    """Return the clauses of a message that a closed memory was formed from; all of them if none has its quote."""
    quotes = [_folded(source.quote) for source in old.evidence if source.quote and source.ref == said.ref]
    if not quotes:
        return []
    folded = [(_folded(clause.text), clause) for clause in clauses]
    found = [clause for text, clause in folded if any(_reaches_into(quote, text) for quote in quotes)]
    if not found:
        return list(clauses)
    beyond = old.content.difference(*(tokenize(quote).content for quote in quotes))
    return found + [clause for clause in clauses if clause not in found and _gives_figure(clause.text, beyond)]


def _reaches_into(quote: str, clause: str) -> bool:
    """Return whether a quote shares content words with a clause: it may begin in one clause and end in the next."""
    shared = (tokenize(stretch).content for stretch in shared_ends(clause, quote))
    return clause in quote or quote in clause or any(len(content) >= _MIN_SHARED_WORDS for content in shared)


def _gives_figure(clause: str, beyond: frozenset[str]) -> bool:
    """Return whether a memory took a number, and a word with it, from a clause: 'due 3 July'.

    Args:
        clause: A clause of the memory's message.
        beyond: Words of the memory that are not in its quote.
    """
    shared = beyond & tokenize(clause).content
    return len(shared) >= _MIN_SHARED_WORDS and any(word[0].isdecimal() for word in shared)


def _folded(text: str) -> str:
    return " ".join(words(normalise(fold(text))))
