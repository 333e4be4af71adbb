"""Tables of small cases that one test checks: pytest would need longer to make and schedule a test of each."""

from collections.abc import Callable, Iterable, Sequence
from typing import Any

import pytest
from _pytest.mark import ParameterSet

_MAX_SHOWN = 300
"""Characters of a case, and of what is wrong with it, that a failure shows."""


_Test = Callable[[], None]


def check_each(names: str | tuple[str, ...], cases: Iterable[Any]) -> Callable[[Callable[..., None]], _Test]:
    """Make one test of a function and all its cases, written like `pytest.mark.parametrize`; it tells all that fail.

    >>> @check_each(("number", "square"), [(2, 4), (3, 8), (4, 17)])
    ... def test_squares(number: int, square: int) -> None:
    ...     assert number**2 == square, number**2
    >>> test_squares()
    Traceback (most recent call last):
    AssertionError: 2 of 3 cases fail:
    3, 8: 9
    4, 17: 16
    """
    has_one_name = "," not in names if isinstance(names, str) else len(names) == 1
    table = [_values(case, has_one_name) for case in cases]
    assert table, "a table without cases tests nothing"

    def decorate(check: Callable[..., None]) -> _Test:
        def test() -> None:
            wrong = []
            for case in table:
                try:
                    check(*case)
                except (AssertionError, pytest.fail.Exception) as error:
                    wrong.append(f"{_shown(case)}: {str(error)[:_MAX_SHOWN]}")
                except Exception as error:
                    error.add_note(f"in the case {_shown(case)}")
                    raise
            if wrong:
                raise AssertionError("\n".join([f"{len(wrong)} of {len(table)} cases fail:", *wrong]))

        test.__name__, test.__qualname__, test.__module__ = check.__name__, check.__qualname__, check.__module__
        test.__doc__ = check.__doc__
        return test

    return decorate


def _values(case: Any, has_one_name: bool) -> Sequence[Any]:
    """Return the arguments of a case; of `pytest.param` too, if it has no marks."""
    if isinstance(case, ParameterSet):
        assert not case.marks, f"{case} has marks: use pytest.mark.parametrize"
        return case.values
    return [case] if has_one_name else case


def _shown(values: Sequence[Any]) -> str:
    return ", ".join(map(repr, values))[:_MAX_SHOWN]
