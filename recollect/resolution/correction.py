"""Weigh an extractor's word that a statement corrects a memory: taken, put to a model, or refused. Pure."""

import re
from enum import Enum

from recollect.lazy_pattern import LazyPattern
from recollect.profiles.policies import ResolvePolicy
from recollect.resolution.batch_state import KnownMemory, changes_openly, same_owner, same_slot
from recollect.resolution.compare import contradicts, denies, led_by_others, same
from recollect.resolution.lexicon import DATES, DEGREE, OPPOSITES, PEOPLE, only_one_of_health, same_matter
from recollect.resolution.retraction import took_place
from recollect.resolution.slots import MULTI_VALUED, SINGLE_VALUED, canonical_key, leaves_out, opposite_mark, slot_mark
from recollect.resolution.tokens import TokenizedSentence, align, is_negation, is_sign, leaders, names, token, tokenize
from recollect.resolution.values import Claim
from recollect.text import stem, words
from recollect.types import Candidate, Evidence, MemoryKind


class Worth(Enum):
    """What becomes of the extractor's word."""

    TAKEN = "taken"
    DOUBTED = "doubted"
    """A model is asked whether the memory is corrected; without an answer the memory stays."""
    REFUSED = "refused"


# What is said of more than one thing at a time: who likes jazz may like running, who has a dog may have a car.
_SEVERAL = frozenset(
    stem(word)
    for word in """like love enjoy adore hate dislike have has own possess speak know want need get got make made play
    visit read watch collect bought buy call called name named say said think feel thing people time day year""".split()
)
# What holds of one thing as a rule, and is no sign by itself: 'uses Node' corrects 'uses Bun' if something changed.
_STATES = frozenset(
    stem(word) for word in "use live work drive study train prefer drink eat wear take pay rent sleep start go".split()
)
# Before the old value in 'not X', 'from X to Y', 'Y instead of X', 'I was X', 'X is wrong'.
_CONTRAST = frozenset(
    """not from instead of than rather former formerly ex was were quit left stopped stop over dropped replaced sold
    without used longer meant leaving wasn't isn't aren't ditched swapped cancelled canceled""".split()
)
_BEFORE = 4
_ADDS = LazyPattern(r"\b(?:also|too|as\s++well|another|in\s++addition|additionally|besides|second)\b", re.IGNORECASE)
_CORRECTS = LazyPattern(
    r"\b(?:not|actually|correction|meant|mean|wrong|mistake|mistaken|sorry|wait|rather|instead|moved|postponed|"
    r"rescheduled|changed|cancell?ed|brought\s++forward|after\s++all|turns\s++out|misremembered|mixed\s++up)\b|n['’]t\b",
    re.IGNORECASE,
)
_TAKES_BACK = LazyPattern(
    r"\W{0,5}(?:(?:oh|no|nope|oops|hm+|ah|sorry|wait|hang\s{1,5}on|hold\s{1,5}on)\W{1,5}){0,4}(?:i\s{1,5}(?:meant|mean|misspoke)|"
    r"correction|scratch\s{1,5}that|my\s{1,5}mistake|that\s{1,5}was\s{1,5}wrong|i\s{1,5}got\s{1,5}that\s{1,5}wrong|make\s{1,5}that)\b",
    re.IGNORECASE,
)
# So many messages back what 'I meant' corrects was said.
MAX_MESSAGES_BACK = 4
# A tie or a life that ended is told with the name of whom it tied.
_PARTED = LazyPattern(
    r"\b(?:divorced|separated|split\s{1,5}up|broke\s{1,5}up|left|died|dead|passed\s{1,5}away|widowed|lost|former|ex|sold|quit|"
    r"fired|cancell?ed|deceased|buried|put\s{1,5}down|gave\s{1,5}away|moved\s{1,5}out|no\s{1,5}longer)\b",
    re.IGNORECASE,
)
_RELATIVE = LazyPattern(
    r"(?<![^\W\d_])(?:the\s++user|[^\W\d_]++)(?:'s|’s)\s++((?:[\w-]++\s++){0,2}[\w-]++)", re.IGNORECASE
)


def weigh_correction(claim: Claim, known: KnownMemory, message: str, policy: ResolvePolicy) -> tuple[Worth, str]:
    """Return what the extractor's word is worth that a candidate corrects an older memory, and why.

    It is taken where the two speak of the same thing. It is refused where a rule shows that both can hold. Anything
    else that speaks against it makes it doubtful.

    Args:
        claim: The candidate and its source.
        known: The memory that the extractor names.
        message: The own words of the message that the candidate rests on.
        policy: Whether words of change outweigh confidence.
    """
    candidate = claim.candidate
    facts = candidate.kind is known.kind is MemoryKind.FACT
    if facts and candidate.confidence < known.confidence and not policy.change_beats_confidence:
        return Worth.REFUSED, "it is less sure than what is known"
    if not facts and same(candidate.text, known.text) and not candidate.ends:
        return Worth.REFUSED, "it says the same"
    if _contrasts(candidate, known, message):
        return Worth.TAKEN, "it names what it corrects"
    if facts and _both_values(candidate, known):
        if changes_openly(candidate):
            return Worth.DOUBTED, "both values can hold"
        return Worth.REFUSED, "both values can hold"
    against = _against(candidate, known, message)
    if against:
        return Worth.DOUBTED, against
    if _takes_back(claim.evidence, known, message):
        return Worth.TAKEN, "it takes back what was said right before"
    return (Worth.TAKEN, "they speak of the same") if _related(candidate, known, message) else (Worth.DOUBTED, "unlike")


