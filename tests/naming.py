"""Rules for names and prose: each yields `path:line: what is wrong` for one file. Used by test_names.py."""

import ast
import gc
import re
import sys
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping, Sequence
from functools import cache
from pathlib import Path
from typing import Any

ROOT = Path(__file__).parent.parent

MAX_TEST_NAME_CHARACTERS = 70
"""Of the sentence after `test_`."""

# Modules that end in -ing and keep their name, with the reason.
ACCEPTED_GERUNDS = {
    "keyring": "a noun: it holds keys",
    "testing": "the customary name of a package's helpers for its users' tests",
}
_GERUND = re.compile(r"(?:.*_)?[a-z]+ing")

_OLD_CONSTANT = re.compile(
    r"_?(?:MOST|LONGEST|LARGEST|LEAST|SHORTEST|FEW|FEWEST|ENOUGH|FARTHEST|SMALLEST|GREATEST|HIGHEST|LOWEST|NEAREST"
    r"|TOGETHER|PORTION|SIDE_BY_SIDE)(?:_.*)?|.*_A_(?:ROUND|PAGE|TIME)"
)

_CAPITALS = re.compile(r"\b_?[A-Z][A-Z_]+\b")
_CLASS = re.compile(r"(?m)^class (\w+)")
_FOR_ONE = re.compile(r"\bfor\b[^:\n]*\bone\b[^:\n]*\bin\b")
_COMMENT = re.compile(r"(?:^\s*|  )# .*")
_TEST_NAME = re.compile(r"\s*(?:async )?def test_(\w+)")

_BANNED = re.compile(
    r"\b(?:anew|behind|stands?|lies?|(?:no|some)body(?:'s)?|whoever|of ours|what nobody|who asks"
    r"|(?:MOST|LONGEST|LARGEST|LEAST|SHORTEST)_\w*)\b",
    re.IGNORECASE,
)
# Uses in which a banned word is the right one.
_ALLOWED = re.compile(
    r"write-behind|(?:lags?|left|fall\w*) behind|behind (?:nginx|caddy|traefik|pgbouncer)"
    r"|behind (?:a|an|the|its|your|one) (?:\w+ )?(?:proxy|load balancer|pooler)"
    r"|stand-in|stand[- ]alone|stands? out\b|tells? lies",
    re.IGNORECASE,
)
# Modules with patterns and sentences of the languages that users write: of their strings only errors are read.
LANGUAGE_DATA = (
    *("toldonce/extraction/", "toldonce/text/", "toldonce/dates/", "toldonce/resolution/tokens.py"),
    *("toldonce/maintenance/compaction.py", "benchmarks/made_up.py", "benchmarks/sentence_pairs.py"),
)
_QUOTED = re.compile(r"`[^`]*`|\"[^\"]{0,300}\"|“[^”]*”|«[^»]*»|(?<!\w)'[^'\n]{1,200}'(?!\w)")
_FENCED = re.compile(r"(?ms)^```.*?^```")
_DOCTEST = re.compile(r"(?m)^[ ]*>>>.*(?:\n[ ]*\S.*)*")


@cache
def parse(path: Path) -> ast.Module:
    """Parse a file once for all rules."""
    gc.disable()  # a collection walks all the trees that were parsed before: three quarters of the time
    try:
        return ast.parse(path.read_text("utf-8"))
    finally:
        gc.enable()


@cache
def _by_kind(path: Path) -> Mapping[type[ast.AST], Sequence[ast.AST]]:
    """Walk a file once for all rules: it takes as long as parsing it."""
    found: dict[type[ast.AST], list[ast.AST]] = defaultdict(list)
    for node in ast.walk(parse(path)):
        found[type(node)].append(node)
    return found


def nodes(path: Path, *kinds: type[ast.AST]) -> Iterator[Any]:
    """Yield the nodes of these kinds in a file, kind by kind."""
    for kind in kinds:
        yield from _by_kind(path).get(kind, ())


def gerund_modules(path: Path) -> Iterator[str]:
    stem = path.stem.removeprefix("test_")
    if _is_own(path, "toldonce", "benchmarks") and _GERUND.fullmatch(stem) and stem not in ACCEPTED_GERUNDS:
        yield f"{_shown(path)}: the module's name is a gerund; name what it holds"


def standard_modules(path: Path) -> Iterator[str]:
    if _is_own(path, "toldonce") and path.parent.name != "types" and path.stem in sys.stdlib_module_names:
        yield f"{_shown(path)}: the standard library has a module of this name"


def old_constants(path: Path) -> Iterator[str]:
    if not any(_OLD_CONSTANT.fullmatch(word) for word in set(_CAPITALS.findall(path.read_text("utf-8")))):
        return  # to parse each file would take ten times as long
    for node in nodes(path, ast.Name):
        if isinstance(node.ctx, ast.Store) and _OLD_CONSTANT.fullmatch(node.id):
            yield f"{_shown(path)}:{node.lineno}: {node.id}; limits are MAX_… or MIN_…, with what they bound"


def one_as_variable(path: Path) -> Iterator[str]:
    if not _FOR_ONE.search(path.read_text("utf-8")):
        return
    for node in nodes(path, ast.For, ast.AsyncFor, ast.comprehension):
        for name in ast.walk(node.target):
            if isinstance(name, ast.Name) and name.id == "one":
                yield f"{_shown(path)}:{name.lineno}: loop variable `one`; name the thing"


