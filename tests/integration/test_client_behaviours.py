"""What clients do to a conversation, and how the log and its formations must look afterwards."""

import json
import threading
from collections.abc import Callable
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from integration.database_reader import Database
from integration.history_client import Client, Log, lines
from integration.raw_client import assistant, chat, eventually, request, system, user
from integration.server_process import ServerProcess
from toldonce import AsyncToldOnce
from toldonce.settings import Settings
from toldonce.testing import FakeClock

_TURN = 3
TASK = "### Task:\nSuggest a title.\n<chat_history>\nUSER: I am allergic to kiwi.\n</chat_history>"


@dataclass(frozen=True, slots=True, kw_only=True)
class Behaviour:
    """One habit of clients."""

    does: Callable[[Client], object]
    leaves: list[Log]
    """The conversations afterwards, in the order they began."""
    model: str = "echo"
    quoted_no_more: tuple[str, ...] = ()
    """Words that must not be found any more."""
    still_quoted: tuple[str, ...] = ()


def _twice_at_once(client: Client) -> None:
    together = [threading.Thread(target=client.send, args=(user("I like figs."),)) for _ in range(2)]
    for thread in together:
        thread.start()
    for thread in together:
        thread.join()


def _first_again_after_it_went_on(client: Client) -> None:
    client.say("I like figs.")
    client.say("I like dates.")
    client.tab().say("I like figs.")


def _regenerate_first(client: Client) -> None:
    client.send(user("I like figs."))
    client.send(user("I like figs."))


def _regenerate_second(client: Client) -> None:
    client.say("I like figs.")
    client.say("I like dates.")
    client.send(*client.history[:3])


def _edit_first(client: Client) -> None:
    client.say("I like figs.")
    client.say("I like dates.")
    client.send(user("I like plums."))


def _edit_third(client: Client) -> None:
    client.say("I like figs.")
    client.say("I like dates.")
    client.send(*client.history[:2], user("I like plums."))


def _within_a_chat(does: Callable[[Client], object]) -> Callable[[Client], object]:
    def named(client: Client) -> None:
        client.headers["x-openwebui-chat-id"] = "chat-1"
        does(client)

    return named


def _last_four(client: Client) -> None:
    for text in ("I like figs.", "I like dates.", "I like plums."):
        client.say(text)
    client.send(*client.history[-3:], user("I like pears."))


def _summarised(role: str) -> Callable[[Client], object]:
    def does(client: Client) -> None:
        for text in ("I like figs.", "I like dates."):
            client.say(text)
        summary: dict[str, object] = {"role": role, "content": "Summary so far: figs and dates."}
        client.send(summary, *client.history[-2:], user("I like pears."))

    return does


def _clock(client: Client) -> None:
    for minute, text in enumerate(("I like figs.", "I like dates.")):
        client.history.append(user(text))
        said = client.send(system(f"It is 12:0{minute}."), *client.history)
        client.history.append(assistant(said.text))


def _stripped(client: Client) -> None:
    client.history.append(user("I like figs."))
    said = client.send(*client.history).text
    client.history.append(assistant(said.partition("</think>")[2].strip()))
    client.send(*client.history, user("I like dates."))


def _reformatted(client: Client) -> None:
    client.say("I like  figs.")
    parts: list[dict[str, object]] = [
        {"role": "user", "content": [{"type": "text", "text": "I like figs."}]},
        {"content": [{"type": "text", "text": "You said:  I like figs. "}], "role": "assistant", "refusal": None},
    ]
    client.send(*parts, user("I like dates."))


def _retry_after_cut(client: Client) -> None:
    client.model = "shape:reset-in-a-token"
    cut = client.send(user("I like figs."), stream=True)
    assert not cut.whole
    database = Database(client.server.database)
    assert eventually(lambda: len(database.messages(client.who)) == 2)
    client.model = "echo"
    client.send(user("I like figs."), stream=True)


def _two_tabs(client: Client) -> None:
    other = client.tab()
    client.say("I like figs.")
    other.say("I like cars.")
    client.say("I like dates.")
    other.say("I like bikes.")


