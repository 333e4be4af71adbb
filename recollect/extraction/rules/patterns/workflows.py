"""Facts of workflows: when the user deploys, how they review, which step comes first. Pure."""

import re
from collections.abc import Iterable

from recollect.extraction.rules.patterns.fact_pattern import REPEATED, ExtractedFact, FactPattern, fact_pattern, slot
from recollect.extraction.rules.verbs import third_person
from recollect.lazy_pattern import LazyPattern
from recollect.text import squeeze

IMPORTANCE = 0.55
_MAX_WORDS = 22
# Work that fails, or that the user asks about, is the work at hand.
_AT_HAND = LazyPattern(
    r"\b(?:errors?|fails?|failed|failing|crash\w*|broken|breaks|nothing\s++happens|doesn't|didn't|isn't|wasn't|"
    r"won't|can't|cannot|stuck|killed|hangs?|terminated|"
    r"problems?|issue\s++is|traceback|exception|how\s++(?:do|can|to)|why|what|get\s++(?:an?|this|the)|getting|"
    r"it\s++(?:says|gives|returns|shows)|"
    r"wondering|trying|help|instead\s++it|but\s++(?:it|the|nothing|now|then)|should\s++i|you|your|yesterday|"
    r"last\s++(?:week|month|night|time|year))\b",
    re.IGNORECASE,
)
_PRONOUNS = {
    "i": "they",
    "i'm": "they're",
    "i've": "they've",
    "we": "they",
    "we're": "they're",
    "we've": "they've",
    "my": "their",
    "our": "their",
    "me": "them",
    "us": "them",
    "myself": "themselves",
    "ourselves": "themselves",
}
_PRONOUN = LazyPattern(r"\b(?:i'm|i've|we're|we've|i|we|my|our|me|us|myself|ourselves)\b(?!')", re.IGNORECASE)
_GOES_ON = LazyPattern(
    r"(\b(?:and\s++then|and|then)\s++)(move|send|ask|publish|merge|push|deploy|write|run|open|check|review|go|commit)\b"
)
_ARTICLE = LazyPattern(r"(?:the|a|an|my|our|all|every|each|any|new|their)\s++", re.IGNORECASE)
# Words that end the object of the work and begin its circumstances.
_CIRCUMSTANCE = LazyPattern(
    r"(?<!\S)(?:on|in|at|before|after|once|when|whenever|while|until|every|each|only|from|to|with|via|using|by|"
    r"through|into|off|onto|instead|"
    r"first|twice|three|daily|weekly|monthly|without|and|or|then|as|if|unless|for|always|straight|directly|"
    r"together|per|mornings|"
    r"afternoons|evenings|weekends|(?:mon|tues|wednes|thurs|fri|satur|sun)days?|against|behind|rather|over|under|"
    r"because|so)\b",
    re.IGNORECASE,
)
# Manner rather than time: a second habit of this kind does not replace the first.
_HOW = LazyPattern(
    r"(?:from|to|with|via|using|by|through|into|off|onto|in(?!\s++the\s)|instead|without|straight|directly|"
    r"together|rather|against)\b",
    re.I,
)


def is_at_hand(text: str) -> bool:
    """Return whether a clause is about work that fails or is asked about, which is no habit."""
    return bool(_AT_HAND.search(text))


def in_third_person(text: str) -> str:
    """Put 'I', 'my' and 'we' after the first verb into the third person."""
    with_pronouns = _PRONOUN.sub(lambda found: _PRONOUNS[found.group().lower()], text)
    return _GOES_ON.sub(lambda found: f"{found[1]}{third_person(found[2])}", with_pronouns)


def _fact(key: str, value: str, says: str) -> Iterable[ExtractedFact]:
    if len(value.split()) <= _MAX_WORDS:
        yield ExtractedFact(
            category="preference", key=slot("workflow", key), value=value, says=says, importance=IMPORTANCE
        )


def _does(match: re.Match[str]) -> Iterable[ExtractedFact]:
    verb, rest = match["verb"], without_aside(match["rest"])
    if is_at_hand(match.string) or _NO_THING.match(rest):
        return
    often = squeeze(match.groupdict().get("often") or "")
    does = "backs up" if _spelled(verb) == "back up" else third_person(verb)
    habit = " ".join(part for part in (often, does) if part)
    yield from _fact(
        habit_topic(verb, rest), f"{habit} {in_third_person(rest)}".strip(), f"{habit} {in_third_person(rest)}".strip()
    )


