"""Secrets stay in the log: nothing that is derived from a message, and no prompt, holds one."""

import pytest

from sample_chats import ALL_KINDS, asks, request, tell, user, with_model
from toldonce.engine import AsyncToldOnce, Components
from toldonce.ids import id_text
from toldonce.testing import ScriptedModel
from toldonce.text import term_key, terms
from toldonce.types import MemoryKind

SECRETS = {
    "card": ("4111 1111 1111 1111", "My card number is 4111 1111 1111 1111, and I live in Oslo."),
    "key": ("sk-proj-abcdefghijklmnop1234", "I live in Oslo and my API key is sk-proj-abcdefghijklmnop1234."),
    "password": ("hunter2", "I live in Oslo. My password is hunter2!"),
    "token": (
        "ghp_abcdefghijklmnopqrstuvwxyz012345",
        "I work for Acme. I live in Oslo. Use ghp_abcdefghijklmnopqrstuvwxyz012345.",
    ),
}
each = pytest.mark.parametrize(("secret", "said"), SECRETS.values(), ids=SECRETS)


@each
async def test_no_note_fact_decision_or_evidence_holds_it(engine: AsyncToldOnce, secret: str, said: str) -> None:
    await tell(engine, said)
    derived = await engine.list(user="ana", kinds=(MemoryKind.NOTE, MemoryKind.FACT), closed=True)
    assert any("Oslo" in memory.text for memory in derived), "what stands beside it is remembered"
    assert secret not in str(derived)
    assert secret not in str(await engine.history.decisions(user="ana"))


@each
async def test_no_word_of_it_finds_anything(engine: AsyncToldOnce, parts: Components, secret: str, said: str) -> None:
    await tell(engine, said)
    snapshot = await parts.store.snapshots.snapshot(engine.subject("ana"), parts.embedder.space)
    keys = {term_key(snapshot.salt, term) for term in terms(secret)}
    assert keys
    assert not keys & set(snapshot.terms.tolist())
    found = await engine.search(secret, user="ana")
    assert secret not in str([item.memory.text for item in found.items])


@each
async def test_no_prompt_holds_it(engine: AsyncToldOnce, secret: str, said: str) -> None:
    await tell(engine, said)
    for question in ("Where do I live, and what is my number, key or password?", f"Oslo {secret[:6]}?"):
        turn = await engine.turns.prepare(request(user(question)), asks("ana"), mode="split")
        assert "Oslo" in turn.body.decode()
        assert secret not in turn.body.decode()


@each
async def test_no_model_that_forms_is_shown_it(
    engine: AsyncToldOnce, parts: Components, secret: str, said: str
) -> None:
    await engine.add(f"The user lives in Oslo; {said}", user="ana")
    model = ScriptedModel(lambda system, asked: {"memories": []})
    await tell(with_model(parts, model), said, "I live in Oslo with my cat.")
    assert model.calls
    assert not any(secret in call.user for call in model.calls)


async def test_the_log_itself_keeps_the_message_as_it_came(engine: AsyncToldOnce) -> None:
    _, said = SECRETS["password"]
    await tell(engine, said)
    [conversation] = await engine.conversations.list(user="ana")
    assert [message.text for message in await engine.conversations.messages(conversation.id, user="ana")] == [said]


async def test_a_quotation_is_recalled_with_its_secret_struck_out(engine: AsyncToldOnce) -> None:
    await tell(engine, "The bees hummed over my card 4111 1111 1111 1111 in the garden.")
    found = await engine.search("bees garden hummed", user="ana")
    [quotation] = [item.memory.text for item in found.items if item.memory.kind is MemoryKind.TURN]
    assert quotation == "The bees hummed over my card [card] in the garden."


async def test_errors_and_logs_of_a_failed_formation_hold_no_words(
    engine: AsyncToldOnce, parts: Components, caplog: pytest.LogCaptureFixture
) -> None:
    secret, said = SECRETS["password"]
    caplog.set_level("DEBUG")
    await tell(with_model(parts, ScriptedModel([{"memories": [{"text": said, "quote": said}]}])), said)
    assert secret not in caplog.text
    assert "Oslo" not in caplog.text
    assert secret not in str(await engine.admin.formations())
    listed = await engine.list(user="ana", kinds=ALL_KINDS)
    snapshot = await parts.store.snapshots.snapshot(engine.subject("ana"), parts.embedder.space)
    assert {id_text(id_) for id_ in snapshot.ids} == {memory.id for memory in listed}
