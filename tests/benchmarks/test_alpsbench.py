"""The benchmark of AlpsBench counts what it says it counts; the chats are made up."""

import gzip
import json
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from benchmarks.alps_chats import AlpsChat, fold_of, language_of, models_of, read_chats, sampled
from benchmarks.alps_engine import RecordedModel, engine_run
from benchmarks.alps_heads import heads_file, heads_for, heads_in_use, read_heads
from benchmarks.alps_outcomes import ItemOutcome, Outcome, replay
from benchmarks.alps_scores import Score, language_rows, score_rows
from benchmarks.alps_skips import count_skipped, skipped_messages
from benchmarks.alps_tables import lost_rows
from benchmarks.alpsbench import WITHOUT_MODEL, main
from benchmarks.rows import Row
from toldonce.errors import BadRequestError
from toldonce.reading.head_features import SENTENCE_COLUMNS, message_columns
from toldonce.reading.heads import HEADS, Heads, Network


def item(value: str, evidence: str, *utterances: int, label: str = "Preferences/Food") -> dict[str, Any]:
    return {"type": "direct", "label": label, "value": value, "evidence": evidence, "utterances": list(utterances)}


def chat(
    *said: str, gold: Sequence[Mapping[str, Any]] = (), recorded: Sequence[Mapping[str, Any]] = (), id_: str = "c-1"
) -> dict[str, Any]:
    """Make a chat whose messages are the user's and the assistant's in turn."""
    roles = ("user", "assistant")
    dialogue = [{"role": roles[place % 2], "text": text} for place, text in enumerate(said)]
    return {"id": id_, "dialogue": dialogue, "gold": list(gold), "recorded": {"model-a": list(recorded)}}


ANA = chat(
    "I'm allergic to peanuts and I live in Oslo.",
    "Noted!",
    "Who wrote Faust?",
    "Goethe.",
    "Thanks!",
    gold=[item("Allergic to peanuts", "I'm allergic to peanuts", 0)],
    recorded=[
        item("The user is allergic to peanuts.", "I'm allergic to PEANUTS", 0),
        item("The user reads Goethe.", "Who wrote Faust?", 2),
        item("The user is grateful.", "Thanks", 4),
        item("The user plays chess.", "I play chess on Sundays"),
    ],
)
JONAS = chat(
    "Ich wohne seit Mai in Graz und esse kein Fleisch.",
    "Schön!",
    "Meine Tochter heißt Mia.",
    gold=[item("Lebt in Graz", "Ich wohne seit Mai in Graz", 0), item("Tochter Mia", "Meine Tochter heißt Mia.", 2)],
    recorded=[item("Der Nutzer hat eine Tochter namens Mia.", "Meine Tochter heißt Mia", 2)],
    id_="c-2",
)


def written(folder: Path, *chats: object, name: str = "chats.jsonl") -> Path:
    path = folder / name
    path.write_text("\n".join(json.dumps(each) for each in chats) + "\n", "utf-8")
    return path


def read(folder: Path, *chats: object) -> tuple[AlpsChat, ...]:
    return read_chats(written(folder, *chats))


def only(folder: Path, one: object) -> AlpsChat:
    return read(folder, one)[0]


def test_a_file_is_read_plain_and_packed(tmp_path: Path) -> None:
    plain = written(tmp_path, ANA, JONAS)
    packed = tmp_path / "chats.jsonl.gz"
    packed.write_bytes(gzip.compress(plain.read_bytes()))

    chats = read_chats(plain)

    assert read_chats(packed) == chats
    assert [(each.id, each.language, sorted(each.gold_utterances)) for each in chats] == [
        ("c-1", "en", [0]),
        ("c-2", "de", [0, 2]),
    ]
    assert models_of(chats) == ["model-a"]


