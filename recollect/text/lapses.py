"""Habits, tastes and suspicions that a clause says are over, and older clauses that still tell of them. Pure."""

import re
from dataclasses import dataclass

from recollect.lazy_pattern import LazyPattern
from recollect.text.clauses import CALENDAR, ReadClause, has_meaning, read_clause, subject_of
from recollect.text.speakers import ME, OTHER, RELATIONS, may_be_the_same, owner_of
from recollect.text.update_words import NEGATIONS

MAX_TOPIC_WORDS = 3
# Number of words after a verb of ending that are searched for its object.
_MAX_AFTER = 9
# Words before a negation beside which an older clause denies its topic: 'I don't have gout'.
_MAX_DENIED = 4
_SO = r"(?: (?:so|right|totally|clean|completely|really|kind of|pretty|just|quite|officially|well and truly)){0,2}"
# The object comes after these.
_BEFORE_OBJECT = LazyPattern(
    r"^(?:(?:well|oh|ok|okay|right|ah|and|anyway|guess) ){0,2}so much for\b"
    r"|\b(?:(?:packed|packing|jacked|jacking|chucked|chucking) in"
    r"|(?:called|calling) (?:time on|it (?:a day|quits) (?:with|on))|(?:drew|drawn) a line under"
    r"|(?:retired|walked away|stepped away|stepped back|moved on|backed away) from"
    r"|(?:binned|sacked|knocked|jacked) off|(?:ditched|binned|quit|swore off|sworn off|kicked|outgrew|outgrown)"
    r"|(?:gave|given) up(?: on)?|(?:grown|grew) out of|stopped|no longer"
    rf"|(?:gone|went|going){_SO} off|(?:fell|fallen) out of love with|lost (?:all |my )?interest in"
    rf"|(?:i m|im|i am|we re|we are){_SO} (?:over(?! (?:at|in|on|by|here|there|the moon|\d))|done with|through "
    rf"with|past)"
    r"|(?:sick and tired|sick|tired|fed up|bored) (?:of|with|to death of)"
    r"|(?:had|have had) (?:my fill|quite enough|enough|it) (?:of|with)"
    r"|(?:ca not|can not|cannot|cant) (?:stand|bear|stomach|face|abide|look at|listen to)"
    r"|(?:do|does) not (?:really |even )?(?:bother with|bother|do|go to|go|touch|play|like|eat|drink|read|watch|"
    r"listen to|"
    r"take|use|enjoy|fancy|care for)(?=.{1,60}\b(?:any ?more|any longer|these days|nowadays|now)\b)"
    r"|not (?:really |even |so |as |that |too )?(?:into|keen on|fussed about|bothered about|mad about|a fan of)"
    r"(?=.{1,60}\b(?:any ?more|these days|nowadays|now)\b)"
    r"|(?:cancelled|canceled|binned|ended) my(?= [a-z]{2,20}(?: [a-z]{2,20})? (?:membership|subscription|sub|season))"
    r"|(?:no more|bye bye|goodbye to|that s me done with"
    r"|that s it with)"
    r"|(?:aufgehort mit|schluss mit|keine lust mehr auf|genug von|die nase voll von|nichts mehr mit"
    r"|he dejado(?: de)?|deje(?: de)?|hemos dejado(?: de)?|hart[oa] de(?:l)?|me canse de|me he cansado de|paso de"
    r"|ya no (?:me gustan?|soporto|aguanto|hago|juego|voy|como|bebo|leo|corro|salgo))"
    r")\b"
)
# The object comes between verb and particle: 'knocked the running on the head'.
_AROUND_OBJECT = LazyPattern(
    r"\b(?:(?:knocked|knock|knocking) (?P<a>.{2,40}?) on the head|(?:gave|given|giving) (?P<b>.{2,40}?) (?:a "
    r"miss|the boot|"
    r"the elbow|the heave ho|the push)|(?:packed|packing|jacked|jacking|chucked|chucking|given|gave) "
    r"(?P<c>.{2,40}?) in\b"
    r"|(?:gave|given|giving) (?P<d>.{2,40}?) up\b|(?:let|letting) (?P<e>.{2,40}?) (?:slide|lapse)"
    r"|put (?P<f>.{2,40}?) behind (?:me|us)|mit (?P<g>.{2,40}?) (?:aufgehort|schluss gemacht)|(?P<h>\S{3,30}) "
    r"(?:\S{1,12} ){0,4}?an den nagel)"
)
# The object comes before these.
_AFTER_OBJECT = LazyPattern(
    r"(?: really| just)? (?:(?:is|are|s|re) (?:not|no longer) (?:really |quite )?(?:doing it|my thing|my bag|"
    r"for me|my cup|the same|fun)"
    r"(?=$|.{0,40}\b(?:any ?more|now|these days|nowadays|for me|longer)\b|$)|(?:does|do|did) (?:nothing|not do "
    r"(?:it|anything|much)) for me"
    r"|(?:and i|and me) (?:have |ve )?(?:parted|are done|broke)|(?:has|have|ve|s) lost (?:its|their|the) "
    r"(?:appeal|shine|charm|magic)"
    r"|(?:is|are|s) (?:a thing of the past|history|behind (?:me|us)|not for me any ?more|dead to me)|bores? me"
    r"|(?:mag|kann|ertrage|esse|trinke|lese|hore|sehe|spiele|mache|brauche) ich (?:(?:gar|uberhaupt) )?nicht mehr"
    r"|(?:hab|habe) ich (?:aufgegeben|aufgehort|hingeschmissen|sein gelassen)|(?:ist|sind) (?:nichts|nicht) "
    r"mehr (?:fur mich|mein)"
    r"|ya no me (?:gusta|gustan|va|apetece|interesa)|lo he dejado|lo deje)"
)
# Said of an illness or a fear that was none.
_RULED_OUT_BEFORE = LazyPattern(
    r"\b(?:(?:was|is|it s|were|are) not (?:an? |the |even |actually )?(?=.{2,60}\bafter all\b)"
    r"|(?:turned|turns) out (?:not to be|to not be|(?:that )?(?:it )?(?:was|is|s|it s) not|(?:i|he|she|they) "
    r"(?:do|does|did) not have)"
    r"|(?:ruled|ruling) out|all[ -]clear (?:on|for|from|of)|(?:negative|clear) for|no (?:sign|trace|evidence) of"
    r"|false alarm (?:about|on|with|over)|misdiagnosed with|cleared of|never (?:had|was)(?=.{2,60}\bafter all\b)"
    r"|(?:do|does|did) not have(?=.{2,60}\bafter all\b)|(?:says|said|reckons|confirmed|confirms) (?:that "
    r")?(?:it )?(?:is|s|was|it s) not"
    r"|doch (?:keine?|nicht)|(?:al final|resulta que|resulto que) no (?:era|es|fue|tengo|tiene)|descartaron|"
    r"descartado)\b"
)
_RULED_OUT_AFTER = LazyPattern(
    r" (?:(?:is|was|has been|s been|got|been|being) ruled out|(?:test|tests|scan|bloods?|results?) (?:came|come|"
    r"was|were|is) (?:back )?"
    r"(?:negative|clear|fine|normal|clean)|(?:turned out to be|was) (?:a )?(?:false alarm|misdiagnosis|nothing))"
)
# It is over for a while, or for one time.
_FOR_ONCE = LazyPattern(
    r"\b(?:today|tonight|this (?:morning|afternoon|evening|week|weekend|time|month)|yesterday|for now|for a "
    r"(?:bit|while|few|"
    r"week|month)|till|until|heute|hoy|esta (?:noche|semana))\b"
)
_NOT_NOW = LazyPattern(
    r"\b(?:used to|no longer|any ?more|years? ago|last year|formerly|as a (?:kid|child)|fruher|antes)\b"
)
_NO_OBJECT = frozenset(
    """whole entire thing going doing playing with watching reading eating drinking using taking listening having good
    head entirely trying bothering work minute moment idea""".split()
)
# These mean nothing without what they are about: who is no longer allergic to nuts may be allergic to eggs.
_ABOUT_SOMETHING = frozenset(
    """allergic intolerant sensitive afraid scared frightened terrified interested addicted opposed able entitled
    allowed married engaged related responsible working living studying training learning sharing""".split()
)
_LINKS = frozenset("to of in at on for from with about by".split())
# What follows an object and is no part of it.
_BEHIND_OBJECT = frozenset("tbh lol haha honestly anyway though lately anymore nowadays sorry pls please fully".split())
_FAMILIES = tuple(
    frozenset(subject_of(word) for word in words.split())
    for words in (
        "running run runs runner jogging jog parkrun marathon half",
        "gym weights lifting lifts deadlifts workout workouts crossfit",
        "swimming swim swims swimmer lengths",
        "cycling cycle cycles cyclist bike biking",
        "smoking smoke smokes cigarettes cigs fags vape vaping",
        "climbing climb climbs bouldering",
        "football footie fútbol fussball soccer",
        "knitting knit knits",
        "laufen laufe joggen jogge",
        "correr corro",
        "coffee espresso lattes flat-whites",
        "dancing dance dances salsa ballet",
        "painting paint paints watercolours",
        "singing sing sings choir",
        "baking bake bakes",
    )
)
_SPORTS_OF_BOOTS = _FAMILIES[6] | frozenset(subject_of(word) for word in "rugby refereeing hurling camogie".split())
_HUNG_UP = LazyPattern(
    r"\b(?:hung|hanging|hang) (?:up )?(?:my|his|her|the)(?: old)? (?P<kit>[a-z]{4,12})|\bcolgue las "
    r"(?P<botas>botas)\b"
)
_FAMILY_OF_KIT = {
    "boots": _SPORTS_OF_BOOTS,
    "botas": _SPORTS_OF_BOOTS,
    "racket": frozenset(subject_of(word) for word in "tennis badminton squash".split()),
    "racquet": frozenset(subject_of(word) for word in "tennis badminton squash".split()),
    "trainers": _FAMILIES[0],
    "gloves": frozenset(subject_of(word) for word in "boxing boxes keeper".split()),
    "apron": frozenset(subject_of(word) for word in "baking chef cooking".split()),
    "whistle": frozenset(subject_of(word) for word in "refereeing referee ref coaching".split()),
}


