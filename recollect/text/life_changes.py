"""The present state of a part of the speaker's life, and the older clauses that it ends. Pure.

Hours, post, way to work: of each part there is one state, so that a new one takes the place of the old one. A new time
may name its subject by a pronoun: 'I drive him on Fridays now' after 'I drive grandpa on Tuesdays'.
"""

from dataclasses import dataclass

from recollect.lazy_pattern import LazyPattern
from recollect.text.clauses import ReadClause, has_meaning, read_clause
from recollect.text.speakers import ME, OTHER, RELATIONS, may_be_the_same, owner_of
from recollect.text.stem import stem
from recollect.text.update_words import NEGATIONS

_I = (
    r"\b(?:i|we|the user)(?: (?:m|re|ve|am|are|is|has|have|been|now|usually|mostly|normally|always|currently|just|"
    r"still|only|back)){0,4}"
)
_MY = r"\b(?:my|our|the user s|their)(?: [a-z]{1,15})?"
_TURN = r"(?:night|late|early|day|evening|morning|twilight|split|swing|graveyard|afternoon)"
_HOURS = rf"(?:nights|lates|earlies|days|twilights|{_TURN} (?:shifts?|turn))"
# A post in such a place is at another employer's door; a team or a desk need not be.
_HOUSE = r"(?:branch|store|shop|restaurant|site|plant|depot|warehouse|station|campus)"
_POST = (
    rf"(?:{_HOUSE}|team|squad|crew|department|dept|ward|office|desk|unit|section|reception|counter|tills?|phones|line|"
    r"division|rota|project|floor)"
)
_KINDS_OF_POSTS = (
    frozenset("branch store shop restaurant site plant depot warehouse station campus".split()),
    frozenset("team squad crew department dept unit section division project".split()),
    frozenset("ward floor".split()),
    frozenset("office desk reception counter till tills phones phone line rota".split()),
)
_SENT = (
    r"(?:moved|transferred|assigned|posted|relocated|reassigned|seconded|switched|put|placed|sent|shifted|bumped|"
    r"redeployed|promoted|demoted|rotated|stuck)"
)
_TO = r"(?: (?:over|across|back|down|up))? (?:to|on|onto|in|into|at|with)"
_PARTS = {
    "hours": LazyPattern(
        rf"\b(?:on|work|works|working|do|does|doing|to|onto)(?: the| a)? {_HOURS}\b"
        rf"|{_MY} (?:shifts?|roster|working hours|work hours)\b"
        rf"|{_MY} schedule (?:is|s|was|starts|changed|now)\b"
        r"|\b(?:get|gets|getting|m|am|is|be) up at (?:\d|half|quarter|three|four|five|six|seven)"
        rf"|{_I} (?:work|works|do|does) (?:from )?\d{{1,2}}(?: \d\d)? ?(?:am|pm)? ?(?:to|til|till|until)\b"
        r"|\b(?:start|starts|clock in|begin|begins)(?: work)? at (?:\d|half|quarter)"
    ),
    "post": LazyPattern(
        rf"{_I}(?: (?:work|works|working|based|sit|sits|a|an))?(?: [a-z]{{1,20}}){{0,3}}? (?:in|on|at|for|with)"
        rf"(?: the| our| a)?(?: [a-z0-9]{{1,20}}){{0,3}}? {_POST}\b"
        rf"|{_MY} (?:desk|office|branch|team|ward|base|department|store) (?:is|s)\b"
        rf"|{_I}(?: a| the)? (?:branch|store|shop|team|ward|shift|department|site) (?:manager|lead|leader|supervisor)\b"
    ),
    "workplace": LazyPattern(
        rf"{_I} (?:work|works|working|employed|start|starts|started|starting)\b(?: [a-z]{{1,20}}){{0,4}}? "
        r"(?:at|for|in|with)\b"
        rf"|{_I} (?:joined|joins)\b"
        r"|\b(?:i|we|the user) (?:m|am|is|re|are|was)(?: (?:now|currently|also))? an? (?:[a-z]{1,20} ){1,4}?"
        r"(?:at|in|for|with)\b"
    ),
    "role": LazyPattern(
        rf"{_I}(?: (?:a|an|the|our))?(?: [a-z]{{1,15}}){{0,2}}? (?:lead|leader|manager|supervisor|head|foreman|deputy|"
        rf"director|"
        r"apprentice|trainee|captain|chief|coordinator|assistant)\b"
        rf"|{_I} an? (?:[a-z]{{1,20}} ){{1,4}}?(?:at|for|in)\b"
    ),
    "way": LazyPattern(
        rf"{_I} commutes?\b|{_MY} commute\b|{_I} (?:go|goes|get|gets|drive|drives|cycle|cycles|walk|walks|bike|bikes|"
        r"take|takes|travel|travels|ride|rides|run|runs)\b(?: [a-z]{1,15}){0,3}? to (?:the )?(?:work|office)\b"
    ),
    "mode": LazyPattern(
        rf"{_I}(?: (?:work|works|working))?(?: [a-z]{{1,12}}){{0,2}}? "
        r"(?:from home|remote|remotely|in the office|hybrid|wfh|on ?site)\b"
    ),
}
# Of these a clause says by itself what they are now.
_TOLD = ("hours", "way", "mode", "post", "role")
# Others do it to the speaker, or it was done to them.
_SENT_ME = LazyPattern(
    rf"\b(?:{_SENT} (?:me|us)|(?:i|we)(?: (?:ve|have|was|were|been|got|get|just|am|m|now|being|also)){{1,4}} "
    rf"{_SENT}){_TO}\b"
    rf"|^(?:just |finally |also |now )?(?:got|been|was) {_SENT}{_TO}\b"
)
_WENT = LazyPattern(
    r"\b(?:i|we)(?: (?:ve|have|just|now|recently)){0,2} (?:moved|transferred|switched|changed|relocated|gone|went)"
    rf"{_TO}\b(?=.{{0,60}}\b{_POST}\b)"
)
_OF_HOURS = LazyPattern(rf"\b{_HOURS}\b")
_OF_A_POST = LazyPattern(rf"\b{_POST}\b")
_OF_A_HOUSE = LazyPattern(rf"\b{_HOUSE}\b")
# A change that is told as the ground for what is asked: 'since I joined …', 'now that I'm …'.
_GRANTED = LazyPattern(r"^(?:and |but |so )?(?:ever since|since|now that|now|after|because)\b")
_NEWS = LazyPattern(r"\b(?:now|these days|nowadays|switched|moved|started|instead|joined|went|gone|became|changed)\b")
_BESIDE = LazyPattern(
    r"\b(?:also|too|as well|besides|on the side|part time|second|sometimes|today|tonight|this week|just for)\b"
)
_NOT_NOW = LazyPattern(r"\b(?:used to|no longer|until|till last|any ?more|quit|left|former|formerly|wants? to|would)\b")
# Number of words of a value that are read after the words that name the part.
_MAX_VALUE_WORDS = 8


