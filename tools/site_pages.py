"""Pages of the site that are not in docs/: README.md as the first, and the files of the repository that pages link to.

A hook of MkDocs, named in mkdocs.yml; `make site` runs it. A link leads to the same file in the repository and in the
site: a Markdown file is a page, any other file is shown as code, a folder as the list of its files. Reads the
repository's files.
"""

import re
from pathlib import Path
from posixpath import dirname, normpath, relpath

from mkdocs.config.defaults import MkDocsConfig
from mkdocs.structure.files import File, Files, InclusionLevel
from mkdocs.structure.pages import Page
from pymdownx.slugs import slugify

ROOT = Path(__file__).parents[1]
DOCS = "docs/"
FRONT = ("README.md", "SECURITY.md")
LANGUAGES = {".py": "python", ".sql": "sql", ".toml": "toml", ".yaml": "yaml"}
# The site's search finds pages, not code.
HIDDEN = "---\nsearch: {exclude: true}\n---\n"
_LINK = re.compile(r"(?<=\]\()(?!\w+:)([^()\s#]+)(?=[)#])")


def page_of(path: str) -> str:
    """Return the page of the site, by its Markdown file, for a path of the repository."""
    if path == "README.md":
        return "index.md"
    return path.removeprefix(DOCS) if path.startswith(DOCS) else path if path.endswith(".md") else f"source/{path}.md"


def linked(path: str, markdown: str) -> set[str]:
    """Return what the Markdown file at `path` links to in the repository, outside of docs/."""
    targets = {normpath(f"{dirname(path)}/{link}".lstrip("/")) for link in _LINK.findall(markdown)}
    return {target for target in targets if not target.startswith(DOCS) and (ROOT / target).exists()}


def with_links_of_site(path: str, markdown: str) -> str:
    """Return the text of the Markdown file at `path` with the links that it has in the site."""

    def moved(link: re.Match[str]) -> str:
        target = normpath(f"{dirname(path)}/{link[1]}".lstrip("/"))
        if not (ROOT / target).exists() or (target.startswith(DOCS) and not target.endswith(".md")):
            return link[1] if path.startswith(DOCS) else target.removeprefix(DOCS)
        return relpath(page_of(target), dirname(page_of(path)) or ".")

    return _LINK.sub(moved, markdown)


def text_of(path: str) -> str:
    """Return a page's text: the Markdown file itself, or a file or folder of code as Markdown."""
    place = ROOT / path
    if place.is_dir():
        names = sorted(f"- `{child.name}{'/' if child.is_dir() else ''}`" for child in place.iterdir())
        return f"{HIDDEN}# {path}/\n\n" + "\n".join(name for name in names if "__pycache__" not in name)
    text = place.read_text("utf-8")
    if path.endswith(".md"):
        return text
    return f"{HIDDEN}# {path}\n\n````{LANGUAGES.get(place.suffix, 'text')}\n{text}\n````\n"


_PATHS: dict[str, str] = {}
"""Path in the repository of each page that is not in docs/."""


def on_config(config: MkDocsConfig) -> None:
    """Give headings the anchors that they have in a repository's pages."""
    config.mdx_configs["toc"]["slugify"] = slugify(case="lower")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are not in docs/."""
    waiting = set(FRONT)
    for page in files.documentation_pages():
        waiting |= linked(DOCS + page.src_uri, page.content_string)
    _PATHS.clear()
    while waiting:
        path = waiting.pop()
        _PATHS[page_of(path)] = path
        text = text_of(path)
        files.append(File.generated(config, page_of(path), content=text, inclusion=InclusionLevel.NOT_IN_NAV))
        if path.endswith(".md"):
            waiting |= {target for target in linked(path, text) if page_of(target) not in _PATHS}
    return files


def on_page_markdown(markdown: str, page: Page, config: MkDocsConfig, files: Files) -> str:
    """Let the page's links lead to the site's pages."""
    del config, files
    return with_links_of_site(_PATHS.get(page.file.src_uri, DOCS + page.file.src_uri), markdown)
