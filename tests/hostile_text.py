"""Texts on which a careless pattern takes the square of their length: long runs, plain or of a pattern's words."""

import re
from collections.abc import Callable, Iterator, Sequence
from importlib import import_module
from typing import Any

# Parts of the standard library that have no types.
codes, _parser = import_module("re._constants"), import_module("re._parser")

# Units of long runs that any pattern is fed with.
UNITS: tuple[str, ...] = (
    *(
        " ",
        "\t",
        "\n",
        "\r\n",
        "\u00a0",
        " \n",
        " \t",
        "a",
        "A",
        "é",
        "1",
        "_",
        "-",
        ".",
        ",",
        "'",
        '"',
        "(",
        ")",
        "[",
        "]",
    ),
    *(
        "{",
        "}",
        "<",
        ">",
        "/",
        "\\",
        ":",
        ";",
        "!",
        "?",
        "*",
        "#",
        "|",
        "=",
        "@",
        "`",
        "~",
        "$",
        "&",
        "+",
        "…",
        "吗",
        "?!",
    ),
    *(
        "a ",
        "A ",
        "1 ",
        "- ",
        ", ",
        ". ",
        '"a',
        "'a ",
        "(a",
        "[a",
        "<a",
        "a-",
        "a.",
        "a,",
        "a'",
        "a_",
        "a1",
        "1.",
        "1,",
        "1:",
    ),
    *(
        "1-",
        "1/",
        "a\n",
        "\n- ",
        "\n\n",
        "a: ",
        "a, ",
        ", i ",
        "i ",
        "I'm ",
        "my ",
        "and ",
        "so ",
        " - ",
        "aa://",
        "[](",
        '\\"',
    ),
)
# What replaces a repeat's character, in turn, where the pattern allows it.
_FILLINGS = " \na1.-,'\"A/:"
# A repeat that may match so often counts as endless.
_MANY = 60


