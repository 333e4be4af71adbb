"""Nothing is lost between extraction and store: what was said twice, in any order, is there once with its sources."""

from collections import defaultdict
from collections.abc import AsyncIterator
from dataclasses import dataclass, replace
from datetime import UTC, datetime, timedelta
from random import Random

import pytest

from soak import sampled
from stores import DIALECTS
from toldonce.datasets.dataset import DatasetConversation, DatasetTurn, Observation
from toldonce.engine import AsyncToldOnce, Components
from toldonce.evaluation.extraction_modes import RecordedModel, ShapedProfiles
from toldonce.providers.static_embedder import StaticEmbedder
from toldonce.resolution.relation import same
from toldonce.types import Memory, MemoryKind, MemoryState

BEGINNING = datetime(2025, 3, 1, 9, tzinfo=UTC)
ROLES = {"Ana": "user", "Ben": "assistant"}

# Session by session: who speaks, the words, and what an extractor makes of them.
SESSIONS: tuple[tuple[tuple[str, str, tuple[str, ...]], ...], ...] = (
    (
        (
            "Ana",
            "My bees in Oslo are doing well, all three hives.",
            ("Ana keeps bees in Oslo.", "Ana has three hives."),
        ),
        ("Ben", "I ran five kilometres today, in the rain.", ("Ben ran 5 km in the rain.",)),
        ("Ana", "It means so much that you are my friend.", ("Ana values her friendship with Ben.",)),
        ("Ben", "Mia has been giving me Spanish lessons.", ("Mia teaches Ben Spanish.",)),
    ),
    (
        ("Ben", "How are the bees you keep over in Oslo?", ("ana keeps bees in oslo",)),
        ("Ana", "I help out at the shelter on Fridays.", ("Ana volunteers at a homeless shelter.",)),
        ("Ben", "Ten kilometres this time, and it poured!", ("Ben ran 10 km in the rain.",)),
        ("Ana", "I met Eva down at the harbour.", ("Ana met Eva at the harbour.",)),
    ),
    (
        (
            "Ana",
            "I gave some talks at the shelter where I volunteer, and they were kind about them.",
            ("Ana gave talks at the homeless shelter where she volunteers and received compliments for them.",),
        ),
        ("Ben", "Your friendship is worth a lot to me as well.", ("Ben values his friendship with Ana.",)),
        ("Ana", "Mia was at the harbour, what a surprise.", ("Ana met Mia at the harbour.",)),
        ("Ben", "I visited Mia in May.", ("Ben visited Mia in May.",)),
    ),
    (
        ("Ana", "The bees? Still there in Oslo, of course.", ("Ana keeps bees, in  Oslo!",)),
        ("Ben", "I teach Mia a bit of Spanish slang now, too.", ("Ben teaches Mia Spanish.",)),
        ("Ana", "Of all of us only Eva does not play chess with Ben.", ("Eva does not play chess with Ben.",)),
        ("Ben", "Mia plays chess with me.", ("Mia plays chess with Ben.", "Ben visited Mia in June.")),
    ),
)


@dataclass(frozen=True, slots=True)
class Saying:
    """One message of the script."""

    turn: DatasetTurn
    facts: tuple[str, ...]


def script() -> list[list[Saying]]:
    told: list[list[Saying]] = []
    for number, session in enumerate(SESSIONS):
        began = BEGINNING + timedelta(days=7 * number)
        told.append(
            [
                Saying(
                    DatasetTurn(
                        id=f"{number}.{place}",
                        session=str(number),
                        role="user" if ROLES[speaker] == "user" else "assistant",
                        speaker=speaker,
                        text=words,
                        said_at=began + timedelta(minutes=place),
                    ),
                    facts,
                )
                for place, (speaker, words, facts) in enumerate(session)
            ]
        )
    return told


@pytest.fixture(params=DIALECTS)
def kind(request: pytest.FixtureRequest) -> str:
    return str(request.param)


@pytest.fixture
async def engine(parts: Components) -> AsyncIterator[AsyncToldOnce]:
    said = [saying for session in script() for saying in session]
    model = RecordedModel(parts.counter)
    model.learn(
        DatasetConversation(
            id="ana",
            turns=tuple(saying.turn for saying in said),
            questions=(),
            observations=tuple(
                Observation(text=fact, turns=(saying.turn.id,)) for saying in said for fact in saying.facts
            ),
        )
    )
    shaped = ShapedProfiles(None, "default", "observations")
    async with AsyncToldOnce(replace(parts, model=model, embedder=StaticEmbedder(), profiles=shaped)) as opened:
        yield opened


async def tell_all(engine: AsyncToldOnce, seed: int) -> dict[tuple[str, int], Saying]:
    """Tell all sessions in one order and then again, as new conversations, in another; return what message is which."""
    random = Random(seed)
    messages: dict[tuple[str, int], Saying] = {}
    for told in ("once", "again"):
        sessions = script()
        random.shuffle(sessions)
        for session in sessions:
            recorded = await engine.record(
                [
                    {"role": saying.turn.role, "name": saying.turn.speaker, "content": saying.turn.text}
                    for saying in session
                ],
                user="ana",
                conversation=f"{session[0].turn.session}, {told}",
                said_at=[saying.turn.said_at for saying in session],
            )
            await engine.form()
            for seq, saying in zip(recorded.appended, session, strict=True):
                messages[recorded.conversation, seq] = saying
    return messages


def distinct() -> list[list[str]]:
    """Group the facts of the script: those that differ in case, spacing or punctuation alone are one."""
    groups: list[list[str]] = []
    for fact in (fact for session in script() for saying in session for fact in saying.facts):
        group = next((known for known in groups if same(known[0], fact)), None)
        if group is None:
            groups.append([fact])
        else:
            group.append(fact)
    return groups


@pytest.mark.soak
@pytest.mark.parametrize("seed", sampled(range(4), 2))
async def test_s5_every_distinct_fact_is_there_once_with_every_turn_that_says_it(
    engine: AsyncToldOnce, seed: int
) -> None:
    messages = await tell_all(engine, seed)
    await engine.admin.maintain(user="ana")
    listed = await engine.list(user="ana", kinds=(MemoryKind.NOTE, MemoryKind.FACT), closed=True, limit=1000)
    assert [known.text for known in listed if known.state is not MemoryState.ACTIVE] == []
    assert await engine.admin.formations(parked=True) == []

    groups = distinct()
    assert len(groups) == 16
    held: defaultdict[str, list[Memory]] = defaultdict(list)
    for memory in listed:
        held[next(group[0] for group in groups if same(group[0], memory.text))].append(memory)
    assert {text: len(memories) for text, memories in held.items()} == {group[0]: 1 for group in groups}
    for group in groups:
        [memory] = held[group[0]]
        rests_on = {(said.conversation, said.seq) for said in memory.evidence}
        saying = {key for key, message in messages.items() if any(fact in group for fact in message.facts)}
        assert rests_on == saying, f"{memory.text} rests on other turns than those that say it"
        assert len(saying) >= 2
