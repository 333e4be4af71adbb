"""What a clause says has happened in a life, and the older clauses that it ends. Pure.

A birth, a wedding, a recovery; the death of people and animals.
"""

from dataclasses import dataclass

from recollect.lazy_pattern import LazyPattern
from recollect.text.clauses import ReadClause, has_meaning, read_clause, subject_of
from recollect.text.speakers import ME, RELATIONS, may_be_the_same, may_share_owner, owner_of
from recollect.text.update_words import NEGATIONS

_EVENTS = {
    "birth": (
        LazyPattern(
            r"\b(?:gave birth|(?:is|s|are|re) (?:finally )?here|was born|were born|born (?:on|at|last|this|yesterday|"
            r"today)|"
            r"had (?:the|our|my|her) (?:baby|twins)|baby (?:came|arrived)|(?:since|now that) the baby(?: s| is)? "
            r"(?:came|arrived|here|born)|"
            r"welcomed (?:a|our)|we re (?:parents|home with the baby)|breastfeeding)\b"
        ),
        LazyPattern(
            r"\b(?:pregnant|expecting|due (?:on|in|date|\d|january|february|march|april|may|june|july|august|"
            r"september|october|november|"
            r"december)|trimester|bump|morning sickness|\d weeks (?:along|gone|in)|trying for a baby)\b"
        ),
    ),
    "driving": (
        LazyPattern(
            r"\b(?:passed (?:my|the) (?:driving )?(?:test|exam)|got my (?:driving )?licen[cs]e|passed my "
            r"driving)\b"
        ),
        LazyPattern(r"\b(?:learning to drive|driving lessons?|driving test|learner|provisional)\b"),
    ),
    "graduation": (
        LazyPattern(
            r"\b(?:graduated|finished (?:uni|university|college|my degree|school)|got my (?:degree|diploma))\b"
        ),
        LazyPattern(
            r"\b(?:final year|last year of|\w{1,10} year (?:\w{1,15} )?student|student at|finals|dissertation "
            r"due)\b"
        ),
    ),
    "wedding": (
        LazyPattern(r"\b(?:got married|tied the knot|we re married|i m married|as newlyweds|married on)\b"),
        LazyPattern(
            r"\b(?:engaged|fiancee?|wedding (?:is|s)|getting married|planning (?:the|a|our|my) wedding|"
            r"single)\b"
        ),
    ),
}
_RECOVERED = LazyPattern(
    r"\b(?:back on (?:his|her|my|their|its) feet|up and about|good as new|all better|on the mend|right as rain|fully "
    r"recovered|"
    r"made a full recovery|out of hospital|out of the cast|cast(?: s| is)? off|off (?:the )?crutches|walking again|"
    r"back to (?:his|her|their|my)"
    r" old self|got the all clear|cleared to|signed off by)\b"
)
_AILING = LazyPattern(
    r"\b(?:can not|ca not|cannot|unable|hip|knee|leg|ankle|foot|back|arm|wrist|shoulder|broke|broken|surgery|"
    r"operation|op|crutches|hospital|"
    r"ill|sick|poorly|sprained|injured|injury|recovering|bedbound|bed|cast|limp|limping|hurts?|sore|no (?:stairs|"
    r"lifting|running|driving|sport)|"
    r"needs? (?:help|meals|soup)|off his|off her|flu|covid|pneumonia)\b"
)


@dataclass(frozen=True, slots=True)
class LifeEvent:
    """What has happened, and to whom."""

    kinds: tuple[str, ...]
    recovered: frozenset[str]
    """Who has recovered, by name or word of relation."""
    clause: ReadClause

    def ends(self, clause: str) -> bool:
        """Return whether an older clause tells how it was before."""
        old = read_clause(clause)
        said = " ".join(old.words)
        if not may_be_the_same(self.clause.words, old.words):
            return False
        if self.recovered and not self.recovered.isdisjoint(old.words) and _AILING.search(said):
            return "date" not in old.values
        owner = owner_of(self.clause.words)
        is_ours = may_share_owner(self.clause.words, old.words) and (
            owner in RELATIONS or owner_of(old.words) in (ME, "")
        )
        return is_ours and any(_EVENTS[kind][1].search(said) for kind in self.kinds)


