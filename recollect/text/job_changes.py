"""Jobs, names and homes that people left or took, and the older clauses that no longer hold. Pure.

Someone moved out, left a job or took another name; or a clause tells a new job or name in passing.
"""

import re
from dataclasses import dataclass

from recollect.lazy_pattern import LazyPattern
from recollect.text.clauses import ReadClause, has_meaning, read_clause
from recollect.text.normalize import fold
from recollect.text.professions import PROFESSIONS
from recollect.text.speakers import ME, RELATIONS, owner_of
from recollect.text.update_words import NEGATIONS

_TRADE = "|".join(sorted(PROFESSIONS))
_POST = (
    r"(?:reception|the (?:tills?|ward|wards|counter|desk|phones|floor|shop floor|front desk|line|vans?|buses|trams))"
)
_LAST = (
    r"(?:this week|last week|this month|last month|yesterday|today|"
    r"(?:on )?(?:monday|tuesday|wednesday|thursday|friday))"
)
_NEW_JOB = LazyPattern(
    rf"\b(?:first|second|third|fourth|1st|2nd|3rd|4th|\d+ (?:days|weeks|months) (?:in )?) ?(?:day|week|month|"
    rf"shift|payslip|wage)?"
    rf" (?:as an? (?:[a-z]{{2,15}} ){{0,2}}?(?:{_TRADE})|on {_POST})\b"
    r"|\b(?:my|the) new (?:job|role|post|position|gig|employer)(?: s| is)? (?:at|with|as|in|for)\b"
    rf"|\b(?:i )?(?:ve )?(?:just )?started (?:work |working |a job |my job )?(?:at|as|with|for) .{{2,40}}? {_LAST}$"
    rf"|\bas an? (?:[a-z]{{2,15}} ){{0,2}}?(?:{_TRADE}) (?:now|these days|since)\b"
    r"|\b(?:taken on|took me on|taken me on|hired me|hired by|got the job|got a start|landed a job|got a job|"
    r"starting out) (?:at|by|as|with|in)\b"
    r"|\b(?:i m|im|i am|we re) now (?:at|with|working)\b|\bnow (?:i )?work(?:ing)? (?:at|for|as|in|with)\b"
    rf"|\b(?:retrained|requalified|qualified) as an? |\b(?:ich )?(?:arbeite|bin) jetzt (?:als|bei)\b|"
    rf"\berste[nr]? (?:tag|woche|schicht) (?:bei|als)\b"
    r"|\b(?:primer|primera|segunda) (?:dia|semana) (?:de|como) (?:camarer|enfermer|profesor|recepcionista|"
    r"cociner|dependient)"
    r"|\bahora (?:trabajo|curro) (?:en|de|como|para)\b"
)
# 'Second week at Teme Vets done': a workplace is written as a name, a course or a holiday is not.
_WEEK_AT = LazyPattern(
    r"\b(?:first|second|third|fourth|1st|2nd|3rd|4th)\s(?:week|month|shift|payslip)\s(?:on\s(?:reception|"
    r"the\s\w{2,12})\s)?"
    r"(?:at|with|from)\s(?:the\s)?[A-Z]",
)
_NO_NAME = frozenset("bus train car bike foot taxi plane boat tram ferry coach tube default name".split())
_BESIDE = LazyPattern(
    r"\b(?:also|too|as well|part time|second job|side|volunteer\w*|weekends|saturdays|sundays|evenings|temp|"
    r"temping|used to|uni|"
    r"university|college|school|course|gym|camp|will|would|if)\b"
)
_OLD_JOB = LazyPattern(
    r"\b(?:i|we|the user)(?: (?:m|am|is|ve|have|has|been|currently|now|still|just)){0,3} (?:work|works|working|"
    r"employed)"
    rf"(?: [a-z]{{1,15}}){{0,4}}? (?:at|for|in|as|with)\b|\b(?:i|the user)(?: (?:m|am|is|ve|have|has|been)){{1,2}}"
    rf" (?:an? )?(?:[a-z]{{2,15}} ){{0,3}}?(?:{_TRADE})\b|\b(?:my|the user s) (?:job|employer|workplace|"
    rf"profession) (?:is|s)\b"
)
_PAST = LazyPattern(r"\b(?:used to|no longer|former|formerly|any ?more|was|left|quit|until)\b")
_CALLED = (
    r"(?:call me|(?:to be|i am|i m) called|my name(?: s| is)|the user s name is|known as|goes? by|nenn mich|ich "
    r"heisse|me llamo|llamame)"
)
_OLD_NAME = LazyPattern(rf"\b{_CALLED} (?P<who>[a-z]{{2,20}})\b")
_NOW = r"(?:now|from now on|these days|nowadays|instead|going forward|from today)"
_NEW_NAME = LazyPattern(
    r"\b(?:(?:i m|im|i am|i ve been|i) (?:now )?(?:go|going|known|goes|gone) (?:by|as) (?P<a>[a-z]{2,20})"
    rf"|call me (?P<b>[a-z]{{2,20}}) {_NOW}|my name(?: s| is) (?P<c>[a-z]{{2,20}}) {_NOW}|i use "
    rf"(?P<d>[a-z]{{2,20}}) as my name"
    rf"|(?:everyone|everybody|they all|people) calls? me (?P<e>[a-z]{{2,20}}) {_NOW}|changed my (?:first )?name "
    rf"to (?P<f>[a-z]{{2,20}})"
    r"|ich heisse jetzt (?P<g>[a-z]{2,20})|nenn mich (?:ab jetzt|jetzt|bitte) (?P<h>[a-z]{2,20})|ahora me llamo "
    r"(?P<i>[a-z]{2,20})"
    r"|llamame (?P<j>[a-z]{2,20}) (?:ahora|a partir))\b"
)
# 'It's Kit now, not Kat'.
_NOT_THE_OLD = LazyPattern(
    r"(?:it s|i m|im) (?P<new>[a-z]{2,20}) now(?: please| pls)? not (?P<old>[a-z]{2,20})$|(?:do not|no longer|"
    r"never) (?:call me|go by|use) (?P<gone>[a-z]{2,20})"
)


