"""Evidence on every memory: whoever forms it, under whatever profile, it names who said what, where."""

import json
import re
from dataclasses import replace

import pytest

from sample_chats import ALL_KINDS, assistant, note, user
from toldonce.engine import AsyncToldOnce, Components, owned_subject
from toldonce.extraction.sources import readable_text
from toldonce.profiles.registry import ProfileRegistry
from toldonce.testing import ScriptedModel
from toldonce.text import normalise
from toldonce.types import LoggedMessage, Memory, MemoryKind, MemoryState, RequestScope

SAID = (
    user("Hi! I'm allergic to peanuts and I moved from Rome to Oslo in May. My password is hunter2."),
    assistant("Kira found a key under the mat, and she decided to keep it for Marcus."),
    user("My sister Eva runs a restaurant in Lima. I love jazz, and I work as a nurse."),
    assistant("The plan failed because the bridge was closed; next time Kira takes the ferry."),
    user("Please always answer in Norwegian."),
    assistant("Of course. Marcus agreed to meet Kira at the harbour on Friday."),
)
_SHOWN = re.compile(r"(?m)^\[(\d+)\] .*?: (\"(?:[^\"\\]|\\.)*\")$")


def careless(system: str, asked: str) -> object:
    """A model that takes every message for a memory, quotes some well, and some not at all."""
    shown = [(int(number), json.loads(text)) for number, text in _SHOWN.findall(asked.rpartition("essages")[2])]
    found = []
    for number, text in shown:
        shape = {"content": text, "summary": text, "category": "identity", "key": f"said_{number}:x", "value": text}
        found.append(note(text, text, message=number, **shape))
        found.append(note(f"Nobody said this {number}.", "words that stand nowhere", message=number, **shape))
        found.append(note(f"Elsewhere {number}.", text, message=number + 40, **shape))
    text = " ".join(text for _, text in shown)
    return {"memories": found, "text": text, "messages": [number for number, _ in shown]}


async def formed(engine: AsyncToldOnce, profile: str) -> tuple[list[Memory], dict[int, LoggedMessage]]:
    """Hold the conversation under a profile; return what is known of it, and its log."""
    scope = RequestScope(profile=profile, app="notes", characters=("Kira", "Marcus"))
    recorded = await engine.record(SAID, user="ana", conversation="chat", scope=scope)
    await engine.conversations.save("chat", user="ana", scope=scope)
    await engine.form()
    await engine.conversations.end("chat", user="ana", scope=scope)
    await engine.form()
    memory = await engine.conversations.subject(user="ana", conversation="chat", scope=scope)
    known = await engine.list(user=memory, kinds=ALL_KINDS, limit=1000)
    if engine.profile(profile).subject.with_app:
        known += await engine.list(user=owned_subject("app", memory, "notes"), kinds=ALL_KINDS, limit=1000)
    log = await engine.conversations.messages(recorded.conversation, user="ana")
    return [memory for memory in known if memory.state is not MemoryState.CLOSED], {
        message.seq: message for message in log
    }


@pytest.mark.parametrize("extractor", ["rules", "model"])
@pytest.mark.parametrize("profile", ProfileRegistry().names())
async def test_every_memory_names_its_speaker_its_message_and_a_quote_found_in_it(
    parts: Components, profile: str, extractor: str
) -> None:
    engine = AsyncToldOnce(replace(parts, model=ScriptedModel(careless) if extractor == "model" else None))
    known, log = await formed(engine, profile)

    assert [memory for memory in known if memory.kind is not MemoryKind.TURN]
    sources = set(engine.profile(profile).form.sources)
    for memory in known:
        assert memory.evidence, memory
        assert memory.speaker
        for source in memory.evidence:
            message = log[source.seq]
            assert source.role == message.role
            assert source.speaker in (message.name, message.role, "Kira", "Marcus")
            assert source.hash == message.hash
            assert source.said_at == message.said_at
            assert "hunter2" not in source.quote
            if memory.kind is MemoryKind.TURN:
                continue
            assert source.role in sources
            # A summary rests on the messages of its range, whole.
            summary = memory.kind is MemoryKind.EPISODE or engine.profile(profile).form.extractor == "paragraph"
            assert bool(source.quote) is not summary
            said = normalise(readable_text(message.text, quotations=message.role == "assistant"))
            assert normalise(source.quote.rstrip(".")) in said
        assert "stand nowhere" not in memory.text
        assert "hunter2" not in memory.text
