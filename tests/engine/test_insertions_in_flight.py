"""Memories that change while the prompt that shows them is on its way."""

import logging
from collections.abc import Sequence

import pytest

from append_only import ScriptedChat
from toldonce.engine import AsyncToldOnce
from toldonce.engine.prompt_ledger import ChatLedger
from toldonce.types import PromptInsertion, Subject


async def test_what_is_forgotten_while_its_prompt_is_written_is_no_error(
    engine: AsyncToldOnce, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    caplog.set_level(logging.INFO)
    secret = await engine.add("The safe of the user is in the cellar of the restaurant.", user="ana")
    add = ChatLedger.add

    async def late(ledger: ChatLedger, home: Subject, insertions: Sequence[PromptInsertion]) -> None:
        await engine.forget(secret.id, user="ana")
        await add(ledger, home, insertions)

    chat = ScriptedChat(engine)
    with monkeypatch.context() as patch:
        patch.setattr(ChatLedger, "add", late)
        assert b"safe" in (await chat.ask("Where is my safe, in which cellar?", "There.")).body
        await engine.turns.close()

    assert b"safe of the user" not in (await chat.ask("Good.", "Yes.")).body
    assert [line.levelname for line in caplog.records if "an insertion was not kept" in line.getMessage()] == ["INFO"]
