"""Stories of several sessions through the proxy: prompts contain nothing false that is not listed, and lack little."""

import asyncio
import tomllib
from dataclasses import replace
from functools import cache
from pathlib import Path

import pytest

from soak import SOAK, only_whole, sampled
from stores import DURABLE, url_of
from tables import check_each
from toldonce.providers.multilingual_embedder import MultilingualEmbedder

from .chat import AskedTurn, ToldStory, memory_lines, tell
from .misses import MISSES, false_of, known_false, least_share, written
from .models import PerfectModel, ShownMessage
from .phrase import phrase, sentences
from .report import PAGE, table, with_table
from .runs import RUNS, SuiteRun, run_suite
from .story import TOPICS, Story, stories
from .verdict import Outcome, verdict

STORIES = {story.name: story for story in stories()}
# Stories of different topics, for what is to be the same on every database.
ON_EACH_DATABASE = ("diet_hazelnuts", "forgetting_ex_girlfriend") if SOAK else ("forgetting_ex_girlfriend",)


# `make test` tells every 30th story with the rules, and with one of the models; `make soak` tells all with each.
TOLD = {name: sampled(STORIES.values(), 30) for name in RUNS}
if not SOAK:
    MODELS = [name for name in RUNS if name != "rules"]
    TOLD |= {name: TOLD[name][place :: len(MODELS)] for place, name in enumerate(MODELS)}


# tests/workers.py lets one worker run all tests of an extractor.
each_run = pytest.mark.parametrize("name", [pytest.param(name, marks=pytest.mark.soak) for name in RUNS])


@pytest.fixture(scope="module")
def embedder() -> MultilingualEmbedder:
    return MultilingualEmbedder()


@cache
def suite(name: str) -> SuiteRun:
    """Tell the stories with an extractor."""
    return asyncio.run(run_suite(name, TOLD[name], MultilingualEmbedder()))


@each_run
def test_prompts_hold_nothing_false_but_what_is_listed(name: str) -> None:
    told = {story.name for story in TOLD[name]}
    listed = {story: places for story, places in known_false(name).items() if story in told}
    assert known_false(name).keys() <= STORIES.keys()
    assert false_of(suite(name)) == listed, "see `python -m tests.stories -v`; `--write` notes what is left"


@only_whole
@each_run
def test_what_must_be_there_is_there(name: str) -> None:
    assert suite(name).share >= least_share(name), "see `python -m tests.stories -v`"


def test_the_page_tells_of_every_story() -> None:
    page = PAGE.read_text("utf-8")
    assert [name for name in STORIES if f"| `{name}` |" not in page] == [], "`python -m tests.stories --write`"


@each_run
def test_what_is_false_is_read_as_it_was_written(name: str) -> None:
    chosen = [suite(name), replace(suite(name), name="again")]
    listed = tomllib.loads(written(chosen, MISSES.read_text("utf-8")))
    assert {run.name: listed.get(run.name, {}) for run in chosen} == {run.name: false_of(run) for run in chosen}
    assert listed["share"][name] == listed["share"]["again"] <= suite(name).share


@pytest.mark.parametrize("name", ["rules"])
def test_the_table_counts_each_run(name: str) -> None:
    rules = suite(name)
    row = next(line for line in table([rules]).splitlines() if line.startswith("| rules |"))
    assert f"| {rules.count(Outcome.RIGHT)} | {rules.count(Outcome.MISSING)} |" in row
    page = with_table("before\n<!-- stories -->\nold\n<!-- end of stories -->\nafter", row)
    assert page == f"before\n<!-- stories -->\n\n{row}\n\n<!-- end of stories -->\nafter"


@cache
def in_memory(name: str) -> ToldStory:
    """Tell a story to a database in memory."""
    return asyncio.run(tell(STORIES[name], MultilingualEmbedder()))