def long_run(unit: str, length: int, *, head: str = "", tail: str = "") -> str:
    """Return a text of so many characters: a head, the unit repeated, and a tail."""
    room = max(0, length - len(head) - len(tail))
    return head + (unit * (room // len(unit) + 1))[:room] + tail


def heads_and_units(pattern: str | bytes, flags: int) -> list[tuple[str, str]]:
    """Work out of a pattern where it repeats: what leads to each repeat, and what it repeats.

    For each endless repeat there is the shortest text that leads to it, with several fillings; and what leads to it is
    itself a unit without a head, for patterns that begin again at every word.
    """
    text = pattern.decode("latin-1") if isinstance(pattern, bytes) else pattern
    tree = _parser.parse(text, flags & ~re.UNICODE & ~re.DEBUG if isinstance(pattern, str) else flags)
    found: dict[tuple[str, str], None] = {}
    for head, unit in _repeats(list(tree), ""):
        found.setdefault((head, unit))
        if head.strip():
            found.setdefault(("", f"{head}{unit}"))
            found.setdefault(("", f"{head} "))
            for separator in "-.,\n":
                found.setdefault(("", f"{head}{unit}{separator}"))
    for sample in _samples(list(tree)):
        if sample:
            found.setdefault(("", sample))
            found.setdefault(("", f"{sample} "))
    return list(found)


def _repeats(nodes: Sequence[Any], head: str) -> Iterator[tuple[str, str]]:
    """Yield (head, unit) of the endless repeats of a sequence of nodes, in order."""
    for place, (code, value) in enumerate(nodes):
        if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
            least, most, body = value
            if most >= _MANY:
                for unit in _fillings(body):
                    yield head, unit
            yield from _repeats(list(body), head)
            head += next(iter(_samples(list(body))), "") * least
        else:
            for body in _bodies(code, value):
                yield from _repeats(body, head)
            head += next(iter(_samples([nodes[place]])), "")


def _bodies(code: Any, value: Any) -> list[list[Any]]:
    if code is codes.SUBPATTERN:
        return [list(value[3])]
    if code is codes.BRANCH:
        return [list(branch) for branch in value[1]]
    if code is codes.ATOMIC_GROUP:
        return [list(value)]
    if code in (codes.ASSERT, codes.ASSERT_NOT):
        return [list(value[1])]
    return []


def _fillings(body: Any) -> list[str]:
    """Return samples of a repeat's body: of one character several, of more its shortest ones."""
    nodes = list(body)
    if len(nodes) == 1 and nodes[0][0] in (codes.IN, codes.ANY, codes.NOT_LITERAL, codes.CATEGORY):
        fitting = [filling for filling in _FILLINGS if _fits(nodes[0], filling)]
        return fitting[:4] or [_one_of(nodes[0])]
    return [sample for sample in _samples(nodes) if sample][:4]


def _samples(nodes: Sequence[Any]) -> list[str]:
    """Return short texts that a sequence of nodes matches: the first, and one for each branch."""
    samples = [""]
    for code, value in nodes:
        tails = _tails(code, value)
        samples = [f"{sample}{tails[0]}" for sample in samples] + [f"{samples[0]}{tail}" for tail in tails[1:4]]
        samples = samples[:6]
    return samples


def _tails(code: Any, value: Any) -> list[str]:
    if code is codes.LITERAL:
        return [chr(value)]
    if code in (codes.IN, codes.ANY, codes.NOT_LITERAL, codes.CATEGORY):
        return [_one_of((code, value))]
    if code in (codes.MAX_REPEAT, codes.MIN_REPEAT, codes.POSSESSIVE_REPEAT):
        least, _, body = value
        return [sample * least for sample in _samples(list(body))] if least else [""]
    if code is codes.BRANCH:
        return [sample for branch in value[1] for sample in _samples(list(branch))[:1]]
    if code in (codes.SUBPATTERN, codes.ATOMIC_GROUP):
        return _samples(_bodies(code, value)[0])
    return [""]


def _fits(node: Any, character: str) -> bool:
    code, value = node
    if code is codes.ANY:
        return character != "\n"
    if code is codes.NOT_LITERAL:
        return bool(ord(character) != value)
    compiled = _class(node)
    return compiled(character)


def _one_of(node: Any) -> str:
    """Return a character that a class matches."""
    code, value = node
    if code is codes.NOT_LITERAL:
        return "a" if value != ord("a") else "b"
    return next(
        (each for each in f"a1 {_FILLINGS}{''.join(map(chr, range(33, 127)))}" if _fits(node, each)), _first(value)
    )


def _first(value: Any) -> str:
    for code, part in value if isinstance(value, list) else ():
        if code is codes.LITERAL:
            return chr(part)
        if code is codes.RANGE:
            return chr(part[0])
    return "a"


def _class(node: Any) -> Callable[[str], bool]:
    """Return a predicate for a parsed class of characters."""
    code, value = node
    parts = value if code is codes.IN else [(code, value)]
    negated = bool(parts) and parts[0][0] is codes.NEGATE

    def holds(character: str) -> bool:
        return any(_part_holds(part, character) for part in parts if part[0] is not codes.NEGATE) != negated

    return holds


def _part_holds(part: Any, character: str) -> bool:
    code, value = part
    if code is codes.LITERAL:
        return bool(ord(character) == value)
    if code is codes.RANGE:
        return bool(value[0] <= ord(character) <= value[1])
    tests = {
        codes.CATEGORY_SPACE: character.isspace(),
        codes.CATEGORY_NOT_SPACE: not character.isspace(),
        codes.CATEGORY_DIGIT: character.isdecimal(),
        codes.CATEGORY_NOT_DIGIT: not character.isdecimal(),
        codes.CATEGORY_WORD: character.isalnum() or character == "_",
        codes.CATEGORY_NOT_WORD: not (character.isalnum() or character == "_"),
    }
    return tests.get(value, False)