def read_life_event(clause: ReadClause, within: ReadClause) -> LifeEvent | None:
    """Read what a clause says has happened.

    Args:
        clause: What is read.
        within: Its sentence.
    """
    said = " ".join(clause.words)
    if not NEGATIONS.isdisjoint(clause.words) or _I_WAS_BORN.search(said):
        return None
    kinds = tuple(kind for kind, (news, _) in _EVENTS.items() if news.search(said))
    if kinds == ("birth",) and _HERE.search(said) and not _OF_A_BIRTH.search(" ".join(within.words)):
        kinds = ()
    recovered: frozenset[str] = frozenset()
    if match := _RECOVERED.search(said):
        before = said[: match.start()].split()
        recovered = frozenset([word for word in before if has_meaning(word)][:2])
    return LifeEvent(kinds, recovered, clause) if kinds or recovered else None


_I_WAS_BORN = LazyPattern(r"\b(?:i|we) (?:was|were|am|m) born\b")
_HERE = LazyPattern(r"\b(?:is|s|are|re) (?:finally )?here\b")
# 'She's here' is said of a guest as well.
_OF_A_BIRTH = LazyPattern(
    r"\b(?:born|baby|kg|lbs?|pounds|birth|healthy|newborn|labour|labor|midwife|sleep|mum and|"
    r"weighs)\b"
)


# Number of words before a verb of dying that are searched for its subject: 'Paul ist letzte Woche gestorben'.
_MAX_BEFORE = 8
_DIED = LazyPattern(
    r"\b(?:died(?! (?:of (?:laughter|embarrassment|shame)|laughing|inside|down|out|off))|passed(?: away| "
    r"on)?(?= (?:last|on|in|this|away|peacefully|yesterday|suddenly)|$)|did not make "
    r"it(?= (?:through|$)|$)"
    r"|(?:is|s) no longer with us|(?:is|s) not with us any ?more|crossed the rainbow|went over the rainbow"
    r"|(?:was|got|been|be) put (?:down|to sleep)|(?:got|was|been) (?:run over|killed|eaten|taken by)"
    r"|(?:is|s) dead(?= (?:now|sadly|since|and)|$)|(?:is|s) gone for good|croaked it|popped (?:his|her|its|"
    r"their) clogs|dropped dead|kicked the bucket"
    r"|gestorben|verstorben|eingeschlafert(?: worden)?|uberfahren worden|(?:ist|war) tot|nicht mehr am leben"
    r"|(?:ha|se ha) muerto|se murio|murio|fallecio|ha fallecido|se nos (?:fue|murio|ha ido))\b"
)
_TAKEN = LazyPattern(
    r"\b(?:(?:the |a |that |bloody |neighbours? s? ?)?(?:fox|foxes|hawk|badger|buzzard|stoat|mink|cat|dog|dogs|"
    r"car|lorry|cancer|fuchs|marder|zorro)"
    r"(?: has| ve| have| s| hat)? (?:got|took|killed|ate|had|nabbed|mauled|snatched|finished|taken|geholt|"
    r"erwischt|mato|se llevo)"
    r"|(?:we|i)(?: ve| have| just| sadly| had)* (?:lost|buried)|(?:said|say|saying) (?:goodbye|our goodbyes) to|found"
    r"|(?:had|have|having) to (?:have|put|let|get)|(?:we|i) (?:had|put)|(?:haben|mussten|musste)(?: (?:wir|ich))?"
    r"|murio|fallecio|perdimos a|sacrificar a)(?= )"
)
# Words after the subject, needed if the verb alone says too little.
_OF_A_DEATH = LazyPattern(
    r"\b(?:lost|buried|goodbye|fox|foxes|hawk|badger|buzzard|stoat|mink|fuchs|marder|zorro|murio|fallecio|"
    r"perdimos|sacrificar)\b"
    r"|\b(?:dead|put (?:down|to sleep)|put .{1,20}? (?:down|to sleep)|let .{1,20}? go|einschlafern|begraben|"
    r"killed|mauled|cancer)\b"
)
_DEATH_BY_NOT = LazyPattern(r"\bnot (?:make it|with us)|nicht mehr am leben")
_PAST = LazyPattern(
    r"\b(?:died|dead|passed|was|were|lost|late|buried|gestorben|war|murio|had|miss|misses|missed|grief|grieving|"
    r"anniversary)\b"
)
_NUMBERS = frozenset(
    """two three four five six seven eight nine ten twelve both zwei drei vier funf sechs beide dos tres cuatro cinco
    seis couple pair""".split()
)
_KINDS = tuple(
    frozenset(subject_of(word) for word in words.split())
    for words in (
        "hen hens chicken chickens huhn huhner gallina gallinas",
        "cat cats katze katzen kater gato gatos gata gatas kitten kittens",
        "dog dogs hund hunde perro perros perra perras pup pups",
        "rabbit rabbits bunny bunnies kaninchen conejo conejos",
        "meerschweinchen guinea pigs pig cobaya cobayas",
        "fish goldfish fische pez peces",
        "duck ducks goose geese",
        "hamster hamsters gerbil gerbils rat rats mouse mice",
        "horse horses pony ponies pferd pferde",
        "budgie budgies parrot parrots canary canaries wellensittich wellensittiche",
        "sheep ewe ewes lamb lambs goat goats ziege ziegen",
    )
)
_NO_ONE = frozenset("letzte letzten woche gestern leider sadly finally fox last nacht heute ayer wir ich".split())