def _spelled(verb: str) -> str:
    return "back up" if squeeze(verb).lower() == "backup" else squeeze(verb)


def without_aside(raw: str) -> str:
    """Cut off an aside at the end of a clause: ', so a late train is fine'."""
    text = squeeze(raw)
    aside = _ASIDE.search(text)
    return (text[: aside.start()] if aside else text).strip(" .,!")


_ASIDE = LazyPattern(
    r",\s(?!(?:and\s|then\s|never\s|not\s|(?:mon|tues|wednes|thurs|fri|satur|sun)day))|\s(?:so|but|because|btw|"
    r"which|though|since|as\si|if\syou|too)\b",
    re.IGNORECASE,
)
# Verbs after an emphatic 'do': 'I do like mornings'.
_NO_THING = LazyPattern(
    r"(?:actually|really|like|love|want|need|have|not|hate|enjoy|prefer|feel|think|know|believe|care)\b", re.I
)


def habit_topic(verb: str, rest: str) -> str:
    """Return the topic of a habit: of two habits with one topic, the newer replaces the older."""
    turn = _CIRCUMSTANCE.search(rest)
    thing = _ARTICLE.sub("", rest[: turn.start()] if turn else rest, count=1).strip(" ,")
    how = turn.group().lower() if turn and _HOW.match(rest, turn.start()) else ""
    words = thing.lower().split()[:3]
    named = words if words and verb.lower() in _LIGHT else (_spelled(verb).lower(), *words)
    return " ".join(part for part in (*named, how) if part)


# Verbs that add no meaning to their object.
_LIGHT = frozenset("do have hold run make".split())


def _is(match: re.Match[str]) -> Iterable[ExtractedFact]:
    what, rest = squeeze(match["what"]), squeeze(match["rest"]).strip(" .,!")
    if rest and not is_at_hand(match.string) and not _STATE_AT_HAND.match(rest):
        yield from _fact(
            what.lower(),
            f"{squeeze(match['is'])} {in_third_person(rest)}",
            f"'s {what} {squeeze(match['is'])} {in_third_person(rest)}",
        )


_STATE_AT_HAND = LazyPattern(
    r"(?:late|over|done|broken|red|green|slow|down|cancell?ed|today|tomorrow|now|being|going|not|so|too|very|"
    r"a\s++mess)\b",
    re.I,
)


def _needs(match: re.Match[str]) -> Iterable[ExtractedFact]:
    what, rest = squeeze(match["what"]).lower(), squeeze(match["rest"]).strip(" .,!")
    if not is_at_hand(match.string):
        yield from _fact(
            f"every {what}",
            f"every {what} {in_third_person(rest)}",
            f"has a rule: every {what} {in_third_person(rest)}",
        )


def _method(match: re.Match[str]) -> Iterable[ExtractedFact]:
    value = squeeze(match["v"])
    yield from _fact(value, value, f"works by {value}")


def _kept(match: re.Match[str]) -> Iterable[ExtractedFact]:
    what, where = squeeze(match["what"]), squeeze(match["where"]).strip(" .,!")
    if not is_at_hand(match.string):
        verb = third_person(match["verb"])
        yield from _fact(
            _ARTICLE.sub("", what.lower()),
            f"{verb} {in_third_person(what)} {where}",
            f"{verb} {in_third_person(what)} {where}",
        )


