"""Programs and devices that a clause says its speaker uses now, and older clauses that name another. Pure.

Of each kind of program (data, our own) people use one, so that a new one ends the old one.
"""

import re
from dataclasses import dataclass

from recollect.lazy_pattern import LazyPattern
from recollect.text.clauses import ReadClause, read_clause
from recollect.text.speakers import ME, OTHER, owner_of
from recollect.text.update_words import NEGATIONS

_KINDS = {
    "language": """python java javascript typescript rust golang go kotlin swift scala elixir erlang haskell ocaml
        clojure ruby php perl lua julia c++ c# f# zig dart fortran cobol crystal nim visual_basic vb.net r matlab""",
    "frontend": """react vue svelte sveltekit angular solid next.js nuxt remix astro qwik htmx jquery ember backbone
        alpine.js preact""",
    "web framework": """django flask fastapi rails laravel symfony spring phoenix express nestjs koa gin actix axum""",
    "css": "tailwind bootstrap bulma sass",
    "database": """postgresql postgres mysql mariadb sqlite mongodb mongo cassandra dynamodb oracle mssql sql_server
        duckdb cockroachdb couchdb""",
    "host": "aws gcp azure hetzner digitalocean linode ovh heroku vercel netlify render railway fly.io",
    "ci": "jenkins github_actions gitlab_ci circleci travis teamcity buildkite drone",
    "forge": "github gitlab bitbucket gitea forgejo",
    "system": """ubuntu debian fedora arch manjaro gentoo nixos mint opensuse freebsd macos windows linux pop_os
        chromeos""",
    "editor": """vim neovim nvim emacs helix vscode vs_code pycharm intellij webstorm zed cursor sublime notepad++
    rstudio
        xcode android_studio eclipse netbeans""",
    "notes": "evernote obsidian notion onenote logseq roam joplin bear apple_notes google_keep standard_notes",
    "chat": "slack teams discord mattermost rocket.chat zulip google_chat",
    "messenger": "whatsapp signal telegram viber wechat threema",
    "tracker": "jira linear trello asana clickup monday.com basecamp youtrack todoist ticktick things_3",
    "shop": "shopify woocommerce magento etsy bigcommerce prestashop squarespace wix",
    "pictures": "photoshop gimp affinity lightroom darktable capture_one pixelmator procreate krita",
    "design": "figma sketch adobe_xd penpot canva",
    "packages": "npm pnpm yarn bun",
    "python packages": "pip poetry pipenv conda uv pdm",
    "tests": "jest vitest mocha jasmine",
    "build": "webpack vite gradle maven bazel rollup",
    "phone": "android iphone pixel galaxy ios",
    "calls": "zoom google_meet webex skype",
    "music": "spotify tidal deezer apple_music youtube_music",
    "recording": "ableton reaper cubase logic_pro fl_studio pro_tools bitwig garageband",
    "mail": "outlook gmail thunderbird protonmail fastmail",
    "browser": "chrome firefox safari edge brave opera vivaldi",
    "cad": "autocad fusion_360 solidworks freecad onshape sketchup",
    "books": "quickbooks xero sage freshbooks wave datev lexoffice",
    "assistant": "chatgpt claude gemini copilot",
}
_SAME = {"postgresql": "postgres", "golang": "go", "mongo": "mongodb", "nvim": "neovim", "vs code": "vscode"}
# Everyday words: they name a program only with a capital, or after a word of use.
_EVERYDAY = frozenset(
    """go rust swift solid spring express phoenix remix mint arch cursor sketch linear teams bear wave sage render
    railway signal edge safari opera brave drone gin r bun helix notion oracle windows julia crystal galaxy pixel
    zoom affinity eclipse ember reaper java basecamp things_3 dart scala linux""".split()
)
_NAMES = {name.replace("_", " "): kind for kind, names in _KINDS.items() for name in names.split()}
_EVERYDAY_NAMES = frozenset(name.replace("_", " ") for name in _EVERYDAY)
_NAME = LazyPattern(
    rf"(?<![\w.#+])(?:{'|'.join(re.escape(name) for name in sorted(_NAMES, key=len, reverse=True))})(?![\w#+])",
    re.IGNORECASE,
)
_OF_USE = LazyPattern(
    r"\b(?:in|with|use|using|uses|doing|writing|write|writes|code|(?:over|everything|ported|migrated|switched|moved) "
    r"to) $",
    re.IGNORECASE,
)
# Characters before a name in which a word of use is looked for.
_BEFORE = 16


