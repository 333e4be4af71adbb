"""The benchmarks still run: the one that starts no process, with counts that take no time."""

from pathlib import Path

from benchmarks.made_up import Writer
from benchmarks.recall import Sizes, alone, among_many
from benchmarks.rows import Row
from benchmarks.throughput import Noter, turn_by_turn
from benchmarks.tiered import Sizes as TieredSizes
from benchmarks.tiered import long_chat


async def test_the_recall_benchmark_measures_each_way_at_each_size(tmp_path: Path) -> None:
    sizes = Sizes(totals=(6, 12), per_user=3, alone=(9,), queries=4)
    many, one = tmp_path / "many", tmp_path / "one"

    rows = [*await among_many(many, sizes), *await alone(one, 9, sizes)]

    ways = ["random users, cold", "random users", "one hot user", "after a write"]
    wheres = [f"{where}, {way}" for where in ("3 of 6", "3 of 12") for way in ways]
    wheres += [f"9 of one user, {way}" for way in ("cold", "hot", "after a write")]
    parts = ["beside embedding, p50", "beside embedding, p99", "whole call, p50", "whole call, p99"]
    assert [row.name for row in rows] == [f"{where}, {part}" for where in wheres for part in parts]
    assert all(row.value > 0 and row.count >= 4 for row in rows)


async def test_the_tiered_benchmark_tells_a_chat_long_enough_for_an_episode(tmp_path: Path) -> None:
    rows = await long_chat(tmp_path, TieredSizes(turns=21, queries=2))

    parts = ["recall", "whole prompt", "forming a turn"]
    assert [row.name for row in rows] == [f"21 turns, {part}, {share}" for part in parts for share in ("p50", "p99")]
    assert rows[0].note.startswith("1 episodes, ")


async def test_a_formed_turn_is_measured_by_the_rules_and_with_a_model(tmp_path: Path) -> None:
    by_rules = await turn_by_turn(tmp_path / "rules", 4, None)
    model = Noter()
    by_model = await turn_by_turn(tmp_path / "model", 4, model)

    assert [row.count for row in (*by_rules, *by_model)] == [4] * 4
    assert all(row.value > 0 for row in (*by_rules, *by_model))
    assert model.calls >= 5, "each turn asks the model"
    assert f"{model.calls / 5:.2f} calls a turn" in by_model[0].note


def test_two_writers_of_one_seed_write_the_same_and_hardly_ever_the_same_twice() -> None:
    texts = Writer(7).sentences(200)

    assert Writer(7).sentences(200) == texts
    assert len(set(texts)) == 200
    assert Writer(8).sentences(200) != texts


def test_a_promise_is_kept_below_its_bar_alone() -> None:
    assert Row(name="x", value=0.9, unit="ms", bar=1.0).meets_bar
    assert not Row(name="x", value=1.0, unit="ms", bar=1.0).meets_bar
    assert Row(name="x", value=5.0, unit="ms").meets_bar