_OFTEN = (
    r"(?: (?P<often>always|usually|normally|typically|generally|never|only|mostly|often)| (?:also|all|both|then|"
    r"now|still|just)){0,3}"
)
_WORK = (
    r"deploy|release|ship|merge|rebase|squash|branch|push|commit|review|pair|test|lint|tag|plan|draft|outline|back "
    r"?up|archive|file|invoice|publish|edit|proofread|export|document|log|track|triage|estimate|refactor|prototype|"
    r"sketch|process|prepare|clean|tidy|check|answer|sort|sync|update|upload|bill|do|run|write|open|close|start|"
    r"finish|begin|hold|record|work|pay|submit|freeze|schedule|approve|sign|print|scan|rehearse|practise|practice|"
    r"iterate|groom|demo|monitor|rotate|develop|build|design|batch cook|batch|add|include|name|annotate"
)
# Verbs that state a way of working with a manner alone: 'we review in pairs', 'we deploy from main'.
_HANDS_OVER = (
    r"deploy|release|ship|merge|rebase|squash|branch|push|commit|review|pair|tag|triage|estimate|prototype|test|freeze"
)
_STEP = (
    r"(?:i|we|merging|committing|deploying|releasing|writing|coding|pushing|shipping|starting|review\w*|publishing|"
    r"sending|"
    r"submitting|opening)\b"
)
_ORDER = (
    rf"(?:(?:before|after|once|whenever|unless|until|as soon as|only (?:when|if|after|once)) (?:{_STEP}|(?:my|our|"
    rf"the|all|every|tests?|ci|qa|"
    rf"approval|sign[\s-]off|each|any|anything|everything)\b)|(?:then|and then) (?:{_STEP}|(?:move|send|ask|"
    rf"publish|merge|push)\b))"
)
_MANNER = (
    r"(?:in (?:pairs|batches|small|the open|stages|one go|threes|sprints)|from (?:main|master|develop|trunk|a "
    r"branch|tags?|ci)|off (?:of )?(?:main|master|develop|trunk)|"
    r"straight to|directly to|to (?:main|master|develop|trunk|staging first|production)|by hand|via|behind|instead "
    r"of|rather than|with (?:semver|tags|feature)|"
    r"on top of|against|without|together|first|twice|blue[\s-]?green|first thing|as a team|one at a time)"
)
_THING = r"(?:[\w'/&.-]{1,24} ){0,6}?"
_TIME = REPEATED
_CHORE = (
    r"(?:sprints?|stand-?ups?|daily|retros?|retrospectives?|planning|releases?|deploys?|deployments?|reviews?|code "
    r"reviews?|builds?|ci|branching|"
    r"work ?flow|process|procedure|routine|morning routine|evening routine|method|release cycle|release cadence|"
    r"code freeze|deadline|demos?|planning meeting|team meeting|all-hands|"
    r"one-on-ones?|1:1s?|backups?|invoicing|branch(?:es)?|pull requests?|prs?|tickets?|commit(?:s)?|backlog|"
    r"definition of done|on-call rotation|merge policy)"
)