@pytest.mark.parametrize(
    ("changes", "why"),
    [
        ({"dialogue": [{"role": "bot", "text": "Hi"}]}, r"line 1.dialogue\[0\].role: must be user or assistant"),
        ({"dialogue": [{"role": "assistant", "text": "Hi"}]}, "no message is the user's"),
        ({"gold": [item("x", "y", 9)]}, r"line 1.gold\[0\].utterances\[0\]: must be the place of a message, 0 to 4"),
        ({"gold": [item("x", "y", 1)]}, "must be the place of a message of the user"),
        ({"gold": [{"value": "x"}]}, "the field 'utterances' is missing"),
        ({"recorded": {"model-a": 7}}, "line 1.recorded.model-a: must be a list"),
    ],
)
def test_a_bad_line_is_named(changes: dict[str, Any], why: str, tmp_path: Path) -> None:
    with pytest.raises(BadRequestError, match=why):
        read(tmp_path, ANA | changes)


def test_an_empty_or_broken_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(BadRequestError, match="no chats in it"):
        read_chats(written(tmp_path))
    with pytest.raises(BadRequestError, match="line 2: another chat has the id 'c-1'"):
        read(tmp_path, ANA, ANA)
    broken = tmp_path / "broken.jsonl"
    broken.write_text('{"id": \n', "utf-8")
    with pytest.raises(BadRequestError, match="line 1: not JSON"):
        read_chats(broken)


def test_a_sample_is_the_same_whatever_the_order_of_the_file(tmp_path: Path) -> None:
    chats = read(tmp_path, *(ANA | {"id": f"c-{number}"} for number in range(20)))

    few = sampled(chats, 5)

    assert len(few) == 5
    assert {each.id for each in sampled(chats[::-1], 5)} == {each.id for each in few}
    assert {each.id for each in few} <= {each.id for each in sampled(chats, 9)}


@pytest.mark.parametrize(
    ("text", "language"),
    [
        ("Where do I find good tea?", "en"),
        ("Je cherche un cadeau pour ma sœur.", "fr"),
        ("Я живу в Туле и люблю чай.", "ru"),
        ("저는 서울에 살아요", "ko"),
        ("ฉันชอบชา", "th"),
        ("Μένω στην Αθήνα", "el"),
        ("أسكن في القاهرة", "ar"),
        ("12345", "en"),
    ],
)
def test_a_chats_language_is_told_by_script_and_words(text: str, language: str) -> None:
    assert language_of(text) == language


async def test_an_item_that_rests_on_the_words_of_a_verified_memory_is_told_apart(tmp_path: Path) -> None:
    doubted = item("Likes Paris [ERROR: Unsupported by evidence]", "Who wrote Faust?", 2)
    allergy, towers, *_ = await replayed(tmp_path, ANA | {"gold": [*ANA["gold"], doubted]})

    assert (allergy.in_gold, towers.in_gold) == (True, False)
    assert only(tmp_path, ANA | {"gold": [*ANA["gold"], doubted]}).undoubted_utterances == {0}


async def test_a_memory_of_a_game_is_stored_and_what_it_invents_is_not(tmp_path: Path) -> None:
    said = "Let's role-play! I'm the captain and you're my mate. I was born in Tortuga."
    likes, born = await replayed(
        tmp_path,
        chat(
            said,
            recorded=[
                item("Likes role plays on ships.", "Let's role-play! I'm the captain", 0),
                item("Was born in Tortuga.", "I was born in Tortuga", 0),
            ],
        ),
    )

    assert likes.outcome is Outcome.STORED
    assert (born.outcome, born.reason) == (Outcome.LOST, "takes what is said in a game or story for true")


def test_each_utterance_counts_once_and_a_memory_beside_the_evidence_is_false(tmp_path: Path) -> None:
    score = Score()

    score.add(only(tmp_path, ANA), [frozenset({0}), frozenset({0, 2}), frozenset({4}), frozenset()])

    assert (score.hits, score.strays, score.missed) == (1, 2, 0)
    assert (score.memories, score.false) == (4, 2)
    assert (round(score.precision, 1), score.recall, score.f1) == (33.3, 100, 50)


def value(rows: Sequence[Row], name: str, of: str) -> float:
    return next(row.value for row in rows if row.name == name and row.of == of)


