"""Find the clauses of a quoted message that say what no longer holds or is to be forgotten. Pure."""

from collections.abc import Sequence
from dataclasses import dataclass, replace

from recollect.extraction.rules.clause_facts import facts_of
from recollect.extraction.sentences import Clause, fine_clauses, fold, joined_clauses, sentences
from recollect.formation.withheld import disjoint
from recollect.lazy_pattern import LazyPattern
from recollect.memo import remembered
from recollect.resolution.lexicon import DEGREE
from recollect.resolution.retraction import MIN_SHARED_WORDS
from recollect.resolution.states import tells_state, words_of
from recollect.resolution.tokens import content_of, tokenize
from recollect.resolution.topics import is_about, related_words, topic_parts, topic_words
from recollect.resolution.values import ResolvedCandidate
from recollect.text import normalise, terms, words
from recollect.text.normalize import shared_ends
from recollect.text.slot_owner import reaches_speaker
from recollect.text.update_screen import MAX_SCREENED_CHARACTERS, ScreenedText, may_contradict
from recollect.text.updates import Update, contradicts
from recollect.types import (
    Action,
    AddMemory,
    Candidate,
    Change,
    Decision,
    Evidence,
    LifeState,
    Memory,
    MemoryKind,
    MemoryState,
    MessageRef,
    Withheld,
)

# With one of these words, a value in the assistant's sentence is the user's: 'Since you live in Rome, …'.
_SECOND_PERSON = frozenset(
    """you you're you've you'd your yours du dein deine deiner deinem deinen dir dich ihr ihre ihrem ihren ihnen sie tu
    ton ta tes toi vous votre vos tú te usted ustedes su sus tuo tua tuoi voi vostro lei você seu sua teu""".split()
)
# 'Pixie, not Pixel': the second word was said earlier by mistake.
_DENIED = LazyPattern(
    r"\w,?\s(?:and\s)?not\s(?P<old>[^\W_][\w'’.-]{1,40}(?:\s[\w'’.-]{1,40}){0,2})\s{0,3}(?:[,.;!?)]|$)"
)
# A sentence repeats a note if it has at least this many of the note's words, and the share `MIN_SHARED_WORDS` of them.
_MIN_SHARED_WORDS = 2
# Sentences of a forgotten quotation for which repetitions are searched: the first ones of its message.
MAX_REPEATED = 12
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
    state: LifeState | None = None
    """A part of the user's life that changed: the user's sentences about its former state are left out."""
    update: Update | None = None
    """A later clause: the user's clauses that it contradicts are left out."""
    conversation: str = ""
    """The only conversation that is searched, and only for the value; empty: all are."""
    cause: str = ""
    """Id of the memory that replaced it, or of the closed one itself: undoing that brings the quotations back."""

    @property
    def is_forgotten(self) -> bool:
        """Whether the user asked to forget it, in the conversation or by hand; else something took its place."""
        return self.is_topic or self.is_everything or self.until is None

    def reaches(self, said: Evidence) -> bool:
        """Return whether a message may repeat it: it was said before the end, or asks to forget it."""
        if (self.conversation and said.conversation != self.conversation) or (self.role and said.role != self.role):
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
    values = [
        (fact.value, tokenize(fact.value).content) for fact in facts_of(topic, ()) if not fact.key.startswith("rule:")
    ]
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


