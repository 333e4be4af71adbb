"""A lazy pattern is compiled at its first use, and then answers as the compiled pattern does."""

import re
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from types import BuiltinMethodType

import pytest

from package_patterns import module_names
from toldonce import lazy_pattern
from toldonce.lazy_pattern import LazyPattern, compile_chat_patterns, compile_patterns

TEXT = "Ana moved to Oslo, Ben to Rome."
# Small patterns that modules match with while they are imported, to build their tables of words.
MAX_COMPILED = 8
# Imports modules, and prints those of the package that had a pattern compiled.
COUNT_COMPILED = """
import re._compiler, sys
from importlib import import_module
compiled = []
compile_source = re._compiler.compile
def count(source, flags=0):
    frame = sys._getframe(1)
    while frame.f_code.co_filename.endswith("re/__init__.py"):
        frame = frame.f_back
    compiled.append(frame.f_globals["__name__"])
    return compile_source(source, flags)
re._compiler.compile = count
for name in sys.argv[1:]:
    import_module(name)
print(*sorted(name for name in compiled if name.startswith("toldonce")), sep="\\n")
"""


def test_every_method_answers_as_the_compiled_pattern_does() -> None:
    compiled = re.compile(r"\b(?P<name>[A-Z])\w+")
    for method in ("findall", "split"):
        assert getattr(LazyPattern(compiled.pattern), method)(TEXT) == getattr(compiled, method)(TEXT)
    for method in ("match", "search", "fullmatch"):
        own, theirs = getattr(LazyPattern(compiled.pattern), method)(TEXT, 4), getattr(compiled, method)(TEXT, 4)
        assert (own and own.span()) == (theirs and theirs.span())
    assert [found["name"] for found in LazyPattern(compiled.pattern).finditer(TEXT)] == ["A", "O", "B", "R"]
    assert LazyPattern(compiled.pattern).sub("_", TEXT) == compiled.sub("_", TEXT)


def test_flags_and_bytes_are_kept() -> None:
    assert LazyPattern("oslo", re.IGNORECASE).search(TEXT)
    assert LazyPattern(rb"Os.o").search(TEXT.encode())


def test_nothing_is_compiled_before_the_first_use() -> None:
    broken = LazyPattern("(")
    try:
        with pytest.raises(re.error):
            broken.search(TEXT)
    finally:
        lazy_pattern._declared.remove(broken)


def test_later_calls_are_those_of_the_compiled_pattern() -> None:
    pattern = LazyPattern("Oslo")
    compiled = pattern.compile()

    assert pattern.search == compiled.search
    assert pattern.sub == compiled.sub


def test_a_method_that_patterns_lack_is_an_attribute_error() -> None:
    with pytest.raises(AttributeError, match="scan"):
        LazyPattern("Oslo").scan  # type: ignore[attr-defined]  # noqa: B018


def test_threads_may_use_a_pattern_first_at_the_same_time() -> None:
    patterns = [LazyPattern(rf"(?:Oslo|{number})+") for number in range(50)]
    with ThreadPoolExecutor(8) as threads:
        found = list(threads.map(lambda pattern: pattern.search(TEXT), patterns * 8))

    assert all(found)


def test_all_declared_patterns_can_be_compiled_ahead() -> None:
    pattern = LazyPattern("Rome")
    compile_patterns()

    assert lazy_pattern._declared == lazy_pattern._declared_for_formations == []
    assert isinstance(object.__getattribute__(pattern, "search"), BuiltinMethodType)


def test_patterns_that_only_formations_use_are_left_for_later(monkeypatch: pytest.MonkeyPatch) -> None:
    of_chats = LazyPattern("Rome")
    monkeypatch.setitem(globals(), "__name__", "toldonce.extraction.rules.work")
    of_formations = LazyPattern("Oslo")

    compile_chat_patterns()
    assert (of_chats.is_compiled, of_formations.is_compiled) == (True, False)

    compile_patterns()
    assert of_formations.is_compiled


def test_a_pattern_that_was_used_is_not_compiled_again(monkeypatch: pytest.MonkeyPatch) -> None:
    used, unused = LazyPattern("Oslo"), LazyPattern("Rome")
    used.search(TEXT)
    compiled: list[object] = []
    compile_pattern = LazyPattern.compile

    def count(pattern: LazyPattern[str]) -> re.Pattern[str]:
        compiled.append(pattern)
        return compile_pattern(pattern)

    monkeypatch.setattr(LazyPattern, "compile", count)
    compile_patterns()

    assert unused in compiled
    assert used not in compiled


def test_importing_the_package_compiles_hardly_any_pattern() -> None:
    ran = subprocess.run(
        [sys.executable, "-c", COUNT_COMPILED, *module_names()], capture_output=True, text=True, check=True
    )

    assert len(ran.stdout.split()) <= MAX_COMPILED, ran.stdout


def test_compiling_ahead_stops_before_the_next_pattern_where_it_is_told_to() -> None:
    patterns = [LazyPattern(f"told to stop {number}") for number in range(3)]
    answers = iter([False, True])
    assert not compile_patterns(lambda: next(answers))
    assert sum(pattern.is_compiled for pattern in patterns) == 1
    assert compile_patterns()
    assert all(pattern.is_compiled for pattern in patterns)
