"""A real server on an address that others can reach, with the operator's key."""

import os
import re
import time
from collections.abc import Callable

import jwt
import pytest

from forked_processes import run_python
from integration.fake_upstream import FakeUpstream
from integration.raw_client import chat, request, user
from integration.server_process import ServerProcess
from patience import PATIENCE_S

StartServer = Callable[..., ServerProcess]
SECRET = "a-secret-of-sufficient-length-for-hs256"
OPEN = {"HOST": "0.0.0.0", "UPSTREAM_KEY": "sk-operators", "JWT_SECRET": SECRET}


def signed() -> dict[str, str]:
    now = int(time.time())
    claims = {"iss": "open-webui", "sub": "ana", "iat": now, "exp": now + 300}
    return {"x-openwebui-user-jwt": jwt.encode(claims, SECRET, algorithm="HS256")}


def keys(upstream: FakeUpstream, mark: str) -> list[str | None]:
    return [seen.header("authorization") for seen in upstream.having(mark)]


def test_strangers_reach_nothing_and_signed_requests_carry_the_key(
    start_server: StartServer, upstream: FakeUpstream
) -> None:
    server = start_server(settings=OPEN)
    said = [user("I count puffins in Vardø.")]
    assert chat(server.port, "echo", said).status == 401
    assert chat(server.port, "echo", said, {"Host": "evil.example", **signed()}).status == 403
    assert chat(server.port, "echo", said, {"Host": "[::1].evil.example", **signed()}).status == 403
    assert request(server.port, "/v1/files/puffins-in-vardoe", method="DELETE").status == 401
    assert request(server.port, "/v1/organization/puffins-in-vardoe", method="GET", headers=signed()).status == 403
    assert keys(upstream, "puffins") == []
    assert not [seen.path for seen in upstream.seen if "puffins" in seen.path]

    assert chat(server.port, "echo", said, signed()).status == 200
    assert chat(server.port, "echo", said, {"Authorization": "Bearer sk-its-own"}).status == 200
    assert keys(upstream, "puffins") == ["Bearer sk-operators", "Bearer sk-its-own"]


def test_the_key_is_not_offered_to_everyone(start_server: StartServer) -> None:
    with pytest.raises(AssertionError, match="TOLDONCE_UPSTREAM_KEY") as caught:
        start_server(settings={**OPEN, "JWT_SECRET": "", "AUTH": "off"})
    assert "sk-operators" not in str(caught.value)


def test_the_first_start_makes_a_key_and_shows_it_once(start_server: StartServer, upstream: FakeUpstream) -> None:
    server = start_server(settings={**OPEN, "JWT_SECRET": ""})
    [secret] = re.findall(r"rk_[A-Za-z0-9_-]+", server.output())
    said = [user("I count gannets in Runde.")]
    assert chat(server.port, "echo", said).status == 401
    ours = {"Authorization": f"Bearer {secret}", "x-toldonce-user": "ana"}
    assert chat(server.port, "echo", said, ours).status == 200
    beside = {"Authorization": "Bearer sk-its-own", "x-toldonce-key": secret}
    assert chat(server.port, "echo", said, beside).status == 200
    assert keys(upstream, "gannets") == ["Bearer sk-operators", "Bearer sk-operators"]
    assert secret not in str([seen.headers for seen in upstream.seen])
    server.restart()
    assert server.output().count(secret) == 1
    assert chat(server.port, "echo", said, ours).status == 200
    env = {"PATH": os.environ["PATH"], "TOLDONCE_DATABASE_URL": server.settings["DATABASE_URL"]}
    done = run_python("-m", "toldonce", "keys", "revoke", "k_first", env=env, cwd=server.folder, timeout=PATIENCE_S)
    assert done.returncode == 0
    with pytest.raises(AssertionError, match="toldonce keys create"):
        server.restart()


def test_a_loopback_server_asks_for_a_key_once_one_was_made(start_server: StartServer) -> None:
    server = start_server()
    said = [user("I count gannets in Runde.")]
    assert chat(server.port, "echo", said).status == 200
    assert "named by header" in server.output()
    env = {"PATH": os.environ["PATH"], "TOLDONCE_DATABASE_URL": server.settings["DATABASE_URL"]}
    for arguments in (("create", "--name", "mine", "--everything", "--access", "admin"), ("list", "--json")):
        done = run_python("-m", "toldonce", "keys", *arguments, env=env, cwd=server.folder, timeout=PATIENCE_S)
        assert done.returncode == 0
    [made] = re.findall(r"k_[0-9a-f]{12}", done.stdout)
    assert (
        run_python("-m", "toldonce", "keys", "revoke", made, env=env, cwd=server.folder, timeout=PATIENCE_S).returncode
        == 0
    )
    server.restart()
    assert server.output().rpartition("listens on")[2].count("named by API key") == 1
    assert chat(server.port, "echo", said).status == 401