def _takes_back(evidence: Evidence, known: KnownMemory, message: str) -> bool:
    """Whether a message begins as a correction of what was said a few messages before: 'No wait, I meant Lyon.'"""
    before = (evidence.seq - source.seq for source in known.evidence if source.conversation == evidence.conversation)
    return bool(_TAKES_BACK.match(message)) and any(0 < distance <= MAX_MESSAGES_BACK for distance in before)


def _contrasts(candidate: Candidate, known: KnownMemory, message: str) -> bool:
    """Whether the message names what only the memory says, as what is over: 'not Alex', 'from Rome to Oslo'."""
    new = tokenize(f"{candidate.text} {candidate.value}")
    old = tokenize(known.value or known.text)
    alone = {word for word in old.content - DEGREE - _SEVERAL - _STATES - {"user"} if not is_sign(word)}
    if not candidate.ends and not denies(candidate.text):
        alone -= new.content
    said = words(message)
    for place, word in enumerate(said):
        if token(word) in alone:
            before = said[max(0, place - _BEFORE) : place]
            if any(text in _CONTRAST or is_negation(text) for text in before):
                return True
    return False


def _both_values(candidate: Candidate, known: KnownMemory) -> bool:
    name, _, _ = canonical_key(candidate.key, candidate.value).partition(":")
    other, _, _ = canonical_key(known.key, known.value).partition(":")
    return name == other and name in MULTI_VALUED and not same_slot(candidate, known)


def _against(candidate: Candidate, known: KnownMemory, message: str) -> str:
    """Say what speaks against a claim; empty where nothing does."""
    one, other = align(candidate.text, known.text)
    if candidate.ends:
        return ""
    parted = _PARTED.search(candidate.text) and names(one, other) & names(other, one) - {"user"}
    if _led_apart(one, other) or (not parted and _relatives(candidate.text) != _relatives(known.text)):
        return "they speak of different people"
    if only_one_of_health(_words_of(candidate.text, candidate.key), _words_of(known.text, known.key)):
        return "one of them concerns health"
    if adds_something(candidate.quote):
        return "it adds something"
    if took_place(known) and not _CORRECTS.search(message):
        return "what took place stays"
    if _keeps_value(candidate, known):
        return "it leaves the known value as it is"
    if candidate.kind is known.kind is MemoryKind.FACT and not same_slot(candidate, known):
        keys = [canonical_key(each.key, each.value).partition(":")[0] for each in (candidate, known)]
        if all(key in SINGLE_VALUED for key in keys):
            return "they are two slots of a person"
    return ""


def adds_something(words: str) -> bool:
    """Return whether a statement says that it adds to what is known: 'I also teach', 'another job'."""
    return bool(_ADDS.search(words))


def _led_apart(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    """Whether two texts begin with different people; whom the user is said to have may lead the newer one."""
    theirs = leaders(one, other) <= set(other.tokens) and leaders(other, one) == {"user"}
    return led_by_others(one, other) and not theirs


def _relatives(text: str) -> frozenset[str]:
    """Return the words for the relative a statement begins with: 'The user's mother …', not 'The user's flat'."""
    relative = _RELATIVE.match(text)
    return frozenset(tokenize(relative[1]).content & PEOPLE) if relative else frozenset()


def _keeps_value(candidate: Candidate, known: KnownMemory) -> bool:
    """Whether a statement holds the very value that it is to correct, and denies nothing."""
    if known.kind is not MemoryKind.FACT or candidate.kind is MemoryKind.FACT:
        return False
    value_words = tokenize(known.value).content
    return (
        bool(value_words)
        and value_words <= tokenize(candidate.text).content
        and not (denies(candidate.text) or _PARTED.search(candidate.text))
    )


def _related(candidate: Candidate, known: KnownMemory, message: str) -> bool:
    if candidate.kind is known.kind is MemoryKind.FACT and _slots_meet(candidate, known):
        return True
    if contradicts(candidate.text, known.text):
        return True
    one, other = align(_words_of(candidate.text, candidate.key), _words_of(known.text, known.key))
    whose = _leading(one, other)
    if candidate.ends:  # what is said to be over may be all that is known of a person the message names
        whose -= tokenize(message).content - {"user"}
    shared = {word for word in one.content & other.content - DEGREE - whose if not is_sign(word)}
    if shared - _SEVERAL - _STATES - DATES or _opposed(one, other):
        return True
    if shared & _STATES and (changes_openly(candidate) or candidate.kind is MemoryKind.FACT):
        return True
    lasting = candidate.type not in ("event", "plan") or changes_openly(candidate)
    return lasting and same_matter(one.text, other.text)


def _words_of(text: str, key: str) -> str:
    return f"{text} {key.partition(':')[0].replace('_', ' ')}"


def _leading(one: TokenizedSentence, other: TokenizedSentence) -> frozenset[str]:
    """Return whom both speak of: their name is no sign that they say something of one thing."""
    return frozenset((leaders(one, other) & leaders(other, one)) | {"user"})


def _opposed(one: TokenizedSentence, other: TokenizedSentence) -> bool:
    mine, yours = one.content - other.content, other.content - one.content
    return any(OPPOSITES.get(word, frozenset()) & yours for word in mine)


def _slots_meet(candidate: Candidate, known: KnownMemory) -> bool:
    if not same_owner(candidate, known):
        return False
    ruled_out = opposite_mark(candidate.key, candidate.value, candidate.speaker)
    if same_slot(candidate, known) or slot_mark(known.key, known.value, known.speaker) == ruled_out:
        return True
    mine, theirs = (candidate.key, candidate.value), (known.key, known.value)
    return leaves_out(*mine, *theirs) or leaves_out(*theirs, *mine)
