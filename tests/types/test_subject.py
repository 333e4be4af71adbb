"""Names of subjects: tenants, apps, and what a caller may do with them."""

import pytest

from toldonce.errors import BadSubjectError
from toldonce.types import Access, Caller, Subject

TEXTS = [
    "user:ana",
    "@acme/user:ana",
    "@acme/global",
    "@acme/session:ana/1",
    "@a.b-c_9/shared:team x/y",
    "user:@acme/user:ana",
    "user:@acme",
    "global",
]


@pytest.mark.parametrize("text", TEXTS)
def test_a_subject_reads_back_from_its_text(text: str) -> None:
    assert Subject.parse(text).text == text


def test_two_subjects_never_have_the_same_text() -> None:
    names = ["ana", "@acme/user:ana", "@acme/ana", "acme/user:ana"]
    made = {Subject("user", name, tenant) for name in names for tenant in ("", "acme", "acme.b")}
    assert len({subject.text for subject in made}) == len(made) == 12
    assert {Subject.parse(subject.text) for subject in made} == made


def test_what_is_within_a_subject_belongs_to_its_tenant() -> None:
    inner = Subject.parse("@acme/session:app:ana%2Fx/1")
    assert [owner.text for owner in inner.owners] == ["@acme/app:ana/x", "@acme/user:ana"]
    assert inner.everyone.text == "@acme/global"


@pytest.mark.parametrize("tenant", ["Acme", "-a", "a/b", "a b", "a" * 64, "\u00e4", "a\n", "@a"])
def test_a_tenant_has_a_plain_name(tenant: str) -> None:
    with pytest.raises(BadSubjectError):
        Subject("user", "ana", tenant)


ALL = {"user:ana", "user:bob", "@acme/user:ana", "@acme/app:cal", "global"}
MAY = {
    Caller(id="k", access=Access.ADMIN, tenant=None): {
        "user:ana",
        "user:bob",
        "@acme/user:ana",
        "@acme/app:cal",
        "global",
    },
    Caller(id="k", access=Access.READ): {"user:ana", "user:bob", "global"},
    Caller(id="k", access=Access.READ, tenant="acme"): {"@acme/user:ana", "@acme/app:cal"},
    Caller(id="k", access=Access.READ, user="ana"): {"user:ana"},
    Caller(id="k", access=Access.READ, user="ana", tenant="acme"): {"@acme/user:ana"},
    Caller(id="k", access=Access.READ, app="cal", tenant="acme"): {"@acme/app:cal"},
    Caller(id="k", access=Access.READ, app="cal"): set(),
}


@pytest.mark.parametrize("caller", MAY, ids=repr)
def test_a_caller_may_use_the_subjects_of_its_binding_alone(caller: Caller) -> None:
    assert {text for text in ALL if caller.may(Access.READ, Subject.parse(text))} == MAY[caller]
    assert caller.may(Access.ADMIN, Subject.parse("user:ana")) == (caller.access is Access.ADMIN)


def test_only_an_unbound_administrator_is_the_operator() -> None:
    assert [caller.is_operator for caller in MAY] == [True] + [False] * 6