@dataclass(frozen=True, slots=True)
class NewJob:
    """Where its speaker works now, or as what."""

    words: frozenset[str]

    def ends(self, clause: str) -> bool:
        """Return whether an older clause tells of another job as the present one."""
        old = read_clause(clause)
        said = " ".join(old.words)
        if owner_of(old.words) != ME or _PAST.search(said) or not _OLD_JOB.search(said):
            return False
        return self.words.isdisjoint(word for word in old.words if has_meaning(word))


@dataclass(frozen=True, slots=True)
class NewName:
    """What its speaker is called now."""

    name: str
    old: str
    """The former one, where it is named."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause calls the speaker by another name."""
        old = read_clause(clause)
        said = " ".join(old.words)
        is_mine = owner_of(old.words) == ME or said.startswith(
            ("call me", "please call me", "nenn mich", "llamame", "ich", "me llamo")
        )
        called = _OLD_NAME.search(said)
        if not is_mine or not called or _PAST.search(said):
            return False
        return called["who"] == self.old if self.old else called["who"] != self.name


def read_new_job(text: str, clause: ReadClause, within: ReadClause) -> NewJob | None:
    """Read where or as what a clause says its speaker works now.

    Args:
        text: The clause.
        clause: The same, read.
        within: Its sentence, where it may say that the job comes beside another.

    >>> news = "third week at Teme Vets"
    >>> read_new_job(news, read_clause(news), read_clause(news)).ends("I am a nurse at Kite")
    True
    """
    said = " ".join(clause.words)
    if (
        owner_of(clause.words) not in (ME, "")
        or not NEGATIONS.isdisjoint(clause.words)
        or _BESIDE.search(" ".join(within.words))
    ):
        return None
    found = _NEW_JOB.search(said)
    if not found and not _WEEK_AT.search(text):
        return None
    words = frozenset(
        word for word in clause.words if has_meaning(word) and word not in ("job", "work", "working", "started")
    )
    return NewJob(words)


def read_new_name(clause: ReadClause) -> NewName | None:
    """Read by which name a clause says its speaker goes now.

    >>> read_new_name(read_clause("im going by Kit now")).ends("call me Kat pls")
    True
    """
    said = " ".join(clause.words)
    if owner_of(clause.words) not in (ME, "", "other") and not said.startswith("it s"):
        return None
    if denied := _NOT_THE_OLD.search(said):
        return NewName(denied["new"] or "", denied["old"] or denied["gone"])
    if match := _NEW_NAME.search(said):
        name = match[match.lastgroup or 0]
        return NewName(name, "") if name not in _NO_NAME else None
    return None