def software_in(text: str) -> dict[str, frozenset[str]]:
    """Return the programs that a text names, by kind.

    >>> sorted(software_in("We moved from Jenkins to GitHub Actions")["ci"])
    ['github actions', 'jenkins']
    >>> software_in("we go home")
    {}
    """
    found: dict[str, set[str]] = {}
    for match in _NAME.finditer(text):
        name = match.group().lower()
        before = text[max(0, match.start() - _BEFORE) : match.start()]
        if name in _EVERYDAY_NAMES and not match.group()[0].isupper() and not _OF_USE.search(before):
            continue
        found.setdefault(_NAMES[name], set()).add(_SAME.get(name, name))
    return {kind: frozenset(names) for kind, names in sorted(found.items())}


_NEWS = LazyPattern(
    r"\b(?:now|nowadays|these\s++days|lately|from\s++now\s++on|instead|(?:switched|moved|migrated|ported|gone|went|"
    r"changed|swapped|converted|upgraded|jumped|come|came)(?:\s++\w{1,15}){0,4}?\s++(?:to|for)|moving\s++to|"
    r"back\s++(?:on|to|in|with)|(?:got|bought|have|has|my|our|on)\s++(?:an?\s++|"
    r"the\s++)?new\s++(?:work\s++)?(?:laptop|computer|pc|machine|phone|mac|"
    r"desktop|thinkpad)|rewr(?:ote|itten)|redone|ripped\s++out|"
    r"ditched|dropped|dumped|replaced|wiped|binned|shop\s++now|anymore|any\s++more|no\s++longer)\b",
    re.IGNORECASE,
)
# It is used beside the other, tried, read about or learnt.
_BESIDE = LazyPattern(
    r"\b(?:also|too|as\s++well|besides|beside|on\s++the\s++side|alongside|learn\w*|learnt|try|trying|tried|"
    r"playing\s++with|"
    r"play\s++with|book|course|tutorial|dabbl\w++|experiment\w*|curious|for\s++fun|hobby|class|looking|reading|"
    r"watching|"
    r"interview|compare|versus|vs)\b",
    re.IGNORECASE,
)
# The old program follows.
_OLD = LazyPattern(
    r"\b(?:from|off|away\s++from|instead\s++of|rather\s++than|not|no\s++more|dropped|ditched|dumped|binned|"
    r"ripped\s++out|"
    r"replaced|quit|left|stopped\s++using|done\s++with|no\s++longer\s++(?:use|using))\b",
    re.IGNORECASE,
)
# There begins what came in its place.
_NEW = LazyPattern(r",\s|\b(?:to|for|with|by|and|now|in\s++favou?r)\b", re.IGNORECASE)
# Of these a speaker has several: what is said of one says nothing of another.
_PLACES = (
    frozenset({"backend", "api", "server"}),
    frozenset({"frontend", "site", "website", "ui"}),
    frozenset({"mobile", "phone", "android", "ios"}),
    frozenset({"laptop", "notebook", "macbook"}),
    frozenset({"desktop", "pc", "workstation"}),
    frozenset({"scripts", "scripting", "script"}),
    frozenset({"work", "job", "company", "office", "team"}),
    frozenset({"home", "personal", "private"}),
    frozenset({"game", "games"}),
    frozenset({"family"}),
)
_VERSION = LazyPattern(r"(?<![\w.])\d{1,3}\.\d{1,3}(?!\w|\.\d)")
_TO_VERSION = LazyPattern(r"\b(?:to|on)\s++(?P<version>\d{1,3}\.\d{1,3})(?!\w|\.\d)", re.IGNORECASE)
_MINE = frozenset({"i", "we", "my", "our", "me", "us", "user", "please", "pls", "im"})


