"""Stage `extract` in each profile's shape, through the library: what is stored, and on what it rests."""

from collections.abc import Mapping
from typing import Any

from sample_chats import assistant, user, with_model
from toldonce.engine import AsyncToldOnce, Components
from toldonce.testing import FakeClock, ScriptedModel
from toldonce.types import Action, Memory, MemoryKind, MemoryState, RequestScope

CHARACTERS = ("Kira", "Marcus")


async def formed(
    engine: AsyncToldOnce,
    scope: RequestScope,
    *messages: Mapping[str, Any],
    conversation: str = "c1",
    end: bool = False,
) -> list[Memory]:
    """Record one turn after the other, form, and list what the scene remembers."""
    for place in range(0, len(messages), 2):
        await engine.record(messages[place : place + 2], user="ana", conversation=conversation, scope=scope)
    if end:
        await engine.conversations.end(conversation, user="ana", scope=scope)
    await engine.form()
    subject = await engine.conversations.subject(user="ana", conversation=conversation, scope=scope)
    return [memory for memory in await engine.list(user=subject) if memory.state is MemoryState.ACTIVE]


async def reasons(engine: AsyncToldOnce, scope: RequestScope, conversation: str = "c1") -> list[str]:
    subject = await engine.conversations.subject(user="ana", conversation=conversation, scope=scope)
    return [line.reason for line in await engine.history.decisions(user=subject) if line.action is Action.IGNORE]


async def versions(engine: AsyncToldOnce) -> set[str]:
    return {status.key.version for status in await engine.admin.formations() if status.key.stage == "extract"}


SESSION = RequestScope(profile="session")


async def test_s1_s3_a_session_keeps_typed_memories_of_both_speakers(engine: AsyncToldOnce, parts: Components) -> None:
    answer = {
        "memories": [
            {
                "type": "preference",
                "content": "The user prefers trains.",
                "importance": 0.6,
                "quote": "I prefer trains",
            },
            {
                "type": "fact",
                "content": "The bridge opens on 3 May.",
                "importance": 8,
                "message": 2,
                "quote": "opens on 3 May",
            },
            {"type": "insight", "content": "Trains are late in winter.", "importance": 0.2, "quote": "trains run late"},
        ]
    }
    model = ScriptedModel([answer])
    kept = await formed(
        with_model(parts, model),
        SESSION,
        user("I prefer trains, and I know that trains run late in winter."),
        assistant("> The bridge opens on 3 May.\nSo says the report."),
    )
    assert {(memory.type, memory.text, memory.evidence[0].role) for memory in kept} == {
        ("preference", "The user prefers trains.", "user"),
        ("fact", "The bridge opens on 3 May.", "assistant"),
    }
    assert await reasons(engine, SESSION) == ["importance 0.20 is below 0.30"], "S4"
    assert len(model.calls) == 1
    assert await versions(engine) == {"typed-1:scripted"}


async def test_s3_nothing_worth_keeping_is_an_empty_list(parts: Components) -> None:
    model = ScriptedModel([[]])
    assert (
        await formed(with_model(parts, model), SESSION, user("I am here to ask about trains."), assistant("Ask.")) == []
    )
    assert len(model.calls) == 1


async def test_s2_s3_the_interaction_of_the_conversation_reaches_the_question(parts: Components) -> None:
    model = ScriptedModel([[]])
    scope = RequestScope(profile="session", interaction="qa")
    await formed(with_model(parts, model), scope, user("I want to know when the bridge opens."), assistant("On 3 May."))
    assert "These are questions and answers" in model.calls[0].user


async def test_s1_without_a_model_a_sessions_statements_have_its_types(engine: AsyncToldOnce) -> None:
    kept = await formed(engine, SESSION, user("I live in Oslo. I love jazz."), assistant("Good."))
    assert {memory.type for memory in kept} == {"fact", "preference"}
    assert {memory.kind for memory in kept} == {MemoryKind.NOTE}
    assert await versions(engine) == {"rules-4.typed"}


async def test_s1_what_two_facts_say_of_the_same_words_is_told_once(engine: AsyncToldOnce) -> None:
    kept = await formed(engine, SESSION, user("I prefer short answers, and my deadline is Friday."), assistant("Good."))
    [told] = [memory for memory in kept if "short" in memory.text]
    assert told.text.startswith('The user said: "I prefer short answers')


