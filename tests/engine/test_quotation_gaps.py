"""A quotation has every word that its speaker wrote, in order, and a mark where others' words are left out."""

import pytest

from sample_chats import user
from stores import DIALECTS
from toldonce.engine import AsyncToldOnce
from toldonce.prompt.escape import escape_quotation
from toldonce.types import MemoryKind

GAP = "…"
QUOTED = {
    "code between": (
        "We use pnpm here.\n```js\nconst one = require('npm')\n```\nTests live in spec/.",
        ("We use pnpm here.", GAP, "Tests live in spec/."),
    ),
    "mail answered inline, English": (
        "On Tuesday Ana wrote:\n> When do you land?\nI land at nine.\n> Do you eat fish?\nI am allergic to fish.",
        (GAP, "I land at nine.", GAP, "I am allergic to fish."),
    ),
    "mail answered inline, German": (
        "Am Montag schrieb Ben:\n> Kommst du?\nIch komme um acht.\n> Isst du Fleisch?\nIch bin Vegetarier.",
        (GAP, "Ich komme um acht.", GAP, "Ich bin Vegetarier."),
    ),
    "mail answered inline, French": (
        "Le 3 mai, Luc a écrit :\n> Tu viens ?\nJe travaille samedi à Lyon.\n> Et Zoé ?\nElle est végane.",
        (GAP, "Je travaille samedi à Lyon.", GAP, "Elle est végane."),
    ),
    "log between, Spanish": (
        "Mi servidor falla.\n2026-03-01 12:00:01 ERROR worker died\n2026-03-01 12:00:02 ERROR giving up\n"
        "Lo uso en una Raspberry Pi.",
        ("Mi servidor falla.", GAP, "Lo uso en una Raspberry Pi."),
    ),
    "mail behind, Italian": (
        "Ci vado, amo il jazz.\n\n---------- Messaggio inoltrato ----------\nDa: Kim\nOggetto: jazz\nOdio il jazz.",
        ("Ci vado, amo il jazz.", GAP),
    ),
    "quoted lines, Chinese": ("我住在成都。\n> 你喜欢吃鱼吗？\n我对鱼过敏。", ("我住在成都。", GAP, "我对鱼过敏。")),
    "quoted lines, Arabic": ("أعيش في عمّان.\n> هل تحب القهوة؟\nأحب القهوة.", ("أعيش في عمّان.", GAP, "أحب القهوة.")),
    "code tags in a line": (
        "In our repo use <code>pnpm</code>, never <code>npm</code>.",
        ("In our repo use <code>pnpm</code>, never <code>npm</code>.",),
    ),
    "one horizontal rule": ("I moved to Turku.\n---\nMy knee hurts.", ("I moved to Turku. --- My knee hurts.",)),
    "dashes": ("— Mam psa\n— Mieszkam w Gdyni\n— Nie jem mięsa", ("— Mam psa — Mieszkam w Gdyni — Nie jem mięsa",)),
    "times": ("My day:\n7:00\nI run.\n8:00\nI take my insulin.", ("My day: 7:00 I run. 8:00 I take my insulin.",)),
    "phone": ("Я живу в Казани.\n\nSent from my iPhone", ("Я живу в Казани. Sent from my iPhone",)),
    "joke": ("I own nine yachts. Just kidding, I have a canoe.", ("I own nine yachts. Just kidding, I have a canoe.",)),
}


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.mark.parametrize("name", QUOTED)
async def test_a_quotation_marks_what_it_leaves_out_and_nothing_else(engine: AsyncToldOnce, name: str) -> None:
    text, parts = QUOTED[name]
    await engine.record([user(text)], user="ana")
    await engine.form()

    [listed] = await engine.list(user="ana", kinds=[MemoryKind.TURN])
    assert escape_quotation(listed.text) == " ".join(parts)
    found = await engine.search(f"{parts[-2 if parts[-1] == GAP else -1]} Really so", user="ana")
    assert listed.text in [item.memory.text for item in found.items]
