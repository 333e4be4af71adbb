"""What a statement ends that says no more than that something is over, or asks for it to be forgotten. Pure."""

import re

from recollect.lazy_pattern import LazyPattern
from recollect.resolution.batch_state import Case, KnownMemory, concerns, is_newer, same_slot
from recollect.resolution.lexicon import DEGREE, PEOPLE
from recollect.resolution.lifecycle import brings_news, find_outlived
from recollect.resolution.slots import value_mark
from recollect.resolution.tokens import TokenizedSentence, is_sign, names, token, tokenize
from recollect.resolution.topics import is_about, topic_keys, topic_parts, topic_words
from recollect.types import Candidate, Evidence, MemoryKind

# What is over, said of a habit or a plan …
_NO_MORE = LazyPattern(
    r"\b(?:no\s++longer|(?:not|\w+n't|never)\b[^.!?]{0,200}?\b(?:any\s?more|any\s++longer)|stopped|not\s++\w+ing\b[^.!?]{0,200}?\bafter\s++all)\b",
    re.IGNORECASE,
)
# … and of a thing: what is named after such a word is gone.
_GONE = LazyPattern(
    r"\b(?:cancell?ed|sold|gave\s++up|given\s++up|got\s++rid\s++of|gave\s++away|quit|dropped(?:\s++out\s++of)?|broke\s++up\s++with|"
    r"called\s++off|ended)\b",
    re.IGNORECASE,
)
# The words right after it name the thing that is over: 'sold Juno to a farmer'.
_OBJECT = LazyPattern(
    rf"{_GONE.pattern}\s++(?:my\s++|the\s++|our\s++|their\s++|an?\s++|on\s++)?(?P<object>(?:(?!(?:to|and|for|because|since|as|so|on|in|at|last|this|but|after|when|with)\b)"
    r"[\w'’-]{1,40}+\s?){1,4})",
    re.IGNORECASE,
)
_WHO = (
    r"(?:The user said: [\"'])?(?P<who>(?:The user|\b[A-Z][\w-]{0,60}+)'s (?:[\w'-]{1,60}+ ){1,4}?"
    r"|(?!The\b|Their\b)\b[A-Z][\w-]{1,60}+ )"
)
# What may be told of a person before their home: 'is a vet and lives in Toronto'.
_WHAT_ELSE = r"(?:(?:is|works as|was) (?:an? |the )?[\w' -]{2,60}? and (?:(?:she|he|they) )?)?"
_MOVES = LazyPattern(
    rf"{_WHO}(?:(?:has |have |just |recently |finally ){{0,4}}(?:moved|relocated)(?: from [\w ]{{1,60}}?)? to"
    r"|(?:now )?lives?(?: now)? in)"
    r" (?P<place>[A-Z][\w'-]+)"
)
_LIVES = LazyPattern(
    rf"{_WHO}{_WHAT_ELSE}"
    r"(?:(?:(?:still |now )?lives?|is (?:living|based)) in|(?:has |just ){0,4}(?:moved|relocated) to)"
    r" (?P<place>[A-Z][\w'-]+)"
)
_PARTED_WITH = LazyPattern(r"\b(?:sold|got\s++rid\s++of|gave\s++away)\b", re.IGNORECASE)
_HAVING = LazyPattern(
    r"\b(?:has|have|owns?|drives?|rides?|rents?|bought|got|called|named|my|our|the\s++user's)\b", re.IGNORECASE
)
_OVER = frozenset(
    token(word)
    for word in """cancel cancelled canceled sold sell gave give given quit stop stopped drop dropped rid broke called
    off end ended longer anymore any more after all so because now today already job""".split()
)
# People of whom one has several: without a name it is open who is meant.
_MANY = frozenset(
    token(word)
    for word in """friend colleague coworker neighbour neighbor cousin classmate roommate flatmate aunt uncle niece
    nephew""".split()
)
# Share of what a statement names that a memory it ends must have: 'running the marathon', 'training for it'.
MIN_SHARED_WORDS = 0.6
# What took place did so, whatever ended since; what is so since a time may end: 'drives a car from 1994'.
_EVENT = "event"
_PRESENT = LazyPattern(
    r"(?:The user|\b[A-Z][\w'-]{0,60}+)\s++(?:(?:\w+ly|also|still)\s++){0,4}(?:is|has|does|goes|\w+[^\Ws]s)\b"
)


