"""Status codes of errors: which one each error gets, and that no other module names one."""

import ast
import re
from pathlib import Path

import pytest

import toldonce.server
from toldonce.errors import (
    BadIdentityError,
    BadRequestError,
    ConflictError,
    StoreFullError,
    StoreUnavailableError,
    SubjectKeyError,
    ToldOnceError,
    UnknownAppError,
    UnknownMemoryError,
    VectorSizeError,
)
from toldonce.server.asgi import BodyTooLargeError
from toldonce.server.status import status_of
from toldonce.server.upstream import UpstreamBrokenError, UpstreamError

SERVER = Path(toldonce.server.__path__[0])
_NUMBER = re.compile(r"\b[45]\d\d\b")


def error_codes_in(source: str) -> list[int]:
    """Return the numbers from 400 to 599 in a module, but for limits such as `max_length=500` and `MAX_NAME = 500`."""
    if not _NUMBER.search(source):  # to parse each file would take ten times as long
        return []
    tree = ast.parse(source)
    limits = [
        *(node.value for node in ast.walk(tree) if isinstance(node, ast.keyword) and node.arg in {"max_length", "le"}),
        *(
            node.value
            for node in ast.walk(tree)
            if isinstance(node, ast.Assign)
            and all(ast.unparse(name).lstrip("_").isupper() for name in node.targets)
            and "MAX_" in ast.unparse(node.targets[0])
        ),
    ]
    return [
        node.value
        for node in ast.walk(tree)
        if isinstance(node, ast.Constant) and type(node.value) is int and 400 <= node.value <= 599
        if node not in limits
    ]


def test_no_module_but_status_names_the_code_of_an_error() -> None:
    named = {
        path.relative_to(SERVER).as_posix(): codes
        for path in sorted(SERVER.rglob("*.py"))
        if (codes := error_codes_in(path.read_text("utf-8")))
    }
    assert set(named) == {"status.py"}
    assert set(named["status.py"]) >= {400, 401, 403, 404, 405, 409, 413, 499, 500, 502, 503, 504, 507}


@pytest.mark.parametrize(
    "source", ["return Response(b'', 404)", "x = {'a': (503, 1)}", "if status >= 500: pass", "STATUS = 429"]
)
def test_codes_are_found_wherever_they_are_named(source: str) -> None:
    assert len(error_codes_in(source)) == 1


def test_limits_are_no_codes() -> None:
    assert error_codes_in("_MAX_NAME = 500\nField(max_length=500)") == []


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (BadRequestError("no"), 400),
        (BadIdentityError("two users"), 403),
        (UnknownMemoryError("m"), 404),
        (UnknownAppError("a"), 404),
        (ConflictError("taken", param="id"), 409),
        (SubjectKeyError("its key was destroyed"), 410),
        (BodyTooLargeError("too large"), 413),
        (VectorSizeError(got=3, stored=4), 503),
        (ToldOnceError("?"), 500),
        (UpstreamBrokenError("cut"), 502),
        (UpstreamError("refused", timed_out=False), 502),
        (StoreUnavailableError("asleep"), 503),
        (UpstreamError("late", timed_out=True), 504),
        (StoreFullError("full"), 507),
    ],
)
def test_each_error_has_its_status(error: ToldOnceError | BodyTooLargeError | ConnectionError, status: int) -> None:
    assert status_of(error) == status