@dataclass(frozen=True, slots=True)
class Lapse:
    """Habits, tastes and suspicions that are over, and whose they were."""

    topics: tuple[tuple[frozenset[str], ...], ...]
    """For each, the words that name it: a set of stems per word, any of which names it."""
    clause: ReadClause
    owner: str
    """See `owner_of`."""
    name: str
    """The name in front, folded, if there is one."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause tells of one of them as if it still held."""
        old = read_clause(clause)
        said = " ".join(old.words)
        if _NOT_NOW.search(said) or not self._is_of_the_same(old):
            return False
        stems = [subject_of(word) for word in old.words]
        for topic in self.topics:
            places = [next((at for at, found in enumerate(stems) if found in names), -1) for names in topic]
            if all(place >= 0 for place in places):
                first = min(places)
                return NEGATIONS.isdisjoint(old.words[max(0, first - _MAX_DENIED) : first])
        return False

    def _is_of_the_same(self, old: ReadClause) -> bool:
        theirs = ME if old.words[:1] == ("they",) else owner_of(old.words)  # 'they think I have asthma'
        if self.name:
            return self.name in old.words
        if self.owner in RELATIONS:
            return theirs == self.owner
        if self.owner == OTHER:
            return theirs != ME and may_be_the_same(self.clause.words, old.words)
        return theirs in (ME, "")


