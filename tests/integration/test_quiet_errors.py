"""Errors of every kind: neither the log nor an answer has a client's secrets, and no answer the server's addresses."""

import json

import pytest

from integration.raw_client import RawAnswer, request, user
from integration.server_process import StartServer

CANARY = "canary-7d1f"
UPSTREAM = "http://127.0.0.1:1/v1"
HEADERS = {
    "Authorization": f"Bearer sk-{CANARY}",
    "x-api-key": f"sk-{CANARY}",
    "x-toldonce-key": f"rk_{CANARY}",
    "x-openwebui-user-jwt": f"eyJ{CANARY}.a.b",
    "cookie": f"session={CANARY}",
}
CHAT = json.dumps({"model": "echo", "messages": [user(f"My password is {CANARY}.")]}).encode()
REQUESTS: tuple[tuple[str, str, bytes], ...] = (
    ("POST", "/v1/chat/completions", CHAT),
    ("POST", f"/v1/chat/completions?key={CANARY}", CHAT),
    ("POST", "/v1/chat/completions", CHAT[:-5]),
    ("POST", "/v1/chat/completions", b"[" * 5000 + CANARY.encode()),
    ("POST", f"/v1/embeddings?key={CANARY}", b'{"input": "x"}'),
    ("GET", f"/v1//{CANARY}", b""),
    ("GET", f"/v1/models#{CANARY}", b""),
    ("POST", "/api/sessions", f'{{"profile": "{CANARY}"}}'.encode()),
    ("POST", "/api/memory", f'{{"content": "{CANARY}" '.encode()),
    ("PUT", f"/{CANARY}", b""),
)


def asked(port: int, method: str, path: str, body: bytes, named: str) -> RawAnswer:
    return request(port, path, body, {named: HEADERS[named]}, method=method)


@pytest.mark.parametrize("key", ["", f"sk-own-{CANARY}"])
def test_errors_keep_secrets_out_of_the_log_and_addresses_out_of_answers(start_server: StartServer, key: str) -> None:
    server = start_server(settings={"UPSTREAM_URL": UPSTREAM, "UPSTREAM_KEY": key, "LOG_LEVEL": "debug"})
    answers = [
        asked(server.port, method, path, body, named)
        for method, path, body in REQUESTS
        for named in HEADERS
        if not (named == "x-openwebui-user-jwt" and path.startswith("/api"))
    ]
    server.stop()

    assert {answer.status // 100 for answer in answers} <= {4, 5, 2}
    assert sum(answer.status >= 500 for answer in answers) >= len(HEADERS)
    told = b"".join(answer.body for answer in answers)
    assert b"127.0.0.1" not in told
    assert str(server.folder).encode() not in told
    assert CANARY not in server.output()
    assert "no connection to" in server.output()
