"""How a sentence is read for comparison with another: words in one form each, names and numbers. Pure."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from toldonce.lazy_pattern import LazyPattern
from toldonce.text import STOP_WORDS, stem, words
from toldonce.text_caches import register_text_cache

# 'Like' is a stop word for finding; for comparing it is what 'likes' says.
_FUNCTION_WORDS = STOP_WORDS - {"like"}
# Words that begin most memories and are no names.
_NO_NAMES = frozenset("i user assistant the a an my his her their its our she he they it we this that there".split())
_CAPITAL = LazyPattern(r"(?<![\w'’])[A-ZÀ-ÖØ-Þ][\w'’-]*")
_POSSESSIVE = LazyPattern(r"['’]s$|['’]$")
NUMBER_WORDS = {
    word: str(number)
    for number, word in enumerate(
        """zero one two three four five six seven eight nine ten eleven twelve thirteen fourteen fifteen sixteen
        seventeen eighteen nineteen twenty""".split()
    )
} | {
    "thirty": "30", "forty": "40", "fifty": "50", "sixty": "60", "seventy": "70", "eighty": "80", "ninety": "90",
    "hundred": "100", "thousand": "1000", "million": "1000000", "first": "1st", "second": "2nd", "third": "3rd",
    "once": "1x", "twice": "2x", "both": "2", "couple": "2", "dozen": "12", "half": "0.5",
}  # fmt: skip
DATES = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday spring summer autumn winter today yesterday tomorrow weekend morning
    evening""".split()
)
# Words that say the same in most sentences, each in one group. Never an animal, a food, a colour or whatever else
# people have and like: a spaniel is a dog, and still another value.
_EQUALS = """
    kid child children, sofa couch, picture photo photograph image, movie film, phone telephone, bike bicycle, plane
    airplane aeroplane aircraft, tv television, lady woman women, guy man men, begin start commence launch, buy
    purchase, finish complete, aid assist help, attempt try, reply answer, allow permit let, own possess, say state
    tell announce declare, show display, big large huge, small little tiny, quick fast rapid, quickly rapidly
    swiftly, smart clever, glad happy, ill sick, mad angry, rich wealthy, scared afraid, famous renowned, odd weird
    strange, difficult hard, simple easy, right correct, wrong incorrect, entire whole, nearly almost, often
    frequently, seldom rarely, street road, shop store, doctor physician, lawyer attorney, job occupation, salary
    wage, company firm, gift present, error mistake, jacket coat, stone rock, garbage trash, automobile car, last
    final concluding, discover find found, win victory, hurt injured injure, unemployment joblessness, odor smell
    scent, location place, section part portion, particular specific, purpose aim, motion movement, vanish
    disappear, commit perpetrate, spend disburse, promise pledge vow, fund money asset, military army, rebel
    insurgent, quake earthquake, strong powerful, detain arrest, murder assassinate, hail praise, reject refuse,
    stance stand, collision crash, get receive obtain, choose pick select, explain clarify, happen occur, hate
    detest loathe, speak talk, shout yell, repair mend fix, depart leave, abrupt sudden, old elderly, mom mother
    mum, dad father daddy, grandma grandmother, grandpa grandfather, adore love, enjoy like, uk britain, usa
    america, okay ok, sea ocean, leap jump hop, slice cut chop, infant baby, close near, tough hard, funny amusing,
    reside live, residence home, colour color, favourite favorite, jail prison, strict harsh, free release,
    conclusion ending, sight view, proof evidence, flat apartment, holiday vacation, pupil student, instructor
    teacher, physician doctor, bunch group
"""
EQUALS: dict[str, str] = {}
"""A stem to the one that its group counts as."""
for _group in _EQUALS.split(","):
    _stems = [stem(word) for word in _group.split()]
    _name = next((EQUALS[name] for name in _stems if name in EQUALS), _stems[0])
    for _one in _stems:
        EQUALS[_one] = _name

# Words that only colour a statement: one with and one without them say the same.
DEGREE = frozenset(
    stem(word)
    for word in """lot much bit quite pretty super truly actually currently now again still also always usually kind
    slightly somewhat approximately roughly particularly especially explicitly simply basically generally""".split()
)


@dataclass(frozen=True, slots=True, kw_only=True)
class TokenizedSentence:
    """One sentence, read."""

    text: str
    content: frozenset[str]
    """The words that mean something, each in the one form of its group."""
    small: frozenset[str]
    """Words that it writes without a capital."""


@register_text_cache
@lru_cache(maxsize=20_000)
def tokenize(text: str) -> TokenizedSentence:
    """Read a sentence.

    >>> sorted(tokenize("The kids aren't in Oslo.").content)
    ["aren't", 'kid', 'oslo']
    """
    return TokenizedSentence(
        text=text,
        content=content_of(words(text)),
        small=frozenset(word for word in re.findall(r"[^\W\d_]+", text) if word.islower()),
    )


def content_of(normalised: Iterable[str]) -> frozenset[str]:
    """Return the one form of each of these words that means something."""
    return frozenset(
        token(word) for word in normalised if (word not in _FUNCTION_WORDS and len(word) > 1) or word.isdigit()
    )


def token(word: str) -> str:
    """Return the one form of a word: its stem, or that of the word that its group counts as."""
    base = _POSSESSIVE.sub("", word)
    if base in NUMBER_WORDS:
        return NUMBER_WORDS[base]
    stemmed = stem(base)
    return EQUALS.get(stemmed, stemmed)


def names(one: TokenizedSentence, other: TokenizedSentence) -> frozenset[str]:
    """Collect what `one` writes like names; a word that the other writes small is an ordinary word there."""
    names_found: set[str] = set()
    for match in _CAPITAL.finditer(one.text):
        name = _POSSESSIVE.sub("", match.group()).casefold().strip("'’-")
        ordinary = name in other.small or name in STOP_WORDS or name in _NO_NAMES or name in NUMBER_WORDS
        if name and not ordinary and name not in DATES:
            names_found.update(token(part) for part in words(name))
    return frozenset(names_found)