async def test_nothing_is_formed_of_what_the_built_in_model_says(engine: AsyncToldOnce) -> None:
    said = {**assistant("I am ToldOnce's built-in model. I live in Oslo and love jazz."), "name": "toldonce/offline"}
    assert await formed(engine, SESSION, user("What do you know of me?"), said) == []


async def test_c7_c8_a_character_keeps_records_of_the_recent_turns(engine: AsyncToldOnce) -> None:
    scope = RequestScope(profile="character", characters=CHARACTERS)
    said = [(f"Turn {place}, and nothing else.", "Hm.") for place in range(4)]
    said.append(
        (
            "I was afraid of the dark when I was a child in the old house.",
            "I decided to leave the lighthouse before the first snow falls in the north.",
        )
    )
    messages = [message for asked, told in said for message in (user(asked), assistant(told))]
    kept = await formed(engine, scope, *messages)
    assert {(memory.type, memory.speaker) for memory in kept} == {("NOTE", "Marcus"), ("DECISION", "Kira")}
    record = next(memory for memory in kept if memory.speaker == "Kira")
    assert record.text == f"Kira said: {said[-1][1]}"
    assert record.detail.summary
    assert record.detail.source_uri == f"toldonce://{record.evidence[0].conversation}/10"
    assert record.detail.source_context == f"Marcus and Kira, 1 January 2026; Marcus said: {said[-1][0]}"
    assert record.detail.tags == ("pair:kira+marcus",)
    assert await versions(engine) == {"records-1"}


async def test_c8_long_content_is_found_by_its_end(engine: AsyncToldOnce) -> None:
    scope = RequestScope(profile="character", characters=CHARACTERS)
    long = (
        "I decided to tell you all. "
        + "The sea was calm and the gulls cried. " * 60
        + "The treasure lies under the mill."
    )
    messages = [
        message
        for place in range(5)
        for message in (user(f"Go on, {place}."), assistant(long if place == 4 else "Hm."))
    ]
    [record] = await formed(engine, scope, *messages)
    found = await engine.vectors.nearest(query="treasure under the mill", user=record.subject)
    assert found[0].memory.id == record.id
    assert found[0].similarity > 0.3, "one vector of all of it would be near nothing"


async def test_a_periodic_profile_asks_once_for_all_its_turns(parts: Components) -> None:
    model = ScriptedModel([[]])
    scope = RequestScope(profile="character", characters=CHARACTERS)
    messages = [
        message for place in range(5) for message in (user(f"I walked {place} miles."), assistant("I saw you walk."))
    ]
    await formed(with_model(parts, model), scope, *messages)
    assert len(model.calls) == 1
    assert "I walked 0 miles" in model.calls[0].user
    assert "I walked 4 miles" in model.calls[0].user


async def test_u4_sentences_of_the_user_alone(engine: AsyncToldOnce, parts: Components) -> None:
    scope = RequestScope(profile="user")
    model = ScriptedModel([{"memories": ["The user moved to Oslo.", "The user owns a yacht."]}])
    kept = await formed(with_model(parts, model), scope, user("I moved to Oslo."), assistant("You own a yacht?"))
    assert [(memory.text, memory.evidence[0].quote) for memory in kept] == [
        ("The user moved to Oslo.", "I moved to Oslo.")
    ]
    assert ["none holds its words" in reason for reason in await reasons(engine, scope)] == [True]


async def test_t4_t5_facts_alone_with_their_floors(engine: AsyncToldOnce, parts: Components) -> None:
    def fact(key: str, value: str, **more: object) -> dict[str, object]:
        return {"category": "identity", "key": key, "value": value, "message": 1, "quote": f"{value}", **more}

    answer = {
        "memories": [
            fact("location", "Oslo", confidence=1.0, importance=0.8),
            fact("location", "Oslo", confidence=0.9),
            fact("name", "Ana", confidence=0.3),
            fact("shoe_size", "forty", importance=0.1),
            fact("mood", "happy"),
            fact("job", "nurse", category="work"),
        ]
    }
    scope = RequestScope(profile="tiered")
    said = user("I live in Oslo, call me Ana maybe, I am a nurse, happy, and wear size forty.")
    kept = await formed(with_model(parts, ScriptedModel([answer])), scope, said, assistant("Fine."))
    assert [(memory.kind, memory.key, memory.value) for memory in kept] == [(MemoryKind.FACT, "location", "Oslo")]
    told = " / ".join(sorted(await reasons(engine, scope)))
    for why in ("known already", "confidence 0.30", "importance 0.10", "passes with it", "category is one of"):
        assert why in told


