"""Someone who moved out, left a job or took another name, and older clauses that still count on them. Pure."""

import re
from dataclasses import dataclass

from recollect.text.clauses import ReadClause, read_clause
from recollect.text.fold import fold
from recollect.text.speakers import RELATIONS

_NAME = r"(?P<who>[^\W\d_][\w'’-]{1,30}?)(?:'s|’s)?"
_DONE = r"(?:\s++(?:has|have|had|is|was|just|finally|already|now|also|since|actually|then))*+"
_FURNISHED = r"(?:an?|her|his|their|another)\s++(?:own\s++|new\s++)?(?:flat|place|room|house|apartment)"
_LEFT = re.compile(
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
_SHARED = re.compile(
    r"\b(?:flatmates?|roommates?|housemates?|lodgers?|tenants?|lives? with|living with|live in|shares?|sharing|au "
    r"pair|subletter|"
    r"rooms?|in the (?:house|flat)|of us|staying with|woon met|wohne mit|vivo con|habite avec|moro com)\b"
)
_AT_WORK = re.compile(
    r"\b(?:boss|manager|supervisor|line manager|team lead|lead|colleagues?|coworkers?|teacher|tutor|trainer|coach|"
    r"assistant|"
    r"reports? to|works? (?:with|for)|head|director|therapist|doctor|dentist|nanny|cleaner|childminder|drummer|singer|"
    r"bassist)\b"
)
# 'The boss rings, not Kelly': the role is another's.
_NOT_THEM = re.compile(
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
_RENAMED = re.compile(
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


def departure(text: str, clause: ReadClause, within: str) -> Departure | None:
    """Read who has left, or is called otherwise now.

    Args:
        text: The clause.
        clause: The same, read.
        within: The sentence it stands in: it names the role of 'not Kelly', and who goes by another name.
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
