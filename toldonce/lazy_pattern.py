"""Regular expressions that are compiled at their first use: most processes need few of the package's many hundred."""

import re
import sys
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, Any, AnyStr, Generic

_METHODS = ("findall", "finditer", "fullmatch", "match", "search", "split", "sub", "subn")

# Packages whose patterns only formations use: two thirds of the time that compiling all of them takes.
_OF_FORMATIONS = ("toldonce.extraction.rules", "toldonce.resolution")
# Patterns declared since the last `compile_patterns`, those of formations apart; those used meanwhile are among them.
_declared: "list[LazyPattern[str] | LazyPattern[bytes]]" = []
_declared_for_formations: "list[LazyPattern[str] | LazyPattern[bytes]]" = []


class LazyPattern(Generic[AnyStr]):
    """A regular expression declared by a module, with the methods of `re.Pattern`.

    The first use of a method compiles it and puts the compiled pattern's own methods into the slots, so that later
    calls cost no more than those of `re.Pattern`. Threads that use it first at the same time may compile it twice, to
    equal patterns.

    >>> word = LazyPattern(r"[a-z]+", re.IGNORECASE)
    >>> word.findall("One two")
    ['One', 'two']
    """

    __slots__ = ("_flags", "pattern", *_METHODS)

    def __init__(self, pattern: AnyStr, flags: int = 0) -> None:
        self.pattern: AnyStr = pattern
        """The source of the expression."""
        self._flags = flags
        module: str = sys._getframe(1).f_globals.get("__name__", "")
        (_declared_for_formations if module.startswith(_OF_FORMATIONS) else _declared).append(self)

    def __repr__(self) -> str:
        return f"LazyPattern({self.pattern!r})"

    @property
    def is_compiled(self) -> bool:
        """Whether the pattern was compiled, by its first use or ahead of it."""
        try:
            object.__getattribute__(self, _METHODS[-1])  # `compile` fills this slot last
        except AttributeError:
            return False
        return True

    def compile(self) -> re.Pattern[AnyStr]:
        """Compile the pattern, and let the methods call the result."""
        compiled = re.compile(self.pattern, self._flags)
        for method in _METHODS:
            setattr(self, method, getattr(compiled, method))
        return compiled

    if TYPE_CHECKING:

        def findall(self, string: AnyStr, pos: int = 0, endpos: int = sys.maxsize) -> list[Any]:
            """Return all matches."""

        def finditer(self, string: AnyStr, pos: int = 0, endpos: int = sys.maxsize) -> Iterator[re.Match[AnyStr]]:
            """Yield all matches."""

        def fullmatch(self, string: AnyStr, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[AnyStr] | None:
            """Match the whole text."""

        def match(self, string: AnyStr, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[AnyStr] | None:
            """Match at the beginning."""

        def search(self, string: AnyStr, pos: int = 0, endpos: int = sys.maxsize) -> re.Match[AnyStr] | None:
            """Return the first match."""

        def split(self, string: AnyStr, maxsplit: int = 0) -> list[AnyStr | Any]:
            """Split the text at its matches."""

        def sub(self, repl: AnyStr | Callable[[re.Match[AnyStr]], AnyStr], string: AnyStr, count: int = 0) -> AnyStr:
            """Replace matches."""

    else:

        def __getattr__(self, name: str) -> object:
            if name not in _METHODS:
                raise AttributeError(f"LazyPattern has no attribute {name!r}")
            return getattr(self.compile(), name)


def compile_patterns(stop: Callable[[], bool] = lambda: False) -> bool:
    """Compile all declared patterns that no use has compiled yet, so that their first use need not wait.

    It takes most of a second of CPU time for the rules of extraction; call it in a thread or before a deadline begins.
    `stop` is asked before each pattern. Returns whether all are compiled.
    """
    return _compile(_declared, stop) and _compile(_declared_for_formations, stop)


def compile_chat_patterns() -> None:
    """Do as `compile_patterns`, without the patterns that only formations use: a quarter of a second of CPU time."""
    _compile(_declared, lambda: False)


def _compile(declared: "list[LazyPattern[str] | LazyPattern[bytes]]", stop: Callable[[], bool]) -> bool:
    while declared:
        if stop():
            return False
        try:
            pattern = declared.pop()
        except IndexError:  # another thread took the last one
            break
        if not pattern.is_compiled:
            pattern.compile()
    return True