RULES: tuple[FactPattern, ...] = (
    fact_pattern(rf"(?:<I>|we){_OFTEN} (?P<verb>{_WORK})\b(?P<rest> ?{_THING}(?:{_TIME}|{_ORDER}).{{0,120}})", _does),
    fact_pattern(rf"we{_OFTEN} (?P<verb>{_HANDS_OVER})\b(?P<rest> ?{_THING}{_MANNER}.{{0,100}})", _does),
    fact_pattern(rf"<I>{_OFTEN} (?P<verb>{_HANDS_OVER})\b(?P<rest> ?{_THING}{_MANNER}.{{0,100}})", _does),
    fact_pattern(
        rf"(?:<I>|we) (?P<often>always|usually|normally|typically|generally|never|only) "
        rf"(?P<verb>{_WORK})\b(?P<rest> (?!(?:too|so|very|a lot|out|into|late|over|better|badly|wrong|like|it|"
        rf"them)\b){_THING}[\w-]{{2,20}})(?=\s*+[.!]*+$)",
        _does,
    ),
    fact_pattern(
        rf"(?:my|our) (?P<what>(?:[\w-]{{2,20}} ){{0,2}}?{_CHORE}) (?P<is>is|are|runs?|takes?|lasts?|starts?|"
        rf"happens?|goes|go|needs?|has|have|ends?|begins?|must have|must be|consists? of) (?P<rest>.{{2,120}})",
        _is,
    ),
    fact_pattern(
        rf"we(?: all| usually| always)?{_OFTEN} (?P<verb>do|have|hold|start)(?P<rest> (?:our |the |daily "
        rf"){{0,2}}{_CHORE} at \d.{{0,60}})",
        _does,
    ),
    fact_pattern(
        r"we(?: always| usually)? (?P<verb>need|require|want)(?P<rest> (?:\w+ ){1,2}(?:approvals?|reviews?|"
        r"reviewers?|sign[\s-]?offs?) (?:before|for|on|to|per)\b.{2,80})",
        _does,
    ),
    fact_pattern(
        r"(?:every|each|all) (?P<what>(?:new )?(?:pull request|pr|change|commit|release|deploy|deployment|merge "
        r"request|mr|feature|bug ?fix|branch|ticket|article|"
        r"post|draft|contract|invoice|report|task|migration))s? (?P<rest>(?:needs?|gets?|must|has to|have to|goes|"
        r"go|requires?) (?:an?|two|three|at least|one|tests?|to|"
        r"be|have|through|reviewed|tested|approved|signed|merged|approval|squashed|deployed|its own|their "
        r"own)\b.{0,100})",
        _needs,
    ),
    fact_pattern(
        rf"(?:qa|ci|our (?:qa|ci|lead|team)|the team) (?P<verb>tests?|reviews?|checks?|runs?|deploys?|approves?|"
        rf"signs? off)\b(?P<rest> ?{_THING}(?:{_TIME}|{_ORDER}).{{0,100}})",
        lambda m: _by_others(m),
    ),
    fact_pattern(
        r"(?:<I>|we|our team|my team)(?: all| both| now| still| mostly){0,2} (?:uses?|do(?:es)?|practi[sc]es?|"
        r"follows?|works? (?:by|with|in)) "
        r"(?:the )?(?P<v>scrum|kanban|(?:trunk|branch)[\s-]based development|git ?flow|"
        r"github flow|(?:long-lived |short-lived )?feature (?:branches|flags)|pair programming|mob programming|"
        r"shape up|waterfall|extreme programming|xp|gtd|getting things done|"
        r"(?:the )?pomodoro(?: technique| method)?|time[\s-]blocking|bullet journal(?:l?ing)?|zettelkasten|inbox "
        r"zero|semantic versioning|semver|"
        r"continuous (?:deployment|delivery|integration)|(?:two|one|three|four)[\s-]week sprints|stacked prs|merge "
        r"queues?|monorepos?)\b",
        _method,
    ),
    fact_pattern(
        r"(?:<I>|we)(?: all| both| always| usually| now| still| mostly){0,2} (?P<verb>keep|take|track|store|write|"
        r"log|file|manage|save|organi[sz]e|collect|draft|document) "
        r"(?P<what>(?:(?:my|our|all|meeting|lecture|the) ){0,2}(?:notes|to-?dos?|tasks|bugs|issues|tickets|"
        r"expenses|invoices|receipts|recipes|photos|files|documents|docs|"
        r"passwords|bookmarks|budget|calendar|schedule|hours|workouts|projects|backlog|drafts|contacts|ideas|"
        r"decisions|time|reading list)) "
        r"(?P<where>(?:in|on|with|using) (?!(?:a|the) (?:list|variable|array|column|table|file|dict|"
        r"loop)\b).{2,60})",
        _kept,
    ),
    fact_pattern(
        rf"(?:when(?:ever)?|once|before|after|as soon as) (?:i|we) (?P<cond>[\w' /-]{{3,60}}?),? (?:i|we){_OFTEN} "
        rf"(?P<verb>{_WORK})\b(?P<rest> .{{3,100}})",
        lambda m: _on_condition(m),
    ),
)


def _by_others(match: re.Match[str]) -> Iterable[ExtractedFact]:
    rule = squeeze(match.group()).strip(" .,!")
    if not is_at_hand(rule):
        yield from _fact(
            rule.lower().removeprefix("our ").split(" ")[0],
            in_third_person(rule),
            f"has a rule: {in_third_person(rule)}",
        )


def _on_condition(match: re.Match[str]) -> Iterable[ExtractedFact]:
    rule = squeeze(match.group()).strip(" .,!")
    if not is_at_hand(rule):
        lead = rule[: match.start("verb") - match.start()] if rule else ""
        yield from _fact(
            f"{lead.split()[0].lower()} {squeeze(match['cond']).lower()}"[:60],
            in_third_person(rule),
            f"has a rule: {in_third_person(rule)}",
        )