def long_test_names(path: Path) -> Iterator[str]:
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        if (named := _TEST_NAME.match(line)) and len(named[1]) > MAX_TEST_NAME_CHARACTERS:
            yield f"{_shown(path)}:{number}: {len(named[1])} characters after test_: {named[1]}"


def banned_words(path: Path) -> Iterator[str]:
    if not _BANNED.search(path.read_text("utf-8")):
        return  # to parse each file would take several times as long
    for line, prose in READERS[path.suffix](path):
        for word in banned_in(prose):
            here = line + prose.count("\n", 0, word.start())
            around = " ".join(prose[max(0, word.start() - 40) : word.end() + 40].split())
            yield f"{_shown(path)}:{here}: “{word[0]}” in … {around} …"


def banned_in(prose: str) -> Iterator[re.Match[str]]:
    """Find the banned words of a text that are neither quoted nor used as they may be."""
    return _BANNED.finditer(_ALLOWED.sub(_blank, _QUOTED.sub(_blank, prose)))


def repeated_classes(paths: list[Path]) -> Iterator[str]:
    """Yield each public class of the package that has the name of another one."""
    written = {path: _CLASS.findall(path.read_text("utf-8")) for path in paths if _is_own(path, "toldonce")}
    counts = Counter(name for names in written.values() for name in names)
    places = defaultdict(list)
    for path in [path for path, names in written.items() if any(counts[name] > 1 for name in names)]:
        for node in parse(path).body:
            if isinstance(node, ast.ClassDef) and not node.name.startswith("_"):
                places[node.name].append(f"{_shown(path)}:{node.lineno}")
    for name, where in places.items():
        if len(where) > 1:
            yield from (f"{place}: class {name} is also in {', '.join(set(where) - {place})}" for place in where)


FILE_RULES: dict[str, Callable[[Path], Iterator[str]]] = {
    "gerund": gerund_modules,
    "standard": standard_modules,
    "constant": old_constants,
    "one": one_as_variable,
    "length": long_test_names,
    "prose": banned_words,
}


def offenders(rule: str, folder: str = "") -> list[str]:
    """Return what breaks a rule in the files at `folder` (a file or folder of the repository; all if empty)."""
    if rule == "class":
        return [line for line in repeated_classes(_files(".py")) if line.startswith(folder)]
    paths = _files(".py", ".md", ".sql") if rule == "prose" else _files(".py")
    inside = [path for path in paths if _shown(path).startswith(folder)]
    return [line for path in inside for line in FILE_RULES[rule](path)]


def prose_of_code(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments, docstrings and messages of a file with their first line."""
    source = path.read_text("utf-8")
    for number, line in enumerate(source.splitlines(), start=1):
        if comment := _COMMENT.search(line):  # tokens would take half the time of all rules
            yield number, comment[0]
    for node in nodes(path, ast.Module, ast.ClassDef, ast.FunctionDef, ast.AsyncFunctionDef):
        # A string statement documents the module, class or function, or the field above it.
        for statement in node.body:
            if isinstance(statement, ast.Expr) and isinstance(statement.value, ast.Constant):
                text = statement.value.value
                if isinstance(text, str):
                    yield statement.lineno, _DOCTEST.sub(_blank, text)
    if _is_own(path, "toldonce", "benchmarks"):
        yield from messages(path)


def messages(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the strings that people read: errors, help texts, log events. Words alone are data, as in word lists."""
    constants = list(nodes(path, ast.Constant))
    if _shown(path).startswith(LANGUAGE_DATA):
        raised = [part for node in nodes(path, ast.Raise) for part in ast.walk(node)]
        constants = [part for part in raised if isinstance(part, ast.Constant)]
    documentation = {id(node.value) for node in nodes(path, ast.Expr)}
    for node in constants:
        text = node.value
        if isinstance(text, str) and id(node) not in documentation and " " in text.strip():
            yield node.lineno, text


def prose_of_sql(path: Path) -> Iterator[tuple[int, str]]:
    """Yield the comments of a file of statements, whose names are no prose."""
    for number, line in enumerate(path.read_text("utf-8").splitlines(), start=1):
        _, dashes, comment = line.partition("--")
        if dashes and not comment.startswith(" name:"):
            yield number, comment


def prose_of_page(path: Path) -> Iterator[tuple[int, str]]:
    yield 1, _FENCED.sub(_blank, path.read_text("utf-8"))


READERS = {".py": prose_of_code, ".md": prose_of_page, ".sql": prose_of_sql}


def _files(*suffixes: str) -> list[Path]:
    folders = ("toldonce", "benchmarks", "tests") if suffixes == (".py",) else ("toldonce", "benchmarks", "docs")
    inside = {path for folder in folders for suffix in suffixes for path in (ROOT / folder).rglob(f"*{suffix}")}
    return sorted(inside | ({ROOT / "README.md"} if ".md" in suffixes else set()))


def _is_own(path: Path, *folders: str) -> bool:
    return path.relative_to(ROOT).parts[0] in folders


def _shown(path: Path) -> str:
    return path.relative_to(ROOT).as_posix() if path.is_relative_to(ROOT) else path.name


def _blank(match: re.Match[str]) -> str:
    """Replace a match by spaces, so that places in the text stay as they are."""
    return re.sub(r"[^\n]", " ", match[0])
