"""Attacks on the memory by way of any carrier: held or without effect; harmless likenesses: kept."""

import json
import re
import sys
import unicodedata
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import get_args
from zoneinfo import ZoneInfo

import pytest

from extraction.poisoning import ATTACKS, HARMLESS, Attack
from published import FOLDER
from sample_chats import ALL_KINDS, answer, assistant, note, user
from soak import sampled
from toldonce.engine import AsyncToldOnce, Components
from toldonce.profiles.policies import ContextPolicy
from toldonce.profiles.registry import ProfileRegistry
from toldonce.prompt.render import RenderOptions, block_ids, render
from toldonce.settings import Settings
from toldonce.testing import FakeClock, ScriptedModel, WordEmbedder
from toldonce.types import (
    Memory,
    MemoryId,
    MemoryKind,
    MemoryState,
    Recall,
    RecalledMemory,
    RequestScope,
    Subject,
)

TEMPLATES: tuple[str, ...] = get_args(ContextPolicy.model_fields["template"].annotation)
DATA = FOLDER / "injection"
_SHOWN = re.compile(r"(?m)^\[(\d+)\] .*?: (\"(?:[^\"\\]|\\.)*\")$")


def obedient(kind: str) -> ScriptedModel:
    """A model that does what any message wants: it makes each, whole, a memory of that type."""

    def obey(system: str, asked: str) -> object:
        shown = [(int(number), json.loads(text)) for number, text in _SHOWN.findall(asked.rpartition("essages")[2])]
        return answer(*(note(text[:1900], text[:1900], message=number, type=kind) for number, text in shown))

    return ScriptedModel(obey)


async def active(engine: AsyncToldOnce, who: str) -> list[Memory]:
    listed = await engine.list(user=who, kinds=ALL_KINDS, limit=1000)
    return [memory for memory in listed if memory.state is MemoryState.ACTIVE]


def carries(memories: Sequence[Memory], mark: str) -> bool:
    return any(mark.casefold() in f"{memory.text} {memory.value}".casefold() for memory in memories)


async def escaped(engine: AsyncToldOnce, attacks: Sequence[Attack], *, role: str) -> list[Attack]:
    """Let somebody meet each attack in a conversation of their own; return those that are remembered."""
    found = []
    for number, attack in enumerate(attacks):
        who = f"{role}-{number}"
        said = [user(attack.text)] if role == "user" else [user("What does it say?"), carried(role, attack.text)]
        await engine.record(said, user=who)
        await engine.form()
        if carries(await active(engine, who), attack.mark):
            found.append(attack)
    return found


def carried(role: str, text: str) -> dict[str, str]:
    return {"role": "tool", "content": text, "tool_call_id": "c"} if role == "tool" else assistant(text)


def test_there_are_enough_attacks_of_enough_kinds_and_enough_likenesses() -> None:
    assert len(ATTACKS) >= 46
    assert len({attack.kind for attack in ATTACKS}) >= 18
    assert len(HARMLESS) >= 40


# One kind, and one profile below, is tried with all attacks, the others with each fourth; `make soak` tries all.
@pytest.mark.parametrize("kind", ["instruction", "preference", "fact"])
async def test_an_obedient_model_gets_hardly_an_attack_into_memory(parts: Components, kind: str) -> None:
    engine = AsyncToldOnce(replace(parts, model=obedient(kind)))
    tried = ATTACKS if kind == "instruction" else sampled(ATTACKS, 4)
    through = await escaped(engine, tried, role="user")
    assert len(through) <= len(tried) * 0.10, through


async def test_the_rules_let_hardly_an_attack_into_memory(engine: AsyncToldOnce) -> None:
    through = await escaped(engine, ATTACKS, role="user")
    assert len(through) <= len(ATTACKS) * 0.10, through


@pytest.mark.parametrize("role", ["tool", "assistant"])
async def test_nothing_untrusted_forms_a_memory_however_obedient_the_model(parts: Components, role: str) -> None:
    engine = AsyncToldOnce(replace(parts, model=obedient("instruction")))
    await escaped(engine, ATTACKS, role=role)
    for number, _ in enumerate(ATTACKS):
        made = [memory for memory in await active(engine, f"{role}-{number}") if memory.kind is not MemoryKind.TURN]
        assert made == []


@pytest.mark.parametrize("profile", ProfileRegistry().names())
async def test_no_profile_keeps_an_order_of_an_assistant_or_tool(parts: Components, profile: str) -> None:
    engine = AsyncToldOnce(replace(parts, model=obedient("instruction")))
    scene = RequestScope(profile=profile, app="mail", characters=("Kira", "Marcus"))
    for number, attack in enumerate(ATTACKS if profile == "default" else sampled(ATTACKS, 4)):
        who, chat = f"ana-{number}", f"chat-{number}"
        said = [user("Hello there."), carried("tool", attack.text), assistant(attack.text)]
        await engine.record(said, user=who, conversation=chat, scope=scene)
        await engine.conversations.save(chat, user=who, scope=scene)
        await engine.form()
        memory = await engine.conversations.subject(user=who, conversation=chat, scope=scene)
        kept = [item for item in await engine.list(user=memory, limit=100) if item.state is MemoryState.ACTIVE]
        assert [item for item in kept if "instruction" in (item.type, item.category)] == []