def outdated_by(
    resolved: Sequence[ResolvedCandidate], changes: Sequence[Change], decisions: Sequence[Decision]
) -> list[Outdated]:
    """Collect what these decisions end, or ask to forget."""
    causes: dict[str, str] = {}
    for line in decisions:
        if line.memory_id and line.target_id and line.action is Action.REPLACE:
            causes[line.target_id] = line.memory_id
        elif line.memory_id and line.target_id and line.action is Action.CLOSE:
            causes[line.memory_id] = line.target_id
    found: list[Outdated] = []
    for decided in resolved:
        until, topic = (decided.evidence[0] if decided.evidence else None), decided.candidate.forgets
        if topic and until:
            found += outdated_topics(decided.candidate, until=until)
        if until and decided.adds and decided.candidate.corrects:
            found.append(denied_value(decided.candidate.corrects, decided.candidate.text, until))
        elif until and decided.adds and (denied := _DENIED.search(decided.candidate.quote)):
            found.append(denied_value(denied["old"], decided.candidate.text, until))
        found += _changed_states(decided, until, decisions) if until else []
        found += [
            outdated_memory(closing.memory, until=until, is_topic=bool(topic), cause=causes.get(closing.memory.id, ""))
            for closing in decided.closes
            if not closing.refined
        ]
    ended = {
        (decided.candidate.kind, decided.candidate.text, decided.evidence): decided
        for decided in resolved
        if decided.valid_to and not decided.refined
    }
    for change in changes:
        if isinstance(change, AddMemory) and change.memory.state is MemoryState.CLOSED:
            by = ended.get((change.memory.kind, change.memory.text, change.memory.evidence))
            found += [outdated_memory(change.memory, until=by.ended_by)] if by else []
    return found


def _changed_states(decided: ResolvedCandidate, until: Evidence, decisions: Sequence[Decision]) -> list[Outdated]:
    """Describe how to find quotations of the former state of something that has changed."""
    text = decided.candidate.text
    if not decided.adds and not decided.closes:
        return []
    cause = next((line.memory_id for line in decisions if line.text == text and line.memory_id), None)
    return [
        Outdated(
            value=content_words(shift.old) if shift.needs_old else frozenset(),
            content=frozenset(),
            terms=frozenset(terms(shift.old if shift.needs_old else words_of(shift.state))),
            until=until,
            state=shift.state,
            cause=cause or "",
        )
        for shift in decided.candidate.shifts
        if (content_words(shift.old) if shift.needs_old else shift.state is not LifeState.PLAN)
    ]


def denied_value(old: str, meant: str, until: Evidence) -> Outdated:
    """Describe how to find, in the same conversation, what 'X, not Y' corrects."""
    value = tokenize(old).content
    return Outdated(
        value=value,
        content=value | content_words(meant),
        terms=frozenset(terms(old)),
        until=until,
        conversation=until.conversation,
    )


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
    screened = ScreenedText(fold(text))
    near = [
        old for old in outdated if _names_message(old, said) or (old.reaches(said) and _may_say(screened, said, old))
    ]
    if not near:
        return ()
    clauses = [clause for sentence in sentences(screened.text) for clause in joined_clauses(sentence)]
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


def _may_say(text: ScreenedText, said: Evidence, old: Outdated) -> bool:
    """Return False if no clause of a message repeats what no longer holds: most are about other things."""
    if old.is_everything:
        return True
    if (old.state or old.update) and said.role != "user":
        return False
    if old.update and not old.state:
        return may_contradict(old.update, text)
    if len(text.text) > MAX_SCREENED_CHARACTERS:
        return True
    if old.value or old.state:
        return old.value <= _content(text.text)
    return old.is_topic or len(old.content & _content(text.text)) >= _enough(old)


@remembered
def _content(text: str) -> frozenset[str]:
    return content_of(words(text))


def _enough(old: Outdated) -> float:
    """Return how many content words a sentence shares with what it repeats, at least."""
    return max(_MIN_SHARED_WORDS, MIN_SHARED_WORDS * len(old.content))


def says_again(sentence: str, role: str, old: Outdated) -> bool:
    """Return whether a sentence says what no longer holds, or is about what is to be forgotten."""
    if old.state:
        return role == "user" and old.value <= tokenize(sentence).content and tells_state(old.state, sentence)
    if old.update:
        return role == "user" and contradicts(old.update, sentence)
    shared = old.content & tokenize(sentence).content
    if old.value:
        if not old.value <= tokenize(sentence).content:
            return False
        if old.is_topic or old.conversation or shared - old.value:
            return True
        spoken = words(sentence)
        return role == "assistant" and (not _SECOND_PERSON.isdisjoint(spoken) or len(spoken) <= _MAX_REACTION_WORDS)
    if old.is_topic and is_about(old.content, tokenize(sentence).content):
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
