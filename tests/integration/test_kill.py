"""The server is killed under load, at any moment and at the worst ones; what was acknowledged is there, once, in place.

The checker is another process, which reads the database and not the server. Long runs: `make soak COUNT=200`.
"""

import json
import random
import time

import pytest

from integration.database_reader import Database
from integration.raw_client import eventually, request, user
from integration.server_process import ServerProcess, StartServer
from integration.talkers import Talkers

CLIENTS = 10
FAILPOINTS = ("before-commit", "after-commit")
KILLS, KILLS_AT_FAILPOINT = 1, 1
# Of a long run's kills, so many are made at each failpoint.
SHARE_AT_FAILPOINT = 40


def die_at_random(server: ServerProcess, talkers: Talkers, luck: random.Random) -> None:
    server.start()
    talkers.go()
    assert talkers.wait_for(1)
    time.sleep(luck.uniform(0.0, 0.5))
    server.kill()


def die_at(failpoint: str, server: ServerProcess, talkers: Talkers, luck: random.Random) -> None:
    server.start(FAILPOINT=f"{failpoint}:{luck.randrange(5, 60)}")
    talkers.go()
    assert server.wait_ended(), f"{failpoint} was never reached"


@pytest.mark.soak
def test_nothing_acknowledged_is_lost_or_doubled_by_kills_under_load(
    start_server: StartServer, soak: int | None, capsys: pytest.CaptureFixture[str]
) -> None:
    kills = soak or KILLS
    at_each = max(5, kills // SHARE_AT_FAILPOINT) if soak else KILLS_AT_FAILPOINT
    deaths = ["random"] * kills + [point for point in FAILPOINTS for _ in range(at_each)]
    seed = random.randrange(1_000_000)
    luck = random.Random(seed)
    luck.shuffle(deaths)

    server = start_server()
    server.kill()
    database = Database(server.database)
    talkers = Talkers(server, CLIENTS, seed)
    began = time.monotonic()
    for number, death in enumerate(deaths, start=1):
        if death == "random":
            die_at_random(server, talkers, luck)
        else:
            die_at(death, server, talkers, luck)
        acknowledged = talkers.hold()
        assert database.problems_elsewhere(acknowledged) == [], f"after kill {number} ({death}), seed {seed}"

    server.start()
    talkers.go()
    assert talkers.wait_for(CLIENTS)
    talkers.hold()
    acknowledged = talkers.end()
    # Each run that was killed left work behind for the last one.
    assert eventually(lambda: database.problems(acknowledged, quiet=True) == []), (
        database.problems(acknowledged, quiet=True),
        seed,
    )
    server.stop()
    assert database.problems_elsewhere(acknowledged, quiet=True) == []
    took = time.monotonic() - began
    with capsys.disabled():
        if soak:
            print(f"\n{len(deaths)} kills, {len(acknowledged)} acknowledged turns, seed {seed}, {took:.0f} s")  # noqa: T201


@pytest.mark.soak
def test_a_kill_between_the_answer_and_its_formation_loses_no_memory(
    start_server: StartServer, soak: int | None
) -> None:
    server = start_server()
    server.kill()
    database = Database(server.database)
    # One client and a few commits a turn: the kill falls around the commits of formations, not of turns.
    talkers = Talkers(server, 1, seed=7)
    for number in range(at_most(soak)):
        server.start(FAILPOINT=f"{FAILPOINTS[number % 2]}:{2 + number % 5}")
        talkers.go()
        assert server.wait_ended()
        assert database.problems_elsewhere(talkers.hold()) == []
    server.start()
    acknowledged = talkers.end()
    assert eventually(lambda: database.problems(acknowledged, quiet=True) == [])


def at_most(soak: int | None) -> int:
    """Ten kills in a long run for each forty of the other campaign's, two in a short one."""
    return max(10, soak // 4) if soak else 2


ENDS: dict[str, tuple[str, dict[str, object], bytes]] = {
    "/api/chat": ("messages", {"model": "llama3.2"}, b'"done": true'),
    "/v1/messages": ("messages", {"model": "qwen3", "max_tokens": 9, "stream": True}, b"message_stop"),
    "/v1/responses": ("input", {"model": "gpt-5", "store": False, "stream": True}, b"event: response.completed"),
}
"""Of further formats: the field of its messages, what else a request has, and what says that its answer has ended."""


@pytest.mark.parametrize("path", ENDS)
def test_an_end_that_was_passed_on_is_recorded_whatever_the_format(start_server: StartServer, path: str) -> None:
    chat, fields, end = ENDS[path]
    server = start_server(settings={"FAILPOINT": "before-commit:12"})
    acknowledged: list[str] = []
    for number in range(60):
        text = f"I have {number} cups."
        body = json.dumps({**fields, "model": f"{fields['model']}:{number}", chat: [user(text)]}).encode()
        try:
            answer = request(server.port, path, body, {"x-toldonce-user": "ana"})
        except OSError:
            break
        if end in answer.body:
            acknowledged.append(text)
    assert server.wait_ended()
    recorded = [row.text for row in Database(server.database).messages("ana")]
    assert acknowledged
    assert [text for text in acknowledged if recorded.count(text) != 1] == []