def may_end(candidate: Candidate) -> bool:
    """Whether a candidate may end memories that it is not like: they are looked for by its words."""
    if candidate.forgets or candidate.corrects or candidate.shifts:
        return True
    return any(sign.search(candidate.text) for sign in (_NO_MORE, _GONE, _MOVES)) or brings_news(candidate)


def ended_facts(case: Case) -> list[KnownMemory]:
    """Find what a note ends by saying that it is over: 'I don't run the marathon any more', 'I sold the Panda'.

    The note itself may be kept as well. What took place stays, and so does what speaks of another person.
    """
    candidate, evidence = case.candidate, case.evidence
    return [
        known
        for known in case.active()
        if known.place is None
        and is_newer(evidence, known)
        and not took_place(known)
        and _ends(candidate.text, known.text)
    ]


def superseded_states(case: Case) -> list[KnownMemory]:
    """Find the homes of another person that a move of theirs ends: 'My mum moved to Ankara.'"""
    candidate, evidence = case.candidate, case.evidence
    return [
        known
        for known in case.active()
        if known.place is None and is_newer(evidence, known) and _moves_from(candidate.text, known.text)
    ]


def ended_since(case: Case) -> KnownMemory | None:
    """Find a newer note that ends what a note says, which was said before it and arrives late."""
    candidate, evidence = case.candidate, case.evidence
    if candidate.type == _EVENT and not _PRESENT.match(candidate.text):
        return None
    for known, _ in case.notes():
        later = not is_newer(evidence, known)
        if later and (_ends(known.text, candidate.text) or _moves_from(known.text, candidate.text)):
            return known
    return None


def _ends(statement: str, known: str) -> bool:
    """Whether a statement says of what is known that it is over."""
    no_more, names_loss = _NO_MORE.search(statement), _GONE.search(statement)
    if (not no_more and not names_loss) or _is_over(known):
        return False
    one = tokenize(statement)
    parted = _OBJECT.search(statement) if names_loss else None
    objects = tokenize(parted["object"]) if parted and _objects(tokenize(parted["object"])) else one
    named = _objects(objects)
    if not named or (_PARTED_WITH.search(statement) and not _HAVING.search(known)):
        return False
    if (tokenize(known).content ^ one.content) & PEOPLE:
        return False
    return _speaks_of(known, objects, named, thing=bool(names_loss))


def _moves_from(statement: str, known: str) -> bool:
    """Whether a statement says that the one whose home is known lives elsewhere now."""
    new, old = _MOVES.match(statement), _LIVES.match(known)
    if not new or not old:
        return False
    (mine, my_names), (theirs, their_names) = _person(new), _person(old)
    if my_names and their_names:
        same = my_names & their_names if _may_be_one_person(new["who"], old["who"]) else frozenset()
    elif my_names or their_names:
        # 'My friend moved' may mean another friend than the one whose name is known.
        same = mine & theirs - _MANY
    else:
        same = mine & theirs
    return bool(same) and old["place"].casefold() != new["place"].casefold()


def _may_be_one_person(who: str, other: str) -> bool:
    """Return whether two people of one name may be the same: none has another relation or surname than the other."""
    mine, theirs = (set(each.partition("'s ")[2].removesuffix("'s ").split()) for each in (who, other))
    relations = [{word for word in words if word.islower()} for words in (mine, theirs)]
    surnames = [{word for word in words if not word.islower()} for words in (mine, theirs)]
    is_of_one_name = surnames[0] <= surnames[1] or surnames[1] <= surnames[0]
    return is_of_one_name and (not all(relations) or not relations[0].isdisjoint(relations[1]))