@dataclass(frozen=True, slots=True)
class SoftwareChange:
    """Programs that took the place of others."""

    used: tuple[tuple[str, frozenset[str]], ...]
    """By kind, what is used now."""
    dropped: frozenset[str]
    version: str
    """What one of them is used in now, without a name: 'everything to 3.13'."""
    places: frozenset[int]
    """Of which parts of the speaker's work or home it is said."""

    def ends(self, clause: str) -> bool:
        """Return whether an older clause says that the speaker uses what they use no longer."""
        old = read_clause(clause)
        said = frozenset(old.words)
        if said.isdisjoint(_MINE) or owner_of(old.words) not in (ME, "") or not said.isdisjoint(NEGATIONS):
            return False
        named = software_in(clause)
        if not named or _is_apart(self.places, _places_of(old.words)):
            return False
        if any(names & self.dropped for names in named.values()):
            return True
        if self.version and any(_is_older(version, self.version) for version in _VERSION.findall(clause)):
            return True
        return any(names.isdisjoint(now) for kind, now in self.used if (names := named.get(kind)))


def read_software_change(text: str, clause: ReadClause, within: str) -> SoftwareChange | None:
    """Read which programs a clause says have taken the place of others.

    Args:
        text: The clause.
        clause: The same, read.
        within: Its sentence, where it may say that something changed.
    """
    owner = owner_of(clause.words)
    is_forced = owner != OTHER and "us" in clause.words
    if not _NEWS.search(within) or _BESIDE.search(within) or not (owner in (ME, "") or is_forced):
        return None
    old_part = _old_part(text)
    dropped = frozenset().union(*software_in(old_part).values()) if old_part else frozenset[str]()
    used = {kind: names - dropped for kind, names in software_in(text).items()}
    told = tuple((kind, names) for kind, names in used.items() if names)
    version = match["version"] if (match := _TO_VERSION.search(within)) else ""
    is_denied = not NEGATIONS.isdisjoint(clause.words) and not dropped
    if is_denied or not (told or dropped or version) or not (_is_mine(clause, text, within) or is_forced):
        return None
    return SoftwareChange(told, dropped, version, _places_of(clause.words))


def _is_older(version: str, newer: str) -> bool:
    """Whether two versions are of one line: '3.10' and '3.13'."""
    return version != newer and version.partition(".")[0] == newer.partition(".")[0]


def _is_mine(clause: ReadClause, text: str, within: str) -> bool:
    """Whether it is the speaker who uses it: by 'I' or 'my', or by a verb of change that leaves the 'I' out."""
    if clause.words[:1] in (("my",), ("our",)):
        return bool(_OF_A_PART.match(text.strip().partition(" ")[2]))
    if not _MINE.isdisjoint(clause.words):
        return True
    first = clause.words[0] if clause.words else ""
    if first in ("it", "which") and _NEW_DEVICE.search(within):
        return True
    is_bare = first in _BARE_VERBS or (
        len(clause.words) > 1 and first in ("just", "finally") and clause.words[1] in _BARE_VERBS
    )
    return is_bare or bool(_OF_A_PART.match(text.strip()))


# 'Got a new laptop, it runs Fedora'.
_NEW_DEVICE = LazyPattern(
    r"(?:(?:i|we)(?:'ve|\s++have)?\s++)?(?:got|bought|have)\s++an?\s++new\s++(?:work\s++)?\w{2,15}(?!\s++for\s++my)",
    re.IGNORECASE,
)
_BARE_VERBS = frozenset(
    """got bought switched moved migrated ported ditched dropped replaced wiped went gone back rewrote traded swapped
    converted upgraded using writing doing everything""".split()
)
# 'Frontend's been rewritten in Svelte', 'shop's on WooCommerce now'.
_OF_A_PART = LazyPattern(
    r"(?:the\s++)?(?:new\s++)?(?:backend|back\s++end|frontend|front\s++end|api|server|site|website|shop|store|app|"
    r"stack|codebase|"
    r"code|"
    r"database|db|editor|pipeline|ci|builds?|laptop|desktop|phone|notes|"
    r"company|team|office|work|firm|machine|setup|server|infra|ide|os|computer|pc|blog|mail|email|music|tests?)(?:'s|"
    r"’s|\s++(?:is|are|has|runs|uses|was|got))\b",
    re.IGNORECASE,
)


def _old_part(text: str) -> str:
    """Return the words for what is no longer used."""
    match = _OLD.search(text)
    if not match:
        return ""
    return _NEW.split(text[match.end() :], maxsplit=1)[0]


def _places_of(words: tuple[str, ...]) -> frozenset[int]:
    said = frozenset(words)
    return frozenset(number for number, place in enumerate(_PLACES) if not said.isdisjoint(place))


def _is_apart(ones: frozenset[int], others: frozenset[int]) -> bool:
    return bool(ones and others) and ones.isdisjoint(others)