def test_scores_are_given_by_language_and_for_chats_without_gold(tmp_path: Path) -> None:
    chats = read(tmp_path, ANA, JONAS, chat("I feel like tea.", id_="c-3"))
    sources = [[frozenset({0})], [frozenset({2})], [frozenset({0})]]

    rows = score_rows(chats, {"rules": sources})
    by_language = language_rows(chats, {"rules": sources})

    assert value(rows, "English, 2 chats: precision", "rules") == 50
    assert value(rows, "other languages, 1 chats: recall", "rules") == 50
    assert value(rows, "without gold, 1 chats: memories", "rules") == 1
    assert value(by_language, "de, 1 chats: F1", "rules") == pytest.approx(66.7, abs=0.1)
    assert not any(row.name.startswith("without gold") for row in score_rows(chats[:2], {"rules": sources[:2]}))


async def test_a_chat_is_formed_without_a_model_with_its_sources(tmp_path: Path) -> None:
    async with engine_run() as run:
        formed = await run.form(only(tmp_path, ANA))

    assert formed.memories
    assert frozenset().union(*formed.sources) == {0}


def heads_of(bias: float) -> Heads:
    """Return heads that give every message the same log odds."""
    return Heads(constant(SENTENCE_COLUMNS, [-9.0] * len(HEADS)), constant(message_columns(len(HEADS)), [bias]))


def constant(columns: int, log_odds: Sequence[float]) -> Network:
    outputs = np.array(log_odds, np.float32)
    units = np.zeros((columns, 1), np.float32), np.zeros(1, np.float32)
    return Network(*units, np.zeros((1, len(outputs)), np.float32), outputs)


def heads(folder: Path, *biases: float) -> Path:
    """Write heads that take everything, or nothing: by their log odds alone."""
    folder.mkdir()
    for fold, bias in enumerate(biases):
        heads_of(bias).save(heads_file(folder, fold))
    return folder


def test_a_chat_is_read_with_the_heads_that_have_not_seen_it(tmp_path: Path) -> None:
    known = read_heads(heads(tmp_path / "heads", 1.0, 2.0, 3.0))
    for each in read(tmp_path, *(ANA | {"id": f"c-{number}"} for number in range(9))):
        assert heads_for(each, known) is known[fold_of(each.id, 3)]
    assert {fold_of(f"c-{number}", 3) for number in range(40)} == {0, 1, 2}
    assert heads_for(only(tmp_path, ANA), ()) is None


async def test_the_heads_in_use_decide_which_quotations_are_kept(tmp_path: Path) -> None:
    (polish,) = read(tmp_path, chat("Mój brat pracuje w fabryce mebli pod Łodzią.", "Ok."))
    formed = []
    for bias in (-9.0, 9.0):
        with heads_in_use(heads_of(bias)):
            async with engine_run() as run:
                formed.append(len((await run.form(polish)).memories))
    assert formed == [0, 1]