@dataclass(frozen=True, slots=True)
class LifeChange:
    """Parts of its speaker's life that are not as they were."""

    values: tuple[tuple[str, frozenset[str]], ...]
    """For each part, the words of its new state."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause tells another state of one of them."""
        old = read_clause(clause)
        said = " ".join(old.words)
        if owner_of(old.words) != ME or _NOT_NOW.search(said):
            return False
        words = frozenset(old.words)
        return any(
            bool(_PARTS[part].search(said)) and not value <= words and (part != "post" or _is_same_kind(value, words))
            for part, value in self.values
        )


def _is_same_kind(value: frozenset[str], words: frozenset[str]) -> bool:
    """Whether two posts are of one kind: who is back in the office has not left the team."""
    ours, theirs = (
        {number for number, kind in enumerate(_KINDS_OF_POSTS) if not said.isdisjoint(kind)} for said in (value, words)
    )
    return not ours or not ours.isdisjoint(theirs)


def read_life_change(clause: ReadClause, within: ReadClause) -> LifeChange | None:
    """Read which parts of its speaker's life a clause says to have changed.

    Args:
        clause: What is read.
        within: Its sentence, where it may say that something changed.
    """
    said, around = " ".join(clause.words), " ".join(within.words)
    if not NEGATIONS.isdisjoint(clause.words) or _BESIDE.search(said) or _NOT_NOW.search(said):
        return None
    if sent := _SENT_ME.search(said) or _WENT.search(said):
        found = _sent_to(said[sent.end() :])
    elif owner_of(clause.words) == ME and (_GRANTED.search(around) or _NEWS.search(around)):
        matches = ((part, _PARTS[part].search(said)) for part in _TOLD)
        found = [
            (part, _meant(said[match.start() :]) or frozenset(match.group().split()[-1:]))
            for part, match in matches
            if match
        ]
    else:
        return None
    values = tuple((part, value) for part, value in found if value)
    return LifeChange(values) if values else None


