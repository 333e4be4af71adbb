"""What only repeats a recalled memory forms nothing, and that is told as a decision; what differs in a sign is read."""

import pytest

from recollect.chat.reply import Reply
from recollect.engine import AsyncRecollect
from sample_chats import asks, assistant, request, user

KNOWN = "The user's ferry to Aarhus leaves at 7 on Monday."
ASKED = "When does my ferry to Aarhus leave?"
ANSWER = "Early in the week."


async def told(engine: AsyncRecollect, words: str) -> list[tuple[str, str]]:
    """Recall a memory, then say something in the same conversation; return reasons and texts of the decisions."""
    await engine.add(KNOWN, user="ana")
    ana = asks("ana", conversation="ferry")
    first, second = request(user(ASKED)), request(user(ASKED), assistant(ANSWER), user(words))
    turn = await engine.turns.prepare(first, ana)
    assert [item.memory.text for item in turn.items] == [KNOWN]
    await engine.turns.finish(first, ana, Reply(text=ANSWER, complete=True), turn)
    await engine.form()
    await engine.turns.finish(second, ana, Reply(text="Noted.", complete=True), None)
    await engine.form()
    return [(line.reason, line.text) for line in await engine.decisions(user="ana")]


async def test_what_is_left_out_as_an_echo_is_a_decision(engine: AsyncRecollect) -> None:
    lines = await told(engine, f"* {KNOWN}\nI play the tuba in a brass band.")
    assert ("only repeats what was recalled", f"* {KNOWN}") in lines
    assert any("tuba" in text for _, text in lines)


@pytest.mark.parametrize("words", [KNOWN.replace("7", "9"), KNOWN.replace("Monday", "Friday"), f"{KNOWN[:-1]}? No."])
async def test_what_differs_in_a_sign_is_no_echo(engine: AsyncRecollect, words: str) -> None:
    assert "only repeats what was recalled" not in [reason for reason, _ in await told(engine, words)]
