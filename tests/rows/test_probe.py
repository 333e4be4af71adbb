import json
import httpx
from recollect.engine import AsyncRecollect, Components
from recollect.types import MemoryKind, RequestScope, Subject
from rows.scenes import KIRA, LIGHTHOUSE
from sample_chats import assistant, user
import pytest

H = {"x-recollect-profile": "character", "x-recollect-characters": "system=Kira; user=Marcus", "x-recollect-session": "c"}
SAID = [f"I learned that a silver key lies under the mossy stone number {n} of the yard." for n in range(5)]

@pytest.mark.parametrize("mid", [False, True])
@pytest.mark.parametrize("whole", [False, True])
async def test_periodic(engine: AsyncRecollect, api: httpx.AsyncClient, whole: bool, mid: bool) -> None:
    history = []
    async def send(text, n, keep=True):
        msgs = [*history, user(text)] if whole else [user(text)]
        headers = H | ({"x-recollect-message": f"m{n}"} if mid else {})
        a = await api.post("/v1/chat/completions", json={"model": "recollect/offline", "messages": msgs}, headers=headers)
        assert a.status_code == 200, a.text
        got = a.json()["choices"][0]["message"]["content"]
        if keep:
            history.extend([user(text), assistant(got)])
    out = []
    for n in range(4):
        await send(SAID[n], n)
        if n == 1:
            history_copy = list(history)
            del history[-2:]
            await send(SAID[n], n, keep=False)
            await send(SAID[n], n, keep=False)
            history[:] = history_copy
        await engine.form()
        kira = await engine.conversations.subject(user="ana", conversation="c", scope=KIRA)
        out.append(len(await engine.list(user=kira)))
    [conv] = await engine.conversations.list(user="ana")
    said = await engine.conversations.messages(conv.id, user="ana")
    print(whole, mid, out, [(m.seq, m.role, m.text[-12:]) for m in said])
    assert out == [0,0,0,0]

async def test_user_hi(engine: AsyncRecollect, api: httpx.AsyncClient) -> None:
    for said in ("The rate limit of our API is 100 requests a minute.", "I like strong coffee.", "My sister Mia is a nurse in Bergen.", "I play the cello.", "I own a boat called Wave.", "I am allergic to peanuts."):
        await engine.record([user(said)], user="ana", conversation=said, scope=RequestScope(profile="user"))
        await engine.form()
    for asked in ("hi", "Hello there!", "Thanks!", "ok great", "bonjour", "你好", "danke schön", "What is the capital of Mongolia?", "Explain photosynthesis."):
        a = await api.post("/v1/chat/completions", json={"model": "recollect/offline", "messages": [user(asked)]}, headers={"x-recollect-profile": "user", "x-openwebui-user-id": "ana"})
        print(asked, [m for m in a.json().get("memories", [])])

G = ["Good morning to you, dear Marcus, and welcome back to our little village by the sea!", "Guten Morgen, lieber Marcus, willkommen zurück in unserem kleinen Dorf am Meer!", "Buenos días, querido Marcus, bienvenido de nuevo a nuestro pequeño pueblo junto al mar!", "Bonjour mon cher Marcus, je suis ravie de te revoir dans notre petit village au bord de la mer !", "Hello! How are you doing today, my dear friend? It is so nice to see you again!", "Доброе утро, дорогой Маркус, добро пожаловать обратно в нашу маленькую деревню у моря!", "Welcome, welcome! Come in, sit down by the fire and make yourself at home, my friend.", "おはようございます、マーカスさん。またお会いできてとても嬉しいです。今日もよろしくお願いします。どうぞごゆっくりお過ごしください。"]
@pytest.mark.parametrize("role", ["user", "assistant"])
async def test_greet(engine: AsyncRecollect, role: str) -> None:
    for i, g in enumerate(G):
        turn = [user("Go on."), assistant(g)] if role == "assistant" else [user(g), assistant("Hm.")]
        await engine.record(turn, user="ana", conversation=f"c{i}", scope=KIRA)
        await engine.conversations.save(f"c{i}", user="ana", scope=KIRA)
        await engine.form()
    kira = await engine.conversations.subject(user="ana", conversation="c", scope=KIRA)
    print(role, [m.text for m in await engine.list(user=kira)])

async def test_session(engine: AsyncRecollect, api: httpx.AsyncClient) -> None:
    for body in ({"id": "a", "profile": "character", "settings": {"systemCharacter": "Kira", "userCharacter": "Marcus", "useMemory": True}},
        {"id": "a", "settings": {"maxMemoryContext": 2}},
        {"id": "u", "profile": "user", "settings": {}},
        {"id": "u2", "profile": "user", "settings": {"interaction": "qa"}},
        {"id": "u3", "profile": "user", "settings": {"context-limit": 3}},
        {"id": "ap", "profile": "app", "app": "calendar", "settings": {}},
        {"id": "t", "profile": "tiered", "settings": {"interaction": "qa"}},
        {"id": "d", "profile": "default", "settings": {}},
        {"id": "s", "settings": {"context-limit": 3}},
        {"id": "s", "settings": {"enabled": False}},
    ):
        a = await api.post("/api/sessions", json=body)
        print(body, "->", a.status_code, a.text)
    for h in ({"x-recollect-profile": "character"}, {"x-recollect-profile": "tiered"}):
        a = await api.post("/api/sessions", json={"id": "h"+h["x-recollect-profile"], "settings": {}}, headers=h)
        print(h, a.status_code, a.text)
    # session that exists from its first message under character, then settings without profile
    b = {"model": "recollect/offline", "messages": [user("hi")]}
    for hdr in (H | {"x-recollect-session": "m"}, {"x-recollect-profile": "session", "x-recollect-session": "n"}, {"x-recollect-session": "o"}):
        await api.post("/v1/chat/completions", json=b, headers=hdr)
    for n, st in (("m", {"maxMemoryContext": 2}), ("n", {"context-limit": 3}), ("o", {"context-limit": 3}), ("o", {})):
        a = await api.post("/api/sessions", json={"id": n, "settings": st})
        print(n, st, a.status_code, a.text)
    assert (await api.get("/api/sessions/a")).status_code == 200
    print((await api.get("/api/sessions/a")).text)