@dataclass(frozen=True, slots=True)
class Loss:
    """Who has died."""

    dead: frozenset[str]
    """Folded names."""
    kinds: tuple[frozenset[str], ...]
    """Kinds of animals of which there is one fewer, as stems."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause tells of them as living, or counts them."""
        old = read_clause(clause)
        if _PAST.search(" ".join(old.words)):
            return False
        if not self.dead.isdisjoint(old.words):
            return True
        is_count = not _NUMBERS.isdisjoint(old.words) or any(word.isdigit() for word in old.words)
        stems = frozenset(subject_of(word) for word in old.words)
        return is_count and any(not kind.isdisjoint(stems) for kind in self.kinds)


def read_loss(clause: ReadClause, within: ReadClause) -> Loss | None:
    """Read who has died.

    Args:
        clause: What is read.
        within: Its sentence, where it may name the kind of animal.

    >>> read_loss(read_clause("the fox got Peggy"), read_clause("the fox got Peggy")).ends("Peggy lays every day")
    True
    """
    said = " ".join(clause.words)
    if not NEGATIONS.isdisjoint(clause.words) and not _DEATH_BY_NOT.search(said):
        return None
    dead = {name for match in _DIED.finditer(said) if (name := _name(said[: match.start()].split()[-_MAX_BEFORE:]))}
    taken = (match for match in _TAKEN.finditer(said) if _OF_A_DEATH.search(said))
    dead |= {name for match in taken if (name := _name(said[match.end() :].split()[:4]))}
    if not dead:
        return None
    around = frozenset(subject_of(word) for word in (*clause.words, *within.words))
    killers = frozenset(subject_of(word) for word in ("fox", "dog", "cat")) if _TAKEN.search(said) else frozenset[str]()
    kinds = tuple(kind for kind in _KINDS if not kind.isdisjoint(around - killers))
    names = frozenset(name for name in dead if not any(subject_of(name) in kind for kind in _KINDS))
    return Loss(names - RELATIONS, kinds) if names - RELATIONS or kinds else None


def _name(words: list[str]) -> str:
    return next((word for word in words if has_meaning(word) and word not in _NO_ONE and word not in RELATIONS), "")