_NAME = r"(?P<who>[^\W\d_][\w'’-]{1,30}?)(?:'s|’s)?"
_DONE = r"(?:\s++(?:has|have|had|is|was|just|finally|already|now|also|since|actually|then))*+"
_FURNISHED = r"(?:an?|her|his|their|another)\s++(?:own\s++|new\s++)?(?:flat|place|room|house|apartment)"
_LEFT = LazyPattern(
    rf"(?:^|[\s,;:(])(?:my\s++\w{{2,20}}\s++)?{_NAME}{_DONE}\s++(?:"
    r"(?P<home>mov(?:ed|ing)\s++out|packed\s++(?:up|her|his|their)|moved\s++(?:back\s++)?(?:to(?!\s++the\s)|"
    r"in\s++with|away)|"
    rf"(?:got|found)\s++(?:(?:her|him|them)(?:self|selves)\s++)?{_FURNISHED})(?!\s++of\s)"
    r"|(?P<work>gave\s++notice|handed\s++in|retired|resigned|(?:was|got|been)\s++(?:fired|sacked|let\s++go|laid\s++off|"
    r"transferred|moved\s++to)|transferred|went\s++on\s++(?:maternity|paternity|parental)\s++leave)"
    r"|(?P<any>left|gone|quit|moved\s++on|dropped\s++out)"
    r"(?!\s++(?:me|us|the\s++(?:house|party|room|table|door)|early|for\s++(?:work|school|lunch|the\s++day)|home|an?|"
    r"her|his|"
    r"my|it|mad|crazy|viral|shopping|smoking|drinking|on\s++(?:holiday|vacation)|"
    r"to\s++(?:bed|sleep|school|work|the\s++\w{1,15}))\b))\b",
    re.IGNORECASE,
)
_NOBODY = frozenset(
    """i we he she it they you who that this there everyone everybody someone nobody has have had is was and but so then
    just also already not never what which time day week month year lot all some things stuff mum's""".split()
)
_SHARED = LazyPattern(
    r"\b(?:flatmates?|roommates?|housemates?|lodgers?|tenants?|lives? with|living with|live in|shares?|sharing|au "
    r"pair|subletter|"
    r"rooms?|in the (?:house|flat)|of us|staying with|woon met|wohne mit|vivo con|habite avec|moro com)\b"
)
_AT_WORK = LazyPattern(
    r"\b(?:boss|manager|supervisor|line manager|team lead|lead|colleagues?|coworkers?|teacher|tutor|trainer|coach|"
    r"assistant|"
    r"reports? to|works? (?:with|for)|head|director|therapist|doctor|dentist|nanny|cleaner|childminder|drummer|singer|"
    r"bassist)\b"
)
# 'The boss rings, not Kelly': the role is another's.
_NOT_THEM = LazyPattern(
    r"\b(?P<role>boss|manager|supervisor|teacher|tutor|trainer|coach|doctor|dentist|gp|therapist|landlord|landlady|"
    r"neighbour|"
    r"cleaner|nanny)\b.{0,60}?,?\s(?:not|instead\s++of|no\s++longer|replaced)\s++(?P<who>[^\W\d_][\w'-]{1,30})",
    re.IGNORECASE,
)
_ROLES = (
    frozenset({"boss", "manager", "supervisor"}),
    frozenset({"doctor", "gp"}),
    frozenset({"landlord", "landlady"}),
)
# 'Eoin goes by Ro now', 'our cat is called Mora now, not Lola'.
_RENAMED = LazyPattern(
    r"(?P<old>(?!(?:My|The|So|Our|He|She|They|We|It|And|But|Then)\b)[A-Z][\w'-]{1,30}?)(?:'s|\s++(?:has|"
    r"is))?\b[^.!?]{0,60}?\b(?:goes|go|"
    r"going)\s++by\s++(?P<new>[A-Z][\w-]{0,30})"
    r"|(?P<old2>[A-Z][\w'-]{1,30}?)(?:'s|\s++is)\s++(?:now\s++)?(?:called|"
    r"named)\s++(?P<new2>[A-Z][\w-]{0,30})(?:\s++now\b|(?<=now))",
)


@dataclass(frozen=True, slots=True)
class Departure:
    """Who is no longer where, what or called as they were."""

    gone: str = ""
    """Folded name or word of relation of who left."""
    left: str = ""
    """What they left: `home`, `work`, or `any`."""
    not_them: str = ""
    role: str = ""
    """What `not_them` no longer is."""
    renamed: str = ""
    name: str = ""
    """What `renamed` is called now."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause still counts on them."""
        old = read_clause(clause)
        said = " ".join(old.words)
        if self.gone and self.gone in old.words:
            is_home, is_work = self.left != "work", self.left != "home"
            return bool((is_home and _SHARED.search(said)) or (is_work and _AT_WORK.search(said)))
        if self.not_them and self.not_them in old.words:
            return not _same_role(self.role).isdisjoint(old.words)
        return bool(self.renamed) and self.renamed in old.words and self.name not in old.words


def read_departure(text: str, clause: ReadClause, within: str) -> Departure | None:
    """Read who has left, or is called otherwise now.

    Args:
        text: The clause.
        clause: The same, read.
        within: Its sentence: it names the role of 'not Kelly', and who goes by another name.
    """
    gone, place = _who_left(text, clause) if "not" not in clause.words else ("", "")
    other = _NOT_THEM.search(within)
    other = other if other and other["who"] in text else None
    renamed = _RENAMED.search(within)
    renamed = renamed if renamed and (renamed["new"] or renamed["new2"]) in text else None
    old, new = (renamed["old"] or renamed["old2"], renamed["new"] or renamed["new2"]) if renamed else ("", "")
    old = "" if old.lower() in _NOBODY else old
    found = Departure(
        gone=gone,
        left=place,
        not_them=fold(other["who"].lower()) if other else "",
        role=other["role"].lower() if other else "",
        renamed=fold(old.lower()),
        name=fold(new.lower()) if old else "",
    )
    return found if found != Departure() else None


def _who_left(text: str, clause: ReadClause) -> tuple[str, str]:
    """Return who left, folded, and what they left; empty where no one did."""
    left = _LEFT.search(text)
    if not left:
        return "", ""
    who = fold(left["who"].lower().removesuffix("'s").removesuffix("’s"))
    if who in _NOBODY or (who in RELATIONS and "my" not in clause.words):
        return "", ""
    return who, left.lastgroup or ""


def _same_role(role: str) -> frozenset[str]:
    return next((roles for roles in _ROLES if role in roles), frozenset({role}))