def _two_tabs_that_begin_alike(client: Client) -> None:
    client.headers["x-openwebui-chat-id"] = "tab-1"
    other = client.tab(x_openwebui_chat_id="tab-2")
    for tab, then in ((client, "I like figs."), (other, "I like cars.")):
        tab.say("Hello you.")
        tab.say(then)


def _yes_and_yes(client: Client) -> None:
    for text in ("Do I like figs?", "Yes.", "Yes.", "I like dates."):
        client.say(text)


def _newest_only(client: Client) -> None:
    client.headers["x-toldonce-session"] = "shell"
    client.send(user("I like figs."))
    client.send(user("I like dates."))


def _newest_only_in_a_named_chat(client: Client) -> None:
    for text in ("I like figs.", "I like dates.", "I like plums."):
        client.send(user(text))


def _last_two(client: Client) -> None:
    for text in ("I like figs.", "I like dates.", "I like plums."):
        client.history.append(user(text))
        client.history.append(assistant(client.send(*client.history[-2:]).text))


def _edit_by_message_id(client: Client) -> None:
    for text in ("I like figs.", "I like dates."):
        client.headers["x-openwebui-message-id"] = text
        client.send(user(text))
    client.send(user("My boat is moored at Bergen harbour."))


def _tool_loop(client: Client) -> None:
    tools = [{"type": "function", "function": {"name": "weather", "parameters": {}}}]
    client.history.append(user("How is the weather?"))
    asked: dict[str, Any] = client.send(*client.history, tools=tools).json["choices"][0]["message"]
    client.history += [asked, {"role": "tool", "tool_call_id": asked["tool_calls"][0]["id"], "content": "Rain"}]
    said = client.send(*client.history, tools=tools).text
    client.model = "echo"
    client.send(*client.history, assistant(said), user("I like rain."))


def _tasks(client: Client) -> None:
    assert client.send(user(TASK)).text.startswith("You said")


def _temporary(client: Client) -> None:
    client.headers["x-openwebui-chat-id"] = "local:abc"
    client.say("I like figs.")


def _reading_only(client: Client) -> None:
    client.headers["x-toldonce-memory"] = "read"
    client.say("I like figs.")


