"""Which subjects a request under `/v1` may use: what its credential allows, narrowed by the user that it names."""

import pytest

from toldonce.chat.identity import IdentityPolicy
from toldonce.errors import BadIdentityError, BadRequestError, BadSubjectError, ToldOnceError
from toldonce.server.api.v1.access import Requester, requester_of
from toldonce.server.api.v1.problems import ProblemError
from toldonce.testing import FakeClock
from toldonce.types import ANONYMOUS, Access, Caller, Subject

LOOPBACK = IdentityPolicy(default_user="local", trusted=True, jwt_secret=None)
OPEN = IdentityPolicy(default_user="local", trusted=False, jwt_secret=None)
ANA_READS = Caller(id="key:1", access=Access.READ, user="ana", tenant="acme")
ACME = Caller(id="key:2", access=Access.ADMIN, tenant="acme")
CALENDAR = Caller(id="key:3", access=Access.WRITE, app="calendar", tenant="")
OPERATOR = Caller(id="key:4", access=Access.ADMIN, tenant=None)
PLAIN = Caller(id="key:5", access=Access.ADMIN, tenant="")


def requester(
    caller: Caller | None,
    headers: dict[str, str] | None = None,
    path: str = "/v1/subjects",
    policy: IdentityPolicy = LOOPBACK,
) -> Requester:
    sent = tuple((name.encode(), value.encode()) for name, value in (headers or {}).items())
    return requester_of({"path": path, "toldonce.caller": caller}, sent, policy, FakeClock().now())


def allowed(caller: Caller | None, text: str, access: Access = Access.READ, **more: object) -> str:
    try:
        return requester(caller, **more).subject(text, access).text  # type: ignore[arg-type]
    except ProblemError as refused:
        return refused.kind
    except BadIdentityError:
        return "forbidden"
    except BadSubjectError:
        return "bad"


@pytest.mark.parametrize(
    ("caller", "text", "found"),
    [
        (None, "user:ana", "user:ana"),
        (None, "me", "user:local"),
        (None, "@acme/user:ana", "@acme/user:ana"),
        (None, "ana", "bad"),
        (None, "@acme/ana", "bad"),
        (OPERATOR, "@acme/user:ana", "@acme/user:ana"),
        (OPERATOR, "global", "global"),
        (ANA_READS, "me", "@acme/user:ana"),
        (ANA_READS, "user:ana", "@acme/user:ana"),
        (ANA_READS, "session:ana/1", "@acme/session:ana/1"),
        (ANA_READS, "user:ben", "forbidden"),
        (ANA_READS, "session:ben/1", "forbidden"),
        (ANA_READS, "shared:family", "forbidden"),
        (ANA_READS, "@other/user:ana", "bad"),
        (ANA_READS, "@acme/user:ana", "bad"),
        (ACME, "user:ana", "@acme/user:ana"),
        (ACME, "user:@other/user:ana", "@acme/user:@other/user:ana"),
        (ACME, "@other/user:ana", "bad"),
        (ACME, "global", "@acme/global"),
        (PLAIN, "user:ana", "user:ana"),
        (PLAIN, "@acme/user:ana", "bad"),
        (CALENDAR, "app:ana/calendar", "app:ana/calendar"),
        (CALENDAR, "app:ana/notes", "forbidden"),
        (CALENDAR, "user:ana", "forbidden"),
    ],
)
def test_a_subject_is_read_relative_to_the_callers_tenant(caller: Caller | None, text: str, found: str) -> None:
    assert allowed(caller, text) == found


def test_the_credential_says_what_may_be_done() -> None:
    assert allowed(ANA_READS, "user:ana", Access.WRITE) == "forbidden"
    assert allowed(CALENDAR, "app:ana/calendar", Access.ADMIN) == "forbidden"
    requester(ANA_READS).require(Access.READ)
    for access in (Access.WRITE, Access.ADMIN):
        with pytest.raises(ProblemError) as refused:
            requester(ANA_READS).require(access)
        assert refused.value.status == 403


@pytest.mark.parametrize(
    ("headers", "path"), [({"x-toldonce-user": "ana"}, "/v1/subjects"), ({}, "/u/ana/v1/subjects")]
)
@pytest.mark.parametrize("caller", [None, ACME, OPERATOR])
def test_headers_and_path_only_narrow(caller: Caller | None, headers: dict[str, str], path: str) -> None:
    tenant = "@acme/" if caller is ACME else ""
    assert allowed(caller, "user:ana", headers=headers, path=path) == f"{tenant}user:ana"
    assert allowed(caller, "me", headers=headers, path=path) == f"{tenant}user:ana"
    assert allowed(caller, "character:ana/kira", headers=headers, path=path) == f"{tenant}character:ana/kira"
    assert allowed(caller, "user:ben", headers=headers, path=path) == "forbidden"
    with pytest.raises(ProblemError, match="bound to one user"):
        requester(caller, headers, path).require_all_subjects()
    # A header cannot widen what the key allows.
    assert allowed(ANA_READS, "me", headers={"x-toldonce-user": "ben"}) == "forbidden"
    assert allowed(ANA_READS, "user:ben", headers={"x-toldonce-user": "ben"}) == "forbidden"


def test_the_whole_server_is_for_those_who_are_bound_to_nothing() -> None:
    assert requester(None).require_all_subjects() is None
    assert requester(OPERATOR).require_all_subjects() is None
    assert requester(ACME).require_all_subjects() == "acme"
    assert requester(PLAIN).require_all_subjects() == ""
    requester(OPERATOR).require_operator()
    for caller in (ACME, PLAIN, ANA_READS, CALENDAR):
        with pytest.raises(ProblemError):
            requester(caller).require_operator()
    for caller in (ANA_READS, CALENDAR):
        with pytest.raises(ProblemError):
            requester(caller).require_all_subjects()


def test_on_an_open_address_only_a_credential_counts() -> None:
    with pytest.raises(BadIdentityError, match="no credential"):
        requester(ANONYMOUS, {"x-toldonce-user": "ana"}, policy=OPEN)
    assert allowed(ACME, "user:ana", policy=OPEN) == "@acme/user:ana"
    assert allowed(ACME, "user:ben", headers={"x-toldonce-user": "ana"}, policy=OPEN) == "forbidden"


def test_a_request_without_a_user_has_no_me() -> None:
    with pytest.raises(BadRequestError, match="names no user"):
        requester(ACME).subject("me", Access.READ)
    without_default = IdentityPolicy(default_user="", trusted=True, jwt_secret=None)
    with pytest.raises(BadRequestError, match="names no user"):
        requester(None, policy=without_default).subject("me", Access.READ)


def test_the_memory_header_narrows_too() -> None:
    reading = requester(None, {"x-toldonce-memory": "read"})
    reading.require(Access.READ)
    with pytest.raises(ProblemError, match="no write access"):
        reading.require(Access.WRITE)
    with pytest.raises(ToldOnceError, match="x-toldonce-memory is off"):
        requester(None, {"x-toldonce-memory": "off"}).require(Access.READ)


def test_names_are_shown_without_the_only_tenant() -> None:
    subject = Subject("user", "ana", "acme")
    assert [requester(caller).shown(subject) for caller in (None, OPERATOR, ACME)] == [
        "@acme/user:ana",
        "@acme/user:ana",
        "user:ana",
    ]