@pytest.mark.parametrize("kind", DURABLE)
def test_each_database_gives_the_same_prompts(kind: str, tmp_path: Path, embedder: MultilingualEmbedder) -> None:
    for name in ON_EACH_DATABASE:
        folder = tmp_path / name
        folder.mkdir()
        here = in_memory(name)
        there = asyncio.run(tell(STORIES[name], embedder, url=url_of(kind, folder)))
        assert [asked.lines for asked in there.asked] == [asked.lines for asked in here.asked]


def test_there_are_enough_stories() -> None:
    assert len(STORIES) >= 70
    assert sum(len(story.turns) for story in STORIES.values()) >= 500
    assert sum(turn.is_follow_up for story in STORIES.values() for turn in story.turns) >= 240
    assert {topic for topic in TOPICS if sum(story.topic == topic for story in STORIES.values()) < 2} == set()


@check_each("name", STORIES)
def test_a_story_is_whole(name: str) -> None:
    story = STORIES[name]
    assert len(story.session) >= 3
    assert sum(turn.is_follow_up for turn in story.turns) >= 2
    assert [session.at for session in story.session] == sorted(session.at for session in story.session)
    for turn in story.turns:
        assert all(lesson.quote in turn.user for lesson in turn.learns)
    wanted = {words for turn in story.turns for words in turn.must}
    assert not wanted & set(story.never)


RIGA = Story.model_validate(
    {
        "name": "riga",
        "topic": "household",
        "about": "…",
        "never": ["Tallinn unless not Tallinn"],
        "session": [
            {
                "at": "2026-01-05T09:00:00Z",
                "turns": [{"user": "I live in Riga.", "learns": [{"key": "location", "value": "Riga"}]}],
            },
            {
                "at": "2026-02-05T09:00:00Z",
                "turns": [
                    {"user": "where do I live?", "must": ["Riga"], "must_not": ["Vilnius"]},
                    {"user": "and my sister?"},
                ],
            },
        ],
        "end": {"holds": ["Riga"], "lacks": ["sister"], "slots": {"location": "Riga"}},
    }
)


def asked(*lines: str) -> ToldStory:
    follow_up = AskedTurn(session=2, turn=RIGA.session[1].turns[0], lines=lines)
    return ToldStory(story=RIGA, asked=[follow_up], active=[])


def test_a_verdict_tells_right_missing_and_false() -> None:
    seen = {
        lines: [finding.outcome for finding in verdict(asked(*lines)).findings[:-1]]
        for lines in [
            ("- location: Riga",),
            (),
            ("- location: Riga", '- "I live in Vilnius."'),
            ('- "Riga, not Tallinn."',),
            ('- "I come from Tallinn."', "- a sister in Riga"),
        ]
    }
    right, missing, false = Outcome.RIGHT, Outcome.MISSING, Outcome.FALSE_IN_PROMPT
    assert list(seen.values()) == [[right], [missing], [right, false], [right], [right, false, false]]
    assert verdict(asked()).findings[-1].outcome is missing, "and so it is in the store"


MOVED = Story.model_validate(
    {
        "name": "moved",
        "topic": "household",
        "about": "…",
        "never": ["Paris"],
        "session": [
            {
                "at": "2026-01-05T09:00:00Z",
                "turns": [
                    {"user": "I live in Riga, Paris would be nice.", "learns": [{"text": "Ana lives in Riga."}]},
                    {"user": "Jan is my ex.", "learns": [{"text": "Jan is Ana's ex."}]},
                ],
            },
            {
                "at": "2026-02-05T09:00:00Z",
                "turns": [
                    {"user": "I moved to Oslo.", "learns": [{"text": "Ana lives in Oslo.", "updates": "Riga"}]},
                    {"user": "Oslo is over, Bergen it is!", "learns": [{"key": "location", "value": "Bergen"}]},
                    {"user": "Forget about Jan.", "learns": [{"forget": "Jan"}]},
                ],
            },
            {
                "at": "2026-03-05T09:00:00Z",
                "turns": [{"user": "where do I live?", "must_not": ["Riga", "Jan"]}],
            },
        ],
        "end": {},
    }
)
RIGA_THEN = '- "I live in Riga, Paris would be nice." (the user, 5 January 2026)'
OSLO_LATER = '- "I moved to Oslo." (the user, 5 February 2026)'


