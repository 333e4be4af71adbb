"""Facts of tools: programming languages, systems, editors, hosts, and how code is indented. Pure."""

import re
from collections.abc import Iterable

from recollect.extraction.rules.patterns.fact_pattern import ExtractedFact, FactPattern, fact_pattern, slot
from recollect.lazy_pattern import LazyPattern
from recollect.text import squeeze

# Spelled as their makers do.
_NAMES = """
Python Java JavaScript TypeScript Rust Golang Go Kotlin Swift Scala Elixir Erlang Haskell OCaml Clojure Ruby PHP
Perl Lua Julia C++ C# F# .NET Zig Dart Fortran COBOL Bash Zsh Fish PowerShell React Vue Svelte SvelteKit Angular
Solid Next.js Nuxt Remix Astro Qwik htmx jQuery Tailwind Bootstrap Django Flask FastAPI Rails Laravel Symfony Spring
Phoenix Express NestJS Node Node.js Deno Bun Flutter Electron Tauri Unity Unreal Godot PostgreSQL Postgres MySQL
MariaDB SQLite MongoDB Redis DuckDB ClickHouse Cassandra DynamoDB Snowflake BigQuery Elasticsearch Kafka RabbitMQ
Docker Podman Kubernetes Nomad Terraform Pulumi Ansible AWS GCP Azure Hetzner DigitalOcean Linode OVH Heroku Vercel
Netlify Cloudflare Fly Fly.io Render Railway Supabase Firebase GitHub GitLab Bitbucket Gitea Forgejo Jenkins Linux
Ubuntu Debian Fedora Arch Manjaro Gentoo NixOS Mint openSUSE FreeBSD OpenBSD macOS Windows Vim Neovim Emacs Helix
VSCode PyCharm IntelliJ WebStorm Zed Cursor RStudio Xcode Jupyter Pytest Jest Vitest Mocha Cypress Playwright Poetry
Pipenv Conda uv npm pnpm Yarn Vite Webpack Gradle Maven Bazel CMake Pandas Polars NumPy PyTorch TensorFlow JAX Spark
Airflow dbt Tableau Excel Notion Obsidian Logseq Figma Sketch Photoshop Lightroom GIMP Blender AutoCAD Fusion
SolidWorks Ableton Reaper Cubase Scrivener LaTeX Typst Slack Teams Jira Linear Trello Asana Thunderbird Outlook
Spotify Android iOS
""".split()
_BY_SMALL = {name.lower(): name for name in _NAMES}
# Common words that are tools only next to another tool, or with a version: 'fly', 'go', 'render'.
_COMMON = frozenset(
    """go fly render solid express spring phoenix remix flask fish bash node spark unity fusion linear outlook cursor
    sketch teams notion mint arch rails swift julia reaper slack next.js""".split()
)
_TOOL = "|".join(re.escape(name).replace(r"\ ", " ") for name in sorted(_NAMES, key=len, reverse=True))
_VERSION = r"v?\d{1,4}(?:\.\d{1,4}){0,2}(?:\s?lts)?"
_FOUND = LazyPattern(
    rf"(?<![\w.+#-])(?P<tool>{_TOOL})(?![\w+#-])(?:\s?(?P<version>{_VERSION})(?![\w%]))?", re.IGNORECASE
)
# Work of the moment, in which any tool may be named.
_PASSING = LazyPattern(
    r"\b(?:this|that|trying|try|error|exception|to\s++(?:parse|read|write|print|get|make|convert|compute|solve|plot|"
    r"call|load|send|build|do|run|install|"
    r"create|fix|find|sort|check|scrape)|tutorial|homework|assignment|exercise|example|example,|chatgpt|question|"
    r"instead\s++of\s++using|"
    r"should|could|would|might|maybe|thinking|considering|want|not\s++sure|never|used\s++to|don't|didn't|do\s++not|"
    r"no\s++longer|not\s++using)\b",
    re.IGNORECASE,
)
# Precedes tools that are not used.
_NOT = LazyPattern(
    r"(?:[,;(]\s*+|(?<!\s)\s++)(?:not|no|instead\s++of|rather\s++than|over|without|never|so\s++no|from)\s",
    re.IGNORECASE,
)
# Separates a dropped tool from its replacement.
_ON = LazyPattern(r",\s|\b(?:for|and\s++(?:now|went|moved|switched|use)|everything|now|in\s++favou?r)\b", re.IGNORECASE)
_MAX_TOOLS = 5


