"""What a clause says is done, eaten or drunk again, and older clauses that say it was given up. Pure."""

import re
from dataclasses import dataclass

from recollect.lazy_pattern import LazyPattern
from recollect.text.clauses import ReadClause, has_meaning, read_clause, subject_of
from recollect.text.normalize import fold
from recollect.text.speakers import ME, OTHER, RELATIONS, owner_of
from recollect.text.update_words import NEGATIONS

_MEAT = """meat beef steak steaks burger burgers chicken turkey pork bacon ham sausage sausages lamb ribs kebab kebabs
    nuggets mince salami chorizo barbecue"""
_FISH = "fish tuna salmon prawns sushi seafood"
_DAIRY = "dairy cheese milk butter yoghurt yogurt cream lattes brie feta ice"
_WHEAT = "bread gluten wheat pasta toast pizza cake croissants bagels baguette flour noodles"
_ALCOHOL = (
    "alcohol wine beer beers gin whisky whiskey vodka cocktails drinking drink prosecco cider booze pints pint rum"
)
_CAFFEINE = "caffeine coffee tea espresso lattes cola energy"
_SWEET = "sugar chocolate sweets cake cakes candy desserts biscuits cookies"
_CARBS = f"carbs rice potatoes {_WHEAT} {_SWEET}"


def _stems(text: str) -> frozenset[str]:
    return frozenset(subject_of(fold(word)) for word in text.split())


# What people who are called so, or go without it, do not have.
_WITHOUT = {
    word: _stems(foods)
    for words, foods in (
        ("vegan plantbased", f"{_MEAT} {_FISH} {_DAIRY} eggs honey animal"),
        ("vegetarian veggie vegie meatless meat", f"{_MEAT} {_FISH}"),
        ("pescatarian pescetarian", _MEAT),
        ("dairy lactose milk", _DAIRY),
        ("gluten wheat coeliac celiac", _WHEAT),
        ("keto carb carbs paleo lowcarb atkins", _CARBS),
        ("sober teetotal alcohol drink drinking booze dry", _ALCOHOL),
        ("caffeine", _CAFFEINE),
        ("sugar sweets", _SWEET),
        (
            "smoking smoke cigarettes cigs smokes vaping vape nicotine",
            "smoking smoke cigarettes cigs fags smokes vaping vape",
        ),
    )
    for word in words.split()
}
# By themselves they say that something is not had.
_ABSTAINS = frozenset(
    "vegan vegetarian veggie vegie pescatarian pescetarian keto paleo sober teetotal plantbased".split()
)
# 'Not sure' denies no habit, and 'I have never met him' tells of an experience.
_ABSENCE = LazyPattern(
    r"\b(?:no|not(?! (?:able|aware|certain|clear|familiar|just|know|knowing|only|remember|sure|understand)\b)|"
    r"(?<!ve )(?<!have )(?<!had )(?<!has )never|none|quit\w*|gave up|given up|"
    r"giving up|gives up|off|stopped|stop|cut out|cutting out|without|"
    r"avoid\w{0,3}|free(?! (?:trials?|versions?|tools?|online|plans?|time|of charge)\b)|break from|dropped|"
    r"gone cold turkey|cold turkey|swore off|sworn off|done with|deleted|paused|"
    r"pausing|taking a break|laid off)\b"
)
# Words on each side of an absence that say what is absent.
_ABSENCE_REACH = 8
_AGAIN = LazyPattern(
    r"\b(?:back (?:on|to|onto|at|into|with|in)|(?:went|gone|going|got) back to|back)\b|\bagain\b|\b(?:started|"
    r"resumed|"
    r"restarted|taken up|took up)\b|\bfell off the wagon\b"
)
# After these words, people are back on a way or at a place.
_NO_HABIT = frozenset(
    """work school bus bike road track train feet street normal square bed line phone home office sofa plan earth course
    sleep start top uni job desk""".split()
)
_BEHIND = LazyPattern(
    r"\b(?:back (?:on|to|onto|into|with|at)?|started|resumed|restarted|took up|taken up)(?: (?:the|my|eating|having|"
    r"drinking|"
    r"using|taking|doing|playing|wearing|being|with|some|a|normal|proper|real|regular|good|old|on)){0,4}"
)
# 'Bread's back on the menu', 'nuts are fine in the house now', 'comments are ok again'.
_ALLOWED = LazyPattern(
    r"(?P<what>(?:[a-z]{3,20} )?[a-z]{3,20}) (?:s|is|are) (?:all |totally |perfectly |completely |now |actually )?"
    r"(?:back on the (?:menu|table|cards)|back in|(?:fine|ok|okay|allowed|safe|good|alright|permitted|"
    r"welcome)\b(?=.{0,40}\b(?:now|again)\b))"
)
_CAN_NOW = LazyPattern(
    r"\b(?:i|we) can (?:finally |now |actually )?(?:eat|have|drink|do|wear|use|take|go)(?: (?:the|my|some|any|"
    r"normal))? "
    r"(?P<what>[a-z]{3,20}(?: [a-z]{3,20})?)(?= (?:now|again)\b)"
)
# 'I've come round, please do use type hints from now on'.
_WANTED_NOW = LazyPattern(
    r"\b(?:(?:please |pls |you can |so |and )?do (?:use|add|write|put|include|give me|show|keep)"
    r"|(?:please |pls |you can )?(?:start|go back to) (?:using|adding|writing|putting|including|giving me)"
    r"|(?:please |pls |you can |just |always )(?:use|add|write|put|include|give me|show)(?=.{3,60}\b(?:from now "
    r"on|now|again|"
    r"after all|going forward)$)|(?:come round|came round|come around|came around|warmed|changed my mind) (?:to|"
    r"on|about))"
    r" (?:the |some |your |my )?(?P<what>[a-z]{3,20}(?: [a-z]{3,20})?)"
)
# Names have a capital; so do these words at the start of a sentence.
_NO_NAME = frozenset("the i my our his her their we she he it no she's he's user said".split())
_CAPITAL = LazyPattern(r"(?<![\w'’])[A-Z][a-z][\w-]{0,30}+")