def test_heads_that_are_missing_are_named(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with pytest.raises(SystemExit):
        main([str(written(tmp_path, ANA)), "--heads", str(tmp_path)])
    assert "has no heads" in capsys.readouterr().err


async def replayed(folder: Path, one: object) -> list[ItemOutcome]:
    stand_in = RecordedModel()
    async with engine_run(stand_in) as run:
        return list((await replay(only(folder, one), "model-a", run, stand_in)).outcomes)


async def test_what_becomes_of_each_recorded_item_is_told_with_the_reason(tmp_path: Path) -> None:
    allergy, towers, thanks, chess = await replayed(tmp_path, ANA)

    assert (allergy.outcome, bool(allergy.found)) == (Outcome.STORED, True)
    assert (towers.outcome, towers.reason) == (Outcome.LOST, "not shown to the model: question")
    assert (thanks.outcome, thanks.reason) == (Outcome.LOST, "not shown to the model: courtesy")
    assert (chess.outcome, chess.found) == (Outcome.LOST, None)
    assert chess.reason.startswith("has a quote that is not in the message")


async def test_items_of_many_messages_are_each_given_with_their_own(tmp_path: Path) -> None:
    said = [f"My {animal} is called {name}." for animal, name in zip(ANIMALS, NAMES, strict=True)]
    listed = [item(f"The user's {a} is {n}.", f"My {a} is called {n}", 2 * p) for p, (a, n) in enumerate(PETS)]
    turns = [text for each in said for text in (each, "Nice.")]

    outcomes = await replayed(tmp_path, chat(*turns, recorded=listed))

    assert [each.outcome for each in outcomes] == [Outcome.STORED] * len(PETS)


ANIMALS = ("dog", "cat", "parrot", "horse", "hamster", "snake", "goat", "pony", "rabbit", "canary")
NAMES = ("Rex", "Mimi", "Coco", "Star", "Pip", "Kaa", "Heidi", "Blitz", "Hoppel", "Tweety")
PETS = tuple(zip(ANIMALS, NAMES, strict=True))


async def test_a_refusal_that_is_right_is_counted_apart(tmp_path: Path) -> None:
    said = 'My sister said "I live in Bern and I hate snow" yesterday. I have two sons.'
    secret = "My password is hunter2, keep it."

    (quoted, hidden) = await replayed(
        tmp_path,
        chat(
            said,
            "Ok.",
            secret,
            recorded=[
                item("Lives in Bern.", "I live in Bern and I hate snow", 0),
                item("The password is hunter2.", "My password is hunter2", 2),
            ],
        ),
    )

    assert quoted.outcome is Outcome.APART
    assert hidden.outcome is Outcome.APART


async def test_a_note_of_a_given_text_is_kept_with_its_source(tmp_path: Path) -> None:
    said = ("Polish this: I teach in Ulm.", "Done.", "> I keep bees in Rome", "Ok.")
    quoted = item("Keeps bees in Rome.", "I keep bees in Rome", 2)

    (drafted, hidden) = await replayed(
        tmp_path, chat(*said, gold=[quoted], recorded=[item("Teaches in Ulm.", "I teach in Ulm", 0), quoted])
    )

    assert drafted.outcome is Outcome.NAMED
    assert (hidden.outcome, hidden.hidden, hidden.beside_gold) == (Outcome.LOST, True, True)
    rows = {row.name: row.note for row in lost_rows({"model-a": [[drafted, hidden]]})}
    assert rows["lost: the same, in messages with a verified memory, all models"] == "1 of 2"


def test_skipped_messages_are_counted_with_what_hides_the_evidence(tmp_path: Path) -> None:
    polite = ANA | {"gold": [item("Is polite", "Thanks", 4)]}
    pasted = chat("> I keep bees in Ulm", gold=[item("Keeps bees", "I keep bees in Ulm", 0)], id_="c-2")
    chats = read(tmp_path, polite, pasted)

    assert skipped_messages(chats[0]) == {2: "question", 4: "courtesy"}
    assert count_skipped(chats, [skipped_messages(each) for each in chats]) == {
        "courtesy": 1,
        "carried: a quoted line": 1,
    }


def test_the_command_writes_its_tables(tmp_path: Path) -> None:
    path, figures = written(tmp_path, ANA, JONAS), tmp_path / "figures.json"

    folder = heads(tmp_path / "heads", -9.0, -9.0)

    assert main([str(path), "--quick", "--json", str(figures), "--heads", str(folder)]) == 0

    results = json.loads(figures.read_text("utf-8"))["results"]
    assert list(results) == ["data", "utterances", "languages", "skipped", "replayed", "kept", "lost"]
    assert {row["of"] for row in results["utterances"]} == {WITHOUT_MODEL, "model-a"}
    assert "well-evidenced" in figures.with_suffix(".md").read_text("utf-8")


@pytest.mark.parametrize(("arguments", "why"), [([], "No such file"), (["--models", "gpt"], "no model 'gpt'")])
def test_a_wrong_argument_is_named(
    arguments: list[str], why: str, tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    path = written(tmp_path, ANA) if arguments else tmp_path / "missing.jsonl"

    with pytest.raises(SystemExit):
        main([str(path), *arguments])

    assert why in capsys.readouterr().err
