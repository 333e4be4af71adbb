"""When two memories say the same, and when they must never be taken for one. Pure."""

import re

from recollect.text import STOP_WORDS, bare, spelling_similarity, stem, words

_NEGATIONS = frozenset(
    """not no never none nobody nothing neither nor without cannot hardly barely stopped quit former formerly ex used
    anymore unable refuses avoids""".split()
)
_NUMBER_WORDS = {
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
_DATES = frozenset(
    """january february march april may june july august september october november december monday tuesday wednesday
    thursday friday saturday sunday spring summer autumn winter today yesterday tomorrow weekend morning
    evening""".split()
)
_ANTONYMS = """
    like hate, like dislike, love hate, love dislike, enjoy hate, enjoy dislike, adore hate, prefer avoid, hot
    cold, warm cold, big small, large small, large tiny, tall short, long short, early late, old young, old new,
    morning evening, morning night, day night, left right, up down, north south, east west, start stop, start
    end, begin end, open close, buy sell, bought sold, win lose, won lost, give take, gave took, come go, arrive
    leave, join leave, accept refuse, accept reject, agree disagree, always never, often rarely, often seldom,
    more less, most least, many few, before after, above below, inside outside, indoor outdoor, indoors
    outdoors, married divorced, married single, employed unemployed, healthy sick, healthy ill, happy sad, happy
    unhappy, strong weak, easy hard, easy difficult, cheap expensive, rich poor, fast slow, light dark, loud
    quiet, introvert extrovert, allergic immune, brother sister, mother father, son daughter, wife husband, aunt
    uncle, boy girl, man woman, male female, cat dog, tea coffee, sweet salty, sweet sour, raw cooked, private
    public, full empty, near far, safe dangerous, present absent, true false, right wrong, good bad, best worst,
    better worse, clean dirty, wet dry, city countryside, urban rural, formal informal, short long, brief
    detailed, gain lose, gained lost, increase decrease, rise fall, borrow lend, teach learn, remember forget,
    alive dead, vegetarian carnivore, metric imperial, celsius fahrenheit, upstairs downstairs, push pull
"""
_OPPOSITES: dict[str, frozenset[str]] = {}
for _pair in _ANTONYMS.split(","):
    _one, _two = (stem(word) for word in _pair.split())
    _OPPOSITES[_one] = _OPPOSITES.get(_one, frozenset()) | {_two}
    _OPPOSITES[_two] = _OPPOSITES.get(_two, frozenset()) | {_one}

_NUMBER = re.compile(r"\d+(?:[.,:/-]\d+)*(?:st|nd|rd|th|x|%)?")
_CAPITAL = re.compile(r"(?<![\w'’])[A-ZÀ-ÖØ-Þ][\w'’-]*")
# Words that begin most memories and are nobody's name.
_NO_NAMES = frozenset("i user assistant the a an my his her their its our she he they it we this that there".split())
# Two words nearer than this in spelling are one word and its typo.
TYPO_SIMILARITY = 0.75
# Words that only colour a statement: one with and one without them say the same.
_DEGREE = frozenset(
    stem(word)
    for word in "lot much bit quite pretty super truly actually currently still also always usually kind".split()
)
# 'Like' is a stop word for finding; for comparing it is what 'likes' says.
_FUNCTION_WORDS = STOP_WORDS - {"like"}
# Goes with a negation: 'no longer'.
_LONGER = frozenset({"longer", "anymor", "anymore"})
# In so few words a pair may differ before it counts as worded differently rather than with one word exchanged.
_EXCHANGED = 2


def same(a: str, b: str) -> bool:
    """Whether two texts differ in case, white space or punctuation alone.

    >>> same("The user likes C++.", "the user likes C")
    False
    """
    return bare(a) == bare(b) and _signs(a) == _signs(b)


def _signs(text: str) -> list[str]:
    return re.findall(r"\w[+#]+", text)


def never_merge(a: str, b: str) -> str | None:
    """Return why two memories must not be merged, however similar they are; None where they may.

    They must not where they differ in a negation, a number, a date, a proper name or an antonym, or where one word
    of meaning simply stands in another's place ('a dog', 'a cat').

    >>> never_merge("The user has two dogs.", "The user has three dogs.")
    'the numbers differ'
    >>> never_merge("The user loves hiking.", "The user really loves hiking!") is None
    True
    """
    for differs, reason in (
        (_negated(a) != _negated(b), "one of them is negated"),
        (_dates(a) != _dates(b), "the dates differ"),
        (_numbers(a) != _numbers(b), "the numbers differ"),
        (_opposed(a, b), "they say opposite things"),
        (_names(a, b) != _names(b, a), "the names differ"),
        (_signs(a) != _signs(b), "the names differ"),
        (_exchanged(a, b), "one word stands in another's place"),
    ):
        if differs:
            return reason
    return None


def says_more(new: str, old: str) -> bool:
    """Whether `new` holds all the meaning words of `old` and further ones."""
    ours, theirs = _content(new), _content(old)
    return bool(ours - theirs - _DEGREE) and not theirs - ours


def shares_words(a: str, b: str) -> bool:
    """Whether two texts have any word of meaning in common."""
    return bool(_content(a) & _content(b) - {"user"})


def contradicts(a: str, b: str) -> bool:
    """Whether two memories say the opposite of the same thing: equal but for a negation or an antonym.

    >>> contradicts("The user likes coffee.", "The user does not like coffee.")
    True
    >>> contradicts("The user likes coffee.", "The user does not like tea.")
    False
    """
    if _dates(a) != _dates(b) or _numbers(a) != _numbers(b) or _names(a, b) != _names(b, a):
        return False
    ours, theirs = ({word for word in _content(text) if not _is_sign(word)} for text in (a, b))
    apart = (ours ^ theirs) - _DEGREE - _LONGER
    if not apart:
        return _negated(a) != _negated(b)
    opposed = {word for word in apart if _OPPOSITES.get(word, frozenset()) & apart}
    return apart == opposed and _negated(a) == _negated(b)


def _negated(text: str) -> int:
    found = words(text)
    count = sum(word in _NEGATIONS or word.endswith("n't") for word in found)
    return count % 2 if count else 0


def _numbers(text: str) -> frozenset[str]:
    digits = {match.group().replace(",", "") for match in _NUMBER.finditer(text)}
    spelt = {_NUMBER_WORDS[word] for word in words(text) if word in _NUMBER_WORDS and word != "one"}
    return frozenset(digits | spelt)


def _dates(text: str) -> frozenset[str]:
    found = {word for word in words(text) if word in _DATES and word not in ("may", "march")}
    found |= {name.casefold() for name in re.findall(r"\b(?:May|March)\b", text)}
    return frozenset(found)


def _names(text: str, other: str) -> frozenset[str]:
    """Collect the words written like names; one that the other text writes small is an ordinary word there."""
    small = {word for word in re.findall(r"[^\W\d_]+", other) if word.islower()}
    found = set()
    for match in _CAPITAL.finditer(text):
        name = re.sub(r"['’]s$", "", match.group()).casefold().strip("'’-")
        ordinary = name in small or name in STOP_WORDS or name in _NO_NAMES
        if name and not ordinary and name not in _DATES:
            found.add(name)
    return frozenset(found)


def _opposed(a: str, b: str) -> bool:
    ours, theirs = ({stem(word) for word in words(text)} for text in (a, b))
    return any(_OPPOSITES.get(word, frozenset()) & (theirs - ours) for word in ours - theirs)


def _content(text: str) -> frozenset[str]:
    return frozenset(stem(re.sub(r"'s$", "", word)) for word in words(text) if word not in _FUNCTION_WORDS)


def _exchanged(a: str, b: str) -> bool:
    ours, theirs = _content(a), _content(b)
    mine = {word for word in ours - theirs - _DEGREE if not _is_sign(word)}
    yours = {word for word in theirs - ours - _DEGREE if not _is_sign(word)}
    if not mine or not yours or max(len(mine), len(yours)) > _EXCHANGED or not ours & theirs:
        return False
    return not all(any(spelling_similarity(one, two) >= TYPO_SIMILARITY for two in yours) for one in mine)


def _is_sign(word: str) -> bool:
    """Whether a word is a number or a negation, which are compared on their own."""
    return word in _NEGATIONS or word.endswith("n't") or word in _NUMBER_WORDS or word[0].isdigit()