# Tools with names of places.
_PLACES = frozenset({"phoenix", "java", "mint"})


def is_tool(name: str) -> bool:
    """Return whether a name can only be a programming language or a program.

    >>> is_tool("Kotlin"), is_tool("Phoenix"), is_tool("Oslo")
    (True, False, False)
    """
    return name.casefold() in _BY_SMALL and name.casefold() not in _PLACES


def _tools(raw: str) -> Iterable[tuple[str, str]]:
    used = _NOT.split(raw, maxsplit=1)[0]
    for found in _FOUND.finditer(used):
        small = found["tool"].lower()
        written = found["tool"] if small not in _BY_SMALL else _BY_SMALL[small]
        if small in _COMMON and not (found["version"] or found["tool"][0].isupper() or _alone(used, found)):
            continue
        yield written, found["version"] or ""


def _alone(text: str, tool: re.Match[str]) -> bool:
    """Return whether a common word is used like a tool: at the end, or before a comma, 'and', 'for', 'with'."""
    rest = text[tool.end() :].lstrip().lower()
    before = text[: tool.start()].rstrip().lower()
    starts = not before or before.endswith((",", " and", " in", " on", " with", " to"))
    return starts and (not rest or bool(re.match(r"(?:,|and\b|for\b|with\b|on\b|at\b|now\b|btw\b|here\b)", rest)))


def _uses(match: re.Match[str]) -> Iterable[ExtractedFact]:
    if _PASSING.search(match.string):
        return
    for tool, version in list(_tools(match["v"]))[:_MAX_TOOLS]:
        value = f"{tool} {version}".strip()
        yield ExtractedFact(
            category="preference", key=slot("tool", tool), value=value, says=f"uses {value}", importance=0.6, dated=True
        )


def _dropped(match: re.Match[str]) -> Iterable[ExtractedFact]:
    for tool, _ in list(_tools(_ON.split(match["v"], maxsplit=1)[0]))[:_MAX_TOOLS]:
        says = f"no longer uses {tool}"
        yield ExtractedFact(
            category="preference", key=slot("tool", tool), value="", says=says, importance=0.6, ends=True, dated=True
        )


def _indents(match: re.Match[str]) -> Iterable[ExtractedFact]:
    raw = match["v"].lower()
    number = re.search(r"\d|two|four|eight|three", raw)
    digit = {"two": "2", "four": "4", "eight": "8", "three": "3"}.get(number.group(), number.group()) if number else ""
    value = "tabs" if "tab" in raw else f"{digit} spaces" if digit else "spaces"
    further = _FURTHER.match(match.string, match.end("v"))
    if further:
        value += f"{',' if further['width'] else ''} {squeeze(further['width'] or further['where'])}"
    says = f"indents code with {value}"
    yield ExtractedFact(category="preference", key="indentation", value=value, says=says, importance=0.65, dated=True)


# Width of a tab, or the language an indentation is for: '2 spaces for yaml and 4 for python'.
_FURTHER = LazyPattern(
    r"(?:\s{1,3}+here)?,?\s{1,3}+(?:(?P<width>\d\s{1,3}+(?:wide|columns|spaces\s++wide)|width\s++\d)|(?P<where>(?:for|"
    r"in)\s++(?!(?:indent\w{0,6}|code|everything|all|my|our|the)\b)"
    r"[\w+#.]{1,20}+(?:\s++and\s++(?:\w{1,6}\s++)?(?:for|in)\s++[\w+#]{1,20}+)?))",
    re.IGNORECASE,
)
_WE = r"(?:<I>|we(?: (?:all|both|only|also|now|mostly|still|just|mainly|always))*+)"
_ARE = r"(?:<AM>|we(?:'re| are)(?: (?:all|both|only|also|now|mostly|still|just|mainly|currently))*+)"
_STEP = r"(?:(?:2|3|4|8|two|three|four|eight)(?:[\s-])spaces?(?:[\s-](?:indent(?:ation|s)?|tabs))?|tabs|spaces)"

