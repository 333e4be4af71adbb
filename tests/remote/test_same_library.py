"""A connection to a server has each method of the library, with the same parameters, and says what it lacks."""

import inspect
from typing import Any

import pytest

from library_methods import namespaces
from remote_engine import connected
from toldonce import ToldOnce
from toldonce.engine import AsyncToldOnce
from toldonce.engine.lazy_property import lazy_property
from toldonce.errors import NotOverHttpError
from toldonce.remote import RemoteToldOnce
from toldonce.remote.over_http import NOT_OVER_HTTP
from toldonce.types import Access, EmbedderKind, EmbedderSpec, NewApiKey

NAMESPACES = ("", *(name for name, _ in namespaces()))
# Opening is different: `open` opens a database, `connect` a connection.
OPENINGS = {"open", "connect"}
REFUSED_ARGUMENTS: dict[str, tuple[Any, ...]] = {
    "agent_notes.remember": ("Ana rows.",),
    "embedder.try_out": (EmbedderSpec(kind=EmbedderKind.STATIC),),
    "embedder.use": (None,),
    "keys.find": ("rk_x",),
    "keys.note_use": ("rk_x",),
    "keys.sign": ("k_1", b"data"),
    "keys.note_act": ("apps.purge",),
}


def methods(of: type) -> dict[str, Any]:
    """Return public methods and properties by name, those of base classes included."""
    found = {name: inspect.getattr_static(of, name) for name in dir(of) if not name.startswith("_")}
    return {name: member for name, member in found.items() if not isinstance(member, lazy_property)}


def function_of(member: Any) -> Any:
    return member.fget if isinstance(member, property) else getattr(member, "__func__", member)


@pytest.mark.parametrize("namespace", NAMESPACES)
async def test_each_method_of_the_library_is_there_with_its_parameters(engine: AsyncToldOnce, namespace: str) -> None:
    async with connected(engine) as remote:
        near, far = (type(getattr(each, namespace) if namespace else each) for each in (engine, remote))
        assert issubclass(far, near)
        own = {name for base in far.__mro__ if base.__module__.startswith("toldonce.remote") for name in vars(base)}
        for name, member in methods(near).items():
            if name in OPENINGS:
                continue
            assert name in own, f"{namespace or 'memory'}.{name} is not served over HTTP: add it to {far.__module__}"
            near_function, far_function = function_of(member), function_of(inspect.getattr_static(far, name))
            assert type(member) is type(inspect.getattr_static(far, name)), name
            assert inspect.signature(near_function) == inspect.signature(far_function), name
            assert inspect.iscoroutinefunction(near_function) == inspect.iscoroutinefunction(far_function), name


async def test_each_namespace_of_the_library_is_there(engine: AsyncToldOnce) -> None:
    async with connected(engine) as remote:
        for namespace in NAMESPACES[1:]:
            assert type(getattr(remote, namespace)).__module__.startswith("toldonce.remote."), namespace


async def called(remote: RemoteToldOnce, name: str) -> None:
    """Read a property, or call a method."""
    namespace, _, method = name.rpartition(".")
    more = {"actor": "cli"} if name == "keys.note_act" else {}
    member = getattr(getattr(remote, namespace) if namespace else remote, method)
    answer = member(*REFUSED_ARGUMENTS.get(name, ()), **more)
    if inspect.isawaitable(answer):
        await answer


@pytest.mark.parametrize("name", NOT_OVER_HTTP)
async def test_what_is_missing_says_why_and_what_to_do(engine: AsyncToldOnce, name: str) -> None:
    async with connected(engine) as remote:
        with pytest.raises(NotOverHttpError, match=f"^{name} is not available over HTTP: .{{20}}"):
            await called(remote, name)


async def test_nothing_else_is_missing(engine: AsyncToldOnce) -> None:
    """Each other method has a body of its own: none raises as soon as it is called."""
    async with connected(engine) as remote:
        refusing = set()
        for namespace in NAMESPACES:
            of = type(getattr(remote, namespace) if namespace else remote)
            for name, member in methods(of).items():
                if "unavailable" in function_of(member).__code__.co_names:
                    refusing.add(f"{namespace}.{name}")
        assert refusing == {name for name in NOT_OVER_HTTP if "." in name}


async def test_an_unknown_attribute_is_none(engine: AsyncToldOnce) -> None:
    async with connected(engine) as remote:
        assert isinstance(remote, AsyncToldOnce)
        assert not hasattr(remote, "nothing")
        assert not hasattr(remote, "settings")
        with pytest.raises(AttributeError, match="no attribute 'nothing'"):
            remote.nothing  # noqa: B018  # reading it raises


def test_both_faces_connect_in_the_same_way() -> None:
    near, far = (list(inspect.signature(face.connect).parameters) for face in (AsyncToldOnce, ToldOnce))
    assert near == far == ["url", "key", "timeout_s", "retries"]
    assert inspect.iscoroutinefunction(AsyncToldOnce.connect)
    assert RemoteToldOnce.connect.__doc__ == AsyncToldOnce.connect.__doc__


async def test_a_key_that_would_expire_can_be_made_and_read(engine: AsyncToldOnce) -> None:
    _, operator = await engine.keys.create(NewApiKey(name="operator", access=Access.ADMIN, tenant=None))
    async with connected(engine, operator) as remote:
        made, secret = await remote.keys.create(NewApiKey(name="phone", access=Access.READ, user="ana"))
        assert await engine.keys.find(secret) == made == await remote.keys.get(made.id)
        revoked = await remote.keys.revoke(made.id)
        assert revoked.revoked_at is not None
        assert [entry.action for entry in await remote.keys.audit()] == ["keys.revoke", "keys.create", "keys.create"]