def _person(match: re.Match[str]) -> tuple[frozenset[str], frozenset[str]]:
    """Return the words for a relative, and their names; nothing for the speaker."""
    owner, possessive, relative = match["who"].partition("'s ")
    named = [word for word in (relative if possessive else owner).split() if word[0].isupper()]
    names = frozenset(word.casefold().removesuffix("'s") for word in named)
    return frozenset(tokenize(match["who"]).content & PEOPLE), names


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


def took_place(known: KnownMemory) -> bool:
    """Whether a memory tells what happened once, which nothing said later undoes."""
    return known.type == _EVENT and not _PRESENT.match(known.text)


def _is_over(text: str) -> bool:
    return bool(tokenize(text).negations or _NO_MORE.search(text) or _GONE.search(text))


def _objects(one: TokenizedSentence) -> frozenset[str]:
    """Return the words that say what is over."""
    return frozenset(word for word in one.content - DEGREE - _OVER - {"user"} if not is_sign(word))


def _speaks_of(text: str, one: TokenizedSentence, named: frozenset[str], *, thing: bool) -> bool:
    """Whether a memory is about what a statement names."""
    known = tokenize(text)
    if not names(one, known) <= set(known.tokens) | {"user"}:
        return False
    both = named & known.content
    if len(named) == 1:
        return bool(both) and (thing or _first(known) in both)
    return len(both) >= max(2, MIN_SHARED_WORDS * len(named)) or (thing and len(both) >= MIN_SHARED_WORDS * len(named))


def _first(known: TokenizedSentence) -> str:
    return next((word for word in known.tokens if word in known.content and word != "user"), "")


def _is_meant(topic: str, known: TokenizedSentence) -> bool:
    """Whether a memory speaks of what is to be forgotten, or the words to be forgotten hold all that it says."""
    ours, theirs = topic_words(topic), frozenset(known.content - DEGREE - {"user"})
    if not ours or not theirs:
        return False
    both = ours & theirs
    return is_about(ours, theirs) or (
        len(both) >= 2
        and len(both) >= MIN_SHARED_WORDS * min(len(ours), len(theirs))
        and _named(tokenize(topic), known)
    )


def _named(wanted: TokenizedSentence, known: TokenizedSentence) -> bool:
    """Return whether all names in a memory are in what is to be forgotten, or the other way round."""
    ours, theirs = names(wanted, known), names(known, wanted)
    return ours <= theirs or theirs <= ours


def taken_back(case: Case) -> list[KnownMemory]:
    """Find what a correction closes: what was said wrongly, other values of its slot, and what it ends besides.

    Returns:
        The memories, those said wrongly first; nothing where it is unclear which is meant.
    """
    candidate = case.candidate
    wrong = _misspoken(case) if candidate.corrects and not candidate.ends else []
    if not wrong:
        return []
    rivals = [
        known for known in case.batch.facts() if candidate.kind is MemoryKind.FACT and same_slot(candidate, known)
    ]
    return [*wrong, *(known for known in [*rivals, *find_outlived(case)] if known not in wrong)]


def _misspoken(case: Case) -> list[KnownMemory]:
    """Find what was formed with the wrong words: in this conversation, or of the same thing.

    Where several memories that do not hang together have these words, it is unclear which is meant: none.
    """
    candidate, evidence = case.candidate, case.evidence
    old = tokenize(candidate.corrects)
    ours = tokenize(candidate.text).content - old.content - DEGREE - {"user"}
    having = [
        known
        for known in case.active()
        if is_newer(evidence, known)
        and old.tokens
        and any(set(old.tokens) <= set(tokenize(text).tokens) for text in (known.text, *_quotes(known, evidence)))
    ]
    here = [known for known in having if any(source.conversation == evidence.conversation for source in known.evidence)]
    about = [known for known in having if ours & (tokenize(known.text).content - old.content)]
    chosen = [known for known in here if known in about] or about or here or having
    sources = {source.ref for known in chosen for source in known.evidence}
    return chosen if chosen in (about, here) or len(sources) == 1 or all(known in about for known in chosen) else []


def _quotes(known: KnownMemory, evidence: Evidence) -> list[str]:
    """Return the words of this conversation that a memory rests on."""
    return [source.quote for source in known.evidence if source.conversation == evidence.conversation]