RULES: tuple[FactPattern, ...] = (
    fact_pattern(
        rf"{_WE} (?:use|run|code in|program in|develop in|write|work (?:in|with)|build (?:in|with|on)|deploy (?:on|to|"
        rf"with)|host (?:on|at|with)|switched to|migrated to|went with) (?P<v>.{{1,160}})",
        _uses,
    ),
    fact_pattern(
        rf"{_ARE} (?:on|using|running|hosted (?:on|at|with)|coding in|deploying (?:on|to)|building (?:in|with|on)|"
        rf"back on|back to) (?P<v>.{{1,160}})",
        _uses,
    ),
    fact_pattern(r"<HAVE> (?:switched|moved|migrated|gone)(?: over| back)? to (?P<v>.{1,160})", _uses),
    fact_pattern(rf"{_WE} (?:switched|moved|migrated|went) from .{{1,60}}? to (?P<v>.{{1,100}})", _uses),
    fact_pattern(
        r"(?:my|our) (?:backend|back end|frontend|front end|server|servers|site|website|app|stack|code|codebase|api|"
        r"database|db|editor|ide|shell|os|laptop|machine|desktop|infra|distro|setup|team)"
        r"(?:'s| is| are| runs?| uses?|:)(?: all| mostly| now| still)?(?: (?:in|on|written in|hosted (?:on|at|with)|"
        r"built (?:in|with|on)|using|running))? (?P<v>.{1,160})",
        _uses,
    ),
    fact_pattern(rf"we're an? (?P<v>(?:{_TOOL})) (?:shop|house|team|company)\b", _uses),
    fact_pattern(rf"(?P<v>(?:{_TOOL})(?: ?{_VERSION})?) (?:here|user here|dev here|shop here)\b", _uses),
    fact_pattern(
        r"(?:(?:we|i) (?:dropped|ditched|left|abandoned|replaced) [^,]{1,40}+, )?(?:now )?everything(?:'s| is) "
        r"(?:now )?(?:in |on )?(?P<v>.{1,60})",
        _uses,
    ),
    fact_pattern(
        rf"{_WE}(?:'ve| have)? (?:dropped|ditched|abandoned|stopped using|no longer use|got rid of|moved (?:off|"
        rf"away from)|migrated (?:off|away from)|left) (?P<v>.{{1,80}})",
        _dropped,
    ),
    fact_pattern(rf"{_WE} (?:switched|moved|migrated|went)(?: over)? from (?P<v>.{{1,60}}?) to .+", _dropped),
    fact_pattern(rf"{_WE} (?:don't|do not) use (?P<v>.{{1,80}}?)<NOMORE>", _dropped),
    fact_pattern(
        rf"{_WE}(?: always)? (?:indent(?: code)? (?:with|by|using)|use|prefer|like) (?P<v>{_STEP})(?=\s*+(?:$|[,.;!]|"
        rf"(?:for|in|and|not|everywhere|please|pls|now|over|to\s++indent)\b))",
        _indents,
    ),
    fact_pattern(
        rf"(?:(?:please|pls|and|always|use),? ){{0,3}}+(?P<v>{_STEP})(?=\s*+(?:$|[,.;!]\s*+(?:no|not|the|"
        rf"please|pls|never|"
        rf"our)\b|,?\s*+(?:not|no|please|pls|for indent(?:ation|ing)?|everywhere|for code|here)\b))",
        _indents,
    ),
)