async def test_t5_without_a_model_the_same_is_kept_and_refused(engine: AsyncToldOnce) -> None:
    said = user("I live in Oslo. We discussed the budget. I'm currently working on the login page.")
    kept = await formed(engine, RequestScope(profile="tiered"), said, assistant("Fine."))
    assert [(memory.key, memory.value) for memory in kept] == [("location", "Oslo")]


APP = RequestScope(profile="app", app="calendar")
TALK = (
    user("I want to plan a trip to Bergen in May."),
    assistant("The ferry to Bergen sails on 3 May at nine."),
    user("I decided to take the ferry, and my sister comes along."),
    assistant("I booked two places on the ferry for you."),
)


async def test_a1_an_ended_conversation_makes_one_memory_that_rests_on_it(
    engine: AsyncToldOnce, parts: Components
) -> None:
    text = "The user plans a trip to Bergen in May. The ferry sails on 3 May, and two places are booked."
    model = ScriptedModel([{"text": text, "messages": [1, 2, 4], "importance": 7, "tags": ["travel"]}])
    formed_by = with_model(parts, model)
    assert await formed(formed_by, APP, *TALK) == [], "nothing before the end"
    [kept] = await formed(formed_by, APP, conversation="c1", end=True)
    assert (kept.text, kept.importance, kept.detail.tags) == (text, 0.7, ("travel",))
    assert [source.seq for source in kept.evidence] == [1, 2, 4]
    assert {source.quote for source in kept.evidence} == {""}
    assert len(model.calls) == 1
    assert all(message["content"] in model.calls[0].user for message in TALK)


async def test_a1_without_a_model_the_paragraph_is_made_of_what_was_said(engine: AsyncToldOnce) -> None:
    [kept] = await formed(engine, APP, *TALK, end=True)
    assert len(kept.text) <= 200, "A6"
    assert kept.text.startswith("The user said: I want to plan a trip to Bergen in May.")
    assert await versions(engine) == {"extract-1"}


async def test_a1_a_conversation_of_greetings_leaves_a_reason_and_no_memory(engine: AsyncToldOnce) -> None:
    assert await formed(engine, APP, user("Hello!"), assistant("Hi!"), end=True) == []
    assert await reasons(engine, APP) == ["nothing was said in the conversation that is worth a memory"]


async def test_a_paragraph_that_the_conversation_does_not_bear_out_is_refused(
    engine: AsyncToldOnce, parts: Components
) -> None:
    made_up = {"text": "Somebody bought a castle near Vienna and sold every horse.", "messages": [1], "importance": 9}
    assert await formed(with_model(parts, ScriptedModel([made_up])), APP, *TALK, end=True) == []
    assert await reasons(engine, APP) == ["says what is not in the conversation"]


async def test_a1_a_conversation_of_many_turns_makes_one_paragraph(
    engine: AsyncToldOnce, parts: Components, clock: FakeClock
) -> None:
    model = ScriptedModel([{"text": "The user walked many miles to the harbour."}])
    messages = [
        message for place in range(60) for message in (user(f"I walked {place} miles."), assistant("To the harbour?"))
    ]
    [kept] = await formed(with_model(parts, model), APP, *messages, end=True)
    assert len(kept.evidence) == 120
    assert len(model.calls) == 1


async def test_c1_c7_a_conversation_of_every_turn_reads_the_reply_alone(engine: AsyncToldOnce) -> None:
    scope = RequestScope(profile="character", characters=CHARACTERS)
    options = {"memoryExtractionMode": "every_turn"}
    await engine.conversations.open("c1", user="ana", scope=scope, options=options)
    said = "I decided to leave the old house by the sea before the winter begins."
    [record] = await formed(
        engine, scope, user(said), assistant("I learned that the ferry to Bergen sails at nine tomorrow.")
    )
    assert (record.speaker, record.type) == ("Kira", "DISCOVERY")


async def test_s4_s14_a_sessions_own_threshold_holds(engine: AsyncToldOnce, parts: Components) -> None:
    item = {"type": "fact", "content": "The user lives in Oslo.", "importance": 0.5, "quote": "I live in Oslo"}
    await engine.conversations.open("c1", user="ana", scope=SESSION, options={"extraction-threshold": 0.6})
    formed_by = with_model(parts, ScriptedModel([{"memories": [item]}]))
    assert await formed(formed_by, SESSION, user("I live in Oslo."), assistant("Good.")) == []
    assert await reasons(engine, SESSION) == ["importance 0.50 is below 0.60"]