FIGS, DATES, PLUMS = "I like figs.", "I like dates.", "I like plums."
BOAT = "My boat is moored at Bergen harbour."
EDITED = [(5, 2, "user", PLUMS), (6, 5, "assistant", f"You said: {PLUMS}")]
CUT = [(1, 0, "user", FIGS), (2, 1, "assistant", "No peanuts –"), (3, 1, "assistant", f"You said: {FIGS}")]
THOUGHT = "<think>Let me think about it.</think>\n\nYou said: "
BEHAVIOURS: dict[str, Behaviour] = {
    "a chat": Behaviour(
        does=lambda client: [client.say(FIGS), client.say(DATES)],
        leaves=[lines(FIGS, DATES)],
        still_quoted=(FIGS, DATES),
    ),
    "the same first message twice at once": Behaviour(does=_twice_at_once, leaves=[lines(FIGS)]),
    "the same first message after the first chat went on": Behaviour(
        does=_first_again_after_it_went_on, leaves=[lines(FIGS, DATES), lines(FIGS)]
    ),
    "regenerate the first answer": Behaviour(
        does=_regenerate_first,
        model="count:first",
        leaves=[[(1, 0, "user", FIGS), (2, 1, "assistant", "Answer 1"), (3, 1, "assistant", "Answer 2")]],
        still_quoted=(FIGS,),
    ),
    "regenerate the second answer": Behaviour(
        does=_regenerate_second,
        model="count:second",
        leaves=[
            [
                (1, 0, "user", FIGS),
                (2, 1, "assistant", "Answer 1"),
                (3, 2, "user", DATES),
                (4, 3, "assistant", "Answer 1"),
                (5, 3, "assistant", "Answer 2"),
            ]
        ],
        still_quoted=(FIGS, DATES),
    ),
    "edit the first message": Behaviour(does=_edit_first, leaves=[lines(FIGS, DATES), lines(PLUMS)]),
    "edit the first message of a named chat": Behaviour(
        does=_within_a_chat(_edit_first),
        leaves=[[*lines(FIGS, DATES), (5, 0, "user", PLUMS), (6, 5, "assistant", f"You said: {PLUMS}")]],
        quoted_no_more=(FIGS, DATES),
        still_quoted=(PLUMS,),
    ),
    "edit the third message": Behaviour(
        does=_edit_third,
        leaves=[[*lines(FIGS, DATES), *EDITED]],
        quoted_no_more=(DATES,),
        still_quoted=(FIGS, PLUMS),
    ),
    "edit the third message of a named chat": Behaviour(
        does=_within_a_chat(_edit_third),
        leaves=[[*lines(FIGS, DATES), *EDITED]],
        quoted_no_more=(DATES,),
        still_quoted=(FIGS, PLUMS),
    ),
    "the last four messages only": Behaviour(
        does=_last_four, leaves=[lines(FIGS, DATES, PLUMS, "I like pears.")], still_quoted=(FIGS,)
    ),
    "a summary as system message": Behaviour(
        does=_summarised("system"), leaves=[lines(FIGS, DATES, "I like pears.")], still_quoted=(FIGS,)
    ),
    "a summary as user message": Behaviour(
        does=_summarised("user"), leaves=[lines(FIGS, DATES, "I like pears.")], still_quoted=(FIGS,)
    ),
    "the clock in the system prompt": Behaviour(does=_clock, leaves=[lines(FIGS, DATES)]),
    "reasoning stripped": Behaviour(
        does=_stripped,
        model="think",
        leaves=[
            [
                (1, 0, "user", FIGS),
                (2, 1, "assistant", THOUGHT + FIGS),
                (3, 2, "user", DATES),
                (4, 3, "assistant", THOUGHT + DATES),
            ]
        ],
    ),
    "messages written differently": Behaviour(
        does=_reformatted,
        leaves=[
            [
                (1, 0, "user", "I like  figs."),
                (2, 1, "assistant", "You said: I like  figs."),
                (3, 2, "user", DATES),
                (4, 3, "assistant", f"You said: {DATES}"),
            ]
        ],
    ),
    "retry after a cut stream": Behaviour(does=_retry_after_cut, leaves=[CUT], still_quoted=(FIGS,)),
    "two tabs": Behaviour(does=_two_tabs, leaves=[lines(FIGS, DATES), lines("I like cars.", "I like bikes.")]),
    "two named tabs that begin alike": Behaviour(
        does=_two_tabs_that_begin_alike, leaves=[lines("Hello you.", FIGS), lines("Hello you.", "I like cars.")]
    ),
    "the same answer twice in a chat": Behaviour(
        does=_yes_and_yes, leaves=[lines("Do I like figs?", "Yes.", "Yes.", DATES)]
    ),
    "the newest message only": Behaviour(does=_newest_only, leaves=[lines(FIGS, DATES)], still_quoted=(FIGS,)),
    "the newest message only in a named chat": Behaviour(
        does=_within_a_chat(_newest_only_in_a_named_chat),
        leaves=[lines(FIGS, DATES, PLUMS)],
        still_quoted=(FIGS, DATES, PLUMS),
    ),
    "the last two messages only in a named chat": Behaviour(
        does=_within_a_chat(_last_two), leaves=[lines(FIGS, DATES, PLUMS)], still_quoted=(FIGS, DATES, PLUMS)
    ),
    "a summary as user message in a named chat": Behaviour(
        does=_within_a_chat(_summarised("user")), leaves=[lines(FIGS, DATES, "I like pears.")], still_quoted=(FIGS,)
    ),
    "another text under the same message id": Behaviour(
        does=_within_a_chat(_edit_by_message_id),
        leaves=[[*lines(FIGS, DATES), (5, 2, "user", BOAT), (6, 5, "assistant", f"You said: {BOAT}")]],
        quoted_no_more=(DATES,),
        still_quoted=(FIGS, BOAT),
    ),
    "a tool loop": Behaviour(
        does=_tool_loop,
        model="tools",
        leaves=[
            [
                (1, 0, "user", "How is the weather?"),
                (2, 1, "assistant", ""),
                (3, 2, "tool", "Rain"),
                (4, 3, "assistant", "The tool says: Rain"),
                (5, 4, "user", "I like rain."),
                (6, 5, "assistant", "You said: I like rain."),
            ]
        ],
        quoted_no_more=("Rain",),
        still_quoted=("I like rain.",),
    ),
    "a task of Open WebUI": Behaviour(does=_tasks, leaves=[]),
    "a temporary chat": Behaviour(does=_temporary, leaves=[]),
    "memory that only reads": Behaviour(does=_reading_only, leaves=[]),
}


