"""Find posts, reviews, pages and dialogues that were copied as they stood: their surroundings tell. Pure."""

import re

from recollect.extraction.labels import is_kin, is_own_label
from recollect.extraction.spans import Span

_UNIT = r"(?:seconds?|minutes?|mins?|hours?|hrs?|days?|weeks?|months?|years?|h|d|w|mo|yr?s?)"
# From such a line on.
_BEGINS = re.compile(
    # '3 hours ago', 'vor 3 Stunden' and their like alone, or between the marks of a forum.
    rf"^[ \t>]{{0,9}}(?:\d{{1,2}}\s?{_UNIT}(?:\sago)?(?:\s\(?edited\)?)?|vor \d{{1,2}} \w{{4,8}}"
    rf"|il y a \d{{1,2}} \w{{4,8}}|hace \d{{1,2}} \w{{4,8}}"
    r"|há \d{1,2} \w{4,8}|\d{1,2} \w{3,9} (?:fa|geleden))[ \t]*+\n(?=[ \t]*+\S)"
    rf"|^[^\n.!?]{{1,60}}\s\d{{1,2}}\s?{_UNIT}(?:\sago\s?[|·•–\[(]|\s?[|·•])[^\n]{{0,80}}$"
    rf"|^[^\n]{{0,40}}\bposted by\b[^\n]{{0,60}}$|^/?r/\w{{2,30}}[ \t]*+$"
    r"|^(?:today|yesterday|heute|gestern|hoy|ayer|hoje|ontem|oggi|ieri|vandaag|gisteren|aujourd'hui"
    r"|hier),?\s(?:at\s|um\s|à\s)?\d{1,2}:\d{2}"
    r"(?:\s?[ap]m)?[ \t]*+\n(?=[ \t]*+\S)"
    # Reviews.
    r"|^[ \t]{0,9}[★☆⭐✩]{1,5}|^[^\n]{0,30}\bverified purchase\b[^\n]{0,30}$|^reviewed in [^\n]{3,60}$"
    # Pages and papers.
    r"|^from wikipedia\b[^\n]{0,40}$|^(?:jump|skip) to [\w ]{3,30}$|^\d{1,2} min read\b[^\n]{0,30}$"
    r"|^table of contents[ \t]*+$"
    r"|^[^\n]{1,60}\((?:reuters|ap|afp|dpa|upi|efe|ansa)\)\s?[-–—]\s"
    # Files and answers of servers.
    r"|^BEGIN:V[A-Z]{3,12}\b|^HTTP/\d(?:\.\d)?\s\d{3}\b|^[dl-][rwx-]{9}[.+@]?\s"
    r"|^[^\n]{0,60}<<-?\s?['\"]?[A-Z]{2,10}['\"]?[ \t]*+$|^\.\.\s\w[\w-]{1,30}::"
    r"|^[\w./-]{1,120}\.\w{1,5}:\d{1,6}:",
    re.MULTILINE | re.IGNORECASE,
)
# What messengers and forums write beneath or within a post: it belongs to what stands around.
_AROUND = re.compile(
    r"^[ \t]{0,9}(?:·|[·•]\s?(?:1st|2nd|3rd\+?|follow(?:ing)?)|delivered|seen|read \d{1,2}:\d{2}(?:\s?[ap]m)?"
    r"|sent from my \w+"
    r"|gelesen|zugestellt|via \w{2,20} web app)[ \t]*+$",
    re.MULTILINE | re.IGNORECASE,
)
_TIMED = re.compile(r"^[ \t]{0,9}\d{1,2}:\d{2}\s?[ap]m\s*+\Z", re.MULTILINE | re.IGNORECASE)
# Who said it, behind a dash at the end, with first and last name.
_CREDIT = re.compile(
    r"(?:^"
    r"|\s)[—–-]{1,2}\s?(?-i:[A-ZÀ-Þ])[\w.'’-]{1,20}(?:\s(?-i:[A-ZÀ-Þ])[\w.'’-]{1,20}){1,3}(?:,\s\d{4})?\s*+\Z",
    re.MULTILINE,
)
# Speech in a novel: '— I ski.', '– I ski.' before a question; '— I ski — he said.' Lists have short dashes as well.
_DASH = re.compile(r"^[ \t]{0,9}—\s?\S|^[ \t]{0,9}–\s?\S(?=[^\n]{0,400}\n[ \t]{0,9}–[^\n?]{1,200}\?)", re.MULTILINE)
_DASHED = re.compile(r"^[ \t]{0,9}[–—]\s?[^\n–—]{1,400}[–—]\s?(?:he|she|they|[A-Z]\w{1,20})\s\w{2,12}", re.MULTILINE)
# Speakers in other dress: '**Bruno:** …', '[Bruno] …', 'bruno> …', 'Bruno - …', 'A1. …'
_BOLD = re.compile(
    r"^[ \t>*-]{0,9}\*\*(?P<who>[^*\n:]{1,40}):\*\*\s"
    r"|^[ \t>*-]{0,9}\*\*(?P<name>[^*\n:]{1,40})\*\*:\s",
    re.MULTILINE,
)
_NAMED = (
    re.compile(r"^[ \t]{0,9}\*\*(?P<who>[^*\n:]{1,40})\*\*\s\S", re.MULTILINE),
    re.compile(r"^[ \t]{0,9}[\[(](?P<who>[A-Za-zÀ-ÿ][\w .'’-]{0,30})[\])]\s\S", re.MULTILINE),
    re.compile(r"^[ \t]{0,9}(?P<who>[\w.-]{1,20})>\s\S", re.MULTILINE),
    re.compile(r"^[ \t]{0,9}(?P<who>[^\W\d_][\w.'’-]{0,20})\s\|\s\S", re.MULTILINE),
    re.compile(r"^[ \t]{0,9}(?P<who>[A-ZÀ-Þ][\w.'’]{0,20})\s[-–—]\s\S", re.MULTILINE),
    re.compile(r"^[ \t]{0,9}(?:\d{1,2}[.)]\s)?(?:(?P<who>[A-Z]):|(?P<number>[QA])\d{1,2}[.):])\s\S", re.MULTILINE),
)
_MIN_SPEECHES = 2
# A figure of a game on its sheet.
_SHEET = re.compile(
    r"^[ \t*-]{0,9}(?:race|class|alignment|hp|level|strength|dexterity|charisma|species"
    r"|faction)\b\*{0,2}\s?:",
    re.M | re.I,
)