@dataclass(frozen=True, slots=True)
class Resumption:
    """What its subject has or does again."""

    again: frozenset[str]
    owner: str
    """See `owner_of`; empty for a name or a thing."""
    name: str
    """The name in front, folded, if there is one."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause says that they do not have or do it."""
        old = read_clause(clause)
        said = " ".join(old.words)
        if not self._is_of_the_same(clause, old) or (_AGAIN.search(said) and NEGATIONS.isdisjoint(old.words)):
            return False
        abstains = not _ABSTAINS.isdisjoint(old.words)
        if not abstains and not _ABSENCE.search(said):
            return False
        if not self.again.isdisjoint(old.topic if abstains else _find_topic_of_absence(said)):
            return True
        return any(not self.again.isdisjoint(_WITHOUT[word]) for word in old.words if word in _WITHOUT)

    def _is_of_the_same(self, clause: str, old: ReadClause) -> bool:
        """Whether an older clause is of the same person: a name may be that of one's husband, not one's own."""
        theirs = owner_of(old.words)
        if self.owner == ME:
            return theirs in (ME, "") and not self.name
        if self.owner in RELATIONS:
            return theirs == self.owner
        if self.owner == OTHER:
            return theirs in RELATIONS or theirs == OTHER
        if not self.name:
            return theirs in (ME, "")
        if self.name in old.words:
            return True
        named = [name for name in _CAPITAL.findall(clause) if fold(name.lower()) not in _NO_NAME]
        return theirs in RELATIONS and not [name for name in named if not clause.startswith(name)]


def _find_topic_of_absence(said: str) -> frozenset[str]:
    """Return the words of meaning near those that say that something is not had or done."""
    near: list[str] = []
    for absence in _ABSENCE.finditer(said):
        near += said[: absence.start()].split()[-_ABSENCE_REACH:] + said[absence.end() :].split()[:_ABSENCE_REACH]
    return frozenset(subject_of(word) for word in near if has_meaning(word))


def read_resumption(clause: ReadClause) -> Resumption | None:
    """Read what a clause says is done or had again."""
    said = " ".join(clause.words)
    if not NEGATIONS.isdisjoint(clause.words):
        return None
    if allowed := _ALLOWED.search(said) or _CAN_NOW.search(said) or _wanted_now(clause, said):
        return Resumption(frozenset(subject_of(word) for word in allowed["what"].split() if has_meaning(word)), ME, "")
    if not _AGAIN.search(said):
        return None
    again = _again(said)
    if not again:
        return None
    owner = owner_of(clause.words)
    return Resumption(again, owner, "" if owner else _name(clause))


def _wanted_now(clause: ReadClause, said: str) -> re.Match[str] | None:
    """Find what the speaker asks for now: 'please do use type hints'."""
    return _WANTED_NOW.search(said) if owner_of(clause.words) in (ME, "") else None


def _again(said: str) -> frozenset[str]:
    """Return the words for what is resumed: after 'back on', or before 'again'."""
    found: set[str] = set()
    for match in _BEHIND.finditer(said):
        behind = [word for word in said[match.end() :].split()[:3]]
        if behind and behind[0] in _NO_HABIT:
            continue
        for word in behind:
            if not has_meaning(word):
                break
            found.add(subject_of(word))
    if " again" in said:
        before = said.partition(" again")[0].split()[-2:]
        found.update(subject_of(word) for word in before if has_meaning(word) and word not in RELATIONS)
    return frozenset(found)


def _name(clause: ReadClause) -> str:
    first = clause.words[0]
    return (
        first
        if len(clause.words) > 1 and has_meaning(first) and clause.words[1] in ("s", "is", "has", "went", "started")
        else ""
    )
