"""Programs and devices by what they are for: of each kind one is used. Data, our own. Pure."""

import re

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
# Words of every day: they name a program with a capital, or behind a word of use.
_EVERYDAY = frozenset(
    """go rust swift solid spring express phoenix remix mint arch cursor sketch linear teams bear wave sage render
    railway signal edge safari opera brave drone gin r bun helix notion oracle windows julia crystal galaxy pixel
    zoom affinity eclipse ember reaper java basecamp things_3 dart scala linux""".split()
)
_NAMES = {name.replace("_", " "): kind for kind, names in _KINDS.items() for name in names.split()}
_EVERYDAY_NAMES = frozenset(name.replace("_", " ") for name in _EVERYDAY)
_NAME = re.compile(
    rf"(?<![\w.#+])(?:{'|'.join(re.escape(name) for name in sorted(_NAMES, key=len, reverse=True))})(?![\w#+])",
    re.IGNORECASE,
)
_OF_USE = re.compile(
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