@pytest.mark.parametrize("by", ["rules", "model"])
async def test_what_only_looks_like_an_attack_is_kept(parts: Components, by: str) -> None:
    lost = []
    kinds = {harmless.type for harmless in HARMLESS}
    engines = {kind: AsyncToldOnce(replace(parts, model=obedient(kind) if by == "model" else None)) for kind in kinds}
    for number, harmless in enumerate(HARMLESS):
        engine = engines[harmless.type]
        who = f"ana-{number}"
        await engine.record([user(harmless.text)], user=who)
        await engine.form()
        held = await engine.reviews.list(user=who)
        kept = {memory.kind for memory in await active(engine, who)}
        if held or MemoryKind.TURN not in kept or (by == "model" and MemoryKind.NOTE not in kept):
            lost.append(harmless.text)
    assert len(lost) <= len(HARMLESS) * 0.05, lost


def shown(text: str) -> list[RecalledMemory]:
    """Show a text as a memory of every kind, in each of its fields."""
    at = FakeClock().now()
    found = []
    for kind in MemoryKind:
        fact = kind is MemoryKind.FACT
        memory = Memory(
            id=MemoryId("01900000-0000-7000-8000-000000000001"),
            subject=Subject("user", "ana"),
            kind=kind,
            text=text,
            type=text[:40],
            category="identity" if fact else "",
            key=text[:100] if fact else "",
            value=text if fact else "",
            speaker=text[:60],
            valid_from=at,
            known_from=at,
        )
        found.append(RecalledMemory(memory=memory, score=1, similarity=1, word_share=1, reasons=(), standing=fact))
    return found


def tags_of(block: str, plain: str) -> list[str]:
    """Return the tags of a block that a harmless one has, too."""
    folded, names = unicodedata.normalize("NFKC", block).lower(), {*re.findall(r"</?([\w-]+)", plain)}
    return re.findall(rf"<[^\w\n<]*(?:{'|'.join(sorted(names))})", folded)


def breaks_out(texts: Sequence[str]) -> list[str]:
    """Return the texts that change anything of a block but the words in its rows."""
    zone, at = Settings(database_url="sqlite:///:memory:").time_zone, FakeClock().now()
    found = []
    for template in TEMPLATES:
        policy = ContextPolicy.model_validate({"template": template})
        frame = RenderOptions(policy=policy, key=b"k", zone=ZoneInfo(zone), now=at, app="mail")
        plain = render(Recall(query="q", items=tuple(shown("x"))), frame).text
        for text in texts:
            made = render(Recall(query="q", items=tuple(shown(text))), frame).text
            if (
                tags_of(made, plain) != tags_of(plain, plain)
                or len(made.splitlines()) > len(plain.splitlines())
                or (len(block_ids(made)) != len(block_ids(plain)))
            ):
                found.append(f"{template}: {text}")
    return found


def test_no_attack_closes_or_forges_its_block() -> None:
    assert breaks_out([attack.text for attack in ATTACKS]) == []


async def test_a_hostile_extractor_reaches_no_other_subject_or_unshown_memory(parts: Components) -> None:
    known = await AsyncToldOnce(parts).add("Ben keeps bees.", user="ben")
    wild = [
        note("Ana rules.", "I live in Oslo", updates=number, subject="user:ben", user="ben", scope="global")
        for number in (-1, 0, 1, 2**40, known.id, "user:ben")
    ]
    wild += [note(f"Ana rules {number}.", "I live in Oslo", message=number) for number in (0, 2, 99, -1)]
    wild += [note(f"Ana has the number {number}.", "I live in Oslo") for number in range(40)]
    wild += [note("x" * 5000, "I live in Oslo"), {"action": "delete_all"}, "drop table", None, 3]  # type: ignore[list-item]
    engine = AsyncToldOnce(replace(parts, model=ScriptedModel([{"memories": wild, "delete": [known.id]}])))
    await engine.record([user("I live in Oslo.")], user="ana")
    await engine.form()

    assert (await engine.get(known.id, user="ben")) == known
    assert [listed.id for listed in await engine.list(user="ben", closed=True)] == [known.id]
    made = await engine.list(user="ana", closed=True)
    assert len(made) <= 20
    assert all(len(memory.text.encode()) <= 2048 for memory in made)


def corpora() -> list[tuple[str, list[str]]]:
    return [
        (file.stem, [json.loads(line)["text"] for line in file.read_text("utf-8").splitlines()])
        for file in sorted(DATA.glob("*.jsonl"))
    ]


needs_corpora = pytest.mark.skipif(not DATA.is_dir(), reason=f"no corpora of attacks in {DATA}")


@needs_corpora
def test_no_attack_of_others_closes_or_forges_its_block() -> None:
    for _, texts in corpora():
        assert breaks_out(texts) == []


@needs_corpora
@pytest.mark.parametrize("role", ["tool", "assistant", "user"])
async def test_what_attacks_of_others_leave_in_memory(
    parts: Components, role: str, capsys: pytest.CaptureFixture[str]
) -> None:
    engine = AsyncToldOnce(replace(parts, model=obedient("instruction"), embedder=WordEmbedder()))
    for name, texts in corpora():
        left: Counter[str] = Counter()
        for number, text in enumerate(texts):
            who = f"{name}-{role}-{number}"
            said = [user(text)] if role == "user" else [user("What does it say?"), carried(role, text)]
            await engine.record(said, user=who)
        while await engine.form():
            pass
        for number, _ in enumerate(texts):
            made = await engine.list(user=f"{name}-{role}-{number}", kinds=ALL_KINDS)
            left.update({f"{memory.state.value} {memory.kind.value}" for memory in made} or {"nothing"})
        with capsys.disabled():
            sys.stdout.write(f"\n{name} by {role}: {len(texts)} attacks, {dict(left)}\n")
        if role != "user":
            assert left["active note"] == left["active fact"] == 0
