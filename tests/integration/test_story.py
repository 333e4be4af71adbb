"""The story of the first issue, told by a bare client to a real server that is killed in between."""

from integration.database_reader import Acknowledged, Database
from integration.fake_upstream import FakeUpstream
from integration.raw_client import RawAnswer, assistant, chat, eventually, user
from integration.server_process import StartServer

PEANUTS = "I'm allergic to peanuts and I moved from Rome to Oslo in May"
QUESTION = "what should I avoid at a restaurant?"


def recalled(answer: RawAnswer) -> list[str]:
    return [memory["text"] for memory in answer.json["memories"]]


def test_what_was_said_before_a_kill_is_in_the_next_conversations_prompt(
    start_server: StartServer, upstream: FakeUpstream
) -> None:
    server = start_server()
    answered = chat(server.port, "echo:story", [user(PEANUTS)], stream=True)
    server.kill()
    assert answered.done

    server.start()
    database = Database(server.database)
    kept = Acknowledged(user="local", said=PEANUTS, answered=f"You said: {PEANUTS}", follows=None)
    assert database.problems([kept]) == []
    assert eventually(lambda: database.settled("local"))

    chat(server.port, "echo:story", [user(QUESTION)])
    prompt = upstream.having(QUESTION)[-1].json["messages"]
    assert "peanut" in str(prompt).lower()
    assert "oslo" in str(prompt).lower()
    assert len(database.conversations("local")) == 2


def test_the_built_in_model_tells_what_was_said_before_a_kill(start_server: StartServer) -> None:
    server = start_server(offline=True)
    first = chat(server.port, "toldonce/offline", [user(PEANUTS)], stream=True)
    server.kill()
    assert first.done

    server.start()
    database = Database(server.database)
    assert eventually(lambda: database.settled("local"))
    answer = chat(server.port, "toldonce/offline", [user(QUESTION)])
    assert "peanut" in answer.text.lower()
    listed = [memory["text"].lower() for memory in answer.json["memories"]]
    assert any("peanut" in text for text in listed)


def test_two_users_with_two_conversations_each_see_only_their_own(
    start_server: StartServer, upstream: FakeUpstream
) -> None:
    server = start_server()
    database = Database(server.database)
    facts = {
        "ana": ("I am allergic to walnuts.", "I live in Lisbon."),
        "ben": ("I am allergic to shrimps.", "I live in Warsaw."),
    }
    for user_name, texts in facts.items():
        for text in texts:
            chat(server.port, "echo:two", [user(text)], {"x-toldonce-user": user_name})
    assert eventually(lambda: all(database.settled(name) for name in facts))

    question = "What am I allergic to, and where do I live?"
    for user_name, other in (("ana", "ben"), ("ben", "ana")):
        history = [user("Hello there."), assistant("You said: Hello there."), user(question)]
        answer = chat(server.port, "echo:two", history, {"x-toldonce-user": user_name})
        prompt = str(upstream.having(question)[-1].json["messages"])
        mine, theirs = (
            [word for word in ("walnuts", "Lisbon", "shrimps", "Warsaw") if word in str(facts[name])]
            for name in (user_name, other)
        )
        assert all(word in prompt for word in mine)
        assert not any(word in prompt or word in answer.body.decode() for word in theirs)
        assert len(database.conversations(user_name)) == 3


def test_a_bare_client_and_a_named_user_share_nothing(start_server: StartServer, upstream: FakeUpstream) -> None:
    server = start_server()
    database = Database(server.database)
    chat(server.port, "echo:bare", [user("I am allergic to cashews.")], {"x-toldonce-user": "carla"})
    assert eventually(lambda: database.settled("carla"))
    answer = chat(server.port, "echo:bare", [user("What am I allergic to, by the way?")])
    assert "cashews" not in str(upstream.having("by the way?")[-1].body)
    assert recalled(answer) == []
