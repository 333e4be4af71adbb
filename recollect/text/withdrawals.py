"""Plans that a clause says came to nothing, people who declined, and older clauses that still count on them. Pure."""

from dataclasses import dataclass

from recollect.lazy_pattern import LazyPattern
from recollect.text.clauses import CALENDAR, ReadClause, has_meaning, read_clause, subject_of
from recollect.text.speakers import ME, OTHER, RELATIONS, owner_of
from recollect.text.update_words import UNITS

_MAX_TOPIC_WORDS = 3
# First words of a clause among which who did it is looked for.
_MAX_BEFORE_VERB = 4
_WITH = frozenset("with and com e con y avec et mit und met en".split())
_GOING = frozenset("vou vamos voy vais allons pars partons fahre fahren fliege fliegen vado andiamo ga gaan".split())
_JOINING = frozenset("but and so the sadly".split())
# Said with its object: 'turned down the masters place', 'the bank pulled the mortgage'.
_WITH_OBJECT = LazyPattern(
    r"\b(?:(?:turned|turning) down|walk(?:ed|ing)? away from|back(?:ed|ing)? out of|pull(?:ed|ing)? out of|"
    r"withdr[ae]w(?:n|ing)?"
    r"(?: from)?|rescinded|retracted|scrapped|shelved|abandoned|called off|cancelled|canceled|pulled the plug on|"
    r"bailed on|"
    r"dropped out of|gave up on|given up on|decided against|not going ahead with|not doing|not going to|not buying|"
    r"not getting|not taking|not moving to|not having|not hosting|didn t get|did not get|didn t take|lost out on|"
    r"postponed indefinitely|"
    r"pulled)(?: the| our| my| their| a| an| on| that| this| whole){0,3} "
)
# What others turned down is theirs: 'my sister turned down a job'; what these do affects the speaker.
_BY_OTHERS = frozenset(
    """they bank landlord landlady seller sellers vendor vendors buyer buyers company employer agent agency school uni
    university boss builder builders council lender insurer owner owners organisers organizers airline hotel client
    venue recruiter hr""".split()
)
_ACTS_ON_ME = LazyPattern(
    r"\b(?:withdr[ae]w|rescinded|retracted|pulled|cancelled|canceled|turned (?:me|us) down|rejected)\b"
)
# Said of its subject: 'the bungalow fell through', 'the student isn't coming after all'.
_WITH_SUBJECT = LazyPattern(
    r"\b(?:fell through|fallen through|falls through|fell apart|collapsed|(?:is|are|s|was) (?:off|not happening|not "
    r"coming|"
    r"not going ahead|cancelled|canceled|dead in the water|scrapped|on hold)|(?:did|does|will|has) not (?:happen|work "
    r"out|come off|"
    r"go ahead|materialise)|not happening|came to nothing|went nowhere|got (?:cancelled|canceled|scrapped|shelved))\b"
)
# Without an object it is what was spoken of before: 'so we pulled out'.
_OBJECTLESS = LazyPattern(
    r"\b(?:pulled out|walked away|backed out|gave up on it|bailed|turned (?:it|them) down|called it off|said no to it|"
    r"withdrew|pull out|back out|walk away|that s that|didn t get it|did not get it|is off|s off)(?: (?:of it|from it|"
    r"at the last minute|in the end|again|then|now|sadly))?$"
)
# 'The probability of no shared birthdays' denies no plan.
_NONE_AFTER_ALL = LazyPattern(
    r"(?<!of )(?<!with )(?<!for )(?<!if )\bno (?P<what>(?:(?!and )[a-z]{2,20} ){1,3}?)"
    r"(?:after all|for now|for us|for me|any ?more|then|this year|in the end)\b"
)
# What is planned, offered or under way.
_PLANNED = LazyPattern(
    r"\b(?:offer|offers|offered|accepted|approved|buying|getting|going to|gonna|adopting|hosting|opening|starting|"
    r"moving|"
    r"booked|planning|plan|plans|planned|signed|interview|applied|place|will|ll|due|completing|completion|exchange|"
    r"exchanging|"
    r"under offer|mortgage|flying|travelling|training|running|doing|building|built|launching|enrolled|registered|hired|"
    r"(?:am|is|are|re|m|s) [a-z]{2,15}ing|next|in (?:january|february|march|april|may|june|july|august|september|"
    r"october|"
    r"november|december|spring|summer|autumn|winter)|on (?:monday|tuesday|wednesday|thursday|friday|saturday|sunday|"
    r"the \d|\d))\b"
)
_PURCHASE = LazyPattern(
    r"\b(?:offer accepted|had an offer|accepted an offer|offer on|buying (?:a|the|our|my|in)|under offer|completing|"
    r"completion|"
    r"exchange contracts|exchanging|sale agreed|mortgage approved|mortgage offer|put an offer)\b"
)
_OF_A_PURCHASE = frozenset(
    """survey surveyor seller sellers vendor vendors buyer chain mortgage solicitor solicitors gazumped bank lender
    purchase sale subsidence damp valuation conveyancer estate agent""".split()
)
# All the words of a clause that says no more than that.
_NO_MORE_SAID = frozenset("so and sadly we i pulled out backed walked away fell through it".split())
# With these the speaker's own doing begins where the 'I' is left out.
_BARE = LazyPattern(
    r"(?:so |and |but |just |sadly |also )?(?:had to |decided to )?(?:pull|pulled|turned|walked|walk|backed|back|"
    r"scrapped|not|gave|withdrew|decided|dropped)\b"
)
# Words that say no more than that it was a plan.
_EMPTY = frozenset(
    subject_of(word) for word in "idea plan plans place offer thing project scheme whole deal trip event".split()
)
_REFUSED = LazyPattern(
    r"\b(?:said no|says no|said they re not|decided against|decided not to|turned (?:us|me|it|the offer) down|"
    r"declined|passed on (?:it|that|the)|"
    r"(?:can not|cannot|can t|cant|ca not|is not|isn t|s not|won t|wo not|will not|not) (?:do it|make it|come|coming|"
    r"taking it|joining|moving in|"
    r"doing it|up for it|interested|able to)|backed out|pulled out|dropped out|bailed|changed (?:his|her|their) minds?|"
    r"(?:nao|no|ne|non) (?:pode|puede|peut|puo) (?:pas )?(?:ir|vir|venir|venire|ser|estar)|kann (?:doch )?nicht "
    r"(?:mit|mitkommen|kommen|mitfahren)|kommt (?:doch )?nicht mit|kan (?:toch )?niet (?:mee|komen)|found "
    r"(?:somewhere|someone|something|another)|went with (?:someone|another)|took another)\b"
)
_TENTATIVE = LazyPattern(
    r"\b(?:maybe|might|may|probably|perhaps|possibly|going to|gonna|asked|asking|thinking|considering|takes|taking|"
    r"joins|joining|"
    r"moves in|moving in|will|ll|wants? to|could|offered|would|hopefully|should be|supposed to|invited|plans? to|said "
    r"yes|agreed)\b"
)
_PAST = LazyPattern(r"\b(?:used to|last year|years ago)\b")


