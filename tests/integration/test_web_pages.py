"""A real server and a browser's requests; and its warning about a variable that is not a setting."""

from collections.abc import Callable

import pytest

from integration.raw_client import chat, request, user
from integration.server_process import ServerProcess

StartServer = Callable[..., ServerProcess]
PAGE = "http://localhost:3000"


@pytest.mark.parametrize(
    "headers", [{"Host": "evil.example:8765"}, {"Origin": "http://evil.example"}, {"Sec-Fetch-Site": "cross-site"}]
)
def test_a_foreign_page_neither_reads_nor_writes(start_server: StartServer, headers: dict[str, str]) -> None:
    server = start_server()
    answer = chat(server.port, "echo", [user("I like figs.")], headers)
    assert answer.status == 403
    assert "TOLDONCE_ORIGINS" in answer.json["error"]["message"]
    assert server.health()["proxy"]["chats"] == 0


def test_a_listed_page_gets_its_stream_and_the_leave_to_read_it(start_server: StartServer) -> None:
    server = start_server(settings={"ORIGINS": PAGE})
    asking = {"Origin": PAGE, "Access-Control-Request-Method": "POST"}
    preflight = request(server.port, "/v1/chat/completions", headers=asking, method="OPTIONS")
    assert (preflight.status, preflight.header("access-control-allow-origin")) == (204, PAGE)
    answer = chat(server.port, "echo", [user("I like figs.")], {"Origin": PAGE}, stream=True)
    assert (answer.done, answer.text) == (True, "You said: I like figs.")
    assert answer.header("access-control-allow-origin") == PAGE


def test_a_variable_that_is_no_setting_is_named_at_the_start(start_server: StartServer) -> None:
    server = start_server(settings={"IDLE_TIMEOUT": "5"})
    assert (
        "warning: TOLDONCE_IDLE_TIMEOUT is not a setting and has no effect; did you mean TOLDONCE_IDLE_TIMEOUT_S?"
        in (server.output())
    )