def find_posts(text: str) -> list[Span]:
    """Find where such a text begins; it runs to the end of the message.

    >>> text = "Is it good?\\n★★★★★ I ski"
    >>> [text[start:end] for start, end in find_posts(text)]
    ['★★★★★ I ski']
    """
    starts = [found.start() for pattern in (_BEGINS, _DASHED) if (found := pattern.search(text))]
    if (
        _AROUND.search(text)
        or _TIMED.search(text)
        or _CREDIT.search(text)
        or len(_SHEET.findall(text)) >= _MIN_SPEECHES
    ):
        starts.append(0)
    dashes = list(_DASH.finditer(text))
    if dashes and (len(dashes) >= _MIN_SPEECHES or dashes[0].group().strip().startswith("–")):
        starts.append(dashes[0].start())
    bold = next((found for found in _BOLD.finditer(text) if not _is_own(found["who"] or found["name"])), None)
    starts += [bold.start()] if bold else []
    for pattern in _NAMED:
        named = [found for found in pattern.finditer(text) if not _is_own(found["who"] or "")]
        if len(named) >= _MIN_SPEECHES:
            starts.append(named[0].start())
    return [(min(starts), len(text))] if starts else []


def _is_own(name: str) -> bool:
    return bool(name) and (is_own_label(name) or is_kin(name))