def _as_expected(found: list[Log], expected: list[Log]) -> bool:
    """Compare; counted answers begin alike and end with what was asked."""
    if [len(conversation) for conversation in found] != [len(conversation) for conversation in expected]:
        return False
    pairs = [pair for ours, other in zip(found, expected, strict=True) for pair in zip(ours, other, strict=True)]
    return all(
        is_[:3] == should[:3]
        and (is_[3] == should[3] or (should[3].startswith("Answer ") and is_[3].startswith(should[3])))
        for is_, should in pairs
    )


@pytest.mark.parametrize("what", BEHAVIOURS)
def test_a_client_behaviour_leaves_the_conversations_and_the_work_expected(
    server: ServerProcess, database: Database, name: str, what: str
) -> None:
    behaviour = BEHAVIOURS[what]
    behaviour.does(Client(server, name, behaviour.model))

    found = database.conversations(name)
    assert _as_expected(found, behaviour.leaves), found
    if not behaviour.leaves:
        assert database.formations(name) == []
        return
    assert eventually(lambda: database.settled(name))
    work = [(formation.stage, formation.formed_seq, formation.parked) for formation in database.formations(name)]
    expected = [(stage, len(log), False) for log in behaviour.leaves for stage in ("extract", "index")]
    assert sorted(work) == sorted(expected)
    quoted = [known.text for known in database.known(name) if known.kind == _TURN]
    assert not set(behaviour.quoted_no_more) & set(quoted)
    assert set(behaviour.still_quoted) <= set(quoted)
    assert len(quoted) == len(set(quoted)) or what.startswith(("the same", "two named"))


def test_background_tasks_reach_upstream_as_they_came(server: ServerProcess, name: str) -> None:
    who = {"x-toldonce-user": name}
    database = Database(server.database)
    chat(server.port, "echo", [user("I am allergic to kiwi.")], who)
    assert eventually(lambda: database.settled(name))
    before = server.health()["proxy"]["background_tasks"]
    answer = chat(server.port, "shape:plain", [user(TASK)], who)
    assert "memories" not in answer.json
    assert answer.header("x-toldonce-memory") == "task"
    assert server.health()["proxy"]["background_tasks"] == before + 1
    assert len(database.messages(name)) == 2


async def test_the_same_first_message_an_hour_later_begins_a_new_conversation(tmp_path: Path) -> None:
    clock = FakeClock()
    settings = Settings(database_url=f"sqlite:///{tmp_path / 'hours.sqlite3'}")
    turn: list[dict[str, Any]] = [user(FIGS), assistant(f"You said: {FIGS}")]
    async with await AsyncToldOnce.open(settings, clock=clock) as memory:
        first = await memory.record(turn)
        clock.advance(minutes=9)
        retry = await memory.record(turn)
        clock.advance(hours=1)
        later = await memory.record(turn)
    assert (retry.conversation, retry.new_conversation) == (first.conversation, False)
    assert later.new_conversation
    assert Database(tmp_path / "hours.sqlite3").conversations("local") == [lines(FIGS), lines(FIGS)]


def test_a_session_path_names_the_user_too(server: ServerProcess, database: Database, name: str) -> None:
    body = json.dumps({"model": "echo", "messages": [user(FIGS)]}).encode()
    assert request(server.port, f"/u/{name}/v1/chat/completions", body).status == 200
    assert database.conversations(name) == [lines(FIGS)]
