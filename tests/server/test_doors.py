"""What clients try at a server beside its routes: other base URLs, and a greeting."""

from dataclasses import dataclass

import pytest

from server.asgi import Call, chat
from toldonce.engine import AsyncToldOnce
from toldonce.server.app import build_app


@dataclass
class Asked(Call):
    """A request of any method."""

    method: str = "POST"

    def scope(self) -> dict[str, object]:
        return {**super().scope(), "method": self.method}


async def asked(engine: AsyncToldOnce, call: Asked) -> Asked:
    await build_app(engine)(call.scope(), call.receive(), call.send())
    return call


@pytest.mark.parametrize("path", ["/chat/completions", "/messages", "/v1/messages", "/chat/completions/"])
async def test_a_chat_has_memory_whether_its_base_url_has_v1_or_not(engine: AsyncToldOnce, path: str) -> None:
    await engine.add("Ana is allergic to peanuts.", user="ana")
    headers = {"content-type": "application/json", "x-toldonce-user": "ana"}
    call = await asked(engine, Asked(chat("May I eat peanuts?", max_tokens=9), headers, path))

    assert call.status == 200
    assert call.answer_headers["x-toldonce-memory"].startswith("on; recalled=1; ")


async def test_models_are_listed_without_v1(engine: AsyncToldOnce) -> None:
    call = await asked(engine, Asked(b"", path="/models", method="GET"))
    assert call.status == 200
    assert "toldonce/offline" in call.text


@pytest.mark.parametrize("method", ["GET", "HEAD"])
async def test_a_greeting_is_answered(engine: AsyncToldOnce, method: str) -> None:
    assert (await asked(engine, Asked(b"", path="/api/hello", method=method))).status == 200