def _sent_to(said: str) -> list[tuple[str, frozenset[str]]]:
    """Read where others sent the speaker: to other hours, another desk, another workplace."""
    value = _meant(said)
    if hours := _OF_HOURS.search(said):
        return [("hours", frozenset(hours.group().split()))]
    if _OF_A_POST.search(said) and not _OF_A_HOUSE.search(said):
        return [("post", value)]
    return [("post", value), ("workplace", value)]


def _meant(said: str) -> frozenset[str]:
    """Return the words of a value: those of meaning, and numbers."""
    return frozenset(word for word in said.split()[:_MAX_VALUE_WORDS] if has_meaning(word) or word[0].isdigit())


_OBJECTS = frozenset("him her them it".split())
_SUBJECTS = frozenset("he she they it".split())
_BEFORE_VERBS = frozenset("i we just only also usually always now".split())
_AUXILIARIES = frozenset("am is are was have has had do does did can ll ve m s re be".split())
# How often and when in the day: not values of a clause elsewhere.
_DAYPARTS = {
    word: number
    for number, words in enumerate(
        (
            "morning mornings breakfast",
            "lunch lunchtime noon midday",
            "afternoon afternoons",
            "evening evenings dinner",
            "night nights bedtime",
        )
    )
    for word in words.split()
}
_OFTEN = frozenset("once twice daily weekly monthly fortnightly hourly every".split())


@dataclass(frozen=True, slots=True)
class NewTime:
    """When, how often or how much someone does what a pronoun refers to."""

    clause: ReadClause
    verb: str

    def ends(self, clause: str) -> bool:
        """Return whether an older clause gives another time of the same doing."""
        old = read_clause(clause)
        if self.verb not in {stem(word) for word in old.words} or not may_be_the_same(self.clause.words, old.words):
            return False
        new_owner, old_owner = owner_of(self.clause.words), owner_of(old.words)
        if (new_owner == ME) is not (old_owner == ME) and not (new_owner == OTHER and _names_person(old)):
            return False
        if not NEGATIONS.isdisjoint(old.words) or not self._topic() <= old.topic:
            return False
        ours, theirs = _times(self.clause), _times(old)
        return any(ours[kind].isdisjoint(theirs[kind]) for kind in ours.keys() & theirs.keys())

    def _topic(self) -> frozenset[str]:
        """Return what it is about beside the doing and its time."""
        return self.clause.topic - {self.verb} - {stem(word) for word in (*_DAYPARTS, *_OFTEN)}


def read_new_time(clause: ReadClause, *, is_changed: bool) -> NewTime | None:
    """Read a new time or number of what a pronoun means.

    Args:
        clause: What is read.
        is_changed: A word beside it says that something changed.
    """
    words = clause.words
    if not is_changed or not NEGATIONS.isdisjoint(words) or not _times(clause):
        return None
    if owner_of(words) == ME:
        place = next((place for place, word in enumerate(words) if word in _OBJECTS), 0)
        verb = next((word for word in words[:place] if word not in _BEFORE_VERBS | _AUXILIARIES), "")
    else:
        place = next((place for place, word in enumerate(words[:3]) if word in _SUBJECTS), -1)
        behind = words[place + 1 : place + 4] if place >= 0 else ()
        verb = next((word for word in behind if word not in _BEFORE_VERBS | _AUXILIARIES), "")
    return NewTime(clause, stem(verb)) if verb and not verb[0].isdigit() else None


def _names_person(clause: ReadClause) -> bool:
    return not RELATIONS.isdisjoint(clause.words) or clause.words[:1] == ("my",) or clause.words[:2] == ("the", "user")


def _times(clause: ReadClause) -> dict[str, frozenset[str]]:
    """Return a clause's values, with the times of day and how often."""
    found = dict(clause.values)
    parts = frozenset(str(_DAYPARTS[word]) for word in clause.words if word in _DAYPARTS)
    if parts:
        found["part of the day"] = parts
    often = [place for place, word in enumerate(clause.words) if word in _OFTEN or word == "times"]
    if often and not {"weekday", "date"} & found.keys():
        place = often[0]
        found["often"] = frozenset(
            {" ".join(clause.words[max(0, place - (clause.words[place] == "times")) : place + 4])}
        )
    return found