def read_lapse(clause: ReadClause) -> Lapse | None:
    """Read which habits, tastes or suspicions a clause says are over.

    >>> read_lapse(read_clause("gone right off jazz")).ends("I love jazz")
    True
    >>> read_lapse(read_clause("gave the gym a miss tonight")) is None
    True
    """
    said = " ".join(clause.words)
    if _FOR_ONCE.search(said):
        return None
    topics = [topic for topic in (*_behind(said), *_between(said), *_before(said), *_hung_up(said)) if topic]
    if not topics:
        return None
    owner = ME if clause.words[:1] == ("they",) else owner_of(clause.words)
    return Lapse(tuple(topics), clause, owner, "" if owner else _name(clause))


Topic = tuple[frozenset[str], ...]


def _behind(said: str) -> list[Topic]:
    matches = [match for match in _BEFORE_OBJECT.finditer(said) if not _is_denied(said, match)]
    matches += _RULED_OUT_BEFORE.finditer(said)
    return [_topic(said[match.end() :].split()[:_MAX_AFTER]) for match in matches]


def _between(said: str) -> list[Topic]:
    matches = [match for match in _AROUND_OBJECT.finditer(said) if not _is_denied(said, match)]
    return [_topic((match[match.lastgroup or 0]).split()) for match in matches]


def _before(said: str) -> list[Topic]:
    matches = [match for pattern in (_AFTER_OBJECT, _RULED_OUT_AFTER) for match in pattern.finditer(said)]
    return [_topic(said[: match.start()].split()[::-1][:_MAX_AFTER]) for match in matches]


def _hung_up(said: str) -> list[Topic]:
    kit = (match["kit"] or match["botas"] for match in _HUNG_UP.finditer(said))
    return [(_FAMILY_OF_KIT[thing],) for thing in kit if thing in _FAMILY_OF_KIT]


def _is_denied(said: str, match: re.Match[str]) -> bool:
    return not NEGATIONS.isdisjoint(said[: match.start()].split()[-2:])


def _topic(words: list[str]) -> Topic:
    """Return what the first words of meaning name, with the words that name the same."""
    meant: list[str] = []
    is_whole = True
    for word in words:
        if word in _NO_OBJECT:
            continue
        if word in _BEHIND_OBJECT and meant:
            break
        if has_meaning(word) and word not in CALENDAR:
            meant.append(subject_of(word))
            is_whole = word not in _ABOUT_SOMETHING
        elif meant and (is_whole or word not in _LINKS):
            break
        if len(meant) == MAX_TOPIC_WORDS:
            break
    return tuple(next((family for family in _FAMILIES if stem in family), frozenset({stem})) for stem in meant)


def _name(clause: ReadClause) -> str:
    """Return the name that opens a clause: 'Dave's packed in the running'."""
    words = clause.words
    is_subject = len(words) > 1 and words[1] in (
        "s",
        "has",
        "is",
        "gave",
        "packed",
        "jacked",
        "quit",
        "stopped",
        "went",
    )
    return words[0] if is_subject and has_meaning(words[0]) and not _topic_opens(words) else ""


def _topic_opens(words: tuple[str, ...]) -> bool:
    """Whether a clause opens with what is over: 'running's not doing it for me'."""
    return bool(_AFTER_OBJECT.match(" " + " ".join(words[1:])) or _RULED_OUT_AFTER.match(" " + " ".join(words[1:])))