@pytest.mark.parametrize(
    ("lines", "outcomes"),
    [
        ([RIGA_THEN.replace(", Paris would be nice", ""), OSLO_LATER], [Outcome.OLDER]),
        ([RIGA_THEN.replace(", Paris would be nice", ""), "- Ana lives in Oslo."], [Outcome.OLDER]),
        ([RIGA_THEN.replace(", Paris would be nice", "")], [Outcome.FALSE_IN_PROMPT]),
        (["- The user lives in Riga.", OSLO_LATER], [Outcome.FALSE_IN_PROMPT]),
        ([RIGA_THEN, OSLO_LATER], [Outcome.FALSE_IN_PROMPT]),
        (['- "Jan is my ex." (the user, 5 January 2026)', OSLO_LATER], [Outcome.FALSE_IN_PROMPT]),
        ([OSLO_LATER], []),
    ],
)
def test_what_was_true_then_is_false_without_what_was_said_later(lines: list[str], outcomes: list[Outcome]) -> None:
    follow_up = AskedTurn(session=3, turn=MOVED.session[2].turns[0], lines=lines)
    told = ToldStory(story=MOVED, asked=[follow_up], active=[])
    assert [finding.outcome for finding in verdict(told).findings] == outcomes


async def test_memories_are_judged_by_phrase_and_by_slot(embedder: MultilingualEmbedder) -> None:
    told = await tell(RIGA, embedder, model=PerfectModel(RIGA))
    [memory] = told.active
    assert verdict(told).count(Outcome.RIGHT) == 2
    moved = replace(memory, text="The user lives by the sea.", value="Jurmala")
    sister = replace(memory, text="The user has a sister.", key="likes")
    wrong = verdict(replace(told, active=[moved, sister])).findings
    assert [finding.phrase for finding in wrong if finding.outcome is Outcome.FALSE_IN_STORE] == [
        "location is Riga",
        "sister",
    ]


async def test_a_perfect_model_leaves_out_what_a_later_message_takes_back() -> None:
    story = STORIES["pets_two_cats"]
    shown = [ShownMessage(number, "user", turn.user) for number, turn in enumerate(story.session[0].turns, start=1)]
    model = PerfectModel(story)
    assert [item["text"] for message in shown for item in model.items(message, shown, {})] == [
        "Ilse's kitten is called Pixie."
    ]
    known = {4: "Ilse has a kitten called Pixel."}
    [item] = model.items(shown[1], shown[1:], known)
    assert item["updates"] == 4


def test_the_memory_part_is_what_the_client_did_not_send() -> None:
    own = [
        {"role": "user", "content": "Hi"},
        {"role": "assistant", "content": "Hello"},
        {"role": "user", "content": "X"},
    ]
    sent = [
        {
            "role": "system",
            "content": '<toldonce-memory id="1">\nWhat this is. Hi\n- name: Ana\n</toldonce-memory id="1">',
        },
        *own[:2],
        {
            "role": "user",
            "content": '<toldonce-memory id="2">\nQuoted.\n- "a"\n- "b\nc"\n</toldonce-memory id="2">\n\nX',
        },
    ]
    assert memory_lines(sent, own) == ["- name: Ana", '- "a"', '- "b', 'c"']
    assert memory_lines(own, own) == []


def test_phrases_match_words_alternatives_and_exceptions() -> None:
    assert phrase("no meat | veg*").is_in("She is Vegetarian.")
    assert not phrase("peanut* + allerg*").is_in("She likes peanuts.")
    assert not phrase("art").is_in("a party")
    assert sentences("I live in Rome. I moved to Oslo!") == ["I live in Rome.", "I moved to Oslo!"]
    assert sentences("- employer: St. Paul's") == ["- employer: St. Paul's"]