@dataclass(frozen=True, slots=True)
class Withdrawal:
    """What will not be."""

    plans: tuple[frozenset[str], ...] = ()
    """Topics of plans that came to nothing."""
    purchase: bool = False
    """The purchase that was under way came to nothing."""
    declined: str = ""
    """Who declined: the folded name, or word of relation."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause still counts on it."""
        old = read_clause(clause)
        said = " ".join(old.words)
        if self.declined and self.declined in old.words and (_TENTATIVE.search(said) or self._is_with_them(old)):
            return True
        if owner_of(old.words) not in (ME, ""):
            return False
        if self.purchase and _PURCHASE.search(said):
            return True
        return any(topic <= old.topic for topic in self.plans) and bool(_PLANNED.search(said))

    def _is_with_them(self, old: ReadClause) -> bool:
        """Whether a plan is told as one with them: 'flying to Oslo with my sister Jen'."""
        place = old.words.index(self.declined)
        is_joint = not _WITH.isdisjoint(old.words[max(0, place - _MAX_BEFORE_VERB) : place])
        return is_joint and (bool(_PLANNED.search(" ".join(old.words))) or not _GOING.isdisjoint(old.words))


def read_withdrawal(clause: ReadClause, within: ReadClause) -> Withdrawal | None:
    """Read what a clause says came to nothing, or who declined.

    Args:
        clause: What is read.
        within: Its sentence: it names what 'so we pulled out' means.
    """
    said = " ".join(clause.words)
    owner = owner_of(clause.words)
    declined = _declined(clause, owner) if _REFUSED.search(said) else ""
    if owner in RELATIONS or _PAST.search(said):
        return Withdrawal(declined=declined) if declined else None
    plans = _named(clause, said)
    is_without_object = owner in (ME, "", OTHER) and bool(_OBJECTLESS.search(said))
    if is_without_object:
        plans.append(_topic(within.words[: _first_verb(within.words)]))
    around = frozenset(within.words)
    purchase = bool(plans) and (not around.isdisjoint(_OF_A_PURCHASE) or around <= _NO_MORE_SAID)
    found = tuple(topic for topic in plans if topic)
    return Withdrawal(found, purchase, declined) if found or purchase or declined else None


def _named(clause: ReadClause, said: str) -> list[frozenset[str]]:
    """Return the topics of the plans that a clause names as over."""
    is_mine = owner_of(clause.words) == ME or bool(_BARE.match(said))
    is_done_to_me = not _BY_OTHERS.isdisjoint(clause.words[:_MAX_BEFORE_VERB]) or bool(_ACTS_ON_ME.search(said))
    plans = [_topic(said[match.end() :].split()) for match in _WITH_OBJECT.finditer(said)]
    plans = plans if is_mine or is_done_to_me else []
    plans += [_topic(said[: match.start()].split(), is_before=True) for match in _WITH_SUBJECT.finditer(said)]
    return plans + [_topic(match["what"].split()) for match in _NONE_AFTER_ALL.finditer(said)]


def _first_verb(words: tuple[str, ...]) -> int:
    """Return the number of words before the first verb of being or ending."""
    ends = ("was", "were", "is", "s", "had", "came", "found", "showed", "turned", "fell", "went")
    return next((place for place, word in enumerate(words) if place and word in ends), 0)


def _topic(words: list[str] | tuple[str, ...], *, is_before: bool = False) -> frozenset[str]:
    """Return the words that name a plan: those after its verb, or the last ones before it."""
    meant: list[str] = []
    for word in reversed(words) if is_before else words:
        if has_meaning(word) and word not in CALENDAR and word not in UNITS:
            meant.append(subject_of(word))
        elif meant:
            break
        if len(meant) == _MAX_TOPIC_WORDS:
            break
    full = frozenset(meant)
    return full - _EMPTY or full


def _declined(clause: ReadClause, owner: str) -> str:
    """Return who declined: a name beside a word of relation, that word, or the name that opens the clause."""
    if owner in RELATIONS:
        place = clause.words.index(owner) + 1
        after = clause.words[place] if place < len(clause.words) else ""
        return after if has_meaning(after) and not _REFUSED.match(" ".join(clause.words[place:])) else owner
    if owner:
        return ""
    words = [word for word in clause.words if word not in _JOINING]
    first = next((word for word in words[:2] if len(word) > 1), "")  # Portuguese 'a' comes before names
    return first if has_meaning(first) else ""
